//! Keys that claim owners, and owners that are claimed.

use super::*;
use crate::read::{KeyDocument, KeyMaterial};

fn key_json(id: &str, owner: &str, pem: &str) -> Value {
    json!({"id": id, "owner": owner, "publicKeyPem": pem})
}

fn document(id: &str, keys: &Value) -> KeyDocument {
    let value = json!({"@context": "https://w3id.org/security/v1", "id": id, "publicKey": keys});
    READER.key_document(value.to_string().as_bytes()).unwrap()
}

#[test]
fn the_named_key_is_in_the_document_and_of_one_origin_with_its_owner() {
    let key = "https://evil.example/keys/1";
    for (keys, expected) in [
        (key_json(key, MALLORY, "p"), Ok(MALLORY)),
        (
            json!([key_json("https://evil.example/keys/2", BOB, "q"), key_json(key, MALLORY, "p")]),
            Ok(MALLORY),
        ),
        // A document that claims a foreign owner.
        (key_json(key, ALICE, "p"), Err(Refusal::ForeignKey)),
        (key_json(key, "https://evil.example:8443/users/mallory", "p"), Err(Refusal::ForeignKey)),
        (key_json("https://evil.example/keys/2", MALLORY, "p"), Err(Refusal::KeyMissing)),
        (key_json("https://evil.example/keys/1#x", MALLORY, "p"), Err(Refusal::KeyMissing)),
    ] {
        let document = document(key, &keys);
        let found = key_of_document(&uri(key), &document);
        assert_eq!(found.map(|it| it.owner.as_str()), expected, "{document:?}");
    }
}

#[test]
fn key_and_owner_name_each_other() {
    let id = format!("{MALLORY}#main-key");
    let key = document(MALLORY, &key_json(&id, MALLORY, "p")).keys[0].clone();
    let owner = |of: &str, keys: Value| actor(of, json!({"publicKey": keys}));
    for (owner, expected) in [
        (owner(MALLORY, key_json(&id, MALLORY, "p")), Ok(())),
        (owner(MALLORY, json!([key_json(&id, MALLORY, "q"), key_json(&id, MALLORY, "p")])), Ok(())),
        // The owner does not list the key, or another one by its id.
        (owner(MALLORY, json!([])), Err(Refusal::KeyNotNamed)),
        (owner(MALLORY, json!(id)), Err(Refusal::KeyNotNamed)),
        (owner(MALLORY, key_json(&id, MALLORY, "q")), Err(Refusal::KeyNotNamed)),
        (
            owner(MALLORY, key_json(&format!("{MALLORY}#other"), MALLORY, "p")),
            Err(Refusal::KeyNotNamed),
        ),
        (owner(MALLORY, key_json(&id, BOB, "p")), Err(Refusal::KeyNotNamed)),
        // Another account of the same server lists it.
        (owner(BOB, key_json(&id, MALLORY, "p")), Err(Refusal::OtherKeyOwner)),
        (owner(ALICE, key_json(&id, MALLORY, "p")), Err(Refusal::OtherKeyOwner)),
    ] {
        assert_eq!(key_belongs(&key, &owner), expected, "{:?}", owner.keys);
    }
}

#[test]
fn a_key_of_another_origin_is_none() {
    // CVE-2026-96625: the actor of a victim is claimed by a key elsewhere, and the attacker's own
    // actor lists the key of a victim.
    let id = "https://evil.example/keys/1";
    let key = document(id, &key_json(id, ALICE, "p")).keys[0].clone();
    let owner = actor(ALICE, json!({"publicKey": key_json(id, ALICE, "p")}));
    assert_eq!(key_belongs(&key, &owner), Err(Refusal::ForeignKey));
    let foreign = format!("{ALICE}#main-key");
    let key = document(&foreign, &key_json(&foreign, MALLORY, "p")).keys[0].clone();
    let owner = actor(MALLORY, json!({"publicKey": key_json(&foreign, MALLORY, "p")}));
    assert_eq!(key_belongs(&key, &owner), Err(Refusal::ForeignKey));
}

#[test]
fn a_key_in_two_forms_belongs_in_each() {
    let id = format!("{MALLORY}#main-key");
    let owner = actor(
        MALLORY,
        json!({"publicKey": key_json(&id, MALLORY, "p"),
        "assertionMethod": {"id": id, "controller": MALLORY, "publicKeyMultibase": "z4MX"}}),
    );
    let [pem, multikey] = &owner.keys[..] else { panic!() };
    assert_eq!((key_belongs(pem, &owner), key_belongs(multikey, &owner)), (Ok(()), Ok(())));
    assert_eq!(multikey.material, KeyMaterial::Multibase("z4MX".to_owned()));
}
