//! Statuses: visibility, and loading in batches.
//!
//! A page needs a fixed number of statements, independent of its length. The page's own query finds
//! the ids. Then one statement for each kind of row loads the data.

mod author;
pub mod bookmarks;
mod by_account;
mod counters;
mod dependents;
pub(crate) mod draft;
mod edits;
mod entry;
pub mod favourites;
mod flagged;
mod insert;
mod load;
pub mod muted_conversations;
mod outline;
pub mod pins;
pub mod reblogs;
mod remove;
mod saved;
mod snapshot_rows;
mod subscribers;
mod target;
mod thread;
mod viewer_details;
mod visible;

use diesel::prelude::*;
use siskin_ids::{AccountId, StatusId};

use crate::{Conn, Result, equals_any::IdExpression as _, schema::statuses};

pub use author::{Author, find_author};
pub use by_account::{ProfileFilter, by_account};
pub use edits::{Revision, edit, history, lock};
pub use entry::Entry;
pub(crate) use flagged::{RelationFlags, flagged, required};
pub use insert::{NewReblog, NewStatus, Parent, insert, insert_reblog};
pub use load::{
    LoadedStatus, find_visible, load, load_candidates, load_entries, load_without_viewer,
};
pub(crate) use remove::continue_removal;
pub use remove::{Removal, lock_against_deletion, remove, remove_rest};
pub use subscribers::{Announced, subscribers};
pub use target::{Target, find_target, locate};
pub use thread::{ThreadNode, ancestors, descendants, visible_in_thread};
pub use viewer_details::viewer_details;
pub(crate) use visible::{
    REMOVED, accepts_notifications, blocks_account, follows, is_active, is_listed, is_present,
    is_visible_to, may_see, mute, neither_blocks_nor_mutes, regarded, row_exists, viewer_id,
};

diesel::alias!(
    statuses as reblogged: Reblogged,
    statuses as viewer_reblogs: ViewerReblogs,
    statuses as parents: Parents,
);

/// Selects the statuses that are visible to `$viewer_id`, joined with the statuses they reblog. For
/// a reblog, both the reblog and the reblogged status must be visible.
macro_rules! visible_to {
    ($query:expr, $viewer_id:expr) => {{
        use $crate::statuses::{may_see, reblogged};
        let viewer_id: siskin_ids::AccountId = $viewer_id;
        let reblogged_is_visible = reblogged.field(statuses::id).is_null().or(may_see!(
            viewer_id,
            id: reblogged.field(statuses::id),
            account: reblogged.field(statuses::account_id),
            visibility: reblogged.field(statuses::visibility)
        ));
        $query
            .left_join(
                reblogged.on(statuses::reblog_of_id.eq(reblogged.field(statuses::id).nullable())),
            )
            .filter(may_see!(
                viewer_id,
                id: statuses::id,
                account: statuses::account_id,
                visibility: statuses::visibility
            ))
            .filter(reblogged_is_visible)
    }};
}

pub(crate) use visible_to;

/// Returns those of `ids` that are visible to `viewer`, in no particular order. For a reblog, both
/// the reblog and the reblogged status must be visible.
pub fn visible_ids(
    conn: &mut Conn,
    ids: &[StatusId],
    viewer: Option<AccountId>,
) -> Result<Vec<StatusId>> {
    Ok(visible_to!(statuses::table, viewer_id(viewer))
        .filter(statuses::id.equals_any(ids))
        .select(statuses::id)
        .load(conn)?)
}
