//! Notifications: inserted with their cause, read by their recipient. Which accounts get one, and
//! which ones they see, is decided by `siskin_policy::notifications`.

mod facts;
mod list;
mod write;

pub use facts::{Facts, facts};
pub use list::{NotificationFilter, StoredNotification, candidates, delete, delete_some, load};
pub use write::{Cause, insert, withdraw, withdraw_all};

/// Maximum number of recipients for one statement.
pub const MAX_RECIPIENTS: usize = 1000;
