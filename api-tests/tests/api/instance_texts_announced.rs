//! Emails to all users about new terms of service, and the notice on pages.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_entities::TargetKind;
use siskin_persistence::Tx;
use siskin_services::{accounts::Decision, terms};
use siskin_test_support::{MailSink, both_engines, builders::PASSWORD};

use crate::{
    disputes::decide,
    oauth::{hidden_fields, sign_in},
    support::{TestApp, User, with_mail},
};

const TERMS: &str = "/api/v1/admin/instance_texts/terms_of_service";
const PAGE: &str = "/admin/texts/terms_of_service";

/// Publishes terms that begin in this number of days, as staff do.
async fn publish(
    app: &TestApp,
    staff: &User,
    text: &str,
    days: i64,
    by_email: Option<bool>,
) -> Value {
    let mut form = json!({ "text": text, "effective_date": app.day(days).to_string() });
    if let Some(by_email) = by_email {
        form["send_email_notification"] = json!(by_email);
    }
    staff.send(staff.request(reqwest::Method::PUT, TERMS).json(&form)).await.ok()
}

/// Returns the number of emails about new terms to this user.
async fn told(app: &TestApp, sink: &MailSink, name: &str) -> usize {
    let mails = app.mails(sink, &format!("{name}@example.com")).await;
    let subject = |mail: &&siskin_test_support::Received| {
        mail.header("subject").unwrap().starts_with("New terms of service")
    };
    mails.iter().filter(subject).count()
}

both_engines! {
    fn confirmed_and_active_users_get_one_email(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let staff = app.staff("boss", "Owner").await;
            for name in ["ann", "bob"] {
                app.user(name).await;
            }
            let (sue, dan) = (app.user("sue").await, app.user("dan").await);
            decide(app, &sue, Decision::Suspended(true)).await;
            decide(app, &dan, Decision::Disabled(true)).await;
            app.ask_for_approval().await;
            app.signs_up("new").await;
            app.remote("zoe", "far.example").await;
            let written = publish(app, &staff, "# New", 30, None).await;
            assert!(written["announced_at"].is_string(), "{written}");
            for (name, count) in [("boss", 1), ("ann", 1), ("bob", 1), ("sue", 0), ("dan", 0), ("new", 0)] {
                assert_eq!(told(app, sink, name).await, count, "{name}");
            }
            let mails = app.mails(sink, "ann@example.com").await;
            let mail = mails.last().unwrap();
            let (day, base) = (app.day(30), app.base_url());
            let page = format!("{base}/terms-of-service/{day}");
            for text in [mail.text(), mail.html()] {
                for part in [&*page, "/settings/delete-account", &day.to_string()] {
                    assert!(text.contains(part), "{part}: {text}");
                }
            }
            assert!(mail.header("list-unsubscribe").is_none());
            // A person who signs up later does not get it, and the same text again tells no one.
            app.user("late").await;
            let again = publish(app, &staff, "# New", 30, Some(true)).await;
            assert_eq!(again["announced_at"], written["announced_at"]);
            assert_eq!((told(app, sink, "late").await, told(app, sink, "ann").await), (0, 1));
            // A changed text tells all again, if staff want it.
            publish(app, &staff, "# Newer", 30, Some(false)).await;
            assert_eq!(told(app, sink, "ann").await, 1);
            app.advance(Duration::from_secs(5));
            publish(app, &staff, "# Newest", 30, Some(true)).await;
            assert_eq!((told(app, sink, "late").await, told(app, sink, "ann").await), (1, 2));
        });
    }

    fn staff_can_send_no_email_and_send_it_later(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let staff = app.staff("boss", "Owner").await;
            app.user("ann").await;
            let written = publish(app, &staff, "# New", 3, Some(false)).await;
            assert_eq!(written["announced_at"], json!(null));
            assert_eq!(told(app, sink, "ann").await, 0);
            let written = publish(app, &staff, "# New", 3, Some(true)).await;
            assert!(written["announced_at"].is_string());
            assert_eq!(told(app, sink, "ann").await, 1);
        });
    }

    // Each batch is stored with the job for the next one. So a server that is killed in between
    // neither repeats nor skips users.
    fn many_users_are_told_in_batches_each_once(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let staff = app.staff("boss", "Owner").await;
            for number in 0..120 {
                app.user(&format!("fan{number}")).await;
            }
            publish(app, &staff, "# New", 30, None).await;
            app.app().drain_jobs().await.unwrap();
            let about_terms = || {
                let is_about = |mail: &siskin_test_support::Received| {
                    mail.header("subject").unwrap().starts_with("New terms of service")
                };
                let mails = sink.mails().into_iter().filter(is_about);
                let mut to: Vec<String> = mails.flat_map(|mail| mail.to).collect();
                to.sort();
                to
            };
            assert_eq!(about_terms().len(), 100, "the rest waits, so that other emails do not");
            app.advance(Duration::from_secs(61));
            app.app().drain_jobs().await.unwrap();
            let mut all = about_terms();
            assert_eq!(all.len(), 121);
            all.dedup();
            assert_eq!(all.len(), 121, "no one gets it twice");
        });
    }

    fn removed_terms_are_not_announced_any_more(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let staff = app.staff("boss", "Owner").await;
            for number in 0..101 {
                app.user(&format!("fan{number}")).await;
            }
            publish(app, &staff, "# New", 30, None).await;
            app.app().drain_jobs().await.unwrap();
            let before = sink.mails().len();
            staff.delete(&format!("{TERMS}?effective_date={}", app.day(30))).await.ok();
            app.advance(Duration::from_secs(61));
            app.app().drain_jobs().await.unwrap();
            assert_eq!(sink.mails().len(), before);
            // Nor does a job of an announcement that is not the last one.
            publish(app, &staff, "# New", 30, Some(false)).await;
            let first_day = app.day(30).0.unix_ms();
            let stray = move |tx: &mut Tx<'_>| {
                let last = siskin_ids::AccountId::new(i64::MAX);
                let job = terms::AnnounceTerms { first_day, announced_at: 7, after: None, last };
                terms::announce_some(tx, &job)
            };
            app.app().write(stray).await.unwrap();
            app.app().drain_jobs().await.unwrap();
            assert_eq!(sink.mails().len(), before);
        });
    }
}

