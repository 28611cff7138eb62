//! Trending hashtags, links and statuses: the public lists and those for staff. A job counts the
//! uses and stores the scores ([`count`]); staff review the entries ([`review`]).
//!
//! The lists are short, so they are read completely and cut here. What they show is decided by
//! `policy::trends`.

pub mod count;
mod notice;
mod publishers;
pub mod review;

use std::collections::{HashMap, HashSet};

use siskin_entities::{
    Review, ReviewedTag, Settings, Status, Tag, Timestamp, TrendingLink, ViewerRelations,
};
use siskin_ids::{AccountId, PreviewCardId, StatusId, TagId};
use siskin_persistence::{
    Conn,
    relationships::viewer_relations,
    statuses::{Entry as StatusEntry, load_candidates},
    tags as tag_rows, trends as rows,
};
use siskin_policy::trends::{self as policy, LINKS, TAGS};
use url::Url;

use crate::{OffsetPage, Result};

use publishers::Publishers;

/// Part of a list of trends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrendPage<T> {
    pub items: Vec<T>,
    /// `true` if the list continues after this part.
    pub has_more: bool,
}

impl<T> TrendPage<T> {
    fn empty() -> Self {
        Self { items: Vec::new(), has_more: false }
    }
}

/// Entries that a list may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listed {
    /// Entries that may trend, for all.
    Trendable {
        /// Whether entries may trend before their review.
        by_default: bool,
    },
    /// All entries with a score, for staff.
    All,
}

impl Listed {
    const fn includes(self, own: Review, publisher: Review) -> bool {
        match self {
            Self::Trendable { by_default } => policy::is_trendable(own, publisher, by_default),
            Self::All => true,
        }
    }
}

/// Cuts the requested part out of a list.
fn cut<T: Copy>(entries: &[T], page: OffsetPage) -> (Vec<T>, bool) {
    let offset = usize::try_from(page.offset).unwrap_or(usize::MAX);
    let limit = usize::try_from(page.limit).unwrap_or(0);
    let part: Vec<T> = entries.iter().skip(offset).take(limit).copied().collect();
    (part, limit > 0 && entries.len() > offset.saturating_add(limit))
}

fn trendable(settings: &Settings) -> Option<Listed> {
    let listed = Listed::Trendable { by_default: settings.trends_by_default };
    settings.trends_enabled.then_some(listed)
}

/// Loads a part of the trending hashtags as the viewer sees them, the highest score first.
///
/// # Errors
/// Storage errors only.
pub fn tags(
    conn: &mut Conn,
    settings: &Settings,
    viewer: Option<AccountId>,
    page: OffsetPage,
    now: Timestamp,
) -> Result<TrendPage<Tag>> {
    let Some(listed) = trendable(settings) else { return Ok(TrendPage::empty()) };
    let found = tags_of(conn, listed, settings, viewer, page, now)?;
    let tags = found.items.into_iter().map(|reviewed| reviewed.tag);
    Ok(TrendPage { items: tags.collect(), has_more: found.has_more })
}

/// Loads a part of all hashtags with a score, for a member of staff.
///
/// # Errors
/// Storage errors only.
pub fn all_tags(
    conn: &mut Conn,
    settings: &Settings,
    staff: AccountId,
    page: OffsetPage,
    now: Timestamp,
) -> Result<TrendPage<ReviewedTag>> {
    tags_of(conn, Listed::All, settings, Some(staff), page, now)
}

fn tags_of(
    conn: &mut Conn,
    listed: Listed,
    settings: &Settings,
    viewer: Option<AccountId>,
    page: OffsetPage,
    now: Timestamp,
) -> Result<TrendPage<ReviewedTag>> {
    let mut entries = rows::tags(conn)?;
    entries.retain(|entry| listed.includes(entry.review, Review::Unreviewed));
    let (part, has_more) = cut(&entries, page);
    let ids: Vec<TagId> = part.iter().map(|entry| entry.id).collect();
    let mut items = reviewed_tags(conn, settings, &ids, viewer, now)?;
    items.retain(|reviewed| policy::is_used(&reviewed.tag.history, &TAGS));
    Ok(TrendPage { items, has_more })
}

