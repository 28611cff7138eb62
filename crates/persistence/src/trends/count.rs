//! Counts the accounts that use hashtags and links, and those that react to statuses. Each count is
//! one statement over the newest public statuses, of which a limited number is read.

use std::collections::HashMap;

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::{Timestamp, Visibility};
use siskin_ids::{PreviewCardId, StatusId, TagId, first_id_at};
use siskin_policy::trends::Uses;

use crate::{
    Conn, Result,
    equals_any::{around_list, list_of},
};

/// Time windows and limits of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// Begin of the recent window, and end of the one before.
    pub recent: Timestamp,
    /// Begin of the window before.
    pub start: Timestamp,
    /// Maximum number of statuses that are read, the newest ones.
    pub statuses: i64,
    /// Minimum number of accounts of an entry.
    pub threshold: i64,
    /// Maximum number of entries, those with the most accounts.
    pub entries: i64,
}

/// Uses by the id of the entry.
pub type CountedUses<I> = Vec<(I, Uses)>;

/// The newest public statuses that are no reblogs, from the id `$1`, at most `$2`, with their
/// authors, of which only those remain that are active and not silenced.
const NEWEST: &str = "\
    FROM (SELECT id, account_id FROM statuses \
          WHERE visibility = 0 AND reblog_of_id IS NULL AND id >= $1 \
          ORDER BY id DESC LIMIT $2) AS newest \
    JOIN accounts ON accounts.id = newest.account_id \
        AND accounts.suspended_at IS NULL AND accounts.silenced_at IS NULL AND accounts.reachable";

#[derive(QueryableByName)]
struct UsesRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    recent: i64,
    #[diesel(sql_type = BigInt)]
    earlier: i64,
    #[diesel(sql_type = BigInt)]
    total: i64,
}

/// Counts the accounts that used each hashtag in public statuses.
///
/// # Errors
/// Storage errors.
pub fn tag_uses(conn: &mut Conn, windows: &Windows) -> Result<CountedUses<TagId>> {
    let tags = "JOIN statuses_tags AS used ON used.status_id = newest.id";
    let rows = uses(conn, windows, "used.tag_id", tags)?;
    Ok(rows.into_iter().map(|(id, uses)| (TagId::new(id), uses)).collect())
}

/// Counts the accounts that linked to each article in public statuses.
///
/// # Errors
/// Storage errors.
pub fn link_uses(conn: &mut Conn, windows: &Windows) -> Result<CountedUses<PreviewCardId>> {
    let links = "JOIN status_cards AS used ON used.status_id = newest.id \
         JOIN preview_cards ON preview_cards.id = used.card_id \
             AND preview_cards.shown AND preview_cards.is_article";
    let rows = uses(conn, windows, "used.card_id", links)?;
    Ok(rows.into_iter().map(|(id, uses)| (PreviewCardId::new(id), uses)).collect())
}

/// Counts accounts by the column `of` of the tables that `joined` adds.
fn uses(conn: &mut Conn, windows: &Windows, of: &str, joined: &str) -> Result<Vec<(i64, Uses)>> {
    let recent = "COUNT(DISTINCT CASE WHEN newest.id >= $3 THEN newest.account_id END)";
    let earlier = "COUNT(DISTINCT CASE WHEN newest.id < $4 THEN newest.account_id END)";
    // The parameters must first appear in the order of their numbers, so the counts come last.
    let sql = format!(
        "WITH used_by AS (SELECT {of} AS used_id, newest.id, newest.account_id {NEWEST} {joined}) \
         SELECT newest.used_id AS id, {recent} AS recent, {earlier} AS earlier, \
                COUNT(DISTINCT newest.account_id) AS total \
         FROM used_by AS newest GROUP BY newest.used_id \
         HAVING COUNT(DISTINCT newest.account_id) >= $5 \
         ORDER BY total DESC, id DESC LIMIT $6"
    );
    let recent_id = first_id_at(windows.recent.unix_ms());
    let rows: Vec<UsesRow> = sql_query(sql)
        .bind::<BigInt, _>(first_id_at(windows.start.unix_ms()))
        .bind::<BigInt, _>(windows.statuses)
        .bind::<BigInt, _>(recent_id)
        .bind::<BigInt, _>(recent_id)
        .bind::<BigInt, _>(windows.threshold)
        .bind::<BigInt, _>(windows.entries)
        .load(conn)?;
    let uses = |row: &UsesRow| Uses { recent: row.recent, earlier: row.earlier, total: row.total };
    Ok(rows.iter().map(|row| (row.id, uses(row))).collect())
}

