//! `/api/v1/markers`.

use serde_json::json;

use crate::support::User;

const MARKERS: &str = "/api/v1/markers";

api_tests! {
    async fn a_marker_is_shared_by_clients_and_has_a_version(app: &TestApp) {
        let alice: User = app.user("alice").await;
        assert_eq!(alice.get("/api/v1/markers?timeline[]=home").await.ok(), json!({}));
        snapshot!("marker_set", alice.form(MARKERS, &[("home[last_read_id]", "5")]).await);
        let body = json!({ "home": { "last_read_id": "7" }, "notifications": { "last_read_id": "3" } });
        let both = alice.json(MARKERS, body).await.ok();
        assert_eq!(both["home"]["version"], 2);
        assert_eq!(both["notifications"]["version"], 1);
        let other = app.user_with_scopes(&alice, "read:statuses").await;
        let shown = other.get("/api/v1/markers?timeline[]=home&timeline[]=notifications").await;
        assert_eq!(shown.ok(), both);
        let bob = app.user("bob").await;
        assert_eq!(bob.get("/api/v1/markers?timeline[]=home").await.ok(), json!({}));
    }

    async fn concurrent_moves_are_serialised_or_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let moved = (1..=20).map(|id| {
            let form = [("home[last_read_id]", id.to_string())];
            let alice = &alice;
            async move { alice.form(MARKERS, &form).await }
        });
        let answers = futures_util::future::join_all(moved).await;
        let created = answers.iter().filter(|response| response.status == 200).count();
        assert!(answers.iter().all(|response| [200, 409].contains(&response.status)), "{answers:?}");
        assert!(answers.iter().all(|response| response.json().is_object()));
        let marker = alice.get("/api/v1/markers?timeline[]=home").await.ok()["home"].clone();
        assert_eq!(marker["version"], created);
    }

    async fn only_the_requested_markers_are_returned(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.form(MARKERS, &[("home[last_read_id]", "5"), ("public[last_read_id]", "6")]).await;
        for (query, shown) in [
            ("", false),
            ("?timeline[]=public", false),
            ("?timeline[]=notifications", false),
            ("?timeline[]=public&timeline[]=home", true),
            ("?timeline=home", true),
        ] {
            let markers = alice.get(&format!("{MARKERS}{query}")).await.ok();
            assert_eq!(markers.get("home").is_some(), shown, "{query}");
            assert_eq!(markers.as_object().unwrap().len(), usize::from(shown), "{query}");
        }
    }

    async fn invalid_positions_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        for id in ["abc", "-1", "1e3"] {
            alice.form(MARKERS, &[("home[last_read_id]", id)]).await.expect(422);
        }
        alice.form(MARKERS, &[("home", "5")]).await.expect(422);
        assert_eq!(alice.form(MARKERS, &[("home[last_read_id]", "")]).await.ok(), json!({}));
        assert_eq!(alice.post(MARKERS).await.ok(), json!({}));
    }

    async fn markers_need_the_scopes_of_statuses(app: &TestApp) {
        let alice = app.user("alice").await;
        let viewer = app.user_with_scopes(&alice, "read:statuses write:accounts").await;
        viewer.form(MARKERS, &[("home[last_read_id]", "5")]).await.expect(403);
        let writer = app.user_with_scopes(&alice, "write:statuses").await;
        writer.get(MARKERS).await.expect(403);
        app.anonymous().get(MARKERS).await.expect(401);
    }
}
