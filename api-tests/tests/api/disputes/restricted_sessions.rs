//! Sessions of disabled and suspended people, which reach only disputes, the export of the own data
//! and the deletion of the account.

use siskin_services::accounts::Decision;
use siskin_test_support::builders::PASSWORD;

use super::{RESTRICTIONS, STRIKES, decide, lifted, restricted};
use crate::{
    crawl::routes,
    oauth::{BACK, hidden_fields, register, sign_in, sign_in_at},
    support::second_factors::CODE_PAGE,
};

/// Beginnings of the paths that such a session reaches.
const REACHED: [&str; 3] = ["/disputes/", "/settings/export", "/settings/delete-account"];

fn is_reached(path: &str) -> bool {
    REACHED.iter().any(|beginning| path.starts_with(beginning))
}

api_tests! {
    async fn a_correct_password_leads_to_the_decisions_of_the_moderators(app: &TestApp) {
        for (number, (decision, words)) in RESTRICTIONS.into_iter().enumerate() {
            let user = app.user(&format!("user{number}")).await;
            decide(app, &user, decision).await;
            let browser = restricted(app, &user).await;
            for path in [STRIKES, "/disputes/appeals", "/settings/export"] {
                let page = browser.get(path).await;
                assert_eq!(page.status, 200, "{path}");
                let text = page.text();
                assert!(text.contains(words) || path == "/disputes/appeals", "{path}: {text}");
                assert!(text.contains("/auth/sign_out") && !text.contains("/settings/profile"), "{text}");
            }
            assert_eq!(browser.get("/settings/delete-account").await.status, 200);
            let front = browser.get("/").await.text();
            assert!(front.contains(words) && front.contains(STRIKES), "{front}");
            let form = hidden_fields(&browser.get(STRIKES).await.text(), "/auth/sign_out");
            assert_eq!(browser.form("/auth/sign_out", &form).await.status, 302);
            assert_eq!(browser.get(STRIKES).await.status, 302);
        }
    }

    async fn a_wrong_password_is_answered_as_for_everyone(app: &TestApp) {
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        decide(app, &ann, Decision::Suspended(true)).await;
        decide(app, &bob, Decision::Disabled(true)).await;
        app.user("cat").await;
        let mut pages = Vec::new();
        for login in ["ann", "bob", "cat", "nobody"] {
            let refused = sign_in(&app.browser(), login, "wrong password").await;
            assert_eq!(refused.status, 422, "{login}");
            let page = refused.text().replace(&format!("value=\"{login}\""), "");
            pages.push(page.split("<label").nth(1).unwrap().to_owned());
        }
        assert!(pages.windows(2).all(|pair| pair[0] == pair[1]), "{pages:?}");
    }

    // A restricted session opens its own pages and no others.
    async fn nothing_else_is_reached(app: &TestApp) {
        app.staff("boss", "Owner").await;
        for (number, (decision, _)) in RESTRICTIONS.into_iter().enumerate() {
            // Not even a role helps.
            let user = app.staff(["sue", "dan"][number], "Owner").await;
            decide(app, &user, decision).await;
            let browser = restricted(app, &user).await;
            let page = browser.get(STRIKES).await.text();
            let token = page.split("name=\"csrf-token\" content=\"").nth(1).unwrap();
            let token = token.split('"').next().unwrap().to_owned();
            let mut reached = 0;
            for route in routes::all() {
                let path = route.path.replace("{id}", "115600000000000001");
                let is_page = path.starts_with("/settings") || path.starts_with("/admin")
                    || path.starts_with("/disputes") || path.starts_with("/api/v1/admin");
                if !is_page {
                    continue;
                }
                let request = browser.request(route.method.clone(), &path).header("x-csrf-token", &token);
                let response = browser.send(request).await;
                if is_reached(&path) {
                    assert_ne!(response.status, 302, "{} {path}", route.method);
                    reached += 1;
                    continue;
                }
                // The way to the settings page is the same for everybody, and leads to sign-in.
                let is_closed = match response.status {
                    302 => path == "/settings"
                        || response.header("location").unwrap().contains("/auth/sign_in"),
                    status => [401, 403].contains(&status),
                };
                assert!(is_closed, "{} {path}: {response:?}", route.method);
            }
            assert!(reached > 5, "{reached}");
            // The deletion was refused without the password.
            assert_eq!(browser.get(STRIKES).await.status, 200);
        }
    }

    async fn it_authorises_no_application(app: &TestApp) {
        let client = register(app, "read write").await;
        let ann = app.user("ann").await;
        decide(app, &ann, Decision::Disabled(true)).await;
        let browser = restricted(app, &ann).await;
        let consent = client.authorize(&[]);
        let response = browser.get(&consent).await;
        assert_eq!(response.status, 302);
        let sign_in_page = browser.get("/auth/sign_in").await;
        let again = sign_in_at(&browser, &sign_in_page, "ann", PASSWORD).await;
        let location = again.header("location").unwrap();
        assert!(location.ends_with(STRIKES) && !location.contains(BACK), "{location}");
        let form = client.form(&[
            ("grant_type", "password"), ("username", "ann"), ("password", PASSWORD), ("scope", "read"),
        ]);
        let refused = app.anonymous().form("/oauth/token", &form).await;
        assert!((400..500).contains(&refused.status), "{refused:?}");
    }

    async fn sign_in_returns_only_to_pages_that_are_reached(app: &TestApp) {
        let ann = app.user("ann").await;
        decide(app, &ann, Decision::Suspended(true)).await;
        for (wanted, shown) in [
            ("/settings/export", "/settings/export"),
            ("/settings/delete-account", "/settings/delete-account"),
            ("/disputes/strikes/7", "/disputes/strikes/7"),
            ("/settings/profile", STRIKES),
            ("/", STRIKES),
        ] {
            let browser = app.browser();
            let mut form = hidden_fields(&browser.get("/auth/sign_in").await.text(), "/auth/sign_in");
            form.push(("return_to".to_owned(), wanted.to_owned()));
            form.push(("user[email]".to_owned(), "ann".to_owned()));
            form.push(("user[password]".to_owned(), PASSWORD.to_owned()));
            let response = browser.form("/auth/sign_in", &form).await;
            let expected = format!("{}{shown}", app.base_url());
            assert_eq!(response.header("location"), Some(expected.as_str()), "{wanted}");
        }
    }

    async fn it_ends_with_the_restriction(app: &TestApp) {
        for (number, (decision, _)) in RESTRICTIONS.into_iter().enumerate() {
            let user = app.user(&format!("user{number}")).await;
            let before = app.browser();
            sign_in(&before, &user.username, PASSWORD).await;
            decide(app, &user, decision).await;
            // The sessions from before do not become restricted ones.
            assert_eq!(before.get(STRIKES).await.status, 302);
            let browser = restricted(app, &user).await;
            decide(app, &user, lifted(decision)).await;
            for path in [STRIKES, "/settings/profile"] {
                assert_eq!(browser.get(path).await.status, 302, "{path}");
            }
            let after = app.browser();
            sign_in(&after, &user.username, PASSWORD).await;
            assert_eq!(after.get("/settings/profile").await.status, 200);
            let sessions = after.get("/settings/sessions").await.text();
            assert_eq!(sessions.matches("/end\" method=\"post\"").count(), 1, "{sessions}");
            // A decision that changes nothing ends no session.
            decide(app, &user, lifted(decision)).await;
            assert_eq!(after.get("/settings/profile").await.status, 200);
        }
    }

    async fn the_code_of_a_second_factor_is_asked_for(app: &TestApp) {
        let ann = app.guarded("ann").await;
        decide(app, &ann.user, Decision::Suspended(true)).await;
        let browser = app.waiting("ann").await;
        assert_eq!(browser.get(STRIKES).await.status, 302);
        let page = browser.get(CODE_PAGE).await.text();
        let code = app.next_code(&ann.app);
        let response = browser.send_form(&page, CODE_PAGE, &[("code", &code)]).await;
        assert!(response.header("location").unwrap().ends_with(STRIKES), "{response:?}");
        assert_eq!(browser.get(STRIKES).await.status, 200);
        assert_eq!(browser.get("/settings/profile").await.status, 302);
    }
}
