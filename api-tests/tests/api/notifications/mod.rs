//! `/api/v1/notifications`, and in modules: groups, policies, requests and counts.

mod deletions;
mod dismissed;
mod foreign_ids;
mod groups;
mod policy;
mod repeats;
mod requests;
mod table;
mod unread_count;

use serde_json::{Value, json};
use siskin_entities::{AccountState, relationship::FollowOptions};
use siskin_services::relationships;

use crate::support::{Client, GOOD, TestApp, User};

const LIST: &str = "/api/v1/notifications";

async fn post(author: &Client, text: &str, visibility: &str) -> String {
    let form = [("status", text), ("visibility", visibility)];
    let status = author.form("/api/v1/statuses", &form).await.ok();
    status["id"].as_str().unwrap().to_owned()
}

async fn follow(app: &TestApp, follower: &User, target: &User) {
    let (follower, target) = (follower.id.parse().unwrap(), target.id.clone());
    app.app()
        .write(move |tx| {
            relationships::follow(tx, 7500, follower, &target, &FollowOptions::default())
        })
        .await
        .unwrap();
}

async fn list(viewer: &Client, query: &str) -> Vec<Value> {
    let list = viewer.get(&format!("{LIST}{query}")).await.ok();
    list.as_array().unwrap().clone()
}

async fn types(viewer: &Client, query: &str) -> Vec<String> {
    let listed = list(viewer, query).await;
    listed.iter().map(|item| item["type"].as_str().unwrap().to_owned()).collect()
}

/// Creates Alice with a follow, a mention, a favourite and a reblog by Bob, in this order.
async fn four_by_bob(app: &TestApp) -> [User; 2] {
    let (alice, bob) = (app.user("alice").await, app.user("bob").await);
    follow(app, &bob, &alice).await;
    post(&bob, "Hello @alice", "direct").await;
    let status = post(&alice, "Hello all", "public").await;
    bob.post(&format!("/api/v1/statuses/{status}/favourite")).await.ok();
    bob.post(&format!("/api/v1/statuses/{status}/reblog")).await.ok();
    [alice, bob]
}

