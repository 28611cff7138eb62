//! Accounts with media that moderators marked as sensitive.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{User, id, pictures::png};

/// Returns which of these statuses a viewer sees as sensitive.
async fn seen(viewer: &User, statuses: &[&Value]) -> Vec<bool> {
    let mut seen = Vec::new();
    for status in statuses {
        let shown = viewer.get(&format!("/api/v1/statuses/{}", id(status))).await.ok();
        seen.push(shown["sensitive"] == true);
    }
    seen
}

api_tests! {
    // Statuses with media are sensitive, old and new ones. The rows stay as they are.
    async fn all_media_of_the_account_are_sensitive(app: &TestApp) {
        let (mo, bob, ann) =
            (app.staff("mo", "Moderator").await, app.user("bob").await, app.user("ann").await);
        ann.act_on("follow", &bob).await;
        let picture = bob.publish_picture("Old", "").await;
        let text = bob.publish("Only text").await;
        let media = bob.upload_media(png(9, 9), "").await;
        let marked = json!({ "status": "Mine", "media_ids": [media["id"]], "sensitive": true });
        let marked = bob.publish_as(marked).await;
        let reblog = ann.act("reblog", &picture).await;
        let before = seen(&ann, &[&picture, &text, &marked]).await;
        assert_eq!(before, [false, false, true]);
        ann.get("/api/v1/timelines/home").await.ok();
        mo.impose("sensitive", &bob).await;
        for viewer in [&ann, &bob] {
            assert_eq!(seen(viewer, &[&picture, &text, &marked]).await, [true, false, true]);
        }
        let home = ann.get("/api/v1/timelines/home").await.ok();
        let of_picture = home.as_array().unwrap().iter().find(|one| one["id"] == picture["id"]);
        assert_eq!(of_picture.unwrap()["sensitive"], true);
        let shared = ann.get(&format!("/api/v1/statuses/{}", id(&reblog))).await.ok();
        assert_eq!(shared["reblog"]["sensitive"], true);
        let mut stream = app.listen(&ann, "stream=user").await;
        let new = bob.publish_picture("New", "").await;
        assert_eq!(new["sensitive"], true);
        assert_eq!(stream.until("update").await["sensitive"], true);
        let edit = json!({ "status": "Edited", "media_ids": [new["media_attachments"][0]["id"]] });
        let path = format!("/api/v1/statuses/{}", id(&new));
        bob.send(bob.request(Method::PUT, &path).json(&edit)).await.ok();
        let history = ann.get(&format!("{path}/history")).await.ok();
        assert!(history.as_array().unwrap().iter().all(|version| version["sensitive"] == true));
        mo.lift("unsensitive", &bob).await.ok();
        let after = seen(&ann, &[&picture, &text, &marked, &new]).await;
        assert_eq!(after, [false, false, true, false]);
        assert_eq!(bob.warnings().await.len(), 1);
    }

    // A redraft keeps the choice of the author.
    async fn a_deleted_status_is_returned_as_its_author_marked_it(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        let picture = bob.publish_picture("Old", "").await;
        mo.impose("sensitive", &bob).await;
        let deleted = bob.delete(&format!("/api/v1/statuses/{}", id(&picture))).await.ok();
        assert_eq!(deleted["sensitive"], false);
    }

    async fn a_sensitive_account_does_not_trend(app: &TestApp) {
        app.trend_by_default().await;
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.famous("bob").await);
        let crowd = app.crowd("crowd", 5).await;
        let status = bob.publish("Hello").await;
        crate::support::trends::all_favourite(&crowd, &status).await;
        app.count_trends().await;
        let trending = async || crowd[0].get("/api/v1/trends/statuses").await.ids();
        assert_eq!(trending().await, [id(&status)]);
        mo.impose("sensitive", &bob).await;
        assert!(trending().await.is_empty());
        app.count_trends().await;
        assert!(trending().await.is_empty());
        mo.lift("unsensitive", &bob).await.ok();
        app.count_trends().await;
        assert_eq!(trending().await, [id(&status)]);
    }
}
