//! Tests of accounts, as public profiles and as their owners see them.

use std::sync::Arc;

use serde_json::json;
use siskin_entities::{Account, AccountState, Credentials, Role, Suggestion, SuggestionSource};
use siskin_wire::{account, profile, suggestion};

use crate::samples::{self, json, urls};

#[test]
fn a_local_account_is_rendered_in_full() {
    assert_eq!(
        json(&account::render(&samples::alice(), &urls())),
        json!({
            "id": "101",
            "username": "alice",
            "acct": "alice",
            "display_name": "Alice <3",
            "locked": true,
            "bot": true,
            "discoverable": true,
            "indexable": true,
            "group": false,
            "created_at": "2026-11-27T00:00:00.000Z",
            "note": "<p>Hello &amp; welcome</p>",
            "url": "https://example.com/@alice",
            "uri": "https://example.com/users/alice",
            "avatar": "https://example.com/media/a.gif",
            "avatar_static": "https://example.com/media/b.png",
            "avatar_description": "A bird & a branch",
            "header": "https://example.com/headers/original/missing.png",
            "header_static": "https://example.com/headers/original/missing.png",
            "header_description": "",
            "hide_collections": false,
            "show_media": true,
            "show_media_replies": false,
            "show_featured": true,
            "emojis": [{
                "shortcode": "blobcat",
                "url": "https://example.com/media/c.gif",
                "static_url": "https://example.com/media/d.png",
                "visible_in_picker": true,
                "category": "Cats & birds",
            }],
            "roles": [{ "id": "1", "name": "Moderator", "color": "#aabbcc" }],
            "fields": [{
                "name": "Home",
                "value": "<a href=\"https://alice.example\">alice.example</a>",
                "verified_at": "2026-11-27T08:00:00.123Z",
            }],
            "followers_count": 3,
            "following_count": 4,
            "statuses_count": 12,
            "last_status_at": "2026-11-27",
        })
    );
}

#[test]
fn a_remote_account_has_its_own_address_and_no_roles() {
    let shown = json(&account::render(&samples::bob(), &urls()));
    assert_eq!(shown["acct"], "bob@remote.example");
    assert_eq!(shown["url"], "https://remote.example/@bob");
    assert_eq!(shown["discoverable"], json!(null));
    assert_eq!(shown["last_status_at"], json!(null));
    assert_eq!(shown["avatar"], "https://example.com/avatars/original/missing.png");
    assert_eq!(shown.get("roles"), None);
}

#[test]
fn a_suspended_account_is_an_empty_shell() {
    let state = AccountState { suspended: true, silenced: false, reachable: true };
    let shown =
        json(&account::render(&samples::alice_with(|snapshot| snapshot.state = state), &urls()));
    assert_eq!(shown["suspended"], true);
    assert_eq!(shown["username"], "alice");
    assert_eq!(shown["display_name"], "");
    assert_eq!(shown["note"], "");
    assert_eq!(shown["avatar_description"], "");
    assert_eq!(shown["fields"], json!([]));
    assert_eq!(shown["emojis"], json!([]));
    assert_eq!(shown["roles"], json!([]));
    assert_eq!(shown["avatar"], "https://example.com/avatars/original/missing.png");
    for flag in ["locked", "bot", "discoverable", "indexable"] {
        assert_eq!(shown[flag], false, "{flag}");
    }
}

#[test]
fn account_states_are_rendered_only_if_true() {
    let plain = json(&account::render(&samples::alice(), &urls()));
    for state in ["suspended", "limited", "memorial", "moved"] {
        assert_eq!(plain.get(state), None, "{state}");
    }
    let state = AccountState { suspended: false, silenced: true, reachable: true };
    let limited = samples::alice_with(|snapshot| {
        snapshot.state = state;
        snapshot.memorial = true;
    });
    let shown = json(&account::render(&limited, &urls()));
    assert_eq!((&shown["limited"], &shown["memorial"]), (&json!(true), &json!(true)));
    assert_eq!(shown["display_name"], "Alice <3");
}

