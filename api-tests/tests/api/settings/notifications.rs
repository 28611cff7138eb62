//! `/settings/notifications`, the emails that are chosen there, and `/unsubscribe`.

use std::time::Duration;

use serde_json::json;
use siskin_ids::AccountId;
use siskin_persistence::users;
use siskin_services::housekeeping;
use siskin_test_support::{MailSink, Received, both_engines, builders::PASSWORD};

use crate::{
    oauth::{hidden_fields, sign_in},
    support::{Client, Response, TestApp, User, id, with_mail},
};

const PAGE: &str = "/settings/notifications";
const ALICE: &str = "alice@example.com";
const WAIT: Duration = Duration::from_mins(2);

/// Signs in Alice, who exists, and returns her browser.
async fn browser_of_alice(app: &TestApp) -> Client {
    let browser = app.browser();
    sign_in(&browser, "alice", PASSWORD).await;
    browser
}

async fn choose(browser: &Client, topics: &[&str]) -> Response {
    let page = browser.get(PAGE).await.text();
    let mut form = hidden_fields(&page, PAGE);
    form.extend(topics.iter().map(|topic| ("emails[]".to_owned(), (*topic).to_owned())));
    let saved = browser.form(PAGE, &form).await;
    assert_eq!(saved.status, 302, "{}", saved.text());
    saved
}

