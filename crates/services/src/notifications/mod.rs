//! Notifications: other use cases create them; their recipients read and dismiss them.

mod create;
mod groups;
mod many;
mod policy;
mod records;
mod requests;
mod shown;
mod summary;
pub(crate) mod texts;
mod unread;

use siskin_entities::{Cursor, Notification, NotificationKind, Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, NotificationId};
use siskin_persistence::{
    Conn, Tx,
    notifications::{self as rows, NotificationFilter},
    relationships::viewer_relations,
};

use crate::{Error, Result, pages};

pub use create::create;
pub use groups::{GroupedKinds, accounts_of_group, dismiss_some_of_group, find_group, groups};
pub use many::{ShownNotification, as_seen, shown_to_many, visible_to_many};
pub use policy::{parse_action, pending, policy, set_policy};
pub use requests::{Decision, check_request, decide_some, find_request, requests};
use shown::{Inbox, shown};
pub(crate) use summary::summary;
pub use summary::{Summary, SummaryGroup};
pub use unread::{unread, unread_groups};

/// Number of notifications that one write deletes, so that other writers do not wait longer.
const CLEAR_BATCH: usize = 2000;

/// Filter parameters for notifications, as sent by the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Names of kinds; empty means every kind. Unknown names match nothing.
    pub types: Vec<String>,
    /// Names of kinds to exclude. Unknown names exclude nothing.
    pub exclude_types: Vec<String>,
    /// Id of the account that caused the notifications. An unknown id matches nothing.
    pub account: Option<String>,
    /// Include notifications that the recipient's policy filtered.
    pub with_filtered: bool,
}

impl Query {
    /// Returns the parsed filter. Returns `None` if nothing can match.
    fn criteria(&self) -> Option<NotificationFilter> {
        let contains = |names: &[String], kind: NotificationKind| {
            names.iter().any(|name| NotificationKind::from_name(name.trim()) == Some(kind))
        };
        let every = self.types.iter().all(|name| name.trim().is_empty());
        let kinds: Vec<NotificationKind> = NotificationKind::ALL
            .into_iter()
            .filter(|kind| every || contains(&self.types, *kind))
            .filter(|kind| !contains(&self.exclude_types, *kind))
            .collect();
        let from = self.from();
        if from.is_none() && self.account.as_deref().is_some_and(|id| !id.is_empty()) {
            return None;
        }
        let with_filtered = self.with_filtered;
        (!kinds.is_empty()).then(|| NotificationFilter {
            kinds,
            from,
            with_filtered,
            without: Vec::new(),
        })
    }

    /// Returns the account that must have caused the notifications. Returns `None` if the client
    /// named none, and if it named something that is no id.
    fn from(&self) -> Option<AccountId> {
        self.account.as_deref()?.parse().ok()
    }
}

/// Loads a page of the notifications that are visible to `recipient`.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    recipient: AccountId,
    query: &Query,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Notification>> {
    let Some(filter) = &query.criteria() else {
        return Ok(Page::of(Vec::new(), request.limit, |_| 0));
    };
    let relations = viewer_relations(conn, Some(recipient))?;
    pages::build(&mut Inbox { conn, recipient, relations, filter, now }, request)
}

/// Loads the newest notifications of these kinds that `recipient` sees, and that have this id or a
/// later one: at most `limit`, the newest first. Returns also whether there are more.
///
/// # Errors
/// Storage errors only.
pub(crate) fn since(
    conn: &mut Conn,
    recipient: AccountId,
    kinds: Vec<NotificationKind>,
    first: NotificationId,
    limit: i64,
    now: Timestamp,
) -> Result<(Vec<Notification>, bool)> {
    if kinds.is_empty() {
        return Ok((Vec::new(), false));
    }
    let filter =
        &NotificationFilter { kinds, from: None, with_filtered: false, without: Vec::new() };
    let relations = viewer_relations(conn, Some(recipient))?;
    let cursor = Cursor { since: Some(first.get() - 1), ..Cursor::default() };
    let request = PageRequest { cursor, limit: limit + 1 };
    let page = pages::build(&mut Inbox { conn, recipient, relations, filter, now }, request)?;
    let mut found = page.items;
    let keep = usize::try_from(limit).unwrap_or(usize::MAX);
    let is_more = found.len() > keep;
    found.truncate(keep);
    Ok((found, is_more))
}

/// Returns one notification of `recipient`.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id, or it is hidden from `recipient`.
pub fn find(
    conn: &mut Conn,
    recipient: AccountId,
    id: NotificationId,
    now: Timestamp,
) -> Result<Notification> {
    let stored = rows::load(conn, &[id])?;
    let own: Vec<_> = stored.into_iter().filter(|one| one.recipient == recipient).collect();
    if own.is_empty() {
        return Err(Error::NotFound);
    }
    let relations = viewer_relations(conn, Some(recipient))?;
    shown(conn, &relations, &own, now)?.pop().ok_or(Error::NotFound)
}

/// Deletes one notification of `recipient`.
///
/// # Errors
/// [`Error::NotFound`] as for [`find`].
pub fn dismiss(tx: &mut Tx<'_>, recipient: AccountId, id: NotificationId) -> Result<()> {
    let now = tx.now();
    find(tx, recipient, id, now)?;
    if rows::delete(tx, recipient, id)? { Ok(()) } else { Err(Error::NotFound) }
}

/// Deletes some of `recipient`'s notifications and returns `true` if there are more. To delete all,
/// callers repeat it until it returns `false`.
///
/// # Errors
/// Storage errors only.
pub fn clear_some(tx: &mut Tx<'_>, recipient: AccountId) -> Result<bool> {
    Ok(rows::delete_some(tx, recipient, CLEAR_BATCH)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(types: &[&str], exclude_types: &[&str]) -> Vec<NotificationKind> {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let query =
            Query { types: names(types), exclude_types: names(exclude_types), ..Query::default() };
        query.criteria().map_or(Vec::new(), |criteria| criteria.kinds)
    }

    #[test]
    fn unknown_kinds_match_nothing_and_exclude_nothing() {
        let every = NotificationKind::ALL.to_vec();
        assert_eq!(kinds(&[], &[]), every);
        assert_eq!(kinds(&[""], &[""]), every);
        assert_eq!(kinds(&["reaction"], &[]), []);
        assert_eq!(kinds(&["mention", "reaction"], &[]), [NotificationKind::Mention]);
        assert_eq!(kinds(&[], &["xyz"]), every);
        assert_eq!(kinds(&["mention"], &["mention"]), []);
        assert_eq!(kinds(&[], &["mention"]).len(), every.len() - 1);
    }

    #[test]
    fn the_account_filter_parses_an_id() {
        let criteria = |account: &str| {
            Query { account: Some(account.to_owned()), ..Query::default() }.criteria()
        };
        assert_eq!(criteria("7").unwrap().from, Some(AccountId::new(7)));
        assert_eq!(criteria("").unwrap().from, None);
        assert_eq!(criteria("abc"), None);
        assert_eq!(criteria("-1"), None);
    }
}
