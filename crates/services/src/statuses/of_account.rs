//! Statuses on a profile.

use siskin_entities::{Page, PageRequest, Status, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, accounts,
    statuses::{ProfileFilter, by_account},
    tags,
};
use siskin_text::Hashtag;

use super::load_entries;
use crate::{Error, Result};

/// Selection of an account's statuses.
#[derive(Debug, Clone, Default)]
pub struct ProfileRequest {
    /// Excludes replies to other accounts. Statuses that only mention accounts, and replies to the
    /// account itself, stay.
    pub exclude_replies: bool,
    pub exclude_reblogs: bool,
    /// Only statuses with attachments.
    pub only_media: bool,
    /// Only pinned statuses.
    pub pinned: bool,
    /// Only statuses with this hashtag, in any spelling.
    pub tagged: Option<String>,
}

/// Loads a page of an account's statuses and reblogs, as far as they are visible to the viewer. The
/// page of a suspended account is empty.
///
/// # Errors
/// [`Error::NotFound`] for an account that does not exist or is not reachable.
pub fn of_account(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    account: AccountId,
    request: &ProfileRequest,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Status>> {
    let owner = accounts::find(conn, account)?.filter(|account| account.state.reachable);
    let is_suspended = owner.ok_or(Error::NotFound)?.state.suspended;
    let none = || Page::of(Vec::new(), page.limit, |_: &Status| 0);
    if is_suspended {
        return Ok(none());
    }
    let tagged = match request.tagged.as_deref().map(Hashtag::parse) {
        None => None,
        Some(tag) => match tag.map(|tag| tags::find(conn, &tag.name)).transpose()?.flatten() {
            None => return Ok(none()),
            known => known,
        },
    };
    let filter = ProfileFilter {
        exclude_replies: request.exclude_replies,
        exclude_reblogs: request.exclude_reblogs,
        pinned: request.pinned,
        only_media: request.only_media,
        tagged,
    };
    let entries = by_account(conn, account, viewer, filter, now, page)?;
    load_entries(conn, entries, viewer)
}
