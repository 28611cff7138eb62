//! `GET`, `PUT` and `DELETE /api/v1/lists/{id}`, and lists of other accounts.

use reqwest::Method;
use serde_json::json;

use crate::support::{Response, User};

/// Sends every kind of request about a list.
async fn everything(asking: &User, list: &str, member: &str) -> Vec<Response> {
    let path = format!("/api/v1/lists/{list}");
    let accounts = format!("{path}/accounts");
    let ids = json!({ "account_ids": [member] });
    vec![
        asking.get(&path).await,
        asking.put(&path, &[("title", "Mine")]).await,
        asking.get(&accounts).await,
        asking.get(&format!("{accounts}?limit=2")).await,
        asking.json(&accounts, ids.clone()).await,
        asking.send(asking.request(Method::DELETE, &accounts).json(&ids)).await,
        asking.get(&format!("/api/v1/timelines/list/{list}")).await,
        asking.delete(&path).await,
    ]
}

api_tests! {
    async fn an_update_changes_the_given_fields_only(app: &TestApp) {
        let alice = app.user("alice").await;
        let list = alice.list_as(json!({ "title": "Birds", "replies_policy": "none" })).await;
        let path = format!("/api/v1/lists/{list}");
        let whole = |title: &str, policy: &str, exclusive: bool| {
            json!({ "id": list, "title": title, "replies_policy": policy, "exclusive": exclusive })
        };
        let changed = alice.put(&path, &[("title", "Owls")]).await.ok();
        assert_eq!(changed, whole("Owls", "none", false));
        let form = [("title", "Owls"), ("replies_policy", "followed"), ("exclusive", "true")];
        assert_eq!(alice.put(&path, &form).await.ok(), whole("Owls", "followed", true));
        assert_eq!(alice.put(&path, &[("exclusive", "false")]).await.ok(), whole("Owls", "followed", false));
        for form in [("title", ""), ("replies_policy", "x")] {
            alice.put(&path, &[form]).await.expect(422);
        }
        assert_eq!(alice.get(&path).await.ok(), whole("Owls", "followed", false));
        assert_eq!(alice.delete(&path).await.ok(), json!({}));
        alice.get(&path).await.expect(404);
        alice.delete(&path).await.expect(404);
    }

    // The list of another account results in 404, like an unknown id, and does not change.
    async fn lists_of_others_are_not_found(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow(&alice, &carol).await;
        app.follow(&bob, &carol).await;
        let list = alice.list("Secret").await;
        alice.enlist(&list, &[&carol]).await;
        let before = alice.get(&format!("/api/v1/lists/{list}")).await.ok();
        let absent = everything(&bob, "115000000000000000", &carol.id).await;
        for (of_alice, of_nobody) in everything(&bob, &list, &carol.id).await.iter().zip(&absent) {
            assert_eq!(of_alice.expect(404), json!({ "error": "Record not found" }));
            assert_eq!(of_alice.body, of_nobody.body);
        }
        for id in ["abc", "0", "-1", "%00", "9999999999999999999999"] {
            for response in everything(&bob, id, &carol.id).await {
                response.expect(404);
            }
        }
        assert_eq!(alice.get(&format!("/api/v1/lists/{list}")).await.ok(), before);
        let members = alice.get(&format!("/api/v1/lists/{list}/accounts")).await;
        assert_eq!(members.ids(), [carol.id]);
    }
}
