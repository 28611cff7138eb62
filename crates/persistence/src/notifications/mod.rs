//! Notifications: inserted with their cause, read by their recipient. Which accounts get one, and
//! which ones they see, is decided by `siskin_policy::notifications`.

mod channels;
mod facts;
mod groups;
mod list;
pub mod policy;
mod requests;
mod sender;
mod write;

pub use channels::{Channels, channels};
pub use facts::{Facts, facts};
pub use groups::{Member, Members, delete_some_of_group, members};
pub use list::{NotificationFilter, StoredNotification, candidates, delete, delete_some, load};
pub use requests::{
    StoredRequest, add_requests, discard_some, find_requests, lock_requests, release_permitted,
    release_some, remove_requests, requests, senders,
};
pub use sender::Sender;
pub use write::{Cause, Written, insert, withdraw, withdraw_all};

use siskin_ids::StatusId;

/// Maximum number of recipients for one statement.
pub const MAX_RECIPIENTS: usize = 1000;

/// Returns the stored number for what a notification is about. Notifications with the same kind,
/// sender, recipient and subject are the same one.
fn subject(status: Option<StatusId>) -> i64 {
    status.map_or(0, StatusId::get)
}
