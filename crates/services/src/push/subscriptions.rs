//! Subscriptions: at most one for each access token, created and changed by its client.

use siskin_entities::{NotificationType, PushAlerts, PushPolicy, PushSubscription};
use siskin_ids::{AccountId, TokenId};
use siskin_outbound::{
    HttpClient, Url,
    push::{ClientKeys, InvalidKeys},
};
use siskin_persistence::{
    Conn, Tx,
    push::{self as rows, NewPushSubscription},
};
use siskin_policy::limits::MAX_PUSH_ENDPOINT_BYTES;

use super::sealed_token::seal;
use crate::{Error, Result, vapid};

/// Parameters of a new subscription, as sent by the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubscriptionRequest {
    /// Address of the client at its push service.
    pub endpoint: String,
    /// Public key of the client, in base64.
    pub p256dh: String,
    /// Authentication secret of the client, in base64.
    pub auth: String,
    /// Whether messages are encrypted as in RFC 8291, otherwise as in its early draft.
    pub standard: bool,
    /// Types of notifications.
    pub alerts: PushAlerts,
    /// Name of a policy; `None` for the default.
    pub policy: Option<String>,
}

/// A subscription that passed all checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidSubscription {
    endpoint: String,
    keys: ClientKeys,
    standard: bool,
    alerts: PushAlerts,
    policy: PushPolicy,
}

/// The client that subscribes.
#[derive(Clone, PartialEq, Eq)]
pub struct Subscriber {
    pub account: AccountId,
    pub token: TokenId,
    /// The access token itself.
    pub secret: String,
}

impl std::fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscriber").field("account", &self.account).finish_non_exhaustive()
    }
}

/// A subscription with the public key of the server, which the client must compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscribed {
    pub subscription: PushSubscription,
    pub server_key: String,
}

/// Checks a new subscription. Its messages can be sent only to an https address, or to an address
/// that the operator allowed.
///
/// # Errors
/// [`Error::Invalid`], which names the first wrong parameter.
pub fn prepare(http: &HttpClient, request: SubscriptionRequest) -> Result<ValidSubscription> {
    let SubscriptionRequest { endpoint, p256dh, auth, standard, alerts, policy } = request;
    let endpoint = endpoint.trim().to_owned();
    if endpoint.is_empty() {
        return Err(Error::validation("Endpoint can't be blank"));
    }
    require_short(&endpoint)?;
    // The parser of addresses removes line breaks and escapes spaces, but the address is stored as
    // typed.
    let is_whole = !endpoint.contains(|c: char| c.is_whitespace() || c.is_control());
    let url = Url::parse(&endpoint).ok();
    let url = url.filter(|url| is_whole && http.check_secure(url).is_ok());
    let url = url.ok_or_else(|| Error::validation("Endpoint is not a valid address"))?;
    // Characters that are escaped in an address make it longer.
    require_short(url.as_str())?;
    let keys = ClientKeys::parse(&p256dh, &auth).map_err(|error| match error {
        InvalidKeys::P256dh => Error::validation("P256dh is not a valid key"),
        InvalidKeys::Auth => Error::validation("Auth is not a valid key"),
    })?;
    let policy = policy.as_deref().map(parse_policy).transpose()?.unwrap_or_default();
    // Clients compare the address with theirs, so it is stored as typed. Each delivery parses it
    // again.
    Ok(ValidSubscription { endpoint, keys, standard, alerts, policy })
}

fn require_short(endpoint: &str) -> Result<()> {
    if endpoint.len() <= MAX_PUSH_ENDPOINT_BYTES {
        return Ok(());
    }
    Err(Error::validation(format!(
        "Endpoint is too long (maximum is {MAX_PUSH_ENDPOINT_BYTES} bytes)"
    )))
}

/// Parses the name of a policy.
///
/// # Errors
/// [`Error::Invalid`] if there is no such policy.
pub fn parse_policy(name: &str) -> Result<PushPolicy> {
    name.parse().map_err(|_| Error::validation("Policy is not included in the list"))
}

/// Returns the alerts that are on. Ignores unknown names.
pub fn parse_alerts<'a>(alerts: impl IntoIterator<Item = (&'a str, bool)>) -> PushAlerts {
    let on = alerts.into_iter().filter(|(_, on)| *on);
    on.filter_map(|(name, _)| NotificationType::from_name(name)).collect()
}

/// Returns the subscription of a token.
///
/// # Errors
/// [`Error::NotFound`] if there is none.
pub fn find(conn: &mut Conn, token: TokenId) -> Result<Subscribed> {
    let subscription = rows::find(conn, token)?.ok_or(Error::NotFound)?;
    with_key(conn, subscription)
}

/// Stores the subscription of a token. It replaces an older one of the same token.
///
/// # Errors
/// [`Error::NotFound`] if the token was revoked meanwhile.
pub fn subscribe(
    tx: &mut Tx<'_>,
    subscriber: &Subscriber,
    valid: &ValidSubscription,
) -> Result<Subscribed> {
    let key = server_key(tx)?;
    let new = NewPushSubscription {
        token: subscriber.token,
        account: subscriber.account,
        endpoint: &valid.endpoint,
        p256dh: &valid.keys.p256dh(),
        auth: &valid.keys.auth(),
        standard: valid.standard,
        policy: valid.policy,
        alerts: &valid.alerts,
        sealed_token: &seal(&key, subscriber.token, &subscriber.secret),
    };
    let subscription = rows::replace(tx, &new)?;
    Ok(Subscribed { subscription, server_key: key.public().to_owned() })
}

