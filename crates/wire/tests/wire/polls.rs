//! Tests of polls and the viewer's votes.

use serde_json::{Value, json};
use siskin_entities::{Poll, StatusBody, Timestamp, polls::PollViewer};
use siskin_wire::{poll, status};

use crate::samples::{self, NOW, json, urls};

fn shown(poll: &Poll) -> Value {
    json(&poll::render(poll, &urls(), NOW))
}

#[test]
fn a_poll_is_rendered_in_full() {
    let mut shown = shown(&samples::poll());
    assert_eq!(shown["emojis"].take()[0]["shortcode"], "cat");
    assert_eq!(
        shown,
        json!({
            "id": "41",
            "expires_at": "2026-11-27T08:00:00.124Z",
            "expired": false,
            "multiple": true,
            "votes_count": 3,
            "voters_count": 2,
            "options": [
                { "title": "yes :cat:", "votes_count": 1 },
                { "title": "no", "votes_count": 2 },
            ],
            "emojis": null,
            "voted": true,
            "own_votes": [1],
        })
    );
}

#[test]
fn anonymous_viewers_have_no_votes_and_authors_chose_nothing() {
    let anonymous = shown(&Poll { viewer: None, ..samples::poll() });
    assert_eq!((anonymous.get("voted"), anonymous.get("own_votes")), (None, None));
    let viewer = Some(PollViewer { is_author: true, chosen: Vec::new() });
    let own = shown(&Poll { viewer, ..samples::poll() });
    assert_eq!((&own["voted"], &own["own_votes"]), (&json!(true), &json!([])));
    let viewer = Some(PollViewer::default());
    assert_eq!(shown(&Poll { viewer, ..samples::poll() })["voted"], false);
}

#[test]
fn a_cached_poll_expires_when_rendered() {
    let secret = Poll { hide_totals: true, ..samples::poll() };
    let open = shown(&secret);
    assert_eq!(open["options"][0]["votes_count"], json!(null));
    assert_eq!(open["votes_count"], 3);
    let later = Timestamp::from_unix_ms(NOW.unix_ms() + 1);
    let over = json(&poll::render(&secret, &urls(), later));
    assert_eq!(over["expired"], true);
    assert_eq!(over["options"][1]["votes_count"], 2);
}

#[test]
fn a_status_has_its_poll_also_when_deleted() {
    let body = StatusBody { poll: Some(samples::poll()), ..samples::body() };
    let asking = siskin_entities::Status { body, reblog: None };
    let poll = shown(&samples::poll());
    assert_eq!(json(&status::render(&asking, &urls(), NOW))["poll"], poll);
    assert_eq!(json(&status::render_deleted(&asking, &urls(), NOW))["poll"], poll);
}
