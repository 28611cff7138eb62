//! Deletes rows that are no longer needed, a batch at a time by index.
//!
//! The retention times are the caller's part.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool},
};
use siskin_entities::Timestamp;

use crate::{
    Conn, Result, Tx,
    tables::{self, Table},
};

/// Kinds of rows that expire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stale {
    /// Events with a position, except for the last one, which holds the latest position.
    Events,
    /// Ended relationships, which are needed to process events of that time.
    FormerRelations,
    /// Idempotency keys of published and scheduled statuses.
    IdempotencyKeys,
    /// Authorization codes, exchanged or not, by their expiry.
    AuthorizationCodes,
    /// Browser sessions, by their last use.
    Sessions,
    /// Dead letters of the job queue.
    DeadJobs,
    /// Days on which users were active.
    ActiveDays,
    /// Tokens of an application without an account, by their last use, or by their issue if never
    /// used.
    ApplicationTokens,
    /// Unused applications, by their registration: without tokens, codes, sign-ups and statuses.
    Applications,
    /// Rows of a table that [expires](Table::expires), by their expiry.
    Expired(&'static Table),
}

/// SQL condition for an unused application.
const UNUSED: &str = "\
    AND NOT EXISTS (SELECT 1 FROM access_tokens WHERE application_id = applications.id) \
    AND NOT EXISTS (SELECT 1 FROM authorization_codes WHERE application_id = applications.id) \
    AND NOT EXISTS (SELECT 1 FROM users WHERE created_by_application_id = applications.id) \
    AND NOT EXISTS (SELECT 1 FROM statuses WHERE application_id = applications.id) \
    AND NOT EXISTS (SELECT 1 FROM scheduled_statuses WHERE application_id = applications.id)";

/// Table and columns of a kind.
struct ExpiryColumns {
    table: &'static str,
    /// Columns that identify a row, separated by commas.
    key: &'static str,
    /// Time column in milliseconds. An index starts with it.
    time: &'static str,
    /// Additional SQL condition.
    and: &'static str,
}

impl Stale {
    /// Returns all kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        let retained = [
            Self::Events,
            Self::FormerRelations,
            Self::IdempotencyKeys,
            Self::AuthorizationCodes,
            Self::Sessions,
            Self::DeadJobs,
            Self::ActiveDays,
            Self::ApplicationTokens,
            Self::Applications,
        ];
        retained.into_iter().chain(tables::expiring().map(Self::Expired))
    }

    /// Returns the name of the table with these rows.
    #[must_use]
    pub const fn table(self) -> &'static str {
        self.columns().table
    }

    const fn columns(self) -> ExpiryColumns {
        let (table, key, time, and) = match self {
            Self::Events => {
                ("events", "id", "created_at", "AND position < (SELECT max(position) FROM events)")
            }
            // The primary key has three columns, so a batch may be a little larger.
            Self::FormerRelations => ("former_ties", "ended_at", "ended_at", ""),
            // The primary key has two columns, so a batch may be a little larger.
            Self::IdempotencyKeys => ("idempotency_keys", "created_at", "created_at", ""),
            Self::AuthorizationCodes => ("authorization_codes", "code_hash", "expires_at", ""),
            Self::Sessions => ("web_sessions", "id", "last_used_at", ""),
            Self::DeadJobs => ("jobs", "id", "dead_at", ""),
            Self::ActiveDays => ("active_days", "day, account_id", "day", ""),
            Self::ApplicationTokens => (
                "access_tokens",
                "id",
                "COALESCE(last_used_at, created_at)",
                "AND account_id IS NULL",
            ),
            Self::Applications => ("applications", "id", "created_at", UNUSED),
            Self::Expired(table) => (table.name, table.key, "expires_at", ""),
        };
        ExpiryColumns { table, key, time, and }
    }

    /// Returns the SQL that selects the keys of a batch. `$1` is the time, `$2` the maximum number.
    fn batch(self) -> String {
        let ExpiryColumns { table, key, time, and } = self.columns();
        format!("SELECT {key} FROM {table} WHERE {time} < $1 {and} ORDER BY {time} LIMIT $2")
    }
}

/// Returns `true` if there are rows from before this time.
///
/// # Errors
/// Storage errors.
pub fn any(conn: &mut Conn, stale: Stale, before: Timestamp) -> Result<bool> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Bool)]
        found: bool,
    }
    let sql = format!("SELECT EXISTS ({}) AS found", stale.batch());
    let query = sql_query(sql).bind::<BigInt, _>(before.unix_ms()).bind::<BigInt, _>(1);
    Ok(query.get_result::<Found>(conn)?.found)
}

/// Deletes at most `most` rows from before this time, the oldest first. Returns their number. Skips
/// rows that another process is deleting.
///
/// # Errors
/// Storage errors.
pub fn remove(tx: &mut Tx<'_>, stale: Stale, before: Timestamp, most: i64) -> Result<usize> {
    let ExpiryColumns { table, key, .. } = stale.columns();
    let locked = if tx.is_sqlite() { "" } else { " FOR UPDATE SKIP LOCKED" };
    let sql = format!("DELETE FROM {table} WHERE ({key}) IN ({}{locked})", stale.batch());
    let delete = sql_query(sql).bind::<BigInt, _>(before.unix_ms()).bind::<BigInt, _>(most);
    Ok(delete.execute(&mut **tx)?)
}
