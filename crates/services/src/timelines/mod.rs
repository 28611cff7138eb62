//! Timelines: pages of statuses by other accounts.

mod access;
mod shown;

use siskin_entities::{Feeds, Page, PageRequest, Settings, Status, Timestamp, feed::Feed};
use siskin_ids::{AccountId, TagId};
use siskin_persistence::{Conn, feeds, tags, timelines::TagTimeline};
use siskin_policy::limits::TAG_TIMELINE_EXTRA_TAGS;
use siskin_text::Hashtag;

use crate::{
    Error, Result,
    feeds::{FeedPage, FeedRead},
    lists, pages, trends,
    viewing::Viewing,
};

use access::{access_of, open_part};
use shown::{FeedTimeline, HashtagTimeline, LinkTimeline, PublicTimeline};
pub use siskin_persistence::timelines::{Origin, TimelineFilter};

/// Request for a tag timeline, with hashtags in any spelling.
#[derive(Debug, Clone, Default)]
pub struct TagRequest {
    pub name: String,
    /// Also includes statuses with one of these.
    pub any: Vec<String>,
    /// Only statuses that also have each of these.
    pub all: Vec<String>,
    /// Excludes statuses with one of these.
    pub none: Vec<String>,
    pub filter: TimelineFilter,
}

/// Loads a page of the home timeline.
///
/// # Errors
/// Storage errors only.
pub fn home(
    conn: &mut Conn,
    viewer: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<FeedPage> {
    feed_page(conn, Feed::Home(viewer), now, page)
}

/// Loads a page of a home or list timeline.
fn feed_page(conn: &mut Conn, feed: Feed, now: Timestamp, page: PageRequest) -> Result<FeedPage> {
    let (state, viewer) = feeds::state_and_relations(conn, feed)?;
    let viewing = Viewing { conn, viewer, now };
    let page = pages::build(&mut FeedTimeline { viewing, feed, state }, page)?;
    Ok(FeedPage { page, feed: FeedRead { feed, state } })
}

/// Loads a page of the timeline of a list of `owner`.
///
/// # Errors
/// [`Error::NotFound`] if the list does not exist, or belongs to another account.
pub fn list(
    conn: &mut Conn,
    owner: AccountId,
    id: &str,
    now: Timestamp,
    page: PageRequest,
) -> Result<FeedPage> {
    let list = lists::find(conn, owner, id)?;
    feed_page(conn, Feed::List(owner, list.id), now, page)
}

/// Loads a page of the public timeline, as far as it is open to the viewer.
///
/// # Errors
/// [`Error::Unauthenticated`] if it is open to signed-in viewers only.
pub fn public(
    conn: &mut Conn,
    feeds: Feeds,
    viewer: Option<AccountId>,
    filter: TimelineFilter,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Status>> {
    let live = access_of(conn, feeds.live, viewer)?;
    let origin = open_part(live, filter.origin, viewer.is_some())?;
    let Some(origin) = origin else { return Ok(empty_page(page)) };
    let viewing = Viewing::of(conn, viewer, now)?;
    let filter = TimelineFilter { origin, ..filter };
    pages::build(&mut PublicTimeline { viewing, filter }, page)
}

/// Loads a page of public statuses with a hashtag, as far as it is open to the viewer. Ignores
/// further names that are invalid, and those beyond the limit.
///
/// # Errors
/// [`Error::Unauthenticated`] as for [`public`]; [`Error::NotFound`] if the main name is no valid
/// hashtag.
pub fn tag(
    conn: &mut Conn,
    feeds: Feeds,
    viewer: Option<AccountId>,
    request: &TagRequest,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Status>> {
    let main = Hashtag::parse(&request.name).ok_or(Error::NotFound)?.name;
    let access = access_of(conn, feeds.hashtag, viewer)?;
    let origin = open_part(access, request.filter.origin, viewer.is_some())?;
    let Some(origin) = origin else { return Ok(empty_page(page)) };
    let (any, all, none) = (names(&request.any), names(&request.all), names(&request.none));
    let every: Vec<&str> =
        [&any, &all, &none].into_iter().flatten().chain([&main]).map(String::as_str).collect();
    let known = tags::find_all(conn, &every)?;
    let id = |name: &String| known.iter().find(|(known, _)| known == name).map(|(_, id)| *id);
    let all: Option<Vec<TagId>> = all.iter().map(id).collect();
    let timeline = TagTimeline {
        any: any.iter().chain([&main]).filter_map(id).collect(),
        all: all.clone().unwrap_or_default(),
        none: none.iter().filter_map(id).collect(),
        filter: TimelineFilter { origin, ..request.filter },
    };
    if all.is_none() || timeline.any.is_empty() {
        return Ok(empty_page(page));
    }
    let viewing = Viewing::of(conn, viewer, now)?;
    pages::build(&mut HashtagTimeline { viewing, tags: &timeline }, page)
}

/// Loads a page of public statuses that link to the page with this address, as far as it is open to
/// the viewer. The access rules are those of the hashtag timelines.
///
/// # Errors
/// [`Error::Unauthenticated`] as for [`public`]; [`Error::NotFound`] if the page does not trend.
pub fn link(
    conn: &mut Conn,
    settings: &Settings,
    viewer: Option<AccountId>,
    address: &str,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Status>> {
    let access = access_of(conn, Feeds::of(settings).hashtag, viewer)?;
    // Decides before the database is asked, so that the response does not depend on what trends.
    let open = open_part(access, Origin::Anywhere, viewer.is_some())?;
    let cards = trends::trending_page(conn, settings, address, now)?;
    if cards.is_empty() {
        return Err(Error::NotFound);
    }
    let Some(origin) = open else { return Ok(empty_page(page)) };
    let viewing = Viewing::of(conn, viewer, now)?;
    let filter = TimelineFilter { origin, ..TimelineFilter::default() };
    pages::build(&mut LinkTimeline { viewing, cards: &cards, filter }, page)
}

fn empty_page(page: PageRequest) -> Page<Status> {
    Page::of(Vec::new(), page.limit, |_| 0)
}

fn names(typed: &[String]) -> Vec<String> {
    let names = typed.iter().filter_map(|name| Hashtag::parse(name));
    names.take(TAG_TIMELINE_EXTRA_TAGS).map(|tag| tag.name).collect()
}
