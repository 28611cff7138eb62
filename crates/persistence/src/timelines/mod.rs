//! Timelines: the ids of one page each. The page's own statement contains all rules, so that a page
//! is never short. [`crate::statuses::load`] loads the statuses of the ids.

pub mod audience;
mod candidates;
mod home;
mod list;
mod pages;
mod public;
pub(crate) mod rules;
mod tag;

pub use home::home;
pub use list::list;
pub(crate) use pages::unrepeated;
pub use public::{Origin, TimelineFilter, public};
pub use tag::{TagTimeline, tag};

use siskin_entities::{Page, PageRequest, Timestamp, feed::Feed};

use crate::{Conn, Result, feeds, lists, statuses::Entry};

/// A page of a home or list timeline, and the state of its feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPage {
    pub page: Page<Entry>,
    /// `None` if the feed was never requested before.
    pub feed: Option<feeds::State>,
}

/// Loads a page of the timeline of `feed`. Returns `None` if the list does not exist.
pub(crate) fn load_feed_page(
    conn: &mut Conn,
    feed: Feed,
    now: Timestamp,
    request: PageRequest,
) -> Result<Option<FeedPage>> {
    match feed {
        Feed::Home(viewer) => Ok(Some(home(conn, viewer, now, request)?)),
        Feed::List(owner, id) => match lists::find(conn, owner, id)? {
            Some(list) => Ok(Some(list::list(conn, owner, &list, now, request)?)),
            None => Ok(None),
        },
    }
}

/// Loads a page of the timeline by query, without the feed. Returns `None` if the list does not
/// exist.
pub(crate) fn query_page(
    conn: &mut Conn,
    feed: Feed,
    now: Timestamp,
    request: PageRequest,
) -> Result<Option<Page<Entry>>> {
    match feed {
        Feed::Home(viewer) => Ok(Some(home::query_page(conn, viewer, now, request)?)),
        Feed::List(owner, id) => match lists::find(conn, owner, id)? {
            Some(list) => Ok(Some(list::query_page(conn, owner, &list, now, request)?)),
            None => Ok(None),
        },
    }
}
