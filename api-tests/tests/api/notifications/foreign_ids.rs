//! Ids of what belongs to another account: the responses are those to unknown ids, and the owner
//! loses nothing.

use reqwest::Method;
use serde_json::{Value, json};

use super::{LIST, four_by_bob, post};
use crate::support::{Client, trends::each};

/// A valid id that does not exist.
const UNKNOWN: &str = "115600000000000001";
const REQUESTS: &str = "/api/v1/notifications/requests";
const GROUPS: &str = "/api/v2/notifications";

/// Sends a request to the path with a foreign id and to the one with an unknown id. Requires the
/// same response, with this status.
async fn assert_same(stranger: &Client, method: &Method, paths: &[String; 2], status: u16) {
    let ask = async |path: &str| {
        let response = stranger.send(stranger.request(method.clone(), path)).await;
        let media_type = response.header("content-type").map(str::to_owned);
        (response.status, media_type, response.text())
    };
    let answer = ask(&paths[0]).await;
    assert_eq!(answer.0, status, "{method} {}: {answer:?}", paths[0]);
    assert_eq!(answer, ask(&paths[1]).await, "{method} {}", paths[0]);
}

/// Returns the key of an unknown group that looks like this one.
fn unknown_key(key: &str) -> String {
    let parts: Vec<&str> = key.split('-').collect();
    match parts[..] {
        [kind, _, window] => format!("{kind}-{UNKNOWN}-{window}"),
        ["ungrouped", _] => format!("ungrouped-{UNKNOWN}"),
        [kind, _] => format!("{kind}-1"),
        _ => panic!("{key}"),
    }
}

/// Returns all that an account sees of its notifications.
async fn everything(owner: &Client) -> Vec<Value> {
    let mut all = Vec::new();
    for path in [LIST, &format!("{LIST}?include_filtered=true"), REQUESTS, GROUPS] {
        all.push(owner.get(path).await.ok());
    }
    all
}

api_tests! {
    async fn foreign_notifications_and_requests_look_unknown(app: &TestApp) {
        let [alice, bob] = four_by_bob(app).await;
        let carol = app.user("carol").await;
        let rule = [("for_not_following", "filter")];
        alice.patch("/api/v2/notifications/policy", &rule).await.ok();
        post(&carol, "Hello @alice", "public").await;
        let before = everything(&alice).await;
        let request = alice.get(REQUESTS).await.ids().remove(0);
        // The causes of the notifications are strangers, too.
        for stranger in [&bob, &carol, &app.user("dave").await] {
            for id in alice.get(&format!("{LIST}?include_filtered=true")).await.ids() {
                let one = [&*id, UNKNOWN].map(|id| format!("{LIST}/{id}"));
                assert_same(stranger, &Method::GET, &one, 404).await;
                let dismiss = one.map(|path| path + "/dismiss");
                assert_same(stranger, &Method::POST, &dismiss, 404).await;
            }
            let one = [&*request, UNKNOWN].map(|id| format!("{REQUESTS}/{id}"));
            assert_same(stranger, &Method::GET, &one, 404).await;
            for decision in ["accept", "dismiss"] {
                let decide = one.each_ref().map(|path| format!("{path}/{decision}"));
                assert_same(stranger, &Method::POST, &decide, 404).await;
                // A decision about many ignores unknown ids.
                let of_many = |id: &str| format!("{REQUESTS}/{decision}?id[]={id}");
                let decide = [&*request, UNKNOWN].map(of_many);
                assert_same(stranger, &Method::POST, &decide, 200).await;
            }
            stranger.post(&format!("{LIST}/clear")).await.ok();
            assert_eq!(everything(&alice).await, before);
        }
        // The same requests succeed for the owner.
        let own = &alice.get(LIST).await.ids()[0];
        alice.get(&format!("{LIST}/{own}")).await.ok();
        alice.post(&format!("{LIST}/{own}/dismiss")).await.ok();
        alice.get(&format!("{REQUESTS}/{request}")).await.ok();
        alice.post(&format!("{REQUESTS}/{request}/accept")).await.ok();
    }

    async fn foreign_groups_look_unknown(app: &TestApp) {
        let [alice, bob] = four_by_bob(app).await;
        let before = everything(&alice).await;
        let keys = each(&alice.get(GROUPS).await.ok()["notification_groups"], "group_key");
        assert_eq!(keys.len(), 4);
        for stranger in [&bob, &app.user("dave").await] {
            for key in &keys {
                let one = [key.clone(), unknown_key(key)].map(|key| format!("{GROUPS}/{key}"));
                assert_same(stranger, &Method::GET, &one, 404).await;
                let accounts = one.each_ref().map(|path| format!("{path}/accounts"));
                assert_same(stranger, &Method::GET, &accounts, 404).await;
                // Dismissing a group that is gone succeeds, too.
                let dismiss = one.map(|path| path + "/dismiss");
                assert_same(stranger, &Method::POST, &dismiss, 200).await;
            }
            assert_eq!(everything(&alice).await, before);
        }
        for key in &keys {
            alice.get(&format!("{GROUPS}/{key}")).await.ok();
            alice.get(&format!("{GROUPS}/{key}/accounts")).await.ok();
            alice.post(&format!("{GROUPS}/{key}/dismiss")).await.ok();
        }
        assert_eq!(alice.get(LIST).await.ids(), [""; 0]);
    }

    async fn policies_of_foreign_statuses_look_unknown(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = |id: &str| format!("/api/v1/statuses/{id}");
        let policy = |id: &str, name: &str| {
            format!("{}/interaction_policy?quote_approval_policy={name}", path(id))
        };
        for visibility in ["public", "unlisted", "private", "direct"] {
            let status = post(&alice, "Hello @bob", visibility).await;
            let before = alice.get(&path(&status)).await.ok();
            for name in ["nobody", "friends", ""] {
                let change = [&*status, UNKNOWN].map(|id| policy(id, name));
                assert_same(&bob, &Method::PUT, &change, 404).await;
            }
            assert_eq!(alice.get(&path(&status)).await.ok(), before, "{visibility}");
            let own = alice.send(alice.request(Method::PUT, &policy(&status, "nobody"))).await.ok();
            assert_eq!(own["quote_approval"]["automatic"], json!([]), "{visibility}");
        }
    }
}
