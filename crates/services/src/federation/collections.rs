//! Collections of local accounts and of their statuses, as anonymous viewers see them.

use std::sync::Arc;

use siskin_entities::{Account, Cursor, Page, PageRequest, Status, StatusBody, Timestamp, Urls};
use siskin_federation::write::{self, Activity, Collection, Item, Note, Order};
use siskin_ids::StatusId;
use siskin_persistence::{
    Conn,
    relationships::{Direction, followed_accounts},
    statuses::{Entry, replies as reply_rows},
    tags,
};
use siskin_policy::{
    limits::MAX_PINNED_STATUSES, timelines::shows_in_thread, visibility::shows_in_list,
};

use super::{
    document::{Document, Found},
    names::{self, ActorNames},
    notes::{Lists, NamedIds, Texts},
    owners::{self, Sought},
    statuses::seek,
};
use crate::{
    Error, Result,
    accounts::listed::list_accounts,
    statuses::{ProfileRequest, of_account},
    viewing::Viewing,
};

/// Number of activities of a page.
const ACTIVITIES: i64 = 20;
/// Number of ids of a page.
const IDS: i64 = 40;

/// Part of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageOf {
    /// The collection itself, which names its first page.
    Collection,
    /// A page. Without a cursor, the first one.
    Page(Cursor),
}

/// Returns the outbox of the local account with this name: its public and unlisted statuses and
/// reblogs, the newest first.
///
/// # Errors
/// [`Error::NotFound`] if there is no such account, and for suspended accounts.
pub fn outbox(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    page: PageOf,
    now: Timestamp,
) -> Result<Found> {
    let account = match owners::shown(conn, urls, username)? {
        Sought::Here(account) => account,
        Sought::Remains(found) => return Ok(found),
    };
    let id = ActorNames::of_account(urls, &account.username).outbox;
    let cursor = match page {
        PageOf::Collection => {
            let oldest = Cursor { min: Some(0), ..Cursor::default() };
            let last = names::page_of(&id, oldest);
            let total = Some(number(account.statuses_count));
            return Ok(found(write::collection(&Collection {
                total_items: total,
                first: Some(&first_page(&id)),
                last: Some(&last),
                ..Collection::new(&id, Order::Ordered)
            })));
        }
        PageOf::Page(cursor) => cursor,
    };
    let request = PageRequest { cursor, limit: ACTIVITIES };
    let page = of_account(conn, None, account.id, &ProfileRequest::default(), now, request)?;
    let named = NamedIds::load(conn, urls, bodies(&page.items))?;
    let texts = texts(&page.items, &named, urls, now);
    let lists = lists(&texts);
    let notes: Vec<Note<'_>> = texts.iter().zip(&lists).map(|(it, lists)| it.note(lists)).collect();
    let activities: Vec<Activity<'_>> = texts
        .iter()
        .zip(&lists)
        .zip(&notes)
        .map(|((it, lists), note)| it.activity(lists, note))
        .collect();
    let items: Vec<Item<'_>> = activities.iter().map(Item::Activity).collect();
    Ok(Links::of(&id, cursor, &page).write(Order::Ordered, &items))
}

/// Returns the followers of the local account with this name, the latest first. One that hides its
/// network shows their number only.
///
/// # Errors
/// As [`outbox`]; also [`Error::NotFound`] for pages of an account that hides its network.
pub fn followers(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    page: PageOf,
    now: Timestamp,
) -> Result<Found> {
    follows(conn, urls, username, Direction::Followers, page, now)
}

/// Returns the accounts that the local account with this name follows, the latest follow first. One
/// that hides its network shows their number only.
///
/// # Errors
/// As [`followers`].
pub fn following(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    page: PageOf,
    now: Timestamp,
) -> Result<Found> {
    follows(conn, urls, username, Direction::Following, page, now)
}

fn follows(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    direction: Direction,
    page: PageOf,
    now: Timestamp,
) -> Result<Found> {
    let account = match owners::shown(conn, urls, username)? {
        Sought::Here(account) => account,
        Sought::Remains(found) => return Ok(found),
    };
    let names = ActorNames::of_account(urls, &account.username);
    let (id, total) = match direction {
        Direction::Followers => (names.followers, account.followers_count),
        Direction::Following => (names.following, account.following_count),
    };
    let cursor = match page {
        PageOf::Collection => {
            let first = (!account.hide_collections).then(|| first_page(&id));
            return Ok(found(write::collection(&Collection {
                total_items: Some(number(total)),
                first: first.as_deref(),
                ..Collection::new(&id, Order::Ordered)
            })));
        }
        PageOf::Page(_) if account.hide_collections => return Err(Error::NotFound),
        PageOf::Page(cursor) => cursor,
    };
    let request = PageRequest { cursor, limit: IDS };
    let viewing = Viewing::of(conn, None, now)?;
    let page = list_accounts(viewing, shows_in_list, request, |conn, request| {
        followed_accounts(conn, account.id, direction, request)
    })?;
    let id_of = |account: &Arc<Account>| names::actor_id(urls, account);
    let ids: Vec<String> = page.items.iter().map(id_of).collect();
    Ok(Links::of(&id, cursor, &page).write(Order::Ordered, &items(&ids)))
}

