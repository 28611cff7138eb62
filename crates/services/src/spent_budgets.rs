//! What is spent of rate limits, stored over a restart. The caller counts, and decides which limits are
//! stored.

use siskin_entities::Timestamp;
use siskin_persistence::{Conn, Tx, spent_budgets as rows};

use crate::Result;

pub use siskin_persistence::spent_budgets::SpentBudget;

/// Number of budgets that are stored in one transaction, so that other writers get their turn.
pub const STORED_AT_ONCE: usize = 200;
/// Maximum number of budgets that are loaded. An attack from very many addresses fills more.
const MAX_LOADED: i64 = 200_000;

/// Loads what is spent in windows that have not ended.
///
/// # Errors
/// Storage errors only.
pub fn load(conn: &mut Conn, now: Timestamp) -> Result<Vec<SpentBudget>> {
    Ok(rows::load(conn, now, MAX_LOADED)?)
}

/// Stores what is spent.
///
/// # Errors
/// Storage errors only.
pub fn store(tx: &mut Tx<'_>, budgets: &[SpentBudget]) -> Result<()> {
    Ok(rows::store(tx, budgets)?)
}
