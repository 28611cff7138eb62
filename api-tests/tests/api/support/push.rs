//! Clients that subscribe to push messages and decrypt them, and a push service on loopback.

use std::sync::{Arc, Mutex};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use p256::{
    PublicKey, SecretKey,
    ecdh::diffie_hellman,
    ecdsa::{Signature, VerifyingKey, signature::Verifier as _},
    elliptic_curve::sec1::ToEncodedPoint,
};
use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    hkdf::{HKDF_SHA256, KeyType, Salt},
};
use serde_json::{Value, json};
use siskin_entities::NotificationType;
use siskin_server::Config;
use siskin_test_support::{
    MailSink, TestDatabase,
    site::{ReceivedRequest, Site, response},
};

use super::{Client, TestApp, run, with_mail_and};

pub const SUBSCRIPTION: &str = "/api/v1/push/subscription";

/// Keys of a client.
pub struct PushClient {
    private: SecretKey,
    auth: [u8; 16],
}

impl PushClient {
    /// Creates keys that follow from this number.
    pub fn new(number: u8) -> Self {
        let private = SecretKey::from_slice(&[number.max(1); 32]).unwrap();
        Self { private, auth: [number; 16] }
    }

    fn public(&self) -> Vec<u8> {
        self.private.public_key().to_encoded_point(false).as_bytes().to_vec()
    }

    /// Returns the parameter `subscription[keys]`.
    pub fn keys(&self) -> Value {
        json!({
            "p256dh": URL_SAFE_NO_PAD.encode(self.public()),
            "auth": URL_SAFE_NO_PAD.encode(self.auth),
        })
    }

    /// Returns the parameters of a subscription for all types, by the standard or by the draft.
    pub fn parameters(&self, endpoint: &str, standard: bool) -> Value {
        let subscription =
            json!({ "endpoint": endpoint, "keys": self.keys(), "standard": standard });
        json!({ "subscription": subscription, "data": { "alerts": every_alert() } })
    }

    /// Subscribes a client to all types, by the standard.
    pub async fn subscribe(&self, client: &Client, endpoint: &str) -> Value {
        client.json(SUBSCRIPTION, self.parameters(endpoint, true)).await.ok()
    }

    /// Decrypts a message.
    pub fn read(&self, received: &ReceivedRequest) -> Value {
        let text = match received.header("content-encoding").unwrap() {
            "aes128gcm" => self.read_standard(&received.body),
            "aesgcm" => self.read_draft(received),
            other => panic!("{other}"),
        };
        serde_json::from_slice(&text).unwrap()
    }

    fn read_standard(&self, body: &[u8]) -> Vec<u8> {
        let (salt, rest) = body.split_at(16);
        let (record_size, rest) = rest.split_at(4);
        assert_eq!(record_size, 4096_u32.to_be_bytes());
        assert_eq!(rest[0], 65);
        let (sender, text) = rest[1..].split_at(65);
        let info = [b"WebPush: info\0", &*self.public(), sender].concat();
        let secret: [u8; 32] = derive(&self.auth, &self.shared(sender), &info);
        let key = derive(salt, &secret, b"Content-Encoding: aes128gcm\0");
        let nonce = derive(salt, &secret, b"Content-Encoding: nonce\0");
        let mut text = decrypt(key, nonce, text);
        assert_eq!(text.pop(), Some(2));
        text
    }

    fn read_draft(&self, received: &ReceivedRequest) -> Vec<u8> {
        let salt = part(received.header("encryption").unwrap(), "salt");
        let sender = part(received.header("crypto-key").unwrap(), "dh");
        let secret: [u8; 32] =
            derive(&self.auth, &self.shared(&sender), b"Content-Encoding: auth\0");
        let keys = [b"P-256\0\0\x41", &*self.public(), b"\0\x41", &sender].concat();
        let info = |name: &[u8]| [name, &keys].concat();
        let key = derive(&salt, &secret, &info(b"Content-Encoding: aesgcm\0"));
        let nonce = derive(&salt, &secret, &info(b"Content-Encoding: nonce\0"));
        let text = decrypt(key, nonce, &received.body);
        assert_eq!(text[..2], [0, 0]);
        text[2..].to_vec()
    }

    fn shared(&self, sender: &[u8]) -> Vec<u8> {
        let sender = PublicKey::from_sec1_bytes(sender).unwrap();
        let shared = diffie_hellman(self.private.to_nonzero_scalar(), sender.as_affine());
        shared.raw_secret_bytes().to_vec()
    }
}

