//! `/api/v2/notifications/policy` and `/api/v1/notifications/requests`.

use serde_json::{Value, json};
use siskin_entities::AccountState;

use super::{LIST, follow, list, post, types};
use crate::support::{Client, GOOD, TestApp, User};

const POLICY: &str = "/api/v2/notifications/policy";
const REQUESTS: &str = "/api/v1/notifications/requests";
const RULES: [&str; 5] = [
    "for_not_following",
    "for_not_followers",
    "for_new_accounts",
    "for_private_mentions",
    "for_limited_accounts",
];

async fn set(viewer: &Client, rule: &str, action: &str) -> Value {
    viewer.patch(POLICY, &[(rule, action)]).await.ok()
}

async fn pending(viewer: &Client) -> (i64, i64) {
    let summary = viewer.get(POLICY).await.ok()["summary"].clone();
    let count = |name: &str| summary[name].as_i64().unwrap();
    (count("pending_requests_count"), count("pending_notifications_count"))
}

/// Creates Alice and Bob. The policy of Alice filters accounts that she does not follow, so a
/// mention and a favourite by Bob are filtered.
async fn filtered_bob(app: &TestApp) -> (User, User, String) {
    let (alice, bob) = (app.user("alice").await, app.user("bob").await);
    set(&alice, "for_not_following", "filter").await;
    let mention = post(&bob, "Hello @alice", "public").await;
    let status = post(&alice, "Hello", "public").await;
    bob.post(&format!("/api/v1/statuses/{status}/favourite")).await.ok();
    (alice, bob, mention)
}

async fn request_of(viewer: &Client) -> Value {
    viewer.get(REQUESTS).await.ok()[0].clone()
}