/// Loads these hashtags with their reviews, for `viewer`.
fn reviewed_tags(
    conn: &mut Conn,
    settings: &Settings,
    ids: &[TagId],
    viewer: Option<AccountId>,
    now: Timestamp,
) -> Result<Vec<ReviewedTag>> {
    let reviews = rows::tag_reviews(conn, ids)?;
    let tags = tag_rows::load(conn, ids, viewer, now)?;
    let reviewed = |tag: Tag| {
        let review = tag.id.and_then(|id| reviews.get(&id)).copied().unwrap_or_default();
        let by_default = settings.trends_by_default;
        let trendable = policy::is_trendable(review, Review::Unreviewed, by_default);
        ReviewedTag { tag, review, trendable }
    };
    // A hashtag without an id was not used publicly.
    Ok(tags.into_iter().filter(|tag| tag.id.is_some()).map(reviewed).collect())
}

/// Loads a part of the trending links, the highest score first.
///
/// # Errors
/// Storage errors only.
pub fn links(
    conn: &mut Conn,
    settings: &Settings,
    page: OffsetPage,
    now: Timestamp,
) -> Result<TrendPage<TrendingLink>> {
    match trendable(settings) {
        Some(listed) => links_of(conn, listed, settings, page, now),
        None => Ok(TrendPage::empty()),
    }
}

/// Loads a part of all links with a score, for staff.
///
/// # Errors
/// Storage errors only.
pub fn all_links(
    conn: &mut Conn,
    settings: &Settings,
    page: OffsetPage,
    now: Timestamp,
) -> Result<TrendPage<TrendingLink>> {
    links_of(conn, Listed::All, settings, page, now)
}

fn links_of(
    conn: &mut Conn,
    listed: Listed,
    settings: &Settings,
    page: OffsetPage,
    now: Timestamp,
) -> Result<TrendPage<TrendingLink>> {
    let mut entries = rows::links(conn)?;
    let publishers = Publishers::of(conn, &entries)?;
    entries.retain(|entry| listed.includes(entry.review, publishers.review(entry.id)));
    let (part, has_more) = cut(&entries, page);
    let ids: Vec<PreviewCardId> = part.iter().map(|entry| entry.id).collect();
    let mut items = reviewed_links(conn, settings, &ids, &publishers, now)?;
    items.retain(|link| policy::is_used(&link.history, &LINKS));
    Ok(TrendPage { items, has_more })
}

/// Loads these links with their reviews.
fn reviewed_links(
    conn: &mut Conn,
    settings: &Settings,
    ids: &[PreviewCardId],
    publishers: &Publishers,
    now: Timestamp,
) -> Result<Vec<TrendingLink>> {
    let mut histories = rows::link_history(conn, ids, now)?;
    let cards = rows::cards(conn, ids)?;
    let link = |(id, card, review)| {
        let publisher = publishers.review(id);
        TrendingLink {
            id,
            card,
            history: histories.remove(&id).unwrap_or_default(),
            review,
            requires_review: policy::requires_review(review, publisher),
            trendable: policy::is_trendable(review, publisher, settings.trends_by_default),
        }
    };
    Ok(cards.into_iter().map(link).collect())
}

/// Returns the previews of the page with this address, if it trends at present.
///
/// # Errors
/// Storage errors only.
pub(crate) fn trending_page(
    conn: &mut Conn,
    settings: &Settings,
    address: &str,
    now: Timestamp,
) -> Result<Vec<PreviewCardId>> {
    let (Some(listed), Some(address)) = (trendable(settings), normalised(address)) else {
        return Ok(Vec::new());
    };
    let found = rows::find_cards(conn, &address)?;
    let mut entries = rows::links(conn)?;
    entries.retain(|entry| found.contains(&entry.id));
    let publishers = Publishers::of(conn, &entries)?;
    entries.retain(|entry| listed.includes(entry.review, publishers.review(entry.id)));
    let ids: Vec<PreviewCardId> = entries.iter().map(|entry| entry.id).collect();
    let histories = rows::link_history(conn, &ids, now)?;
    let is_used = |id: &PreviewCardId| {
        histories.get(id).is_some_and(|history| policy::is_used(history, &LINKS))
    };
    Ok(ids.into_iter().filter(is_used).collect())
}

