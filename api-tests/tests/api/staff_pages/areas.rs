//! Who may open the pages of blocks, texts, settings and logs.

use super::{posted_fields, staff_in_browser};
use crate::oauth::signed_in;

/// The first pages of areas, and whether the role of moderators opens them.
const AREAS: [(&str, bool); 20] = [
    ("/admin/domains", false),
    ("/admin/domains/new", false),
    ("/admin/domains/import", false),
    ("/admin/domains/allowed", false),
    ("/admin/email-domains", false),
    ("/admin/emails", false),
    ("/admin/networks", false),
    ("/admin/invites", false),
    ("/admin/trends", true),
    ("/admin/trends/links", true),
    ("/admin/trends/publishers", true),
    ("/admin/trends/statuses", true),
    ("/admin/announcements", false),
    ("/admin/emojis", false),
    ("/admin/rules", false),
    ("/admin/texts", false),
    ("/admin/warning-presets", false),
    ("/admin/settings", false),
    ("/admin/roles", false),
    ("/admin/audit-log", true),
];
/// Admins may not look at jobs.
const JOBS: &str = "/admin/jobs";

/// Addresses of forms. Those with an id have one that does not exist.
const FORMS: [&str; 26] = [
    "/admin/domains",
    "/admin/domains/preview",
    "/admin/domains/import",
    "/admin/domains/allowed",
    "/admin/domains/allowed/7/delete",
    "/admin/domains/7/delete",
    "/admin/email-domains",
    "/admin/email-domains/7/delete",
    "/admin/emails",
    "/admin/emails/test",
    "/admin/emails/7/delete",
    "/admin/networks",
    "/admin/networks/7/delete",
    "/admin/invites/7/revoke",
    "/admin/announcements",
    "/admin/announcements/7/delete",
    "/admin/emojis",
    "/admin/emojis/cat/delete",
    "/admin/rules",
    "/admin/rules/7/move",
    "/admin/texts/privacy_policy",
    "/admin/warning-presets",
    "/admin/warning-presets/7/delete",
    "/admin/settings",
    "/admin/roles",
    "/admin/jobs/7/discard",
];

api_tests! {
    async fn each_area_needs_its_permission(app: &TestApp) {
        let visitor = app.browser();
        let alice = signed_in(app, "alice").await;
        let (_, moderator) = staff_in_browser(app, "mo", "Moderator").await;
        let (_, admin) = staff_in_browser(app, "ada", "Admin").await;
        for (path, moderates) in AREAS {
            assert_eq!(visitor.get(path).await.status, 302, "{path}");
            assert_eq!(alice.get(path).await.status, 404, "{path}");
            let expected = if moderates { 200 } else { 404 };
            assert_eq!(moderator.get(path).await.status, expected, "{path}");
            let page = admin.get(path).await;
            assert_eq!(page.status, 200, "{path}: {page:?}");
            assert_eq!(page.header("cache-control"), Some("private, no-store"), "{path}");
        }
        assert_eq!(admin.get(JOBS).await.status, 404);
        let (_, owner) = staff_in_browser(app, "boss", "Owner").await;
        assert_eq!(owner.get(JOBS).await.status, 200);
    }

    async fn pages_of_blocks_say_what_they_block(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        for (path, name) in [
            ("/admin/domains", "Blocked servers"),
            ("/admin/email-domains", "Blocked email domains"),
            ("/admin/emails", "Blocked email addresses"),
            ("/admin/networks", "Blocked addresses (IP)"),
        ] {
            let page = browser.get(path).await.text();
            let navigation = page.split("<nav class=\"areas\"").nth(1).unwrap();
            let navigation = navigation.split("</nav>").next().unwrap();
            let link = format!("<a href=\"{path}\" aria-current=\"page\">{name}</a>");
            assert!(navigation.contains(&link), "{path}: {page}");
            assert!(page.contains(&format!("<title>{name} ·")), "{path}: {page}");
            assert!(page.contains(&format!("<h1>{name}</h1>")), "{path}: {page}");
        }
        let page = browser.get("/admin/domains/allowed").await.text();
        assert!(page.contains("<h1>Allowed servers</h1>"), "{page}");
        assert!(page.contains("aria-current=\"page\">Allowed servers</a>"), "{page}");
    }

    async fn forms_need_the_permission_and_a_token_of_the_session(app: &TestApp) {
        let (_, moderator) = staff_in_browser(app, "mo", "Moderator").await;
        let (_, owner) = staff_in_browser(app, "boss", "Owner").await;
        let token = posted_fields(&moderator.get("/admin").await.text(), "/auth/sign_out");
        for path in FORMS {
            assert_eq!(moderator.form(path, &token).await.status, 404, "{path}");
            let none: [(&str, &str); 0] = [];
            assert_eq!(owner.form(path, &none).await.status, 403, "{path}");
            // The token belongs to another session.
            assert_eq!(owner.form(path, &token).await.status, 403, "{path}");
        }
    }

    async fn ids_that_do_not_exist_are_not_found(app: &TestApp) {
        let (_, owner) = staff_in_browser(app, "boss", "Owner").await;
        let token = posted_fields(&owner.get("/admin").await.text(), "/auth/sign_out");
        for id in ["0", "x", "01", "-1", "9223372036854775808", "115600000000000001"] {
            for path in [
                "domains/ID", "networks/ID", "announcements/ID", "emojis/ID", "rules/ID",
                "texts/ID", "roles/ID", "texts/terms_of_service?effective_date=ID",
            ] {
                let path = format!("/admin/{}", path.replace("ID", id));
                assert_eq!(owner.get(&path).await.status, 404, "{path}");
            }
            for path in [
                "domains/ID", "domains/ID/delete", "domains/allowed/ID/delete",
                "email-domains/ID/delete", "emails/ID/delete", "networks/ID/delete",
                "invites/ID/revoke", "announcements/ID", "announcements/ID/publish",
                "announcements/ID/withdraw", "announcements/ID/delete", "emojis/ID",
                "emojis/ID/delete", "rules/ID/delete", "texts/ID", "texts/ID/preview",
                "texts/ID/remove", "roles/ID", "roles/ID/delete", "jobs/ID/retry",
            ] {
                let path = format!("/admin/{}", path.replace("ID", id));
                let response = owner.form(&path, &token).await;
                assert_eq!(response.status, 404, "{path}: {response:?}");
            }
            let mut form = token.clone();
            form.push(("confirmed".to_owned(), "1".to_owned()));
            let path = format!("/admin/jobs/{id}/discard");
            assert_eq!(owner.form(&path, &form).await.status, 404, "{path}");
        }
    }
}
