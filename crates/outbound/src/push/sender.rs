//! Sends a message to a push service and interprets the response.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use reqwest::{
    StatusCode,
    header::{
        AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
        RETRY_AFTER,
    },
};
use siskin_entities::Timestamp;
use time::{OffsetDateTime, format_description::well_known::Rfc2822};
use url::Url;

use super::{
    VapidKey,
    encrypt::{ClientKeys, Encoding, Encrypted, encrypt},
};
use crate::{FetchError, HttpClient, Limits, Request};

const TTL: HeaderName = HeaderName::from_static("ttl");
const URGENCY: HeaderName = HeaderName::from_static("urgency");
const ENCRYPTION: HeaderName = HeaderName::from_static("encryption");
const CRYPTO_KEY: HeaderName = HeaderName::from_static("crypto-key");

/// Lifetime of a signed token. Push services refuse more than 24 hours.
const TOKEN_LIFETIME: Duration = Duration::from_secs(12 * 3600);
/// A cached token is used until this long before its end.
const TOKEN_RESERVE: Duration = Duration::from_secs(3600);
/// Maximum number of cached tokens. Clients choose the origins.
const MAX_TOKENS: usize = 1000;

impl Limits {
    /// Limits for a message to a push service. The body of the response is not read.
    const PUSH: Self = Self { bytes: 0, time: Duration::from_secs(10), redirects: 0 };
}

/// Message to a client.
#[derive(Clone, Copy)]
pub struct OutgoingPush<'a> {
    /// Address of the client at its push service.
    pub endpoint: &'a str,
    pub keys: &'a ClientKeys,
    pub encoding: Encoding,
    pub message: &'a [u8],
    /// How long the push service keeps the message while the client is offline.
    pub ttl: Duration,
}

impl fmt::Debug for OutgoingPush<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutgoingPush").field("encoding", &self.encoding).finish_non_exhaustive()
    }
}

/// What became of a message. The texts are for the log; they contain no path of the endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    /// The push service accepted the message.
    Accepted,
    /// The client unsubscribed.
    Gone,
    /// The push service may accept the message later; after this time if it says so.
    Later {
        /// Time that the push service asks for.
        after: Option<Duration>,
        /// Reason.
        why: String,
    },
    /// The push service will not accept the message.
    Refused {
        /// Reason.
        why: String,
    },
}

/// Sends messages that are signed with the key of this server. Clones share signed tokens.
#[derive(Clone)]
pub struct PushSender {
    key: VapidKey,
    tokens: Arc<Mutex<HashMap<(String, String), SignedToken>>>,
}

#[derive(Clone)]
struct SignedToken {
    token: String,
    expires_at: Timestamp,
}

impl fmt::Debug for PushSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushSender").field("key", &self.key).finish_non_exhaustive()
    }
}

impl PushSender {
    /// Creates a sender with this key.
    #[must_use]
    pub fn new(key: VapidKey) -> Self {
        Self { key, tokens: Arc::default() }
    }

    /// Returns the key of this server.
    #[must_use]
    pub const fn key(&self) -> &VapidKey {
        &self.key
    }

    /// Encrypts a message, sends it and interprets the response. `contact` is a `mailto:` or
    /// `https:` address of the operator.
    pub async fn send(
        &self,
        http: &HttpClient,
        push: &OutgoingPush<'_>,
        contact: &str,
        now: Timestamp,
    ) -> PushOutcome {
        let request = match self.request(push, contact, now) {
            Ok(request) => request,
            Err(why) => return PushOutcome::Refused { why },
        };
        match http.send(&request, Limits::PUSH).await {
            Ok(response) => interpret(response.status, &response.headers, now),
            Err(error) => failed(&error),
        }
    }

    fn request(
        &self,
        push: &OutgoingPush<'_>,
        contact: &str,
        now: Timestamp,
    ) -> Result<Request, String> {
        let url = Url::parse(push.endpoint).map_err(|_| "the endpoint is malformed".to_owned())?;
        let encrypted =
            encrypt(push.encoding, push.keys, push.message).map_err(|error| error.to_string())?;
        let token = self.token(&url.origin().ascii_serialization(), contact, now);
        let value = |text: &str| {
            let mut value = HeaderValue::from_str(text).map_err(|error| error.to_string())?;
            value.set_sensitive(true);
            Ok::<_, String>(value)
        };
        let fixed = HeaderValue::from_static;
        let Encrypted { body, salt, sender } = encrypted;
        let request = Request::post(push.endpoint, body)
            .without_response_body()
            .with(TTL, value(&push.ttl.as_secs().to_string())?)
            .with(URGENCY, fixed("normal"))
            .with(CONTENT_TYPE, fixed("application/octet-stream"))
            .with(CONTENT_ENCODING, fixed(push.encoding.name()));
        Ok(match push.encoding {
            Encoding::Standard => {
                let authorization = format!("vapid t={token}, k={}", self.key.public());
                request.with(AUTHORIZATION, value(&authorization)?)
            }
            Encoding::Draft => {
                let salt = format!("salt={}", URL_SAFE_NO_PAD.encode(salt));
                let sender = URL_SAFE_NO_PAD.encode(sender);
                let keys = format!("dh={sender};p256ecdsa={}", self.key.public());
                request
                    .with(AUTHORIZATION, value(&format!("WebPush {token}"))?)
                    .with(ENCRYPTION, value(&salt)?)
                    .with(CRYPTO_KEY, value(&keys)?)
            }
        })
    }

