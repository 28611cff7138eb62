//! `/admin/settings` and `/admin/texts`.

mod refusals;
mod text_conflicts;

use siskin_entities::{AuditEntry, PageRequest, TargetKind, TextName};
use siskin_persistence::Conn;
use siskin_services::audit::{self, AuditSelection};

use super::{SCRIPT, assert_escaped, followed, posted_fields, staff_in_browser, submit};
use crate::support::{Client, Response, TestApp};

const PAGE: &str = "/admin/settings";
const TEXTS: &str = "/admin/texts";
const POLICY: &str = "/admin/texts/privacy_policy";
const TERMS: &str = "/admin/texts/terms_of_service";

/// Returns the names of the settings and texts in the audit log, the first change first.
async fn changed(app: &TestApp) -> Vec<String> {
    let load =
        |conn: &mut Conn| audit::list(conn, AuditSelection::default(), PageRequest::newest(200));
    let entries: Vec<AuditEntry> = app.app().read(load).await.unwrap().items;
    let kinds = [TargetKind::InstanceText, TargetKind::Setting];
    let entries = entries.into_iter().rev().filter(|entry| kinds.contains(&entry.target.kind));
    entries.map(|entry| entry.target.name).collect()
}

/// Beginning of the names of hidden fields with the values that the page shows.
const SHOWN: &str = "shown.";

/// Returns the fields of the form on the page of settings, as a browser sends them.
fn sent_fields(page: &str) -> Vec<(String, String)> {
    let mut form = posted_fields(page, PAGE);
    for (name, value) in form.clone() {
        let Some(key) = name.strip_prefix(SHOWN) else { continue };
        // A checkbox that is not ticked is not sent.
        match value.as_str() {
            "false" => {}
            "true" => form.push((key.to_owned(), "1".to_owned())),
            _ => form.push((key.to_owned(), value)),
        }
    }
    form
}

/// Submits the form of a page of settings with these changes. `None` unticks a checkbox.
async fn save_from(browser: &Client, page: &str, changes: &[(&str, Option<&str>)]) -> Response {
    let mut form = sent_fields(page);
    for (key, value) in changes {
        form.retain(|(name, _)| name != key);
        form.extend(value.map(|value| ((*key).to_owned(), value.to_owned())));
    }
    browser.form(PAGE, &form).await
}

/// Opens the page, and does the same.
async fn save(browser: &Client, changes: &[(&str, Option<&str>)]) -> Response {
    save_from(browser, &browser.get(PAGE).await.text(), changes).await
}

