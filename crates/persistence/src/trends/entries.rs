//! The entries that trend, with their scores.

use std::collections::HashSet;

use diesel::prelude::*;
use siskin_entities::{Review, Timestamp, Visibility};
use siskin_ids::{AccountId, PreviewCardId, StatusId, TagId};
use siskin_policy::trends::Peak;

use super::{Entry, Scored, TrendingStatus};
use crate::{
    Conn, Result, Tx,
    conn::{OnEngine, each},
    equals_any::IdExpression as _,
    schema::{
        preview_cards, status_reviews, statuses as status_rows, tags as tag_rows, trending_links,
        trending_statuses, trending_tags,
    },
    statuses::lock_all_against_deletion,
};

type Row<I> = (I, f64, i16, Option<i64>);

fn entry<I>((id, score, review, requested_at): Row<I>) -> Entry<I> {
    let review = Review::from_number(review);
    Entry { id, score, review, requested: requested_at.is_some() }
}

/// Loads the trending hashtags, the highest score first.
///
/// # Errors
/// Storage errors.
pub fn tags(conn: &mut Conn) -> Result<Vec<Entry<TagId>>> {
    let rows: Vec<Row<TagId>> = trending_tags::table
        .inner_join(tag_rows::table)
        .filter(trending_tags::score.gt(0.0))
        .order((trending_tags::score.desc(), trending_tags::tag_id.desc()))
        .select((
            trending_tags::tag_id,
            trending_tags::score,
            tag_rows::review,
            tag_rows::review_requested_at,
        ))
        .load(conn)?;
    Ok(rows.into_iter().map(entry).collect())
}

/// Loads the trending links, the highest score first.
///
/// # Errors
/// Storage errors.
pub fn links(conn: &mut Conn) -> Result<Vec<Entry<PreviewCardId>>> {
    let rows: Vec<Row<PreviewCardId>> = trending_links::table
        .inner_join(preview_cards::table)
        .filter(trending_links::score.gt(0.0))
        .filter(preview_cards::shown)
        .filter(preview_cards::is_article)
        .order((trending_links::score.desc(), trending_links::card_id.desc()))
        .select((
            trending_links::card_id,
            trending_links::score,
            preview_cards::review,
            preview_cards::review_requested_at,
        ))
        .load(conn)?;
    Ok(rows.into_iter().map(entry).collect())
}

/// Loads the trending statuses, the highest score first.
///
/// # Errors
/// Storage errors.
pub fn statuses(conn: &mut Conn) -> Result<Vec<TrendingStatus>> {
    type Row = (StatusId, AccountId, f64, Option<i16>, Option<i64>);
    let rows: Vec<Row> = trending_statuses::table
        .inner_join(status_rows::table)
        .left_join(
            status_reviews::table.on(status_reviews::status_id.eq(trending_statuses::status_id)),
        )
        .filter(trending_statuses::score.gt(0.0))
        .filter(status_rows::visibility.eq(Visibility::Public.number()))
        .order((trending_statuses::score.desc(), trending_statuses::status_id.desc()))
        .select((
            trending_statuses::status_id,
            status_rows::account_id,
            trending_statuses::score,
            status_reviews::review.nullable(),
            status_reviews::requested_at.nullable(),
        ))
        .load(conn)?;
    let status = |(id, author, score, review, requested_at): Row| {
        let entry = entry((id, score, review.unwrap_or_default(), requested_at));
        TrendingStatus { entry, author }
    };
    Ok(rows.into_iter().map(status).collect())
}

fn peak<I>((id, score, at): (I, f64, i64)) -> (I, Peak) {
    (id, Peak { score, at: Timestamp::from_unix_ms(at) })
}

/// Loads the peaks of the trending hashtags.
///
/// # Errors
/// Storage errors.
pub fn tag_peaks(conn: &mut Conn) -> Result<Vec<(TagId, Peak)>> {
    let peaks = (trending_tags::tag_id, trending_tags::peak, trending_tags::peaked_at);
    let rows: Vec<(TagId, f64, i64)> = trending_tags::table.select(peaks).load(conn)?;
    Ok(rows.into_iter().map(peak).collect())
}

/// Loads the peaks of the trending links.
///
/// # Errors
/// Storage errors.
pub fn link_peaks(conn: &mut Conn) -> Result<Vec<(PreviewCardId, Peak)>> {
    let peaks = (trending_links::card_id, trending_links::peak, trending_links::peaked_at);
    let rows: Vec<(PreviewCardId, f64, i64)> = trending_links::table.select(peaks).load(conn)?;
    Ok(rows.into_iter().map(peak).collect())
}

