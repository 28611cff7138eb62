//! Tests of the graphs of our documents, and of signatures over them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::keys::{SignatureAlgorithm, samples};

/// 2026-11-27T08:00:00Z.
const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);
const CREATOR: &str = "https://town.example/users/a#main-key";
const AS: &str = "https://www.w3.org/ns/activitystreams";

/// Documents in the shapes that we write, with the SHA-256 of their N-Quads as npm `jsonld` 9 and
/// PyPI `pyld` 3.3 both made them.
const DOCUMENTS: &str = include_str!("tests/documents.json");

fn quads(document: &str) -> Result<String, LinkedDataError> {
    n_quads(document.as_bytes())
}

/// Returns the N-Quads of a document with these members.
fn quads_of(members: &str) -> Result<String, LinkedDataError> {
    quads(&format!("{{\"@context\":\"{AS}\",\"id\":\"https://town.example/1\",{members}}}"))
}

#[test]
fn graphs_are_those_of_json_ld_processors() {
    let documents: Vec<Value> = serde_json::from_str(DOCUMENTS).unwrap();
    assert!(documents.len() >= 12);
    for it in &documents {
        let document = it["document"].to_string();
        assert_eq!(hash(&quads(&document).unwrap()), it["sha256"].as_str().unwrap(), "{document}");
    }
}

#[test]
fn every_form_of_value_has_its_own_text() {
    let document = r#"{
        "@context": ["https://www.w3.org/ns/activitystreams", {
            "toot": "http://joinmastodon.org/ns#",
            "sensitive": "as:sensitive",
            "focalPoint": {"@id": "toot:focalPoint", "@container": "@list"}
        }],
        "id": "https://town.example/1",
        "type": "Note",
        "to": ["https://www.w3.org/ns/activitystreams#Public"],
        "cc": [],
        "updated": null,
        "sensitive": false,
        "content": "a \"b\"\n\t\\ é",
        "contentMap": {"pt-BR": "c"},
        "published": "2026-11-27T08:00:00Z",
        "attachment": {"type": "Document", "width": 3, "focalPoint": [0.0, -0.25]}
    }"#;
    let expected = r#"<https://town.example/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://www.w3.org/ns/activitystreams#Note> .
<https://town.example/1> <https://www.w3.org/ns/activitystreams#attachment> _:c14n0 .
<https://town.example/1> <https://www.w3.org/ns/activitystreams#content> "a \"b\"\n\t\\ é" .
<https://town.example/1> <https://www.w3.org/ns/activitystreams#content> "c"@pt-br .
<https://town.example/1> <https://www.w3.org/ns/activitystreams#published> "2026-11-27T08:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
<https://town.example/1> <https://www.w3.org/ns/activitystreams#sensitive> "false"^^<http://www.w3.org/2001/XMLSchema#boolean> .
<https://town.example/1> <https://www.w3.org/ns/activitystreams#to> <https://www.w3.org/ns/activitystreams#Public> .
_:c14n0 <http://joinmastodon.org/ns#focalPoint> _:c14n1 .
_:c14n0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://www.w3.org/ns/activitystreams#Document> .
_:c14n0 <https://www.w3.org/ns/activitystreams#width> "3"^^<http://www.w3.org/2001/XMLSchema#nonNegativeInteger> .
_:c14n1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> "0"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:c14n1 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> _:c14n2 .
_:c14n2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> "-2.5E-1"^^<http://www.w3.org/2001/XMLSchema#double> .
_:c14n2 <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .
"#;
    assert_eq!(quads(document).unwrap(), expected);
}

