//! Deletion of unused attachments.

use std::time::Duration;

use serde_json::json;
use siskin_media::{FileName, Format};
use siskin_services::{accounts, housekeeping};

use super::{V1, path_of};
use crate::support::{TestApp, id, pictures::png};

/// Runs the hourly housekeeping and its jobs.
async fn keep_house(app: &TestApp) {
    app.app().write(housekeeping::enqueue_upkeep_jobs).await.unwrap();
    app.app().drain_jobs().await.unwrap();
}

api_tests! {
    async fn only_orphaned_files_are_deleted_after_a_day(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish_picture("kept", "").await;
        alice.upload("avatar", png(40, 40)).await.ok();
        let stray = FileName::random(Format::Png);
        let storage = app.app().media().storage();
        storage.write(&stray, b"x".to_vec()).await.unwrap();
        let sweep = async || {
            let mut removed = 0;
            for beginning in 0..=u8::MAX {
                removed += app.app().sweep_files(beginning).await.unwrap();
            }
            removed
        };
        // A young file may belong to a row that is not committed yet, and a file that waits for its
        // deletion is not orphaned.
        app.advance(Duration::from_hours(23));
        assert_eq!(sweep().await, 0);
        app.advance(Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!((sweep().await, storage.size(&stray).await.unwrap()), (1, None));
        for address in ["url", "preview_url"] {
            let path = path_of(app, &status["media_attachments"][0][address]);
            assert_eq!(app.anonymous().get(&path).await.status, 200);
        }
        let avatar = path_of(app, &alice.credentials().await.ok()["avatar"]);
        assert_eq!(app.anonymous().get(&avatar).await.status, 200);
        assert_eq!(app.stored_files().await, 3);
    }

    async fn unattached_uploads_are_deleted_after_a_day(app: &TestApp) {
        let alice = app.user("alice").await;
        let kept = alice.publish_picture("kept", "").await;
        let mut waiting = Vec::new();
        for _ in 0..3 {
            waiting.push(alice.upload_media(png(9, 9), "").await);
        }
        let path = |media| format!("{V1}/{}", id(media));
        app.advance(Duration::from_hours(23));
        keep_house(app).await;
        for media in &waiting {
            alice.get(&path(media)).await.ok();
        }
        app.advance(Duration::from_hours(2));
        keep_house(app).await;
        for media in &waiting {
            alice.get(&path(media)).await.expect(404);
        }
        let shown = path_of(app, &kept["media_attachments"][0]["url"]);
        assert_eq!(app.anonymous().get(&shown).await.status, 200);
        app.advance(Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(app.stored_files().await, 2);
    }

    async fn the_attachments_of_a_deleted_status_stay_for_a_day(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish_picture("x", "").await;
        let path = format!("{V1}/{}", id(&status["media_attachments"][0]));
        app.advance(Duration::from_hours(48));
        keep_house(app).await;
        alice.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        app.advance(Duration::from_hours(23));
        keep_house(app).await;
        alice.get(&path).await.ok();
        app.advance(Duration::from_hours(2));
        keep_house(app).await;
        alice.get(&path).await.expect(404);
        let again = json!({ "media_ids": [status["media_attachments"][0]["id"]] });
        alice.json("/api/v1/statuses", again).await.expect(422);
    }

    async fn deleting_an_account_deletes_its_uploads(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.publish_picture("x", "").await;
        alice.upload_media(png(9, 9), "").await;
        assert!(app.stored_files().await >= 4);
        let account = alice.id.parse().unwrap();
        app.app().write(move |tx| accounts::removal::begin(tx, account)).await.unwrap();
        app.app().drain_jobs().await.unwrap();
        app.advance(Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(app.stored_files().await, 0);
    }
}