/// Returns the pinned statuses of the local account with this name, the last pinned first. It has
/// no pages.
///
/// # Errors
/// As [`outbox`].
pub fn featured(conn: &mut Conn, urls: &Urls, username: &str, now: Timestamp) -> Result<Found> {
    let account = match owners::shown(conn, urls, username)? {
        Sought::Here(account) => account,
        Sought::Remains(found) => return Ok(found),
    };
    let id = ActorNames::of_account(urls, &account.username).featured;
    let pinned = ProfileRequest { pinned: true, ..ProfileRequest::default() };
    let all = PageRequest::newest(i64::try_from(MAX_PINNED_STATUSES).unwrap_or(i64::MAX));
    let page = of_account(conn, None, account.id, &pinned, now, all)?;
    let named = NamedIds::load(conn, urls, bodies(&page.items))?;
    let texts = texts(&page.items, &named, urls, now);
    let lists = lists(&texts);
    let notes: Vec<Note<'_>> = texts.iter().zip(&lists).map(|(it, lists)| it.note(lists)).collect();
    let items: Vec<Item<'_>> = notes.iter().map(Item::Note).collect();
    Ok(whole(&id, Order::Ordered, &items))
}

/// Returns the featured hashtags of the local account with this name. It has no pages.
///
/// # Errors
/// As [`outbox`].
pub fn featured_tags(conn: &mut Conn, urls: &Urls, username: &str) -> Result<Found> {
    let account = match owners::shown(conn, urls, username)? {
        Sought::Here(account) => account,
        Sought::Remains(found) => return Ok(found),
    };
    let id = ActorNames::of_account(urls, &account.username).featured_tags;
    let featured = tags::featured(conn, account.id)?;
    let page = |name: &str| urls.tagged(&account.username, name);
    let pages: Vec<String> = featured.iter().map(|tag| page(&tag.name)).collect();
    let tags = featured.iter().zip(&pages);
    let items: Vec<Item<'_>> =
        tags.map(|(tag, href)| Item::Hashtag { href, name: &tag.name }).collect();
    Ok(whole(&id, Order::Unordered, &items))
}

/// Returns the public and unlisted replies to a status by the local account with this name, in the
/// order in which they came. The cursor of a page is the id of the reply before (`min`).
///
/// # Errors
/// [`Error::NotFound`] if there is no such status, if it is a reblog, or if it is hidden from
/// anonymous viewers.
pub fn replies(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    id: StatusId,
    page: PageOf,
    now: Timestamp,
) -> Result<Found> {
    let (body, collection) = match of_status(conn, urls, username, id, "replies")? {
        Sought::Here(found) => found,
        Sought::Remains(found) => return Ok(found),
    };
    let cursor = match page {
        PageOf::Collection => {
            return Ok(found(write::collection(&Collection {
                total_items: Some(number(body.counts.replies)),
                first: Some(&first_page(&collection)),
                ..Collection::new(&collection, Order::Unordered)
            })));
        }
        PageOf::Page(cursor) => cursor,
    };
    let after = StatusId::new(cursor.min.unwrap_or_default());
    let rows = reply_rows(conn, body.id, after, IDS)?;
    let open = rows.iter().filter(|reply| reply.visibility.is_open());
    let entries: Vec<Entry> = open.map(|it| Entry { id: it.id, reblog_of: None }).collect();
    let shown = Viewing::of(conn, None, now)?.load(&entries, shows_in_thread)?;
    let ids = entries.iter().filter_map(|entry| shown.get(&entry.id.get()));
    let ids: Vec<String> = ids.map(|reply| names::status_id(urls, &reply.body)).collect();
    // The next page continues behind all replies that were read, also behind hidden ones.
    let is_full = i64::try_from(rows.len()).is_ok_and(|count| count >= IDS);
    let last = rows.last().filter(|_| is_full).map(|reply| reply.id.get());
    let next = last.map(|last| Cursor { min: Some(last), ..Cursor::default() });
    let links = Links {
        id: names::page_of(&collection, cursor),
        next: next.map(|next| names::page_of(&collection, next)),
        prev: None,
        part_of: &collection,
    };
    Ok(links.write(Order::Unordered, &items(&ids)))
}

/// Returns the number of favourites of a status by the local account with this name. Who they are
/// by is not shown.
///
/// # Errors
/// As [`replies`].
pub fn likes(conn: &mut Conn, urls: &Urls, username: &str, id: StatusId) -> Result<Found> {
    total(conn, urls, username, id, "likes", |body| body.counts.favourites)
}

