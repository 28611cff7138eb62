//! Composes push messages.

use siskin_entities::{Marked, Notification, PushMessage, Urls};
use siskin_outbound::push::VapidKey;
use siskin_persistence::push::PushRecipient;

use super::sealed_token::open;
use crate::notifications::texts;

/// Language of the user interface of users who have not chosen one.
const DEFAULT_LOCALE: &str = "en";

/// Composes the message about a notification. Returns `None` if the recipient's filters hide the
/// status, or if the stored token cannot be decrypted.
#[must_use]
pub fn compose(
    urls: &Urls,
    key: &VapidKey,
    recipient: &PushRecipient,
    notification: &Marked<Notification>,
) -> Option<PushMessage> {
    let body = texts::body(notification)?;
    let Some(access_token) = open(key, recipient.token, &recipient.sealed_token) else {
        log::warn!("a push message is dropped: its token was sealed with another key");
        return None;
    };
    Some(PushMessage {
        access_token,
        locale: recipient.locale.clone().unwrap_or_else(|| DEFAULT_LOCALE.to_owned()),
        notification: notification.id,
        kind: notification.kind.into(),
        icon: urls.avatar_still(notification.account.avatar.as_ref()),
        title: texts::title(notification, recipient.owner.account),
        body,
    })
}
