//! Which steps of the set-up were done or skipped.

use diesel::prelude::*;
use siskin_entities::{FirstStep, StepState};

use crate::{Conn, Result, Tx, conn::each, schema::first_steps};

/// Loads the steps that were done or skipped. Names that this program does not know are left out.
pub fn list(conn: &mut Conn) -> Result<Vec<(FirstStep, StepState)>> {
    let rows: Vec<(String, bool)> =
        first_steps::table.select((first_steps::step, first_steps::skipped)).load(conn)?;
    let state = |skipped| if skipped { StepState::Skipped } else { StepState::Done };
    let known =
        |(name, skipped): (String, bool)| Some((FirstStep::from_name(&name)?, state(skipped)));
    Ok(rows.into_iter().filter_map(known).collect())
}

/// Stores that a step was done.
pub fn complete(tx: &mut Tx<'_>, step: FirstStep) -> Result<()> {
    let row = (first_steps::step.eq(step.as_str()), first_steps::skipped.eq(false));
    each!(&mut **tx, conn => diesel::insert_into(first_steps::table)
        .values(row)
        .on_conflict(first_steps::step)
        .do_update()
        .set(first_steps::skipped.eq(false))
        .execute(conn))?;
    Ok(())
}

/// Stores that a step was skipped, unless it was done.
pub fn skip(tx: &mut Tx<'_>, step: FirstStep) -> Result<()> {
    let row = (first_steps::step.eq(step.as_str()), first_steps::skipped.eq(true));
    each!(&mut **tx, conn => diesel::insert_into(first_steps::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}