/// Returns the number of reblogs of a status by the local account with this name. Who they are by
/// is not shown.
///
/// # Errors
/// As [`replies`].
pub fn shares(conn: &mut Conn, urls: &Urls, username: &str, id: StatusId) -> Result<Found> {
    total(conn, urls, username, id, "shares", |body| body.counts.reblogs)
}

fn total(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    id: StatusId,
    name: &str,
    count: fn(&StatusBody) -> i64,
) -> Result<Found> {
    Ok(match of_status(conn, urls, username, id, name)? {
        Sought::Here((body, id)) => found(write::collection(&Collection {
            total_items: Some(number(count(&body))),
            ..Collection::new(&id, Order::Unordered)
        })),
        Sought::Remains(found) => found,
    })
}

/// Returns a status with the id of its collection with this name.
fn of_status(
    conn: &mut Conn,
    urls: &Urls,
    username: &str,
    id: StatusId,
    name: &str,
) -> Result<Sought<(StatusBody, String)>> {
    match seek(conn, urls, username, id)? {
        Sought::Here((status, _)) if status.reblog.is_some() => Err(Error::NotFound),
        Sought::Here((status, _)) => {
            let id = format!("{}/{name}", names::status_id(urls, &status.body));
            Ok(Sought::Here((status.body, id)))
        }
        Sought::Remains(found) => Ok(Sought::Remains(found)),
    }
}

/// Addresses around a page.
struct Links<'a> {
    id: String,
    part_of: &'a str,
    next: Option<String>,
    prev: Option<String>,
}

impl<'a> Links<'a> {
    /// Returns the addresses around a page that was read from `cursor`, of a list with the newest
    /// first.
    fn of<T>(collection: &'a str, cursor: Cursor, page: &Page<T>) -> Self {
        let to = |cursor| names::page_of(collection, cursor);
        let older = page.oldest.filter(|_| page.full);
        let newer = page.newest.filter(|_| cursor != Cursor::default());
        Self {
            id: to(cursor),
            part_of: collection,
            next: older.map(|max| to(Cursor { max: Some(max), ..Cursor::default() })),
            prev: newer.map(|min| to(Cursor { min: Some(min), ..Cursor::default() })),
        }
    }

    fn write(&self, order: Order, items: &[Item<'_>]) -> Found {
        found(write::page(&write::Page {
            id: &self.id,
            order,
            part_of: self.part_of,
            next: self.next.as_deref(),
            prev: self.prev.as_deref(),
            items,
        }))
    }
}

fn first_page(collection: &str) -> String {
    names::page_of(collection, Cursor::default())
}

/// Writes a collection with all its items.
fn whole(id: &str, order: Order, items: &[Item<'_>]) -> Found {
    found(write::collection(&Collection {
        total_items: Some(items.len() as u64),
        items: Some(items),
        ..Collection::new(id, order)
    }))
}

fn found(bytes: Vec<u8>) -> Found {
    Found::Document(Document::new(bytes))
}

fn items(ids: &[String]) -> Vec<Item<'_>> {
    ids.iter().map(|id| Item::Id(id)).collect()
}

fn bodies(statuses: &[Status]) -> impl Iterator<Item = &StatusBody> + Clone {
    statuses.iter().map(|status| &status.body)
}

/// Returns the texts of statuses. Only the document of a status itself shows replies.
fn texts<'a>(
    statuses: &'a [Status],
    named: &NamedIds,
    urls: &Urls,
    now: Timestamp,
) -> Vec<Texts<'a>> {
    statuses.iter().map(|status| Texts::of(status, named, urls, &[], now)).collect()
}

fn lists<'t>(texts: &'t [Texts<'_>]) -> Vec<Lists<'t>> {
    texts.iter().map(|texts| texts.lists(usize::MAX)).collect()
}

fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(cursor: Cursor, rows: Vec<i64>, limit: i64) -> [Option<String>; 3] {
        let page = Page::of(rows, limit, |row| *row);
        let Links { id, next, prev, .. } = Links::of("https://a.example/c", cursor, &page);
        [Some(id), next, prev].map(|link| link.map(|link| link.replace("https://a.example/c", "")))
    }

    #[test]
    fn pages_link_to_the_pages_around_them() {
        let texts = |links: [&str; 3]| links.map(|it| (!it.is_empty()).then(|| it.to_owned()));
        let first = links(Cursor::default(), vec![9, 8], 2);
        assert_eq!(first, texts(["?page=true", "?page=true&max_id=8", ""]));
        let second = links(Cursor { max: Some(8), ..Cursor::default() }, vec![7], 2);
        assert_eq!(second, texts(["?page=true&max_id=8", "", "?page=true&min_id=7"]));
        let empty = links(Cursor { max: Some(7), ..Cursor::default() }, Vec::new(), 2);
        assert_eq!(empty, texts(["?page=true&max_id=7", "", ""]));
    }
}
