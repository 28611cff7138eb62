//! Tests of proofs, with the vectors of FEP-8b32 and of VC Data Integrity EdDSA 1.0, B.2.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::keys::samples;

/// 2026-11-27T08:00:00Z.
const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);
/// 2023-02-24T23:36:38Z, the time of all vectors.
const VECTOR_TIME: Timestamp = Timestamp::from_unix_ms(1_677_281_798_000);
/// Keys of all vectors.
const VECTOR_SECRET: &str = "z3u2en7t5LR2WtQH5PfFqMqwVHBeXouLzo6haApm8XHqvjxq";
const VECTOR_PUBLIC: &str = "z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2";
const METHOD: &str = "https://town.example/users/a#ed25519-key";

/// Document of FEP-8b32 without its proof.
const FEP_8B32: &str = r#"{
    "@context": [
        "https://www.w3.org/ns/activitystreams",
        "https://w3id.org/security/data-integrity/v2"
    ],
    "id": "https://server.example/activities/1",
    "type": "Create",
    "actor": "https://server.example/users/alice",
    "object": {
        "id": "https://server.example/objects/1",
        "type": "Note",
        "attributedTo": "https://server.example/users/alice",
        "content": "Hello world",
        "location": {"type": "Place", "longitude": -71.184902, "latitude": 25.273962}
    }
}"#;
const FEP_8B32_METHOD: &str = "https://server.example/users/alice#ed25519-key";
const FEP_8B32_VALUE: &str =
    "z42ffGu6AUKPCFcFPiabmUvnGLPJzC7e4DGWC52NUasSSH37UMa9c58tdgVszUcZfytxa4fQ5TYHaJENCxUDe9SdL";

/// Document of an earlier version of FEP-8b32, which has no context in the proof.
const FEP_8B32_EARLIER: &str = r#"{
    "@context": [
        "https://www.w3.org/ns/activitystreams",
        "https://w3id.org/security/data-integrity/v1"
    ],
    "type": "Create",
    "actor": "https://server.example/users/alice",
    "object": {"type": "Note", "content": "Hello world"},
    "proof": {
        "type": "DataIntegrityProof",
        "cryptosuite": "eddsa-jcs-2022",
        "verificationMethod": "https://server.example/users/alice#ed25519-key",
        "proofPurpose": "assertionMethod",
        "proofValue": "z3sXaxjKs4M3BRicwWA9peyNPJvJqxtGsDmpt1jjoHCjgeUf71TRFz56osPSfDErszyLp5Ks1EhYSgpDaNM977Rg2",
        "created": "2023-02-24T23:36:38Z"
    }
}"#;

/// Document of VC Data Integrity EdDSA 1.0, B.2 (Representation: eddsa-jcs-2022).
const VC_DATA_INTEGRITY: &str = r#"{
    "@context": [
        "https://www.w3.org/ns/credentials/v2",
        "https://www.w3.org/ns/credentials/examples/v2"
    ],
    "id": "urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33",
    "type": ["VerifiableCredential", "AlumniCredential"],
    "name": "Alumni Credential",
    "description": "A minimum viable example of an Alumni Credential.",
    "issuer": "https://vc.example/issuers/5678",
    "validFrom": "2023-01-01T00:00:00Z",
    "credentialSubject": {"id": "did:example:abcdefgh", "alumniOf": "The School of Examples"},
    "proof": {
        "type": "DataIntegrityProof",
        "cryptosuite": "eddsa-jcs-2022",
        "created": "2023-02-24T23:36:38Z",
        "verificationMethod": "did:key:z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2#z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2",
        "proofPurpose": "assertionMethod",
        "@context": [
            "https://www.w3.org/ns/credentials/v2",
            "https://www.w3.org/ns/credentials/examples/v2"
        ],
        "proofValue": "z2HnFSSPPBzR36zdDgK8PbEHeXbR56YF24jwMpt3R1eHXQzJDMWS93FCzpvJpwTWd3GAVFuUfjoJdcnTMuVor51aX"
    }
}"#;

fn vector_key() -> PrivateKey {
    let secret = decode_base58btc(VECTOR_SECRET).unwrap();
    samples::from_seed(secret.strip_prefix(&[0x80, 0x26]).unwrap())
}

fn add_at(document: &str, now: Timestamp) -> String {
    let signed = add(document.as_bytes(), &samples::ed25519(), METHOD, now).unwrap();
    String::from_utf8(signed).unwrap()
}

/// Returns the verdict on a document by our key.
fn check(document: &str) -> Result<(), ProofError> {
    read(document.as_bytes(), NOW)?.check(samples::ed25519().public())
}