/// Returns an address as it is stored: without a fragment. Returns `None` if it is no web address.
fn normalised(address: &str) -> Option<String> {
    let mut url = Url::parse(address.trim()).ok()?;
    url.set_fragment(None);
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

/// Loads a part of the trending statuses that are open to the viewer, the highest score first. The
/// list has one status of each author. Hidden ones are left out of their part, so it may be shorter
/// than requested.
///
/// # Errors
/// Storage errors only.
pub fn statuses(
    conn: &mut Conn,
    settings: &Settings,
    viewer: Option<AccountId>,
    page: OffsetPage,
    now: Timestamp,
) -> Result<TrendPage<Status>> {
    let Some(listed) = trendable(settings) else { return Ok(TrendPage::empty()) };
    let mut entries = rows::statuses(conn)?;
    entries.retain(|status| listed.includes(status.entry.review, Review::Unreviewed));
    let mut authors = HashSet::new();
    entries.retain(|status| authors.insert(status.author));
    let (part, has_more) = cut(&entries, page);
    let ids: Vec<StatusId> = part.iter().map(|status| status.entry.id).collect();
    let relations = viewer_relations(conn, viewer)?;
    let items = shown(conn, &ids, viewer, &relations, now)?;
    Ok(TrendPage { items, has_more })
}

/// Loads a part of all statuses with a score, for a member of staff. Blocks and mutes of that member
/// hide nothing here.
///
/// # Errors
/// Storage errors only.
pub fn all_statuses(
    conn: &mut Conn,
    staff: AccountId,
    page: OffsetPage,
    now: Timestamp,
) -> Result<TrendPage<Status>> {
    let entries = rows::statuses(conn)?;
    let (part, has_more) = cut(&entries, page);
    let ids: Vec<StatusId> = part.iter().map(|status| status.entry.id).collect();
    let items = shown(conn, &ids, Some(staff), &ViewerRelations::default(), now)?;
    Ok(TrendPage { items, has_more })
}

/// Loads those of these statuses for `viewer` that a viewer with these relations sees among trends,
/// in the order of the ids.
fn shown(
    conn: &mut Conn,
    ids: &[StatusId],
    viewer: Option<AccountId>,
    relations: &ViewerRelations,
    now: Timestamp,
) -> Result<Vec<Status>> {
    let entries: Vec<StatusEntry> =
        ids.iter().map(|id| StatusEntry { id: *id, reblog_of: None }).collect();
    let loaded = load_candidates(conn, &entries, viewer)?;
    let shown = loaded
        .into_iter()
        .filter(|loaded| policy::shows(relations, &loaded.status, loaded.parent, now));
    let mut by_id: HashMap<StatusId, Status> =
        shown.map(|loaded| (loaded.status.body.id, loaded.status)).collect();
    Ok(ids.iter().filter_map(|id| by_id.remove(id)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_list_says_whether_more_follow() {
        let all: Vec<i32> = (0..15).collect();
        for (limit, offset, length, has_more) in [
            (10, 0, 10, true),
            (10, 5, 10, false),
            (10, 10, 5, false),
            (15, 0, 15, false),
            (10, 100, 0, false),
            (0, 0, 0, false),
        ] {
            let (part, more) = cut(&all, OffsetPage { limit, offset });
            assert_eq!((part.len(), more), (length, has_more), "{limit} {offset}");
        }
    }

    #[test]
    fn an_address_is_compared_without_its_fragment() {
        let page = Some("https://news.example/a".to_owned());
        assert_eq!(normalised("https://NEWS.example/a#part"), page);
        assert_eq!(normalised("ftp://news.example/a"), None);
        assert_eq!(normalised("news"), None);
    }
}