fn derive<const N: usize>(salt: &[u8], secret: &[u8], info: &[u8]) -> [u8; N] {
    struct Length(usize);
    impl KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }
    let mut derived = [0; N];
    let (key, info) = (Salt::new(HKDF_SHA256, salt).extract(secret), [info]);
    key.expand(&info, Length(N)).unwrap().fill(&mut derived).unwrap();
    derived
}

fn decrypt(key: [u8; 16], nonce: [u8; 12], text: &[u8]) -> Vec<u8> {
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
    let mut text = text.to_vec();
    let nonce = Nonce::assume_unique_for_key(nonce);
    key.open_in_place(nonce, Aad::empty(), &mut text).unwrap().to_vec()
}

/// Returns the value of a part of a header, such as `dh=…;p256ecdsa=…`.
fn part(header: &str, name: &str) -> Vec<u8> {
    let parts = header.split([';', ',', ' ']);
    let value = parts.filter_map(|part| part.split_once('=')).find(|(part, _)| *part == name);
    URL_SAFE_NO_PAD.decode(value.unwrap().1).unwrap()
}

/// Checks the signature of a message, and returns the claims and the key of the server.
pub fn signature(received: &ReceivedRequest) -> (Value, String) {
    let header = received.header("authorization").unwrap();
    let (token, key) = match header.strip_prefix("WebPush ") {
        Some(token) => (token, part(received.header("crypto-key").unwrap(), "p256ecdsa")),
        None => {
            let vapid = header.strip_prefix("vapid t=").unwrap();
            (vapid.split(',').next().unwrap(), part(header, "k"))
        }
    };
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let signature = Signature::from_slice(&URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
    VerifyingKey::from_sec1_bytes(&key).unwrap().verify(signed.as_bytes(), &signature).unwrap();
    let claims = URL_SAFE_NO_PAD.decode(signed.split_once('.').unwrap().1).unwrap();
    (serde_json::from_slice(&claims).unwrap(), URL_SAFE_NO_PAD.encode(key))
}

/// Returns all alerts, turned on.
pub fn every_alert() -> Value {
    NotificationType::ALL.into_iter().map(|kind| (kind.as_str().to_owned(), json!(true))).collect()
}

type Answers = Arc<dyn Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync>;

/// A push service on loopback. It accepts every message, unless a test changes its responses.
pub struct PushService {
    site: Site,
    answers: Arc<Mutex<Answers>>,
}

impl PushService {
    pub fn start() -> Self {
        let answers: Arc<Mutex<Answers>> =
            Arc::new(Mutex::new(Arc::new(|_| status("201 Created"))));
        let now = Arc::clone(&answers);
        let site = Site::start(move |received| {
            let answers = Arc::clone(&now.lock().unwrap());
            answers(received)
        });
        Self { site, answers }
    }

    /// Replaces the responses from now on.
    pub fn answer(&self, answers: impl Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync + 'static) {
        *self.answers.lock().unwrap() = Arc::new(answers);
    }

    /// Returns an endpoint with this path.
    pub fn endpoint(&self, path: &str) -> String {
        self.site.url(path)
    }

    /// Returns the origin of its endpoints.
    pub fn origin(&self) -> String {
        self.site.url("")
    }

    /// Returns all requests so far.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.site.received()
    }
}

/// Returns a response without a body.
pub fn status(status: &str) -> Vec<u8> {
    response(status, &[], b"")
}

/// Runs a test with a server that may connect to a push service.
pub fn with_push(database: &TestDatabase, test: impl AsyncFnOnce(&TestApp, &PushService)) {
    let service = PushService::start();
    let address = service.site.address();
    let configure = |config: &mut Config| config.outbound_allow.push(address);
    run(database, configure, async |app: &TestApp| test(app, &service).await);
}

/// Does the same with a server that also sends its email to a sink.
pub fn with_push_and_mail(
    database: &TestDatabase,
    test: impl AsyncFnOnce(&TestApp, &PushService, &MailSink),
) {
    let service = PushService::start();
    let address = service.site.address();
    let configure = |config: &mut Config| config.outbound_allow.push(address);
    with_mail_and(database, configure, async |app: &TestApp, sink: &MailSink| {
        test(app, &service, sink).await;
    });
}

impl TestApp {
    /// Runs all jobs, so that every message is sent.
    pub async fn settle(&self) {
        self.app().drain_jobs().await.unwrap();
    }
}