api_tests! {
    async fn one_button_saves_the_changes_of_all_sections(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let page = followed(&browser, &save(&browser, &[]).await).await;
        assert!(page.contains("The settings were saved."), "{page}");
        let form = format!("action=\"{PAGE}\" method=\"post\"");
        assert_eq!(page.matches(&form).count(), 1, "{page}");
        assert_eq!(page.matches(">Save</button>").count(), 1, "{page}");
        for name in ["This server", "Sign-up", "What others see", "Discovery", "Limits"] {
            assert!(page.contains(&format!("<legend><h2>{name}</h2></legend>")), "{name}: {page}");
        }
        assert_eq!(changed(app).await, Vec::<String>::new());
        let changes = [
            ("site_description", Some("Birds\r\nand people")),
            ("trends.enabled", None),
            ("trends.by_default", Some("1")),
            ("link_previews", None),
            ("limits.follows", Some(" 9 ")),
        ];
        let page = followed(&browser, &save(&browser, &changes).await).await;
        let settings = app.app().settings();
        assert_eq!(settings.site_description, "Birds\nand people");
        assert!(!settings.trends_enabled && settings.trends_by_default && !settings.link_previews);
        assert_eq!(settings.limits_follows, 9);
        assert!(page.contains("name=\"trends.by_default\" type=\"checkbox\" value=\"1\" checked"), "{page}");
        assert!(page.contains("name=\"trends.enabled\" type=\"checkbox\" value=\"1\" aria"), "{page}");
        assert_eq!(changed(app).await, changes.map(|(key, _)| key));
        // The browser sends line breaks in its own way. That is no change.
        followed(&browser, &save(&browser, &[("site_description", Some("Birds\r\nand people"))]).await).await;
        assert_eq!(changed(app).await.len(), changes.len());
    }

    async fn what_others_changed_meanwhile_stays(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (_, other) = staff_in_browser(app, "boss", "Owner").await;
        let page = browser.get(PAGE).await.text();
        let theirs = [("site_title", Some("Birds")), ("link_previews", None)];
        followed(&other, &save(&other, &theirs).await).await;
        let own = [("site_short_description", Some("About birds")), ("trends.enabled", None)];
        followed(&browser, &save_from(&browser, &page, &own).await).await;
        let settings = app.app().settings();
        assert_eq!((&*settings.site_title, &*settings.site_short_description), ("Birds", "About birds"));
        assert!(!settings.link_previews && !settings.trends_enabled);
        assert_eq!(changed(app).await.len(), 4);
        // A form that was refused still knows what the page showed first.
        let page = browser.get(PAGE).await.text();
        followed(&other, &save(&other, &[("contact_email", Some("us@birds.example"))]).await).await;
        let refused = save_from(&browser, &page, &[("languages", Some("klingon"))]).await;
        assert_eq!(refused.status, 422);
        let again = save_from(&browser, &refused.text(), &[("languages", Some("de"))]).await;
        followed(&browser, &again).await;
        let settings = app.app().settings();
        assert_eq!((&*settings.contact_email, &*settings.languages), ("us@birds.example", "de"));
    }

    async fn a_wrong_value_changes_nothing_and_stays_in_the_form(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        for (name, value, label) in [
            ("site_title", " ", "Name"),
            ("contact_email", SCRIPT, "Contact email address"),
            ("contact_account", "no_such_person", "Contact account"),
            ("languages", "klingon", "Languages"),
            ("site_description", "é".repeat(5001).as_str(), "Description"),
            ("limits.status_chars", "many", "Characters of a post"),
        ] {
            let changes = [
                (name, Some(value)), ("site_short_description", Some("New")),
                ("limits.follows", Some("12")), ("trends.by_default", Some("1")),
            ];
            let refused = save(&browser, &changes).await;
            assert_eq!(refused.status, 422, "{name}");
            let page = refused.text();
            assert_escaped(&page);
            // The sentence begins with the label, not with the key.
            let id = name.replace('.', "_");
            let beginning = format!("id=\"settings_{id}_problem\">{label}");
            assert!(page.contains(&beginning), "{name}: {page}");
            assert!(page.contains(&format!("role=\"alert\">{label}")), "{name}: {page}");
            // What was typed in all sections stays.
            for part in ["value=\"New\"", "value=\"12\"", "name=\"trends.by_default\" type=\"checkbox\" value=\"1\" checked"] {
                assert!(page.contains(part), "{name} {part}: {page}");
            }
            assert_eq!(app.app().settings().site_short_description, "");
        }
        assert_eq!(changed(app).await, Vec::<String>::new());
    }

    async fn settings_of_the_operator_are_out_of_reach(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
        let page = browser.get(PAGE).await.text();
        for key in ["rate_limits.enabled", "oauth_password_grant", "streams.kept_hours", "source_url"] {
            assert!(!page.contains(&format!("name=\"{key}\"")), "{key}");
        }
        let changes = [("rate_limits.requests", Some("31")), ("oauth_password_grant", Some("1"))];
        followed(&browser, &save(&browser, &changes).await).await;
        assert_eq!(app.app().settings().rate_limits_requests, 300);
        assert_eq!(changed(app).await, Vec::<String>::new());
    }

    async fn a_form_without_a_setting_does_not_change_it(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let mut form = sent_fields(&browser.get(PAGE).await.text());
        form.retain(|(name, _)| name == "authenticity_token");
        form.push(("site_title".to_owned(), "Birds".to_owned()));
        followed(&browser, &browser.form(PAGE, &form).await).await;
        assert_eq!(changed(app).await, ["site_title"]);
        assert!(app.app().settings().trends_enabled);
    }

    async fn hints_are_in_plain_words(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        for page in [PAGE, "/admin/first-steps/registrations"] {
            let text = browser.get(page).await.text();
            assert!(text.contains("Invites let people in even while sign-up is closed."), "{text}");
            for words in ["GET /", "Whether", "public, authenticated", "none or external", "all, users"] {
                assert!(!text.contains(words), "{page} {words}: {text}");
            }
        }
    }

    async fn a_text_is_looked_at_before_it_is_published(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        assert!(browser.get(TEXTS).await.text().contains(&format!("href=\"{POLICY}\"")));
        let preview = format!("{POLICY}/preview");
        let text = format!("# Ours\r\n\r\nWe *like* birds. {SCRIPT}");
        let mut form = posted_fields(&browser.get(POLICY).await.text(), POLICY);
        form.push(("text".to_owned(), text.clone()));
        let shown = browser.form(&preview, &form).await;
        assert_eq!(shown.status, 200, "{shown:?}");
        let page = shown.text();
        assert_escaped(&page);
        assert!(page.contains("<h2>Ours</h2>") && page.contains("<em>like</em>"), "{page}");
        assert!(page.contains("# Ours\r\n\r\nWe *like* birds."), "{page}");
        assert!(!app.anonymous().get("/privacy-policy").await.text().contains("Ours"));
        let page = followed(&browser, &browser.form(POLICY, &form).await).await;
        assert!(page.contains("The text was published."), "{page}");
        assert!(app.anonymous().get("/privacy-policy").await.text().contains("<h2>Ours</h2>"));
        let remove = format!("{POLICY}/remove");
        let page = followed(&browser, &submit(&browser, POLICY, &remove, &[]).await).await;
        assert!(page.contains("The text was removed."), "{page}");
        assert!(!app.anonymous().get("/privacy-policy").await.text().contains("Ours"));
        assert_eq!(changed(app).await, ["privacy_policy", "privacy_policy"]);
    }

    async fn terms_have_versions(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let [past, today, future] = [-5, 0, 5].map(|days| app.day(days).to_string());
        for (date, problem) in [
            ("", "The terms of service need"),
            ("soon", "First day must be a date"),
            (past.as_str(), "First day of the terms cannot be in the past"),
        ] {
            let fields = [("text", "Be kind"), ("effective_date", date)];
            let refused = submit(&browser, TERMS, TERMS, &fields).await;
            assert_eq!(refused.status, 422);
            assert!(refused.text().contains(problem) && refused.text().contains("Be kind"), "{refused:?}");
        }
        for (date, text) in [(&today, "Be kind"), (&future, "Be kinder")] {
            let fields = [("text", text), ("effective_date", date)];
            let page = followed(&browser, &submit(&browser, TERMS, TERMS, &fields).await).await;
            assert!(page.contains(text) && page.contains("The text was published."), "{page}");
        }
        let page = browser.get(TERMS).await.text();
        assert!(page.contains("\nBe kind</textarea>"), "{page}");
        let announced = format!("{TERMS}?effective_date={future}");
        assert!(page.contains(&format!("href=\"{announced}\"")), "{page}");
        assert!(browser.get(&announced).await.text().contains("\nBe kinder</textarea>"));
        let blank = browser.get(&format!("{TERMS}?new=1")).await.text();
        assert!(blank.contains("\n</textarea>"), "{blank}");
        // What applies cannot be removed, and the page does not offer it.
        let remove = format!("{TERMS}/remove");
        assert!(!page.contains(&remove), "{page}");
        let mut form = posted_fields(&page, TERMS);
        form.retain(|(name, _)| name == "authenticity_token");
        form.push(("effective_date".to_owned(), today));
        let refused = browser.form(&remove, &form).await;
        assert_eq!(refused.status, 422, "{refused:?}");
        followed(&browser, &submit(&browser, &announced, &remove, &[]).await).await;
        assert_eq!(browser.get(&announced).await.status, 404);
        assert_eq!(changed(app).await.len(), 3);
    }

    async fn a_text_that_is_too_long_stays_in_the_form(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let path = format!("{TEXTS}/{}", TextName::Description.as_str());
        let long = format!("{SCRIPT}{}", "x".repeat(60_001));
        for action in [path.clone(), format!("{path}/preview")] {
            let mut form = posted_fields(&browser.get(&path).await.text(), &path);
            form.push(("text".to_owned(), long.clone()));
            let refused = browser.form(&action, &form).await;
            assert_eq!(refused.status, 422, "{action}");
            assert_escaped(&refused.text());
            assert!(refused.text().contains("id=\"text_text_problem\""), "{refused:?}");
        }
    }
}
