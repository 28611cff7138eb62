//! `/setup`: the first account.

use siskin_services::setup;

use crate::oauth::hidden_fields;

api_tests! {
    async fn the_setup_link_creates_the_owner(app: &TestApp) {
        let token = app.app().write(setup::offer).await.unwrap().unwrap();
        let (browser, link) = (app.browser(), format!("/setup?token={token}"));
        for wrong in ["/setup", "/setup?token=wrong"] {
            let response = browser.get(wrong).await;
            assert_eq!(response.status, 404);
            assert!(response.text().contains("no longer valid"));
        }
        let page = browser.get(&link).await;
        assert_eq!(page.status, 200);
        let hidden = hidden_fields(&page.text(), "/setup");
        let form = |username: &str, password: &str| {
            let mut form = hidden.clone();
            for (name, value) in
                [("username", username), ("email", "me@example.com"), ("password", password)]
            {
                form.push((name.to_owned(), value.to_owned()));
            }
            form
        };
        let refused = browser.form("/setup", &form("not a name", "short")).await;
        assert_eq!(refused.status, 422);
        for text in ["Username must", "Password is too short", "value=\"not a name\""] {
            assert!(refused.text().contains(text), "{text}: {}", refused.text());
        }
        // A field without a value has one error.
        let refused = browser.form("/setup", &form("", "correct horse")).await.text();
        assert_eq!(refused.matches("<li>Username ").count(), 1, "{refused}");
        let created = browser.form("/setup", &form("boss", "correct horse")).await;
        assert_eq!(created.status, 302, "{created:?}");
        assert!(created.header("location").unwrap().ends_with("/admin/first-steps"));
        assert!(browser.get("/").await.text().contains("@boss"));

        assert_eq!(app.browser().get(&link).await.status, 404);
        // The form has a valid CSRF token, but the link works only once.
        assert_eq!(browser.form("/setup", &form("other", "correct horse")).await.status, 404);
        assert_eq!(app.app().write(setup::offer).await.unwrap(), None);
    }
}
