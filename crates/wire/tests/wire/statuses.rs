//! Tests of statuses and the viewer's interactions.

use serde_json::{Value, json};
use siskin_entities::{
    CardKind, MediaAttachment, PreviewCard, Status, StatusBody, ViewerState, status::Mention,
};
use siskin_wire::{account, context, filter, media, status};

use crate::samples::{self, NOW, json, urls};

fn shown(body: StatusBody) -> Value {
    json(&status::render(&Status { body, reblog: None }, &urls(), NOW))
}

const FILE: &str = "https://example.com/media/0123456789abcdef0123456789abcdef";
const PREVIEW: &str = "https://example.com/media/f123456789abcdef0123456789abcdef.jpg";

fn picture() -> Value {
    json!({
        "id": "900",
        "type": "image",
        "url": format!("{FILE}.jpg"),
        "preview_url": PREVIEW,
        "remote_url": null,
        "meta": {
            "focus": { "x": 0.42, "y": -0.69 },
            "original": {
                "width": 1920,
                "height": 1080,
                "size": "1920x1080",
                "aspect": 1.777_777_777_777_777_7,
            },
            "small": { "width": 640, "height": 360, "size": "640x360", "aspect": 1.777_777_777_777_777_7 },
        },
        "description": "A \"bird\"",
        "blurhash": "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
    })
}

fn video() -> Value {
    let mut video = picture();
    video["id"] = "901".into();
    video["type"] = "video".into();
    video["url"] = format!("{FILE}.mp4").into();
    video["meta"] = json!({
        "length": "0:01:28.65",
        "duration": 88.654,
        "fps": 30,
        "size": "1920x1080",
        "width": 1920,
        "height": 1080,
        "aspect": 1.777_777_777_777_777_7,
        "audio_encode": "aac",
        "audio_bitrate": "44100 Hz",
        "audio_channels": "stereo",
        "focus": { "x": 0.42, "y": -0.69 },
        "original": {
            "width": 1920,
            "height": 1080,
            "frame_rate": "30000/1001",
            "duration": 88.654,
            "bitrate": 862_056,
        },
        "small": picture()["meta"]["small"],
    });
    video
}

fn recording() -> Value {
    let mut recording = picture();
    recording["id"] = "902".into();
    recording["type"] = "audio".into();
    recording["url"] = format!("{FILE}.mp3").into();
    recording["preview_url"] = Value::Null;
    recording["blurhash"] = Value::Null;
    recording["meta"] = json!({
        "length": "0:01:28.65",
        "duration": 88.654,
        "audio_encode": "aac",
        "audio_bitrate": "44100 Hz",
        "audio_channels": "stereo",
        "original": { "duration": 88.654, "bitrate": 862_056 },
        "colors": { "background": "#102030", "foreground": "#ffffff", "accent": "#ff8800" },
    });
    recording
}

#[test]
fn unprocessed_media_have_no_url() {
    let waiting = MediaAttachment { focus: None, ..samples::waiting() };
    let shown = json(&media::render(&waiting, &urls()));
    for place in ["url", "preview_url", "remote_url", "meta", "description", "blurhash"] {
        assert_eq!(shown.get(place), Some(&Value::Null), "{place}");
    }
}

#[test]
fn the_focal_point_is_rendered_before_processing() {
    let shown = json(&media::render(&samples::waiting(), &urls()));
    assert_eq!(shown["meta"], json!({ "focus": { "x": 0.42, "y": -0.69 } }));
}

fn card() -> Value {
    json!({
        "url": "https://news.example/birds?a=1&b=2",
        "title": "Siskins <in> winter",
        "description": "What they \"eat\"",
        "type": "link",
        "authors": [{ "name": "Ann", "url": "https://news.example/ann", "account": null }],
        "author_name": "Ann",
        "author_url": "https://news.example/ann",
        "provider_name": "News",
        "provider_url": "https://news.example/",
        "html": "",
        "width": 640,
        "height": 360,
        "image": "https://example.com/media/e123456789abcdef0123456789abcdef.jpg",
        "embed_url": "",
        "blurhash": "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
        "missing_attribution": null,
        "published_at": "1795766400",
    })
}

#[test]
fn a_video_card_has_a_frame_and_a_photo_card_a_url() {
    let shown =
        |card| shown(samples::body_with(|snapshot| snapshot.card = Some(card)))["card"].take();
    let video = shown(samples::playing_card());
    assert_eq!(video["type"], "video");
    let html = video["html"].as_str().unwrap();
    let frame = "<iframe src=\"https://tube.example/e?a=1&amp;b=2\" width=\"640\" height=\"360\" ";
    assert!(html.starts_with(frame) && html.contains(" sandbox=\"allow-scripts "), "{html}");
    assert_eq!((&video["embed_url"], &video["authors"]), (&json!(""), &json!([])));
    for nothing in ["image", "blurhash", "published_at"] {
        assert_eq!(video[nothing], Value::Null, "{nothing}");
    }
    let photo = shown(PreviewCard { kind: CardKind::Photo, ..samples::playing_card() });
    assert_eq!((&photo["type"], &photo["html"]), (&json!("photo"), &json!("")));
    assert_eq!(photo["embed_url"], "https://tube.example/e?a=1&b=2");
    let none = samples::body_with(|snapshot| snapshot.card = None);
    assert_eq!(self::shown(none)["card"], Value::Null);
}

