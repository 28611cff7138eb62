//! Requests that other programs signed: those of RFC 9421 by `http-message-signatures` 3.0.0
//! (PyPI), those of the draft by a script on `cryptography` (PyPI).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use url::Url;

use super::*;

const VECTORS: &str = include_str!("vectors.json");

fn text<'v>(vector: &'v Value, name: &str) -> &'v str {
    vector[name].as_str().unwrap()
}

/// Returns the verdict on a request, and on the same request with another body.
fn verdicts(vector: &Value) -> [Result<SignedTarget, SignatureError>; 2] {
    let url: Url = text(vector, "url").parse().unwrap();
    let headers: Vec<(&str, &[u8])> = vector["headers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap().as_bytes()))
        .collect();
    let body = STANDARD.decode(text(vector, "body")).unwrap();
    let now = Timestamp::from_unix_ms(vector["now"].as_i64().unwrap() * 1000);
    let key = match text(vector, "key") {
        "rsa" => samples::rsa(),
        _ => samples::ed25519(),
    };
    let hosts = ["far.example", "far.example:8443"];
    let request = Request::to_url(text(vector, "method"), &url, &headers, &body).unwrap();
    let unverified = read(&request, &hosts, now);
    if let Ok(unverified) = &unverified {
        assert_eq!(unverified.key_id(), text(vector, "key_id"));
    }
    let other = [body.as_slice(), b"x"].concat();
    let changed = Request { body: &other, ..request };
    [
        unverified.and_then(|unverified| unverified.check(key.public())),
        verify(&changed, &hosts, now, key.public()),
    ]
}

#[test]
fn requests_that_other_programs_signed_are_accepted() {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(vectors.len(), 18);
    for vector in &vectors {
        let [right, wrong] = verdicts(vector);
        assert_eq!(right, Ok(SignedTarget::Whole), "{vector}");
        assert!(wrong.is_err(), "{vector}");
    }
}
