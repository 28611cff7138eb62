//! Spent parts of rate limits, by hashes of the limit and its subject.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::Timestamp;

use crate::{Conn, Result, Tx, schema::spent_budgets};

/// A conflict changes the row only if the stored number is older or smaller. The query builder has
/// no such condition for both engines.
const STORE: &str = "INSERT INTO spent_budgets (key_hash, spent, expires_at) VALUES ($1, $2, $3) \
    ON CONFLICT (key_hash) DO UPDATE SET spent = excluded.spent, expires_at = excluded.expires_at \
    WHERE spent_budgets.expires_at < excluded.expires_at \
    OR (spent_budgets.expires_at = excluded.expires_at AND spent_budgets.spent < excluded.spent)";

/// What is spent of a budget in the present window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpentBudget {
    pub key_hash: String,
    pub spent: u32,
    /// Time at which the budget is full again.
    pub until: Timestamp,
}

/// Stores what is spent. A later window replaces the stored one. In the same window, the larger
/// number counts, because several processes store what each of them has counted.
pub fn store(tx: &mut Tx<'_>, budgets: &[SpentBudget]) -> Result<()> {
    let mut budgets: Vec<&SpentBudget> = budgets.iter().collect();
    // All processes lock rows in the same order, so that none waits for another one in a circle.
    budgets.sort_by(|a, b| a.key_hash.cmp(&b.key_hash));
    for budget in budgets {
        sql_query(STORE)
            .bind::<Text, _>(&budget.key_hash)
            .bind::<BigInt, _>(i64::from(budget.spent))
            .bind::<BigInt, _>(budget.until.unix_ms())
            .execute(&mut **tx)?;
    }
    Ok(())
}

/// Loads what is spent in the windows that have not ended at `now`, at most `limit` budgets.
pub fn load(conn: &mut Conn, now: Timestamp, limit: i64) -> Result<Vec<SpentBudget>> {
    let rows: Vec<(String, i64, i64)> = spent_budgets::table
        .filter(spent_budgets::expires_at.gt(now.unix_ms()))
        .order(spent_budgets::expires_at)
        .limit(limit)
        .select((spent_budgets::key_hash, spent_budgets::spent, spent_budgets::expires_at))
        .load(conn)?;
    let budget = |(key_hash, spent, until): (String, i64, i64)| SpentBudget {
        key_hash,
        spent: u32::try_from(spent).unwrap_or(u32::MAX),
        until: Timestamp::from_unix_ms(until),
    };
    Ok(rows.into_iter().map(budget).collect())
}
