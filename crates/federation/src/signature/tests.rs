//! Tests of signatures: what is made is accepted, and every change of it is refused.

mod adversaries;
mod demands;
mod rfc9421;
mod strictness;
mod vectors;

use proptest::prelude::*;
use siskin_entities::Timestamp;

use super::*;
use crate::{
    http_date,
    keys::{PrivateKey, samples},
};

/// 2026-11-27T08:00:00Z.
const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);
const HOSTS: &[&str] = &["far.example", "other.example:8443"];
const KEY_ID: &str = "https://town.example/users/a#main-key";
const BODY: &[u8] = br#"{"type":"Like"}"#;
const BOTH: [Scheme; 2] = [Scheme::Cavage, Scheme::Rfc9421];

/// An owned request.
#[derive(Debug, Clone)]
struct Sent {
    method: String,
    scheme: String,
    authority: String,
    target: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl Sent {
    fn to(method: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            scheme: "https".to_owned(),
            authority: "far.example".to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    fn get() -> Self {
        Self::to("GET", "/users/b?page=1").with("Accept", "application/activity+json")
    }

    fn post() -> Self {
        let sent =
            Self::to("POST", "/users/b/inbox").with("Content-Type", "application/activity+json");
        Self { body: BODY.to_owned(), ..sent }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.as_bytes().to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// Replaces the value of a header.
    fn set(self, name: &str, value: &str) -> Self {
        self.without(name).with(name, value)
    }

    /// Replaces a part of the value of a header that has it.
    fn replace(self, name: &str, from: &str, to: &str) -> Self {
        let value = self.value(name);
        assert!(value.contains(from), "{value} has no {from}");
        self.set(name, &value.replacen(from, to, 1))
    }

    fn value(&self, name: &str) -> String {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        String::from_utf8(found.unwrap().1.clone()).unwrap()
    }

    fn view<T>(&self, then: impl FnOnce(&Request<'_>) -> T) -> T {
        let headers: Vec<(&str, &[u8])> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        then(&Request {
            method: &self.method,
            scheme: &self.scheme,
            authority: &self.authority,
            target: &self.target,
            headers: &headers,
            body: &self.body,
        })
    }

    /// Adds the host, which a client sends, and a signature.
    fn signed_by(self, key: &PrivateKey, scheme: Scheme) -> Self {
        let added = self.view(|request| sign(key, KEY_ID, request, NOW, scheme)).unwrap();
        let host = self.authority.clone();
        let sent = self.with("Host", &host);
        added.into_iter().fold(sent, |sent, (name, value)| sent.set(name, &value))
    }

    /// Adds a signature by the RSA key.
    fn signed(self, scheme: Scheme) -> Self {
        self.signed_by(&samples::rsa(), scheme)
    }

    /// Adds a signature of the draft over these parts, by the RSA key.
    fn signed_over(self, headers: &str, more: &str) -> Self {
        let parts: Vec<String> = headers.split(' ').map(str::to_owned).collect();
        let parameter = |name: &str| {
            let found = more.split(',').find_map(|it| it.strip_prefix(name)?.strip_prefix('='));
            found.map(str::to_owned)
        };
        let (created, expires) = (parameter("created"), parameter("expires"));
        let base = self.view(|request| {
            cavage::base(request, &parts, created.as_deref(), expires.as_deref()).unwrap()
        });
        self.with("Signature", &cavage_header(headers, more, &base))
    }

    /// Adds a signature of RFC 9421 with this input, by the RSA key.
    fn signed_with_input(self, input: &str) -> Self {
        let base = self.view(|request| message_base(request, input));
        let signature = base64(&samples::rsa().sign(&base).unwrap());
        let sent = self.with("Signature-Input", &format!("sig1={input}"));
        sent.with("Signature", &format!("sig1=:{signature}:"))
    }

    fn read_at(&self, now: Timestamp) -> Result<Unverified, SignatureError> {
        self.view(|request| read(request, HOSTS, now))
    }

    fn check_by(&self, key: &PublicKey) -> Result<SignedTarget, SignatureError> {
        self.view(|request| verify(request, HOSTS, NOW, key))
    }

    /// Checks the signature by the RSA key.
    fn check(&self) -> Result<SignedTarget, SignatureError> {
        self.check_by(samples::rsa().public())
    }
}

fn base64(bytes: &[u8]) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    STANDARD.encode(bytes)
}

/// Returns the signed bytes for an input, written in its only form.
fn message_base(request: &Request<'_>, input: &str) -> Vec<u8> {
    use crate::structured::{Member, dictionary};
    match dictionary(format!("a={input}").as_bytes()).unwrap().pop() {
        Some((_, Member::List(list))) => message::base(request, &list).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Returns a header of the draft with a signature of these bytes.
fn cavage_header(headers: &str, more: &str, base: &[u8]) -> String {
    let signature = base64(&samples::rsa().sign(base).unwrap());
    let more = if more.is_empty() { String::new() } else { format!("{more},") };
    format!("keyId=\"{KEY_ID}\",{more}headers=\"{headers}\",signature=\"{signature}\"")
}

fn date(time: Timestamp) -> String {
    http_date::write(time).unwrap()
}

#[test]
fn what_is_signed_is_accepted() {
    for key in [samples::rsa(), samples::ed25519()] {
        for scheme in BOTH {
            for sent in [Sent::get(), Sent::post(), Sent::to("HEAD", "/"), Sent::to("DELETE", "/")]
            {
                let sent = sent.signed_by(&key, scheme);
                let unverified = sent.read_at(NOW).unwrap();
                assert_eq!(unverified.key_id(), KEY_ID);
                assert_eq!(unverified.scheme(), scheme);
                assert_eq!(unverified.signed_at(), NOW);
                assert_eq!(unverified.check(key.public()), Ok(SignedTarget::Whole));
            }
        }
    }
}

#[test]
fn the_first_knock_covers_what_all_peers_read() {
    let covered = |sent: &Sent| sent.read_at(NOW).unwrap().covered.join(" ");
    let post = Sent::post().signed(Scheme::Cavage);
    assert_eq!(covered(&post), "(request-target) host date digest content-type");
    let start =
        format!("keyId=\"{KEY_ID}\",algorithm=\"rsa-sha256\",headers=\"(request-target) host");
    assert!(post.value("signature").starts_with(&start));
    assert_eq!(post.value("date"), "Fri, 27 Nov 2026 08:00:00 GMT");
    assert_eq!(covered(&Sent::get().signed(Scheme::Cavage)), "(request-target) host date");
    let by_ed25519 = Sent::get().signed_by(&samples::ed25519(), Scheme::Cavage);
    assert!(by_ed25519.value("signature").contains("algorithm=\"hs2019\""));
}

#[test]
fn the_second_knock_covers_method_target_and_content() {
    let post = Sent::post().signed(Scheme::Rfc9421);
    let input = format!(
        "sig1=(\"@method\" \"@target-uri\" \"@authority\" \"content-digest\" \"content-type\");\
         created=1795766400;keyid=\"{KEY_ID}\";alg=\"rsa-v1_5-sha256\"",
    );
    assert_eq!(post.value("signature-input"), input);
    let get = Sent::get().signed_by(&samples::ed25519(), Scheme::Rfc9421);
    let input = format!(
        "sig1=(\"@method\" \"@target-uri\" \"@authority\");\
         created=1795766400;keyid=\"{KEY_ID}\";alg=\"ed25519\"",
    );
    assert_eq!(get.value("signature-input"), input);
}

#[test]
fn a_signature_of_a_get_may_leave_out_the_query() {
    for scheme in BOTH {
        let mut get = Sent::to("GET", "/users/b").signed(scheme);
        get.target.push_str("?page=1");
        assert_eq!(get.check(), Ok(SignedTarget::WithoutQuery));
        let mut post = Sent::post().signed(scheme);
        post.target.push_str("?page=1");
        assert_eq!(post.check(), Err(SignatureError::Wrong));
    }
}

#[test]
fn requests_that_have_no_form_in_the_headers_are_not_signed() {
    let error = |sent: &Sent, id: &str, now| {
        sent.view(|request| sign(&samples::ed25519(), id, request, now, Scheme::Cavage))
            .unwrap_err()
    };
    let long = format!("https://town.example/{}", "a".repeat(2048));
    for id in ["", "a\"b", "a\\b", "a b", "a\nb", "ä", &long] {
        assert_eq!(error(&Sent::get(), id, NOW), SigningError::KeyId, "{id:?}");
    }
    for target in ["", "users", "/a b", "/a\r\nhost: x", "*", "https://far.example/"] {
        assert_eq!(error(&Sent::to("GET", target), KEY_ID, NOW), SigningError::Request, "{target}");
    }
    for method in ["", "GET\n", "G T"] {
        assert_eq!(error(&Sent::to(method, "/"), KEY_ID, NOW), SigningError::Request, "{method}");
    }
    let split = Sent::post().set("content-type", "a\r\nb: c");
    assert_eq!(error(&split, KEY_ID, NOW), SigningError::Request);
    let never = Timestamp::from_unix_ms(i64::MAX);
    assert_eq!(error(&Sent::get(), KEY_ID, never), SigningError::Time);
}

proptest! {
    #[test]
    fn any_request_that_is_signed_is_accepted(
        path in "/[a-zA-Z0-9/._~%@:-]{0,20}",
        query in prop::option::of("[a-zA-Z0-9=&%+./?-]{0,20}"),
        body in prop::collection::vec(any::<u8>(), 0..40),
        is_post in any::<bool>(),
        seconds in 0_i64..4_000_000_000,
        by_rsa in any::<bool>(),
    ) {
        let target = query.map_or(path.clone(), |query| format!("{path}?{query}"));
        let mut sent = Sent::to(if is_post { "POST" } else { "GET" }, &target);
        sent.body = body;
        let now = Timestamp::from_unix_ms(seconds * 1000);
        let key = if by_rsa { samples::rsa() } else { samples::ed25519() };
        for scheme in BOTH {
            let added = sent.view(|request| sign(&key, KEY_ID, request, now, scheme)).unwrap();
            let sent = added.into_iter().fold(sent.clone(), |sent, (name, value)| sent.with(name, &value));
            let unverified = sent.read_at(now).unwrap();
            prop_assert_eq!(unverified.check(key.public()), Ok(SignedTarget::Whole));
        }
    }

    #[test]
    fn any_header_is_read_without_panic(
        signature in prop::collection::vec(any::<u8>(), 0..80),
        input in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let mut sent = Sent::get();
        sent.headers.push(("Signature".to_owned(), signature));
        prop_assert!(sent.read_at(NOW).is_err());
        sent.headers.push(("Signature-Input".to_owned(), input));
        prop_assert!(sent.read_at(NOW).is_err());
    }

    #[test]
    fn any_change_of_a_signed_header_is_refused_or_has_no_effect(
        which in 0..4_usize,
        at in 0..400_usize,
        byte in any::<u8>(),
        scheme in prop::sample::select(&BOTH[..]),
    ) {
        let mut sent = Sent::post().signed(scheme);
        let names = ["signature", "signature-input", "date", "content-digest"];
        let original = sent.clone();
        let changed = sent.headers.iter_mut().find(|(name, _)| name == names[which]);
        if let Some(place) = changed.and_then(|(_, value)| value.get_mut(at)) {
            *place = byte;
        }
        if sent.check().is_ok() {
            // The label and the case of some names are not signed, and say nothing.
            let (old, new) = (original.read_at(NOW).unwrap(), sent.read_at(NOW).unwrap());
            prop_assert_eq!(&old.bases, &new.bases);
            prop_assert_eq!(&old.signature, &new.signature);
        }
    }
}