api_tests! {
    async fn notifications_are_listed_newest_first(app: &TestApp) {
        let [alice, bob] = four_by_bob(app).await;
        assert_eq!(types(&alice, "").await, ["reblog", "favourite", "mention", "follow"]);
        assert!(list(&bob, "").await.is_empty());
        let listed = list(&alice, "").await;
        for item in &listed {
            assert_eq!(item["account"]["username"], "bob");
            let id = item["id"].as_str().unwrap();
            assert_eq!(&alice.get(&format!("{LIST}/{id}")).await.ok(), item);
            bob.get(&format!("{LIST}/{id}")).await.expect(404);
        }
        let own = "<p>Hello all</p>";
        assert_eq!(listed[0]["status"]["content"], own);
        assert_eq!(listed[0]["status"]["reblog"], Value::Null);
        assert_eq!(listed[1]["status"]["favourites_count"], 1);
        assert_eq!(listed[3].get("status"), None);
        snapshot!("notification", alice.get(&format!("{LIST}?types[]=mention")).await);
    }

    // An unknown type in `types` matches nothing, and in `exclude_types` excludes nothing.
    async fn an_unknown_type_matches_nothing_and_excludes_nothing(app: &TestApp) {
        let [alice, _] = four_by_bob(app).await;
        assert_eq!(types(&alice, "?types[]=reaction").await, [""; 0]);
        assert_eq!(types(&alice, "?types[]=mention&types[]=reaction").await, ["mention"]);
        assert_eq!(types(&alice, "?exclude_types[]=xyz").await.len(), 4);
        assert_eq!(types(&alice, "?exclude_types[]=reblog&exclude_types[]=follow").await, ["favourite", "mention"]);
        assert_eq!(types(&alice, "?types[]=").await.len(), 4);
    }

    // The links preserve `types` and `limit`.
    async fn walking_the_links_keeps_types_and_limit(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for number in 0..30 {
            let fan = app.user(&format!("fan{number}")).await;
            follow(app, &fan, &alice).await;
            post(&bob, &format!("@alice {number}"), "direct").await;
        }
        let mut next = Some(format!("{LIST}?types[]=mention&limit=10"));
        let mut seen = Vec::new();
        while let Some(url) = next {
            let page = alice.get(&url).await;
            for link in [page.link("next"), page.link("prev")].into_iter().flatten() {
                assert!(link.contains("types%5B%5D=mention&limit=10&"), "{link}");
            }
            for item in page.ok().as_array().unwrap() {
                assert_eq!(item["type"], "mention");
                seen.push(item["id"].as_str().unwrap().to_owned());
            }
            next = page.link("next");
        }
        assert_eq!(seen.len(), 30);
        let mut sorted = seen.clone();
        sorted.sort_by_key(|id| std::cmp::Reverse(id.parse::<i64>().unwrap()));
        sorted.dedup();
        assert_eq!(seen, sorted);
        assert_eq!(list(&alice, "").await.len(), 40);
        assert_eq!(list(&alice, "?limit=1000").await.len(), 60);
    }

    async fn a_page_is_never_longer_than_the_maximum(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for number in 0..101 {
            post(&bob, &format!("@alice {number}"), "direct").await;
        }
        for (limit, length) in [("", 40), ("?limit=79", 79), ("?limit=81", 80), ("?limit=1000", 80)]
        {
            assert_eq!(list(&alice, limit).await.len(), length, "{limit}");
            // Mentions are not grouped.
            let page = alice.get(&format!("/api/v2/notifications{limit}")).await.ok();
            assert_eq!(page["notification_groups"].as_array().unwrap().len(), length, "{limit}");
        }
        let next = alice.get(&format!("{LIST}?limit=1000")).await.link("next").unwrap();
        let rest = alice.get(&next).await;
        assert_eq!((rest.ids().len(), rest.link("next")), (21, None));
        for version in ["v1", "v2"] {
            for (limit, count) in [("", 100), ("?limit=101", 101), ("?limit=99999", 101)] {
                let path = format!("/api/{version}/notifications/unread_count{limit}");
                assert_eq!(alice.get(&path).await.ok(), json!({ "count": count }), "{path}");
            }
        }
    }

    // `min_id` returns the entries just above it, and `since_id` the newest ones.
    async fn min_id_returns_the_next_newer_page_and_since_id_the_newest(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for number in 0..12 {
            post(&bob, &format!("@alice {number}"), "direct").await;
        }
        let mut all = alice.get(LIST).await.ids();
        all.reverse();
        let page = async |query: String| {
            let mut page = alice.get(&format!("{LIST}?limit=3&{query}")).await.ids();
            page.reverse();
            page
        };
        assert_eq!(page(format!("min_id={}", all[2])).await, all[3..6]);
        assert_eq!(page(format!("since_id={}", all[2])).await, all[9..]);
        assert_eq!(page(format!("min_id={0}&since_id={0}", all[2])).await, all[3..6]);
        assert_eq!(page(format!("max_id={}", all[4])).await, all[1..4]);
        assert_eq!(page(format!("max_id={}&min_id={}", all[5], all[3])).await, all[4..5]);
    }

    // The `prev` link of an empty page returns entries that arrive later.
    async fn an_empty_newer_page_links_to_itself(app: &TestApp) {
        let [alice, bob] = four_by_bob(app).await;
        let newer = alice.get(LIST).await.link("prev").unwrap();
        let empty = alice.get(&newer).await;
        assert_eq!(empty.ok(), json!([]));
        let again = empty.link("prev").unwrap();
        post(&bob, "@alice again", "direct").await;
        assert_eq!(alice.get(&again).await.ok().as_array().unwrap().len(), 1);
    }

    // Concurrent favourites create one notification.
    async fn parallel_favourites_create_one_notification(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = post(&alice, "Hello", "public").await;
        let path = format!("/api/v1/statuses/{status}/favourite");
        let all = futures_util::future::join_all((0..10).map(|_| bob.post(&path))).await;
        assert!(all.iter().all(|response| response.status == 200), "{all:?}");
        assert_eq!(types(&alice, "").await, ["favourite"]);
        bob.post(&format!("/api/v1/statuses/{status}/unfavourite")).await.ok();
        assert_eq!(types(&alice, "").await, [""; 0]);
        bob.post(&path).await.ok();
        assert_eq!(types(&alice, "").await, ["favourite"]);
    }

    // `account_id` restricts the list to notifications from one account.
    async fn account_id_restricts_the_list(app: &TestApp) {
        let [alice, bob] = four_by_bob(app).await;
        let carol = app.user("carol").await;
        post(&carol, "@alice too", "public").await;
        assert_eq!(types(&alice, &format!("?account_id={}", carol.id)).await, ["mention"]);
        assert_eq!(list(&alice, &format!("?account_id={}", bob.id)).await.len(), 4);
        for unknown in ["999999", "abc", "-1", "99999999999999999999"] {
            assert_eq!(list(&alice, &format!("?account_id={unknown}")).await.len(), 0, "{unknown}");
        }
        assert_eq!(list(&alice, "?account_id=").await.len(), 5);
        let query = format!("{LIST}?account_id={}&types[]=mention&limit=1", bob.id);
        let page = alice.get(&query).await;
        assert_eq!(page.ids().len(), 1);
        for link in [page.link("next").unwrap(), page.link("prev").unwrap()] {
            assert!(link.contains(&format!("account_id={}&types%5B%5D=mention&limit=1&", bob.id)), "{link}");
        }
        let both = list(&alice, &format!("?account_id={}&types[]=mention", bob.id)).await;
        assert_eq!(both.len(), 1);
        assert_eq!((&both[0]["type"], &both[0]["account"]["id"]), (&json!("mention"), &json!(bob.id)));
        assert_eq!(alice.get(&page.link("next").unwrap()).await.ok(), json!([]));
    }

    async fn undoing_the_cause_removes_the_notification(app: &TestApp) {
        let [alice, bob] = four_by_bob(app).await;
        let mention = list(&alice, "?types[]=mention").await.remove(0);
        let status = mention["status"]["id"].as_str().unwrap();
        bob.delete(&format!("/api/v1/statuses/{status}")).await.ok();
        assert_eq!(types(&alice, "").await, ["reblog", "favourite", "follow"]);
        let own = list(&alice, "?types[]=reblog").await.remove(0);
        let own = own["status"]["id"].as_str().unwrap();
        bob.post(&format!("/api/v1/statuses/{own}/unreblog")).await.ok();
        assert_eq!(types(&alice, "").await, ["favourite", "follow"]);
        alice.delete(&format!("/api/v1/statuses/{own}")).await.ok();
        assert_eq!(types(&alice, "").await, ["follow"]);
    }

    async fn notifications_are_dismissed_one_by_one_or_cleared(app: &TestApp) {
        let [alice, bob] = four_by_bob(app).await;
        let ids = alice.get(LIST).await.ids();
        let dismiss = format!("{LIST}/{}/dismiss", ids[1]);
        bob.post(&dismiss).await.expect(404);
        assert_eq!(alice.post(&dismiss).await.ok(), json!({}));
        alice.post(&dismiss).await.expect(404);
        assert_eq!(alice.get(LIST).await.ids(), [ids[0].clone(), ids[2].clone(), ids[3].clone()]);
        assert_eq!(alice.post(&format!("{LIST}/clear")).await.ok(), json!({}));
        assert_eq!(alice.get(LIST).await.ids(), [""; 0]);
        assert_eq!(alice.post(&format!("{LIST}/clear")).await.ok(), json!({}));
    }

    async fn reading_and_writing_need_their_scopes(app: &TestApp) {
        let alice = app.user("alice").await;
        let viewer = app.user_with_scopes(&alice, "read:notifications").await;
        viewer.get(LIST).await.ok();
        viewer.post(&format!("{LIST}/clear")).await.expect(403);
        let writer = app.user_with_scopes(&alice, "write:notifications read:statuses").await;
        writer.post(&format!("{LIST}/clear")).await.ok();
        writer.get(LIST).await.expect(403);
        app.anonymous().get(LIST).await.expect(401);
    }

    async fn mentions_beside_blocked_or_muted_accounts_do_not_notify(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let hers = post(&carol, "Hello", "public").await;
        let take_types = async || {
            let take_types = types(&alice, "").await;
            alice.post(&format!("{LIST}/clear")).await.ok();
            take_types
        };
        for (avoid, end, is_notified) in [
            ("mute?notifications=false", "unmute", true),
            ("mute", "unmute", false),
            ("block", "unblock", false),
        ] {
            let of_carol = |action: &str| format!("/api/v1/accounts/{}/{action}", carol.id);
            alice.post(&of_carol(avoid)).await.ok();
            post(&bob, "@alice and @carol", "public").await;
            assert_eq!(take_types().await.len(), usize::from(is_notified), "a mention, {avoid}");
            let form = [("status", "@alice"), ("in_reply_to_id", hers.as_str())];
            bob.form("/api/v1/statuses", &form).await.ok();
            assert_eq!(take_types().await.len(), usize::from(is_notified), "an answer, {avoid}");
            let before = post(&bob, "nobody yet", "public").await;
            let path = format!("/api/v1/statuses/{before}");
            bob.put(&path, &[("status", "@carol, @alice")]).await.ok();
            assert_eq!(take_types().await.len(), usize::from(is_notified), "an edit, {avoid}");
            // A mention creates a notification if the blocked or muted account is not mentioned.
            post(&bob, "@alice alone", "public").await;
            assert_eq!(take_types().await, ["mention"], "{avoid}");
            alice.post(&of_carol(end)).await.ok();
        }
        app.set_domain(&carol, "far.example").await;
        alice.post("/api/v1/domain_blocks?domain=far.example").await.ok();
        post(&bob, "@alice and @carol@far.example", "public").await;
        assert_eq!(take_types().await, [""; 0]);
        assert!(types(&carol, "").await.contains(&"mention".to_owned()));
    }

    async fn a_silenced_account_notifies_followers_only(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        follow(app, &carol, &bob).await;
        let statuses = [post(&alice, "Hello", "public").await, post(&carol, "Hello", "public").await];
        app.set_state(&bob, AccountState { silenced: true, ..GOOD }).await;
        post(&bob, "@alice @carol", "public").await;
        for status in &statuses {
            bob.post(&format!("/api/v1/statuses/{status}/favourite")).await.ok();
            bob.post(&format!("/api/v1/statuses/{status}/reblog")).await.ok();
        }
        follow(app, &bob, &alice).await;
        follow(app, &bob, &carol).await;
        assert_eq!(types(&alice, "").await, [""; 0]);
        // A follow by a silenced account is a request, which the followed account must accept.
        assert_eq!(types(&carol, "").await, ["follow_request", "reblog", "favourite", "mention"]);
        app.set_state(&bob, GOOD).await;
        post(&bob, "@alice again", "public").await;
        assert_eq!(types(&alice, "").await, ["mention"]);
    }

    async fn an_invalid_id_is_not_found(app: &TestApp) {
        let alice = app.user("alice").await;
        for id in ["0", "-1", "abc", "9223372036854775808", "1e3", "%00", "01", "%201", "7"] {
            let response = alice.get(&format!("{LIST}/{id}")).await;
            assert_eq!(response.expect(404), json!({ "error": "Record not found" }), "{id}");
            alice.post(&format!("{LIST}/{id}/dismiss")).await.expect(404);
        }
    }
}
