//! Emails to staff about entries that need a review.

use std::time::Duration;

use siskin_entities::AccountState;
use siskin_server::Config;
use siskin_test_support::{
    MailSink, both_engines,
    site::{Site, page},
};

use crate::support::{
    GOOD, TestApp, User,
    trends::{all_favourite, all_publish},
    with_mail, with_mail_and,
};

const MOD: &str = "mod@example.com";

async fn moderator(app: &TestApp, name: &str) -> User {
    let user = app.user(name).await;
    app.give_role(&user, Some("Moderator")).await;
    user
}

both_engines! {
    fn staff_are_told_of_each_entry_once_and_at_most_every_two_hours(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            moderator(app, "mod").await;
            let crowd = app.crowd("crowd", 15).await;
            let author = app.famous("author").await;
            let status = author.publish("Look at this").await;
            all_favourite(&crowd, &status).await;
            all_publish(&crowd, "#siskin https://news.example/birds").await;
            app.make_article("https://news.example/birds").await;
            app.count_trends().await;
            let mails = app.mails(sink, MOD).await;
            assert_eq!(mails.len(), 1);
            let text = mails[0].text();
            assert!(mails[0].header("subject").unwrap().contains("Trends need a review"));
            let page = format!("{}/admin/trends", app.base_url());
            for listed in
                ["#siskin", "https://news.example/birds", status["url"].as_str().unwrap(), &page]
            {
                assert!(text.contains(listed), "{listed}: {text}");
            }

            app.count_trends().await;
            app.advance(Duration::from_mins(90));
            all_publish(&crowd, "#finch").await;
            app.count_trends().await;
            assert_eq!(app.mails(sink, MOD).await.len(), 1);
            app.advance(Duration::from_mins(31));
            app.count_trends().await;
            let mails = app.mails(sink, MOD).await;
            assert_eq!(mails.len(), 2);
            let text = mails[1].text();
            assert!(text.contains("#finch") && !text.contains("#siskin"), "{text}");

            app.advance(Duration::from_hours(3));
            app.count_trends().await;
            assert_eq!(app.mails(sink, MOD).await.len(), 2);
        });
    }

    // Title and address of a page are chosen by strangers.
    fn the_html_of_an_email_is_escaped(database: &TestDatabase) {
        let title = "Birds &lt;b&gt;in bold&lt;/b&gt; &amp;amp; &lt;img src=x onerror=alert(1)&gt;";
        let html = format!("<title>{title}</title><meta property=og:type content=article>");
        let site = Site::start(move |_| page(&html));
        let allowed = site.address();
        let allow = |config: &mut Config| config.outbound_allow.push(allowed);
        with_mail_and(database, allow, async |app: &TestApp, sink: &MailSink| {
            moderator(app, "mod").await;
            let crowd = app.crowd("crowd", 15).await;
            let address = site.url("/news?a=1&lt=2");
            all_publish(&crowd, &format!("#siskin {address}")).await;
            app.app().drain_jobs().await.unwrap();
            app.count_trends().await;
            let mails = app.mails(sink, MOD).await;
            let [mail] = &mails[..] else { panic!("{mails:?}") };
            let (text, html) = (mail.text(), mail.html());
            let plain = "(Birds <b>in bold</b> &amp; <img src=x onerror=alert(1)>)";
            assert!(text.contains(&format!("{address} {plain}")), "{text}");
            for part in [
                "the hashtag #siskin<br>",
                "(Birds &lt;b&gt;in bold&lt;/b&gt; &amp;amp; &lt;img src=x onerror=alert(1)&gt;)",
                "/news?a=1&amp;lt=2 (Birds",
            ] {
                assert!(html.contains(part), "{part}: {html}");
            }
            for tag in ["<b>", "</b>", "<img"] {
                assert!(!html.contains(tag), "{tag}: {html}");
            }
        });
    }

    fn only_active_staff_with_the_permission_get_emails(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            for (name, state) in [
                ("suspended", AccountState { suspended: true, ..GOOD }),
                ("mod", GOOD),
            ] {
                let user = moderator(app, name).await;
                app.set_state(&user, state).await;
            }
            let admin = app.user("admin").await;
            app.give_role(&admin, Some("Admin")).await;
            let crowd = app.crowd("crowd", 5).await;
            all_publish(&crowd, "#siskin").await;
            app.count_trends().await;
            app.app().drain_jobs().await.unwrap();
            let mut to: Vec<String> = sink.mails().into_iter().flat_map(|mail| mail.to).collect();
            to.sort_unstable();
            assert_eq!(to, ["admin@example.com", MOD]);
        });
    }

    fn nothing_is_reported_without_a_need(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            moderator(app, "mod").await;
            app.trend_by_default().await;
            let crowd = app.crowd("crowd", 5).await;
            all_publish(&crowd, "#siskin").await;
            app.count_trends().await;
            assert!(app.mails(sink, MOD).await.is_empty());
        });
    }
}
