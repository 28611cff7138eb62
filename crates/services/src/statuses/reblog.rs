//! Creation and removal of reblogs.

use siskin_entities::{NotificationKind, Status, Urls, Visibility};
use siskin_ids::{AccountId, ApplicationId, StatusId};
use siskin_persistence::{
    Tx,
    events::DomainEvent,
    notifications::Cause,
    statuses::{self as rows, reblogs},
};
use siskin_policy::visibility;

use super::{NOT_ALLOWED, author, delete::remove, load_one, take_target};
use crate::{Error, Result, feeds, notifications};

/// Maximum number of attempts if other requests undo the reblog meanwhile.
const ATTEMPTS: usize = 32;

/// Checked request for a reblog.
#[derive(Debug, Clone, Copy)]
pub struct NewReblog {
    /// Status to reblog. If it is a reblog itself, the status that it reblogs is meant.
    pub of: StatusId,
    visibility: Visibility,
    application: Option<ApplicationId>,
}

/// Checks the parameters. A reblog is public by default, and never direct.
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
            let message = "Visibility of a reblog must be public, unlisted or private";
            return Err(Error::validation(message));
        }
        Ok(visibility) => visibility,
    };
    Ok(NewReblog { of, visibility, application })
}

/// Reblogs a status, notifies its author and returns the reblog. Returns the existing reblog if
/// there is one.
///
/// # Errors
/// [`Error::NotFound`] if the status is hidden from the account; [`Error::Forbidden`] if the
/// account blocks the author or has moved, and if the visibility of the status does not allow
/// reblogs.
pub fn reblog(
    tx: &mut Tx<'_>,
    urls: &Urls,
    account: AccountId,
    request: &NewReblog,
) -> Result<Status> {
    let target = take_target(tx, request.of, account)?;
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
        visibility: visibility::of_reblog(target.visibility, request.visibility),
        application: request.application,
    };
    if let Some(earlier) = insert_or_find(tx, &new)? {
        return Ok(earlier);
    }
    DomainEvent::StatusPublished(id).write(tx)?;
    notifications::create(tx, reblogged(account, target.id), &[target.account])?;
    feeds::fan_out(tx, id)?;
    load_one(tx, id, account)
}

/// Returns the cause of the notification about a reblog by `account`.
pub(super) const fn reblogged(account: AccountId, of: StatusId) -> Cause {
    Cause::new(account, NotificationKind::Reblog, Some(of))
}

/// Inserts a reblog. Returns the existing one if the account already reblogged the status.
///
/// Another request may undo that one between the two statements. The database then accepts the new
/// one, so the insert is retried.
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
    Err(Error::Conflict("This post is being reblogged and unreblogged at the same time".to_owned()))
}

/// Removes a reblog and returns the reblogged status. Returns `None` if the status is no longer
/// visible to the account; the reblog is removed in any case.
///
/// # Errors
/// [`Error::NotFound`] if the status does not exist.
pub fn unreblog(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Option<Status>> {
    let target = rows::locate(tx, id)?.ok_or(Error::NotFound)?;
    if let Some(reblog) = reblogs::find(tx, account, target.id)? {
        // A simultaneous request may have removed it already, which is fine.
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
    fn a_reblog_is_public_by_default() {
        let request = |visibility| {
            prepare_reblog(StatusId::new(1), visibility, None).ok().map(|new| new.visibility)
        };
        assert_eq!(request(None), Some(Visibility::Public));
        assert_eq!(request(Some("private")), Some(Visibility::Private));
        assert_eq!(request(Some("direct")), None);
        assert_eq!(request(Some("limited")), None);
    }
}
