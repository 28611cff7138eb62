//! Compares counters with the rows that they count. `statuses/counters.rs`, `polls/votes.rs`,
//! `tags/featured.rs` and `relationships/follows.rs` define what each counter counts. This module
//! repeats the definitions as queries over all rows.

use diesel::{prelude::*, sql_query, sql_types::BigInt};

use crate::{Conn, Result, Tx, accounts::listed};

/// Maximum number of counters repaired per transaction, because a transaction blocks all other
/// writes.
const AT_ONCE: usize = 100;

/// A counter column of accounts, statuses, polls or hashtags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// The table with the counter: in most cases a statistics table beside the owner's table.
    pub table: &'static str,
    pub column: &'static str,
    owner: &'static str,
    key: &'static str,
    /// SQL that computes the correct value for the account, status or poll `owner`.
    counted: &'static str,
    /// Whether a higher stored value is correct as well.
    may_exceed: bool,
}

/// A counter with a wrong value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongCounter {
    pub counter: &'static Counter,
    /// Id of the account, status, poll or option.
    pub id: i64,
    /// `None` if the row with the counter is missing.
    pub stored: Option<i64>,
    pub counted: i64,
}

const fn of_account(column: &'static str, counted: &'static str) -> Counter {
    let (table, owner, key) = ("account_stats", "accounts", "account_id");
    Counter { table, column, owner, key, counted, may_exceed: false }
}

const fn of_status(column: &'static str, counted: &'static str) -> Counter {
    let (table, owner, key) = ("status_stats", "statuses", "status_id");
    Counter { table, column, owner, key, counted, may_exceed: false }
}

/// Defines a counter that is a column of its owner: a poll, an option or a featured hashtag.
const fn of_itself(table: &'static str, column: &'static str, counted: &'static str) -> Counter {
    Counter { table, column, owner: table, key: "id", counted, may_exceed: false }
}

/// Selects the statuses that a featured hashtag counts.
macro_rules! featuring {
    () => {
        "statuses_tags JOIN statuses ON statuses.id = statuses_tags.status_id
         WHERE statuses_tags.tag_id = owner.tag_id AND statuses.account_id = owner.account_id
         AND statuses.visibility IN (0, 1)"
    };
}

static COUNTERS: [Counter; 13] = [
    of_account(
        "statuses_count",
        "SELECT COUNT(*) FROM statuses WHERE account_id = owner.id AND visibility < 3",
    ),
    // Deleting a status does not change this value.
    Counter {
        may_exceed: true,
        ..of_account(
            "last_status_at",
            "SELECT MAX(created_at) FROM statuses WHERE account_id = owner.id AND visibility < 3",
        )
    },
    of_account(
        "followers_count",
        "SELECT COUNT(*) FROM follows WHERE target_account_id = owner.id",
    ),
    of_account("following_count", "SELECT COUNT(*) FROM follows WHERE account_id = owner.id"),
    // Not a counter, but it is checked and repaired in the same way.
    of_account("listed", concat!("SELECT CAST(", listed!(), " AS BIGINT)")),
    of_status(
        "replies_count",
        "SELECT COUNT(*) FROM statuses AS replies
         WHERE replies.in_reply_to_id = owner.id AND replies.visibility IN (0, 1)",
    ),
    of_status(
        "reblogs_count",
        "SELECT COUNT(*) FROM statuses AS reblogs WHERE reblogs.reblog_of_id = owner.id",
    ),
    of_status("favourites_count", "SELECT COUNT(*) FROM favourites WHERE status_id = owner.id"),
    of_status(
        "quotes_count",
        "SELECT COUNT(*) FROM statuses AS quotes WHERE quotes.quote_of_id = owner.id
         AND quotes.quote_state = 1 AND quotes.visibility IN (0, 1)",
    ),
    of_itself(
        "polls",
        "voters_count",
        "SELECT COUNT(DISTINCT account_id) FROM poll_votes WHERE poll_id = owner.id",
    ),
    of_itself(
        "poll_options",
        "votes_count",
        "SELECT COUNT(*) FROM poll_votes
         WHERE poll_id = owner.poll_id AND option_title = owner.title",
    ),
    of_itself("featured_tags", "statuses_count", concat!("SELECT COUNT(*) FROM ", featuring!())),
    of_itself(
        "featured_tags",
        "last_status_at",
        concat!("SELECT MAX(statuses.created_at) FROM ", featuring!()),
    ),
];

