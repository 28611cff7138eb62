//! Access rules for the parts of public timelines.

use siskin_entities::{FeedsByOrigin, settings::FeedAccess};
use siskin_ids::AccountId;
use siskin_persistence::Conn;
use siskin_policy::roles::Permission;

use super::Origin;
use crate::{Error, Result, authentication::authority};

/// Returns the access as it is for a viewer: parts that are disabled for others are open to those
/// with the permission to read them. Asks the database only if a part is disabled.
pub(super) fn access_of(
    conn: &mut Conn,
    feeds: FeedsByOrigin,
    viewer: Option<AccountId>,
) -> Result<FeedsByOrigin> {
    let is_closed = !feeds.lists(true) || !feeds.lists(false);
    let Some(viewer) = viewer.filter(|_| is_closed) else { return Ok(feeds) };
    if !authority(conn, viewer)?.can(Permission::ViewLiveAndTopicFeeds) {
        return Ok(feeds);
    }
    let open = |access| match access {
        FeedAccess::Disabled => FeedAccess::Authenticated,
        other => other,
    };
    Ok(FeedsByOrigin { local: open(feeds.local), remote: open(feeds.remote) })
}

/// Returns the requested part of a timeline without its disabled parts. Returns `None` if nothing
/// is left.
///
/// # Errors
/// [`Error::Unauthenticated`] if a part is open to signed-in viewers only, and the viewer is
/// anonymous.
pub(super) fn open_part(
    feeds: FeedsByOrigin,
    requested: Origin,
    is_signed_in: bool,
) -> Result<Option<Origin>> {
    let parts = match requested {
        Origin::Anywhere => [Some(feeds.local), Some(feeds.remote)],
        Origin::Local => [Some(feeds.local), None],
        Origin::Remote => [None, Some(feeds.remote)],
    };
    let parts = parts.map(|part| part.filter(|access| *access != FeedAccess::Disabled));
    if !is_signed_in && parts.contains(&Some(FeedAccess::Authenticated)) {
        let message = "This method requires an authenticated user";
        return Err(Error::Unauthenticated(message.to_owned()));
    }
    Ok(match parts {
        [Some(_), Some(_)] => Some(Origin::Anywhere),
        [Some(_), None] => Some(Origin::Local),
        [None, Some(_)] => Some(Origin::Remote),
        [None, None] => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the part that is open to anonymous viewers, or `None` if they are refused, and the
    /// part for signed-in ones.
    fn open(
        local: FeedAccess,
        remote: FeedAccess,
        requested: Origin,
    ) -> [Option<Option<Origin>>; 2] {
        let feeds = FeedsByOrigin { local, remote };
        [false, true].map(|is_signed_in| open_part(feeds, requested, is_signed_in).ok())
    }

    #[test]
    fn timelines_for_signed_in_viewers_are_refused_to_anonymous_ones() {
        use FeedAccess::{Authenticated, Disabled, Public};
        use Origin::{Anywhere, Local, Remote};
        let same = |part| [Some(part), Some(part)];
        let refused = |part| [None, Some(part)];
        for (local, remote, requested, expected) in [
            (Public, Public, Anywhere, same(Some(Anywhere))),
            (Public, Public, Local, same(Some(Local))),
            (Public, Authenticated, Anywhere, refused(Some(Anywhere))),
            (Public, Authenticated, Local, same(Some(Local))),
            (Public, Authenticated, Remote, refused(Some(Remote))),
            (Authenticated, Public, Remote, same(Some(Remote))),
            (Authenticated, Public, Local, refused(Some(Local))),
        ] {
            assert_eq!(
                open(local, remote, requested),
                expected,
                "{local:?} {remote:?} {requested:?}"
            );
        }
        for (local, remote, requested, expected) in [
            (Public, Disabled, Anywhere, same(Some(Local))),
            (Public, Disabled, Remote, same(None)),
            (Disabled, Public, Anywhere, same(Some(Remote))),
            (Authenticated, Disabled, Anywhere, refused(Some(Local))),
            (Disabled, Disabled, Anywhere, same(None)),
        ] {
            assert_eq!(
                open(local, remote, requested),
                expected,
                "{local:?} {remote:?} {requested:?}"
            );
        }
    }
}
