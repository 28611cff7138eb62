//! Attachments of a server that stores its files in an S3 bucket.

use reqwest::{Method, multipart::Form};
use serde_json::Value;
use siskin_media::{FileName, S3Options};
use siskin_test_support::{S3Server, Site, both_engines, site::response};

use super::{V1, V2, form, path_of};
use crate::support::{
    TestApp, id,
    pictures::{png, size},
    run,
};

/// Returns the options of a bucket at `endpoint`.
fn bucket(name: String, endpoint: String) -> S3Options {
    S3Options {
        bucket: name,
        endpoint: Some(endpoint),
        access_key_id: "id".to_owned(),
        secret_access_key: "secret".to_owned(),
        ..S3Options::default()
    }
}

both_engines! {
    fn files_in_a_bucket_are_uploaded_served_and_deleted(database: &TestDatabase) {
        let Some(server) = S3Server::find() else { return };
        let options = bucket(server.new_bucket(), server.endpoint());
        run(database, |config| config.bucket = Some(options), async |app: &TestApp| {
            let alice = app.user("alice").await;
            let media = alice.multipart(V2, form(png(400, 300))).await.ok();
            let (path, anonymous) = (path_of(app, &media["url"]), app.anonymous());
            let whole = anonymous.get(&path).await;
            assert_eq!((whole.status, size(&whole.body)), (200, (400, 300)));
            for (name, value) in [
                ("content-type", "image/png"),
                ("cache-control", "private, no-store"),
                ("x-content-type-options", "nosniff"),
            ] {
                assert_eq!(whole.header(name), Some(value));
            }
            assert!(whole.header("content-security-policy").unwrap().contains("sandbox"));
            let part = anonymous.request(Method::GET, &path).header("range", "bytes=3-9");
            let part = anonymous.send(part).await;
            assert_eq!((part.status, &part.body[..]), (206, &whole.body[3..10]));
            let total = whole.body.len();
            assert_eq!(part.header("content-range"), Some(format!("bytes 3-9/{total}").as_str()));
            // A new preview is made from the stored file.
            let around = alice.put_media(&media, Form::new().text("focus", "1,1")).await.ok();
            assert_ne!(around["preview_url"], media["preview_url"]);
            alice.delete(&format!("{V1}/{}", id(&media))).await.ok();
            app.advance(std::time::Duration::from_hours(2));
            app.app().drain_jobs().await.unwrap();
            assert_eq!(app.stored_files().await, 0);
            anonymous.get(&path).await.expect(404);
            // A file without a row, left by a server that crashed before it wrote the row, is
            // deleted as well.
            let storage = app.app().media().storage();
            let stray: FileName = format!("ab{:030x}.png", 7).parse().unwrap();
            storage.write(&stray, b"x".to_vec()).await.unwrap();
            assert_eq!(app.app().sweep_files(0xab).await.unwrap(), 0);
            app.advance(std::time::Duration::from_hours(25));
            assert_eq!(app.app().sweep_files(0xab).await.unwrap(), 1);
            assert_eq!(app.stored_files().await, 0);
        });
    }

    fn a_failing_bucket_is_reported_as_unavailable(database: &TestDatabase) {
        // The bucket passes the check at the start, and fails from the first upload on.
        let server = Site::start(|received| {
            let (checked, length) = ("Can this be stored?", "19");
            let headers = [("etag", "\"1\""), ("last-modified", "Sat, 28 Nov 2026 09:00:00 GMT")];
            match (received.method.as_str(), received.header("content-length")) {
                ("PUT", Some(sent)) if sent == length => response("200 OK", &headers, b""),
                ("HEAD", _) => {
                    let head = response("200 OK", &headers, b"");
                    String::from_utf8(head).unwrap().replace("length: 0", "length: 19").into_bytes()
                }
                ("GET", _) if received.path.contains("list-type") => {
                    response("200 OK", &[], b"<ListBucketResult></ListBucketResult>")
                }
                ("GET", _) => {
                    let range = [&headers[..], &[("content-range", "bytes 0-18/19")]].concat();
                    response("206 Partial Content", &range, checked.as_bytes())
                }
                ("DELETE", _) => response("204 No Content", &[], b""),
                _ => response("500 Internal Server Error", &[], b""),
            }
        });
        let options = bucket("bucket".to_owned(), server.url(""));
        run(database, |config| config.bucket = Some(options), async |app: &TestApp| {
            let alice = app.user("alice").await;
            for (path, field) in [(V2, "file"), (V1, "file")] {
                let part = super::file(png(40, 30), field, "image/png");
                let refused = alice.multipart(path, Form::new().part(field, part)).await.expect(503);
                assert!(refused["error"].is_string() && !refused.to_string().contains("127.0.0.1"));
            }
            alice.upload("avatar", png(40, 40)).await.expect(503);
            let me: Value = alice.credentials().await.ok();
            assert!(me["avatar"].as_str().unwrap().contains("missing.png"), "{me}");
            assert_eq!(std::fs::read_dir(app.app().media().storage().staging_dir().unwrap()).unwrap().count(), 0);
        });
    }
}
