//! Streams: what happened, told at once to those who may know of it.
//!
//! [`Hub`] holds who is connected and what they listen to. [`resolve`] finds for some events who of
//! an [`Audience`] gets them, on which stream and in which words, in a fixed number of SQL statements
//! for each event however many are listening: visibility and wishes are asked of the database at that
//! moment, by the rules of the pages. What is the same for several readers is rendered once.
//!
//! How frames look (WebSocket, server-sent events), where events come from and when a stream is taken
//! up again are not known here.

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
