//! Which forms of the headers are read.

use std::collections::HashSet;

use super::*;
use crate::digest::DigestError;

const PARTS: &str = "(request-target) host date digest content-type";

/// Returns the result for a request of the draft with a changed signature header.
fn cavage(from: &str, to: &str) -> Result<SignedTarget, SignatureError> {
    Sent::post().signed(Scheme::Cavage).replace("signature", from, to).check()
}

/// Returns the result for a request of RFC 9421 with a changed input.
fn input(from: &str, to: &str) -> Result<SignedTarget, SignatureError> {
    Sent::post().signed(Scheme::Rfc9421).replace("signature-input", from, to).check()
}

#[test]
fn forms_of_the_draft_that_peers_send_are_read() {
    for (from, to) in [
        (",headers", ", headers"),
        (",headers", " ,\theaders"),
        (",headers", ",x=\"y\",headers"),
        (",headers", ",created=1795766400,headers"),
        (",headers", ",created=\"1795766400\",headers"),
        (PARTS, "(request-target) Host Date Digest Content-Type"),
        (",algorithm=\"rsa-sha256\"", ""),
    ] {
        assert_eq!(cavage(from, to), Ok(SignedTarget::Whole), "{from} {to}");
    }
}

#[test]
fn malformed_headers_of_the_draft_are_refused() {
    use SignatureError::{AbsentHeader, Malformed, Time, UnsupportedPart};
    let many: String = (0..40).map(|at| format!(",x{at}=\"\"")).collect();
    for (from, to, expected) in [
        ("keyId", "keyid", Malformed),
        ("keyId=", "keyId:", Malformed),
        ("keyId=\"https", "keyId=\"\",x=\"https", Malformed),
        ("keyId=\"https", "keyId=\"\\\"https", Malformed),
        ("keyId=\"https", "keyId=\"hätps", Malformed),
        (",headers=\"", ",headers=", Malformed),
        (",headers", ",,headers", Malformed),
        (",headers", ";headers", Malformed),
        (",headers", " headers", Malformed),
        (",headers", &format!("{many},headers"), Malformed),
        (",signature=\"", ",signature=\"*", Malformed),
        ("\",signature=\"", "\",sig=\"", Malformed),
        ("date", "dat\u{e9}", Malformed),
        ("(request-target)", "(request-target):", Malformed),
        (",headers", ",created=1e9,headers", Malformed),
        (",headers", ",created=\"+5\",headers", Time),
        (",headers", ",created=\"\",headers", Time),
        (",headers", ",expires=99999999999999999999,headers", Time),
        (",headers", ",expires=9223372036854775807,headers", Time),
        ("content-type", "(status)", UnsupportedPart),
        ("content-type", "(created)", Malformed),
        ("content-type", "x-absent", AbsentHeader),
    ] {
        assert_eq!(cavage(from, to), Err(expected), "{from} {to}");
    }
    let signed = Sent::post().signed(Scheme::Cavage);
    assert_eq!(signed.clone().set("date", "now").check(), Err(Time));
    assert_eq!(signed.clone().with("date", &date(NOW)).check(), Err(Time));
    assert_eq!(signed.clone().without("date").check(), Err(AbsentHeader));
    assert_eq!(signed.clone().set("signature", "").check(), Err(Malformed));
    assert_eq!(signed.clone().without("signature").check(), Err(SignatureError::Missing));
    assert_eq!(signed.set("signature", &"a".repeat(9000)).check(), Err(Malformed));
}

#[test]
fn malformed_headers_of_rfc_9421_are_refused() {
    use SignatureError::{AbsentHeader, Malformed, Time, UnsupportedPart, Wrong};
    for (from, to, expected) in [
        ("sig1=", "sig2=", Malformed),
        ("sig1=", "", Malformed),
        ("sig1=(", "sig1=\"a\";x=(", Malformed),
        ("\"@method\"", "@method", Malformed),
        ("\"@method\"", ":AQI=:", Malformed),
        ("\"content-type\"", "\"Content-Type\"", Malformed),
        ("\"content-type\"", "\"content-type\";sf", UnsupportedPart),
        ("\"content-type\"", "\"content-type\";req", UnsupportedPart),
        ("\"content-type\"", "\"@query-param\";name=\"a\"", UnsupportedPart),
        ("\"content-type\"", "\"@status\"", UnsupportedPart),
        ("\"content-type\"", "\"@signature-params\"", UnsupportedPart),
        ("\"content-type\"", "\"x-absent\"", AbsentHeader),
        ("\"content-type\"", "\"\"", AbsentHeader),
        ("created=1795766400", "created=\"1795766400\"", Time),
        ("created=1795766400", "created", Time),
        ("created=1795766400", "created=1795766400.5", Malformed),
        (";keyid", ";expires=\"x\";keyid", Time),
        (";keyid", ";nonce=5;keyid", Malformed),
        (";keyid", ";tag=x;keyid", Malformed),
        (";keyid=\"", ";keyid=\"\";x=\"", Malformed),
        (";keyid", ";x", Malformed),
        (";alg=\"", ";alg=x;y=\"", Malformed),
        (";keyid", ";new=1;keyid", Wrong),
    ] {
        assert_eq!(input(from, to), Err(expected), "{from} {to}");
    }
    let signed = Sent::post().signed(Scheme::Rfc9421);
    let without = signed.clone().without("signature");
    assert_eq!(without.check(), Err(SignatureError::Missing));
    for signature in ["", "sig1", "sig1=(\"a\")", "sig1=\"AA==\"", "x=:AA==:", "sig1=:*:"] {
        assert_eq!(
            signed.clone().set("signature", signature).check(),
            Err(Malformed),
            "{signature}"
        );
    }
}

