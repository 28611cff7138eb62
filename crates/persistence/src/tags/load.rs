//! Loads hashtags with their usage history.

use std::collections::{HashMap, HashSet};

use diesel::{
    dsl::{count, count_star, sql},
    prelude::*,
    sql_types::BigInt,
};
use siskin_entities::{Tag, TagDay, Timestamp, Visibility};
use siskin_ids::{AccountId, TagId, first_id_at};

use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    schema::{featured_tags, statuses, statuses_tags, tag_follows, tags},
    statuses::{is_active, is_listed, row_exists, viewer_id},
};

/// Milliseconds per day.
const DAY: i64 = 86_400_000;

/// Loads the hashtags with these ids for `viewer` at `now`, in the order of the ids. The history
/// counts public statuses of active accounts that are not silenced.
///
/// A hashtag without public or unlisted statuses gets no id, like one that was never used, unless
/// the viewer follows or features it. Otherwise the id would reveal its use in a private status.
pub fn load(
    conn: &mut Conn,
    ids: &[TagId],
    viewer: Option<AccountId>,
    now: Timestamp,
) -> Result<Vec<Tag>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut names: HashMap<TagId, String> = names(conn, ids)?.into_iter().collect();
    let used = uses(conn, ids, now)?;
    let following = viewer.map(|viewer| followed_ids(conn, ids, viewer)).transpose()?;
    let featuring = viewer.map(|viewer| featured_ids(conn, ids, viewer)).transpose()?;
    let public = publicly_used(conn, ids)?;
    let own = following.iter().chain(&featuring);
    let own: HashSet<TagId> = own.flatten().copied().collect();
    let history = |id: TagId| {
        let day = |day: Timestamp| {
            let (uses, accounts) = used.get(&(id, day)).copied().unwrap_or_default();
            TagDay { day, uses, accounts }
        };
        Tag::days(now).map(day).collect()
    };
    let tag = |id: &TagId| {
        Some(Tag {
            id: Some(*id).filter(|id| public.contains(id) || own.contains(id)),
            name: names.remove(id)?,
            history: history(*id),
            following: following.as_ref().map(|followed| followed.contains(id)),
            featuring: featuring.as_ref().map(|featured| featured.contains(id)),
        })
    };
    Ok(ids.iter().filter_map(tag).collect())
}

/// Loads the names of these hashtags, in no particular order.
pub fn names(conn: &mut Conn, ids: &[TagId]) -> Result<Vec<(TagId, String)>> {
    Ok(tags::table.filter(tags::id.equals_any(ids)).select((tags::id, tags::name)).load(conn)?)
}

/// Counts the statuses with each hashtag on each of the last days, and their distinct authors.
pub(super) fn uses(
    conn: &mut Conn,
    ids: &[TagId],
    now: Timestamp,
) -> Result<HashMap<(TagId, Timestamp), (i64, i64)>> {
    let first = Tag::days(now).last().unwrap_or(now).unix_ms();
    let (tag, day) = ("statuses_tags.tag_id", "statuses.created_at / 86400000");
    let anonymous = viewer_id(None);
    let rows: Vec<(TagId, i64, i64, i64)> = statuses_tags::table
        .inner_join(statuses::table.on(statuses::id.eq(statuses_tags::status_id)))
        .filter(statuses_tags::tag_id.equals_any(ids))
        // The id of a row is never of an earlier time than the row, and the index is on ids.
        .filter(statuses_tags::status_id.ge(first_id_at(first)))
        .filter(statuses::created_at.ge(first))
        .filter(statuses::visibility.eq(Visibility::Public.number()))
        .filter(is_active!(account: statuses::account_id))
        .filter(is_listed!(anonymous, account: statuses::account_id))
        .group_by(sql::<BigInt>(&format!("{tag}, {day}")))
        .select((
            sql::<BigInt>(tag),
            sql::<BigInt>(day),
            count_star(),
            count(statuses::account_id).aggregate_distinct(),
        ))
        .load(conn)?;
    let use_of = |(tag, day, uses, accounts): (TagId, i64, i64, i64)| {
        ((tag, Timestamp::from_unix_ms(day * DAY)), (uses, accounts))
    };
    Ok(rows.into_iter().map(use_of).collect())
}

/// Returns the hashtags that occur in a public or unlisted status.
pub(super) fn publicly_used(conn: &mut Conn, ids: &[TagId]) -> Result<HashSet<TagId>> {
    let statuses = statuses_tags::table
        .inner_join(statuses::table.on(statuses::id.eq(statuses_tags::status_id)))
        .filter(statuses_tags::tag_id.eq(tags::id))
        .filter(statuses::visibility.le(Visibility::Unlisted.number()))
        .filter(is_active!(account: statuses::account_id));
    let used: Vec<TagId> = tags::table
        .filter(tags::id.equals_any(ids))
        .filter(row_exists!(statuses))
        .select(tags::id)
        .load(conn)?;
    Ok(used.into_iter().collect())
}

pub(super) fn followed_ids(
    conn: &mut Conn,
    ids: &[TagId],
    viewer: AccountId,
) -> Result<HashSet<TagId>> {
    let followed: Vec<TagId> = tag_follows::table
        .filter(tag_follows::account_id.eq(viewer))
        .filter(tag_follows::tag_id.equals_any(ids))
        .select(tag_follows::tag_id)
        .load(conn)?;
    Ok(followed.into_iter().collect())
}

pub(super) fn featured_ids(
    conn: &mut Conn,
    ids: &[TagId],
    viewer: AccountId,
) -> Result<HashSet<TagId>> {
    let featured: Vec<TagId> = featured_tags::table
        .filter(featured_tags::account_id.eq(viewer))
        .filter(featured_tags::tag_id.equals_any(ids))
        .select(featured_tags::tag_id)
        .load(conn)?;
    Ok(featured.into_iter().collect())
}
