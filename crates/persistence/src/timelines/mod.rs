//! Timelines: the ids of one page each. Every rule stands inside the page's own statement, so that
//! a page is never short. [`crate::statuses::load`] turns ids into what is shown.

pub mod audience;
mod candidates;
mod home;
mod list;
mod pages;
mod public;
pub(crate) mod shown;
mod tag;

pub use home::home;
pub use list::list;
pub(crate) use pages::staying;
pub use public::{Narrowing, Origin, public};
pub use tag::{TagTimeline, tag};

use siskin_entities::{Page, PageRequest, Timestamp, feed::Feed};

use crate::{Conn, Result, feeds, lists, statuses::Entry};

/// A page of a timeline that is somebody's own, and what is known of the feed that keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    pub page: Page<Entry>,
    /// None where nobody ever looked before.
    pub feed: Option<feeds::State>,
}

/// A page of the timeline of which `feed` keeps the newest part; None where there is no such list.
pub(crate) fn own(
    conn: &mut Conn,
    feed: Feed,
    now: Timestamp,
    request: PageRequest,
) -> Result<Option<Own>> {
    match feed {
        Feed::Home(reader) => Ok(Some(home(conn, reader, now, request)?)),
        Feed::List(owner, id) => match lists::find(conn, owner, id)? {
            Some(list) => Ok(Some(list::list(conn, owner, &list, now, request)?)),
            None => Ok(None),
        },
    }
}

/// A page found by a query, whatever is kept; None where there is no such list.
pub(crate) fn found(
    conn: &mut Conn,
    feed: Feed,
    now: Timestamp,
    request: PageRequest,
) -> Result<Option<Page<Entry>>> {
    match feed {
        Feed::Home(reader) => Ok(Some(home::found(conn, reader, now, request)?)),
        Feed::List(owner, id) => match lists::find(conn, owner, id)? {
            Some(list) => Ok(Some(list::found(conn, owner, &list, now, request)?)),
            None => Ok(None),
        },
    }
}