/// Recomputes all counters and returns those with a wrong stored value.
///
/// # Errors
/// Storage errors.
pub fn wrong_counters(conn: &mut Conn) -> Result<Vec<WrongCounter>> {
    let mut wrong = Vec::new();
    for counter in &COUNTERS {
        wrong.extend(counter.wrong(conn)?);
    }
    Ok(wrong)
}

/// Splits the wrong counters into the batches that [`repair`] takes.
pub fn batches(wrong: &[WrongCounter]) -> impl Iterator<Item = &[WrongCounter]> {
    wrong.chunk_by(|a, b| a.counter == b.counter).flat_map(|same| same.chunks(AT_ONCE))
}

/// Recomputes the counters of one batch.
///
/// # Errors
/// Storage errors.
pub fn repair(tx: &mut Tx<'_>, batch: &[WrongCounter]) -> Result<()> {
    batch.first().map_or(Ok(()), |first| first.counter.set(tx, batch))
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = diesel::sql_types::Nullable<BigInt>)]
    stored: Option<i64>,
    #[diesel(sql_type = BigInt)]
    counted: i64,
}

impl Counter {
    fn wrong(&'static self, conn: &mut Conn) -> Result<Vec<WrongCounter>> {
        let Self { table, column, owner, key, counted, may_exceed } = self;
        let differs = if *may_exceed { "<" } else { "<>" };
        let sql = format!(
            "SELECT id, stored, counted FROM (
                 SELECT owner.id AS id, stats.{key} AS held,
                     CASE WHEN stats.{key} IS NULL THEN NULL
                         ELSE COALESCE(stats.{column}, 0) END AS stored,
                     COALESCE(({counted}), 0) AS counted
                 FROM {owner} AS owner LEFT JOIN {table} AS stats ON stats.{key} = owner.id
             ) AS compared
             WHERE held IS NULL OR stored {differs} counted ORDER BY id"
        );
        let found: Vec<Found> = sql_query(sql).load(conn)?;
        let wrong =
            |Found { id, stored, counted }| WrongCounter { counter: self, id, stored, counted };
        Ok(found.into_iter().map(wrong).collect())
    }

    /// Recomputes this counter for some owners.
    ///
    /// On PostgreSQL, a transaction that changes counted rows changes the counter as well. With the
    /// row of the counter locked, the next statement therefore sees exactly the rows that the
    /// counter includes.
    fn set(&self, tx: &mut Tx<'_>, wrong: &[WrongCounter]) -> Result<()> {
        let Self { table, column, owner, key, counted, .. } = self;
        let ids = wrong.iter().map(|wrong| wrong.id.to_string()).collect::<Vec<_>>().join(", ");
        sql_query(format!(
            "INSERT INTO {table} ({key}) SELECT id FROM {owner} AS owner WHERE id IN ({ids})
             AND NOT EXISTS (SELECT 1 FROM {table} WHERE {key} = owner.id)"
        ))
        .execute(&mut **tx)?;
        if !tx.is_sqlite() {
            let sql = format!("SELECT 1 FROM {table} WHERE {key} IN ({ids}) FOR UPDATE");
            sql_query(sql).execute(&mut **tx)?;
        }
        sql_query(format!(
            "UPDATE {table} SET {column} = counted FROM (
                 SELECT owner.id AS id, ({counted}) AS counted FROM {owner} AS owner
                 WHERE owner.id IN ({ids})
             ) AS owners WHERE {table}.{key} = owners.id"
        ))
        .execute(&mut **tx)?;
        Ok(())
    }
}
