//! Tests of filters and their matches.

use serde_json::json;
use siskin_entities::filters::{
    Filter, FilterAction, FilterHead, FilterResult, Keywords, LegacyFilter, Preview,
};
use siskin_ids::StatusId;
use siskin_wire::{filter, filter_preview};

use crate::samples::{self, NOW, json, urls};

#[test]
fn a_filter_is_rendered_with_its_keywords_and_statuses() {
    assert_eq!(
        json(&filter::render(&samples::filter())),
        json!({
            "id": "61",
            "title": "Birds",
            "context": ["home", "thread"],
            "expires_at": "2026-11-27T08:00:00.123Z",
            "filter_action": "hide",
            "keywords": [{ "id": "62", "keyword": "sisk", "whole_word": true }],
            "statuses": [{ "id": "63", "status_id": "7001" }],
        })
    );
}

#[test]
fn an_empty_filter_without_expiry_is_rendered() {
    let filter = samples::filter();
    let head =
        FilterHead { expires_at: None, action: FilterAction::Warn, ..(*filter.head).clone() };
    let empty = Filter { head: head.into(), keywords: Vec::new(), statuses: Vec::new() };
    let shown = json(&filter::render(&empty));
    assert_eq!((&shown["keywords"], &shown["statuses"]), (&json!([]), &json!([])));
    assert_eq!((&shown["expires_at"], &shown["filter_action"]), (&json!(null), &json!("warn")));
}

#[test]
fn a_result_contains_the_filter_head_and_the_matches() {
    let head = json!({
        "id": "61",
        "title": "Birds",
        "context": ["home", "thread"],
        "expires_at": "2026-11-27T08:00:00.123Z",
        "filter_action": "hide",
    });
    let by_keyword = samples::filter_result();
    assert_eq!(
        json(&filter::render_result(&by_keyword)),
        json!({ "filter": head, "keyword_matches": ["Sisk"], "status_matches": null })
    );
    let by_status = FilterResult {
        keyword_matches: Vec::new(),
        status_matches: vec![StatusId::new(7_001)],
        ..by_keyword
    };
    assert_eq!(
        json(&filter::render_result(&by_status)),
        json!({ "filter": head, "keyword_matches": null, "status_matches": ["7001"] })
    );
}

#[test]
fn the_first_version_shows_a_keyword_as_a_filter() {
    let filter = samples::filter();
    let legacy = LegacyFilter { head: filter.head, keyword: filter.keywords[0].clone() };
    assert_eq!(
        json(&filter::render_v1(&legacy)),
        json!({
            "id": "62",
            "phrase": "sisk",
            "context": ["home", "thread"],
            "whole_word": true,
            "expires_at": "2026-11-27T08:00:00.123Z",
            "irreversible": true,
        })
    );
}

#[test]
fn a_preview_counts_in_code_points_of_texts_without_markup() {
    let body = samples::body_with(|snapshot| {
        snapshot.content = "<p>😀 é &amp; <b>Sisk</b>in</p>".to_owned();
        snapshot.source.spoiler_text = "x".to_owned();
        snapshot.attachments = vec![samples::picture(), samples::picture()];
        snapshot.attachments[1].description = "sisk".to_owned();
    });
    let status = siskin_entities::Status { body, reblog: None };
    let keywords = Keywords::compile([("sisk", false), ("é", true)]).unwrap();
    let preview = Preview::of(&keywords, vec![status, samples::status()], 10);
    let words = ["sisk".to_owned(), "é".to_owned()];
    let shown = json(&filter_preview::render(&preview, &words, &urls(), NOW));
    assert_eq!(shown["statuses_count"], 2);
    assert_eq!(shown["matches"].as_array().unwrap().len(), 1);
    assert_eq!(
        shown["matches"][0]["texts"],
        json!([
            {
                "part": "content",
                "index": null,
                "text": "😀 é & Siskin",
                "spans": [
                    { "keyword": "é", "start": 2, "end": 3 },
                    { "keyword": "sisk", "start": 6, "end": 10 },
                ],
            },
            {
                "part": "description",
                "index": 1,
                "text": "sisk",
                "spans": [{ "keyword": "sisk", "start": 0, "end": 4 }],
            },
        ])
    );
    assert_eq!(shown["matches"][0]["status"]["id"], "7001");
}
