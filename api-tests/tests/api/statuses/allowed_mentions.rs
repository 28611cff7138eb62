//! `allowed_mentions` of `POST /api/v1/statuses`.

use serde_json::{Value, json};

use crate::support::{User, id};

const STATUSES: &str = "/api/v1/statuses";
const REFUSAL: &str = "Post would be sent to unexpected accounts";

async fn own(user: &User) -> Vec<String> {
    user.get(&format!("/api/v1/accounts/{}/statuses", user.id)).await.ids()
}

fn unexpected(refused: &Value) -> Vec<&str> {
    assert_eq!(refused["error"], REFUSAL);
    let accounts = refused["unexpected_accounts"].as_array().unwrap();
    accounts.iter().map(|account| account["acct"].as_str().unwrap()).collect()
}

api_tests! {
    async fn unexpected_mentions_are_refused_with_their_accounts(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let text = "Hello @bob, @carol and @alice";
        for (allowed, expected) in [
            (json!([]), ["bob", "carol"].as_slice()),
            (json!([bob.id]), &["carol"]),
            (json!([carol.id, "x", "0"]), &["bob"]),
        ] {
            let post = json!({ "status": text, "allowed_mentions": allowed });
            let refused = alice.json(STATUSES, post).await.expect(422);
            assert_eq!(unexpected(&refused), expected);
        }
        let account = bob.credentials().await.ok();
        let post = json!({ "status": "@bob", "allowed_mentions": [] });
        let refused = alice.json(STATUSES, post).await.expect(422);
        assert_eq!(refused["unexpected_accounts"][0]["url"], account["url"]);
        let form = [("status", "@bob"), ("allowed_mentions[]", "")];
        assert_eq!(unexpected(&alice.form(STATUSES, &form).await.expect(422)), ["bob"]);
        assert_eq!(own(&alice).await, [""; 0], "nothing is posted");
        assert_eq!((bob.notification_types().await, carol.notification_types().await), (vec![], vec![]));
        for post in [
            json!({ "status": text, "allowed_mentions": [bob.id, carol.id] }),
            json!({ "status": text }),
            json!({ "status": text, "allowed_mentions": null }),
            json!({ "status": "@nobody and @alice", "allowed_mentions": [] }),
        ] {
            alice.publish_as(post).await;
        }
        assert_eq!(own(&alice).await.len(), 4);
    }

    async fn a_refused_post_can_be_sent_again_with_its_key(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let send = async |allowed: Value| {
            let post = json!({ "status": "@bob", "allowed_mentions": allowed });
            let request = alice.request(reqwest::Method::POST, STATUSES).json(&post);
            alice.send(request.header("Idempotency-Key", "one")).await
        };
        send(json!([])).await.expect(422);
        let status = send(json!([bob.id])).await.ok();
        assert_eq!(own(&alice).await, [id(&status)]);
    }

    async fn unexpected_mentions_of_scheduled_statuses_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let bob = app.user("bob").await;
        let later = |text: &str, allowed: Value| {
            let at = siskin_entities::Timestamp::from_unix_ms(
                app.app().now().unix_ms() + 10 * 60_000,
            );
            json!({ "status": text, "allowed_mentions": allowed, "scheduled_at": at.to_string() })
        };
        let refused = alice.json(STATUSES, later("@bob", json!([]))).await.expect(422);
        assert_eq!(unexpected(&refused), ["bob"]);
        let list = "/api/v1/scheduled_statuses";
        assert_eq!(alice.get(list).await.ok(), json!([]));
        let scheduled = alice.json(STATUSES, later("@bob and @carol", json!([bob.id]))).await.ok();
        // A new account takes the name before the time of publication.
        app.user("carol").await;
        let good = alice.json(STATUSES, later("@bob", json!([bob.id]))).await.ok();
        app.advance(std::time::Duration::from_secs(11 * 60));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(own(&alice).await.len(), 1);
        assert_eq!(alice.get(list).await.ids(), [id(&scheduled)], "the status must not be published");
        alice.get(&format!("{list}/{}", id(&good))).await.expect(404);
    }
}
