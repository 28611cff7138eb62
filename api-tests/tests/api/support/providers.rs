//! Providers of external logins on loopback, honest and lying ones.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
    time::{Duration, UNIX_EPOCH},
};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use p256::ecdsa::{Signature, SigningKey, signature::Signer as _};
use reqwest::Url;
use serde_json::{Value, json};
use siskin_outbound::openid::ProviderConfig;
use siskin_server::Config;
use siskin_test_support::{
    TestDatabase,
    site::{ReceivedRequest, Site, redirect, response},
};

use super::{Client, Response, TestApp, run};
use crate::oauth::{hidden_fields, parameter};

pub const SECRET: &str = "provider-secret";
const CLIENT_ID: &str = "siskin";
/// Page that finishes a sign-up.
pub const SIGN_UP: &str = "/auth/external_sign_up";
/// Page on which people link logins.
pub const LOGINS: &str = "/settings/external-logins";

/// What a provider does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    Audience,
    SecondAudience,
    AuthorizedParty,
    Issuer,
    IssuerOfMetadata,
    PageElsewhere,
    PageOfScript,
    KeysElsewhere,
    TokensElsewhere,
    Expired,
    Nonce,
    NoNonce,
    Unsigned,
    BySecret,
    WrongSignature,
    UnknownKey,
    AccessToken,
    NoIdToken,
    NoSubject,
    LongSubject,
    NullInSubject,
    BreakInSubject,
    HugeBody,
    Redirect,
    Failure,
    NoJson,
    OtherPersonInUserinfo,
}

/// A code that was issued.
#[derive(Debug, Clone)]
struct Issued {
    nonce: String,
    challenge: String,
    redirect_uri: String,
    claims: Value,
    /// When the person signed in. `None` if this server did not ask, as OpenID Connect has it.
    authenticated_at: Option<u64>,
}

#[derive(Debug, Default)]
struct State {
    issuer: String,
    /// Claims about the person who is signed in at the provider.
    claims: Value,
    /// Whether only the userinfo endpoint tells claims other than the subject.
    is_terse: bool,
    /// Whether the person has to sign in at each request.
    keeps_session_since: Option<u64>,
    /// Number of the key that signs.
    key: u8,
    lie: Option<Lie>,
    is_down: bool,
    /// Clock of the provider, ahead of that of the machine.
    ahead: Duration,
    codes: HashMap<String, Issued>,
    access_tokens: HashMap<String, Value>,
    issued: usize,
}

/// A running provider.
pub struct Provider {
    site: Site,
    state: Arc<Mutex<State>>,
    pub id: &'static str,
}

