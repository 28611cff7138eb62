//! Tests of small entities: markers, push subscriptions, preferences, relationships, rules and
//! hashtags.

use serde_json::{Value, json};
use siskin_entities::{Marker, Markers, Relationship, Tag};
use siskin_ids::AccountId;
use siskin_wire::{
    health, list, marker, preferences, push, relationship, search::Search, source, tag,
};

use crate::samples::{self, NOW, json, urls};

#[test]
fn only_existing_markers_are_rendered() {
    assert_eq!(json(&marker::render(&Markers::default())), json!({}));
    let home = Some(Marker { last_read_id: 7_001, version: 2, updated_at: NOW });
    assert_eq!(
        json(&marker::render(&Markers { home, notifications: None })),
        json!({ "home": {
            "last_read_id": "7001",
            "version": 2,
            "updated_at": "2026-11-27T08:00:00.123Z",
        } })
    );
}

#[test]
fn a_push_subscription_shows_all_alerts_and_no_key_of_the_client() {
    let shown = json(&push::render(&samples::push_subscription(), "BKey"));
    assert_eq!(
        shown,
        json!({
            "id": "61",
            "endpoint": "https://push.example/send/1",
            "standard": true,
            "server_key": "BKey",
            "alerts": {
                "added_to_collection": false,
                "admin.report": false,
                "admin.sign_up": true,
                "collection_update": false,
                "favourite": false,
                "follow": false,
                "follow_request": false,
                "mention": true,
                "moderation_warning": false,
                "poll": false,
                "quote": false,
                "quoted_update": false,
                "reblog": false,
                "severed_relationships": false,
                "status": false,
                "update": false,
            },
            "policy": "followed",
        })
    );
}

#[test]
fn a_push_message_is_json_with_plain_texts() {
    let message: Value =
        serde_json::from_slice(&push::message_json(&samples::push_message())).unwrap();
    assert_eq!(
        message,
        json!({
            "access_token": "token",
            "preferred_locale": "de",
            "notification_id": "62",
            "notification_type": "mention",
            "icon": "https://example.com/avatars/original/missing.png",
            "title": "Alice mentioned you",
            "body": "Tom & Jerry <3",
        })
    );
}

#[test]
fn preferences_are_the_defaults_for_new_statuses() {
    assert_eq!(
        json(&preferences::render(&samples::credentials())),
        json!({
            "posting:default:visibility": "unlisted",
            "posting:default:sensitive": true,
            "posting:default:language": "de",
            "posting:default:quote_policy": "followers",
            "reading:expand:media": "default",
            "reading:expand:spoilers": false,
        })
    );
}

#[test]
fn an_empty_relationship_is_rendered() {
    assert_eq!(
        json(&relationship::render(&Relationship::none(AccountId::new(7)))),
        json!({
            "id": "7",
            "following": false,
            "showing_reblogs": false,
            "notifying": false,
            "languages": null,
            "followed_by": false,
            "blocking": false,
            "blocked_by": false,
            "muting": false,
            "muting_notifications": false,
            "muting_expires_at": null,
            "requested": false,
            "requested_by": false,
            "domain_blocking": false,
            "endorsed": false,
            "note": "",
        })
    );
}

#[test]
fn the_counts_of_a_hashtag_are_strings() {
    assert_eq!(
        json(&tag::render(&samples::tag(), &urls())),
        json!({
            "id": "31",
            "name": "rust",
            "url": "https://example.com/tags/rust",
            "history": [{ "day": "1795737600", "uses": "5", "accounts": "2" }],
            "following": false,
            "featuring": true,
        })
    );
    let anonymous = Tag { following: None, featuring: None, ..samples::tag() };
    let anonymous = json(&tag::render(&anonymous, &urls()));
    assert_eq!((anonymous.get("following"), anonymous.get("featuring")), (None, None));
}

#[test]
fn a_featured_hashtag_links_to_the_statuses_of_its_owner() {
    assert_eq!(
        json(&tag::render_featured(&samples::featured_tag(), &samples::alice(), &urls())),
        json!({
            "id": "32",
            "name": "rust",
            "url": "https://example.com/@alice/tagged/rust",
            "statuses_count": "7",
            "last_status_at": "2026-11-27",
        })
    );
}

#[test]
fn a_list_contains_its_replies_policy() {
    assert_eq!(
        json(&list::render(&samples::list())),
        json!({ "id": "33", "title": "Birds", "replies_policy": "followed", "exclusive": true })
    );
}

#[test]
fn a_search_without_results_has_empty_lists() {
    assert_eq!(json(&Search::default()), json!({ "accounts": [], "statuses": [], "hashtags": [] }));
}

#[test]
fn a_server_that_is_ready_is_up() {
    assert_eq!(json(&health::up()), json!({ "status": "UP" }));
}

#[test]
fn a_source_has_the_source_texts() {
    let status = samples::status();
    assert_eq!(
        json(&source::render(&status)),
        json!({
            "id": status.body.id.to_string(),
            "text": status.body.source.text,
            "spoiler_text": status.body.source.spoiler_text,
        })
    );
}
