//! `GET /api/v1/accounts/lookup`.

use serde_json::json;
use siskin_entities::AccountState;
use siskin_persistence::accounts as rows;
use siskin_services::accounts;

use crate::support::GOOD;

const LOOKUP: &str = "/api/v1/accounts/lookup";

api_tests! {
    // Lookup accepts the spellings that people type: with spaces, a leading `@`, upper case or the
    // local domain.
    async fn a_handle_is_found_in_every_notation(app: &TestApp) {
        let alice = app.user("alice").await;
        let full = format!("alice@{}", app.domain());
        for acct in
            [" alice ", "alice", "@alice", "ALICE", &full, &format!("@{full}"), &full.to_uppercase()]
        {
            let query = [("acct", acct)];
            let request = app.anonymous().request(reqwest::Method::GET, LOOKUP).query(&query);
            assert_eq!(app.anonymous().send(request).await.ok()["id"], alice.id, "{acct}");
        }
    }

    async fn the_name_of_a_deleted_account_is_not_found_and_stays_reserved(app: &TestApp) {
        let alice = app.user("alice").await;
        let bob = app.user("bob").await;
        let mention = bob.publish("Hello @alice").await;
        let account = alice.id.parse().unwrap();
        app.app().write(move |tx| accounts::removal::begin(tx, account)).await.unwrap();
        app.app().drain_jobs().await.unwrap();
        app.anonymous().get(&format!("{LOOKUP}?acct=alice")).await.expect(404);
        app.anonymous().get(&format!("/api/v1/accounts/{}", alice.id)).await.expect(404);
        app.app().change_setting("registrations".into(), "open".into()).await.unwrap();
        let stranger = app.application("read write").await;
        for name in ["alice", "Alice", "ALICE"] {
            let form = json!({
                "username": name, "email": "stranger@example.com", "password": "correct horse",
                "agreement": true, "locale": "en",
            });
            let refused = stranger.json("/api/v1/accounts", form).await.expect(422);
            assert_eq!(refused["details"]["username"][0]["error"], "ERR_TAKEN", "{refused}");
            assert_eq!(refused["error"], "Validation failed: Username is already taken");
        }
        app.anonymous().get(&format!("{LOOKUP}?acct=alice")).await.expect(404);
        let status = bob.get(&format!("/api/v1/statuses/{}", mention["id"].as_str().unwrap())).await;
        assert_eq!(status.ok()["mentions"], json!([]));
        // The operator can release the name.
        app.app().write(|tx| accounts::retired::release(tx, "@Alice")).await.unwrap();
        let again = app.app().write(|tx| accounts::retired::release(tx, "alice")).await;
        assert!(again.is_err(), "the handle is already free");
        let next = app.user("alice").await;
        let found = app.anonymous().get(&format!("{LOOKUP}?acct=alice")).await.ok();
        assert_eq!(found["id"], next.id);
        assert_ne!(next.id, alice.id);
    }

    async fn the_name_of_an_account_that_was_never_visible_is_free_again(app: &TestApp) {
        let alice = app.user("alice").await;
        app.set_state(&alice, AccountState { reachable: false, ..GOOD }).await;
        let account = alice.id.parse().unwrap();
        app.app().write(move |tx| accounts::delete_some(tx, account)).await.unwrap();
        let retired = app.app().read(|conn| Ok(rows::is_retired(conn, "alice")?)).await;
        assert!(!retired.unwrap());
    }

    // Lookup returns 404 for invalid handles and for look-alikes.
    async fn invalid_and_look_alike_handles_are_not_found(app: &TestApp) {
        app.user("alice").await;
        let domain = app.domain();
        for acct in [
            "%20", "", "a@b@c", "@", "nobody", "alice.", "alice@nowhere.example", "%00",
            "al%E2%80%8Bice", "%EF%BD%81lice", &format!("alice@{domain}."), "https://x.example/@alice",
        ] {
            let response = app.anonymous().get(&format!("{LOOKUP}?acct={acct}")).await;
            assert!(matches!(response.status, 404 | 400), "{acct}: {response:?}");
            assert_eq!(response.status == 400, acct == "%00", "{acct}: {response:?}");
            assert!(response.json()["error"].is_string());
        }
        assert_eq!(app.anonymous().get(LOOKUP).await.status, 400);
    }
}