api_tests! {
    async fn the_default_policy_filters_limited_accounts_only(app: &TestApp) {
        let alice = app.user("alice").await;
        let expected = json!({
            "for_not_following": "accept",
            "for_not_followers": "accept",
            "for_new_accounts": "accept",
            "for_private_mentions": "accept",
            "for_limited_accounts": "filter",
            "summary": { "pending_requests_count": 0, "pending_notifications_count": 0 },
        });
        assert_eq!(alice.get(POLICY).await.ok(), expected);
        assert_eq!(alice.patch(POLICY, &[("unknown", "x")]).await.ok(), expected);
    }

    async fn each_rule_keeps_its_own_action(app: &TestApp) {
        let alice = app.user("alice").await;
        for rule in RULES {
            let mut expected = alice.get(POLICY).await.ok();
            for action in ["drop", "filter", "accept", "drop"] {
                expected[rule] = json!(action);
                assert_eq!(set(&alice, rule, action).await, expected);
                assert_eq!(alice.get(POLICY).await.ok(), expected);
            }
            for wrong in ["nonsense", "Drop", "1"] {
                alice.patch(POLICY, &[(rule, wrong)]).await.expect(422);
            }
            assert_eq!(set(&alice, rule, "").await, expected, "an empty value changes nothing");
        }
        let both = [("for_not_following", "accept"), ("for_new_accounts", "x")];
        alice.put(POLICY, &both).await.expect(422);
        assert_eq!(alice.get(POLICY).await.ok()["for_not_following"], "drop", "all or nothing");
    }

    async fn filtered_notifications_wait_in_a_request(app: &TestApp) {
        let (alice, bob, mention) = filtered_bob(app).await;
        assert_eq!(types(&alice, "").await, [""; 0]);
        assert_eq!(types(&alice, "?include_filtered=true").await, ["favourite", "mention"]);
        let of_bob = format!("?include_filtered=true&account_id={}&limit=1", bob.id);
        assert_eq!(types(&alice, &of_bob).await, ["favourite"]);
        assert_eq!(alice.get("/api/v2/notifications").await.ok()["notification_groups"], json!([]));
        assert_eq!(alice.get("/api/v1/notifications/unread_count").await.ok(), json!({ "count": 0 }));
        let page = alice.get(REQUESTS).await;
        snapshot!("notification_requests", page);
        let request = page.ok()[0].clone();
        assert_eq!(request["account"]["id"], bob.id.as_str());
        assert_eq!(request["notifications_count"], "2");
        assert_ne!(request["last_status"]["id"], mention.as_str());
        assert_eq!(request["last_status"]["account"]["id"], alice.id.as_str());
        let path = format!("{REQUESTS}/{}", request["id"].as_str().unwrap());
        assert_eq!(alice.get(&path).await.ok(), request);
        bob.get(&path).await.expect(404);
        assert_eq!(bob.get(REQUESTS).await.ok(), json!([]));
        assert_eq!(pending(&alice).await, (1, 2));
    }

    async fn dropped_notifications_are_never_stored(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        set(&alice, "for_not_following", "drop").await;
        post(&bob, "Hello @alice", "public").await;
        set(&alice, "for_not_following", "accept").await;
        assert_eq!(types(&alice, "?include_filtered=true").await, [""; 0]);
        assert_eq!(pending(&alice).await, (0, 0));
        post(&bob, "Again @alice", "public").await;
        assert_eq!(types(&alice, "").await, ["mention"]);
    }

    async fn accepting_moves_the_notifications_and_permits_the_sender(app: &TestApp) {
        let (alice, bob, _) = filtered_bob(app).await;
        let path = format!("{REQUESTS}/{}/accept", request_of(&alice).await["id"].as_str().unwrap());
        bob.post(&path).await.expect(404);
        assert_eq!(alice.post(&path).await.ok(), json!({}));
        assert_eq!(alice.get(&format!("{REQUESTS}/merged")).await.ok(), json!({ "merged": true }));
        assert_eq!(types(&alice, "").await, ["favourite", "mention"]);
        assert_eq!(alice.get(REQUESTS).await.ok(), json!([]));
        assert_eq!(pending(&alice).await, (0, 0));
        post(&bob, "Permitted, @alice", "public").await;
        assert_eq!(types(&alice, "").await, ["mention", "favourite", "mention"]);
        alice.post(&path).await.expect(404);
    }

    async fn dismissing_deletes_the_notifications_and_permits_nothing(app: &TestApp) {
        let (alice, bob, _) = filtered_bob(app).await;
        let first = request_of(&alice).await["id"].as_str().unwrap().to_owned();
        let path = format!("{REQUESTS}/{first}/dismiss");
        assert_eq!(alice.post(&path).await.ok(), json!({}));
        assert_eq!(types(&alice, "?include_filtered=true").await, [""; 0]);
        assert_eq!(alice.get(REQUESTS).await.ok(), json!([]));
        post(&bob, "Once more @alice", "public").await;
        assert_eq!(types(&alice, "").await, [""; 0]);
        let again = request_of(&alice).await;
        assert_eq!(again["notifications_count"], "1");
        assert_ne!(again["id"], first.as_str());
    }

    async fn many_requests_are_decided_at_once(app: &TestApp) {
        let alice = app.user("alice").await;
        set(&alice, "for_not_following", "filter").await;
        for number in 0..23 {
            let bob = app.user(&format!("bob{number}")).await;
            post(&bob, "@alice", "public").await;
        }
        let ids = alice.walk(&format!("{REQUESTS}?limit=7")).await;
        assert_eq!(ids.len(), 23);
        let mut form: Vec<(&str, &str)> = ids[..22].iter().map(|id| ("id[]", id.as_str())).collect();
        form.extend([("id[]", "7"), ("id[]", "abc")]);
        assert_eq!(alice.form(&format!("{REQUESTS}/accept"), &form).await.ok(), json!({}));
        assert_eq!(list(&alice, "").await.len(), 22);
        assert_eq!(alice.get(REQUESTS).await.ids(), [ids[22].clone()]);
        let last = json!({ "id": [ids[22]] });
        assert_eq!(alice.json(&format!("{REQUESTS}/dismiss"), last).await.ok(), json!({}));
        assert_eq!(alice.get(REQUESTS).await.ids(), [""; 0]);
        assert_eq!(list(&alice, "?include_filtered=true").await.len(), 22);
        assert_eq!(alice.post(&format!("{REQUESTS}/accept")).await.ok(), json!({}));
    }

    async fn a_request_without_notifications_disappears(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        set(&alice, "for_not_following", "filter").await;
        let mention = post(&bob, "Hello @alice", "public").await;
        let request = request_of(&alice).await["id"].as_str().unwrap().to_owned();
        bob.delete(&format!("/api/v1/statuses/{mention}")).await.ok();
        assert_eq!(alice.get(REQUESTS).await.ok(), json!([]));
        alice.get(&format!("{REQUESTS}/{request}")).await.expect(404);
        assert_eq!(pending(&alice).await, (0, 0));
    }

    async fn a_blocked_sender_has_no_request(app: &TestApp) {
        let (alice, bob, _) = filtered_bob(app).await;
        let request = request_of(&alice).await["id"].as_str().unwrap().to_owned();
        alice.post(&format!("/api/v1/accounts/{}/block", bob.id)).await.ok();
        assert_eq!(alice.get(REQUESTS).await.ok(), json!([]));
        alice.get(&format!("{REQUESTS}/{request}")).await.expect(404);
        assert_eq!(pending(&alice).await, (0, 0));
    }

    async fn a_limited_account_is_filtered_unless_followed(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        follow(app, &carol, &bob).await;
        app.set_state(&bob, AccountState { silenced: true, ..GOOD }).await;
        post(&bob, "@alice @carol", "public").await;
        assert_eq!(types(&alice, "").await, [""; 0]);
        assert_eq!(types(&carol, "").await, ["mention"]);
        assert_eq!(request_of(&alice).await["account"]["id"], bob.id.as_str());
    }

    async fn an_answer_to_a_private_mention_is_accepted(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        set(&alice, "for_private_mentions", "drop").await;
        post(&bob, "@alice unasked", "direct").await;
        assert_eq!(types(&alice, "").await, [""; 0]);
        let asked = post(&alice, "@bob what?", "direct").await;
        let form = [("status", "@alice this"), ("visibility", "direct"), ("in_reply_to_id", &asked)];
        bob.form("/api/v1/statuses", &form).await.ok();
        assert_eq!(types(&alice, "").await, ["mention"]);
        let open = post(&alice, "Hello all", "public").await;
        let form = [("status", "@alice psst"), ("visibility", "direct"), ("in_reply_to_id", &open)];
        bob.form("/api/v1/statuses", &form).await.ok();
        post(&bob, "@alice in public", "public").await;
        assert_eq!(types(&alice, "").await, ["mention", "mention"]);
    }

    async fn policies_and_requests_need_their_scopes(app: &TestApp) {
        let (alice, ..) = filtered_bob(app).await;
        let id = request_of(&alice).await["id"].as_str().unwrap().to_owned();
        let reader = app.user_with_scopes(&alice, "read:notifications").await;
        let writer = app.user_with_scopes(&alice, "write:notifications").await;
        let one = format!("{REQUESTS}/{id}");
        for path in [POLICY, REQUESTS, &one, &format!("{REQUESTS}/merged")] {
            reader.get(path).await.ok();
            writer.get(path).await.expect(403);
            app.anonymous().get(path).await.expect(401);
        }
        reader.patch(POLICY, &[("for_new_accounts", "drop")]).await.expect(403);
        for action in ["accept", "dismiss"] {
            reader.post(&format!("{one}/{action}")).await.expect(403);
            reader.post(&format!("{REQUESTS}/{action}")).await.expect(403);
            writer.post(&format!("{REQUESTS}/7/{action}")).await.expect(404);
            writer.post(&format!("{REQUESTS}/abc/{action}")).await.expect(404);
        }
        writer.patch(POLICY, &[("for_new_accounts", "drop")]).await.ok();
        alice.get(&format!("{LIST}?include_filtered=nonsense")).await.ok();
    }
}
