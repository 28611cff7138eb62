//! Search for hashtags by the beginning of their names.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, SmallInt, Text},
};
use siskin_entities::{Review, Tag, Timestamp};
use siskin_ids::{AccountId, TagId};
use siskin_policy::tags::{TagFacts, shows_in_search};

use super::load::{featured_ids, followed_ids, load, publicly_used, uses};
use crate::{Conn, Result, conn::each, prepared::prepared};

/// Maximum number of hashtags among which a search chooses, in addition to those that trend. They
/// are in byte order, so the hashtag that equals the text comes first.
const CANDIDATES: i64 = 100;

/// Parameters of a search for hashtags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagSearch<'a> {
    /// Folded beginning of the names.
    pub name: &'a str,
    pub viewer: Option<AccountId>,
    /// If `true`, unreviewed hashtags are found by their full name only.
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
    #[diesel(sql_type = SmallInt)]
    review: i16,
}

/// Finds hashtags with names that begin with a text: the one that equals it first, then by the
/// number of accounts that used them in the last days. [`shows_in_search`] decides which of them
/// the viewer finds.
///
/// # Errors
/// Storage errors.
pub fn search(conn: &mut Conn, search: &TagSearch<'_>) -> Result<Vec<Tag>> {
    let before = format!("{}{}", search.name, char::MAX);
    // The order of bytes, in which an index is a range of the names that begin alike.
    let name = if conn.is_sqlite() { "name" } else { "name COLLATE \"C\"" };
    // Other hashtags would use up the limit.
    let is_candidate = format!(
        "{name} >= $1 AND {name} < $2 AND review <> $3
         AND ($4 = 0 OR review = $5 OR tags.name = $1)"
    );
    let query = sql_query(format!(
        "SELECT id, name, review FROM (
            SELECT id, name, review FROM tags WHERE {is_candidate} ORDER BY {name} LIMIT $6
         ) AS limited
         UNION
         SELECT id, name, review FROM trending_tags CROSS JOIN tags
         WHERE tags.id = trending_tags.tag_id AND {is_candidate}"
    ));
    let query = query
        .bind::<Text, _>(search.name)
        .bind::<Text, _>(before)
        .bind::<SmallInt, _>(Review::Rejected.number())
        .bind::<SmallInt, _>(i16::from(search.exclude_unreviewed))
        .bind::<SmallInt, _>(Review::Approved.number())
        .bind::<BigInt, _>(CANDIDATES);
    let rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    let mut found = shown(conn, search, rows)?;
    let ids: Vec<TagId> = found.iter().map(|(id, _)| *id).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut accounts: HashMap<TagId, i64> = HashMap::new();
    for ((id, _), (_, used_by)) in uses(conn, &ids, search.now)? {
        *accounts.entry(id).or_default() += used_by;
    }
    found.sort_by(|(a, a_name), (b, b_name)| {
        let rank = |id: &TagId, name: &String| {
            (name != search.name, Reverse(accounts.get(id).copied().unwrap_or_default()))
        };
        rank(a, a_name).cmp(&rank(b, b_name)).then_with(|| a_name.cmp(b_name))
    });
    let page = found.into_iter().skip(number(search.offset)).take(number(search.limit));
    let page: Vec<TagId> = page.map(|(id, _)| id).collect();
    load(conn, &page, search.viewer, search.now)
}

/// Returns the ids and names of the hashtags that the viewer finds.
fn shown(conn: &mut Conn, search: &TagSearch<'_>, rows: Vec<Row>) -> Result<Vec<(TagId, String)>> {
    let ids: Vec<TagId> = rows.iter().map(|row| TagId::new(row.id)).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let (public, mut own) = (publicly_used(conn, &ids)?, HashSet::new());
    if let Some(viewer) = search.viewer {
        own.extend(followed_ids(conn, &ids, viewer)?);
        own.extend(featured_ids(conn, &ids, viewer)?);
    }
    let mut found = Vec::new();
    for Row { id, name, review } in rows {
        let id = TagId::new(id);
        let facts = TagFacts {
            review: Review::from_number(review),
            is_named: name == search.name,
            is_public: public.contains(&id),
            is_own: own.contains(&id),
        };
        if shows_in_search(&facts, search.exclude_unreviewed) {
            found.push((id, name));
        }
    }
    Ok(found)
}

fn number(count: i64) -> usize {
    usize::try_from(count).unwrap_or(0)
}
