//! Fetched documents, redirects and headers.

use super::*;

const JSON: &str = "application/activity+json";

fn judge(requested: &str, answered: &str, id: &str, attempt: Attempt) -> DocumentVerdict {
    let (requested, answered) = (uri(requested), uri(answered));
    let answer = Answer {
        requested: &requested,
        answered: &answered,
        attempt,
        content_type: JSON,
        disposition: None,
    };
    document_counts(&answer, Some(&uri(id)))
}

#[test]
fn a_document_counts_for_its_own_address_only() {
    use Attempt::{First, OfId};
    let upload = "https://town.example/media/1.json";
    let page = "https://town.example/@alice";
    let elsewhere = "https://evil.example/alice";
    let counts = DocumentVerdict::Counts;
    let fetch = |id: &str| DocumentVerdict::FetchId(uri(id));
    let refused = DocumentVerdict::Refused(Refusal::OtherId);
    for (requested, answered, id, attempt, verdict) in [
        (ALICE, ALICE, ALICE, First, counts.clone()),
        // The page of a profile leads to the actor.
        (page, ALICE, ALICE, First, counts.clone()),
        (page, page, ALICE, First, fetch(ALICE)),
        (elsewhere, ALICE, ALICE, First, counts.clone()),
        (ALICE, ALICE, ALICE, OfId, counts.clone()),
        // Clients write the same request in several ways.
        (
            "https://town.example?author=1",
            "https://town.example/?author=1",
            "https://town.example?author=1",
            First,
            counts.clone(),
        ),
        // The address of a key leads to its actor.
        (&format!("{ALICE}#main-key"), ALICE, ALICE, First, counts.clone()),
        // An upload poses as an actor of its server (GHSA-jhrq).
        (upload, upload, ALICE, First, fetch(ALICE)),
        (upload, upload, ALICE, OfId, refused.clone()),
        // Another server poses as it (CVE-2024-23832).
        (elsewhere, elsewhere, ALICE, First, fetch(ALICE)),
        (elsewhere, elsewhere, ALICE, OfId, refused.clone()),
        // The id redirects to the document of another account, or to one that claims the id.
        (ALICE, elsewhere, elsewhere, OfId, refused.clone()),
        (ALICE, elsewhere, ALICE, OfId, refused.clone()),
        (ALICE, elsewhere, ALICE, First, refused.clone()),
        (ALICE, upload, ALICE, First, refused.clone()),
        // Whole addresses are compared.
        (ALICE, ALICE, "https://town.example/users/Alice", OfId, refused.clone()),
        (ALICE, ALICE, "https://town.example/users/alice/", OfId, refused.clone()),
        (ALICE, ALICE, "https://town.example:8443/users/alice", OfId, refused.clone()),
        (ALICE, ALICE, "https://town.example/users/alice?x", OfId, refused.clone()),
        // One address cannot have many ids.
        (ALICE, ALICE, &format!("{ALICE}#second"), First, refused.clone()),
        (&format!("{ALICE}#x"), &format!("{ALICE}#x"), &format!("{ALICE}#x"), First, refused),
    ] {
        assert_eq!(judge(requested, answered, id, attempt), verdict, "{requested} {answered} {id}");
    }
}

#[test]
fn an_id_is_asked_for_once() {
    let DocumentVerdict::FetchId(next) = judge(
        "https://evil.example/1",
        "https://evil.example/1",
        "https://evil.example/2",
        Attempt::First,
    ) else {
        panic!()
    };
    let verdict = judge(next.as_str(), next.as_str(), "https://evil.example/3", Attempt::OfId);
    assert_eq!(verdict, DocumentVerdict::Refused(Refusal::OtherId));
}

#[test]
fn the_form_of_an_answer_comes_first() {
    let alice = uri(ALICE);
    let judge = |content_type, disposition, id| {
        let answer = Answer {
            requested: &alice,
            answered: &alice,
            attempt: Attempt::First,
            content_type,
            disposition,
        };
        document_counts(&answer, id)
    };
    let ld_json = "application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"";
    let id = Some(&alice);
    for (content_type, disposition, id, reason) in [
        (JSON, None, id, None),
        (ld_json, Some("inline"), id, None),
        ("application/ld+json", None, id, Some(Refusal::ContentType)),
        ("text/html", None, id, Some(Refusal::ContentType)),
        ("application/json", None, id, Some(Refusal::ContentType)),
        ("text/plain", None, id, Some(Refusal::ContentType)),
        ("", None, id, Some(Refusal::ContentType)),
        (JSON, Some("attachment"), id, Some(Refusal::Attachment)),
        (JSON, Some("Attachment; filename=\"a.json\""), id, Some(Refusal::Attachment)),
        (JSON, Some("form-data"), id, Some(Refusal::Attachment)),
        (JSON, None, None, Some(Refusal::DocumentWithoutId)),
    ] {
        let expected = reason.map_or(DocumentVerdict::Counts, DocumentVerdict::Refused);
        assert_eq!(
            judge(content_type, disposition, id),
            expected,
            "{content_type} {disposition:?}"
        );
    }
}

#[test]
fn redirects_are_few_and_carry_no_body() {
    let (from, to) = (uri(ALICE), uri(MALLORY));
    let plain = Uri::parse("http://town.example/x", Schemes::HttpToo).unwrap();
    for (before, to, has_body, expected) in [
        (0, &to, false, Ok(())),
        (2, &to, false, Ok(())),
        (3, &to, false, Err(Refusal::Redirects)),
        (0, &plain, false, Err(Refusal::RedirectScheme)),
        (0, &to, true, Err(Refusal::RedirectOfDelivery)),
    ] {
        assert_eq!(redirect_is_followed(&Hop { before, from: &from, to, has_body }), expected);
    }
}

#[test]
fn a_header_value_is_one_line() {
    assert!(header_value_is_safe("text/html; charset=utf-8") && header_value_is_safe(""));
    for value in ["a\r\nX: b", "a\nb", "a\rb", "a\0"] {
        assert!(!header_value_is_safe(value));
    }
}
