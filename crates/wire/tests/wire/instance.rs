//! Tests of the instance in both versions.

use serde_json::{Value, json};
use siskin_entities::{InstanceFacts, InstancePicture, settings::Registrations};
use siskin_wire::{instance, instance_v1};

use crate::samples::{self, json, urls};

fn both(facts: &InstanceFacts) -> (Value, Value) {
    (json(&instance::render(facts, &urls())), json(&instance_v1::render(facts, &urls())))
}

#[test]
fn both_forms_describe_the_instance() {
    let (present, former) = both(&samples::instance());
    assert_eq!(present["domain"], "example.com");
    assert_eq!(former["uri"], "example.com");
    for form in [&present, &former] {
        assert_eq!(form["title"], "Siskin");
        assert_eq!(form["version"], "4.5.0 (compatible; Siskin 0.1.0)");
        assert_eq!(form["rules"], json!([{ "id": "1", "text": "Be kind", "hint": "" }]));
    }
    assert_eq!(present["configuration"]["urls"]["streaming"], "wss://example.com");
    assert_eq!(former["urls"]["streaming_api"], "wss://example.com");
    let urls = &present["configuration"]["urls"];
    assert_eq!(urls["about"], "https://example.com/about");
    assert_eq!(urls["privacy_policy"], "https://example.com/privacy-policy");
    assert_eq!(urls["terms_of_service"], "https://example.com/terms-of-service");
    let (bare, _) = both(&InstanceFacts { has_terms: false, ..samples::instance() });
    assert_eq!(bare["configuration"]["urls"]["terms_of_service"], json!(null));
    assert_eq!(present["contact"]["account"]["acct"], "alice");
    assert_eq!(former["contact_account"]["acct"], "alice");
    assert_eq!(present["configuration"]["vapid"]["public_key"], "BKey");
    assert_eq!(present["thumbnail"]["url"], "https://example.com/headers/original/missing.png");
    assert_eq!(former["thumbnail"], "https://example.com/headers/original/missing.png");
}

#[test]
fn a_picture_has_sizes_and_icons() {
    let picture = Some(samples::instance_picture());
    let (present, former) = both(&InstanceFacts { picture, ..samples::instance() });
    let file = |name: &str| format!("https://example.com/media/{name}");
    assert_eq!(former["thumbnail"], file("wide.jpg"));
    let thumbnail = json!({
        "url": file("wide.jpg"),
        "blurhash": "UBL_:rOpGG-oBUNG,qRj",
        "versions": { "@1x": file("wide.jpg"), "@2x": file("large.jpg") },
    });
    assert_eq!(present["thumbnail"], thumbnail);
    let icons = json!([
        { "src": file("small.jpg"), "size": "192x192" },
        { "src": file("icon.jpg"), "size": "512x512" },
    ]);
    assert_eq!(present["icon"], icons);
    let small = InstancePicture { large_thumbnail: None, ..samples::instance_picture() };
    let (present, _) = both(&InstanceFacts { picture: Some(small), ..samples::instance() });
    assert_eq!(present["thumbnail"]["versions"], json!({ "@1x": file("wide.jpg") }));
    let (bare, _) = both(&samples::instance());
    assert_eq!((&bare["icon"], bare["thumbnail"].as_object().unwrap().len()), (&json!([]), 1));
}

#[test]
fn the_source_url_is_the_setting_or_this_server() {
    let (present, _) = both(&samples::instance());
    assert_eq!(present["source_url"], "https://source.example/siskin");
    let (present, _) = both(&InstanceFacts { source_url: None, ..samples::instance() });
    assert_eq!(present["source_url"], "https://example.com");
}

#[test]
fn limits_are_the_same_in_both_forms() {
    let (present, former) = both(&samples::instance());
    let (present, former) = (&present["configuration"], &former["configuration"]);
    assert_eq!(present["statuses"], former["statuses"]);
    assert_eq!(present["polls"], former["polls"]);
    assert_eq!(present["statuses"]["max_characters"], 500);
    assert_eq!(present["accounts"]["max_featured_tags"], former["accounts"]["max_featured_tags"]);
    assert_eq!(present["media_attachments"]["image_size_limit"], 16_777_216);
    assert_eq!(former["media_attachments"]["image_size_limit"], 16_777_216);
}

#[test]
fn the_long_description_falls_back_to_the_short_one() {
    let (_, bare) = both(&samples::instance());
    assert_eq!(bare["description"], "A small one");
    let facts = InstanceFacts { description: "Long".to_owned(), ..samples::instance() };
    let (present, former) = both(&facts);
    assert_eq!(present["description"], "A small one");
    assert_eq!(former["description"], "Long");
}

#[test]
fn registrations_follow_the_mode() {
    let cases = [
        (Registrations::Open, true, false),
        (Registrations::Approval, true, true),
        (Registrations::None, false, false),
        (Registrations::External, false, false),
    ];
    for (registrations, enabled, approval) in cases {
        let facts = InstanceFacts { registrations, ..samples::instance() };
        let (present, former) = both(&facts);
        assert_eq!(present["registrations"]["enabled"], enabled);
        assert_eq!(present["registrations"]["approval_required"], approval);
        let reason = if approval { json!(false) } else { json!(null) };
        assert_eq!(present["registrations"]["reason_required"], reason);
        assert_eq!(former["registrations"], enabled);
        assert_eq!(former["approval_required"], approval);
    }
}

#[test]
fn people_of_a_provider_sign_up_on_a_page() {
    let url = |registrations, external_sign_up| {
        let facts = InstanceFacts { registrations, external_sign_up, ..samples::instance() };
        both(&facts).0["registrations"]["url"].take()
    };
    let page = json!("https://example.com/auth/sign_in");
    assert_eq!(url(Registrations::External, true), page);
    assert_eq!(url(Registrations::External, false), json!(null));
    assert_eq!(url(Registrations::Open, true), json!(null));
    assert_eq!(url(Registrations::None, false), json!(null));
}

#[test]
fn the_message_is_html_while_registrations_are_closed() {
    let (open, _) = both(&samples::instance());
    assert_eq!(open["registrations"]["message"], json!(null));
    let facts = InstanceFacts { registrations: Registrations::None, ..samples::instance() };
    let (closed, _) = both(&facts);
    assert_eq!(closed["registrations"]["message"], "<p>Back &lt;soon&gt;</p>");
}

#[test]
fn the_access_to_timelines_is_rendered() {
    let (present, _) = both(&samples::instance());
    assert_eq!(
        present["configuration"]["timelines_access"],
        json!({
            "live_feeds": { "local": "public", "remote": "authenticated" },
            "hashtag_feeds": { "local": "public", "remote": "disabled" },
            "trending_link_feeds": { "local": "public", "remote": "disabled" },
        })
    );
}

#[test]
fn the_api_version_is_rendered_only_if_known() {
    let (without, _) = both(&samples::instance());
    assert_eq!(without.get("api_versions"), None);
    let (with, _) = both(&InstanceFacts { api_version: Some(2), ..samples::instance() });
    assert_eq!(with["api_versions"], json!({ "mastodon": 2 }));
}