/// Changes the alerts or the policy of the subscription of a token. `None` keeps the stored value.
///
/// # Errors
/// [`Error::NotFound`] if there is none.
pub fn change(
    tx: &mut Tx<'_>,
    token: TokenId,
    alerts: Option<&PushAlerts>,
    policy: Option<PushPolicy>,
) -> Result<Subscribed> {
    rows::change(tx, token, alerts, policy)?;
    find(tx, token)
}

/// Deletes the subscription of a token, if there is one.
///
/// # Errors
/// Storage errors only.
pub fn unsubscribe(tx: &mut Tx<'_>, token: TokenId) -> Result<()> {
    Ok(rows::delete_of_token(tx, token)?)
}

fn with_key(conn: &mut Conn, subscription: PushSubscription) -> Result<Subscribed> {
    let server_key = vapid::public_key(conn)?.ok_or_else(no_key)?;
    Ok(Subscribed { subscription, server_key })
}

/// Returns the key of this server, which exists since its first start.
pub(super) fn server_key(conn: &mut Conn) -> Result<siskin_outbound::push::VapidKey> {
    vapid::key(conn)?.ok_or_else(no_key)
}

fn no_key() -> Error {
    Error::internal("the server has no key for push messages")
}

#[cfg(test)]
mod tests {
    use super::*;

    const P256DH: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZG\
                          H6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    fn request(endpoint: &str) -> SubscriptionRequest {
        SubscriptionRequest {
            endpoint: endpoint.to_owned(),
            p256dh: P256DH.to_owned(),
            auth: AUTH.to_owned(),
            ..SubscriptionRequest::default()
        }
    }

    fn prepared(request: SubscriptionRequest) -> Result<ValidSubscription, String> {
        let http = HttpClient::new("Siskin", vec!["127.0.0.1:4000".parse().unwrap()]);
        prepare(&http, request).map_err(|error| error.to_string())
    }

    #[test]
    fn https_addresses_and_allowed_ones_are_accepted() {
        for endpoint in [
            "https://push.example/a?b",
            "https://push.example:8443/",
            "https://8.8.8.8/",
            "http://127.0.0.1:4000/a",
        ] {
            assert!(prepared(request(endpoint)).is_ok(), "{endpoint}");
        }
        let longest = format!("https://push.example/{}", "a".repeat(MAX_PUSH_ENDPOINT_BYTES - 21));
        assert_eq!(longest.len(), MAX_PUSH_ENDPOINT_BYTES);
        assert!(prepared(request(&longest)).is_ok());
        let escaped = format!("https://push.example/{}", "é".repeat(1000));
        for longer in [longest + "a", escaped] {
            let refused = prepared(request(&longer)).unwrap_err();
            assert_eq!(refused, "Validation failed: Endpoint is too long (maximum is 2048 bytes)");
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for endpoint in [
            "push.example",
            "http://push.example/",
            "http://8.8.8.8/",
            "ftp://push.example/",
            "https://me:secret@push.example/",
            "https://127.0.0.1/",
            "http://127.0.0.1:4001/",
            "https://[::1]/",
            "https://169.254.169.254/",
            "https://0x7f.1/",
            "https://push.example/a\nb",
            "https://push.example/a\tb",
            "https://push.example/a b",
            "https://push.example/a\u{a0}b",
            "https://push.example/a\u{1}b",
        ] {
            let refused = prepared(request(endpoint)).unwrap_err();
            assert_eq!(refused, "Validation failed: Endpoint is not a valid address", "{endpoint}");
        }
        let blank = prepared(request("")).unwrap_err();
        assert_eq!(blank, "Validation failed: Endpoint can't be blank");
    }

    #[test]
    fn keys_and_policies_are_checked() {
        let of = || request("https://push.example/");
        let wrong = SubscriptionRequest { p256dh: AUTH.to_owned(), ..of() };
        assert_eq!(prepared(wrong).unwrap_err(), "Validation failed: P256dh is not a valid key");
        let wrong = SubscriptionRequest { auth: P256DH.to_owned(), ..of() };
        assert_eq!(prepared(wrong).unwrap_err(), "Validation failed: Auth is not a valid key");
        let named = |policy: &str| SubscriptionRequest { policy: Some(policy.to_owned()), ..of() };
        let unknown = prepared(named("some")).unwrap_err();
        assert_eq!(unknown, "Validation failed: Policy is not included in the list");
        assert_eq!(prepared(named("none")).unwrap().policy, PushPolicy::None);
        assert_eq!(prepared(of()).unwrap().policy, PushPolicy::All);
    }

    #[test]
    fn unknown_alerts_are_ignored() {
        let alerts = [("mention", true), ("poll", false), ("reaction", true), ("status", true)];
        let expected = [NotificationType::Mention, NotificationType::Status];
        assert_eq!(parse_alerts(alerts), PushAlerts::from(expected));
    }
}
