//! `/api/v1/accounts/relationships` and `/api/v1/relationships`.

use serde_json::{Value, json};

const PATHS: [&str; 2] = ["/api/v1/accounts/relationships", "/api/v1/relationships"];

api_tests! {
    async fn relationships_are_returned_in_the_requested_order(app: &TestApp) {
        let (alice, bob, cat) =
            (app.user("alice").await, app.user("bob").await, app.user("cat").await);
        alice.post(&format!("/api/v1/accounts/{}/follow", cat.id)).await.ok();
        for path in PATHS {
            let query = format!("id[]={}&id[]=77&id[]=abc&id[]={}&id[]={}", cat.id, bob.id, cat.id);
            let shown = alice.get(&format!("{path}?{query}")).await;
            assert_eq!(shown.ids(), [cat.id.as_str(), &bob.id]);
            assert_eq!(shown.ok()[0]["following"], true);
            assert_eq!(shown.ok()[1]["following"], false);
            assert!(shown.ok().as_array().unwrap().iter().all(|relationship| *relationship != Value::Null));
            let back = cat.get(&format!("{path}?id={}", alice.id)).await.ok();
            assert_eq!(back[0]["followed_by"], true);
            assert_eq!(alice.get(path).await.ok(), json!([]));
        }
        snapshot!("relationships", alice.get(&format!("{}?id={}", PATHS[0], bob.id)).await);
    }

    async fn relationships_need_the_scope_of_follows(app: &TestApp) {
        let alice = app.user("alice").await;
        for path in PATHS {
            app.anonymous().get(path).await.expect(401);
            app.user_with_scopes(&alice, "read:accounts").await.get(path).await.expect(403);
            app.user_with_scopes(&alice, "follow").await.get(path).await.ok();
            app.application("read").await.get(path).await.expect(422);
        }
    }
}
