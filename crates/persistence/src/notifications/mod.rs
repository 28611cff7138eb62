//! Notifications: inserted with their cause, read by their recipient.

mod create;
mod list;

pub use create::{NewNotification, create, withdraw, withdraw_all};
pub use list::{NotificationFilter, VisibleNotification, delete, delete_some, find, list, visible};