#[test]
fn a_status_is_rendered_in_full() {
    let author = json(&account::render(&samples::alice(), &urls()));
    assert_eq!(
        shown(samples::body()),
        json!({
            "id": "7001",
            "created_at": "2026-11-27T08:00:00.123Z",
            "edited_at": null,
            "in_reply_to_id": "7000",
            "in_reply_to_account_id": "102",
            "sensitive": true,
            "spoiler_text": "careful",
            "visibility": "private",
            "language": "en",
            "uri": "https://example.com/users/alice/statuses/7001",
            "url": "https://example.com/@alice/7001",
            "application": { "name": "toot", "website": null },
            "media_attachments": [picture(), video(), recording()],
            "mentions": [{
                "id": "102",
                "username": "bob",
                "url": "https://remote.example/@bob",
                "acct": "bob@remote.example",
            }],
            "tags": [{ "name": "caf\u{e9}", "url": "https://example.com/tags/caf%C3%A9" }],
            "emojis": [{
                "shortcode": "birb",
                "url": "https://example.com/media/c.gif",
                "static_url": "https://example.com/media/d.png",
                "visible_in_picker": true,
                "category": null,
            }],
            "card": card(),
            "poll": null,
            "content": "<p>see</p>",
            "account": author,
            "replies_count": 1,
            "reblogs_count": 2,
            "favourites_count": 3,
            "quotes_count": 4,
            "reblog": null,
            "quote": null,
            "quote_approval": {
                "automatic": ["followers"],
                "manual": [],
                "current_user": "automatic",
            },
            "favourited": true,
            "reblogged": false,
            "muted": false,
            "bookmarked": true,
            "pinned": false,
            "filtered": [json(&filter::render_result(&samples::filter_result()))],
        })
    );
}

#[test]
fn anonymous_viewers_get_no_viewer_state() {
    let status = shown(StatusBody { viewer: None, ..samples::body() });
    for mark in ["favourited", "reblogged", "muted", "bookmarked", "pinned", "filtered"] {
        assert_eq!(status.get(mark), None, "{mark}");
    }
}

#[test]
fn a_status_that_cannot_be_pinned_has_no_pinned_field() {
    let viewer = Some(ViewerState::default());
    let status = shown(StatusBody { viewer, ..samples::body() });
    assert_eq!(status.get("pinned"), None);
    assert_eq!(status["filtered"], json!([]));
}

#[test]
fn a_local_status_without_client_has_a_null_application_and_a_remote_one_none() {
    let local = samples::body_with(|snapshot| snapshot.application = None);
    assert_eq!(shown(local).get("application"), Some(&json!(null)));
    let remote = samples::remote_body(|snapshot| snapshot.application = None);
    assert_eq!(shown(remote).get("application"), None);
}

#[test]
fn the_url_of_a_local_status_is_built_if_not_stored() {
    let local = samples::body_with(|snapshot| snapshot.url = None);
    assert_eq!(shown(local)["url"], "https://example.com/@alice/7001");
    let remote = samples::remote_body(|snapshot| snapshot.url = None);
    assert_eq!(shown(remote)["url"], json!(null));
}

#[test]
fn a_mention_of_a_local_account_links_to_its_profile() {
    let mention = Mention {
        account_id: samples::alice().id,
        username: "alice".to_owned(),
        acct: "alice".to_owned(),
        url: String::new(),
    };
    let status = shown(samples::body_with(|snapshot| snapshot.mentions = vec![mention]));
    assert_eq!(status["mentions"][0]["url"], "https://example.com/@alice");
}

#[test]
fn a_reblog_contains_the_reblogged_status() {
    let reblog = json(&status::render(&samples::reblog(), &urls(), NOW));
    assert_eq!(reblog["account"]["acct"], "bob@remote.example");
    assert_eq!(reblog["content"], "");
    assert_eq!(reblog["reblog"]["id"], "7001");
    assert_eq!(reblog["reblog"]["account"]["acct"], "alice");
    assert_eq!(reblog["reblog"]["reblog"], json!(null));
}

#[test]
fn an_edited_status_has_the_time_of_its_edit() {
    let status = shown(samples::body_with(|snapshot| snapshot.edited_at = Some(NOW)));
    assert_eq!(status["edited_at"], "2026-11-27T08:00:00.123Z");
}

#[test]
fn a_deleted_status_has_its_source_and_no_content() {
    let deleted = json(&status::render_deleted(&samples::status(), &urls(), NOW));
    assert_eq!(deleted["text"], "@bob@remote.example see #caf\u{e9}");
    assert_eq!(deleted.get("content"), None);
    assert_eq!(deleted["spoiler_text"], "careful");
    assert_eq!(deleted["favourited"], true);
}

#[test]
fn a_context_keeps_the_given_order() {
    let thread = [samples::status(), samples::reblog()];
    let context = json(&context::render(&thread, &[], &urls(), NOW));
    assert_eq!(context["ancestors"][0]["id"], "7001");
    assert_eq!(context["ancestors"][1]["id"], "7002");
    assert_eq!(context["descendants"], json!([]));
}
