//! Reblogging a status, and undoing it.

use siskin_entities::{NotificationKind, Status, Urls, Visibility};
use siskin_ids::{AccountId, ApplicationId, StatusId};
use siskin_persistence::{
    Tx, notifications,
    notifications::NewNotification,
    statuses::{self as rows, reblogs},
};
use siskin_policy::visibility;

use super::{NOT_ALLOWED, author, delete::remove, load_one, take_target};
use crate::{Error, Result, feeds};

/// How often a reblog is tried that others take back meanwhile.
const ATTEMPTS: usize = 32;

/// A reblog that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct NewReblog {
    /// What is reblogged; where this is a reblog, what that reblogs is meant.
    pub of: StatusId,
    visibility: Visibility,
    application: Option<ApplicationId>,
}

/// Checks what was asked: a reblog is public unless something else is said, and never direct.
///
/// # Errors
/// [`Error::Invalid`] for another visibility.
pub fn prepare_reblog(
    of: StatusId,
    visibility: Option<&str>,
    application: Option<ApplicationId>,
) -> Result<NewReblog> {
    let visibility = match visibility.unwrap_or(Visibility::Public.as_str()).parse() {
        Ok(Visibility::Direct) | Err(_) => {
            let wanted = "Visibility of a reblog must be public, unlisted or private";
            return Err(Error::validation(wanted));
        }
        Ok(visibility) => visibility,
    };
    Ok(NewReblog { of, visibility, application })
}

/// Reblogs a status, tells its author and returns the reblog: the one that is there where the
/// account reblogged it before.
///
/// # Errors
/// [`Error::NotFound`] where the account cannot see the status; [`Error::Forbidden`] where it
/// blocks the author or has moved, and where the status is not for those who would see the reblog.
pub fn reblog(
    tx: &mut Tx<'_>,
    urls: &Urls,
    account: AccountId,
    asked: &NewReblog,
) -> Result<Status> {
    let target = take_target(tx, asked.of, account)?;
    if !visibility::may_reblog(target.visibility, target.account == account) {
        return Err(Error::forbidden(NOT_ALLOWED));
    }
    let author = author(tx, account)?;
    let id = StatusId::new(tx.next_id());
    let new = rows::NewReblog {
        id,
        account,
        uri: &format!("{}/activity", urls.status_uri(&author.username, id)),
        of: target.id,
        visibility: visibility::of_reblog(target.visibility, asked.visibility),
        application: asked.application,
    };
    if let Some(earlier) = insert_or_find(tx, &new)? {
        return Ok(earlier);
    }
    let reblogged = NewNotification {
        recipient: target.account,
        from: account,
        kind: NotificationKind::Reblog,
        status: Some(target.id),
    };
    notifications::create(tx, &[reblogged])?;
    feeds::deliver(tx, id)?;
    load_one(tx, id, account)
}

/// Inserts a reblog. Returns the one that is there if the account reblogged the status before.
///
/// Between the two statements another request may take that one back. The database then has room
/// for the new one, so the insert is tried again.
fn insert_or_find(tx: &mut Tx<'_>, new: &rows::NewReblog<'_>) -> Result<Option<Status>> {
    for _ in 0..ATTEMPTS {
        if rows::insert_reblog(tx, new)? {
            return Ok(None);
        }
        if let Some(earlier) = reblogs::find(tx, new.account, new.of)?
            && let Some(status) = rows::load(tx, &[earlier], Some(new.account))?.pop()
        {
            return Ok(Some(status));
        }
    }
    Err(Error::Conflict("This post is being reblogged and unreblogged at once".to_owned()))
}

/// Takes a reblog back and returns what it reblogged; None where the account cannot see that any
/// more, and the reblog is taken back all the same.
///
/// # Errors
/// [`Error::NotFound`] where the status is gone.
pub fn unreblog(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Option<Status>> {
    let target = rows::locate(tx, id)?.ok_or(Error::NotFound)?;
    if let Some(reblog) = reblogs::find(tx, account, target.id)? {
        // Somebody may be taking it back at the same time: then it is gone, as it should be.
        match remove(tx, account, reblog) {
            Err(Error::NotFound) | Ok(()) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(rows::find_visible(tx, target.id, Some(account))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reblog_is_public_unless_something_else_is_said() {
        let asked = |visibility| {
            prepare_reblog(StatusId::new(1), visibility, None).ok().map(|new| new.visibility)
        };
        assert_eq!(asked(None), Some(Visibility::Public));
        assert_eq!(asked(Some("private")), Some(Visibility::Private));
        assert_eq!(asked(Some("direct")), None);
        assert_eq!(asked(Some("limited")), None);
    }
}
