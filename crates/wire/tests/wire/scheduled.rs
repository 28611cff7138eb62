//! Tests of scheduled statuses.

use serde_json::{Value, json};
use siskin_wire::{media, scheduled};

use crate::samples::{self, json, urls};

#[test]
fn a_scheduled_status_contains_its_params() {
    let shown = json(&scheduled::render(&samples::scheduled(), &urls()));
    assert_eq!(
        shown,
        json!({
            "id": "800",
            "scheduled_at": "2026-11-27T08:00:00.123Z",
            "params": {
                "text": "Look, @bob",
                "poll": null,
                "media_ids": ["900"],
                "sensitive": true,
                "spoiler_text": "Birds",
                "visibility": "unlisted",
                "in_reply_to_id": "700",
                "quoted_status_id": "699",
                "quote_approval_policy": "nobody",
                "language": "en",
                "application_id": "5",
                "scheduled_at": null,
                "idempotency": null,
                "with_rate_limit": false,
            },
            "media_attachments": [json(&media::render(&samples::picture(), &urls()))],
        })
    );
}

#[test]
fn missing_params_are_null() {
    let shown = json(&scheduled::render(&samples::scheduled_poll(), &urls()));
    let params = &shown["params"];
    for left_out in
        ["spoiler_text", "in_reply_to_id", "language", "quoted_status_id", "quote_approval_policy"]
    {
        assert_eq!(params.get(left_out), Some(&Value::Null), "{left_out}");
    }
    assert_eq!((&params["media_ids"], params.get("application_id")), (&json!([]), None));
    assert_eq!(
        params["poll"],
        json!({ "options": ["yes", "no"], "expires_in": 300, "multiple": true, "hide_totals": false })
    );
}
