//! The examples of RFC 9421.

use super::*;
use crate::{
    keys::SignatureAlgorithm,
    structured::{Member, dictionary},
};

/// `test-request` of appendix B.2.
fn test_request() -> Sent {
    let mut sent = Sent::to("POST", "/foo?param=Value&Pet=dog")
        .with("Host", "example.com")
        .with("Date", "Tue, 20 Apr 2021 02:07:55 GMT")
        .with("Content-Type", "application/json")
        .with(
            "Content-Digest",
            "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEm\
             THWXvJwew==:",
        )
        .with("Content-Length", "18");
    sent.authority = "example.com".to_owned();
    sent.body = br#"{"hello": "world"}"#.to_vec();
    sent
}

fn base(input: &str) -> String {
    let Some((_, Member::List(list))) = dictionary(input.as_bytes()).unwrap().pop() else {
        panic!("{input}")
    };
    String::from_utf8(test_request().view(|request| message::base(request, &list)).unwrap())
        .unwrap()
}

/// Appendix B.2.6, Signing a Request Using ed25519.
#[test]
fn the_example_with_ed25519_is_verified_and_made() {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let base = base(
        "sig-b26=(\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" \
         \"content-length\");created=1618884473;keyid=\"test-key-ed25519\"",
    );
    let expected = "\"date\": Tue, 20 Apr 2021 02:07:55 GMT\n\
         \"@method\": POST\n\
         \"@path\": /foo\n\
         \"@authority\": example.com\n\
         \"content-type\": application/json\n\
         \"content-length\": 18\n\
         \"@signature-params\": (\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" \
         \"content-length\");created=1618884473;keyid=\"test-key-ed25519\"";
    assert_eq!(base, expected);
    let signature = "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5\
                     WPpBKRCw==";
    let signature = STANDARD.decode(signature).unwrap();
    let key = samples::ed25519();
    assert!(key.public().verifies(SignatureAlgorithm::Ed25519, base.as_bytes(), &signature));
    assert_eq!(key.sign(base.as_bytes()).unwrap(), signature);
}

/// Sections 2.2.1 to 2.2.7, and the base of appendix B.2.3.
#[test]
fn derived_parts_have_the_values_of_the_standard() {
    let base = base(
        "sig=(\"@method\" \"@target-uri\" \"@authority\" \"@scheme\" \"@request-target\" \"@path\" \
         \"@query\" \"content-digest\")",
    );
    let lines: Vec<&str> = base.lines().collect();
    assert_eq!(
        lines[..7],
        [
            "\"@method\": POST",
            "\"@target-uri\": https://example.com/foo?param=Value&Pet=dog",
            "\"@authority\": example.com",
            "\"@scheme\": https",
            "\"@request-target\": /foo?param=Value&Pet=dog",
            "\"@path\": /foo",
            "\"@query\": ?param=Value&Pet=dog",
        ],
    );
    assert!(lines[7].starts_with("\"content-digest\": sha-512=:WZDPaVn/"));
}

/// Section 2.2.7: a request without query has an empty one.
#[test]
fn an_absent_query_is_a_question_mark() {
    let Some((_, Member::List(list))) = dictionary(b"a=(\"@query\")").unwrap().pop() else {
        panic!("no list")
    };
    for (target, line) in
        [("/foo", "\"@query\": ?\n"), ("/foo?", "\"@query\": ?\n"), ("/?a?b", "\"@query\": ?a?b\n")]
    {
        let base = Sent::to("GET", target).view(|request| message::base(request, &list)).unwrap();
        assert!(base.starts_with(line.as_bytes()), "{target}");
    }
}

/// Section 2.1: values of one name are joined, without white space around them.
#[test]
fn headers_have_the_values_of_the_standard() {
    let sent = Sent::to("GET", "/")
        .with("Host", "www.example.com")
        .with("X-OWS-Header", "  Leading and trailing whitespace.   ")
        .with("Cache-Control", "max-age=60")
        .with("Cache-Control", "   must-revalidate")
        .with("Example-Dict", " a=1,    b=2;x=1;y=2,   c=(a   b   c)")
        .with("X-Empty-Header", "");
    let Some((_, Member::List(list))) = dictionary(
        b"a=(\"host\" \"x-ows-header\" \"cache-control\" \"example-dict\" \"x-empty-header\")",
    )
    .unwrap()
    .pop() else {
        panic!("no list")
    };
    let base = sent.view(|request| message::base(request, &list)).unwrap();
    let expected = "\"host\": www.example.com\n\
         \"x-ows-header\": Leading and trailing whitespace.\n\
         \"cache-control\": max-age=60, must-revalidate\n\
         \"example-dict\": a=1,    b=2;x=1;y=2,   c=(a   b   c)\n\
         \"x-empty-header\": \n";
    assert!(String::from_utf8(base).unwrap().starts_with(expected));
}
