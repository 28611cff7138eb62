//! `/oauth/authorize`.

use reqwest::Method;

use super::{
    BACK, OUT_OF_BAND, decide, hidden_fields, parameter, query, register, sign_in, signed_in,
};
use crate::support::Response;

fn sent_to(response: &Response) -> &str {
    assert_eq!(response.status, 302, "{response:?}");
    response.header("location").unwrap()
}

fn is_page(response: &Response, status: u16) {
    assert_eq!(response.status, status, "{response:?}");
    assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(response.header("location"), None);
}

api_tests! {
    async fn visitors_sign_in_first_and_return(app: &TestApp) {
        app.user("ann").await;
        let (client, browser) = (register(app, "read write").await, app.browser());
        let page = client.authorize(&[("state", "a, b; c")]);
        let sign_in_page = format!("{}/auth/sign_in", app.base_url());
        for path in [page.clone(), page.replacen('?', "/?", 1)] {
            assert_eq!(sent_to(&browser.get(&path).await), sign_in_page);
        }
        let head = browser.request(Method::HEAD, &page);
        assert_eq!(sent_to(&browser.send(head).await), sign_in_page);

        let response = sign_in(&browser, "ann", "correct horse").await;
        let back = sent_to(&response).to_owned();
        assert!(back.starts_with(app.base_url()));
        assert_eq!(parameter(&back, "state").as_deref(), Some("a, b; c"));
        is_page(&browser.get(&back).await, 200);
    }

    async fn the_consent_page_names_the_application_and_scopes(app: &TestApp) {
        let (client, browser) = (register(app, "read write push").await, signed_in(app, "ann").await);
        let response = browser.get(&client.authorize(&[("scope", "read push")])).await;
        is_page(&response, 200);
        let page = response.text();
        for expected_text in [
            "Tester",
            "@ann",
            "read everything in your account",
            "receive your notifications as push messages",
            "app.example",
            "<button type=\"submit\"",
            "<button class=\"negative\"",
            "<meta name=\"csrf-token\"",
            "lang=\"en\"",
        ] {
            assert!(page.contains(expected_text), "{expected_text} is missing in {page}");
        }
        assert_eq!(page.matches("type=\"submit\"").count(), 1, "one button is the default");
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.contains("form-action 'self' https://app.example"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"));
        assert_eq!(response.header("cache-control"), Some("private, no-store"));
        assert_eq!(response.header("access-control-allow-origin"), None);
    }

    async fn consent_returns_a_code_and_denial_an_error(app: &TestApp) {
        let (client, browser) = (register(app, "read write").await, signed_in(app, "ann").await);
        let page = client.authorize(&[("state", "x&y=\"z\"")]);
        let agreed = decide(&browser, &page, "agree").await;
        let address = sent_to(&agreed);
        assert!(address.starts_with(&format!("{BACK}?code=")));
        assert_eq!(parameter(address, "state").as_deref(), Some("x&y=\"z\""));
        assert_eq!(query(address).len(), 2);

        let denied = decide(&browser, &page, "deny").await;
        let address = sent_to(&denied);
        assert_eq!(parameter(address, "error").as_deref(), Some("access_denied"));
        assert_eq!(parameter(address, "state").as_deref(), Some("x&y=\"z\""));
        assert_eq!(parameter(address, "code"), None);
    }

    async fn the_code_is_shown_for_out_of_band_redirects(app: &TestApp) {
        let (client, browser) = (register(app, "read write").await, signed_in(app, "ann").await);
        let page = client.authorize(&[("redirect_uri", OUT_OF_BAND)]);
        let agreed = decide(&browser, &page, "agree").await;
        let address = sent_to(&agreed).to_owned();
        let code = parameter(&address, "code").unwrap();
        let shown = browser.get(&address).await;
        is_page(&shown, 200);
        assert!(shown.text().contains(&format!("value=\"{code}\" readonly")));
        let grant = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", OUT_OF_BAND),
        ];
        assert_eq!(client.token(&app.anonymous(), &grant).await.status, 200);

        is_page(&decide(&browser, &page, "deny").await, 400);
        for code in ["", "<script>", "x"] {
            is_page(&browser.get(&format!("/oauth/authorize/native?code={code}")).await, 400);
        }
    }

    // The server redirects only to registered addresses, compared exactly.
    async fn unregistered_redirect_uris_are_refused(app: &TestApp) {
        let (client, browser) = (register(app, "read").await, signed_in(app, "ann").await);
        for address in [
            "https://third.example/back",
            "https://app.example/back/more",
            "https://app.example/bac",
            "https://app.example:8443/back",
            "https://app.example/back?x=1",
            "javascript:alert(1)",
            "",
        ] {
            let page = client.authorize(&[("redirect_uri", address), ("scope", "read")]);
            is_page(&browser.get(&page).await, 400);
            is_page(&app.anonymous().get(&page).await, 400);
        }
        for id in ["nobody", ""] {
            is_page(&browser.get(&client.authorize(&[("client_id", id)])).await, 400);
        }
        is_page(&browser.get("/oauth/authorize").await, 400);
        is_page(&browser.get("/oauth/authorize?scope[x]=read").await, 422);
    }

    // A request that cannot be granted redirects to the application with an error, and scopes may
    // be joined by a plus.
    async fn refused_requests_are_reported_to_the_application(app: &TestApp) {
        let (client, browser) = (register(app, "read write").await, signed_in(app, "ann").await);
        for (more, expected) in [
            (("scope", "read push"), "invalid_scope"),
            (("scope", "fly"), "invalid_scope"),
            (("response_type", "token"), "unsupported_response_type"),
            (("response_type", ""), "invalid_request"),
            (("code_challenge", "x"), "invalid_request"),
            (("code_challenge_method", "S256"), "invalid_request"),
            (("code_challenge_method", "plain"), "invalid_request"),
        ] {
            let page = client.authorize(&[more, ("state", "s")]);
            // The server does not redirect an anonymous browser to the application.
            let response = app.anonymous().get(&page).await;
            assert_eq!(sent_to(&response), format!("{}/auth/sign_in", app.base_url()), "{more:?}");
            let response = browser.get(&page).await;
            let address = sent_to(&response);
            assert!(address.starts_with(BACK), "{address}");
            assert_eq!(parameter(address, "error").as_deref(), Some(expected), "{more:?}");
            assert_eq!(parameter(address, "state").as_deref(), Some("s"));
        }
        for scope in ["read+write", "read%2Bwrite", "read%20write"] {
            let page = client.authorize(&[("scope", "")]) + "&scope=" + scope;
            let page = browser.get(&page).await.text();
            let fields = hidden_fields(&page, "/oauth/authorize");
            assert!(fields.contains(&("scope".to_owned(), "read write".to_owned())), "{fields:?}");
        }
    }

    async fn force_login_requires_a_new_sign_in(app: &TestApp) {
        let (client, browser) = (register(app, "read write").await, signed_in(app, "ann").await);
        app.user("bob").await;
        let page = client.authorize(&[("force_login", "true"), ("lang", "de")]);
        assert!(sent_to(&browser.get(&page).await).ends_with("/auth/sign_in"));
        let form = browser.get("/auth/sign_in").await.text();
        assert!(form.contains("signed in as <strong>@ann</strong>"));
        let response = sign_in(&browser, "bob", "correct horse").await;
        let back = sent_to(&response).to_owned();
        assert_eq!(parameter(&back, "force_login"), None);
        assert!(browser.get(&back).await.text().contains("@bob"));
        let not_forced = client.authorize(&[("force_login", "false")]);
        is_page(&browser.get(&not_forced).await, 200);
    }

    async fn consent_needs_a_csrf_token(app: &TestApp) {
        let (client, browser) = (register(app, "read write").await, signed_in(app, "ann").await);
        let page = client.authorize(&[]);
        let good = hidden_fields(&browser.get(&page).await.text(), "/oauth/authorize");
        let without: Vec<_> =
            good.iter().filter(|(name, _)| name != "authenticity_token").cloned().collect();
        is_page(&browser.form("/oauth/authorize", &without).await, 403);
        let mut wrong = without.clone();
        wrong.push(("authenticity_token".to_owned(), "wrong".to_owned()));
        is_page(&browser.form("/oauth/authorize", &wrong).await, 403);

        let foreign = browser
            .request(Method::POST, "/oauth/authorize")
            .header("origin", "https://evil.example")
            .form(&good);
        is_page(&browser.send(foreign).await, 403);

        let token = &good.iter().find(|(name, _)| name == "authenticity_token").unwrap().1;
        let by_header = browser
            .request(Method::POST, "/oauth/authorize")
            .header("origin", app.base_url())
            .header("x-csrf-token", token)
            .form(&without);
        assert!(sent_to(&browser.send(by_header).await).starts_with(BACK));

        let other = signed_in(app, "bob").await;
        is_page(&other.form("/oauth/authorize", &good).await, 403);

        // The submitted form is checked again.
        let tampered: Vec<_> = good
            .iter()
            .map(|(name, value)| match name.as_str() {
                "redirect_uri" => (name.clone(), "https://evil.example".to_owned()),
                _ => (name.clone(), value.clone()),
            })
            .collect();
        is_page(&browser.form("/oauth/authorize", &tampered).await, 400);
    }
}
