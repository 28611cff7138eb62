//! Time shift for tests of programs that use the real clock.

use std::time::Duration;

use diesel::{ExpressionMethods as _, QueryDsl as _, RunQueryDsl as _, update};
use siskin_persistence::{
    Result, Tx,
    schema::{jobs, polls, scheduled_statuses},
};

/// Makes jobs, ends of polls and scheduled statuses due earlier, as if `by` had passed. The leases
/// of jobs, which dead workers hold, expire earlier, too.
///
/// # Errors
/// Returns errors of storage.
pub fn bring_forward(tx: &mut Tx<'_>, by: Duration) -> Result<()> {
    let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
    update(jobs::table)
        .set((
            jobs::run_at.eq(jobs::run_at - by),
            jobs::turn_at.eq(jobs::turn_at - by),
            jobs::locked_until.eq(jobs::locked_until - by),
        ))
        .execute(&mut **tx)?;
    update(polls::table.filter(polls::closed_at.is_null()))
        .set(polls::expires_at.eq(polls::expires_at - by))
        .execute(&mut **tx)?;
    update(scheduled_statuses::table)
        .set(scheduled_statuses::scheduled_at.eq(scheduled_statuses::scheduled_at - by))
        .execute(&mut **tx)?;
    Ok(())
}
