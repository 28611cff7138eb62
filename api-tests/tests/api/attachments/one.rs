//! `GET`, `PUT` and `DELETE /api/v1/media/{id}`.

use std::time::Duration;

use reqwest::multipart::Form;
use serde_json::{Value, json};
use siskin_ids::MediaId;
use siskin_services::attachments::{self, MediaMetadata, Received};
use siskin_test_support::both_engines;

use super::{V1, path_of};
use crate::support::{TestApp, User, id, pictures::png, run};

/// Creates an upload that no worker processes.
async fn waiting(app: &TestApp, user: &User) -> MediaId {
    let storage = app.app().media().storage();
    let draft = tempfile::NamedTempFile::new_in(storage.staging_dir().unwrap()).unwrap();
    std::fs::write(draft.path(), png(50, 40)).unwrap();
    let (source, kind) = app.app().media().receive(draft.into_temp_path()).await.unwrap();
    let (account, received) = (user.id.parse().unwrap(), Received { kind, source, preview: None });
    let metadata = MediaMetadata::default();
    app.app()
        .write(move |tx| attachments::receive(tx, account, &received, &metadata))
        .await
        .unwrap()
}

both_engines! {
    // An attachment that is not processed yet has no URL and cannot be attached.
    fn media_in_processing_has_no_url_and_cannot_be_attached(database: &TestDatabase) {
        run(database, |config| config.job_workers = 0, async |app: &TestApp| {
            let alice = app.user("alice").await;
            let media = waiting(app, &alice).await;
            let path = format!("{V1}/{media}");
            let unready = alice.get(&path).await.expect(206);
            assert_eq!((&unready["url"], &unready["preview_url"]), (&Value::Null, &Value::Null));
            let post = json!({ "status": "x", "media_ids": [media.to_string()] });
            let refused = alice.json("/api/v1/statuses", post.clone()).await.expect(422);
            assert!(refused["error"].as_str().unwrap().contains("still being processed"), "{refused}");
            // It can be described while it waits, and its preview follows the focal point once it
            // is processed.
            let changes = Form::new().text("description", "Birds").text("focus", "1,1");
            let changed = alice.put_media(&unready, changes).await.ok();
            assert_eq!((&changed["description"], &changed["url"]), (&json!("Birds"), &Value::Null));
            app.app().drain_jobs().await.unwrap();
            let ready = alice.get(&path).await.ok();
            assert_eq!(ready["meta"]["focus"], json!({ "x": 1.0, "y": 1.0 }));
            assert_eq!(ready["meta"]["small"]["size"], "50x28");
            let status = alice.json("/api/v1/statuses", post).await.ok();
            assert_eq!(status["media_attachments"][0], ready);
            assert_eq!(alice.get(&format!("/api/v1/accounts/{}/statuses", alice.id)).await.ids().len(), 1);
        });
    }

    fn failed_media_reports_the_reason(database: &TestDatabase) {
        run(database, |config| config.job_workers = 0, async |app: &TestApp| {
            let alice = app.user("alice").await;
            let media = waiting(app, &alice).await;
            let fail = move |tx: &mut siskin_persistence::Tx<'_>| {
                attachments::fail_processing(tx, media, "is damaged or incomplete")
            };
            app.app().write(fail).await.unwrap();
            let gone = alice.get(&format!("{V1}/{media}")).await.expect(422);
            assert_eq!(gone["error"], "Validation failed: File is damaged or incomplete");
            let post = json!({ "media_ids": [media.to_string()] });
            let refused = alice.json("/api/v1/statuses", post).await.expect(422);
            assert!(refused["error"].as_str().unwrap().contains("damaged"), "{refused}");
            app.advance(Duration::from_hours(2));
            app.app().drain_jobs().await.unwrap();
            assert_eq!(app.stored_files().await, 0);
        });
    }
}

api_tests! {
    async fn an_attachment_is_accessible_to_its_owner_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let media = alice.upload_media(png(20, 20), "Mine").await;
        let path = format!("{V1}/{}", id(&media));
        let unknown = bob.get(&format!("{V1}/1234567890")).await.expect(404);
        for (viewer, status) in [(&bob.client, 404), (&app.anonymous(), 401)] {
            let answers = [
                viewer.get(&path).await.expect(status),
                viewer.put_media(&media, Form::new().text("description", "x")).await.expect(status),
                viewer.delete(&path).await.expect(status),
            ];
            assert!(status == 401 || answers.iter().all(|response| *response == unknown));
        }
        let viewer = app.user_with_scopes(&alice, "read write:statuses").await;
        viewer.get(&path).await.expect(403);
        assert_eq!(alice.get(&path).await.ok(), media);
    }

    async fn description_and_focus_can_be_changed_until_attached(app: &TestApp) {
        let alice = app.user("alice").await;
        let media = alice.upload_media(png(600, 1200), "One").await;
        let changed = alice.put_media(&media, Form::new().text("description", "Two")).await.ok();
        assert_eq!((&changed["description"], &changed["url"]), (&json!("Two"), &media["url"]));
        assert_eq!(changed["preview_url"], media["preview_url"]);
        let moved = alice.put_media(&media, Form::new().text("focus", "0,0.5")).await.ok();
        assert_eq!(moved["description"], "Two");
        assert_eq!(moved["meta"]["focus"], json!({ "x": 0.0, "y": 0.5 }));
        assert_eq!(moved["meta"]["small"]["size"], "600x337");
        assert_ne!(moved["preview_url"], media["preview_url"]);
        app.advance(Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(app.anonymous().get(&path_of(app, &media["preview_url"])).await.status, 404);
        assert_eq!(app.anonymous().get(&path_of(app, &moved["preview_url"])).await.status, 200);
        let cleared = alice.put_media(&media, Form::new().text("description", "")).await.ok();
        assert_eq!(cleared["description"], Value::Null);
        let status = alice.publish_as(json!({ "media_ids": [media["id"]] })).await;
        let refused = alice.put_media(&media, Form::new().text("description", "3")).await.expect(422);
        assert!(refused["error"].as_str().unwrap().contains("belongs to a status"), "{refused}");
        let path = format!("/api/v1/statuses/{}", id(&status));
        let shown = alice.get(&path).await.ok();
        assert_eq!(shown["media_attachments"][0]["description"], Value::Null);
        assert_eq!(shown["media_attachments"][0]["meta"], moved["meta"]);
        alice.get(&format!("{V1}/{}", id(&media))).await.expect(404);
    }

    async fn deleting_media_deletes_its_files(app: &TestApp) {
        let alice = app.user("alice").await;
        let media = alice.upload_media(png(20, 20), "").await;
        let path = format!("{V1}/{}", id(&media));
        assert_eq!(alice.delete(&path).await.ok(), json!({}));
        for response in [alice.get(&path).await, alice.delete(&path).await] {
            response.expect(404);
        }
        alice.json("/api/v1/statuses", json!({ "media_ids": [media["id"]] })).await.expect(422);
        app.advance(Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(app.stored_files().await, 0);
        let attached = alice.publish_picture("x", "").await;
        let path = format!("{V1}/{}", id(&attached["media_attachments"][0]));
        alice.delete(&path).await.expect(422);
    }
}
