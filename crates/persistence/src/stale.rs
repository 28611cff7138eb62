//! Rows that have served their purpose, removed a batch at a time by index.
//!
//! How long what is kept is not known here.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool},
};
use siskin_entities::Timestamp;

use crate::{Conn, Result, Tx};

/// What grows old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stale {
    /// Events that the relay has placed, but for the last one, which holds the count.
    Events,
    /// Ties that ended, which matter to events of that time.
    FormerTies,
    /// What keeps a status from being published twice.
    IdempotencyKeys,
    /// Codes of the authorization server, exchanged or not, by their end.
    AuthorizationCodes,
    /// The secrets of links in letters, by their end.
    MailedLinks,
    /// Browsers in which people are signed in, by their last use.
    Sessions,
    /// Mutes with an end.
    Mutes,
    /// Jobs that were given up.
    DeadJobs,
    /// Answers of a service that translates, by their end.
    Translations,
    /// Tokens that act for an application alone, by their last use or else their issue.
    ApplicationTokens,
    /// Applications that nobody uses, by their registration: they have no tokens and no codes, and
    /// nobody signed up or published anything by them.
    Applications,
}

/// The condition for an application that nobody uses.
const UNUSED: &str = "\
    AND NOT EXISTS (SELECT 1 FROM access_tokens WHERE application_id = applications.id) \
    AND NOT EXISTS (SELECT 1 FROM authorization_codes WHERE application_id = applications.id) \
    AND NOT EXISTS (SELECT 1 FROM users WHERE created_by_application_id = applications.id) \
    AND NOT EXISTS (SELECT 1 FROM statuses WHERE application_id = applications.id) \
    AND NOT EXISTS (SELECT 1 FROM scheduled_statuses WHERE application_id = applications.id)";

/// Where they stand, and by what they are told.
struct Place {
    table: &'static str,
    key: &'static str,
    /// Milliseconds; an index begins with it.
    time: &'static str,
    /// What else must hold.
    and: &'static str,
}

impl Stale {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Events,
        Self::FormerTies,
        Self::IdempotencyKeys,
        Self::AuthorizationCodes,
        Self::MailedLinks,
        Self::Sessions,
        Self::Mutes,
        Self::DeadJobs,
        Self::Translations,
        Self::ApplicationTokens,
        Self::Applications,
    ];

    const fn place(self) -> Place {
        let (table, key, time, and) = match self {
            Self::Events => {
                ("events", "id", "created_at", "AND position < (SELECT max(position) FROM events)")
            }
            // Three columns are its key: a batch may be a little larger.
            Self::FormerTies => ("former_ties", "ended_at", "ended_at", ""),
            // Two columns are its key: a batch may be a little larger.
            Self::IdempotencyKeys => ("idempotency_keys", "created_at", "created_at", ""),
            Self::AuthorizationCodes => ("authorization_codes", "code_hash", "expires_at", ""),
            Self::MailedLinks => ("mailed_links", "token_hash", "expires_at", ""),
            Self::Sessions => ("web_sessions", "id", "last_used_at", ""),
            Self::Mutes => ("mutes", "id", "expires_at", ""),
            Self::DeadJobs => ("jobs", "id", "dead_at", ""),
            Self::Translations => ("translations", "key", "expires_at", ""),
            Self::ApplicationTokens => (
                "access_tokens",
                "id",
                "COALESCE(last_used_at, created_at)",
                "AND account_id IS NULL",
            ),
            Self::Applications => ("applications", "id", "created_at", UNUSED),
        };
        Place { table, key, time, and }
    }

    /// The keys of a batch: `$1` is the time, `$2` how many.
    fn batch(self) -> String {
        let Place { table, key, time, and } = self.place();
        format!("SELECT {key} FROM {table} WHERE {time} < $1 {and} ORDER BY {time} LIMIT $2")
    }
}

/// Whether there are any from before this time.
///
/// # Errors
/// Those of storage.
pub fn any(conn: &mut Conn, stale: Stale, before: Timestamp) -> Result<bool> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Bool)]
        found: bool,
    }
    let sql = format!("SELECT EXISTS ({}) AS found", stale.batch());
    let asked = sql_query(sql).bind::<BigInt, _>(before.unix_ms()).bind::<BigInt, _>(1);
    Ok(asked.get_result::<Found>(conn)?.found)
}

/// Removes some of those from before this time, the oldest first, at most so many; how many went.
/// What another process is removing is left to it.
///
/// # Errors
/// Those of storage.
pub fn remove(tx: &mut Tx<'_>, stale: Stale, before: Timestamp, most: i64) -> Result<usize> {
    let Place { table, key, .. } = stale.place();
    let locked = if tx.is_sqlite() { "" } else { " FOR UPDATE SKIP LOCKED" };
    let sql = format!("DELETE FROM {table} WHERE {key} IN ({}{locked})", stale.batch());
    let delete = sql_query(sql).bind::<BigInt, _>(before.unix_ms()).bind::<BigInt, _>(most);
    Ok(delete.execute(&mut **tx)?)
}
