//! Emails to staff about entries that need a review: at most one to each member in two hours, and
//! each entry once.

use siskin_entities::{Review, Settings, Timestamp};
use siskin_ids::{AccountId, PreviewCardId, RoleId, StatusId, TagId};
use siskin_persistence::{
    Conn, Tx, roles,
    trends::{self as rows, Entry},
};
use siskin_policy::{
    roles::{Permission, Permissions},
    trends::{self as policy, REPORT_INTERVAL},
};

use super::publishers::Publishers;
use crate::{
    Result,
    emails::{self, Email},
};

/// Reports entries that were not reported to staff yet, unless the last report was a short time ago.
pub(super) fn report(tx: &mut Tx<'_>, settings: &Settings, last: Timestamp) -> Result<()> {
    if settings.trends_by_default || tx.now() < last.after(REPORT_INTERVAL) {
        return Ok(());
    }
    let (tags, links, statuses) = unreported(tx)?;
    if tags.is_empty() && links.is_empty() && statuses.is_empty() {
        return Ok(());
    }
    let reviewers = reviewers(tx)?;
    if reviewers.is_empty() {
        return Ok(());
    }
    rows::mark_requested(tx, &tags, &links, &statuses)?;
    rows::set_reported(tx)?;
    for account in reviewers {
        let (tags, links, statuses) = (tags.clone(), links.clone(), statuses.clone());
        emails::enqueue(tx, Email::TrendsToReview { account, tags, links, statuses })?;
    }
    Ok(())
}

/// Returns the entries that need a review and were not reported to staff.
fn unreported(conn: &mut Conn) -> Result<(Vec<TagId>, Vec<PreviewCardId>, Vec<StatusId>)> {
    fn is_new<I>(entry: &Entry<I>, publisher: Review) -> bool {
        !entry.requested && policy::requires_review(entry.review, publisher)
    }
    let tags = rows::tags(conn)?.into_iter();
    let tags = tags.filter(|entry| is_new(entry, Review::Unreviewed)).map(|entry| entry.id);
    let links = rows::links(conn)?;
    let publishers = Publishers::of(conn, &links)?;
    let is_new_link = |entry: &&Entry<_>| is_new(entry, publishers.review(entry.id));
    let links = links.iter().filter(is_new_link).map(|entry| entry.id);
    let statuses = rows::statuses(conn)?.into_iter().map(|status| status.entry);
    let statuses = statuses.filter(|entry| is_new(entry, Review::Unreviewed)).map(|entry| entry.id);
    Ok((tags.collect(), links.collect(), statuses.collect()))
}

/// Returns the users that may review trends and can sign in.
fn reviewers(conn: &mut Conn) -> Result<Vec<AccountId>> {
    let may_review = |bits: i64| Permissions::from_bits(bits).can(Permission::ManageTaxonomies);
    let all = roles::permissions(conn)?.into_iter();
    let those: Vec<RoleId> = all.filter(|(_, bits)| may_review(*bits)).map(|(id, _)| id).collect();
    let holders = roles::role_holders(conn, &those)?.into_iter();
    Ok(holders.filter(|holder| holder.can_sign_in).map(|holder| holder.account).collect())
}
