//! Search for hashtags by the beginning of their names.

use std::{cmp::Reverse, collections::HashMap};

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, SmallInt, Text},
};
use siskin_entities::{Review, Tag, Timestamp};
use siskin_ids::{AccountId, TagId};

use super::load::{featured_ids, followed_ids, load, publicly_used, uses};
use crate::{Conn, Result, conn::each, prepared::prepared};

/// Maximum number of hashtags among which a search chooses. They are in byte order, so the hashtag
/// that equals the text comes first.
const CANDIDATES: i64 = 500;

/// Parameters of a search for hashtags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagSearch<'a> {
    /// Folded beginning of the names.
    pub name: &'a str,
    pub viewer: Option<AccountId>,
    /// If `true`, hashtags that no moderator approved are found by their full name only.
    pub exclude_unreviewed: bool,
    pub now: Timestamp,
    pub limit: i64,
    pub offset: i64,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Text)]
    name: String,
}

/// Finds hashtags with names that begin with a text: the one that equals it first, then by the
/// number of accounts that used them in the last days. Leaves out rejected ones.
///
/// A hashtag without public or unlisted statuses is found only by accounts that follow or feature
/// it. Otherwise the result would reveal its use in a private status.
///
/// # Errors
/// Storage errors.
pub fn search(conn: &mut Conn, search: &TagSearch<'_>) -> Result<Vec<Tag>> {
    let before = format!("{}{}", search.name, char::MAX);
    // The order of bytes, in which an index is a range of the names that begin alike.
    let name = if conn.is_sqlite() { "name" } else { "name COLLATE \"C\"" };
    let query = sql_query(format!(
        "SELECT id, name FROM tags
         WHERE {name} >= $1 AND {name} < $2 AND review <> $3
         AND ($4 = 0 OR review = $5 OR tags.name = $1)
         ORDER BY {name} LIMIT $6"
    ));
    let query = query
        .bind::<Text, _>(search.name)
        .bind::<Text, _>(before)
        .bind::<SmallInt, _>(Review::Rejected.number())
        .bind::<SmallInt, _>(i16::from(search.exclude_unreviewed))
        .bind::<SmallInt, _>(Review::Approved.number())
        .bind::<BigInt, _>(CANDIDATES);
    let rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    let mut found: Vec<(TagId, String)> =
        rows.into_iter().map(|row| (TagId::new(row.id), row.name)).collect();
    let ids: Vec<TagId> = found.iter().map(|(id, _)| *id).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut known = publicly_used(conn, &ids)?;
    if let Some(viewer) = search.viewer {
        known.extend(followed_ids(conn, &ids, viewer)?);
        known.extend(featured_ids(conn, &ids, viewer)?);
    }
    found.retain(|(id, _)| known.contains(id));
    let mut accounts: HashMap<TagId, i64> = HashMap::new();
    for ((id, _), (_, used_by)) in uses(conn, &ids, search.now)? {
        *accounts.entry(id).or_default() += used_by;
    }
    // The order of names, which is the order so far, decides between equals.
    found.sort_by_key(|(id, name)| {
        (name != search.name, Reverse(accounts.get(id).copied().unwrap_or_default()))
    });
    let page = found.into_iter().skip(number(search.offset)).take(number(search.limit));
    let page: Vec<TagId> = page.map(|(id, _)| id).collect();
    load(conn, &page, search.viewer, search.now)
}

fn number(count: i64) -> usize {
    usize::try_from(count).unwrap_or(0)
}