#[test]
fn a_move_is_rendered_unless_the_account_is_suspended() {
    let moved = Account { moved: Some(Arc::new(samples::bob())), ..samples::alice() };
    let shown = json(&account::render(&moved, &urls()));
    assert_eq!(shown["moved"], json(&account::render(&samples::bob(), &urls())));
    let state = AccountState { suspended: true, silenced: false, reachable: true };
    let mut suspended = moved;
    suspended.snapshot_mut().state = state;
    let shown = json(&account::render(&suspended, &urls()));
    assert_eq!(shown.get("moved"), None);
}

#[test]
fn a_profile_has_its_source_texts_and_missing_pictures_are_null() {
    let shown = json(&profile::render(&samples::alice(), &urls()));
    assert_eq!(shown["note"], "Hello & welcome");
    assert_eq!(shown["fields"][0]["value"], "https://alice.example");
    assert_eq!(shown["avatar"], "https://example.com/media/a.gif");
    assert_eq!((&shown["header"], &shown["header_static"]), (&json!(null), &json!(null)));
    assert_eq!(shown["attribution_domains"], json!(["news.example"]));
    assert_eq!((&shown["show_media"], &shown["show_media_replies"]), (&json!(true), &json!(false)));
}

#[test]
fn a_suggestion_has_the_sources_of_old_and_new_clients() {
    let account = Arc::new(samples::bob());
    let sources = vec![SuggestionSource::Featured, SuggestionSource::FriendsOfFriends];
    let both = Suggestion { account: account.clone(), sources };
    let shown = json(&suggestion::render(&both, &urls()));
    assert_eq!(shown["source"], "staff");
    assert_eq!(shown["sources"], json!(["featured", "friends_of_friends"]));
    assert_eq!(shown["account"], json(&account::render(&account, &urls())));
    let one = Suggestion { account, sources: vec![SuggestionSource::FriendsOfFriends] };
    assert_eq!(json(&suggestion::render(&one, &urls()))["source"], "past_interactions");
}

#[test]
fn a_role_that_is_not_highlighted_is_no_badge() {
    let role = Role { highlighted: false, ..samples::role() };
    let account = samples::alice_with(|snapshot| snapshot.role = Some(role));
    assert_eq!(json(&account::render(&account, &urls()))["roles"], json!([]));
}

#[test]
fn the_own_account_contains_its_source_texts() {
    let own = json(&account::render_own(&samples::alice(), &samples::credentials(), &urls()));
    assert_eq!(own["note"], "<p>Hello &amp; welcome</p>");
    assert_eq!(
        own["source"],
        json!({
            "privacy": "unlisted",
            "sensitive": true,
            "language": "de",
            "note": "Hello & welcome",
            "fields": [{
                "name": "Home",
                "value": "https://alice.example",
                "verified_at": "2026-11-27T08:00:00.123Z",
            }],
            "follow_requests_count": 2,
            "hide_collections": false,
            "discoverable": true,
            "indexable": true,
            "attribution_domains": ["news.example"],
            "quote_policy": "followers",
        })
    );
}

#[test]
fn an_account_without_a_role_has_the_base_role() {
    let own = json(&account::render_own(&samples::alice(), &samples::credentials(), &urls()));
    assert_eq!(
        own["role"],
        json!({ "id": "-99", "name": "", "color": "", "permissions": "0", "highlighted": false })
    );
    let staff = Credentials { role: Some(samples::role()), ..samples::credentials() };
    let own = json(&account::render_own(&samples::alice(), &staff, &urls()));
    assert_eq!(
        own["role"],
        json!({
            "id": "1",
            "name": "Moderator",
            "color": "#aabbcc",
            "permissions": "1308",
            "highlighted": true,
        })
    );
}
