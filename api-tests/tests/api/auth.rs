//! `/auth`: sign-in and sign-out.

use reqwest::Method;
use siskin_entities::Timestamp;
use siskin_services::accounts::{self, NewAccount};
use siskin_test_support::{both_engines, builders::PASSWORD};

use crate::{
    oauth::{hidden_fields, sign_in, signed_in},
    support::{Client, Response, TestApp, run},
};

const SESSION: &str = "siskin_session";

/// Returns the value and the attributes of a cookie that a response sets.
fn cookie<'a>(answer: &'a Response, name: &str) -> (&'a str, &'a str) {
    let cookies = answer.headers.get_all("set-cookie").iter();
    let mut cookies = cookies.map(|cookie| cookie.to_str().unwrap());
    let cookie = cookies.find(|cookie| cookie.starts_with(&format!("{name}=")));
    let cookie = cookie.unwrap_or_else(|| panic!("no cookie {name} in {answer:?}"));
    let (pair, attributes) = cookie.split_once(';').unwrap();
    (pair.split_once('=').unwrap().1, attributes)
}

/// Returns `true` if the browser is signed in as this person.
async fn knows(browser: &Client, username: &str) -> bool {
    browser.get("/").await.text().contains(&format!("@{username}"))
}

async fn sign_out(browser: &Client) -> Response {
    let front = browser.get("/").await.text();
    browser.form("/auth/sign_out", &hidden_fields(&front, "/auth/sign_out")).await
}

async fn person(app: &TestApp, new: NewAccount) {
    let instance = app.app().instance().clone();
    let prepared =
        tokio::task::spawn_blocking(move || accounts::prepare(&instance, new)).await.unwrap();
    let prepared = prepared.unwrap();
    app.app().write(move |tx| accounts::apply(tx, &prepared)).await.unwrap();
}

