//! `familiar_followers`.

use serde_json::{Value, json};

use crate::support::{GOOD, User};

const PATH: &str = "/api/v1/accounts/familiar_followers";

async fn familiar(viewer: &User, of: &User) -> Vec<String> {
    let found = viewer.get(&format!("{PATH}?id[]={}", of.id)).await.ok();
    assert_eq!(found[0]["id"], of.id);
    let accounts = found[0]["accounts"].as_array().unwrap();
    accounts.iter().map(|account| account["id"].as_str().unwrap().to_owned()).collect()
}

async fn hide(user: &User, hidden: &str) {
    let form = [("hide_collections", hidden)];
    user.patch("/api/v1/accounts/update_credentials", &form).await.ok();
}

api_tests! {
    async fn familiar_followers_are_listed_newest_first(app: &TestApp) {
        let [alice, bob, cat, dan, eve] = [
            app.user("alice").await,
            app.user("bob").await,
            app.user("cat").await,
            app.user("dan").await,
            app.user("eve").await,
        ];
        for followed in [&bob, &cat] {
            alice.act_on("follow", followed).await;
        }
        for follower in [&bob, &cat, &dan] {
            follower.act_on("follow", &eve).await;
        }
        assert_eq!(familiar(&alice, &eve).await, [cat.id.as_str(), &bob.id]);
        let query = format!("id[]=abc&id[]={}&id[]=77&id[]={}&id[]={}", dan.id, eve.id, dan.id);
        let several = alice.get(&format!("{PATH}?{query}")).await;
        assert_eq!(several.ids(), [dan.id.as_str(), &eve.id]);
        assert_eq!(several.ok()[0]["accounts"], json!([]));
        assert_eq!(alice.get(PATH).await.ok(), json!([]));
        snapshot!("familiar_followers", alice.get(&format!("{PATH}?id={}", eve.id)).await);
    }

    async fn accounts_with_a_hidden_network_are_left_out(app: &TestApp) {
        let [alice, bob, eve] =
            [app.user("alice").await, app.user("bob").await, app.user("eve").await];
        alice.act_on("follow", &bob).await;
        bob.act_on("follow", &eve).await;
        assert_eq!(familiar(&alice, &eve).await, [bob.id.as_str()]);
        for hiding in [&eve, &bob] {
            hide(hiding, "true").await;
            assert_eq!(familiar(&alice, &eve).await, [""; 0], "{}", hiding.username);
            hide(hiding, "false").await;
        }
        eve.act_on("block", &alice).await;
        assert_eq!(familiar(&alice, &eve).await, [""; 0]);
        eve.act_on("unblock", &alice).await;
        alice.act_on("mute", &bob).await;
        assert_eq!(familiar(&alice, &eve).await, [""; 0]);
        alice.act_on("unmute", &bob).await;
        let mut state = GOOD;
        state.suspended = true;
        for suspended in [&bob, &eve] {
            app.set_state(suspended, state).await;
            assert_eq!(familiar(&alice, &eve).await, [""; 0], "{}", suspended.username);
            app.set_state(suspended, GOOD).await;
        }
        state = GOOD;
        state.reachable = false;
        app.set_state(&eve, state).await;
        let gone = alice.get(&format!("{PATH}?id[]={}", eve.id)).await.ok();
        assert_eq!(gone, Value::Array(vec![]));
    }

    async fn familiar_followers_need_the_scope_and_accept_a_page_of_accounts(app: &TestApp) {
        let alice = app.user("alice").await;
        let many = "id[]=1&".repeat(81);
        alice.get(&format!("{PATH}?{many}")).await.expect(422);
        app.anonymous().get(PATH).await.expect(401);
        app.user_with_scopes(&alice, "read:accounts").await.get(PATH).await.expect(403);
        app.user_with_scopes(&alice, "follow").await.get(PATH).await.ok();
    }
}
