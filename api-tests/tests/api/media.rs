//! Stored files over HTTP.

use std::{fs, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use siskin_persistence::accounts::Decision;
use siskin_services::accounts;

use crate::{
    attachments::path_of,
    support::{Client, Response, TestApp, id, pictures::png},
};

/// Uploads an avatar and returns its path.
async fn stored(app: &TestApp) -> String {
    let alice = app.user("alice").await;
    let changed = alice.upload("avatar", png(50, 50)).await.ok();
    changed["avatar"].as_str().unwrap().strip_prefix(app.base_url()).unwrap().to_owned()
}

impl Client {
    async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Response {
        let request = self.request(Method::GET, path);
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        self.send(request).await
    }
}

api_tests! {
    async fn a_file_is_an_image_and_nothing_else(app: &TestApp) {
        let path = stored(app).await;
        let response = app.anonymous().get(&path).await;
        assert_eq!(response.status, 200);
        assert!(response.body.starts_with(b"\x89PNG"));
        for (name, value) in [
            ("content-type", "image/png"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("accept-ranges", "bytes"),
            ("access-control-allow-origin", "*"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("content-length", &response.body.len().to_string()),
        ] {
            assert_eq!(response.header(name), Some(value), "{name}");
        }
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"), "{policy}");
        let head = app.anonymous().send(app.anonymous().request(Method::HEAD, &path)).await;
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!(head.header("content-length"), response.header("content-length"));
    }

    async fn ranges_of_a_file_are_served(app: &TestApp) {
        let (path, anonymous) = (stored(app).await, app.anonymous());
        let whole = anonymous.get(&path).await;
        let size = whole.body.len();
        for (range, start, end) in [
            ("bytes=0-0".to_owned(), 0, 1),
            ("bytes=1-".to_owned(), 1, size),
            ("bytes=-5".to_owned(), size - 5, size),
            (format!("bytes=5-{}", size * 2), 5, size),
        ] {
            let part = anonymous.get_with(&path, &[("range", &range)]).await;
            assert_eq!((part.status, &part.body[..]), (206, &whole.body[start..end]), "{range}");
            let expected = format!("bytes {start}-{}/{size}", end - 1);
            assert_eq!(part.header("content-range"), Some(&*expected));
            assert_eq!(part.header("content-type"), Some("image/png"));
        }
        let beyond = anonymous.get_with(&path, &[("range", &format!("bytes={size}-"))]).await;
        assert_eq!(beyond.status, 416);
        assert_eq!(beyond.header("content-range"), Some(&*format!("bytes */{size}")));
        for range in ["bytes=5-1", "bytes=0-1,4-5", "pages=1-2", "nonsense"] {
            let response = anonymous.get_with(&path, &[("range", range)]).await;
            assert_eq!((response.status, response.body.len()), (200, size), "{range}");
        }
        let tag = whole.header("etag").unwrap();
        for (known, status) in [(tag, 206), ("\"another\"", 200)] {
            let headers = [("range", "bytes=0-0"), ("if-range", known)];
            assert_eq!(anonymous.get_with(&path, &headers).await.status, status, "{known}");
        }
    }

    async fn a_file_with_a_known_tag_is_not_sent_again(app: &TestApp) {
        let (path, anonymous) = (stored(app).await, app.anonymous());
        let tag = anonymous.get(&path).await.header("etag").unwrap().to_owned();
        for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
            let response = anonymous.get_with(&path, &[("if-none-match", &known)]).await;
            assert_eq!((response.status, response.body.len()), (304, 0), "{known}");
            assert_eq!(response.header("etag"), Some(&*tag));
        }
        let response = anonymous.get_with(&path, &[("if-none-match", "\"other\"")]).await;
        assert_eq!(response.status, 200);
    }

    async fn only_stored_files_are_served(app: &TestApp) {
        let path = stored(app).await;
        let folder = app.media_folder();
        let name = path.strip_prefix("/media/").unwrap();
        fs::write(folder.join("index.html"), "<script>").unwrap();
        let shard = folder.join(&name[..2]);
        let page = name.replace(".png", ".html");
        fs::write(shard.join(&page), "<script>").unwrap();
        fs::write(folder.join("secret"), "secret").unwrap();
        for bad in [
            "/media".to_owned(),
            "/media/".to_owned(),
            "/media/index.html".to_owned(),
            format!("/media/{page}"),
            format!("/media/{}", &name[..2]),
            format!("/media/{}/{name}", &name[..2]),
            format!("/media/{}.png", "0".repeat(32)),
            format!("/media/{}", name.to_uppercase()),
            format!("/media/{name}%00"),
            "/media/..%2fsecret".to_owned(),
            "/media/%2e%2e/secret".to_owned(),
            "/media/secret".to_owned(),
        ] {
            let response = app.anonymous().get(&bad).await;
            assert_eq!(response.status, 404, "{bad}: {response:?}");
            assert_eq!(response.header("content-type"), Some("application/json"), "{bad}");
        }
        // A page with the name of a picture that no row names is not served.
        let forged = format!("{}.png", "a".repeat(32));
        fs::create_dir_all(folder.join("aa")).unwrap();
        fs::write(folder.join("aa").join(&forged), "<script>alert(1)</script>").unwrap();
        let response = app.anonymous().get(&format!("/media/{forged}")).await;
        assert_eq!(response.status, 404);
        // With the name of a stored picture, it is served as a broken picture.
        fs::write(shard.join(name), "<script>alert(1)</script>").unwrap();
        let response = app.anonymous().get(&path).await;
        assert_eq!(response.header("content-type"), Some("image/png"));
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    }

    async fn deleted_and_hidden_files_are_not_served(app: &TestApp) {
        let alice = app.user("alice").await;
        let addresses = |media: &Value| {
            ["url", "preview_url"].map(|address| path_of(app, &media[address]))
        };
        let status = alice.publish_picture("One", "").await;
        let of_status = addresses(&status["media_attachments"][0]);
        let upload = alice.upload_media(png(20, 20), "").await;
        let of_upload = addresses(&upload);
        let scheduled = alice.upload_media(png(20, 20), "").await;
        let post = json!({
            "status": "later", "media_ids": [scheduled["id"]], "scheduled_at": in_a_day(app),
        });
        let scheduled_status = alice.json("/api/v1/statuses", post).await.ok();
        let of_scheduled = addresses(&scheduled);
        let account = alice.upload("avatar", png(50, 50)).await.ok();
        let first_avatar = [path_of(app, &account["avatar"])];
        let served = async |paths: &[String], expected: u16| {
            for path in paths {
                let response = app.anonymous().get(path).await;
                assert_eq!(response.status, expected, "{path}");
                if expected == 404 {
                    assert_eq!(response.header("cache-control"), Some("private, no-store"), "{path}");
                }
            }
        };
        for paths in [&of_status[..], &of_upload, &of_scheduled, &first_avatar] {
            served(paths, 200).await;
        }
        alice.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        served(&of_status, 404).await;
        alice.delete(&format!("/api/v1/media/{}", id(&upload))).await.ok();
        served(&of_upload, 404).await;
        alice.delete(&format!("/api/v1/scheduled_statuses/{}", id(&scheduled_status))).await.ok();
        served(&of_scheduled, 404).await;
        let account = alice.upload("avatar", png(60, 60)).await.ok();
        served(&first_avatar, 404).await;
        let second_avatar = [path_of(app, &account["avatar"])];
        served(&second_avatar, 200).await;
        // A new status with the same attachment makes the file available again.
        let media = &status["media_attachments"][0];
        let again = alice.publish_as(json!({ "media_ids": [media["id"]] })).await;
        served(&of_status, 200).await;
        let person = alice.id.parse().unwrap();
        for (is_suspended, expected) in [(true, 404), (false, 200)] {
            app.app()
                .write(move |tx| accounts::decide(tx, person, Decision::Suspended(is_suspended)))
                .await
                .unwrap();
            served(&of_status, expected).await;
            served(&second_avatar, expected).await;
        }
        alice.delete(&format!("/api/v1/statuses/{}?delete_media=true", id(&again))).await.ok();
        served(&of_status, 404).await;
    }

    async fn only_public_files_may_be_cached(app: &TestApp) {
        let alice = app.user("alice").await;
        for (visibility, expected) in [
            ("public", "public, max-age=31536000, immutable"),
            ("unlisted", "public, max-age=31536000, immutable"),
            ("private", "private, no-store"),
            ("direct", "private, no-store"),
        ] {
            let media = alice.upload_media(png(20, 20), "").await;
            let paths = ["url", "preview_url"].map(|address| path_of(app, &media[address]));
            for path in &paths {
                let waiting = app.anonymous().get(path).await;
                assert_eq!(waiting.header("cache-control"), Some("private, no-store"));
            }
            let post = json!({ "media_ids": [media["id"]], "visibility": visibility });
            alice.publish_as(post).await;
            for path in &paths {
                let response = app.anonymous().get(path).await;
                assert_eq!(response.status, 200);
                assert_eq!(response.header("cache-control"), Some(expected), "{visibility}");
                let tag = response.header("etag").unwrap().to_owned();
                for (headers, status) in
                    [(("if-none-match", &*tag), 304), (("range", "bytes=0-3"), 206)]
                {
                    let response = app.anonymous().get_with(path, &[headers]).await;
                    assert_eq!(response.status, status);
                    assert_eq!(response.header("cache-control"), Some(expected), "{visibility}");
                }
            }
        }
    }
}

fn in_a_day(app: &TestApp) -> String {
    app.app().now().after(Duration::from_hours(24)).to_string()
}
