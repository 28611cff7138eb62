//! Streams: deliver events at once to the clients that may see them.
//!
//! [`Hub`] holds the connected sessions and their subscriptions. [`resolve`] determines which
//! listeners of an [`Audience`] receive an event, on which stream and with which payload. It uses a
//! fixed number of SQL statements for each event, however many clients listen. It applies the
//! visibility rules and blocks and mutes of the timelines, as they are in the database at that
//! moment. A payload that is the same for several viewers is rendered once.
//!
//! This crate does not know the frame formats (WebSocket, server-sent events), the source of the
//! events, or when a stream is resumed.

mod audience;
mod gone;
mod hub;
mod news;
mod render;
mod resolve;
mod session;
mod stream;
mod traits;

pub use audience::{Audience, Listener};
pub use hub::{Hub, JoinError, SubscriptionId, Who};
pub use news::{Delivery, News};
pub use resolve::{Setting, resolve};
pub use session::{End, Heard, Session, SessionId};
pub use stream::{Asked, Refused, Stream, Subscription};