#[test]
fn the_vector_of_fep_8b32_is_made() {
    assert_eq!(vector_key().public().to_multibase(), VECTOR_PUBLIC);
    let signed = add(FEP_8B32.as_bytes(), &vector_key(), FEP_8B32_METHOD, VECTOR_TIME).unwrap();
    let signed: Value = serde_json::from_slice(&signed).unwrap();
    assert_eq!(signed["proof"]["proofValue"], FEP_8B32_VALUE);
    assert_eq!(signed["proof"]["created"], "2023-02-24T23:36:38Z");
    assert_eq!(signed["proof"]["@context"], signed["@context"]);
}

#[test]
fn vectors_of_the_standards_are_accepted() {
    let made = add(FEP_8B32.as_bytes(), &vector_key(), FEP_8B32_METHOD, VECTOR_TIME).unwrap();
    for document in [made.as_slice(), FEP_8B32_EARLIER.as_bytes(), VC_DATA_INTEGRITY.as_bytes()] {
        let unverified = read(document, NOW).unwrap();
        assert_eq!(unverified.created(), Some(VECTOR_TIME));
        assert_eq!(unverified.check(&PublicKey::from_multibase(VECTOR_PUBLIC).unwrap()), Ok(()));
        let other = samples::ed25519();
        assert_eq!(unverified.check(other.public()), Err(ProofError::Wrong));
        assert_eq!(unverified.check(samples::rsa().public()), Err(ProofError::KeyKind));
    }
}

