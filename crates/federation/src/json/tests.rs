//! Documents that are refused before anything is read of them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{JsonError::*, *};

const CONTEXT: &str = "https://www.w3.org/ns/activitystreams";

fn nested(depth: usize) -> String {
    format!("{}1{}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn sizes_are_limited() {
    let padded = |size: usize| format!("\"{}\"", "x".repeat(size - 2));
    assert!(parse(padded(MAX_BYTES).as_bytes()).is_ok());
    assert_eq!(parse(padded(MAX_BYTES + 1).as_bytes()), Err(TooLarge));
    assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert_eq!(parse(nested(MAX_DEPTH + 1).as_bytes()), Err(TooDeep));
    assert_eq!(parse("[".repeat(10_000).as_bytes()), Err(TooDeep));
    assert_eq!(parse("{\"a\":".repeat(10_000).as_bytes()), Err(TooDeep));
    let list = |count: usize| format!("[{}]", vec!["0"; count].join(","));
    assert!(parse(list(MAX_VALUES - 1).as_bytes()).is_ok());
    assert_eq!(parse(list(MAX_VALUES).as_bytes()), Err(TooManyValues));
    assert_eq!(parse(&list(500_000).as_bytes()[..MAX_BYTES / 2]), Err(TooManyValues));
}

#[test]
fn programs_that_read_another_member_are_no_risk() {
    for text in [
        r#"{"actor": "a", "actor": "b"}"#,
        r#"{"actor": "a", "\u0061ctor": "b"}"#,
        r#"{"x": [{"a": 1, "b": {"c": 1, "c": 2}}]}"#,
        r#"{"": 1, "": 2}"#,
    ] {
        assert_eq!(parse(text.as_bytes()), Err(DuplicateMember), "{text}");
    }
}

#[test]
fn only_json_is_parsed() {
    for text in [
        "",
        " ",
        "{",
        "{}{}",
        "{} x",
        "{'a': 1}",
        "{\"a\": 1,}",
        "[1,]",
        "NaN",
        "01",
        "1e999",
        "\"\\ud800\"",
        "\"a\nb\"",
        "// x\n{}",
        "\u{FEFF}{}",
        "nul",
    ] {
        assert_eq!(parse(text.as_bytes()), Err(Syntax), "{text:?}");
    }
    assert_eq!(parse(b"\"\xFF\""), Err(Syntax));
    assert_eq!(parse(b"\xEF\xBB\xBF{}"), Err(Syntax));
}

fn checked(value: &Value) -> Result<(), JsonError> {
    document(value.to_string().as_bytes(), Contexts::Activities).map(drop)
}

#[test]
fn a_document_names_the_vocabulary() {
    for context in [
        json!(CONTEXT),
        json!(["https://w3id.org/security/v1", CONTEXT]),
        json!([CONTEXT, "https://far.example/schemas/litepub-0.1.jsonld", {"@language": "und"}]),
        json!([CONTEXT, null]),
    ] {
        assert_eq!(checked(&json!({"@context": context})), Ok(()), "{context}");
    }
    for context in [
        json!(null),
        json!("https://schema.org"),
        json!({"@vocab": CONTEXT}),
        json!([[CONTEXT]]),
        json!({"x": CONTEXT}),
        json!(7),
    ] {
        assert_eq!(checked(&json!({"@context": context})), Err(NoContext), "{context}");
    }
    assert_eq!(checked(&json!({"id": "x"})), Err(NoContext));
    assert_eq!(checked(&json!([{"@context": CONTEXT}])), Err(NotAnObject));
}

#[test]
fn key_documents_may_name_the_vocabulary_of_keys() {
    let bytes = json!({"@context": "https://w3id.org/security/v1"}).to_string();
    assert!(document(bytes.as_bytes(), Contexts::Keys).is_ok());
    assert_eq!(document(bytes.as_bytes(), Contexts::Activities), Err(NoContext));
}

#[test]
fn documents_that_say_more_than_they_seem_to_are_refused() {
    for document in [
        json!({"@context": CONTEXT, "@graph": []}),
        json!({"@context": CONTEXT, "@included": {}}),
        json!({"@context": CONTEXT, "object": {"tag": [{"@reverse": {}}]}}),
        json!({"@context": [CONTEXT, {"rest": "@graph"}]}),
        json!({"@context": [CONTEXT, {"rest": {"@id": "@included"}}]}),
        json!({"@context": [CONTEXT, {"likedBy": {"@reverse": "as:liked"}}]}),
        json!({"@context": [CONTEXT, {"more": "@nest"}]}),
    ] {
        assert_eq!(checked(&document), Err(ForbiddenKeyword), "{document}");
    }
}

#[test]
fn a_context_that_gives_a_term_another_meaning_is_refused() {
    for term in [
        "id",
        "type",
        "actor",
        "object",
        "attributedTo",
        "to",
        "cc",
        "inbox",
        "publicKey",
        "as",
        "sec",
    ] {
        for meaning in [
            json!("https://far.example/ns#x"),
            json!("as:result"),
            json!(null),
            json!({"@id": "as:result", "@type": "@id"}),
            json!({"@type": "@id"}),
        ] {
            let document = json!({"@context": [CONTEXT, {term: meaning}]});
            assert_eq!(checked(&document), Err(RedefinedTerm), "{document}");
        }
    }
    for document in [
        json!({"@context": [CONTEXT, {"actor": "as:object", "object": "as:actor"}]}),
        // In a context of a term, or of an embedded object.
        json!({"@context": [CONTEXT, {"Note": {"@id": "as:Note", "@context": {"to": "as:cc"}}}]}),
        json!({"@context": CONTEXT, "object": {"@context": {"id": "as:name"}}}),
        json!({"@context": CONTEXT, "object": [{"@context": [CONTEXT, {"type": "x:y"}]}]}),
        json!({"@context": [CONTEXT, {"to": {"@id": "as:to", "@container": "@list"}}]}),
        json!({"@context": [CONTEXT, {"as": "https://far.example/ns#", "actor": "as:actor"}]}),
    ] {
        assert_eq!(checked(&document), Err(RedefinedTerm), "{document}");
    }
}

#[test]
fn a_context_that_repeats_a_meaning_is_none_of_them() {
    for terms in [
        json!({"id": "@id", "type": "@type"}),
        json!({"as": "https://www.w3.org/ns/activitystreams#", "sec": "https://w3id.org/security#"}),
        json!({"inbox": {"@id": "ldp:inbox", "@type": "@id"}}),
        json!({"publicKey": {"@id": "sec:publicKey", "@type": "@id"}}),
        json!({"proof": {"@id": "sec:proof", "@type": "@id", "@container": "@graph"}}),
        json!({"toot": "http://joinmastodon.org/ns#", "Emoji": "toot:Emoji"}),
    ] {
        assert_eq!(checked(&json!({"@context": [CONTEXT, terms]})), Ok(()), "{terms}");
    }
}

#[test]
fn members_are_read_in_every_form() {
    let value = json!({
        "one": "a", "many": [null, 7, "b", "c"], "empty": [], "null": null, "flag": "true",
        "count": 3.0, "negative": -1, "contentMap": {"de": "x", "en": "y"}, "type": ["X", "Note"],
    });
    let members = Members::of(&value).unwrap();
    assert_eq!((members.text("one"), members.text("many")), (Some("a"), Some("b")));
    assert_eq!((members.text("empty"), members.get("null").is_some()), (None, false));
    assert_eq!((members.flag("flag"), members.flag("one")), (Some(true), None));
    assert_eq!((members.count("count"), members.count("negative")), (Some(3), None));
    assert_eq!(members.natural("content"), Some(("x", Some("de"))));
    assert!(members.is_a("Note") && !members.is_a("Person"));
    assert_eq!(Members::of(&json!([])).map(|_| ()), None);
}

proptest! {
    #[test]
    fn what_is_parsed_is_what_serde_reads(text in "[\\[\\]{}\":,0-9a-z\\\\ .eE+-]{0,40}") {
        let read = serde_json::from_str::<Value>(&text);
        match parse(text.as_bytes()) {
            Ok(value) => prop_assert_eq!(value, read.unwrap()),
            Err(DuplicateMember) => prop_assert!(true),
            Err(error) => prop_assert!(read.is_err(), "{error}"),
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
        let _ = document(&bytes, Contexts::Activities);
    }
}
