//! `GET /api/v1/accounts/lookup`.

const LOOKUP: &str = "/api/v1/accounts/lookup";

api_tests! {
    // Case 151.
    async fn a_handle_is_found_as_people_type_it(app: &TestApp) {
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

    // Case 151.
    async fn what_is_no_handle_and_look_alikes_are_not_found(app: &TestApp) {
        app.user("alice").await;
        let domain = app.domain();
        for acct in [
            "%20", "", "a@b@c", "@", "nobody", "alice.", "alice@nowhere.example", "%00",
            "al%E2%80%8Bice", "%EF%BD%81lice", &format!("alice@{domain}."), "https://x.example/@alice",
        ] {
            let answer = app.anonymous().get(&format!("{LOOKUP}?acct={acct}")).await;
            assert!(matches!(answer.status, 404 | 400), "{acct}: {answer:?}");
            assert_eq!(answer.status == 400, acct == "%00", "{acct}: {answer:?}");
            assert!(answer.json()["error"].is_string());
        }
        assert_eq!(app.anonymous().get(LOOKUP).await.status, 400);
    }
}
