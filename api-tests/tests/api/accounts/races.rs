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

fn flag(ties: &Value, name: &str) -> i64 {
    i64::from(ties[name].as_bool().unwrap())
}

/// Checks that the counters of both accounts match their relationships.
async fn assert_counted(alice: &User, bob: &User) {
    let ties = alice.ties(bob).await;
    let (to, from) = (flag(&ties, "following"), flag(&ties, "followed_by"));
    assert_eq!(alice.counts().await, (from, to), "{ties}");
    assert_eq!(bob.counts().await, (to, from), "{ties}");
}

api_tests! {
    async fn fifty_requests_at_once_are_one(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.lock().await;
        let asked = at_once(&alice, (0..MANY).map(|_| path(&bob, "follow"))).await;
        assert_eq!(asked, HashSet::from([200]));
        assert_eq!(bob.get("/api/v1/follow_requests").await.ids(), [alice.id.as_str()]);
        assert_eq!(bob.news().await, ["follow_request"]);
        let own = bob.credentials().await.ok();
        assert_eq!(own["source"]["follow_requests_count"], 1);
        assert_eq!((alice.counts().await, bob.counts().await), ((0, 0), (0, 0)));
    }

    async fn fifty_follows_by_handle_at_once_are_one(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let follow = async |_: usize| alice.form("/api/v1/follows", &[("uri", "bob")]).await.ok();
        for followed in join_all((0..MANY).map(follow)).await {
            assert_eq!(followed["id"], bob.id);
        }
        assert_counted(&alice, &bob).await;
        assert_eq!(bob.news().await, ["follow"]);
    }

    async fn two_who_follow_each_other_at_once_both_do(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let both = join(
            at_once(&alice, (0..MANY / 2).map(|_| path(&bob, "follow"))),
            at_once(&bob, (0..MANY / 2).map(|_| path(&alice, "follow"))),
        );
        assert_eq!(both.await, (HashSet::from([200]), HashSet::from([200])));
        assert_eq!((alice.counts().await, bob.counts().await), ((1, 1), (1, 1)));
    }

    async fn no_follow_stays_beside_a_block_of_the_same_moment(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (blocked, followed) = join(
            at_once(&alice, [path(&bob, "block")]),
            at_once(&bob, (0..MANY).map(|_| path(&alice, "follow"))),
        )
        .await;
        assert_eq!(blocked, HashSet::from([200]));
        assert!(followed.is_subset(&HashSet::from([200, 403])), "{followed:?}");
        let ties = alice.ties(&bob).await;
        assert_eq!((&ties["blocking"], &ties["followed_by"]), (&json!(true), &json!(false)));
        assert_counted(&alice, &bob).await;
        assert_eq!(alice.news().await, [""; 0]);
    }

    async fn two_who_block_each_other_at_once_both_do(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        bob.act_on("follow", &alice).await;
        let both = join(
            at_once(&alice, (0..MANY / 2).map(|_| path(&bob, "block"))),
            at_once(&bob, (0..MANY / 2).map(|_| path(&alice, "block"))),
        );
        assert_eq!(both.await, (HashSet::from([200]), HashSet::from([200])));
        let ties = alice.ties(&bob).await;
        assert_eq!((&ties["blocking"], &ties["blocked_by"]), (&json!(true), &json!(true)));
        assert_counted(&alice, &bob).await;
    }

    async fn whatever_is_done_at_once_the_counters_say_what_the_ties_say(app: &TestApp) {
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
        let ties = alice.ties(&bob).await;
        assert!(flag(&ties, "endorsed") <= flag(&ties, "following"), "{ties}");
    }

    async fn a_request_that_is_granted_and_refused_at_once_is_one_of_both(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        bob.lock().await;
        alice.act_on("follow", &bob).await;
        let answers = ["authorize", "reject"].iter().cycle().take(MANY);
        let answers =
            answers.map(|answer| format!("/api/v1/follow_requests/{}/{answer}", alice.id));
        let answered = at_once(&bob, answers).await;
        assert!(answered.is_subset(&HashSet::from([200, 404])), "{answered:?}");
        let ties = alice.ties(&bob).await;
        assert_eq!(ties["requested"], false);
        assert_counted(&alice, &bob).await;
        assert_eq!(bob.news().await.len(), usize::from(ties["following"] == true));
    }

    async fn fifty_endorsements_notes_and_blocked_servers_at_once_are_one_of_each(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.act_on("follow", &bob).await;
        let endorsed = at_once(&alice, (0..MANY).map(|_| path(&bob, "endorse"))).await;
        let noted = at_once(&alice, (0..MANY).map(|_| path(&bob, "note?comment=kind"))).await;
        let domain = "/api/v1/domain_blocks?domain=far.example";
        let blocked = at_once(&alice, (0..MANY).map(|_| domain.to_owned())).await;
        assert_eq!([endorsed, noted, blocked], [HashSet::from([200]), HashSet::from([200]), HashSet::from([200])]);
        assert_eq!(alice.get("/api/v1/endorsements").await.ids(), [bob.id.as_str()]);
        assert_eq!(alice.ties(&bob).await["note"], "kind");
        assert_eq!(alice.get("/api/v1/domain_blocks").await.ok(), json!(["far.example"]));
    }

    async fn of_all_who_sign_up_by_one_name_at_once_one_gets_it(app: &TestApp) {
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
