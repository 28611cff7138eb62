//! Avatars and headers.

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use reqwest::{Method, multipart::Form};
use serde_json::{Value, json};
use siskin_services::accounts;

use crate::support::{
    Response, TestApp,
    pictures::{UPDATE, file, frames, moving_gif, png, size},
};

/// Fetches a URL of an entity, as a browser without a token.
async fn fetch(app: &TestApp, address: &Value) -> Response {
    app.anonymous().get(address.as_str().unwrap()).await
}

fn is_missing(address: &Value) -> bool {
    address.as_str().unwrap().ends_with("/original/missing.png")
}

/// Moves the clock past the time for which replaced files are kept.
async fn later(app: &TestApp) {
    app.advance(Duration::from_hours(2));
    app.app().drain_jobs().await.unwrap();
}

api_tests! {
    async fn pictures_are_cropped_and_appear_in_every_response(app: &TestApp) {
        let alice = app.user("alice").await;
        let form = Form::new()
            .part("avatar", file(png(900, 300), "a.png", "image/png"))
            .part("header", file(png(600, 600), "b.png", "image/png"))
            .text("display_name", "Alice");
        let changed = alice.update_with(form).await.ok();
        assert_eq!(changed["display_name"], "Alice");
        for (place, expected) in [("avatar", (400, 400)), ("header", (1500, 500))] {
            let response = fetch(app, &changed[place]).await;
            assert_eq!((response.status, size(&response.body)), (200, expected), "{place}");
            // A picture without animation is its own still picture.
            assert_eq!(changed[&format!("{place}_static")], changed[place]);
        }
        let account = app.anonymous().get(&format!("/api/v1/accounts/{}", alice.id)).await.ok();
        let status = alice.publish("Hello").await;
        for shown in [&alice.credentials().await.ok(), &account, &status["account"]] {
            assert_eq!((&shown["avatar"], &shown["header"]), (&changed["avatar"], &changed["header"]));
        }
        assert_eq!(app.stored_files().await, 2);
    }

    async fn a_picture_is_accepted_as_a_data_url(app: &TestApp) {
        let alice = app.user("alice").await;
        let address = |bytes: Vec<u8>| format!("data:image/png;base64,{}", BASE64.encode(bytes));
        let (avatar, header) = (address(png(900, 300)), address(png(600, 600)));
        for path in [UPDATE, "/api/v1/profile"] {
            for multipart in [true, false] {
                let request = alice.request(Method::PATCH, path);
                let request = if multipart {
                    let form = Form::new().text("avatar", avatar.clone()).text("header", header.clone());
                    request.multipart(form)
                } else {
                    request.json(&json!({ "avatar": avatar, "header": header }))
                };
                let changed = alice.send(request).await.ok();
                assert_eq!(size(&fetch(app, &changed["avatar"]).await.body), (400, 400), "{path}");
                assert_eq!(size(&fetch(app, &changed["header"]).await.body), (1500, 500), "{path}");
            }
        }
        for wrong in ["data:image/png;base64,%%%", "data:image/png,abc", "https://a.example/a.png"] {
            alice.patch(UPDATE, &[("avatar", wrong)]).await.expect(422);
        }
        alice.patch(UPDATE, &[("avatar", address(b"no picture".to_vec()))]).await.expect(422);
        alice.patch(UPDATE, &[("avatar", "")]).await.ok();
    }

    async fn an_animated_avatar_has_a_still_picture(app: &TestApp) {
        let alice = app.user("alice").await;
        let changed = alice.upload("avatar", moving_gif(60)).await.ok();
        assert_ne!(changed["avatar"], changed["avatar_static"]);
        let moving = fetch(app, &changed["avatar"]).await;
        assert_eq!(moving.header("content-type"), Some("image/gif"));
        assert_eq!((frames(&moving.body), size(&moving.body)), (2, (400, 400)));
        let still = fetch(app, &changed["avatar_static"]).await;
        assert_eq!(still.header("content-type"), Some("image/png"));
        assert_eq!(size(&still.body), (400, 400));
    }

    async fn a_replaced_picture_is_not_served_and_its_files_are_deleted_later(app: &TestApp) {
        let alice = app.user("alice").await;
        let first = alice.upload("avatar", moving_gif(20)).await.ok();
        let second = alice.upload("avatar", png(20, 20)).await.ok();
        assert_ne!(first["avatar"], second["avatar"]);
        assert_eq!(fetch(app, &first["avatar"]).await.status, 404);
        assert_eq!(app.stored_files().await, 3);
        later(app).await;
        assert_eq!(fetch(app, &first["avatar"]).await.status, 404);
        assert_eq!(fetch(app, &first["avatar_static"]).await.status, 404);
        assert_eq!(fetch(app, &second["avatar"]).await.status, 200);
        assert_eq!(app.stored_files().await, 1);
    }

    async fn deleting_an_account_deletes_its_pictures(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.upload("avatar", moving_gif(20)).await.ok();
        alice.upload("header", png(20, 20)).await.ok();
        let account = alice.id.parse().unwrap();
        while !app.app().write(move |tx| accounts::delete_some(tx, account)).await.unwrap() {}
        assert_eq!(app.stored_files().await, 3);
        later(app).await;
        assert_eq!(app.stored_files().await, 0);
    }

    async fn changing_other_fields_leaves_the_pictures(app: &TestApp) {
        let alice = app.user("alice").await;
        let before = alice.upload("header", png(20, 20)).await.ok();
        for form in [[("display_name", "Ann")], [("avatar", "")], [("header", "")]] {
            let after = alice.patch(UPDATE, &form).await.ok();
            assert_eq!(after["header"], before["header"], "{form:?}");
        }
        later(app).await;
        assert_eq!(fetch(app, &before["header"]).await.status, 200);
    }

    async fn removing_a_picture_removes_its_description(app: &TestApp) {
        let alice = app.user("alice").await;
        for place in ["avatar", "header"] {
            let form = Form::new()
                .part(place, file(png(20, 20), "a.png", "image/png"))
                .text(format!("{place}_description"), " A bird ");
            let changed = alice.update_with(form).await.ok();
            assert_eq!(changed[&format!("{place}_description")], "A bird");
            let path = format!("/api/v1/profile/{place}");
            let viewer = app.user_with_scopes(&alice, "read").await;
            viewer.delete(&path).await.expect(403);
            app.anonymous().delete(&path).await.expect(401);
            // The second deletion succeeds too, although there is no picture any more.
            for _ in 0..2 {
                let removed = alice.delete(&path).await.ok();
                assert!(is_missing(&removed[place]), "{removed}");
                assert!(is_missing(&removed[&format!("{place}_static")]), "{removed}");
                assert_eq!(removed[&format!("{place}_description")], "");
                assert!(removed["source"].is_object());
            }
        }
        later(app).await;
        assert_eq!(app.stored_files().await, 0);
    }

    async fn picture_descriptions_have_a_maximum_length(app: &TestApp) {
        let alice = app.user("alice").await;
        let instance = app.anonymous().get("/api/v2/instance").await.ok();
        let accounts = &instance["configuration"]["accounts"];
        for place in ["avatar", "header"] {
            let most = &accounts[&format!("max_{place}_description_length")];
            let most = usize::try_from(most.as_u64().unwrap()).unwrap();
            let describe = |length: usize| {
                let (name, words) = (format!("{place}_description"), "é".repeat(length));
                let alice = &alice;
                async move { alice.patch(UPDATE, &[(name, words)]).await }
            };
            describe(most).await.ok();
            describe(most + 1).await.expect(422);
        }
    }

    async fn accounts_without_pictures_have_placeholders(app: &TestApp) {
        let alice = app.user("alice").await;
        let shown = alice.credentials().await.ok();
        for place in ["avatar", "avatar_static", "header", "header_static"] {
            assert!(is_missing(&shown[place]));
            let response = fetch(app, &shown[place]).await;
            assert_eq!((response.status, response.header("content-type")), (200, Some("image/png")));
            size(&response.body);
        }
    }

    // Uploads that are not pictures are refused, and leave no files.
    async fn invalid_pictures_are_refused_and_leave_no_files(app: &TestApp) {
        let alice = app.user("alice").await;
        let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
        let page = b"<!doctype html><script>alert(1)</script>";
        let half = png(300, 300);
        for (content, name, media_type) in [
            (svg.to_vec(), "a.svg", "image/svg+xml"),
            (page.to_vec(), "a.png", "image/png"),
            (bomb(), "a.png", "image/png"),
            (Vec::new(), "a.png", "image/png"),
            (half[..half.len() / 2].to_vec(), "a.png", "image/png"),
            (vec![0; 100], "a.mp4", "video/mp4"),
        ] {
            for place in ["avatar", "header"] {
                let form = Form::new()
                    .part(place, file(content.clone(), name, media_type))
                    .text("display_name", "changed");
                let refused = alice.update_with(form).await.expect(422);
                let why = refused["error"].as_str().unwrap().to_lowercase();
                assert!(why.starts_with(&format!("validation failed: {place} ")), "{why}");
            }
        }
        // A form with one valid and one invalid picture is refused as a whole.
        let form = Form::new()
            .part("avatar", file(png(10, 10), "a.png", "image/png"))
            .part("header", file(page.to_vec(), "a.png", "image/png"));
        alice.update_with(form).await.expect(422);
        let shown = alice.credentials().await.ok();
        assert_eq!((&shown["display_name"], is_missing(&shown["avatar"])), (&json!(""), true));
        assert_eq!(app.stored_files().await, 0);
    }

    // Pictures are re-encoded: only the pixels of an upload are stored.
    async fn metadata_of_uploads_is_removed(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut content = png(30, 30);
        content.extend(b"<script>alert(1)</script>");
        let form = Form::new().part("avatar", file(content, "../../x.html", "text/html"));
        let changed = alice.update_with(form).await.ok();
        let address = changed["avatar"].as_str().unwrap();
        let name = address.strip_prefix(&format!("{}/media/", app.base_url())).unwrap();
        assert_eq!(name.len(), 32 + ".png".len());
        let response = fetch(app, &changed["avatar"]).await;
        assert_eq!(response.header("content-type"), Some("image/png"));
        assert!(!response.text().contains("script"));
    }

    async fn an_upload_in_a_form_or_in_json_must_be_a_file(app: &TestApp) {
        let alice = app.user("alice").await;
        let address = "data:image/png;base64,iVBORw0KGgo=";
        alice.patch(UPDATE, &[("avatar", address)]).await.expect(422);
        let json = alice.request(Method::PATCH, UPDATE).json(&json!({ "header": address }));
        alice.send(json).await.expect(422);
        assert!(is_missing(&alice.credentials().await.ok()["avatar"]));
    }

    async fn concurrent_uploads_leave_one_picture(app: &TestApp) {
        let alice = app.user("alice").await;
        let uploads = (1..=8).map(|size| alice.upload("avatar", png(size, size)));
        for response in futures_util::future::join_all(uploads).await {
            response.ok();
        }
        later(app).await;
        assert_eq!(app.stored_files().await, 1);
        assert_eq!(fetch(app, &alice.credentials().await.ok()["avatar"]).await.status, 200);
    }
}

/// Returns a small PNG that claims to be 50,000 pixels wide and high.
fn bomb() -> Vec<u8> {
    let mut content = png(1, 1);
    let side = 50_000_u32.to_be_bytes();
    content[16..20].copy_from_slice(&side);
    content[20..24].copy_from_slice(&side);
    let sum = crc32(&content[12..29]).to_be_bytes();
    content[29..33].copy_from_slice(&sum);
    content
}

/// Computes the checksum of a PNG chunk (RFC 2083, 3.4), bit by bit.
fn crc32(content: &[u8]) -> u32 {
    let shift = |sum: u32, _| if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
    !content.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), shift))
}
