//! The steps that lead the owner through the set-up of a new instance: which are left, and which
//! were done or skipped. What a step changes is a use case elsewhere.

use siskin_entities::{FirstStep, Settings, StepState};
use siskin_persistence::{Conn, Tx, first_steps as rows, instance_picture, rules};
use siskin_policy::{
    first_steps::{SetUpFacts, includes},
    roles::Authority,
};

use crate::Result;

/// Returns the steps that the role of a member of staff includes, in their order, with their
/// states. Runs three statements.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    settings: &Settings,
    authority: Authority,
) -> Result<Vec<(FirstStep, StepState)>> {
    let recorded = rows::list(conn)?;
    let facts = SetUpFacts {
        settings,
        has_picture: instance_picture::exists(conn)?,
        has_rules: rules::any_exists(conn)?,
    };
    let state = |step: FirstStep| {
        let recorded = recorded.iter().find(|(known, _)| *known == step);
        (step, facts.state(step, recorded.map(|(_, state)| *state)))
    };
    let included = FirstStep::ALL.into_iter().filter(|step| includes(authority, *step));
    Ok(included.map(state).collect())
}

/// Returns how many steps are left for a member of staff: those neither done nor skipped.
///
/// # Errors
/// Storage errors only.
pub fn count_left(conn: &mut Conn, settings: &Settings, authority: Authority) -> Result<usize> {
    let is_left = |(_, state): &(_, StepState)| *state == StepState::Open;
    if !FirstStep::ALL.into_iter().any(|step| includes(authority, step)) {
        return Ok(0);
    }
    Ok(list(conn, settings, authority)?.iter().filter(|step| is_left(step)).count())
}

/// Records that a step was done.
///
/// # Errors
/// Storage errors only.
pub fn complete(tx: &mut Tx<'_>, step: FirstStep) -> Result<()> {
    Ok(rows::complete(tx, step)?)
}

/// Records that steps were skipped. Those that were done stay done.
///
/// # Errors
/// Storage errors only.
pub fn skip(tx: &mut Tx<'_>, steps: &[FirstStep]) -> Result<()> {
    for step in steps {
        rows::skip(tx, *step)?;
    }
    Ok(())
}