api_tests! {
    async fn staff_choose_the_email_on_the_page(app: &TestApp) {
        let staff = app.staff("boss", "Owner").await;
        let browser = app.browser();
        sign_in(&browser, "boss@example.com", PASSWORD).await;
        let checked = "name=\"send_email_notification\" type=\"checkbox\" value=\"1\" checked";
        assert!(browser.get(PAGE).await.text().contains(checked));
        let date = app.day(9).to_string();
        let form = |text: &str, by_email: bool| {
            let page = |page: String| hidden_fields(&page, &format!("{PAGE}\" method=\"post"));
            let (text, date) = (text.to_owned(), date.clone());
            let browser = &browser;
            async move {
                let mut fields = page(browser.get(PAGE).await.text());
                fields.push(("text".to_owned(), text));
                fields.push(("effective_date".to_owned(), date));
                if by_email {
                    fields.push(("send_email_notification".to_owned(), "1".to_owned()));
                }
                browser.form(PAGE, &fields).await
            }
        };
        assert_eq!(form("# One", false).await.status, 303);
        let shown = async || staff.get(&format!("{TERMS}?effective_date={date}")).await.ok();
        assert_eq!(shown().await["announced_at"], json!(null));
        let version = format!("{PAGE}?effective_date={date}");
        assert!(browser.get(&version).await.text().contains(checked));
        assert_eq!(form("# One", true).await.status, 303);
        assert!(shown().await["announced_at"].is_string());
        let page = browser.get(&version).await.text();
        assert!(!page.contains(checked) && page.contains("Emails to users began on"), "{page}");
        // What staff write from a version that applies is a new one, which users have to know.
        app.advance(Duration::from_hours(9 * 24));
        let page = browser.get(&version).await.text();
        assert!(page.contains(checked) && page.contains("Emails to users began on"), "{page}");
        // Other texts have no such choice.
        assert!(!browser.get("/admin/texts/privacy_policy").await.text().contains("send_email_notification"));
        app.settle().await;
    }

    async fn each_announcement_has_one_entry_of_the_audit_log(app: &TestApp) {
        let staff = app.staff("boss", "Owner").await;
        publish(app, &staff, "# One", 9, Some(false)).await;
        publish(app, &staff, "# One", 9, Some(true)).await;
        publish(app, &staff, "# One", 9, Some(true)).await;
        publish(app, &staff, "# Two", 9, Some(true)).await;
        let entries = staff.get("/api/v1/admin/audit_log").await.ok();
        let of_texts = entries.as_array().unwrap().iter().filter(|entry| {
            entry["target"]["type"] == TargetKind::InstanceText.as_str()
                || entry["target"]["kind"] == TargetKind::InstanceText.as_str()
        });
        let actions: Vec<&Value> = of_texts.map(|entry| &entry["action"]).collect();
        assert_eq!(actions, ["update", "announce", "create"]);
        app.settle().await;
    }

    async fn pages_announce_terms_until_they_apply(app: &TestApp) {
        app.user("ann").await;
        let browser = app.browser();
        sign_in(&browser, "ann", PASSWORD).await;
        let notice = "New terms of service apply from";
        let pages = ["/settings/profile", "/settings/export", "/auth/sign_in"];
        app.write_terms("# Now", 0).await;
        for page in pages {
            assert!(!browser.get(page).await.text().contains(notice), "{page}");
        }
        let date = app.write_terms("# Soon", 2).await;
        app.write_terms("# Later", 20).await;
        for page in pages {
            let text = browser.get(page).await.text();
            assert!(text.contains(notice) && text.contains(&format!("href=\"/terms-of-service/{date}\"")), "{page}");
        }
        assert!(app.browser().get("/auth/sign_in").await.text().contains(notice));
        // Pages that caches store do not say it.
        assert!(!browser.get("/about").await.text().contains(notice));
        app.advance(Duration::from_hours(21 * 24));
        assert!(!browser.get("/auth/sign_in").await.text().contains(notice));
    }
}
