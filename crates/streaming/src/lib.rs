//! Streams: deliver events at once to the clients that may see them.
//!
//! [`Hub`] holds the connected sessions and their subscriptions. [`resolve()`] determines which
//! listeners of an [`Audience`] receive an event, on which stream and with which payload. It uses a
//! fixed number of SQL statements for each event, however many clients listen. It applies the
//! visibility rules and blocks and mutes of the timelines, as they are in the database at that
//! moment. A payload that is the same for several viewers is rendered once.
//!
//! This crate does not know the frame formats (WebSocket, server-sent events), the source of the
//! events, or when a stream is resumed.

mod announcements;
mod attributes;
mod audience;
mod deletion;
mod hub;
mod message;
mod render;
mod resolve;
mod session;
mod stream;
mod viewers;

pub use audience::{Audience, Listener};
pub use hub::{Hub, JoinError, SessionOwner, SubscriptionId};
pub use message::{Delivery, Message};
pub use resolve::{ResolveContext, resolve};
pub use session::{End, Session, SessionEvent, SessionId};
pub use stream::{Refused, Stream, StreamParams, Subscription};