#[test]
fn nonce_and_tag_are_read_and_signed() {
    let get = Sent::get().with("Host", "far.example").signed_with_input(&format!(
        "(\"@method\" \"@target-uri\" \"@scheme\" \"host\" \"accept\");created=1795766400;\
         nonce=\"a\\\"b\";tag=\"t\";keyid=\"{KEY_ID}\";new=?0",
    ));
    assert_eq!(get.check(), Ok(SignedTarget::Whole));
    let changed = get.replace("signature-input", "tag=\"t\"", "tag=\"u\"");
    assert_eq!(changed.check(), Err(SignatureError::Wrong));
}

#[test]
fn requests_with_targets_of_other_forms_are_refused() {
    for target in ["", "*", "https://far.example/users/b", "/a b", "/a\nhost: far.example"] {
        let sent = Sent { target: target.to_owned(), ..Sent::get().signed(Scheme::Cavage) };
        assert_eq!(sent.check(), Err(SignatureError::Malformed), "{target:?}");
    }
    for method in ["", "GET /x", "G\u{e9}T"] {
        let sent = Sent { method: method.to_owned(), ..Sent::get().signed(Scheme::Cavage) };
        assert_eq!(sent.check(), Err(SignatureError::Malformed), "{method:?}");
    }
}

#[test]
fn a_host_is_ours_in_any_case_and_with_the_usual_port() {
    for authority in ["far.example", "FAR.example", "far.example:443"] {
        for scheme in BOTH {
            let sent = Sent { authority: authority.to_owned(), ..Sent::get() }.signed(scheme);
            assert_eq!(sent.check(), Ok(SignedTarget::Whole), "{authority}");
        }
    }
    let http =
        Sent { scheme: "http".to_owned(), authority: "127.0.0.1:3000".to_owned(), ..Sent::get() };
    for scheme in BOTH {
        let sent = http.clone().signed(scheme);
        let verdict = |hosts: &[&str]| {
            sent.view(|request| verify(request, hosts, NOW, samples::rsa().public()))
        };
        assert_eq!(verdict(&["127.0.0.1:3000"]), Ok(SignedTarget::Whole));
        assert_eq!(verdict(&["127.0.0.1"]), Err(SignatureError::OtherHost));
        assert_eq!(verdict(&[]), Err(SignatureError::OtherHost));
    }
}

#[test]
fn the_claimed_key_is_known_before_any_check() {
    for scheme in BOTH {
        let sent = Sent { authority: "mail.example".to_owned(), ..Sent::post().signed(scheme) };
        let sent = sent.set("host", "mail.example").without("digest").without("content-digest");
        assert_eq!(sent.view(claimed_key_id).unwrap(), KEY_ID);
        assert_eq!(sent.check(), Err(SignatureError::OtherHost));
    }
    let claimed = |sent: Sent| sent.view(claimed_key_id).unwrap_err();
    assert_eq!(claimed(Sent::post()), SignatureError::Missing);
    assert_eq!(claimed(Sent::post().with("signature", "x")), SignatureError::Malformed);
    assert_eq!(claimed(Sent::post().with("signature-input", "a=()")), SignatureError::Malformed);
}

#[test]
fn debug_output_shows_no_headers() {
    let covered = "(\"@method\" \"@target-uri\" \"authorization\")";
    let sent = Sent::get()
        .with("Authorization", "secret")
        .signed_with_input(&format!("{covered};created=1795766400;keyid=\"{KEY_ID}\""));
    assert_eq!(sent.check(), Ok(SignedTarget::Whole));
    let shown = format!("{:?}", sent.read_at(NOW));
    assert!(shown.contains("authorization") && !shown.contains("secret"), "{shown}");
}

#[test]
fn every_reason_has_a_name_of_its_own() {
    let reasons = [
        SignatureError::Missing,
        SignatureError::Malformed,
        SignatureError::Repeated,
        SignatureError::CoveredTwice,
        SignatureError::UnsupportedPart,
        SignatureError::AbsentHeader,
        SignatureError::NotCovered(RequiredPart::Method),
        SignatureError::NotCovered(RequiredPart::Target),
        SignatureError::NotCovered(RequiredPart::Host),
        SignatureError::NotCovered(RequiredPart::Time),
        SignatureError::NotCovered(RequiredPart::Digest),
        SignatureError::OtherHost,
        SignatureError::Time,
        SignatureError::Old,
        SignatureError::Future,
        SignatureError::Expired,
        SignatureError::Digest(DigestError::Missing),
        SignatureError::UnsupportedAlgorithm,
        SignatureError::WrongAlgorithm,
        SignatureError::Wrong,
    ];
    let names: HashSet<&str> = reasons.iter().map(|reason| reason.reason()).collect();
    assert_eq!(names.len(), reasons.len());
    let malformed = reasons.iter().filter(|reason| reason.is_malformed()).count();
    assert_eq!(malformed, 4);
}