impl Provider {
    pub fn start(id: &'static str) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let now = Arc::clone(&state);
        let site = Site::start(move |received| now.lock().unwrap().answer(received));
        state.lock().unwrap().issuer = site.url("");
        let provider = Self { site, state, id };
        provider.sign_in_as("ann");
        provider
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Returns the configuration of this provider, which is trusted with email addresses.
    pub fn config(&self) -> ProviderConfig {
        ProviderConfig {
            id: self.id.to_owned(),
            name: format!("The {} provider", self.id),
            issuer: self.issuer(),
            client_id: CLIENT_ID.to_owned(),
            client_secret: Some(SECRET.to_owned()),
            scopes: vec!["profile".to_owned(), "email".to_owned()],
            trusts_emails: true,
        }
    }

    pub fn issuer(&self) -> String {
        self.state().issuer.clone()
    }

    /// Lets the person with this name be signed in at the provider, who has a verified address at
    /// `people.example`.
    pub fn sign_in_as(&self, name: &str) {
        self.tell(json!({
            "sub": format!("id-of-{name}"),
            "preferred_username": name,
            "email": format!("{name}@people.example"),
            "email_verified": true,
        }));
    }

    /// Sets the claims about the person.
    pub fn tell(&self, claims: Value) {
        self.state().claims = claims;
    }

    /// Lets only the userinfo endpoint tell claims other than the subject.
    pub fn be_terse(&self) {
        self.state().is_terse = true;
    }

    /// Does not ask the person to sign in again from now on.
    pub fn keep_session(&self) {
        let now = self.state().now();
        self.state().keeps_session_since = Some(now);
    }

    /// Lies from now on, or no more.
    pub fn lie(&self, lie: impl Into<Option<Lie>>) {
        self.state().lie = lie.into();
    }

    /// Answers no request from now on, or does again.
    pub fn be_down(&self, is_down: bool) {
        self.state().is_down = is_down;
    }

    /// Signs with a new key from now on, and publishes only that.
    pub fn rotate_key(&self) {
        self.state().key += 1;
    }

    /// Moves the clock of the provider forward.
    pub fn advance(&self, by: Duration) {
        self.state().ahead += by;
    }

    /// Returns the number of requests to a path so far.
    pub fn requests(&self, path: &str) -> usize {
        self.site.received().iter().filter(|received| received.path == path).count()
    }

    /// Lets the person who is signed in at the provider agree to a sign-in at this address. Returns
    /// the address to which the provider sends the browser back.
    pub fn agree(&self, url: &str) -> String {
        let value = |name| parameter(url, name).unwrap_or_else(|| panic!("no {name} in {url}"));
        assert!(url.starts_with(&format!("{}/authorize?", self.issuer())), "{url}");
        assert_eq!(value("response_type"), "code");
        assert_eq!(value("code_challenge_method"), "S256");
        assert_eq!(value("client_id"), CLIENT_ID);
        assert!(value("scope").split(' ').any(|scope| scope == "openid"), "{url}");
        let mut state = self.state();
        state.issued += 1;
        let code = format!("code-{}", state.issued);
        let issued = Issued {
            nonce: value("nonce"),
            challenge: value("code_challenge"),
            redirect_uri: value("redirect_uri"),
            claims: state.claims.clone(),
            authenticated_at: parameter(url, "max_age")
                .map(|_| state.keeps_session_since.unwrap_or_else(|| state.now())),
        };
        state.codes.insert(code.clone(), issued);
        let back = [("code", &*code), ("state", &value("state")), ("iss", &state.issuer)];
        Url::parse_with_params(&value("redirect_uri"), back).unwrap().into()
    }

    /// Returns the address to which the provider sends the browser back if the person does not
    /// agree.
    pub fn refuse(&self, url: &str, error: &str) -> String {
        let value = |name| parameter(url, name).unwrap();
        let back = [("error", error), ("state", &value("state"))];
        Url::parse_with_params(&value("redirect_uri"), back).unwrap().into()
    }
}

impl State {
    fn now(&self) -> u64 {
        (UNIX_EPOCH.elapsed().unwrap() + self.ahead).as_secs()
    }

    fn answer(&mut self, received: &ReceivedRequest) -> Vec<u8> {
        match received.path.split('?').next().unwrap() {
            _ if self.is_down => response("503 Service Unavailable", &[], b"down"),
            "/.well-known/openid-configuration" => self.metadata(),
            "/keys" => json_response("200 OK", &json!({ "keys": [self.public_key()] })),
            "/token" => self.token(received),
            "/userinfo" => self.userinfo(received),
            other => panic!("the provider got a request to {other}"),
        }
    }

    fn metadata(&self) -> Vec<u8> {
        let issuer = match self.lie {
            Some(Lie::IssuerOfMetadata) => "https://other.example",
            _ => &self.issuer,
        };
        let at = |path: &str| match (self.lie, path) {
            (Some(Lie::PageElsewhere), "authorize") => "http://other.example/".to_owned(),
            (Some(Lie::PageOfScript), "authorize") => "javascript:alert(1)".to_owned(),
            // Another port of this machine.
            (Some(Lie::KeysElsewhere), "keys") | (Some(Lie::TokensElsewhere), "token") => {
                "http://127.0.0.1:9/".to_owned()
            }
            _ => format!("{}/{path}", self.issuer),
        };
        json_response(
            "200 OK",
            &json!({
                "issuer": issuer,
                "authorization_endpoint": at("authorize"),
                "token_endpoint": at("token"),
                "userinfo_endpoint": at("userinfo"),
                "jwks_uri": at("keys"),
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["ES256", "RS256", "HS256", "none"],
            }),
        )
    }

    fn signing_key(&self) -> SigningKey {
        SigningKey::from_slice(&[self.key + 1; 32]).unwrap()
    }

