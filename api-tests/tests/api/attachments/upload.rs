//! `POST /api/v1/media` and `POST /api/v2/media`.

use std::time::Duration;

use reqwest::multipart::Form;
use serde_json::{Value, json};

use super::{V1, V2, form, path_of};
use crate::support::{
    pictures::{file, moving_gif, png, size},
    run,
};

fn form_with(content: Vec<u8>, name: &'static str, value: &str) -> Form {
    form(content).text(name, value.to_owned())
}

/// Returns a PNG that claims this size, with a few bytes of pixels.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut content = png(1, 1);
    content[16..20].copy_from_slice(&width.to_be_bytes());
    content[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc32(&content[12..29]);
    content[29..33].copy_from_slice(&crc.to_be_bytes());
    content
}

/// Computes the checksum of a PNG chunk (ISO 15948, annex D).
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}

api_tests! {
    async fn a_picture_is_ready_at_once_with_its_metadata(app: &TestApp) {
        let alice = app.user("alice").await;
        for path in [V1, V2] {
            let form = form_with(png(960, 640), "description", " A red square ").text("focus", "0.42,-0.69");
            let media = alice.multipart(path, form).await.ok();
            assert_eq!(media["type"], "image");
            assert_eq!(media["description"], "A red square");
            assert_eq!(media["remote_url"], Value::Null);
            assert_eq!(media["meta"], json!({
                "focus": { "x": 0.42, "y": -0.69 },
                "original": { "width": 960, "height": 640, "size": "960x640", "aspect": 1.5 },
                "small": {
                    "width": 640, "height": 360, "size": "640x360", "aspect": 640.0 / 360.0,
                },
            }));
            assert_eq!(media["blurhash"].as_str().unwrap().len(), 28);
            for (place, expected) in [("url", (960, 640)), ("preview_url", (640, 360))] {
                let response = app.anonymous().get(&path_of(app, &media[place])).await;
                assert_eq!((response.status, size(&response.body)), (200, expected), "{place}");
                assert_eq!(response.header("content-type"), Some("image/png"));
                assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
                assert!(response.header("content-security-policy").unwrap().contains("sandbox"));
            }
            let again = alice.get(&format!("{V1}/{}", media["id"].as_str().unwrap())).await.ok();
            assert_eq!(again, media);
        }
    }

    async fn absent_description_and_focus_are_null(app: &TestApp) {
        let alice = app.user("alice").await;
        let bare = form(png(40, 40)).text("description", "").text("focus", "");
        let media = alice.multipart(V2, bare).await.ok();
        assert_eq!(media["description"], Value::Null);
        assert_eq!(media["meta"]["focus"], json!({ "x": 0.0, "y": 0.0 }));
        assert_eq!(media["meta"]["small"]["size"], "40x40");
    }

    // A focal point that is malformed or outside of the picture is refused.
    async fn an_invalid_focus_is_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let media = alice.upload_media(png(20, 20), "").await;
        for focus in ["a,b", "1", "2,0", "NaN,0", "0,0,0", "0,-1.5", "inf,0"] {
            let refused = alice.multipart(V2, form_with(png(9, 9), "focus", focus)).await.expect(422);
            assert!(refused["error"].as_str().unwrap().contains("Focus must be"), "{focus}");
            alice.put_media(&media, Form::new().text("focus", focus)).await.expect(422);
        }
        let changed = alice.put_media(&media, Form::new().text("focus", "")).await.ok();
        assert_eq!(changed["meta"]["focus"], json!({ "x": 0.0, "y": 0.0 }));
        assert_eq!(app.stored_files().await, 3);
    }

    // Files that are not pictures are refused, independent of their name and type.
    async fn invalid_media_is_refused_regardless_of_its_name(app: &TestApp) {
        let alice = app.user("alice").await;
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
        let cut = png(400, 400)[..300].to_vec();
        let large = [png(2, 2), vec![0; 16 << 20]].concat();
        for (content, name, why) in [
            (svg.into(), "a.svg", "is no picture that can be used"),
            (b"<!doctype html><script>".to_vec(), "a.png", "is no picture that can be used"),
            (bomb(50_000, 50_000), "a.png", "has too many pixels: it may have 33177600"),
            (Vec::new(), "a.png", "is empty"),
            (cut, "a.png", "is damaged or incomplete"),
            (large, "a.png", "is too large: it may have 16777216 bytes"),
        ] {
            for path in [V1, V2] {
                let form = Form::new().part("file", file(content.clone(), name, "image/png"));
                let refused = alice.multipart(path, form).await.expect(422);
                let error = refused["error"].as_str().unwrap();
                assert!(error.starts_with("Validation failed: File ") && error.contains(why), "{error}");
            }
        }
        let long = form_with(png(9, 9), "description", &"x".repeat(1501));
        let refused = alice.multipart(V2, long).await.expect(422);
        assert!(refused["error"].as_str().unwrap().contains("too long"));
        app.advance(Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(app.stored_files().await, 0);
    }

    // Pictures are re-encoded: only their pixels are stored.
    async fn metadata_of_pictures_is_removed(app: &TestApp) {
        let alice = app.user("alice").await;
        let content = [png(30, 30), b"<script>alert(1)</script>".to_vec()].concat();
        let part = file(content, "../../x.html", "text/html");
        let media = alice.multipart(V2, Form::new().part("file", part)).await.ok();
        let path = path_of(app, &media["url"]);
        assert!(path.starts_with("/media/") && path.len() == "/media/".len() + 36, "{path}");
        let response = app.anonymous().get(&path).await;
        assert_eq!(response.header("content-type"), Some("image/png"));
        assert!(!response.text().contains("script"));
    }

    async fn an_upload_must_be_a_file(app: &TestApp) {
        let alice = app.user("alice").await;
        for path in [V1, V2] {
            alice.multipart(path, Form::new().text("description", "x")).await.expect(422);
            alice.multipart(path, Form::new().text("file", "data:image/png;base64,")).await.expect(422);
            alice.json(path, json!({ "file": null })).await.expect(422);
        }
        let thumbnail = form(png(9, 9)).part("thumbnail", file(b"x".to_vec(), "a", "image/png"));
        let refused = alice.multipart(V2, thumbnail).await.expect(422);
        assert!(refused["error"].as_str().unwrap().starts_with("Validation failed: Thumbnail"));
        assert_eq!(app.stored_files().await, 0);
    }

    async fn uploading_needs_a_user_and_the_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        let viewer = app.user_with_scopes(&alice, "read write:statuses").await;
        let uploader = app.user_with_scopes(&alice, "write:media").await;
        for path in [V1, V2] {
            app.anonymous().multipart(path, form(png(9, 9))).await.expect(401);
            viewer.multipart(path, form(png(9, 9))).await.expect(403);
            uploader.multipart(path, form(png(9, 9))).await.ok();
        }
    }

    async fn the_instance_lists_the_accepted_media_types(app: &TestApp) {
        let anonymous = app.anonymous();
        for path in ["/api/v1/instance", "/api/v2/instance"] {
            let configuration = anonymous.get(path).await.ok()["configuration"].take();
            let types = configuration["media_attachments"]["supported_mime_types"].clone();
            for expected in ["image/png", "image/jpeg", "image/gif", "image/webp"] {
                assert!(types.as_array().unwrap().contains(&json!(expected)), "{types}");
            }
            assert_eq!(configuration["media_attachments"]["image_size_limit"], 16 << 20);
            assert_eq!(configuration["statuses"]["max_media_attachments"], 4);
        }
    }
}

siskin_test_support::both_engines! {
    fn uploads_are_rate_limited(database: &TestDatabase) {
        let limit = |config: &mut siskin_server::Config| {
            config.fixed_settings.clear();
            config.fixed_settings.push(("rate_limits.upload".to_owned(), "2".to_owned()));
        };
        run(database, limit, async |app: &crate::support::TestApp| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            for _ in 0..2 {
                alice.multipart(V2, form(png(9, 9))).await.ok();
            }
            let response = alice.multipart(V1, form(png(9, 9))).await;
            assert_eq!((response.status, response.header("x-ratelimit-limit")), (429, Some("2")));
            bob.multipart(V2, form(moving_gif(9))).await;
        });
    }
}
