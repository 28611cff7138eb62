//! Unconfirmed and unapproved accounts: only lookup finds them.

use serde_json::{Value, json};
use siskin_entities::AccountState;

use crate::support::{GOOD, TestApp, User, id};

const ACCOUNTS: &str = "/api/v1/accounts";

/// Creates an account with everything that makes it visible, and then makes it unconfirmed.
async fn ghost(app: &TestApp, bob: &User) -> (User, String) {
    let ghost = app.user("ghost").await;
    let shown = [("discoverable", "true"), ("display_name", "Casper")];
    ghost.patch(&format!("{ACCOUNTS}/update_credentials"), &shown).await.ok();
    app.follow(bob, &ghost).await;
    app.follow(&ghost, bob).await;
    let status = id(&ghost.publish("Boo #birds").await);
    app.app().change_setting("suggestions.staff_picks".into(), "ghost".into()).await.unwrap();
    app.set_state(&ghost, AccountState { reachable: false, ..GOOD }).await;
    (ghost, status)
}

api_tests! {
    async fn unconfirmed_accounts_are_found_by_lookup_only(app: &TestApp) {
        let (bob, cat) = (app.user("bob").await, app.user("cat").await);
        let (ghost, status) = ghost(app, &bob).await;
        let unknown = bob.get(&format!("{ACCOUNTS}/1234567890")).await.expect(404);
        let account = format!("{ACCOUNTS}/{}", ghost.id);
        for viewer in [&bob.client, &cat.client, &app.anonymous()] {
            let found = viewer.get(&format!("{ACCOUNTS}/lookup?acct=ghost")).await.ok();
            assert_eq!(found["id"], ghost.id);
            for place in ["", "/statuses", "/followers", "/following"] {
                let hidden = viewer.get(&format!("{account}{place}")).await.expect(404);
                assert_eq!(hidden, unknown, "{place}");
            }
            assert_eq!(viewer.get(&format!("/api/v1/statuses/{status}")).await.status, 404);
            for path in [
                format!("{ACCOUNTS}?id[]={}", ghost.id),
                "/api/v1/directory".to_owned(),
                "/api/v1/directory?order=new&local=true".to_owned(),
                "/api/v1/timelines/public".to_owned(),
                "/api/v1/timelines/tag/birds".to_owned(),
                format!("{ACCOUNTS}/{}/followers", bob.id),
                format!("{ACCOUNTS}/{}/following", bob.id),
            ] {
                assert_eq!(viewer.get(&path).await.ok(), json!([]), "{path}");
            }
            for q in ["ghost", "@ghost", "casper", &format!("{}/@ghost", app.base_url())] {
                let found = viewer.get(&format!("/api/v2/search?q={q}")).await.ok();
                assert_eq!(found["accounts"], json!([]), "{q}");
            }
        }
        let finger = format!("/.well-known/webfinger?resource=acct:ghost@{}", app.domain());
        app.anonymous().get(&finger).await.expect(404);
    }

    async fn unconfirmed_accounts_have_no_relationships(app: &TestApp) {
        let (bob, cat) = (app.user("bob").await, app.user("cat").await);
        let (ghost, status) = ghost(app, &bob).await;
        let account = format!("{ACCOUNTS}/{}", ghost.id);
        for viewer in [&bob, &cat] {
            for path in [
                "/api/v1/suggestions".to_owned(),
                "/api/v2/suggestions".to_owned(),
                "/api/v1/timelines/home".to_owned(),
                format!("{ACCOUNTS}/search?q=ghost"),
                format!("/api/v1/relationships?id[]={}", ghost.id),
            ] {
                assert_eq!(viewer.get(&path).await.ok(), json!([]), "{path}");
            }
            viewer.get(&format!("{account}/identity_proofs")).await.expect(404);
            for action in ["follow", "unfollow"] {
                viewer.post(&format!("{account}/{action}")).await.expect(404);
            }
            for action in ["favourite", "reblog", "bookmark"] {
                viewer.post(&format!("/api/v1/statuses/{status}/{action}")).await.expect(404);
            }
        }
    }

    async fn unconfirmed_accounts_are_not_mentioned(app: &TestApp) {
        let bob = app.user("bob").await;
        let (ghost, _) = ghost(app, &bob).await;
        let status = bob.publish(&format!("Are you there, @ghost, @ghost@{}?", app.domain())).await;
        assert_eq!(status["mentions"], json!([]));
        let note = [("note", "I know @ghost")];
        let profile = bob.patch(&format!("{ACCOUNTS}/update_credentials"), &note).await.ok();
        assert_eq!(profile["note"], "<p>I know @ghost</p>");
        app.set_state(&ghost, GOOD).await;
        let notifications = ghost.get("/api/v1/notifications").await.ok();
        let kinds: Vec<&Value> = notifications.as_array().unwrap().iter().map(|notification_types| &notification_types["type"]).collect();
        assert!(!kinds.contains(&&json!("mention")), "{notifications}");
    }
}