api_tests! {
    async fn the_form_is_as_clients_know_it(app: &TestApp) {
        let answer = app.browser().get("/auth/sign_in").await;
        assert_eq!(answer.status, 200);
        let page = answer.text();
        for part in [
            "novalidate",
            "id=\"user_email\" name=\"user[email]\"",
            "id=\"user_password\" name=\"user[password]\"",
            "<label for=\"user_email\"",
            "<label for=\"user_password\"",
            "<button type=\"submit\"",
            "<main",
            "lang=\"en\"",
        ] {
            assert!(page.contains(part), "{part} is missing in {page}");
        }
        assert!(!page.contains("<script"));
        assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    }

    async fn an_address_or_a_name_signs_in(app: &TestApp) {
        app.user("ann").await;
        for login in ["ann@example.com", "ANN@example.com", "ann", "@ann"] {
            let browser = app.browser();
            let answer = sign_in(&browser, login, PASSWORD).await;
            assert_eq!(answer.status, 302, "{login}");
            assert_eq!(answer.header("location"), Some(format!("{}/", app.base_url()).as_str()));
            let (token, attributes) = cookie(&answer, SESSION);
            assert_eq!(token.len(), 43);
            assert!(attributes.contains("HttpOnly") && attributes.contains("SameSite=Lax"));
            assert!(!attributes.contains("Secure"), "plain http");
            assert!(knows(&browser, "ann").await);
        }
    }

    async fn who_is_not_known_and_who_is_wrong_are_refused_alike(app: &TestApp) {
        app.user("ann").await;
        let mut pages = Vec::new();
        for (login, password) in [("ann", "wrong"), ("nobody", PASSWORD), ("nobody", "wrong")] {
            let browser = app.browser();
            let answer = sign_in(&browser, login, password).await;
            assert_eq!(answer.status, 422);
            assert!(answer.text().contains("role=\"alert\""));
            assert!(!knows(&browser, "ann").await);
            assert!(!answer.text().contains(password) || password == "wrong");
            let page = answer.text().replace(&format!("value=\"{login}\""), "");
            pages.push(page.split("<label").nth(1).unwrap().to_owned());
        }
        assert!(pages.windows(2).all(|pair| pair[0] == pair[1]));
    }

    async fn who_may_not_sign_in_is_told_why(app: &TestApp) {
        let new = |name: &str| NewAccount::by_operator(name, &format!("{name}@example.com"), PASSWORD);
        person(app, NewAccount { confirmed: false, ..new("una") }).await;
        person(app, NewAccount { approved: false, ..new("wes") }).await;
        for (login, words) in [("una", "confirmed e-mail"), ("wes", "pending approval")] {
            let answer = sign_in(&app.browser(), login, PASSWORD).await;
            assert_eq!(answer.status, 403);
            assert!(answer.text().contains(words), "{}", answer.text());
            let wrong = sign_in(&app.browser(), login, "wrong").await;
            assert!(!wrong.text().contains(words));
        }
    }

    async fn a_session_cannot_be_foisted_on_anybody(app: &TestApp) {
        app.user("ann").await;
        let browser = app.browser();
        let token = siskin_services::secrets::generate();
        let page = browser
            .request(Method::GET, "/auth/sign_in")
            .header("cookie", format!("{SESSION}={token}"));
        let page = browser.send(page).await.text();
        let mut form = hidden_fields(&page, "/auth/sign_in");
        form.push(("user[email]".to_owned(), "ann".to_owned()));
        form.push(("user[password]".to_owned(), PASSWORD.to_owned()));
        let first = browser.form("/auth/sign_in", &form).await;
        let (first, _) = cookie(&first, SESSION);
        assert_ne!(first, token);
        // Signing in again begins another session and ends the first one.
        let second = sign_in(&browser, "ann", PASSWORD).await;
        assert_ne!(cookie(&second, SESSION).0, first);
        let old = app.anonymous();
        let request = old.request(Method::GET, "/").header("cookie", format!("{SESSION}={first}"));
        assert!(!old.send(request).await.text().contains("@ann"));
    }

    async fn signing_in_cannot_be_forged_and_leads_nowhere_else(app: &TestApp) {
        app.user("ann").await;
        let user = [("user[email]", "ann"), ("user[password]", PASSWORD)];
        assert_eq!(app.anonymous().form("/auth/sign_in", &user).await.status, 403);
        for elsewhere in ["https://evil.example/", "//evil.example/", "/\\evil.example"] {
            let browser = app.browser();
            let page = browser.get("/auth/sign_in").await.text();
            let mut form = hidden_fields(&page, "/auth/sign_in");
            form.push(("return_to".to_owned(), elsewhere.to_owned()));
            form.extend(user.map(|(name, value)| (name.to_owned(), value.to_owned())));
            let answer = browser.form("/auth/sign_in", &form).await;
            assert_eq!(answer.header("location"), Some(format!("{}/", app.base_url()).as_str()));
        }
    }

    async fn signing_out_ends_the_session_for_good(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        let stranger = app.anonymous();
        assert_eq!(stranger.post("/auth/sign_out").await.status, 403);
        assert_eq!(browser.post("/auth/sign_out").await.status, 403);
        assert!(knows(&browser, "ann").await);
        let answer = sign_out(&browser).await;
        assert_eq!(answer.status, 302);
        assert_eq!(cookie(&answer, SESSION).0, "");
        assert!(!knows(&browser, "ann").await);
    }

    async fn a_script_of_ours_signs_out_by_the_token_of_the_page(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        let page = browser.get("/").await.text();
        let token = page.split("<meta name=\"csrf-token\" content=\"").nth(1).unwrap();
        let token = token.split('"').next().unwrap();
        let request =
            browser.request(Method::DELETE, "/auth/sign_out").header("x-csrf-token", token);
        assert_eq!(browser.send(request).await.status, 302);
        assert!(!knows(&browser, "ann").await);
    }

    async fn who_loses_the_right_to_sign_in_is_signed_out(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        assert!(knows(&browser, "ann").await);
        let instance = app.app().instance().clone();
        app.app()
            .write(move |tx| {
                let ann = accounts::lookup(tx, &instance, "ann")?;
                accounts::decide(tx, ann.id, accounts::Decision::Disabled(true))
            })
            .await
            .unwrap();
        assert!(!knows(&browser, "ann").await);
        let answer = sign_in(&app.browser(), "ann", PASSWORD).await;
        assert_eq!(answer.status, 403);
        assert!(answer.text().contains("disabled"));
    }

    async fn a_session_that_is_not_used_ends(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        app.advance(siskin_services::sessions::IDLE_LIFETIME);
        assert!(app.app().now() > Timestamp::from_unix_ms(0));
        app.advance(std::time::Duration::from_secs(60));
        assert!(!knows(&browser, "ann").await);
    }
}

both_engines! {
    fn by_https_cookies_travel_by_nothing_else(database: &TestDatabase) {
        let at_home = |config: &mut siskin_server::Config| {
            config.base_url = Some("https://siskin.example".to_owned());
        };
        run(database, at_home, async |app: &TestApp| {
            app.user("ann").await;
            let client = app.behind_the_name();
            let page = client.get("/auth/sign_in").await;
            assert!(page.header("strict-transport-security").is_some());
            let (visitor, attributes) = cookie(&page, "__Host-siskin_visitor");
            assert!(attributes.contains("Secure") && attributes.contains("Path=/"));
            let mut form = hidden_fields(&page.text(), "/auth/sign_in");
            form.push(("user[email]".to_owned(), "ann".to_owned()));
            form.push(("user[password]".to_owned(), PASSWORD.to_owned()));
            let request = client
                .request(Method::POST, "/auth/sign_in")
                .header("cookie", format!("__Host-siskin_visitor={visitor}"))
                .header("origin", "https://siskin.example")
                .form(&form);
            let answer = client.send(request).await;
            assert_eq!(answer.header("location"), Some("https://siskin.example/"));
            let (_, attributes) = cookie(&answer, "__Host-siskin_session");
            for attribute in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
                assert!(attributes.contains(attribute), "{attributes}");
            }
            assert!(!attributes.contains("Domain"));
        });
    }
}