/// Lets an account be active through its application. This is recorded after the response.
async fn be_active(app: &TestApp, user: &User) {
    user.get("/api/v1/markers").await.ok();
    let account: AccountId = user.id.parse().unwrap();
    for _ in 0..200 {
        let records = app.app().read(move |conn| Ok(users::load_records(conn, &[account])?)).await;
        if records.unwrap()[&account].last_active_at.is_some() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the activity is not recorded");
}

/// Lets the time of an email pass, and returns the emails to Alice so far.
async fn later(app: &TestApp, sink: &MailSink) -> Vec<Received> {
    app.settle().await;
    app.advance(WAIT);
    app.mails(sink, ALICE).await
}

/// Returns path and query of the link that ends these emails.
fn unsubscribe(app: &TestApp, mail: &Received) -> String {
    let header = mail.header("list-unsubscribe").unwrap();
    let link = header.trim_start_matches('<').trim_end_matches('>');
    assert!(mail.text().contains(link), "{}", mail.text());
    link.strip_prefix(app.base_url()).unwrap().to_owned()
}

both_engines! {
    fn nothing_is_mailed_unless_it_is_chosen(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            bob.publish("@alice hello").await;
            assert_eq!(later(app, sink).await, []);
            let browser = browser_of_alice(app).await;
            choose(&browser, &["follow", "reaction"]).await;
            bob.publish("@alice again").await;
            assert_eq!(later(app, sink).await, []);
            bob.act_on("follow", &alice).await;
            assert_eq!(later(app, sink).await.len(), 1);
            choose(&browser, &[]).await;
            bob.act_on("unfollow", &alice).await;
            bob.act_on("follow", &alice).await;
            assert_eq!(later(app, sink).await.len(), 1);
        });
    }

    fn a_mention_is_mailed_as_text_and_html(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (_alice, bob) = (app.user("alice").await, app.user("bob").await);
            choose(&browser_of_alice(app).await, &["mention"]).await;
            let status = bob.publish("@alice 1 < 2 & so on").await;
            let mails = later(app, sink).await;
            let [mail] = &mails[..] else { panic!("{mails:?}") };
            let subject = mail.header("subject").unwrap();
            assert!(subject.starts_with("bob mentioned you"), "{subject}");
            let page = status["url"].as_str().unwrap();
            let text = mail.text();
            for part in ["Hello @alice,", "bob mentioned you:", "> @alice 1 < 2 & so on", page] {
                assert!(text.contains(part), "{part}: {text}");
            }
            let html = mail.html();
            for part in ["<blockquote>@alice 1 &lt; 2 &amp; so on</blockquote>", page] {
                assert!(html.contains(part), "{part}: {html}");
            }
            assert_eq!(mail.header("list-unsubscribe-post").as_deref(), Some("List-Unsubscribe=One-Click"));
        });
    }

    fn several_notifications_share_an_email(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            choose(&browser_of_alice(app).await, &["mention", "follow", "favourite"]).await;
            bob.publish("@alice one").await;
            bob.act_on("follow", &alice).await;
            let undone = alice.publish("mine").await;
            bob.act("favourite", &undone).await;
            bob.act("unfavourite", &undone).await;
            let mails = later(app, sink).await;
            assert_eq!(mails.len(), 1);
            let subject = mails[0].header("subject").unwrap();
            assert!(subject.starts_with("2 new notifications"), "{subject}");
            bob.publish("@alice two").await;
            let mails = later(app, sink).await;
            assert_eq!(mails.len(), 2);
            let text = mails[1].text();
            assert!(!text.contains("@alice one") && text.contains("@alice two"), "{text}");
        });
    }

    // The email would tell nothing new, or nothing that the recipient may see.
    fn what_was_seen_or_hidden_meanwhile_is_not_mailed(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            choose(&browser_of_alice(app).await, &["mention"]).await;
            bob.publish("@alice read").await;
            let newest = alice.get("/api/v1/notifications").await.ids()[0].clone();
            let marker = json!({ "notifications": { "last_read_id": newest } });
            alice.json("/api/v1/markers", marker).await.ok();
            assert_eq!(later(app, sink).await, []);
            let deleted = bob.publish("@alice deleted").await;
            bob.delete(&format!("/api/v1/statuses/{}", id(&deleted))).await.ok();
            assert_eq!(later(app, sink).await, []);
            bob.publish("@alice blocked").await;
            alice.act_on("block", &bob).await;
            assert_eq!(later(app, sink).await, []);
            alice.act_on("unblock", &bob).await;
            bob.publish("@alice hello").await;
            assert_eq!(later(app, sink).await.len(), 1);
        });
    }

    fn filters_apply_to_emails(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            choose(&browser_of_alice(app).await, &["mention"]).await;
            for (title, action, keyword) in [("Hidden", "hide", "secret"), ("Warned", "warn", "spoiler")] {
                alice.json("/api/v2/filters", json!({
                    "title": title, "filter_action": action, "context": ["notifications"],
                    "keywords_attributes": [{ "keyword": keyword }],
                })).await.ok();
            }
            bob.publish("@alice secret").await;
            bob.publish("@alice spoiler").await;
            let mails = later(app, sink).await;
            assert_eq!(mails.len(), 1);
            let text = mails[0].text();
            assert!(text.contains("> Warned") && !text.contains("secret"), "{text}");
        });
    }

    fn a_link_ends_the_emails_without_a_session(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let browser = browser_of_alice(app).await;
            choose(&browser, &["mention", "follow", "digest"]).await;
            bob.publish("@alice hello").await;
            let path = unsubscribe(app, &later(app, sink).await[0]);
            // A program that scans emails opens the link, which must not end anything.
            let asked = app.browser().get(&path).await;
            assert_eq!(asked.status, 200);
            assert!(asked.text().contains("Send me no more of these emails"));
            bob.publish("@alice again").await;
            assert_eq!(later(app, sink).await.len(), 2);
            let one_click = [("List-Unsubscribe", "One-Click")];
            for _ in 0..2 {
                assert_eq!(app.anonymous().form(&path, &one_click).await.status, 200);
            }
            bob.publish("@alice once more").await;
            bob.act_on("follow", &alice).await;
            assert_eq!(later(app, sink).await.len(), 2);
            let page = browser.get(PAGE).await.text();
            assert!(page.contains(r#"value="digest" checked"#) && !page.contains(r#"value="mention" checked"#));
        });
    }

    fn only_links_of_this_server_end_emails(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            choose(&browser_of_alice(app).await, &["mention"]).await;
            bob.publish("@alice hello").await;
            let path = unsubscribe(app, &later(app, sink).await[0]);
            let other = path.replace(&format!("account={}", alice.id), &format!("account={}", bob.id));
            assert_ne!(other, path);
            for wrong in [other.as_str(), "/unsubscribe", "/unsubscribe?account=1&topics=mention&signature=x"] {
                let form = [("List-Unsubscribe", "One-Click")];
                assert_eq!(app.browser().form(wrong, &form).await.status, 404, "{wrong}");
            }
            bob.publish("@alice again").await;
            assert_eq!(later(app, sink).await.len(), 2);
        });
    }

    fn an_inactive_account_gets_a_digest_once_a_week(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            choose(&browser_of_alice(app).await, &["digest"]).await;
            be_active(app, &alice).await;
            let upkeep = async || {
                app.app().write(housekeeping::enqueue_upkeep_jobs).await.unwrap();
                app.mails(sink, ALICE).await
            };
            bob.publish("@alice hello").await;
            assert_eq!(upkeep().await, []);
            app.advance(Duration::from_hours(8 * 24));
            let mails = upkeep().await;
            assert_eq!(mails.len(), 1, "{mails:?}");
            assert!(mails[0].header("subject").unwrap().starts_with("What you missed"));
            assert!(mails[0].text().contains("@alice hello"));
            assert_eq!(upkeep().await.len(), 1);
            app.advance(Duration::from_hours(8 * 24));
            // Nothing new since the last digest.
            assert_eq!(upkeep().await.len(), 1);
            bob.publish("@alice are you there").await;
            app.advance(Duration::from_hours(8 * 24));
            let mails = upkeep().await;
            assert_eq!(mails.len(), 2);
            let text = mails[1].text();
            assert!(text.contains("are you there") && !text.contains("hello"), "{text}");
        });
    }
}
