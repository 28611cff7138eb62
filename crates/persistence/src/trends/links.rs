//! Pages that trend: their previews and their usage history.

use std::collections::HashMap;

use diesel::{
    dsl::{count, count_star, sql},
    prelude::*,
    sql_types::BigInt,
};
use siskin_entities::{PreviewCard, Review, Tag, TagDay, Timestamp, Visibility};
use siskin_ids::{PreviewCardId, first_id_at};

use crate::{
    Conn, Result,
    cards::CardRow,
    equals_any::IdExpression as _,
    schema::{preview_cards, status_cards, statuses, trending_links},
    statuses::{is_active, is_listed, viewer_id},
};

/// Milliseconds per day.
const DAY: i64 = 86_400_000;

/// Loads the previews of these pages with the results of their reviews, in the order of the ids.
/// Leaves out pages that were not fetched successfully.
///
/// # Errors
/// Storage errors.
pub fn cards(
    conn: &mut Conn,
    ids: &[PreviewCardId],
) -> Result<Vec<(PreviewCardId, PreviewCard, Review)>> {
    let rows: Vec<(PreviewCardId, i16, CardRow)> = preview_cards::table
        .filter(preview_cards::id.equals_any(ids))
        .filter(preview_cards::shown)
        .select((preview_cards::id, preview_cards::review, CardRow::as_select()))
        .load(conn)?;
    let mut known: HashMap<PreviewCardId, (i16, CardRow)> =
        rows.into_iter().map(|(id, review, row)| (id, (review, row))).collect();
    let card = |id: &PreviewCardId| {
        let (review, row) = known.remove(id)?;
        Some((*id, row.into(), Review::from_number(review)))
    };
    Ok(ids.iter().filter_map(card).collect())
}

/// Loads the canonical addresses of these pages, in no particular order.
///
/// # Errors
/// Storage errors.
pub fn addresses(conn: &mut Conn, ids: &[PreviewCardId]) -> Result<Vec<(PreviewCardId, String)>> {
    let of_ids = preview_cards::table.filter(preview_cards::id.equals_any(ids));
    Ok(of_ids.select((preview_cards::id, preview_cards::url)).load(conn)?)
}

/// Finds the pages with this address: the page to which statuses link by it, and trending pages
/// whose canonical address it is.
///
/// # Errors
/// Storage errors.
pub fn find_cards(conn: &mut Conn, address: &str) -> Result<Vec<PreviewCardId>> {
    let linked: Option<PreviewCardId> = preview_cards::table
        .filter(preview_cards::address.eq(address))
        .filter(preview_cards::shown)
        .select(preview_cards::id)
        .first(conn)
        .optional()?;
    // Compared here, because no index has the canonical addresses. At most a few hundred pages trend.
    let trending: Vec<(PreviewCardId, String)> = trending_links::table
        .inner_join(preview_cards::table)
        .filter(trending_links::score.gt(0.0))
        .filter(preview_cards::shown)
        .select((preview_cards::id, preview_cards::url))
        .load(conn)?;
    let same = trending.into_iter().filter(|(id, url)| url == address && linked != Some(*id));
    let others = same.map(|(id, _)| id);
    Ok(linked.into_iter().chain(others).collect())
}

/// Loads the daily usage of these pages at `now`, newest day first. Counts public statuses of active
/// accounts that are not silenced.
///
/// # Errors
/// Storage errors.
pub fn link_history(
    conn: &mut Conn,
    ids: &[PreviewCardId],
    now: Timestamp,
) -> Result<HashMap<PreviewCardId, Vec<TagDay>>> {
    let first = Tag::days(now).last().unwrap_or(now).unix_ms();
    let (card, day) = ("status_cards.card_id", "statuses.created_at / 86400000");
    let anonymous = viewer_id(None);
    let rows: Vec<(PreviewCardId, i64, i64, i64)> = status_cards::table
        .inner_join(statuses::table.on(statuses::id.eq(status_cards::status_id)))
        .filter(status_cards::card_id.equals_any(ids))
        // The id of a row is never of an earlier time than the row, and the index is on ids.
        .filter(status_cards::status_id.ge(first_id_at(first)))
        .filter(statuses::created_at.ge(first))
        .filter(statuses::visibility.eq(Visibility::Public.number()))
        .filter(is_active!(account: statuses::account_id))
        .filter(is_listed!(anonymous, account: statuses::account_id))
        .group_by(sql::<BigInt>(&format!("{card}, {day}")))
        .select((
            sql::<BigInt>(card),
            sql::<BigInt>(day),
            count_star(),
            count(statuses::account_id).aggregate_distinct(),
        ))
        .load(conn)?;
    let used: HashMap<(PreviewCardId, i64), (i64, i64)> = rows
        .into_iter()
        .map(|(id, day, uses, accounts)| ((id, day * DAY), (uses, accounts)))
        .collect();
    let history = |id: PreviewCardId| {
        let day = |day: Timestamp| {
            let (uses, accounts) = used.get(&(id, day.unix_ms())).copied().unwrap_or_default();
            TagDay { day, uses, accounts }
        };
        Tag::days(now).map(day).collect()
    };
    Ok(ids.iter().map(|id| (*id, history(*id))).collect())
}
