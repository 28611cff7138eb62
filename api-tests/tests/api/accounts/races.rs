//! Concurrent actions on relationships, by several people or by several clients of one person: in
//! any order, relationships and counters agree afterwards.

use std::collections::HashSet;

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::support::User;

const MANY: usize = 50;

fn path(other: &User, action: &str) -> String {
    format!("/api/v1/accounts/{}/{action}", other.id)
}

/// Sends all requests concurrently and returns the set of response statuses.
async fn at_once(actor: &User, paths: impl IntoIterator<Item = String>) -> HashSet<u16> {
    let ask = async |path: String| actor.post(&path).await.status;
    join_all(paths.into_iter().map(ask)).await.into_iter().collect()
}

fn flag(relationship: &Value, name: &str) -> i64 {
    i64::from(relationship[name].as_bool().unwrap())
}

/// Checks that the counters of both accounts match their relationships.
async fn assert_counted(alice: &User, bob: &User) {
    let relationship = alice.relationship(bob).await;
    let (to, from) = (flag(&relationship, "following"), flag(&relationship, "followed_by"));
    assert_eq!(alice.counts().await, (from, to), "{relationship}");
    assert_eq!(bob.counts().await, (to, from), "{relationship}");
}

api_tests! {
    async fn concurrent_follow_requests_create_one_request(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.lock().await;
        let statuses = at_once(&alice, (0..MANY).map(|_| path(&bob, "follow"))).await;
        assert_eq!(statuses, HashSet::from([200]));
        assert_eq!(bob.get("/api/v1/follow_requests").await.ids(), [alice.id.as_str()]);
        assert_eq!(bob.notification_types().await, ["follow_request"]);
        let own = bob.credentials().await.ok();
        assert_eq!(own["source"]["follow_requests_count"], 1);
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 0), (0, 0)));
    }

    async fn concurrent_follows_by_handle_create_one_follow(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let follow = async |_: usize| alice.form("/api/v1/follows", &[("uri", "bob")]).await.ok();
        for followed in join_all((0..MANY).map(follow)).await {
            assert_eq!(followed["id"], bob.id);
        }
        assert_counted(&alice, &bob).await;
        assert_eq!(bob.notification_types().await, ["follow"]);
    }

    async fn concurrent_mutual_follows_both_succeed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let both = join(
            at_once(&alice, (0..MANY / 2).map(|_| path(&bob, "follow"))),
            at_once(&bob, (0..MANY / 2).map(|_| path(&alice, "follow"))),
        );
        assert_eq!(both.await, (HashSet::from([200]), HashSet::from([200])));
        assert_eq!((alice.counts().await, bob.counts().await), ((1, 1), (1, 1)));
    }

    async fn a_concurrent_block_and_follow_leave_no_follow(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (blocked, followed) = join(
            at_once(&alice, [path(&bob, "block")]),
            at_once(&bob, (0..MANY).map(|_| path(&alice, "follow"))),
        )
        .await;
        assert_eq!(blocked, HashSet::from([200]));
        assert!(followed.is_subset(&HashSet::from([200, 403])), "{followed:?}");
        let relationship = alice.relationship(&bob).await;
        assert_eq!((&relationship["blocking"], &relationship["followed_by"]), (&json!(true), &json!(false)));
        assert_counted(&alice, &bob).await;
        assert_eq!(alice.notification_types().await, [""; 0]);
    }

    async fn concurrent_mutual_blocks_both_succeed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        bob.act_on("follow", &alice).await;
        let both = join(
            at_once(&alice, (0..MANY / 2).map(|_| path(&bob, "block"))),
            at_once(&bob, (0..MANY / 2).map(|_| path(&alice, "block"))),
        );
        assert_eq!(both.await, (HashSet::from([200]), HashSet::from([200])));
        let relationship = alice.relationship(&bob).await;
        assert_eq!((&relationship["blocking"], &relationship["blocked_by"]), (&json!(true), &json!(true)));
        assert_counted(&alice, &bob).await;
    }

    async fn counters_match_relationships_after_concurrent_changes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mixed = ["follow", "unfollow", "endorse", "mute", "remove_from_followers"];
        let all = |other: &User| {
            mixed.iter().cycle().take(MANY).map(|action| path(other, action)).collect::<Vec<_>>()
        };
        let (one, two) = join(at_once(&alice, all(&bob)), at_once(&bob, all(&alice))).await;
        for answered in [one, two] {
            // An account that is not followed at that moment cannot be endorsed.
            assert!(answered.is_subset(&HashSet::from([200, 422])), "{answered:?}");
        }
        assert_counted(&alice, &bob).await;
        let relationship = alice.relationship(&bob).await;
        assert!(flag(&relationship, "endorsed") <= flag(&relationship, "following"), "{relationship}");
    }

    async fn a_request_is_either_granted_or_rejected_when_both_happen_at_once(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.lock().await;
        alice.act_on("follow", &bob).await;
        let answers = ["authorize", "reject"].iter().cycle().take(MANY);
        let answers =
            answers.map(|response| format!("/api/v1/follow_requests/{}/{response}", alice.id));
        let answered = at_once(&bob, answers).await;
        assert!(answered.is_subset(&HashSet::from([200, 404])), "{answered:?}");
        let relationship = alice.relationship(&bob).await;
        assert_eq!(relationship["requested"], false);
        assert_counted(&alice, &bob).await;
        assert_eq!(bob.notification_types().await.len(), usize::from(relationship["following"] == true));
    }

    async fn concurrent_endorsements_notes_and_domain_blocks_create_one_each(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        let endorsed = at_once(&alice, (0..MANY).map(|_| path(&bob, "endorse"))).await;
        let noted = at_once(&alice, (0..MANY).map(|_| path(&bob, "note?comment=kind"))).await;
        let domain = "/api/v1/domain_blocks?domain=far.example";
        let blocked = at_once(&alice, (0..MANY).map(|_| domain.to_owned())).await;
        assert_eq!([endorsed, noted, blocked], [HashSet::from([200]), HashSet::from([200]), HashSet::from([200])]);
        assert_eq!(alice.get("/api/v1/endorsements").await.ids(), [bob.id.as_str()]);
        assert_eq!(alice.relationship(&bob).await["note"], "kind");
        assert_eq!(alice.get("/api/v1/domain_blocks").await.ok(), json!(["far.example"]));
    }

    async fn one_of_several_concurrent_sign_ups_gets_the_name(app: &TestApp) {
        app.app().change_setting("registrations".into(), "open".into()).await.unwrap();
        let client = app.application("read write").await;
        let sign_up = async |number: usize| {
            let name = if number.is_multiple_of(2) { "ann" } else { "ANN" };
            let form = json!({ "username": name, "email": format!("ann{number}@mail.example"),
                "password": "correct horse", "agreement": true, "locale": "en" });
            client.json("/api/v1/accounts", form).await.status
        };
        let mut answered = join_all((0..8).map(sign_up)).await;
        answered.sort_unstable();
        assert_eq!(answered[0], 200);
        assert!(answered[1..].iter().all(|status| *status == 422), "{answered:?}");
    }
}
