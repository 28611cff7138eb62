//! Targets of replies, favourites, bookmarks, reblogs and quotes. The target is the status with the
//! content, even if the request names a reblog of it.

use siskin_entities::{QuotePermission, Visibility};
use siskin_ids::{AccountId, StatusId};

use super::{
    Parent,
    facts::{self, Contents},
};
use crate::{Conn, Result};

/// A status as the target of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub id: StatusId,
    /// The author.
    pub account: AccountId,
    pub conversation: StatusId,
    pub visibility: Visibility,
}

impl Target {
    /// Returns the status as the parent of a reply.
    #[must_use]
    pub const fn as_parent(&self) -> Parent {
        Parent { id: self.id, account: self.account, conversation: self.conversation }
    }
}

impl From<Contents> for Target {
    fn from(contents: Contents) -> Self {
        let displayed = contents.displayed();
        Self {
            id: displayed.id,
            account: displayed.author,
            conversation: displayed.conversation,
            visibility: displayed.visibility(),
        }
    }
}

/// Finds the target for `id`. The status and the reblog, if the request names one, must be visible
/// to `viewer`.
pub fn find_target(
    conn: &mut Conn,
    id: StatusId,
    viewer: Option<AccountId>,
) -> Result<Option<Target>> {
    Ok(facts::find_visible(conn, id, viewer)?.map(|(contents, _)| contents.into()))
}

/// Finds the target for `id` as [`find_target`] does, with what happens if the viewer quotes it.
pub fn find_quotable(
    conn: &mut Conn,
    id: StatusId,
    viewer: AccountId,
) -> Result<Option<(Target, QuotePermission)>> {
    let found = facts::find_visible(conn, id, Some(viewer))?;
    Ok(found.map(|(contents, relations)| {
        let permission = contents.displayed().quote_permission(&relations);
        (contents.into(), permission)
    }))
}

/// Finds the target for `id` regardless of visibility. Undoing an action needs this.
pub fn locate(conn: &mut Conn, id: StatusId) -> Result<Option<Target>> {
    Ok(facts::find(conn, id)?.map(Target::from))
}
