//! Statuses in filters.

use serde_json::json;

use super::{PATH, is_marked, make, path, read, shown, warn_of};
use crate::support::id;

api_tests! {
    async fn a_filtered_status_matches_itself_and_its_reblogs(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        let (named, other) = (bob.publish("one").await, bob.publish("two").await);
        let filter = warn_of(&alice, &[]).await;
        let list = format!("{}/statuses", path(&filter));
        let added = alice.form(&list, &[("status_id", id(&named))]).await.ok();
        assert_eq!(added, json!({ "id": added["id"], "status_id": named["id"] }));
        assert_eq!(alice.get(&list).await.ok(), json!([added]));
        assert_eq!(read(&alice, &filter).await["statuses"], json!([added]));
        let one = format!("{PATH}/statuses/{}", id(&added));
        assert_eq!(alice.get(&one).await.ok(), added);
        let result = &shown(&alice, &named).await["filtered"][0];
        assert_eq!(result["filter"]["id"], filter["id"]);
        assert_eq!(result["status_matches"], json!([named["id"]]));
        assert_eq!(result["keyword_matches"], json!(null));
        assert!(!is_marked(&alice, &other).await);
        let reblog = bob.act("reblog", &named).await;
        let reblog = shown(&alice, &reblog).await;
        assert_eq!(reblog["filtered"][0]["status_matches"], json!([named["id"]]));
        assert_eq!(reblog["reblog"]["filtered"], reblog["filtered"]);
        assert_eq!(alice.delete(&one).await.ok(), json!({}));
        assert!(!is_marked(&alice, &named).await);
        assert_eq!(alice.get(&one).await.status, 404);
        assert_eq!(alice.delete(&one).await.status, 404);
    }

    async fn hidden_statuses_are_not_found(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let filter = warn_of(&alice, &[]).await;
        let list = format!("{}/statuses", path(&filter));
        let secret = json!({ "status": "secret", "visibility": "private" });
        let secret = bob.publish_as(secret).await;
        let direct = bob.publish_as(json!({ "status": "x", "visibility": "direct" })).await;
        let nobody = "9223372036854775807".to_owned();
        let absent = alice.form(&list, &[("status_id", nobody)]).await;
        for hidden in [id(&secret), id(&direct), "x".to_owned(), String::new()] {
            let refused = alice.form(&list, &[("status_id", hidden.clone())]).await;
            assert_eq!((refused.status, refused.text()), (404, absent.text()), "{hidden}");
        }
        assert_eq!(alice.post(&list).await.status, 404);
        assert_eq!(alice.get(&list).await.ok(), json!([]));
    }

    async fn a_status_is_in_each_filter_at_most_once(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("one").await;
        let (first, second) = (warn_of(&alice, &[]).await, warn_of(&alice, &[]).await);
        let form = [("status_id", id(&status))];
        let list = format!("{}/statuses", path(&first));
        alice.form(&list, &form).await.ok();
        assert_eq!(alice.form(&list, &form).await.status, 422);
        alice.form(&format!("{}/statuses", path(&second)), &form).await.ok();
        let results = shown(&alice, &status).await["filtered"].clone();
        let filters: Vec<_> = results.as_array().unwrap().iter()
            .map(|result| result["filter"]["id"].clone()).collect();
        assert_eq!(filters, [first["id"].clone(), second["id"].clone()]);
    }

    async fn statuses_of_others_filters_are_not_found(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = bob.publish("one").await;
        let his = warn_of(&bob, &[]).await;
        let list = format!("{}/statuses", path(&his));
        let form = [("status_id", id(&status))];
        let held = bob.form(&list, &form).await.ok();
        let one = format!("{PATH}/statuses/{}", id(&held));
        assert_eq!(alice.get(&one).await.status, 404);
        assert_eq!(alice.delete(&one).await.status, 404);
        assert_eq!(alice.get(&list).await.status, 404);
        assert_eq!(alice.form(&list, &form).await.status, 404);
        assert_eq!(bob.get(&list).await.ok(), json!([held]));
    }

    async fn a_status_that_is_deleted_leaves_its_filters(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = bob.publish("one").await;
        let filter = make(&alice, json!({ "title": "t", "context": ["home"] })).await;
        let list = format!("{}/statuses", path(&filter));
        alice.form(&list, &[("status_id", id(&status))]).await.ok();
        bob.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        assert_eq!(alice.get(&list).await.ok(), json!([]));
        assert_eq!(alice.get(PATH).await.ok(), json!([filter]));
    }
}
