//! `/admin/settings` and `/admin/texts`.

use siskin_entities::{AuditEntry, PageRequest, TargetKind, TextName};
use siskin_persistence::Conn;
use siskin_services::audit::{self, AuditSelection};

use super::{SCRIPT, assert_escaped, followed, posted_fields, staff_in_browser, submit};
use crate::{
    oauth::hidden_fields,
    support::{Client, Response, TestApp},
};

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

/// Saves a group of settings. Its form is found by its hidden field.
async fn save(browser: &Client, group: &str, fields: &[(&str, &str)]) -> Response {
    let page = browser.get(PAGE).await.text();
    let mut form = hidden_fields(&page, &format!("{PAGE}\" method=\"post"));
    form.retain(|(name, _)| name != "group");
    form.push(("group".to_owned(), group.to_owned()));
    form.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    browser.form(PAGE, &form).await
}

/// Fields of the first group, as a browser sends them.
const SERVER: [(&str, &str); 6] = [
    ("site_title", "Siskin"),
    ("site_short_description", ""),
    ("site_description", ""),
    ("contact_email", ""),
    ("contact_account", ""),
    ("languages", "en"),
];

fn with<'a>(name: &str, value: &'a str) -> Vec<(&'a str, &'a str)> {
    let replaced = |(key, before): (&'static str, &'static str)| {
        (key, if key == name { value } else { before })
    };
    SERVER.map(replaced).to_vec()
}

api_tests! {
    async fn only_changed_settings_are_stored(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let page = followed(&browser, &save(&browser, "server", &SERVER).await).await;
        assert!(page.contains("The settings of “This server” were saved."), "{page}");
        for name in ["This server", "Sign-up", "Limits"] {
            let button = format!(">Save<span class=\"unseen\"> {name}</span></button>");
            assert!(page.contains(&button), "{name}: {page}");
        }
        assert_eq!(changed(app).await, Vec::<String>::new());
        let fields = with("site_description", "Birds\r\nand people");
        followed(&browser, &save(&browser, "server", &fields).await).await;
        assert_eq!(app.app().settings().site_description, "Birds\nand people");
        assert_eq!(changed(app).await, ["site_description"]);
        // A checkbox that is not ticked is not sent.
        let fields = [("trends.by_default", "1"), ("suggestions.staff_picks", "")];
        followed(&browser, &save(&browser, "discovery", &fields).await).await;
        let settings = app.app().settings();
        assert!(!settings.trends_enabled && settings.trends_by_default && !settings.link_previews);
        let page = browser.get(PAGE).await.text();
        assert!(page.contains("name=\"trends.by_default\" type=\"checkbox\" value=\"1\" checked"), "{page}");
        assert!(page.contains("name=\"trends.enabled\" type=\"checkbox\" value=\"1\" aria"), "{page}");
        assert_eq!(changed(app).await.len(), 4);
    }

    async fn a_wrong_value_changes_nothing_and_stays_in_the_form(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        for (name, value, label) in [
            ("site_title", " ", "Name"),
            ("contact_email", SCRIPT, "Contact email address"),
            ("contact_account", "no_such_person", "Contact account"),
            ("languages", "klingon", "Languages"),
            ("site_description", "é".repeat(5001).as_str(), "Description"),
        ] {
            let mut fields = with(name, value);
            fields.iter_mut().filter(|(key, _)| *key == "site_short_description").for_each(|field| field.1 = "New");
            let refused = save(&browser, "server", &fields).await;
            assert_eq!(refused.status, 422, "{name}");
            let page = refused.text();
            assert_escaped(&page);
            // The sentence begins with the label, not with the key.
            let beginning = format!("id=\"server_{name}_problem\">{label}");
            assert!(page.contains(&beginning), "{name}: {page}");
            assert!(page.contains("value=\"New\""), "{page}");
            assert_eq!(app.app().settings().site_short_description, "");
        }
        let limits = [
            ("limits.status_chars", "many"), ("limits.display_name_chars", "30"),
            ("max_bio_chars", "500"), ("limits.profile_fields", "4"),
            ("limits.profile_field_chars", "255"), ("limits.follows", "7500"),
        ];
        let refused = save(&browser, "limits", &limits).await;
        assert_eq!(refused.status, 422);
        let beginning = "id=\"limits_limits_status_chars_problem\">Characters of a post must be";
        assert!(refused.text().contains(beginning), "{}", refused.text());
        assert_eq!(changed(app).await, Vec::<String>::new());
    }

    async fn settings_of_the_operator_are_out_of_reach(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
        let page = browser.get(PAGE).await.text();
        for key in ["rate_limits.enabled", "oauth_password_grant", "streams.kept_hours", "source_url"] {
            assert!(!page.contains(&format!("name=\"{key}\"")), "{key}");
        }
        let mut fields = SERVER.to_vec();
        fields.extend([("rate_limits.requests", "1"), ("max_bio_chars", "7")]);
        followed(&browser, &save(&browser, "server", &fields).await).await;
        assert_eq!(app.app().settings().rate_limits_requests, 300);
        assert_eq!(app.app().settings().max_bio_chars, 500);
        assert_eq!(save(&browser, "operator", &[]).await.status, 404);
        assert_eq!(changed(app).await, Vec::<String>::new());
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
