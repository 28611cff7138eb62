//! `/api/v1/push/subscription`, and the messages that clients get.

mod dismissed;
pub mod kinds;
mod many;
mod payload;
mod policy;
mod responses;
mod standing;
mod subscription;
