//! Statuses: visibility, and loading in batches.
//!
//! A page needs a fixed number of statements, independent of its length. The page's own query finds
//! the ids. Then one statement for each kind of row loads the data.

mod at_stake;
mod author;
pub mod bookmarks;
mod by_account;
mod counters;
mod edits;
mod entry;
pub mod favourites;
mod insert;
mod kept;
mod load;
pub mod muted_conversations;
mod outline;
pub mod pins;
pub mod reblogs;
mod remove;
mod sights;
mod subscribers;
mod target;
mod thread;
mod visible;
mod words;

use diesel::prelude::*;
use siskin_ids::{AccountId, StatusId};

use crate::{Conn, Result, among::IdExpression as _, schema::statuses};

pub(crate) use at_stake::{AtStake, at_stake, required, stakes};
pub use author::{Author, find_author};
pub use by_account::{ProfileFilter, by_account};
pub use edits::{Edited, Revision, edit, history, lock};
pub use entry::Entry;
pub use insert::{NewReblog, NewStatus, Parent, insert, insert_reblog};
pub use load::{find_visible, load, load_entries, load_unseen};
pub use remove::{hold, remove};
pub use sights::sights;
pub use subscribers::{Announced, subscribers};
pub use target::{Target, find_target, locate};
pub use thread::{ThreadNode, ancestors, descendants, shown_in_thread};
pub(crate) use visible::{
    avoids, finds, follows, is_in_good_standing, is_listed, is_shown_to, may_see, mute, reader,
    regarded, wants_to_hear, wants_to_see,
};

diesel::alias!(
    statuses as reblogged: Reblogged,
    statuses as reblog_of_reader: ReblogOfReader,
    statuses as answered: Answered,
);

/// Selects the statuses that are visible to `$reader`, joined with the statuses they reblog. For a
/// reblog, both the reblog and the reblogged status must be visible.
macro_rules! seen_by {
    ($query:expr, $reader:expr) => {{
        use $crate::statuses::{may_see, reblogged};
        let reader: siskin_ids::AccountId = $reader;
        let shown_too = reblogged.field(statuses::id).is_null().or(may_see!(
            reader,
            id: reblogged.field(statuses::id),
            account: reblogged.field(statuses::account_id),
            visibility: reblogged.field(statuses::visibility)
        ));
        $query
            .left_join(
                reblogged.on(statuses::reblog_of_id.eq(reblogged.field(statuses::id).nullable())),
            )
            .filter(may_see!(
                reader,
                id: statuses::id,
                account: statuses::account_id,
                visibility: statuses::visibility
            ))
            .filter(shown_too)
    }};
}

pub(crate) use seen_by;

/// Returns those of `ids` that are visible to `viewer`, in no particular order. For a reblog, both
/// the reblog and the reblogged status must be visible.
pub fn visible_ids(
    conn: &mut Conn,
    ids: &[StatusId],
    viewer: Option<AccountId>,
) -> Result<Vec<StatusId>> {
    Ok(seen_by!(statuses::table, reader(viewer))
        .filter(statuses::id.among(ids))
        .select(statuses::id)
        .load(conn)?)
}
