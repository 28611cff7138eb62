//! Accounts in `/api/v2/search`, and what all kinds have in common.

use serde_json::{Value, json};

use super::{SEARCH, search};
use crate::support::Client;

/// Returns the user names of the accounts that match `q`.
async fn found(client: &Client, q: &str) -> Vec<String> {
    names(&search(client, &[("q", q)]).await.ok())
}

fn names(found: &Value) -> Vec<String> {
    let accounts = found["accounts"].as_array().unwrap();
    accounts.iter().map(|account| account["acct"].as_str().unwrap().to_owned()).collect()
}

api_tests! {
    // Search ignores case on both engines.
    async fn accounts_are_found_by_name_and_handle(app: &TestApp) {
        let alice = app.user("alice").await;
        app.user("bob").await;
        let name = [("display_name", "Ärger im Büro_1")];
        alice.patch("/api/v1/accounts/update_credentials", &name).await.ok();
        let (handle, profile) =
            (format!("@alice@{}", app.domain()), format!("{}/@alice", app.base_url()));
        for q in [
            "alice", "@alice", "ALI", "lic", "ärger", "ÄRGER", "arger", "büro im", "ro_1", " alice ",
            &handle, &handle.to_uppercase(), &profile, &profile.replace('@', "%40"),
        ] {
            assert_eq!(found(&app.anonymous(), q).await, ["alice"], "{q}");
        }
        for q in ["", " ", "@", "@@", "\"", "%", "_alice", "al_ce", "alice bob", "\\",
            "@alice@nowhere.example", "from:nobody x", "https://x.example/@alice", &"x".repeat(600)]
        {
            assert_eq!(found(&app.anonymous(), q).await, [""; 0], "{q}");
        }
    }

    // Queries that lead nowhere return empty lists instead of errors.
    async fn unknown_handles_and_urls_find_nothing(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let private = alice
            .publish_as(json!({ "status": "kingfisher", "visibility": "private" }))
            .await["url"]
            .as_str()
            .unwrap()
            .to_owned();
        let nothing = json!({ "accounts": [], "statuses": [], "hashtags": [] });
        for q in ["from:nobody x", "from:@nobody@nowhere x", &private, "kingfisher", "@@", "\"", "from:"] {
            for client in [&bob.client, &app.anonymous()] {
                let response = search(client, &[("q", q), ("resolve", "true")]).await;
                assert_eq!(response.ok(), nothing, "{q}");
            }
        }
    }

    async fn exact_matches_come_first_then_accounts_with_many_followers(app: &TestApp) {
        let (long, fan) = (app.user("annabelle").await, app.user("fan").await);
        app.user("joanna").await;
        app.user("anna").await;
        fan.post(&format!("/api/v1/accounts/{}/follow", long.id)).await.ok();
        assert_eq!(found(&fan, "anna").await, ["anna", "annabelle", "joanna"]);
        let followed =
            search(&fan, &[("q", "anna"), ("type", "accounts"), ("following", "true")]).await.ok();
        assert_eq!(names(&followed), ["annabelle"]);
        let nobody = search(&app.anonymous(), &[("q", "anna"), ("following", "true")]).await.ok();
        assert_eq!(names(&nobody), [""; 0]);
    }

    // `offset` requires a `type`, and pages show each account once.
    async fn paging_needs_a_type_and_lists_each_account_once(app: &TestApp) {
        for number in 0..25 {
            app.user(&format!("bird{number}")).await;
        }
        let client = app.anonymous();
        for page in ["offset", "min_id", "max_id"] {
            search(&client, &[("q", "bird"), (page, "20")]).await.expect(422);
            search(&client, &[("q", "bird"), (page, "")]).await.ok();
        }
        search(&client, &[("q", "bird"), ("offset", "0")]).await.ok();
        let mut walked = Vec::new();
        for offset in ["0", "10", "20"] {
            let query =
                [("q", "bird"), ("type", "accounts"), ("limit", "10"), ("offset", offset)];
            walked.extend(names(&search(&client, &query).await.ok()));
        }
        assert_eq!(walked.len(), 25);
        walked.sort();
        walked.dedup();
        assert_eq!(walked.len(), 25);
    }

    // `limit` applies to every kind of result.
    async fn the_limit_is_respected(app: &TestApp) {
        for number in 0..6 {
            app.user(&format!("bird{number}")).await;
        }
        app.app().change_setting("max_search_results".into(), "5".into()).await.unwrap();
        let client = app.anonymous();
        for (limit, shown) in [("3", 3), ("100000", 5), ("", 5), ("0", 0), ("abc", 0)] {
            let response = search(&client, &[("q", "bird"), ("limit", limit)]).await.ok();
            assert_eq!(names(&response).len(), shown, "{limit}");
            assert_eq!((&response["statuses"], &response["hashtags"]), (&json!([]), &json!([])));
        }
        search(&client, &[("q", "bird"), ("limit", "-1")]).await.expect(400);
        search(&client, &[("q", "bird"), ("type", "accounts"), ("offset", "-1")]).await.expect(400);
        client.get(SEARCH).await.expect(400);
    }

    async fn unknown_kinds_and_broken_ids_are_refused(app: &TestApp) {
        let client = app.anonymous();
        search(&client, &[("q", "x"), ("type", "cats")]).await.expect(422);
        search(&client, &[("q", "x"), ("type", "statuses"), ("max_id", "abc")]).await.expect(422);
        for kind in ["accounts", "statuses", "hashtags", ""] {
            search(&client, &[("q", "x"), ("type", kind)]).await.ok();
        }
    }

    async fn search_with_a_token_needs_its_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        for (scopes, status) in [("read", 200), ("read:search", 200), ("read:accounts", 403)] {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(search(&client, &[("q", "x")]).await.status, status, "{scopes}");
        }
    }
}
