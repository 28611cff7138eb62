//! `GET /api/v1/accounts/search`.

use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::AccountState;

use crate::support::{Client, GOOD, Response, TestApp};

const SEARCH: &str = "/api/v1/accounts/search";

async fn search(client: &Client, query: &[(&str, &str)]) -> Response {
    client.send(client.request(Method::GET, SEARCH).query(query)).await
}

async fn found(client: &Client, q: &str) -> Vec<String> {
    handles(&search(client, &[("q", q), ("resolve", "true")]).await.ok())
}

fn handles(accounts: &Value) -> Vec<String> {
    let accounts = accounts.as_array().unwrap();
    accounts.iter().map(|account| account["acct"].as_str().unwrap().to_owned()).collect()
}

async fn remote(app: &TestApp, name: &'static str) -> String {
    app.remote(name, "far.example").await
}

api_tests! {
    async fn the_handle_that_was_typed_comes_first(app: &TestApp) {
        let (fan, anna) = (app.user("fan").await, app.user("anna").await);
        let long = app.user("annabelle").await;
        remote(app, "anna").await;
        app.follow(&fan, &long).await;
        app.follow(&anna, &long).await;
        for q in ["anna", "@anna", " ANNA ", "Anna"] {
            assert_eq!(found(&fan, q).await, ["anna", "anna@far.example", "annabelle"], "{q}");
        }
        for q in ["anna@far.example", "@ANNA@far.example", "anna@far", "anna@far.ex"] {
            assert_eq!(found(&fan, q).await, ["anna@far.example"], "{q}");
        }
        assert_eq!(found(&fan, "annab").await, ["annabelle"]);
        assert_eq!(found(&fan, "@anna@").await[0], "anna");
    }

    // Search finds a part of a word, in any script, and the words of a name in any order.
    async fn accounts_are_found_by_a_part_of_their_name(app: &TestApp) {
        let alice = app.user("alice").await;
        let update = "/api/v1/accounts/update_credentials";
        alice.patch(update, &[("display_name", "Ärger im Büro_1 山田太郎")]).await.ok();
        remote(app, "bob").await;
        for q in ["lic", "e", "ürO", "buro arger", "im alice", "田太", "郎"] {
            assert_eq!(found(&alice, q).await, ["alice"], "{q}");
        }
        assert_eq!(found(&alice, "far.ex").await, ["bob@far.example"]);
        alice.patch(update, &[("display_name", "")]).await.ok();
        for q in ["büro", "田", "lic%", "alice bob", "", " "] {
            assert_eq!(found(&alice, q).await, [""; 0], "{q}");
        }
    }

    async fn following_restricts_the_search_to_followed_accounts(app: &TestApp) {
        let (fan, bird) = (app.user("fan").await, app.user("bird1").await);
        app.user("bird2").await;
        app.follow(&fan, &bird).await;
        let both = search(&fan, &[("q", "bird"), ("following", "false")]).await.ok();
        assert_eq!(handles(&both), ["bird1", "bird2"]);
        for q in ["bird", "ird1", "bird1"] {
            let followed = search(&fan, &[("q", q), ("following", "true")]).await.ok();
            assert_eq!(handles(&followed), ["bird1"], "{q}");
        }
        let other = search(&fan, &[("q", "bird2"), ("following", "true")]).await.ok();
        assert_eq!(other, json!([]));
    }

    async fn search_pages_list_each_account_once(app: &TestApp) {
        for number in 0..12 {
            app.user(&format!("bird{number}")).await;
        }
        let viewer = app.user("reader").await;
        let mut walked = Vec::new();
        for offset in ["0", "5", "10", "15"] {
            let query = [("q", "bird"), ("limit", "5"), ("offset", offset)];
            walked.extend(handles(&search(&viewer, &query).await.ok()));
        }
        assert_eq!(walked.len(), 12);
        walked.sort();
        walked.dedup();
        assert_eq!(walked.len(), 12);
        for (limit, offset, shown) in
            [("", "", 12), ("100000", "", 12), ("0", "", 0), ("abc", "", 0), ("5", "100000", 0)]
        {
            let query = [("q", "bird"), ("limit", limit), ("offset", offset)];
            assert_eq!(search(&viewer, &query).await.ids().len(), shown, "{limit} {offset}");
        }
        for (limit, offset) in [("-1", ""), ("", "-1")] {
            search(&viewer, &[("q", "x"), ("limit", limit), ("offset", offset)]).await.expect(400);
        }
        viewer.get(SEARCH).await.expect(400);
    }

    async fn both_searches_find_the_same_accounts(app: &TestApp) {
        let viewer = app.user("reader").await;
        let (good, gone) = (app.user("bird1").await, app.user("bird2").await);
        for (state, is_found) in [
            (GOOD, true),
            (AccountState { silenced: true, ..GOOD }, true),
            (AccountState { suspended: true, ..GOOD }, false),
            (AccountState { reachable: false, ..GOOD }, false),
        ] {
            app.set_state(&gone, state).await;
            let ids = search(&viewer, &[("q", "bird")]).await.ids();
            assert_eq!(ids.contains(&gone.id), is_found, "{state:?}");
            assert!(ids.contains(&good.id));
            for q in ["bird", "bird2", "@bird2"] {
                let old = search(&viewer, &[("q", q)]).await.ok();
                let new = viewer.get(&format!("/api/v2/search?q={q}")).await.ok();
                assert_eq!(new["accounts"], old, "{q} {state:?}");
            }
        }
    }

    async fn account_search_needs_a_user_and_a_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        for (scopes, status) in [("read:accounts", 200), ("read", 200), ("read:search", 403)] {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(search(&client, &[("q", "x")]).await.status, status, "{scopes}");
        }
        search(&app.anonymous(), &[("q", "x")]).await.expect(401);
        search(&app.application("read").await, &[("q", "x")]).await.expect(422);
    }
}