#[test]
fn control_characters_are_escaped_as_the_standard_says() {
    let quads = quads_of(r#""name":"\u0000\u0008\u000b\u000c\u007f\u0080""#).unwrap();
    assert!(quads.contains("\"\\u0000\\b\\u000B\\f\\u007F\u{80}\""), "{quads}");
}

#[test]
fn the_order_of_members_and_of_similar_parts_does_not_matter() {
    let poll = |options: [&str; 3]| {
        let options = options.map(|name| {
            format!(r#"{{"name":"{name}","replies":{{"type":"Collection","totalItems":0}}}}"#)
        });
        quads_of(&format!("\"oneOf\":[{}]", options.join(","))).unwrap()
    };
    let first = poll(["a", "b", "same"]);
    assert_eq!(poll(["same", "a", "b"]), first);
    assert_eq!(poll(["b", "same", "a"]), first);
    assert_ne!(poll(["a", "same", "same"]), first);
    assert_eq!(poll(["same", "a", "same"]), poll(["a", "same", "same"]));
}

#[test]
fn what_we_do_not_write_is_refused_with_a_reason() {
    let value = |name: &str| LinkedDataError::Value(name.to_owned());
    let address = |text: &str| LinkedDataError::Address(text.to_owned());
    let unknown = |name: &str| LinkedDataError::UnknownTerm(name.to_owned());
    for (members, expected) in [
        (r#""new":1"#, unknown("new")),
        (r#""type":"New""#, unknown("New")),
        (r#""as:name":"x""#, unknown("as:name")),
        (r#""@graph":[]"#, unknown("@graph")),
        (r#""name":{"@value":"x"}"#, unknown("@value")),
        (r#""type":5"#, value("type")),
        (r#""object":{"id":5}"#, value("id")),
        (r#""object":5"#, value("object")),
        (r#""object":[["https://a.example/"]]"#, value("object")),
        (r#""contentMap":"x""#, value("contentMap")),
        (r#""contentMap":{"d e":"x"}"#, value("contentMap")),
        (r#""contentMap":{"@none":"x"}"#, value("contentMap")),
        (r#""name":1e-7"#, value("name")),
        (r#""name":1e21"#, value("name")),
        (r#""name":9007199254740993"#, value("name")),
        (r#""totalItems":0.5"#, value("totalItems")),
        (r#""object":"note""#, address("note")),
        (r#""object":"/note""#, address("/note")),
        (r#""object":"as:Public""#, address("as:Public")),
        (r#""object":"tag:a.example,2026:1""#, address("tag:a.example,2026:1")),
        (r#""object":"_:b0""#, address("_:b0")),
        (r#""object":"https://a.example/ b""#, address("https://a.example/ b")),
        (r#""object":"https://a.example/>""#, address("https://a.example/>")),
    ] {
        assert_eq!(quads_of(members), Err(expected), "{members}");
    }
    assert_eq!(quads("[]"), Err(JsonError::NotAnObject.into()));
    assert_eq!(quads(r#"{"id":"a:b","id":"a:c"}"#), Err(JsonError::DuplicateMember.into()));
    assert_eq!(quads_of(r#""signature":{}"#), Err(LinkedDataError::Signed));
}

#[test]
fn contexts_that_we_do_not_write_are_refused() {
    for context in [
        r#""https://a.example/context""#,
        "5",
        r#"[["https://www.w3.org/ns/activitystreams"]]"#,
        r#"{"@vocab":"https://a.example/"}"#,
        r#"{"id":"https://a.example/id"}"#,
        r#"{"a":null}"#,
        r#"{"a":"b"}"#,
        r#"{"a":"b:c"}"#,
        r#"{"a":"b:c","b":"a:d"}"#,
        r#"{"a":{"@id":"https://a.example/","@reverse":"x"}}"#,
        r#"{"a":{"@id":"https://a.example/","@container":"@index"}}"#,
        r#"{"a":{"@type":"@id"}}"#,
    ] {
        let result = quads(&format!("{{\"@context\":{context}}}"));
        assert!(matches!(result, Err(LinkedDataError::Context(_))), "{context}: {result:?}");
    }
    // A part may repeat the context of the document, but not bring another one.
    let same = format!(r#""object":{{"@context":"{AS}","name":"x"}}"#);
    assert!(quads_of(&same).is_ok());
    let other = format!(r#""object":{{"@context":["{AS}"],"name":"x"}}"#);
    assert!(matches!(quads_of(&other), Err(LinkedDataError::Context(_))));
}

#[test]
fn parts_that_take_too_long_to_tell_apart_are_refused() {
    let same: Vec<&str> = std::iter::repeat_n(r#"{"type":"Note"}"#, 12).collect();
    let named = quads_of(&format!("\"attachment\":[{}]", same.join(",")));
    assert!(named.is_ok());
    // All orders of them would be tried below a part without id.
    let part = format!("{{\"attachment\":[{}]}}", same.join(","));
    let nested = quads_of(&format!("\"object\":[{part},{part}]"));
    assert_eq!(nested, Err(LinkedDataError::TooComplex));
    // Two equal lists whose items only differ by their place.
    let long = vec!["\"https://a.example/\""; 1000].join(",");
    let lists = format!(r#"{{"orderedItems":[{long}]}}"#);
    let lists = quads_of(&format!("\"attachment\":[{lists},{lists}]"));
    assert_eq!(lists, Err(LinkedDataError::TooComplex));
}

/// Returns the members of a signed document, and of its signature.
fn parts(signed: &[u8]) -> (Map<String, Value>, Map<String, Value>) {
    let mut document: Map<String, Value> = serde_json::from_slice(signed).unwrap();
    match document.remove("signature") {
        Some(Value::Object(signature)) => (document, signature),
        other => panic!("{other:?}"),
    }
}

/// Checks a signature as Mastodon does.
fn is_right(signed: &[u8]) -> bool {
    let (document, mut options) = parts(signed);
    let value = options.remove("signatureValue").unwrap();
    let value = STANDARD.decode(value.as_str().unwrap()).unwrap();
    assert_eq!(options.remove("type").unwrap(), "RsaSignature2017");
    options.insert("@context".to_owned(), "https://w3id.org/identity/v1".into());
    let hash = |members: Map<String, Value>| hash(&canonical_of(&members).unwrap());
    let message = hash(options) + &hash(document);
    samples::rsa().public().verifies(SignatureAlgorithm::RsaSha256, message.as_bytes(), &value)
}

#[test]
fn a_signature_is_made_as_mastodon_checks_it() {
    let document =
        format!(r#"{{"@context":"{AS}","id":"https://town.example/1","type":"Delete"}}"#);
    let signed = sign(document.as_bytes(), &samples::rsa(), CREATOR, NOW).unwrap();
    assert!(signed.starts_with(document.trim_end_matches('}').as_bytes()));
    let (_, signature) = parts(&signed);
    assert_eq!(signature["creator"], CREATOR);
    assert_eq!(signature["created"], "2026-11-27T08:00:00Z");
    assert_eq!(signature["expires"], "2026-11-29T08:00:00Z");
    assert!(is_right(&signed));
    let changed = String::from_utf8(signed.clone()).unwrap().replace("Delete", "Create");
    assert!(!is_right(changed.as_bytes()));
    let again = sign(&signed, &samples::rsa(), CREATOR, NOW);
    assert_eq!(again, Err(LinkedDataError::Signed));
    let by_ed25519 = sign(document.as_bytes(), &samples::ed25519(), CREATOR, NOW);
    assert_eq!(by_ed25519, Err(LinkedDataError::KeyKind));
    let no_address = sign(document.as_bytes(), &samples::rsa(), "main-key", NOW);
    assert_eq!(no_address, Err(LinkedDataError::Address("main-key".to_owned())));
}

#[test]
fn the_options_have_the_graph_that_mastodon_reads() {
    let options = format!(
        r#"{{"@context":"https://w3id.org/identity/v1","creator":"{CREATOR}","created":"2026-11-27T08:00:00Z"}}"#,
    );
    let expected = format!(
        "_:c14n0 <http://purl.org/dc/terms/created> \
         \"2026-11-27T08:00:00Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n\
         _:c14n0 <http://purl.org/dc/terms/creator> <{CREATOR}> .\n",
    );
    assert_eq!(quads(&options).unwrap(), expected);
}

#[test]
fn a_document_with_a_proof_can_be_signed() {
    let context = format!(r#"["{AS}","https://w3id.org/security/data-integrity/v2"]"#);
    let document =
        format!(r#"{{"@context":{context},"id":"https://town.example/1","type":"Create"}}"#);
    let method = "https://town.example/users/a#ed25519-key";
    let key = samples::ed25519();
    let proven = crate::proof::add(document.as_bytes(), &key, method, NOW).unwrap();
    let signed = sign(&proven, &samples::rsa(), CREATOR, NOW).unwrap();
    assert!(is_right(&signed));
    assert_eq!(crate::proof::read(&signed, NOW).unwrap().check(key.public()), Ok(()));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = n_quads(&bytes);
    }

    #[test]
    fn any_members_are_read_without_panic(
        members in prop::collection::vec(
            (
                prop::sample::select(vec!["type", "to", "content", "contentMap", "object", "proof", "oneOf"]),
                prop::sample::select(vec![
                    "1", "-0.0", "null", "[]", "{}", "\"Note\"", "\"https://a.example/\"",
                    "{\"de\":\"x\"}", "[{\"type\":\"Note\"},{\"type\":\"Note\"}]", "true",
                ]),
            ),
            0..5,
        ),
    ) {
        let members: Vec<String> =
            members.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let context = format!(r#"["{AS}","https://w3id.org/security/data-integrity/v1"]"#);
        let _ = quads(&format!("{{\"@context\":{context},{}}}", members.join(",")));
    }
}
