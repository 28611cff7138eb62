//! Web Push: subscriptions of clients, and the messages that they get about new notifications.
//!
//! The transaction that creates notifications enqueues one job if a recipient has a subscription
//! for them. This job enqueues deliveries of many messages each, for the subscriptions that get a
//! notification. A delivery loads the notifications as their recipients see them then. The caller
//! sends the messages.

mod batches;
mod compose;
mod deliver;
mod plan;
mod sealed_token;
mod subscriptions;

pub use batches::PushMessageId;
pub use compose::compose;
pub use deliver::{DeliverPushes, Delivery, finish, load, next_attempt, ttl};
pub(crate) use plan::enqueue;
pub use plan::{PlanPushes, plan};
pub use subscriptions::{
    Subscribed, Subscriber, SubscriptionRequest, ValidSubscription, change, find, parse_alerts,
    parse_policy, prepare, subscribe, unsubscribe,
};
