//! Who may open the pages of the staff, and what the navigation shows.

use reqwest::Method;
use siskin_test_support::builders::PASSWORD;

use super::{posted_fields, staff_in_browser, submit};
use crate::{
    oauth::{sign_in, signed_in},
    support::Client,
};

const LISTS: [&str; 5] =
    ["/admin", "/admin/sign-ups", "/admin/accounts", "/admin/reports", "/admin/appeals"];

/// Returns the paths in the navigation of a page of the staff.
async fn navigation(browser: &Client) -> Vec<String> {
    let page = browser.get("/admin").await.text();
    let navigation = page.split("<nav class=\"areas\"").nth(1).unwrap_or_else(|| panic!("{page}"));
    let navigation = navigation.split("</nav>").next().unwrap();
    let links = navigation.split("href=\"").skip(1);
    links.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

api_tests! {
    async fn visitors_sign_in_first_and_come_back(app: &TestApp) {
        app.staff("mo", "Moderator").await;
        for path in LISTS {
            let browser = app.browser();
            let response = browser.get(path).await;
            assert_eq!(response.status, 302, "{path}");
            assert!(response.header("location").unwrap().ends_with("/auth/sign_in"), "{path}");
        }
        let browser = app.browser();
        browser.get("/admin/reports").await;
        let response = sign_in(&browser, "mo@example.com", PASSWORD).await;
        assert!(response.header("location").unwrap().ends_with("/admin/reports"));
    }

    async fn for_others_the_pages_do_not_exist(app: &TestApp) {
        let browser = signed_in(app, "alice").await;
        let alice = app.id_of("alice").await;
        let unknown = browser.request(Method::GET, "/nothing-here").header("accept", "text/html");
        let nothing = browser.send(unknown).await.text();
        let one = format!("/admin/accounts/{alice}");
        for path in LISTS.into_iter().chain([one.as_str(), "/admin/reports/1"]) {
            let response = browser.get(path).await;
            assert_eq!((response.status, response.text()), (404, nothing.clone()), "{path}");
        }
        let form = posted_fields(&browser.get("/").await.text(), "/auth/sign_out");
        for path in [
            "/admin/sign-ups".to_owned(),
            "/admin/reports/1/decide".to_owned(),
            format!("{one}/action"),
            format!("{one}/undo"),
            format!("{one}/role"),
            format!("{one}/delete"),
            format!("{one}/statuses"),
            "/admin/appeals/1/approve".to_owned(),
        ] {
            assert_eq!(browser.form(&path, &form).await.status, 404, "{path}");
        }
        assert!(!browser.get("/settings/sessions").await.text().contains("href=\"/admin\""));
    }

    async fn a_moderator_sees_what_the_role_allows(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let shown = navigation(&browser).await;
        for path in ["/admin", "/admin/sign-ups", "/admin/accounts", "/admin/reports"] {
            assert!(shown.iter().any(|one| one == path), "{path}: {shown:?}");
        }
        assert!(!shown.iter().any(|path| path == "/admin/appeals"), "{shown:?}");
        for path in &shown {
            let response = browser.get(path).await;
            assert_eq!(response.status, 200, "{path}: {}", response.text());
            assert_eq!(response.header("cache-control"), Some("private, no-store"), "{path}");
        }
        assert_eq!(browser.get("/admin/appeals").await.status, 404);
        assert!(browser.get("/settings/sessions").await.text().contains("href=\"/admin\""));
        let (_, admin) = staff_in_browser(app, "ada", "Admin").await;
        for path in navigation(&admin).await {
            assert_eq!(admin.get(&path).await.status, 200, "{path}");
        }
    }

    async fn error_pages_lead_back_to_the_area(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let action = format!("/admin/accounts/{}/action", mo.id);
        let expired = [("action", "approve")];
        for (response, status, path, name) in [
            (browser.get("/admin/reports/7").await, 404, "/admin/reports", "Reports"),
            (browser.get(&action).await, 403, "/admin/accounts", "Accounts"),
            (browser.form("/admin/sign-ups", &expired).await, 403, "/admin/sign-ups", "Sign-ups"),
        ] {
            assert_eq!(response.status, status, "{path}: {response:?}");
            let link = format!("<a href=\"{path}\">Go back to “{name}”</a>");
            assert!(response.text().contains(&link), "{path}: {response:?}");
            assert!(response.text().contains("<a href=\"/\">Go to the front page</a>"), "{path}");
        }
        // What the role does not include does not exist.
        let alice = signed_in(app, "alice").await;
        for (person, path) in [
            (&browser, "/admin/roles"), (&alice, "/admin/reports/7"), (&alice, "/settings/filters/7"),
        ] {
            let response = person.get(path).await;
            assert_eq!(response.status, 404, "{path}: {response:?}");
            assert!(!response.text().contains("Go back to"), "{path}: {response:?}");
        }
    }

    async fn a_lost_role_ends_the_access_at_once(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        assert_eq!(browser.get("/admin").await.status, 200);
        app.give_role(&mo, None).await;
        assert_eq!(browser.get("/admin").await.status, 404);
    }

    async fn forged_forms_are_refused(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (_, other) = staff_in_browser(app, "max", "Moderator").await;
        let bob = app.user("bob").await;
        let path = format!("/admin/accounts/{}/action", bob.id);
        let page = browser.get(&path).await.text();
        let fields = [("type".to_owned(), "silence".to_owned())];
        assert_eq!(browser.form(&path, &fields).await.status, 403);
        let foreign = posted_fields(&other.get(&path).await.text(), &path);
        assert_eq!(browser.form(&path, &[&foreign[..], &fields].concat()).await.status, 403);
        let own = [&posted_fields(&page, &path)[..], &fields].concat();
        let request = browser.request(Method::POST, &path);
        let request = request.header("origin", "https://evil.example").form(&own);
        assert_eq!(browser.send(request).await.status, 403);
        assert_eq!(app.audited(&bob).await, Vec::<&str>::new());
        // The same form without the fault.
        assert_eq!(submit(&browser, &path, &path, &[("type", "silence")]).await.status, 303);
        assert_eq!(app.audited(&bob).await, ["silence"]);
    }

    async fn strange_ids_are_not_found(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
        let form = posted_fields(&browser.get("/admin").await.text(), "/auth/sign_out");
        for id in ["0", "x", "01", "%00", "9223372036854775808", "115600000000000001"] {
            for path in ["accounts/ID", "accounts/ID/action", "accounts/ID/statuses", "accounts/ID/delete", "reports/ID"] {
                let path = format!("/admin/{}", path.replace("ID", id));
                assert!(matches!(browser.get(&path).await.status, 400 | 404), "{path}");
            }
            for path in [
                "accounts/ID/action", "accounts/ID/undo", "accounts/ID/role", "accounts/ID/delete",
                "reports/ID", "reports/ID/decide", "reports/ID/notes", "reports/1/notes/ID/delete",
                "appeals/ID/approve", "appeals/ID/reject",
            ] {
                let path = format!("/admin/{}", path.replace("ID", id));
                let response = browser.form(&path, &form).await;
                assert!(matches!(response.status, 400 | 404 | 422), "{path}: {response:?}");
            }
        }
    }
}
