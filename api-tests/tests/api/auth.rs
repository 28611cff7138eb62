//! `/auth`: sign-in and sign-out.

use reqwest::Method;
use siskin_entities::Timestamp;
use siskin_services::accounts::{self, NewAccount};
use siskin_test_support::{both_engines, builders::PASSWORD};

use crate::{
    oauth::{hidden_fields, sign_in, signed_in},
    sign_up::sign_up,
    support::{Client, Response, TestApp, run},
};

const SESSION: &str = "siskin_session";

/// Returns the value and the attributes of a cookie that a response sets.
fn cookie<'a>(response: &'a Response, name: &str) -> (&'a str, &'a str) {
    let cookies = response.headers.get_all("set-cookie").iter();
    let mut cookies = cookies.map(|cookie| cookie.to_str().unwrap());
    let cookie = cookies.find(|cookie| cookie.starts_with(&format!("{name}=")));
    let cookie = cookie.unwrap_or_else(|| panic!("no cookie {name} in {response:?}"));
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
    async fn the_sign_in_form_has_the_fields_that_clients_expect(app: &TestApp) {
        let response = app.browser().get("/auth/sign_in").await;
        assert_eq!(response.status, 200);
        let page = response.text();
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
        assert_eq!(response.header("cache-control"), Some("private, no-store"));
    }

    async fn email_or_user_name_signs_in(app: &TestApp) {
        app.user("ann").await;
        for login in ["ann@example.com", "ANN@example.com", "ann", "@ann"] {
            let browser = app.browser();
            let response = sign_in(&browser, login, PASSWORD).await;
            assert_eq!(response.status, 302, "{login}");
            assert_eq!(response.header("location"), Some(format!("{}/", app.base_url()).as_str()));
            let (token, attributes) = cookie(&response, SESSION);
            assert_eq!(token.len(), 43);
            assert!(attributes.contains("HttpOnly") && attributes.contains("SameSite=Lax"));
            assert!(!attributes.contains("Secure"), "plain http");
            assert!(knows(&browser, "ann").await);
        }
    }

    // SQLite folds only the letters of ASCII, PostgreSQL those that its locale knows.
    async fn capitals_of_any_alphabet_make_no_other_address(app: &TestApp) {
        app.store_setting("registrations", "open").await;
        let typed = "ÄRGER@Example.org";
        assert_eq!(sign_up(&app.browser(), &[("email", typed)]).await.status, 302);
        for same in [typed, "ärger@example.org", "Ärger@EXAMPLE.ORG"] {
            let again = sign_up(&app.browser(), &[("username", "ben"), ("email", same)]).await;
            assert_eq!(again.status, 422, "{same}");
            assert!(again.text().contains("Email is already taken"), "{}", again.text());
            let browser = app.browser();
            assert_eq!(sign_in(&browser, same, PASSWORD).await.status, 302, "{same}");
            assert!(knows(&browser, "ann").await, "{same}");
        }
        let (staff, ann) = (app.staff("ada", "Admin").await, app.id_of("ann").await);
        for begin in ["ÄRGER", "ärger@", "Ärger@EXAMPLE.org"] {
            assert_eq!(staff.listed_accounts(&format!("email={begin}")).await, [&*ann], "{begin}");
        }
    }

    async fn unknown_users_and_wrong_passwords_get_the_same_error(app: &TestApp) {
        app.user("ann").await;
        let mut pages = Vec::new();
        for (login, password) in [("ann", "wrong"), ("nobody", PASSWORD), ("nobody", "wrong")] {
            let browser = app.browser();
            let response = sign_in(&browser, login, password).await;
            assert_eq!(response.status, 422);
            assert!(response.text().contains("role=\"alert\""));
            assert!(!knows(&browser, "ann").await);
            assert!(!response.text().contains(password) || password == "wrong");
            let page = response.text().replace(&format!("value=\"{login}\""), "");
            pages.push(page.split("<label").nth(1).unwrap().to_owned());
        }
        assert!(pages.windows(2).all(|pair| pair[0] == pair[1]));
    }

    async fn sign_in_reports_why_an_account_may_not_sign_in(app: &TestApp) {
        let new = |name: &str| NewAccount::by_operator(name, &format!("{name}@example.com"), PASSWORD);
        person(app, NewAccount { confirmed: false, ..new("una") }).await;
        person(app, NewAccount { approved: false, ..new("wes") }).await;
        for (login, text) in [("una", "confirmed e-mail"), ("wes", "pending approval")] {
            let response = sign_in(&app.browser(), login, PASSWORD).await;
            assert_eq!(response.status, 403);
            assert!(response.text().contains(text), "{}", response.text());
            let wrong = sign_in(&app.browser(), login, "wrong").await;
            assert!(!wrong.text().contains(text));
        }
    }

    async fn session_fixation_is_not_possible(app: &TestApp) {
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

    async fn sign_in_needs_a_csrf_token_and_redirects_to_this_server_only(app: &TestApp) {
        app.user("ann").await;
        let user = [("user[email]", "ann"), ("user[password]", PASSWORD)];
        assert_eq!(app.anonymous().form("/auth/sign_in", &user).await.status, 403);
        for elsewhere in ["https://evil.example/", "//evil.example/", "/\\evil.example"] {
            let browser = app.browser();
            let page = browser.get("/auth/sign_in").await.text();
            let mut form = hidden_fields(&page, "/auth/sign_in");
            form.push(("return_to".to_owned(), elsewhere.to_owned()));
            form.extend(user.map(|(name, value)| (name.to_owned(), value.to_owned())));
            let response = browser.form("/auth/sign_in", &form).await;
            assert_eq!(response.header("location"), Some(format!("{}/", app.base_url()).as_str()));
        }
    }

    async fn signing_out_ends_the_session(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        let stranger = app.anonymous();
        assert_eq!(stranger.post("/auth/sign_out").await.status, 403);
        assert_eq!(browser.post("/auth/sign_out").await.status, 403);
        assert!(knows(&browser, "ann").await);
        let response = sign_out(&browser).await;
        assert_eq!(response.status, 302);
        assert_eq!(cookie(&response, SESSION).0, "");
        assert!(!knows(&browser, "ann").await);
    }

    async fn scripts_can_sign_out_with_the_csrf_token_of_the_page(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        let page = browser.get("/").await.text();
        let token = page.split("<meta name=\"csrf-token\" content=\"").nth(1).unwrap();
        let token = token.split('"').next().unwrap();
        let request =
            browser.request(Method::DELETE, "/auth/sign_out").header("x-csrf-token", token);
        assert_eq!(browser.send(request).await.status, 302);
        assert!(!knows(&browser, "ann").await);
    }

    async fn losing_the_right_to_sign_in_ends_sessions(app: &TestApp) {
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
    }

    async fn unused_sessions_expire(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        app.advance(siskin_services::sessions::IDLE_LIFETIME);
        assert!(app.app().now() > Timestamp::from_unix_ms(0));
        app.advance(std::time::Duration::from_secs(60));
        assert!(!knows(&browser, "ann").await);
    }
}

both_engines! {
    fn cookies_are_secure_under_https(database: &TestDatabase) {
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
            let response = client.send(request).await;
            assert_eq!(response.header("location"), Some("https://siskin.example/"));
            let (_, attributes) = cookie(&response, "__Host-siskin_session");
            for attribute in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
                assert!(attributes.contains(attribute), "{attributes}");
            }
            assert!(!attributes.contains("Domain"));
        });
    }
}
