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
mod embedded;
mod entry;
mod facts;
pub mod favourites;
mod insert;
mod load;
pub mod muted_conversations;
mod named;
mod outline;
pub mod pins;
mod profile;
pub mod quotes;
pub mod reblogs;
mod remove;
mod replies;
mod saved;
mod sensitive;
mod snapshot_rows;
mod source;
mod subscribers;
mod target;
mod thread;
mod viewer_details;
mod visible;
mod with_quoted;

use crate::schema::statuses;

pub use author::*;
pub use edits::*;
pub use entry::*;
pub(crate) use facts::viewer_id;
pub use facts::visible_ids;
pub use insert::*;
pub use load::*;
pub use named::*;
pub use profile::*;
pub use remove::*;
pub use replies::*;
pub use saved::*;
pub use sensitive::*;
pub use subscribers::*;
pub use target::*;
pub use thread::*;
pub use viewer_details::*;
pub(crate) use visible::*;

diesel::alias!(
    statuses as reblogged: Reblogged,
    statuses as viewer_reblogs: ViewerReblogs,
    statuses as parents: Parents,
);
