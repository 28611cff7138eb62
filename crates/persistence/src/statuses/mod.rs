//! Statuses: visibility, and loading in batches.
//!
//! A page needs a fixed number of statements, independent of its length. The page's own query finds
//! the ids. Then one statement for each kind of row loads the data.

mod author;
pub mod bookmarks;
mod counters;
mod dependents;
pub(crate) mod draft;
mod edits;
mod entry;
mod facts;
pub mod favourites;
mod insert;
mod load;
pub mod muted_conversations;
mod outline;
pub mod pins;
mod profile;
pub mod reblogs;
mod remove;
mod saved;
mod snapshot_rows;
mod source;
mod subscribers;
mod target;
mod thread;
mod viewer_details;
mod visible;

use crate::schema::statuses;

pub use author::{Author, find_author};
pub use edits::{Revision, edit, history, lock};
pub use entry::Entry;
pub(crate) use facts::viewer_id;
pub use facts::visible_ids;
pub use insert::{NewReblog, NewStatus, Parent, insert, insert_reblog};
pub use load::{LoadedStatus, find_visible, load, load_candidates, load_without_viewer};
pub use profile::{ProfileFilter, pinned_candidates, profile_candidates};
pub(crate) use remove::continue_removal;
pub use remove::{Removal, lock_against_deletion, remove, remove_rest};
pub use saved::SavedStatus;
pub use subscribers::{Announced, subscribers};
pub use target::{Target, find_target, locate};
pub use thread::{ThreadNode, ancestors, descendants};
pub use viewer_details::viewer_details;
pub(crate) use visible::{
    REMOVED, blocks_account, follows, is_active, is_listed, is_present, is_visible_to, may_see,
    mute, neither_blocks_nor_mutes, regarded, row_exists,
};

diesel::alias!(
    statuses as reblogged: Reblogged,
    statuses as viewer_reblogs: ViewerReblogs,
    statuses as parents: Parents,
);
