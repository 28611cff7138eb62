//! Tests of clients, tokens and the metadata of the authorization server.

use serde_json::json;
use siskin_wire::{
    application,
    oauth::{self, Grants},
};

use crate::samples::{self, NOW, json, urls};

#[test]
fn a_registration_contains_the_client_secret() {
    let client = application::render_registered(&samples::application(), "the-secret", "BKey");
    assert_eq!(
        json(&client),
        json!({
            "id": "9",
            "name": "toot",
            "website": "https://toot.example",
            "scopes": ["read", "write"],
            "redirect_uris": ["urn:ietf:wg:oauth:2.0:oob", "https://toot.example/done"],
            "redirect_uri": "urn:ietf:wg:oauth:2.0:oob\nhttps://toot.example/done",
            "vapid_key": "BKey",
            "client_id": "the-client",
            "client_secret": "the-secret",
            "client_secret_expires_at": 0,
        })
    );
}

#[test]
fn an_application_is_rendered_without_its_secret() {
    let client = json(&application::render(&samples::application(), "BKey"));
    assert_eq!(client["vapid_key"], "BKey");
    assert_eq!(client.get("client_id"), None);
    assert_eq!(client.get("client_secret"), None);
}

#[test]
fn a_token_has_its_time_in_seconds() {
    assert_eq!(
        json(&oauth::render_token("abc", "read write", NOW)),
        json!({
            "access_token": "abc",
            "token_type": "Bearer",
            "scope": "read write",
            "created_at": 1_795_766_400,
        })
    );
}

#[test]
fn the_metadata_contain_every_endpoint() {
    let metadata =
        json(&oauth::render_metadata(["read", "write"], Grants::WithoutPassword, &urls()));
    assert_eq!(metadata["issuer"], "https://example.com/");
    assert_eq!(metadata["authorization_endpoint"], "https://example.com/oauth/authorize");
    assert_eq!(metadata["token_endpoint"], "https://example.com/oauth/token");
    assert_eq!(metadata["revocation_endpoint"], "https://example.com/oauth/revoke");
    assert_eq!(metadata["userinfo_endpoint"], "https://example.com/oauth/userinfo");
    assert_eq!(metadata["app_registration_endpoint"], "https://example.com/api/v1/apps");
    assert_eq!(metadata["scopes_supported"], json!(["read", "write"]));
    assert_eq!(metadata["code_challenge_methods_supported"], json!(["S256"]));
}

#[test]
fn the_password_grant_is_announced_only_if_enabled() {
    let types = |grants| {
        json(&oauth::render_metadata(["read"], grants, &urls()))["grant_types_supported"].clone()
    };
    let always = ["authorization_code", "client_credentials"];
    assert_eq!(types(Grants::WithoutPassword), json!(always));
    assert_eq!(types(Grants::WithPassword), json!([always[0], always[1], "password"]));
}

#[test]
fn the_user_info_contains_the_claims() {
    assert_eq!(
        json(&oauth::render_user_info(&samples::alice(), &urls())),
        json!({
            "iss": "https://example.com/",
            "sub": "https://example.com/users/alice",
            "name": "Alice <3",
            "preferred_username": "alice",
            "profile": "https://example.com/@alice",
            "picture": "https://example.com/media/a.gif",
        })
    );
}
