//! Attacks on signed requests. Each row is a change, and the reason why it is refused.

use std::time::Duration;

use super::*;
use crate::digest::{DigestError, DigestHeader};

type Change = fn(Sent) -> Sent;

const OTHER_DIGEST: &str = "SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
const OTHER_CONTENT_DIGEST: &str = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:";

fn assert_refused(scheme: Scheme, changes: &[(&str, Change, SignatureError)]) {
    for (attack, change, expected) in changes {
        let sent = change(Sent::post().signed(scheme));
        assert_eq!(sent.check(), Err(*expected), "{scheme:?}: {attack}");
    }
}

#[test]
fn a_request_that_was_changed_is_refused() {
    let changes: &[(&str, Change, SignatureError)] = &[
        ("another method", |it| Sent { method: "PUT".to_owned(), ..it }, SignatureError::Wrong),
        (
            "another inbox",
            |it| Sent { target: "/users/c/inbox".to_owned(), ..it },
            SignatureError::Wrong,
        ),
        ("a query", |it| Sent { target: it.target + "?a", ..it }, SignatureError::Wrong),
        (
            "another body",
            |it| Sent { body: br#"{"type":"Flag"}"#.to_vec(), ..it },
            SignatureError::Digest(DigestError::Mismatch),
        ),
        (
            "no body",
            |it| Sent { body: Vec::new(), ..it },
            SignatureError::Digest(DigestError::Mismatch),
        ),
        ("another content type", |it| it.set("content-type", "text/html"), SignatureError::Wrong),
        ("a second content type", |it| it.with("content-type", "a/b"), SignatureError::Wrong),
        ("no content type", |it| it.without("content-type"), SignatureError::AbsentHeader),
    ];
    for scheme in BOTH {
        assert_refused(scheme, changes);
    }
}

#[test]
fn a_request_to_another_server_is_refused() {
    let changes: &[(&str, Change, SignatureError)] = &[
        (
            "sent on to us",
            |it| Sent { authority: "mail.example".to_owned(), ..it }.set("host", "mail.example"),
            SignatureError::OtherHost,
        ),
        (
            "sent on to us, with our name in the request line",
            |it| it.set("host", "mail.example"),
            SignatureError::OtherHost,
        ),
        ("two hosts", |it| it.with("host", "far.example"), SignatureError::OtherHost),
        (
            "our other name",
            |it| {
                let other = "other.example:8443";
                Sent { authority: other.to_owned(), ..it }.set("host", other)
            },
            SignatureError::Wrong,
        ),
        (
            "another port",
            |it| Sent { authority: "far.example:8443".to_owned(), ..it }.without("host"),
            SignatureError::OtherHost,
        ),
    ];
    for scheme in BOTH {
        assert_refused(scheme, changes);
    }
}

#[test]
fn a_digest_that_does_not_prove_the_body_is_refused() {
    let error = SignatureError::Digest;
    assert_refused(
        Scheme::Cavage,
        &[
            ("no digest", |it| it.without("digest"), error(DigestError::Missing)),
            ("another digest", |it| it.set("digest", OTHER_DIGEST), error(DigestError::Mismatch)),
            ("SHA-512", |it| it.set("digest", "SHA-512=AAAA"), error(DigestError::Unsupported)),
            (
                "two headers",
                |it| {
                    let digest = it.value("digest");
                    it.with("digest", &digest)
                },
                error(DigestError::Repeated),
            ),
            (
                "two digests in a header",
                |it| {
                    let both = format!("{},{OTHER_DIGEST}", it.value("digest"));
                    it.set("digest", &both)
                },
                error(DigestError::Repeated),
            ),
            ("malformed", |it| it.set("digest", "SHA-256"), error(DigestError::Malformed)),
        ],
    );
    assert_refused(
        Scheme::Rfc9421,
        &[
            ("no digest", |it| it.without("content-digest"), error(DigestError::Missing)),
            (
                "another digest",
                |it| it.set("content-digest", OTHER_CONTENT_DIGEST),
                error(DigestError::Mismatch),
            ),
            (
                "SHA-512",
                |it| it.set("content-digest", "sha-512=:AAAA:"),
                error(DigestError::Unsupported),
            ),
            (
                "two headers",
                |it| it.with("content-digest", OTHER_CONTENT_DIGEST),
                error(DigestError::Repeated),
            ),
            (
                "that of the draft",
                |it| it.without("content-digest").with("digest", OTHER_DIGEST),
                error(DigestError::Missing),
            ),
        ],
    );
}

#[test]
fn a_changed_body_with_its_own_digest_is_refused() {
    for (scheme, header) in
        [(Scheme::Cavage, DigestHeader::Digest), (Scheme::Rfc9421, DigestHeader::ContentDigest)]
    {
        let sent = Sent::post().signed(scheme).set(header.name(), &header.value(b"other"));
        let sent = Sent { body: b"other".to_vec(), ..sent };
        assert_eq!(sent.check(), Err(SignatureError::Wrong));
    }
}

#[test]
fn two_signatures_are_refused() {
    let again: Change = |it| {
        let signature = it.value("signature");
        it.with("signature", &signature)
    };
    assert_refused(
        Scheme::Cavage,
        &[
            ("two headers", again, SignatureError::Repeated),
            (
                "two in a header",
                |it| {
                    let signature = it.value("signature");
                    it.set("signature", &format!("{signature},{signature}"))
                },
                SignatureError::Repeated,
            ),
            (
                "a second key",
                |it| it.replace("signature", ",headers", ",keyId=\"b\",headers"),
                SignatureError::Repeated,
            ),
            (
                "a second list of parts",
                |it| it.replace("signature", ",headers", ",headers=\"date\",headers"),
                SignatureError::Repeated,
            ),
        ],
    );
    let with_other: Change = |it| {
        let input = it.value("signature-input").replacen("sig1", "sig2", 1);
        let input = format!("{}, {input}", it.value("signature-input"));
        let signature = it.value("signature").replacen("sig1", "sig2", 1);
        let signature = format!("{}, {signature}", it.value("signature"));
        it.set("signature-input", &input).set("signature", &signature)
    };
    assert_refused(
        Scheme::Rfc9421,
        &[
            ("two headers", again, SignatureError::Repeated),
            (
                "two inputs",
                |it| {
                    let input = it.value("signature-input").replacen("sig1", "sig2", 1);
                    it.with("signature-input", &input)
                },
                SignatureError::Repeated,
            ),
            ("two in a header", with_other, SignatureError::Repeated),
            (
                "another one beside it",
                |it| it.with("signature", "sig2=:AA==:"),
                SignatureError::Repeated,
            ),
            (
                "a signature of the draft beside it",
                |it| it.with("signature", "keyId=\"a\""),
                SignatureError::Repeated,
            ),
            (
                "a parameter twice",
                |it| it.replace("signature-input", ";keyid", ";keyid=\"b\";keyid"),
                SignatureError::Repeated,
            ),
        ],
    );
}

/// Returns a request with all headers that a signature could cover.
fn complete() -> Sent {
    Sent::post()
        .with("Host", "far.example")
        .with("Date", &date(NOW))
        .with("Digest", &DigestHeader::Digest.value(BODY))
        .with("Content-Digest", &DigestHeader::ContentDigest.value(BODY))
}

#[test]
fn a_signature_of_the_draft_must_cover_all_that_matters() {
    use RequiredPart::{Digest, Host, Target, Time};
    let created = "created=1795766400";
    for (headers, more, expected) in [
        ("(request-target) host date digest", "", Ok(SignedTarget::Whole)),
        ("(request-target) host (created) digest", created, Ok(SignedTarget::Whole)),
        ("host date digest", "", Err(SignatureError::NotCovered(Target))),
        ("(request-target) date digest", "", Err(SignatureError::NotCovered(Host))),
        ("(request-target) host digest", "", Err(SignatureError::NotCovered(Time))),
        ("(request-target) host digest", created, Err(SignatureError::NotCovered(Time))),
        ("(request-target) host date", "", Err(SignatureError::NotCovered(Digest))),
        ("(request-target) host date content-digest", "", Err(SignatureError::NotCovered(Digest))),
        ("(request-target) host date digest host", "", Err(SignatureError::CoveredTwice)),
        ("(request-target) host date digest HOST", "", Err(SignatureError::CoveredTwice)),
        (
            "(request-target) (request-target) host date digest",
            "",
            Err(SignatureError::CoveredTwice),
        ),
    ] {
        let signed = headers.replace("HOST", "host");
        let sent = complete().signed_over(&signed, more).replace("signature", &signed, headers);
        assert_eq!(sent.check(), expected, "{headers}");
    }
    let without = complete().signed_over("(created)", created);
    let without = without.replace("signature", "headers=\"(created)\",", "");
    assert_eq!(without.check(), Err(SignatureError::NotCovered(Target)));
}

#[test]
fn a_signature_of_rfc_9421_must_cover_all_that_matters() {
    use RequiredPart::{Digest, Host, Method, Target, Time};
    let time = format!(";created=1795766400;keyid=\"{KEY_ID}\"");
    for (parts, parameters, expected) in [
        ("@method @target-uri content-digest", time.as_str(), Ok(SignedTarget::Whole)),
        ("@method @authority @path @query content-digest", &time, Ok(SignedTarget::Whole)),
        ("@method @authority @request-target content-digest", &time, Ok(SignedTarget::Whole)),
        ("@target-uri content-digest", &time, Err(SignatureError::NotCovered(Method))),
        ("@method content-digest", &time, Err(SignatureError::NotCovered(Host))),
        ("@method @path @query content-digest", &time, Err(SignatureError::NotCovered(Host))),
        ("@method host @path @query content-digest", &time, Err(SignatureError::NotCovered(Host))),
        ("@method @authority @path content-digest", &time, Err(SignatureError::NotCovered(Target))),
        (
            "@method @authority @query content-digest",
            &time,
            Err(SignatureError::NotCovered(Target)),
        ),
        ("@method @target-uri", &time, Err(SignatureError::NotCovered(Digest))),
        ("@method @target-uri digest", &time, Err(SignatureError::NotCovered(Digest))),
        (
            "@method @target-uri content-digest date",
            ";keyid=\"a\"",
            Err(SignatureError::NotCovered(Time)),
        ),
        ("@method @target-uri content-digest @method", &time, Err(SignatureError::CoveredTwice)),
        ("@method @target-uri content-digest date date", &time, Err(SignatureError::CoveredTwice)),
    ] {
        let quoted: Vec<String> = parts.split(' ').map(|part| format!("\"{part}\"")).collect();
        let sent = complete().signed_with_input(&format!("({}){parameters}", quoted.join(" ")));
        assert_eq!(sent.check(), expected, "{parts}");
    }
}

#[test]
fn a_get_with_a_body_needs_a_digest() {
    for scheme in BOTH {
        let sent = Sent::get().signed(scheme);
        assert!(sent.check().is_ok());
        let sent = Sent { body: b"x".to_vec(), ..sent };
        assert_eq!(sent.check(), Err(SignatureError::NotCovered(RequiredPart::Digest)));
    }
}

#[test]
fn a_query_that_was_stripped_or_changed_is_noticed() {
    for scheme in BOTH {
        for target in ["/users/b", "/users/b?", "/users/b?page=2", "/users/b?page=1&x", "/users"] {
            let sent = Sent { target: target.to_owned(), ..Sent::get().signed(scheme) };
            assert_eq!(sent.check(), Err(SignatureError::Wrong), "{scheme:?} {target}");
        }
    }
}

#[test]
fn a_signature_counts_for_an_hour() {
    let (minute, hour) = (Duration::from_mins(1), Duration::from_hours(1));
    for scheme in BOTH {
        let sent = Sent::post().signed(scheme);
        for (now, expected) in [
            (NOW, Ok(())),
            (NOW.after(hour), Ok(())),
            (NOW.before(hour), Ok(())),
            (NOW.after(hour + minute), Err(SignatureError::Old)),
            (NOW.after(Duration::from_hours(24 * 365)), Err(SignatureError::Old)),
            (NOW.before(hour + minute), Err(SignatureError::Future)),
        ] {
            assert_eq!(sent.read_at(now).map(|_| ()), expected, "{scheme:?} {now}");
        }
    }
}

#[test]
fn a_named_end_is_obeyed_up_to_12_hours() {
    let hours = |hours| Duration::from_hours(hours);
    let cases = |created: i64, expires: i64| {
        let times = format!("created={created},expires={expires}");
        let cavage =
            complete().signed_over("(request-target) host (created) (expires) digest", &times);
        let input = format!(
            "(\"@method\" \"@target-uri\" \"content-digest\");created={created};expires={expires};\
             keyid=\"{KEY_ID}\"",
        );
        [cavage, complete().signed_with_input(&input)]
    };
    let seconds = NOW.unix_seconds();
    for (lifetime, now, expected) in [
        (60, NOW, Ok(())),
        (60, NOW.after(Duration::from_secs(60)), Ok(())),
        (60, NOW.after(Duration::from_secs(61)), Err(SignatureError::Expired)),
        (-1, NOW, Err(SignatureError::Expired)),
        (8 * 3600, NOW.after(hours(8)), Ok(())),
        (8 * 3600, NOW.after(hours(9)), Err(SignatureError::Expired)),
        (48 * 3600, NOW.after(hours(12)), Ok(())),
        (48 * 3600, NOW.after(hours(13)), Err(SignatureError::Old)),
        (48 * 3600, NOW.before(hours(2)), Err(SignatureError::Future)),
    ] {
        for sent in cases(seconds, seconds + lifetime) {
            assert_eq!(sent.read_at(now).map(|_| ()), expected, "{lifetime} {now}");
        }
    }
}

#[test]
fn an_end_that_is_not_signed_only_shortens() {
    let later = NOW.after(Duration::from_hours(2));
    let sent = Sent::post().signed(Scheme::Cavage);
    let end = |seconds: i64| format!(",expires={seconds},headers");
    let longer = sent.clone().replace("signature", ",headers", &end(NOW.unix_seconds() + 36_000));
    assert_eq!(longer.read_at(later), Err(SignatureError::Old));
    let ended = sent.replace("signature", ",headers", &end(NOW.unix_seconds() - 1));
    assert_eq!(ended.read_at(NOW), Err(SignatureError::Expired));
}

#[test]
fn every_covered_time_counts() {
    // A new time beside an old one would let an old request pass.
    let old = date(NOW.before(Duration::from_hours(2)));
    let sent = complete().set("date", &old);
    let covered = "(request-target) host date (created) digest";
    let sent = sent.signed_over(covered, "created=1795766400");
    assert_eq!(sent.check(), Err(SignatureError::Old));
}

#[test]
fn an_algorithm_that_lies_is_refused() {
    let rsa = "(request-target) host date digest";
    for (name, expected) in [
        ("rsa-sha256", Ok(SignedTarget::Whole)),
        ("RSA-SHA256", Ok(SignedTarget::Whole)),
        ("hs2019", Ok(SignedTarget::Whole)),
        ("rsa-sha512", Err(SignatureError::Wrong)),
        ("ed25519", Err(SignatureError::WrongAlgorithm)),
        ("hmac-sha256", Err(SignatureError::UnsupportedAlgorithm)),
        ("rsa-sha1", Err(SignatureError::UnsupportedAlgorithm)),
        ("none", Err(SignatureError::UnsupportedAlgorithm)),
        ("", Err(SignatureError::UnsupportedAlgorithm)),
    ] {
        let sent = complete().signed_over(rsa, &format!("algorithm=\"{name}\""));
        assert_eq!(sent.check(), expected, "{name}");
    }
    for (name, expected) in [
        ("rsa-v1_5-sha256", Ok(SignedTarget::Whole)),
        ("ed25519", Err(SignatureError::WrongAlgorithm)),
        ("rsa-pss-sha512", Err(SignatureError::UnsupportedAlgorithm)),
        ("hmac-sha256", Err(SignatureError::UnsupportedAlgorithm)),
        ("RSA-V1_5-SHA256", Err(SignatureError::UnsupportedAlgorithm)),
    ] {
        let sent = complete().signed_with_input(&format!(
            "(\"@method\" \"@target-uri\" \"content-digest\");created=1795766400;\
             keyid=\"{KEY_ID}\";alg=\"{name}\"",
        ));
        assert_eq!(sent.check(), expected, "{name}");
    }
}

#[test]
fn the_public_key_is_no_secret_of_a_hash() {
    // The attack of the first JWT libraries: a signature by HMAC with the public key as its secret.
    use ring::hmac;
    let covered = "(request-target) host date digest";
    let parts: Vec<String> = covered.split(' ').map(str::to_owned).collect();
    let base = complete().view(|request| cavage::base(request, &parts, None, None).unwrap());
    for secret in [samples::RSA_PUBLIC, samples::RSA_PUBLIC.trim()] {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), &base);
        for name in ["hmac-sha256", "hs2019", "rsa-sha256"] {
            let header = format!(
                "keyId=\"{KEY_ID}\",algorithm=\"{name}\",headers=\"{covered}\",signature=\"{}\"",
                base64(tag.as_ref()),
            );
            assert!(complete().with("signature", &header).check().is_err(), "{name}");
        }
    }
}

#[test]
fn a_signature_by_another_key_is_refused() {
    for scheme in BOTH {
        let by_ed25519 = Sent::post().signed_by(&samples::ed25519(), scheme);
        let expected = match scheme {
            Scheme::Cavage => SignatureError::Wrong,
            Scheme::Rfc9421 => SignatureError::WrongAlgorithm,
        };
        assert_eq!(by_ed25519.check(), Err(expected));
        assert!(expected.suggests_stale_key());
        let other = PublicKey::from_pem(samples::RSA_8192_PUBLIC).unwrap();
        assert_eq!(Sent::post().signed(scheme).check_by(&other), Err(SignatureError::Wrong));
    }
}
