//! When trends were last counted, and when entries to review were last reported to staff.

use diesel::prelude::*;
use siskin_entities::Timestamp;

use crate::{Result, Tx, conn::OnEngine, schema::trend_rounds};

/// Times of the last rounds; the beginning of time if there was none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounds {
    pub counted_at: Timestamp,
    pub reported_at: Timestamp,
}

/// Loads the times of the last rounds, and locks them until the transaction ends.
///
/// # Errors
/// Storage errors.
pub fn rounds(tx: &mut Tx<'_>) -> Result<Rounds> {
    let row = trend_rounds::table
        .find(0_i64)
        .select((trend_rounds::counted_at, trend_rounds::reported_at));
    let (counted_at, reported_at): (i64, i64) = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_update().first(pg)?,
        OnEngine::Sqlite(sqlite) => row.first(sqlite)?,
    };
    Ok(Rounds {
        counted_at: Timestamp::from_unix_ms(counted_at),
        reported_at: Timestamp::from_unix_ms(reported_at),
    })
}

/// Records that trends are counted now.
///
/// # Errors
/// Storage errors.
pub fn set_counted(tx: &mut Tx<'_>) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(trend_rounds::table).set(trend_rounds::counted_at.eq(now)).execute(&mut **tx)?;
    Ok(())
}

/// Records that entries to review are reported to staff now.
///
/// # Errors
/// Storage errors.
pub fn set_reported(tx: &mut Tx<'_>) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(trend_rounds::table)
        .set(trend_rounds::reported_at.eq(now))
        .execute(&mut **tx)?;
    Ok(())
}
