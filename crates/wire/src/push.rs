//! Web Push: subscriptions, and the payload of messages.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Deserializer, Serialize, de::IgnoredAny};
use siskin_entities::{self as view, NotificationType};
use siskin_ids::{NotificationId, PushSubscriptionId};

/// Web Push subscription of the client that asks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct WebPushSubscription {
    /// Id of the subscription.
    pub id: PushSubscriptionId,
    /// Address of the client at its push service.
    pub endpoint: String,
    /// Whether messages are encrypted as in RFC 8291, otherwise as in its early draft.
    #[serde(default)]
    pub standard: bool,
    /// Public key of the server: an uncompressed point of P-256 in base64url.
    pub server_key: String,
    /// Whether notifications of each type are pushed, by name.
    #[serde(deserialize_with = "alerts")]
    pub alerts: BTreeMap<Cow<'static, str>, bool>,
    /// Senders whose notifications are pushed: a name of [`view::PushPolicy`].
    #[serde(default = "all")]
    pub policy: Cow<'static, str>,
}

/// Reads alerts. Fields that are no alert are ignored.
fn alerts<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Cow<'static, str>, bool>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Field {
        Alert(bool),
        Other(IgnoredAny),
    }
    let fields = BTreeMap::<Cow<'static, str>, Field>::deserialize(deserializer)?;
    let alert = |(name, field)| match field {
        Field::Alert(on) => Some((name, on)),
        Field::Other(IgnoredAny) => None,
    };
    Ok(fields.into_iter().filter_map(alert).collect())
}

fn all() -> Cow<'static, str> {
    view::PushPolicy::All.as_str().into()
}

/// Renders a subscription for its client.
#[must_use]
pub fn render(subscription: &view::PushSubscription, server_key: &str) -> WebPushSubscription {
    let alert = |kind: NotificationType| {
        (Cow::Borrowed(kind.as_str()), subscription.alerts.contains(&kind))
    };
    WebPushSubscription {
        id: subscription.id,
        endpoint: subscription.endpoint.clone(),
        standard: subscription.standard,
        server_key: server_key.to_owned(),
        alerts: NotificationType::ALL.into_iter().map(alert).collect(),
        policy: subscription.policy.as_str().into(),
    }
}

/// Payload of a push message, before encryption.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct PushPayload {
    /// Access token of the client, by which it recognises the account.
    pub access_token: String,
    /// Language code of the user interface.
    pub preferred_locale: String,
    /// Id of the notification.
    pub notification_id: NotificationId,
    /// Type of the notification.
    pub notification_type: Cow<'static, str>,
    /// Address of the sender's avatar.
    pub icon: String,
    /// What happened, as plain text.
    pub title: String,
    /// Beginning of the text that the notification is about, as plain text; may be empty.
    pub body: String,
}

impl std::fmt::Debug for PushPayload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushPayload")
            .field("notification_id", &self.notification_id)
            .finish_non_exhaustive()
    }
}

/// Renders the payload of a push message.
#[must_use]
pub fn render_message(message: &view::PushMessage) -> PushPayload {
    PushPayload {
        access_token: message.access_token.clone(),
        preferred_locale: message.locale.clone(),
        notification_id: message.notification,
        notification_type: message.kind.as_str().into(),
        icon: message.icon.clone(),
        title: message.title.clone(),
        body: message.body.clone(),
    }
}

/// Renders the payload of a push message as JSON.
#[must_use]
pub fn message_json(message: &view::PushMessage) -> Vec<u8> {
    serde_json::to_vec(&render_message(message)).expect("the payload contains only texts")
}