// What trends is locked before the entries are replaced. A deletion locks in the same order: first
// the hashtag, link or status, then its entry.

/// Locks those of these hashtags that exist against deletion until the transaction ends.
fn lock_tags(tx: &mut Tx<'_>, ids: &[TagId]) -> Result<HashSet<TagId>> {
    let rows = tag_rows::table.filter(tag_rows::id.equals_any(ids)).order(tag_rows::id);
    let rows = rows.select(tag_rows::id);
    let known: Vec<TagId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => rows.for_key_share().load(pg)?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => rows.load(sqlite)?,
    };
    Ok(known.into_iter().collect())
}

/// As [`lock_tags`], for links.
fn lock_links(tx: &mut Tx<'_>, ids: &[PreviewCardId]) -> Result<HashSet<PreviewCardId>> {
    let rows = preview_cards::table.filter(preview_cards::id.equals_any(ids));
    let rows = rows.order(preview_cards::id).select(preview_cards::id);
    let known: Vec<PreviewCardId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => rows.for_key_share().load(pg)?,
        OnEngine::Sqlite(sqlite) => rows.load(sqlite)?,
    };
    Ok(known.into_iter().collect())
}

/// Replaces the trending hashtags. Leaves out those that are gone.
///
/// # Errors
/// Storage errors.
pub fn replace_tags(tx: &mut Tx<'_>, entries: &[Scored<TagId>]) -> Result<()> {
    let ids: Vec<TagId> = entries.iter().map(|entry| entry.id).collect();
    let known = lock_tags(tx, &ids)?;
    diesel::delete(trending_tags::table).execute(&mut **tx)?;
    let row = |entry: &Scored<TagId>| {
        (
            trending_tags::tag_id.eq(entry.id),
            trending_tags::score.eq(entry.score),
            trending_tags::peak.eq(entry.peak.score),
            trending_tags::peaked_at.eq(entry.peak.at.unix_ms()),
        )
    };
    let rows: Vec<_> = entries.iter().filter(|entry| known.contains(&entry.id)).map(row).collect();
    each!(&mut **tx, conn => diesel::insert_into(trending_tags::table)
        .values(rows)
        .execute(conn))?;
    Ok(())
}

/// Replaces the trending links. Leaves out those that are gone.
///
/// # Errors
/// Storage errors.
pub fn replace_links(tx: &mut Tx<'_>, entries: &[Scored<PreviewCardId>]) -> Result<()> {
    let ids: Vec<PreviewCardId> = entries.iter().map(|entry| entry.id).collect();
    let known = lock_links(tx, &ids)?;
    diesel::delete(trending_links::table).execute(&mut **tx)?;
    let row = |entry: &Scored<PreviewCardId>| {
        (
            trending_links::card_id.eq(entry.id),
            trending_links::score.eq(entry.score),
            trending_links::peak.eq(entry.peak.score),
            trending_links::peaked_at.eq(entry.peak.at.unix_ms()),
        )
    };
    let rows: Vec<_> = entries.iter().filter(|entry| known.contains(&entry.id)).map(row).collect();
    each!(&mut **tx, conn => diesel::insert_into(trending_links::table)
        .values(rows)
        .execute(conn))?;
    Ok(())
}

/// Replaces the trending statuses, each with its score. Leaves out those that are gone.
///
/// # Errors
/// Storage errors.
pub fn replace_statuses(tx: &mut Tx<'_>, entries: &[(StatusId, f64)]) -> Result<()> {
    let ids: Vec<StatusId> = entries.iter().map(|(id, _)| *id).collect();
    let known: HashSet<StatusId> = lock_all_against_deletion(tx, &ids)?.into_iter().collect();
    diesel::delete(trending_statuses::table).execute(&mut **tx)?;
    let row = |(id, score): &(StatusId, f64)| {
        (trending_statuses::status_id.eq(*id), trending_statuses::score.eq(*score))
    };
    let rows: Vec<_> = entries.iter().filter(|(id, _)| known.contains(id)).map(row).collect();
    each!(&mut **tx, conn => diesel::insert_into(trending_statuses::table)
        .values(rows)
        .execute(conn))?;
    Ok(())
}
