//! `/settings`: sessions and authorized applications.

use super::account;
use crate::{
    oauth::{BACK, decide, hidden_fields, parameter, register, sign_in, signed_in, text},
    support::Client,
};

const PAGE: &str = "/settings/sessions";

/// Submits the form on the page with an action that ends like this.
async fn send(browser: &Client, ending: &str) -> crate::support::Response {
    let page = browser.get(PAGE).await.text();
    let action = page
        .split("action=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .find(|action| action.ends_with(ending))
        .unwrap_or_else(|| panic!("no form to …{ending} in {page}"));
    browser.form(action, &hidden_fields(&page, action)).await
}

api_tests! {
    async fn visitors_sign_in_first_and_come_back(app: &TestApp) {
        app.user("ann").await;
        let browser = app.browser();
        let response = browser.get(PAGE).await;
        assert_eq!(response.status, 302);
        assert!(response.header("location").unwrap().ends_with("/auth/sign_in"));
        let response = sign_in(&browser, "ann", "correct horse").await;
        assert!(response.header("location").unwrap().ends_with(PAGE));
        assert_eq!(app.anonymous().post("/settings/sessions/1/end").await.status, 403);
    }

    async fn sessions_are_listed_and_can_be_ended(app: &TestApp) {
        let here = signed_in(app, "ann").await;
        let there = app.browser();
        sign_in(&there, "ann", "correct horse").await;
        let page = here.get(PAGE).await.text();
        assert_eq!(page.matches("/end\"").count(), 2);
        assert_eq!(page.matches("this browser</span>").count(), 1);
        assert!(page.contains("127.0.0.1"));

        let response = send(&here, "/end_others").await;
        assert!(here.get(response.header("location").unwrap()).await.text().contains("role=\"status\""));
        assert_eq!(there.get(PAGE).await.status, 302);
        assert_eq!(here.get(PAGE).await.status, 200);

        let response = send(&here, "/end").await;
        assert_eq!(response.status, 302);
        assert_eq!(here.get(PAGE).await.status, 302, "the ended session was the current one");
    }

    async fn access_of_applications_can_be_revoked(app: &TestApp) {
        let (client, browser) = (register(app, "read write").await, signed_in(app, "ann").await);
        let other = signed_in(app, "bob").await;
        let agreed = decide(&browser, &client.authorize(&[]), "agree").await;
        let code = parameter(agreed.header("location").unwrap(), "code").unwrap();
        let grant =
            [("grant_type", "authorization_code"), ("code", &code), ("redirect_uri", BACK)];
        let token = client.token(&app.anonymous(), &grant).await.ok();
        let with_token = app.with_token(&text(&token, "access_token"));
        assert_eq!(with_token.get("/api/v1/notifications").await.status, 200);

        let page = browser.get(PAGE).await.text();
        assert!(page.contains("Tester") && page.contains("change everything in your account"));
        assert!(!other.get(PAGE).await.text().contains("Tester"));
        let action = format!("/settings/applications/{}/revoke", client.id);
        let form = hidden_fields(&other.get(PAGE).await.text(), "/auth/sign_out");
        assert_eq!(other.form(&action, &form).await.status, 404);

        assert_eq!(send(&browser, "/revoke").await.status, 302);
        assert!(!browser.get(PAGE).await.text().contains("Tester"));
        assert_eq!(with_token.get("/api/v1/notifications").await.status, 401);
    }

    // A code may have been issued in the session, and could be exchanged after its end.
    async fn authorization_codes_end_with_sessions_and_the_password(app: &TestApp) {
        let (client, here) = (register(app, "read write").await, signed_in(app, "ann").await);
        let new_password = [("current_password", "correct horse"), ("password", "correct horse")];
        for way in ["end", "end_others", "password"] {
            let there = app.browser();
            sign_in(&there, "ann", "correct horse").await;
            let agreed = decide(&there, &client.authorize(&[]), "agree").await;
            let code = parameter(agreed.header("location").unwrap(), "code").unwrap();
            let ended = match way {
                // The session that was used last is the first of the list.
                "end" => send(&here, "/end").await,
                "end_others" => send(&here, "/end_others").await,
                _ => account::send(&here, "/settings/password", &new_password).await,
            };
            assert_eq!(ended.status, 302, "{way}: {ended:?}");
            assert_eq!((here.get(PAGE).await.status, there.get(PAGE).await.status), (200, 302));
            let grant =
                [("grant_type", "authorization_code"), ("code", &*code), ("redirect_uri", BACK)];
            let refused = client.token(&app.anonymous(), &grant).await.expect(400);
            assert_eq!(refused["error"], "invalid_grant", "{way}");
        }
    }

    async fn unknown_sessions_and_applications_are_not_found(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        let form = hidden_fields(&browser.get(PAGE).await.text(), "/auth/sign_out");
        for path in ["/settings/sessions/7/end", "/settings/sessions/x/end", "/settings/applications/7/revoke"] {
            let response = browser.form(path, &form).await;
            assert_eq!(response.status, 404, "{path}");
            assert!(response.text().contains("<h1>"));
        }
    }
}
