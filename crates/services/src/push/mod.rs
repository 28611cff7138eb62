//! Web Push: subscriptions of clients, and the messages that they get about new notifications.
//!
//! The transaction that creates notifications enqueues one job if a recipient has a subscription
//! for them. This job enqueues a delivery for each subscription that gets a notification. The
//! delivery loads the notification as its recipient sees it then. The caller sends the message.

mod compose;
mod deliver;
mod plan;
mod sealed_token;
mod subscriptions;

pub use compose::compose;
pub use deliver::{DeliverPush, Delivery, load, next_attempt, remove_gone, retry, ttl};
pub(crate) use plan::enqueue;
pub use plan::{PlanPushes, plan};
pub use subscriptions::{
    Subscribed, Subscriber, SubscriptionRequest, ValidSubscription, change, find, parse_alerts,
    parse_policy, prepare, subscribe, unsubscribe,
};
