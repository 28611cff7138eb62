//! `/api/v1/suggestions` and `/api/v2/suggestions`.

use serde_json::{Value, json};
use siskin_entities::AccountState;

use crate::support::{GOOD, TestApp, User};

const LIST: &str = "/api/v2/suggestions";
const OLD_LIST: &str = "/api/v1/suggestions";
const UPDATE: &str = "/api/v1/accounts/update_credentials";

async fn discoverable(app: &TestApp, username: &str) -> User {
    let user = app.user(username).await;
    user.patch(UPDATE, &[("discoverable", "true")]).await.ok();
    user
}

async fn pick(app: &TestApp, handles: &str) {
    let setting = "suggestions.staff_picks".to_owned();
    app.app().change_setting(setting, handles.to_owned()).await.unwrap();
}

/// Returns the names of suggested accounts, each with its sources.
async fn suggested(viewer: &User) -> Vec<(String, Value, Value)> {
    let list = viewer.get(LIST).await.ok();
    let old = viewer.get(OLD_LIST).await.ok();
    let accounts: Vec<&Value> =
        list.as_array().unwrap().iter().map(|one| &one["account"]).collect();
    assert_eq!(json!(accounts), old);
    let one = |one: &Value| {
        let name = one["account"]["acct"].as_str().unwrap().to_owned();
        (name, one["source"].clone(), one["sources"].clone())
    };
    list.as_array().unwrap().iter().map(one).collect()
}

async fn names(viewer: &User) -> Vec<String> {
    suggested(viewer).await.into_iter().map(|(name, ..)| name).collect()
}

fn by_friends(name: &str) -> (String, Value, Value) {
    (name.to_owned(), json!("past_interactions"), json!(["friends_of_friends"]))
}

api_tests! {
    async fn accounts_followed_by_many_friends_come_first(app: &TestApp) {
        let (alice, ben, bob) =
            (app.user("alice").await, app.user("ben").await, discoverable(app, "bob").await);
        let (cat, dan) = (discoverable(app, "cat").await, discoverable(app, "dan").await);
        let shy = app.user("shy").await;
        for friend in [&ben, &bob] {
            app.follow(&alice, friend).await;
            app.follow(friend, &dan).await;
            app.follow(friend, &alice).await;
        }
        for other in [&cat, &shy, &bob] {
            app.follow(&ben, other).await;
        }
        discoverable(app, "eve").await;
        assert_eq!(suggested(&alice).await, [by_friends("dan"), by_friends("cat")]);
        let one = alice.get(&format!("{LIST}?limit=1")).await.ok();
        assert_eq!(one.as_array().unwrap().len(), 1);
        assert_eq!(one[0]["account"]["id"], dan.id);
        assert_eq!(alice.get(&format!("{LIST}?limit=0")).await.ok(), json!([]));
        ben.patch(UPDATE, &[("hide_collections", "true")]).await.ok();
        assert_eq!(names(&alice).await, ["dan"]);
        bob.patch(UPDATE, &[("hide_collections", "true")]).await.ok();
        assert_eq!(names(&alice).await, [""; 0]);
    }

    async fn accounts_picked_by_the_operator_come_first(app: &TestApp) {
        let (alice, ben) = (app.user("alice").await, app.user("ben").await);
        let cat = discoverable(app, "cat").await;
        app.user("dan").await;
        app.remote("zoe", "far.example").await;
        app.follow(&alice, &ben).await;
        app.follow(&ben, &cat).await;
        // An account can be deleted after it was picked.
        let picks = format!("@Dan, nobody, zoe@far.example, cat@{}, alice, ben", app.domain());
        app.store_setting("suggestions.staff_picks", &picks).await;
        let picked = |name: &str| (name.to_owned(), json!("staff"), json!(["featured"]));
        let both = ("cat".to_owned(), json!("staff"), json!(["featured", "friends_of_friends"]));
        assert_eq!(suggested(&alice).await, [picked("dan"), picked("zoe@far.example"), both]);
        pick(app, "").await;
        assert_eq!(suggested(&alice).await, [by_friends("cat")]);
    }

    async fn dismissed_accounts_stay_hidden(app: &TestApp) {
        let (alice, ben) = (app.user("alice").await, app.user("ben").await);
        let (cat, dan) = (discoverable(app, "cat").await, discoverable(app, "dan").await);
        app.follow(&alice, &ben).await;
        app.follow(&ben, &cat).await;
        app.follow(&ben, &dan).await;
        pick(app, "cat").await;
        assert_eq!(names(&alice).await, ["cat", "dan"]);
        for id in [&*cat.id, &cat.id, "1234567890", "abc", "-1"] {
            assert_eq!(alice.delete(&format!("{OLD_LIST}/{id}")).await.ok(), json!({}), "{id}");
        }
        assert_eq!(names(&alice).await, ["dan"]);
        // Another viewer gets other suggestions.
        let eve = app.user("eve").await;
        assert_eq!(names(&eve).await, ["cat"]);
    }

    async fn followed_blocked_and_hidden_accounts_are_not_suggested(app: &TestApp) {
        let (alice, ben) = (app.user("alice").await, app.user("ben").await);
        let cat = discoverable(app, "cat").await;
        app.follow(&alice, &ben).await;
        app.follow(&ben, &cat).await;
        for (picked, others) in [("", [""; 0].as_slice()), ("cat", &[])] {
            pick(app, picked).await;
            for state in [
                AccountState { suspended: true, ..GOOD },
                AccountState { silenced: true, ..GOOD },
                AccountState { reachable: false, ..GOOD },
            ] {
                app.set_state(&cat, state).await;
                assert_eq!(names(&alice).await, others, "{state:?}");
            }
            app.set_state(&cat, GOOD).await;
            assert_eq!(names(&alice).await, ["cat"]);
        }
        for viewer in ["blocker", "blocked", "muting", "asking", "following"] {
            let viewer = app.user(viewer).await;
            app.follow(&viewer, &ben).await;
            assert_eq!(names(&viewer).await, ["cat"]);
            let follow = format!("/api/v1/accounts/{}/follow", cat.id);
            match &*viewer.username {
                "blocker" => drop(viewer.act_on("block", &cat).await),
                "blocked" => drop(cat.act_on("block", &viewer).await),
                "muting" => drop(viewer.act_on("mute", &cat).await),
                "asking" => {
                    cat.patch(UPDATE, &[("locked", "true")]).await.ok();
                    assert_eq!(viewer.post(&follow).await.ok()["requested"], true);
                }
                _ => app.follow(&viewer, &cat).await,
            }
            assert_eq!(names(&viewer).await, [""; 0], "{}", viewer.username);
        }
    }

    async fn suggestions_need_the_read_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        let dismiss = format!("{OLD_LIST}/1");
        for (scopes, status) in [("read", 200), ("read:accounts", 403), ("write", 403)] {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.get(LIST).await.status, status, "{scopes}");
            assert_eq!(client.get(OLD_LIST).await.status, status, "{scopes}");
            assert_eq!(client.delete(&dismiss).await.status, status, "{scopes}");
        }
        app.anonymous().get(LIST).await.expect(401);
        app.anonymous().get(OLD_LIST).await.expect(401);
        app.anonymous().delete(&dismiss).await.expect(401);
    }
}
