//! Reads and dismisses a user's notifications. Other use cases create them.

use siskin_entities::{Notification, NotificationKind, Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, NotificationId};
use siskin_persistence::{
    Conn, Tx,
    notifications::{self, Wanted},
};

use crate::{Error, Result};

/// Number of notifications that one write deletes, so that other writers do not wait longer.
const CLEARED_AT_ONCE: i64 = 2000;

/// Filter parameters for notifications, as sent by the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Names of kinds; empty means every kind. Unknown names match nothing.
    pub types: Vec<String>,
    /// Names of kinds to exclude. Unknown names exclude nothing.
    pub exclude_types: Vec<String>,
    /// Id of the account that caused the notifications. An unknown id matches nothing.
    pub account: Option<String>,
}

impl Query {
    /// Returns the parsed filter. Returns `None` if nothing can match.
    fn wanted(&self) -> Option<Wanted> {
        let is_among = |names: &[String], kind: NotificationKind| {
            names.iter().any(|name| NotificationKind::from_name(name.trim()) == Some(kind))
        };
        let every = self.types.iter().all(|name| name.trim().is_empty());
        let kinds: Vec<NotificationKind> = NotificationKind::ALL
            .into_iter()
            .filter(|kind| every || is_among(&self.types, *kind))
            .filter(|kind| !is_among(&self.exclude_types, *kind))
            .collect();
        let from = match self.account.as_deref().filter(|id| !id.is_empty()) {
            None => None,
            Some(id) => Some(id.parse().ok()?),
        };
        (!kinds.is_empty()).then_some(Wanted { kinds, from })
    }
}

/// Loads a page of the notifications that are visible to `reader`.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    reader: AccountId,
    query: &Query,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Notification>> {
    match query.wanted() {
        None => Ok(Page::of(Vec::new(), request.limit, |_| 0)),
        Some(wanted) => Ok(notifications::list(conn, reader, &wanted, now, request)?),
    }
}

/// Returns one notification of `reader`.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id, or it is hidden from `reader`.
pub fn find(
    conn: &mut Conn,
    reader: AccountId,
    id: NotificationId,
    now: Timestamp,
) -> Result<Notification> {
    notifications::find(conn, reader, id, now)?.ok_or(Error::NotFound)
}

/// Deletes one notification of `reader`.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id, or it is hidden from `reader`.
pub fn dismiss(tx: &mut Tx<'_>, reader: AccountId, id: NotificationId) -> Result<()> {
    let now = tx.now();
    find(tx, reader, id, now)?;
    Ok(notifications::delete(tx, reader, id)?)
}

/// Deletes some of `reader`'s notifications and returns `true` if there are more. To delete all,
/// callers repeat it until it returns `false`.
///
/// # Errors
/// Storage errors only.
pub fn clear_some(tx: &mut Tx<'_>, reader: AccountId) -> Result<bool> {
    Ok(notifications::delete_some(tx, reader, CLEARED_AT_ONCE)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(types: &[&str], exclude_types: &[&str]) -> Vec<NotificationKind> {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let query =
            Query { types: names(types), exclude_types: names(exclude_types), account: None };
        query.wanted().map_or(Vec::new(), |wanted| wanted.kinds)
    }

    #[test]
    fn a_name_that_is_no_kind_matches_nothing_and_leaves_out_nothing() {
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
    fn an_account_is_named_by_its_id() {
        let wanted = |account: &str| {
            Query { account: Some(account.to_owned()), ..Query::default() }.wanted()
        };
        assert_eq!(wanted("7").unwrap().from, Some(AccountId::new(7)));
        assert_eq!(wanted("").unwrap().from, None);
        assert_eq!(wanted("abc"), None);
        assert_eq!(wanted("-1"), None);
    }
}
