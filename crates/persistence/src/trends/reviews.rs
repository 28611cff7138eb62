//! Results of reviews, and the entries that were reported to staff.

use std::collections::HashMap;

use diesel::prelude::*;
use siskin_entities::Review;
use siskin_ids::{PreviewCardId, StatusId, TagId};

use crate::{
    Conn, Result, Tx,
    conn::each,
    equals_any::{IdExpression as _, TextExpression as _},
    schema::{link_publishers, preview_cards, status_reviews, tags},
};

/// Loads the results of the reviews of these hashtags.
///
/// # Errors
/// Storage errors.
pub fn tag_reviews(conn: &mut Conn, ids: &[TagId]) -> Result<HashMap<TagId, Review>> {
    let rows: Vec<(TagId, i16)> =
        tags::table.filter(tags::id.equals_any(ids)).select((tags::id, tags::review)).load(conn)?;
    Ok(rows.into_iter().map(|(id, review)| (id, Review::from_number(review))).collect())
}

/// Loads those of these publishers that were reviewed.
///
/// # Errors
/// Storage errors.
pub fn publishers<T: AsRef<str>>(
    conn: &mut Conn,
    domains: impl IntoIterator<Item = T>,
) -> Result<HashMap<String, Review>> {
    let rows: Vec<(String, i16)> = link_publishers::table
        .filter(link_publishers::domain.equals_any_text(domains))
        .select((link_publishers::domain, link_publishers::review))
        .load(conn)?;
    Ok(rows.into_iter().map(|(domain, review)| (domain, Review::from_number(review))).collect())
}

/// Loads all publishers that were reviewed, by domain, at most `limit`.
///
/// # Errors
/// Storage errors.
pub fn all_publishers(conn: &mut Conn, limit: i64) -> Result<Vec<(String, Review)>> {
    let rows: Vec<(String, i16)> = link_publishers::table
        .order(link_publishers::domain)
        .limit(limit)
        .select((link_publishers::domain, link_publishers::review))
        .load(conn)?;
    Ok(rows.into_iter().map(|(domain, review)| (domain, Review::from_number(review))).collect())
}

/// Stores the result of the review of a hashtag. Returns `true` if it was another one before.
///
/// # Errors
/// Storage errors.
pub fn set_tag_review(tx: &mut Tx<'_>, id: TagId, review: Review) -> Result<bool> {
    let number = review.number();
    let other = tags::table.filter(tags::id.eq(id)).filter(tags::review.ne(number));
    Ok(diesel::update(other).set(tags::review.eq(number)).execute(&mut **tx)? > 0)
}

/// Stores the result of the review of a link. Returns `true` if it was another one before.
///
/// # Errors
/// Storage errors.
pub fn set_link_review(tx: &mut Tx<'_>, id: PreviewCardId, review: Review) -> Result<bool> {
    let number = review.number();
    let other = preview_cards::table
        .filter(preview_cards::id.eq(id))
        .filter(preview_cards::review.ne(number));
    Ok(diesel::update(other).set(preview_cards::review.eq(number)).execute(&mut **tx)? > 0)
}

/// Stores the result of the review of a status. The caller
/// [locked](crate::statuses::lock_against_deletion) it against deletion. Returns `true` if it was
/// another one before.
///
/// # Errors
/// Storage errors.
pub fn set_status_review(tx: &mut Tx<'_>, id: StatusId, review: Review) -> Result<bool> {
    if change_status_review(tx, id, review)? {
        return Ok(true);
    }
    if review == Review::Unreviewed {
        return Ok(false);
    }
    let row = (status_reviews::status_id.eq(id), status_reviews::review.eq(review.number()));
    let inserted = each!(&mut **tx, conn => diesel::insert_into(status_reviews::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    // Another review may have come between the two statements.
    Ok(inserted > 0 || change_status_review(tx, id, review)?)
}

fn change_status_review(tx: &mut Tx<'_>, id: StatusId, review: Review) -> Result<bool> {
    let number = review.number();
    let other = status_reviews::table
        .filter(status_reviews::status_id.eq(id))
        .filter(status_reviews::review.ne(number));
    Ok(diesel::update(other).set(status_reviews::review.eq(number)).execute(&mut **tx)? > 0)
}

/// Stores the result of the review of a publisher by its domain. Returns `true` if it was another
/// one before.
///
/// # Errors
/// Storage errors.
pub fn set_publisher_review(tx: &mut Tx<'_>, domain: &str, review: Review) -> Result<bool> {
    if review == Review::Unreviewed {
        let deleted = diesel::delete(link_publishers::table.find(domain)).execute(&mut **tx)?;
        return Ok(deleted > 0);
    }
    if change_publisher_review(tx, domain, review)? {
        return Ok(true);
    }
    let row = (
        link_publishers::domain.eq(domain),
        link_publishers::review.eq(review.number()),
        link_publishers::updated_at.eq(tx.now().unix_ms()),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(link_publishers::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    // Another review may have come between the two statements.
    Ok(inserted > 0 || change_publisher_review(tx, domain, review)?)
}

fn change_publisher_review(tx: &mut Tx<'_>, domain: &str, review: Review) -> Result<bool> {
    let (number, now) = (review.number(), tx.now().unix_ms());
    let other = link_publishers::table
        .filter(link_publishers::domain.eq(domain))
        .filter(link_publishers::review.ne(number));
    let changes = (link_publishers::review.eq(number), link_publishers::updated_at.eq(now));
    Ok(diesel::update(other).set(changes).execute(&mut **tx)? > 0)
}

/// Records that these entries were reported to staff. The caller
/// [locked](crate::statuses::lock_against_deletion) the statuses against deletion;
/// [`replace_statuses`](super::replace_statuses) does so with all that trend.
///
/// # Errors
/// Storage errors.
pub fn mark_requested(
    tx: &mut Tx<'_>,
    tag_ids: &[TagId],
    links: &[PreviewCardId],
    statuses: &[StatusId],
) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(tags::table.filter(tags::id.equals_any(tag_ids)))
        .set(tags::review_requested_at.eq(now))
        .execute(&mut **tx)?;
    diesel::update(preview_cards::table.filter(preview_cards::id.equals_any(links)))
        .set(preview_cards::review_requested_at.eq(now))
        .execute(&mut **tx)?;
    for id in statuses {
        let row = (status_reviews::status_id.eq(*id), status_reviews::requested_at.eq(now));
        each!(&mut **tx, conn => diesel::insert_into(status_reviews::table)
            .values(row)
            .on_conflict(status_reviews::status_id)
            .do_update()
            .set(status_reviews::requested_at.eq(now))
            .execute(conn))?;
    }
    Ok(())
}
