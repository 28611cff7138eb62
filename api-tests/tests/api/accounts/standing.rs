//! Suspended, silenced and disabled accounts, on every path that shows them.

use serde_json::{Value, json};
use siskin_ids::AccountId;
use siskin_services::accounts::{self, Decision, NewPassword};

use crate::support::{TestApp, User};

const ACCOUNTS: &str = "/api/v1/accounts";
const VERIFY: &str = "/api/v1/accounts/verify_credentials";

fn id(user: &User) -> AccountId {
    user.id.parse().unwrap()
}

async fn decide(app: &TestApp, user: &User, decision: Decision) {
    let account = id(user);
    app.app().write(move |tx| accounts::decide(tx, account, decision)).await.unwrap();
}

async fn follow(follower: &User, target: &User) {
    follower.post(&format!("{ACCOUNTS}/{}/follow", target.id)).await.ok();
}

api_tests! {
    async fn a_suspended_account_is_shown_without_content(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let profile = json!({ "display_name": "Alice", "note": "Hi", "locked": false });
        let path = format!("{ACCOUNTS}/update_credentials");
        alice.send(alice.request(reqwest::Method::PATCH, &path).json(&profile)).await.ok();
        follow(&bob, &alice).await;
        follow(&alice, &bob).await;
        decide(app, &alice, Decision::Suspended(true)).await;
        let path = format!("{ACCOUNTS}/{}", alice.id);
        let shell = bob.get(&path).await;
        snapshot!("suspended_account", shell);
        assert_eq!(app.anonymous().get(&path).await.ok(), shell.ok());
        let looked_up = app.anonymous().get(&format!("{ACCOUNTS}/lookup?acct=alice")).await.ok();
        assert_eq!(looked_up["suspended"], true);
        for which in ["followers", "following", "statuses"] {
            assert_eq!(bob.get(&format!("{path}/{which}")).await.ok(), json!([]), "{which}");
        }
        for which in ["followers", "following"] {
            let list = bob.get(&format!("{ACCOUNTS}/{}/{which}", bob.id)).await;
            assert_eq!(list.ok(), json!([]), "{which}");
        }
        let found = bob.get("/api/v2/search?q=alice").await.ok();
        assert_eq!(found["accounts"], json!([]));
        let ids = format!("id[]={}", alice.id);
        assert_eq!(bob.get(&format!("/api/v1/relationships?{ids}")).await.ok(), json!([]));
        let with = bob.get(&format!("/api/v1/relationships?{ids}&with_suspended=true")).await.ok();
        assert_eq!(with[0]["following"], true);
        let cat = app.user("cat").await;
        cat.post(&format!("{path}/follow")).await.expect(404);
        assert_eq!(bob.post(&format!("{path}/unfollow")).await.ok()["following"], false);
        decide(app, &alice, Decision::Suspended(false)).await;
        assert_eq!(bob.get(&path).await.ok()["display_name"], "Alice");
        alice.get(VERIFY).await.ok();
    }

    async fn suspended_and_disabled_accounts_cannot_act(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for (off, on) in [
            (Decision::Suspended(true), Decision::Suspended(false)),
            (Decision::Disabled(true), Decision::Disabled(false)),
        ] {
            decide(app, &alice, off).await;
            for path in [VERIFY.to_owned(), format!("{ACCOUNTS}/{}", bob.id)] {
                let refused = alice.get(&path).await.expect(403);
                assert_eq!(refused["error"], "Your login is currently disabled");
            }
            alice.post(&format!("{ACCOUNTS}/{}/follow", bob.id)).await.expect(403);
            decide(app, &alice, on).await;
            alice.get(VERIFY).await.ok();
        }
    }

    async fn disabling_a_login_leaves_the_profile_visible(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        decide(app, &alice, Decision::Disabled(true)).await;
        let shown = bob.get(&format!("{ACCOUNTS}/{}", alice.id)).await.ok();
        assert_eq!((&shown["acct"], shown.get("suspended")), (&json!("alice"), None));
        assert_eq!(bob.get("/api/v2/search?q=alice").await.ok()["accounts"][0]["id"], alice.id);
    }

    async fn a_silenced_account_is_marked_and_its_follows_need_approval(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        decide(app, &alice, Decision::Silenced(true)).await;
        let shown = bob.get(&format!("{ACCOUNTS}/{}", alice.id)).await.ok();
        assert_eq!(shown["limited"], true);
        assert_eq!(bob.get("/api/v2/search?q=alice").await.ok()["accounts"][0]["id"], alice.id);
        let relationship = alice.post(&format!("{ACCOUNTS}/{}/follow", bob.id)).await.ok();
        assert_eq!((&relationship["requested"], &relationship["following"]), (&json!(true), &json!(false)));
    }

    async fn a_role_is_visible_to_its_owner_and_as_a_badge(app: &TestApp) {
        let alice = app.user("alice").await;
        let account = id(&alice);
        app.app().write(move |tx| accounts::set_role(tx, account, Some("Owner"))).await.unwrap();
        let own = alice.get(VERIFY).await.ok();
        // All flags, which the one of an administrator implies.
        let role = (&own["role"]["name"], &own["role"]["permissions"]);
        assert_eq!(role, (&json!("Owner"), &json!("2097151")));
        assert_eq!(own["roles"][0]["name"], "Owner");
    }

    async fn a_new_password_ends_every_token(app: &TestApp) {
        let alice = app.user("alice").await;
        let account = id(&alice);
        let password = NewPassword::new("battery staple").unwrap();
        app.app()
            .write(move |tx| accounts::set_password(tx, account, &password))
            .await
            .unwrap();
        alice.get(VERIFY).await.expect(401);
    }

    async fn a_deleted_account_is_gone_and_not_counted(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        follow(&bob, &alice).await;
        follow(&alice, &bob).await;
        let account = id(&alice);
        decide(app, &alice, Decision::Suspended(true)).await;
        while !app.app().write(move |tx| accounts::delete_some(tx, account)).await.unwrap() {}
        app.anonymous().get(&format!("{ACCOUNTS}/{}", alice.id)).await.expect(404);
        app.anonymous().get(&format!("{ACCOUNTS}/lookup?acct=alice")).await.expect(404);
        alice.get(VERIFY).await.expect(401);
        let own = bob.get(VERIFY).await.ok();
        assert_eq!(
            (&own["followers_count"], &own["following_count"]),
            (&Value::from(0), &Value::from(0))
        );
        assert_eq!(bob.get("/api/v1/notifications").await.ok(), json!([]));
        app.user("alice").await;
    }
}
