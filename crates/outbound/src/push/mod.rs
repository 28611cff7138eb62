//! Web Push (RFC 8030): sends encrypted messages to the push services of clients.
//!
//! This module knows keys, encodings and responses. Which message is sent to which client is
//! decided elsewhere.

mod encrypt;
mod sender;
mod vapid;

pub use encrypt::{ClientKeys, Encoding, InvalidKeys, TooLong};
pub use sender::{OutgoingPush, PushOutcome, PushSender};
pub use vapid::{InvalidKey, VapidKey};