    fn public_key(&self) -> Value {
        let point = self.signing_key().verifying_key().to_encoded_point(false);
        let coordinate = |bytes: Option<&_>| URL_SAFE_NO_PAD.encode(bytes.unwrap());
        json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.key_id(),
            "x": coordinate(point.x()), "y": coordinate(point.y()),
        })
    }

    fn key_id(&self) -> String {
        format!("key-{}", self.key)
    }

    /// Exchanges a code, as RFC 6749 and RFC 7636 say.
    fn token(&mut self, received: &ReceivedRequest) -> Vec<u8> {
        match self.lie {
            Some(Lie::HugeBody) => {
                let body = format!("{{\"access_token\":\"{}\"}}", "x".repeat(2 << 20));
                return response(
                    "200 OK",
                    &[("content-type", "application/json")],
                    body.as_bytes(),
                );
            }
            Some(Lie::Redirect) => return redirect(&format!("{}/keys", self.issuer)),
            Some(Lie::Failure) => return response("500 Internal Server Error", &[], b"broken"),
            Some(Lie::NoJson) => {
                return response("200 OK", &[("content-type", "application/json")], b"<html>");
            }
            _ => {}
        }
        let expected = format!("Basic {}", STANDARD.encode(format!("{CLIENT_ID}:{SECRET}")));
        if received.header("authorization") != Some(&expected) {
            return json_response("401 Unauthorized", &json!({ "error": "invalid_client" }));
        }
        let body = String::from_utf8(received.body.clone()).unwrap();
        let address = format!("http://x/?{body}");
        let value = |name: &str| parameter(&address, name).unwrap_or_default();
        let Some(issued) = self.codes.remove(&value("code")) else { return invalid_grant() };
        let digest = ring::digest::digest(&ring::digest::SHA256, value("code_verifier").as_bytes());
        let is_proven = URL_SAFE_NO_PAD.encode(digest) == issued.challenge;
        let is_right = value("grant_type") == "authorization_code"
            && value("redirect_uri") == issued.redirect_uri;
        if !is_proven || !is_right {
            return invalid_grant();
        }
        let access_token = format!("access-{}", self.issued);
        self.access_tokens.insert(access_token.clone(), issued.claims.clone());
        let mut tokens = json!({
            "access_token": access_token, "token_type": "Bearer", "expires_in": 300,
        });
        if self.lie != Some(Lie::NoIdToken) {
            tokens["id_token"] = self.id_token(&issued, &access_token).into();
        }
        json_response("200 OK", &tokens)
    }

    fn id_token(&self, issued: &Issued, access_token: &str) -> String {
        let now = self.now();
        let mut claims = match self.is_terse {
            true => json!({ "sub": issued.claims["sub"] }),
            false => issued.claims.clone(),
        };
        let digest = ring::digest::digest(&ring::digest::SHA256, access_token.as_bytes());
        let all = claims.as_object_mut().unwrap();
        all.extend(
            [
                ("iss", json!(self.issuer)),
                ("aud", json!(CLIENT_ID)),
                ("nonce", json!(issued.nonce)),
                ("iat", json!(now)),
                ("exp", json!(now + 300)),
                ("at_hash", json!(URL_SAFE_NO_PAD.encode(&digest.as_ref()[..16]))),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        if let Some(at) = issued.authenticated_at {
            claims["auth_time"] = json!(at);
        }
        match self.lie {
            Some(Lie::Audience) => claims["aud"] = json!("another"),
            Some(Lie::SecondAudience) => claims["aud"] = json!([CLIENT_ID, "another"]),
            Some(Lie::AuthorizedParty) => claims["azp"] = json!("another"),
            Some(Lie::Issuer) => claims["iss"] = json!("https://other.example"),
            Some(Lie::Expired) => claims["exp"] = json!(now - 120),
            Some(Lie::Nonce) => claims["nonce"] = json!("another"),
            Some(Lie::NoNonce) => drop(claims.as_object_mut().unwrap().remove("nonce")),
            Some(Lie::AccessToken) => claims["at_hash"] = json!("another"),
            Some(Lie::NoSubject) => claims["sub"] = json!(""),
            Some(Lie::LongSubject) => claims["sub"] = json!("x".repeat(300)),
            Some(Lie::NullInSubject) => claims["sub"] = json!("id\0"),
            Some(Lie::BreakInSubject) => claims["sub"] = json!("id\nof"),
            _ => {}
        }
        self.signed(&claims)
    }

    fn signed(&self, claims: &Value) -> String {
        let (algorithm, key_id) = match self.lie {
            Some(Lie::Unsigned) => ("none", self.key_id()),
            Some(Lie::BySecret) => ("HS256", self.key_id()),
            Some(Lie::UnknownKey) => ("ES256", "unknown".to_owned()),
            _ => ("ES256", self.key_id()),
        };
        let header = json!({ "alg": algorithm, "typ": "JWT", "kid": key_id });
        let encoded =
            [header.to_string(), claims.to_string()].map(|part| URL_SAFE_NO_PAD.encode(part));
        let text = encoded.join(".");
        let signature = match self.lie {
            Some(Lie::Unsigned) => Vec::new(),
            Some(Lie::BySecret) => {
                let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, SECRET.as_bytes());
                ring::hmac::sign(&key, text.as_bytes()).as_ref().to_vec()
            }
            Some(Lie::WrongSignature) => self.ecdsa(&format!("{text} ")),
            _ => self.ecdsa(&text),
        };
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn ecdsa(&self, text: &str) -> Vec<u8> {
        let signature: Signature = self.signing_key().sign(text.as_bytes());
        signature.to_bytes().to_vec()
    }

    fn userinfo(&self, received: &ReceivedRequest) -> Vec<u8> {
        let token = received.header("authorization").and_then(|it| it.strip_prefix("Bearer "));
        let Some(claims) = token.and_then(|token| self.access_tokens.get(token)) else {
            return response("401 Unauthorized", &[], b"");
        };
        let mut claims = claims.clone();
        if self.lie == Some(Lie::OtherPersonInUserinfo) {
            claims["sub"] = json!("another");
        }
        json_response("200 OK", &claims)
    }
}

fn json_response(status: &str, body: &Value) -> Vec<u8> {
    response(status, &[("content-type", "application/json")], body.to_string().as_bytes())
}

fn invalid_grant() -> Vec<u8> {
    json_response("400 Bad Request", &json!({ "error": "invalid_grant" }))
}

/// Runs `test` with a server that has one provider.
pub fn with_provider(database: &TestDatabase, test: impl AsyncFnOnce(&TestApp, &Provider)) {
    with_provider_and(database, |_, _| (), test);
}

/// Does the same with a server that `configure` may change.
pub fn with_provider_and(
    database: &TestDatabase,
    configure: impl FnOnce(&mut Config, &mut ProviderConfig),
    test: impl AsyncFnOnce(&TestApp, &Provider),
) {
    let provider = Provider::start("main");
    let use_it = |config: &mut Config| {
        let mut external_login = provider.config();
        configure(config, &mut external_login);
        config.external_logins.push(external_login);
    };
    run(database, use_it, async |app| test(app, &provider).await);
}

impl Client {
    /// Begins a sign-in at a provider, and returns the address of the provider.
    pub async fn leave_for(&self, path: &str) -> String {
        let left = self.get(path).await;
        assert_eq!(left.status, 302, "{left:?}");
        left.header("location").unwrap().to_owned()
    }

    /// Signs in at a provider and comes back.
    pub async fn sign_in_at(&self, provider: &Provider) -> Response {
        self.sign_in_by(provider, &format!("/auth/external/{}", provider.id)).await
    }

    /// Does the same by this path, which leads to the provider.
    pub async fn sign_in_by(&self, provider: &Provider, path: &str) -> Response {
        let there = self.leave_for(path).await;
        self.get(&provider.agree(&there)).await
    }

    /// Opens the form that finishes a sign-up, and sends it with these values in place of valid
    /// ones.
    pub async fn finish_sign_up(&self, values: &[(&str, &str)]) -> Response {
        let page = self.get(SIGN_UP).await;
        assert_eq!(page.status, 200, "{page:?}");
        self.send_sign_up(&page, values).await
    }

    /// Sends the form on this page.
    pub async fn send_sign_up(&self, page: &Response, values: &[(&str, &str)]) -> Response {
        let mut form = hidden_fields(&page.text(), SIGN_UP);
        let usual = [("username", "ann"), ("agreement", "1")];
        let usual = usual.iter().filter(|(name, _)| values.iter().all(|(other, _)| other != name));
        form.extend(
            usual.chain(values).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        self.form(SIGN_UP, &form).await
    }

    /// Opens a page, and sends its form to `action` with these values.
    pub async fn send_external(
        &self,
        page: &str,
        action: &str,
        values: &[(&str, &str)],
    ) -> Response {
        let page = self.get(page).await;
        assert_eq!(page.status, 200, "{page:?}");
        self.send_form(&page.text(), action, values).await
    }

    /// Links the login of the person who is signed in at the provider.
    pub async fn link(&self, provider: &Provider, password: &str) -> Response {
        let action = format!("{LOGINS}/{}/link", provider.id);
        let values = [("current_password", password)];
        let leaving = self.send_external(LOGINS, &action, &values).await;
        self.get(&provider.agree(&address_on(&leaving))).await
    }

    /// Proves on this page who the person is, by another sign-in at the provider.
    pub async fn prove(&self, provider: &Provider, page: &str) -> Response {
        let action = format!("/auth/external/{}/prove", provider.id);
        let leaving = self.send_external(page, &action, &[]).await;
        self.get(&provider.agree(&address_on(&leaving))).await
    }
}

/// Returns the address to which a page leads at once.
pub fn address_on(page: &Response) -> String {
    assert_eq!(page.status, 200, "{page:?}");
    let text = page.text();
    let rest = text.split("http-equiv=\"refresh\" content=\"0; url=").nth(1);
    let rest = rest.unwrap_or_else(|| panic!("the page leads nowhere: {text}"));
    rest.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&")
}
