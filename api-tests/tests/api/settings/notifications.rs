//! `/settings/notifications`, the emails that are chosen there, and `/unsubscribe`.

use std::time::Duration;

use serde_json::json;
use siskin_entities::NotificationKind;
use siskin_services::housekeeping;
use siskin_test_support::{MailSink, Received, both_engines, builders::PASSWORD};

use crate::{
    oauth::{hidden_fields, sign_in},
    push::kinds::{alice_and_bob, cause},
    support::{Client, Response, TestApp, id, with_mail},
};

const PAGE: &str = "/settings/notifications";
const ALICE: &str = "alice@example.com";
const WAIT: Duration = Duration::from_mins(2);

/// Signs in Alice, who exists, and returns her browser.
async fn browser_of_alice(app: &TestApp) -> Client {
    browser_of(app, "alice").await
}

async fn browser_of(app: &TestApp, username: &str) -> Client {
    let browser = app.browser();
    sign_in(&browser, username, PASSWORD).await;
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

    fn every_topic_is_mailed_with_its_text(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let topics = NotificationKind::ALL.into_iter().filter(|kind| kind.is_email_topic());
            for (number, kind) in topics.enumerate() {
                let [alice, bob] = alice_and_bob(app, &number.to_string()).await;
                choose(&browser_of(app, &alice.username).await, &[kind.as_str()]).await;
                let [text, title] = cause(app, kind, &alice, &bob).await;
                app.settle().await;
                app.advance(WAIT);
                let mails = app.mails(sink, &format!("{}@example.com", alice.username)).await;
                let [mail] = &mails[..] else { panic!("{kind:?}: {mails:?}") };
                let subject = mail.header("subject").unwrap();
                assert!(subject.starts_with(title), "{kind:?}: {subject}");
                let body = mail.text();
                assert!(body.contains(&format!("{title}:")), "{kind:?}: {body}");
                let mut quoted = body.lines().filter(|line| line.starts_with("> "));
                assert!(quoted.any(|line| line.ends_with(text)), "{kind:?}: {body}");
            }
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

    // Later emails begin after the newest notification, so what one leaves out is never mailed.
    fn many_favourites_do_not_hide_a_mention(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let (fans, mine) = (app.crowd("fan", 30).await, alice.publish("mine").await);
            let topics = ["mention", "favourite", "follow", "digest"];
            choose(&browser_of_alice(app).await, &topics).await;
            app.be_active(&alice).await;
            bob.publish("@alice hello").await;
            for fan in &fans {
                fan.act("favourite", &mine).await;
            }
            for fan in &fans[..3] {
                fan.act_on("follow", &alice).await;
            }
            assert_eq!(later(app, sink).await.len(), 1);
            app.advance(Duration::from_hours(8 * 24));
            app.app().write(housekeeping::enqueue_upkeep_jobs).await.unwrap();
            let mails = app.mails(sink, ALICE).await;
            let [soon, digest] = &mails[..] else { panic!("{mails:?}") };
            for (mail, beginning) in [(soon, "34 new"), (digest, "What you missed: 34 new")] {
                let subject = mail.header("subject").unwrap();
                assert!(subject.starts_with(beginning), "{subject}");
                let text = mail.text();
                let mut rest = text.as_str();
                for part in [
                    "bob mentioned you:",
                    "> @alice hello",
                    "fan2, fan1 and 1 other followed you:",
                    "/@fan2",
                    "/@fan1",
                    "fan29, fan28 and 28 others favourited your post:",
                    "> mine",
                ] {
                    let at = rest.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
                    rest = &rest[at..];
                }
            }
        });
    }

    fn mentions_come_before_more_groups_than_an_email_lists(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let carol = app.user("carol").await;
            choose(&browser_of_alice(app).await, &["mention", "favourite"]).await;
            bob.publish("@alice hello").await;
            for number in 0..22 {
                let post = alice.publish(&format!("post {number}")).await;
                bob.act("favourite", &post).await;
                carol.act("favourite", &post).await;
            }
            alice.act_on("block", &carol).await;
            let mails = later(app, sink).await;
            let [mail] = &mails[..] else { panic!("{mails:?}") };
            let subject = mail.header("subject").unwrap();
            assert!(subject.starts_with("more than 20 new notifications"), "{subject}");
            let text = mail.text();
            let has = |line: &str| text.lines().any(|found| found == line);
            assert!(has("> @alice hello") && has("There are more in your app."), "{text}");
            assert!(has("> post 3") && !has("> post 2") && !text.contains("carol"), "{text}");
            assert_eq!(text.matches("bob favourited your post:").count(), 19, "{text}");
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
            assert!(path.contains("topics=mention,follow&"), "{path}");
            // A program that scans emails opens the link, which must not end anything.
            let asked = app.browser().get(&path).await;
            assert_eq!(asked.status, 200);
            let asked = asked.text();
            let button = "Send me no more of these emails";
            for part in ["Someone mentions me", "Someone follows me", button] {
                assert!(asked.contains(part), "{part}: {asked}");
            }
            assert!(!asked.contains("I was away"), "{asked}");
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
                let asked = app.browser().get(wrong).await;
                assert_eq!(asked.status, 404, "{wrong}");
                let page = asked.text();
                assert!(page.contains("This link is not valid"), "{page}");
                assert!(!page.contains("<form"), "{page}");
            }
            bob.publish("@alice again").await;
            assert_eq!(later(app, sink).await.len(), 2);
        });
    }

    fn an_inactive_account_gets_a_digest_once_a_week(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            choose(&browser_of_alice(app).await, &["digest"]).await;
            app.be_active(&alice).await;
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