    /// Returns a signed token for an origin, from the cache if there is one.
    fn token(&self, origin: &str, contact: &str, now: Timestamp) -> String {
        let key = (origin.to_owned(), contact.to_owned());
        let cached = || self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let is_usable = |signed: &&SignedToken| {
            // The second check is for a clock that was set back.
            signed.expires_at > now.after(TOKEN_RESERVE)
                && signed.expires_at <= now.after(TOKEN_LIFETIME)
        };
        if let Some(signed) = cached().get(&key).filter(is_usable) {
            return signed.token.clone();
        }
        let expires_at = now.after(TOKEN_LIFETIME);
        let token = self.key.sign(origin, contact, expires_at);
        let mut tokens = cached();
        if tokens.len() >= MAX_TOKENS {
            tokens.clear();
        }
        tokens.insert(key, SignedToken { token: token.clone(), expires_at });
        token
    }
}

fn interpret(status: StatusCode, headers: &HeaderMap, now: Timestamp) -> PushOutcome {
    let why = format!("the response was {}", status.as_u16());
    match status.as_u16() {
        200..=299 => PushOutcome::Accepted,
        404 | 410 => PushOutcome::Gone,
        408 | 429 | 500..=599 => PushOutcome::Later { after: retry_after(headers, now), why },
        _ => PushOutcome::Refused { why },
    }
}

fn failed(error: &FetchError) -> PushOutcome {
    let why = error.to_string();
    if error.is_passing() {
        PushOutcome::Later { after: None, why }
    } else {
        PushOutcome::Refused { why }
    }
}

/// Returns the time of the header `Retry-After`: seconds, or a date.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = OffsetDateTime::parse(value, &Rfc2822).ok()?;
    let seconds = at.unix_timestamp().saturating_sub(now.unix_seconds());
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);
    const CONTACT: &str = "mailto:me@example.com";

    fn sender() -> PushSender {
        PushSender::new(VapidKey::new(&[7; 32]).unwrap())
    }

    fn outcome(status: u16, retry_after: Option<&str>) -> PushOutcome {
        let mut headers = HeaderMap::new();
        if let Some(value) = retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from_str(value).unwrap());
        }
        interpret(StatusCode::from_u16(status).unwrap(), &headers, NOW)
    }

    #[test]
    fn the_status_decides_whether_a_message_is_sent_again() {
        for status in [200, 201, 202, 204] {
            assert_eq!(outcome(status, None), PushOutcome::Accepted);
        }
        for status in [404, 410] {
            assert_eq!(outcome(status, None), PushOutcome::Gone);
        }
        for status in [408, 429, 500, 502, 503] {
            assert!(matches!(outcome(status, None), PushOutcome::Later { after: None, .. }));
        }
        for status in [301, 302, 307, 400, 401, 403, 413] {
            assert!(matches!(outcome(status, None), PushOutcome::Refused { .. }), "{status}");
        }
    }

    #[test]
    fn a_service_names_the_time_in_seconds_or_as_a_date() {
        for (value, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Fri, 27 Nov 2026 08:02:00 GMT", Some(120)),
            ("Fri, 27 Nov 2026 07:00:00 GMT", Some(0)),
            ("soon", None),
            ("-5", None),
        ] {
            let expected = seconds.map(Duration::from_secs);
            let PushOutcome::Later { after, .. } = outcome(429, Some(value)) else { panic!() };
            assert_eq!(after, expected, "{value}");
        }
    }

    #[test]
    fn a_token_is_signed_once_for_each_origin() {
        let sender = sender();
        let token = |origin: &str, minutes: u64| {
            sender.token(origin, CONTACT, NOW.after(Duration::from_secs(60 * minutes)))
        };
        let first = token("https://one.example", 0);
        assert_eq!(token("https://one.example", 10 * 60), first);
        assert_ne!(token("https://two.example", 0), first);
        assert_ne!(token("https://one.example", 11 * 60 + 1), first);
    }

    #[test]
    fn a_token_from_the_future_is_not_used() {
        let sender = sender();
        let later = sender.token("https://one.example", CONTACT, NOW.after(TOKEN_LIFETIME));
        assert_ne!(sender.token("https://one.example", CONTACT, NOW), later);
    }

    #[test]
    fn the_cache_of_tokens_is_bounded() {
        let sender = sender();
        for number in 0..MAX_TOKENS + 5 {
            sender.tokens.lock().unwrap().insert(
                (number.to_string(), String::new()),
                SignedToken { token: String::new(), expires_at: NOW },
            );
        }
        sender.token("https://one.example", CONTACT, NOW);
        assert_eq!(sender.tokens.lock().unwrap().len(), 1);
    }
}
