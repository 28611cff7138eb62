//! The rules against attackers that speak in the name of others.

mod authorship;
mod discovery;
mod documents;
mod keys;

use serde_json::{Value, json};
use siskin_entities::Timestamp;

use super::*;
use crate::{
    address::{Handle, Schemes, Uri},
    read::{Activity, Actor, Jrd, Object, Reader},
};

const CONTEXT: &str = "https://www.w3.org/ns/activitystreams";
/// The account that attackers would like to be.
const ALICE: &str = "https://town.example/users/alice";
/// Another account on the server of the attacker.
const BOB: &str = "https://evil.example/users/bob";
/// The attacker.
const MALLORY: &str = "https://evil.example/users/mallory";
const READER: Reader = Reader::new(Schemes::Https);

fn uri(text: &str) -> Uri {
    Uri::parse(text, Schemes::Https).unwrap()
}

fn with_context(mut value: Value) -> Vec<u8> {
    value.as_object_mut().unwrap().insert("@context".to_owned(), json!(CONTEXT));
    value.to_string().into_bytes()
}

fn activity(value: Value) -> Activity {
    READER.activity(&with_context(value)).unwrap()
}

fn object(value: Value) -> Object {
    READER.object(&with_context(value)).unwrap()
}

fn actor(id: &str, mut more: Value) -> Actor {
    let members = more.as_object_mut().unwrap();
    members.insert("id".to_owned(), json!(id));
    members.insert("type".to_owned(), json!("Person"));
    members.insert("inbox".to_owned(), json!(format!("{id}/inbox")));
    READER.actor(&with_context(more)).unwrap()
}

#[test]
fn every_reason_has_a_name_of_its_own() {
    let reasons = [
        Refusal::ContentType,
        Refusal::Attachment,
        Refusal::DocumentWithoutId,
        Refusal::OtherId,
        Refusal::ForeignActivityId,
        Refusal::ForeignObject,
        Refusal::NotTheOwner,
        Refusal::ForeignKey,
        Refusal::OtherKeyOwner,
        Refusal::KeyNotNamed,
        Refusal::NeverSent,
        Refusal::TooOld,
        Refusal::RepeatedPage,
    ];
    let names: std::collections::HashSet<&str> = reasons.iter().map(|it| it.reason()).collect();
    assert_eq!(names.len(), reasons.len());
    let is_name = |name: &&str| name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
    assert!(names.iter().all(is_name));
}