/// A status with its number of reactions, which counts an account twice that favourites and
/// reblogs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedStatus {
    pub id: StatusId,
    pub created_at: Timestamp,
    pub reactions: i64,
}

/// Loads public statuses with at least [`Windows::threshold`] favourites and reblogs, those with the
/// most first. Leaves out replies, sensitive statuses, and authors that do not want to be found.
///
/// # Errors
/// Storage errors.
pub fn status_reactions(conn: &mut Conn, windows: &Windows) -> Result<Vec<CountedStatus>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        id: StatusId,
        #[diesel(sql_type = BigInt)]
        created_at: i64,
        #[diesel(sql_type = BigInt)]
        reactions: i64,
    }
    // Without COALESCE, SQLite would read all statuses without a parent by the index of replies.
    let count = "status_stats.favourites_count + status_stats.reblogs_count";
    let sql = format!(
        "SELECT newest.id, statuses.created_at, {count} AS reactions {NEWEST} \
             AND accounts.discoverable AND accounts.sensitized_at IS NULL \
         JOIN statuses ON statuses.id = newest.id \
             AND COALESCE(statuses.in_reply_to_id, 0) = 0 AND NOT statuses.sensitive \
             AND statuses.spoiler_text = '' \
         JOIN status_stats ON status_stats.status_id = newest.id \
         WHERE {count} >= $3 ORDER BY reactions DESC, newest.id DESC LIMIT $4"
    );
    let rows: Vec<Row> = sql_query(sql)
        .bind::<BigInt, _>(first_id_at(windows.start.unix_ms()))
        .bind::<BigInt, _>(windows.statuses)
        .bind::<BigInt, _>(windows.threshold)
        .bind::<BigInt, _>(windows.entries)
        .load(conn)?;
    let counted = |row: Row| CountedStatus {
        id: row.id,
        created_at: Timestamp::from_unix_ms(row.created_at),
        reactions: row.reactions,
    };
    Ok(rows.into_iter().map(counted).collect())
}

/// Counts the accounts that favourite or publicly reblog each of these statuses, each account once.
/// Accounts that are silenced or not active do not count, and neither does the author. Reads all
/// reactions, so the caller passes no statuses with very many.
///
/// # Errors
/// Storage errors.
pub fn reacting_accounts(conn: &mut Conn, statuses: &[StatusId]) -> Result<HashMap<StatusId, i64>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        id: StatusId,
        #[diesel(sql_type = BigInt)]
        accounts: i64,
    }
    let (before, after) = around_list(conn);
    let unlisted = Visibility::Unlisted.number();
    let sql = format!(
        "SELECT reactions.status_id AS id, COUNT(DISTINCT reactions.account_id) AS accounts \
         FROM (SELECT status_id, account_id FROM favourites WHERE status_id{before}$1{after} \
               UNION ALL \
               SELECT reblog_of_id, account_id FROM statuses \
               WHERE reblog_of_id{before}$2{after} AND visibility <= {unlisted}) AS reactions \
         JOIN accounts ON accounts.id = reactions.account_id \
             AND accounts.suspended_at IS NULL AND accounts.silenced_at IS NULL \
             AND accounts.reachable \
         JOIN statuses ON statuses.id = reactions.status_id \
             AND statuses.account_id <> reactions.account_id \
         GROUP BY reactions.status_id"
    );
    let list = list_of(statuses.iter().map(|id| id.get()));
    let rows: Vec<Row> = sql_query(sql).bind::<Text, _>(&list).bind::<Text, _>(&list).load(conn)?;
    Ok(rows.into_iter().map(|row| (row.id, row.accounts)).collect())
}