#[test]
fn spelling_and_order_do_not_matter() {
    let signed = add_at(r#"{"id":"https://a.example/1","n":10,"t":"é\n"}"#, NOW);
    let (_, proof) = signed.split_once("\"proof\":").unwrap();
    let proof = proof.strip_suffix('}').unwrap();
    for document in [
        format!(
            r#"{{ "t" : "\u00e9\u000a", "proof":{proof}, "n":1e1, "id":"https:\/\/a.example/1" }}"#
        ),
        format!(r#"{{"n":10.0,"id":"https://a.example/1","t":"é\n","proof":[{proof}]}}"#),
        format!(
            r#"{{"n":10,"id":"https://a.example/1","t":"é\n","proof":[{{"type":"X"}},{proof}]}}"#
        ),
        // A Linked-Data signature was added after the proof.
        format!(
            r#"{{"n":10,"id":"https://a.example/1","t":"é\n","proof":{proof},"signature":{{}}}}"#
        ),
    ] {
        assert_eq!(check(&document), Ok(()), "{document}");
    }
}

#[test]
fn a_changed_document_is_refused() {
    let signed = add_at(r#"{"@context":"x","id":"https://a.example/1","to":["b"],"n":1}"#, NOW);
    assert_eq!(check(&signed), Ok(()));
    for (from, to, expected) in [
        ("/1\"", "/2\"", ProofError::Wrong),
        ("[\"b\"]", "\"b\"", ProofError::Wrong),
        ("\"n\":1", "\"n\":\"1\"", ProofError::Wrong),
        ("\"n\":1", "\"n\":1,\"m\":null", ProofError::Wrong),
        (",\"n\":1", "", ProofError::Wrong),
        ("users/a#", "users/b#", ProofError::Wrong),
        ("08:00:00Z", "08:00:01Z", ProofError::Wrong),
        ("\"created\":", "\"published\":", ProofError::Wrong),
        ("\"cryptosuite\":", "\"x\":1,\"cryptosuite\":", ProofError::Wrong),
        ("\"n\":1", "\"n\":1,\"n\":1", ProofError::Document(JsonError::DuplicateMember)),
        ("\"n\":1", "\"n\":{\"a\":1,\"a\":2}", ProofError::Document(JsonError::DuplicateMember)),
        ("{\"@context\":\"x\",", "{\"@context\":\"y\",", ProofError::Context),
        ("{\"@context\":\"x\",", "{\"@context\":[\"x\",\"y\"],", ProofError::Context),
        ("{\"@context\":\"x\",", "{", ProofError::Context),
        ("assertionMethod", "authentication", ProofError::Malformed),
        ("\"proofValue\":\"z", "\"proofValue\":\"m", ProofError::Malformed),
        ("\"proofValue\":\"z", "\"proofValue\":\"zzzz", ProofError::Malformed),
        ("\"proofValue\":", "\"value\":", ProofError::Malformed),
        (
            "\"verificationMethod\":\"",
            "\"verificationMethod\":\"\",\"x\":\"",
            ProofError::Malformed,
        ),
        (
            "\"verificationMethod\":\"",
            "\"previousProof\":\"x\",\"verificationMethod\":\"",
            ProofError::Malformed,
        ),
        ("2026-11-27T08:00:00Z", "today", ProofError::Malformed),
        ("2026-11-27T08:00:00Z", "2026-11-27T09:00:01Z", ProofError::Future),
        (
            "\"cryptosuite\":",
            "\"expires\":\"2026-11-27T07:59:59Z\",\"cryptosuite\":",
            ProofError::Expired,
        ),
        ("eddsa-jcs-2022", "eddsa-rdfc-2022", ProofError::Missing),
        ("DataIntegrityProof", "Ed25519Signature2020", ProofError::Missing),
        ("\"proof\":", "\"evidence\":", ProofError::Missing),
    ] {
        let changed = signed.replacen(from, to, 1);
        assert_ne!(changed, signed, "{from}");
        assert_eq!(check(&changed), Err(expected), "{changed}");
    }
}

#[test]
fn a_proof_proves_no_other_document() {
    let note = add_at(r#"{"@context":"x","type":"Note"}"#, NOW);
    let (_, proof) = note.split_once(",\"proof\":").unwrap();
    let flag = format!(r#"{{"@context":"x","type":"Flag","proof":{proof}"#);
    assert_eq!(check(&flag), Err(ProofError::Wrong));
    // Nor does a proof of a part prove the whole.
    let create = format!(r#"{{"@context":"x","type":"Create","object":{note}}}"#);
    assert_eq!(check(&create), Err(ProofError::Missing));
}

#[test]
fn two_proofs_are_refused() {
    let signed = add_at("{}", NOW);
    let proof = signed.strip_prefix("{\"proof\":").unwrap().strip_suffix('}').unwrap();
    assert_eq!(check(&format!("{{\"proof\":[{proof},{proof}]}}")), Err(ProofError::Repeated));
    assert_eq!(check("{\"proof\":[]}"), Err(ProofError::Missing));
    assert_eq!(check("{\"proof\":\"x\"}"), Err(ProofError::Missing));
}

#[test]
fn an_expiry_that_is_signed_is_obeyed() {
    let mut members = object(b"{\"id\":\"a\"}").unwrap();
    let proof = json!({
        "type": TYPE, "cryptosuite": CRYPTOSUITE, "proofPurpose": PURPOSE,
        "verificationMethod": METHOD, "expires": "2026-11-27T08:00:00Z",
    });
    let mut proof = proof.as_object().unwrap().clone();
    let signature = samples::ed25519().sign(&hashes(&members, &proof).unwrap()).unwrap();
    proof.insert("proofValue".to_owned(), encode_base58btc(&signature).into());
    members.insert("proof".to_owned(), Value::Object(proof));
    let document = Value::Object(members).to_string();
    assert_eq!(check(&document), Ok(()));
    assert_eq!(read(document.as_bytes(), NOW).unwrap().created(), None);
    let later = NOW.after(Duration::from_secs(1));
    assert_eq!(read(document.as_bytes(), later), Err(ProofError::Expired));
}

#[test]
fn what_cannot_be_proven_is_refused() {
    let key = samples::ed25519();
    let error =
        |document: &str, key: &PrivateKey| add(document.as_bytes(), key, METHOD, NOW).unwrap_err();
    assert_eq!(error("{}", &samples::rsa()), ProofError::KeyKind);
    assert_eq!(error("{\"proof\":1}", &key), ProofError::Signed);
    assert_eq!(error("{\"signature\":1}", &key), ProofError::Signed);
    assert_eq!(error("[]", &key), ProofError::Document(JsonError::NotAnObject));
    assert_eq!(error("{", &key), ProofError::Document(JsonError::Syntax));
    assert_eq!(error("{\"a\":1,\"a\":1}", &key), ProofError::Document(JsonError::DuplicateMember));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        prop_assert!(read(&bytes, NOW).is_err());
    }

    #[test]
    fn any_document_is_proven(
        members in prop::collection::btree_map("\\PC{0,6}", any::<(f64, i64, bool)>(), 0..5),
        text in "\\PC{0,20}",
    ) {
        let mut document = Map::new();
        for (name, (float, whole, flag)) in members {
            document.insert(name, json!([float, whole, flag, text]));
        }
        document.remove("proof");
        document.remove("signature");
        let signed = add_at(&Value::Object(document).to_string(), NOW);
        prop_assert_eq!(check(&signed), Ok(()));
    }

    #[test]
    fn any_changed_byte_is_refused_or_has_no_effect(at in 0..300_usize, byte in any::<u8>()) {
        let signed = add_at(r#"{"@context":"x","id":"https://a.example/1","n":[1,2.5,true]}"#, NOW);
        let mut changed = signed.clone().into_bytes();
        if let Some(place) = changed.get_mut(at) {
            *place = byte;
        }
        if read(&changed, NOW).is_ok_and(|it| it.check(samples::ed25519().public()).is_ok()) {
            let values: [Value; 2] =
                [&changed[..], signed.as_bytes()].map(|it| serde_json::from_slice(it).unwrap());
            prop_assert_eq!(&values[0], &values[1]);
        }
    }
}
