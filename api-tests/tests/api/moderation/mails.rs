//! Emails about strikes and appeals.

use serde_json::json;
use siskin_test_support::both_engines;

use crate::support::{id, moderation::action_on, with_mail};

const BOB: &str = "bob@example.com";

both_engines! {
    fn the_person_gets_one_email_about_each_strike(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (mo, bob) = (app.staff("moderatrix", "Moderator").await, app.user("bob").await);
            mo.act_against(&bob, json!({ "type": "silence", "text": "Be <kind>\n\nAlways" })).await;
            let mails = app.mails(sink, BOB).await;
            let [mail] = &mails[..] else { panic!("{mails:?}") };
            assert!(mail.header("subject").unwrap().starts_with("Your account was limited"));
            let text = mail.text();
            let strike = id(&bob.strikes().await[0]);
            let page = format!("{}/disputes/strikes/{strike}", app.base_url());
            for part in ["limited your account", "Be <kind>", "you can appeal until", &page] {
                assert!(text.contains(part), "{part}: {text}");
            }
            assert!(text.replace('\r', "").contains("> Be <kind>\n>\n> Always\n"), "{text}");
            let html = mail.html().replace('\r', "");
            assert!(html.contains("Be &lt;kind&gt;<br>\n<br>\nAlways<"), "{html}");
            assert!(!text.contains("moderatrix") && !mail.html().contains("moderatrix"));
            // What changes nothing, and what staff send without email.
            mo.impose("silence", &bob).await;
            let silent = json!({ "type": "none", "send_email_notification": false });
            mo.act_against(&bob, silent).await;
            let status = bob.publish("Rude").await;
            let silent = json!({ "type": "delete", "send_email_notification": "false" });
            mo.act_on_status(&status, silent).await.ok();
            mo.lift("unsilence", &bob).await.ok();
            assert_eq!(app.mails(sink, BOB).await.len(), 1);
            assert_eq!(bob.strikes().await.len(), 3);
            let status = bob.publish("Very & rude").await;
            mo.act_on_status(&status, json!({ "type": "delete" })).await.ok();
            let mails = app.mails(sink, BOB).await;
            assert!(mails[1].text().contains("Very & rude"), "{}", mails[1].text());
        });
    }

    // Those who lost their access learn why.
    fn suspended_and_disabled_people_get_their_email(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let mo = app.staff("mo", "Moderator").await;
            for (kind, part) in [("suspend", "deleted permanently after"), ("disable", "cannot sign in")] {
                let bob = app.user(&format!("bob_{kind}")).await;
                mo.impose(kind, &bob).await;
                let mails = app.mails(sink, &format!("bob_{kind}@example.com")).await;
                let [mail] = &mails[..] else { panic!("{kind}: {mails:?}") };
                let text = mail.text().replace('\n', " ");
                assert!(text.contains(part), "{text}");
            }
            let remote = app.remote("ann", "far.example").await;
            let path = format!("/api/v1/admin/accounts/{remote}/action");
            mo.json(&path, json!({ "type": "suspend" })).await.ok();
            app.settle().await;
        });
    }

    fn an_approved_appeal_brings_no_deleted_posts_back(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
            let bob = app.user("bob").await;
            let status = bob.publish("Rude").await;
            let silent = json!({ "type": "delete", "send_email_notification": false });
            mo.act_on_status(&status, silent).await.ok();
            let strike = id(&bob.strikes().await[0]);
            let path = format!("/api/v1/strikes/{strike}/appeal");
            bob.json(&path, json!({ "text": "It was satire." })).await.ok();
            let appeal = admin.get("/api/v1/admin/appeals?state=pending").await.ids().remove(0);
            admin.post(&format!("/api/v1/admin/appeals/{appeal}/approve")).await.ok();
            let mails = app.mails(sink, BOB).await;
            let text = mails.last().unwrap().text();
            assert!(text.contains("The deleted posts cannot be restored."), "{text}");
            assert!(!text.contains("taken back"), "{text}");
            app.settle().await;
        });
    }

    fn appeals_are_mailed_to_staff_and_their_results_to_the_person(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
            let bob = app.user("bob").await;
            for (kind, decision, result) in [("silence", "approve", "approved"), ("none", "reject", "rejected")] {
                let body = json!({ "type": kind, "send_email_notification": false });
                assert_eq!(mo.json(&action_on(&bob, "action"), body).await.ok(), json!({}));
                let strike = id(&bob.strikes().await[0]);
                let path = format!("/api/v1/strikes/{strike}/appeal");
                bob.json(&path, json!({ "text": "It was satire." })).await.ok();
                let to_admin = app.mails(sink, "admin@example.com").await;
                let mail = to_admin.last().unwrap();
                assert!(mail.header("subject").unwrap().contains("@bob"), "{mail:?}");
                assert!(!mail.text().contains("satire"), "{}", mail.text());
                let words = if kind == "silence" { "(Limited)" } else { "(Warning)" };
                assert!(mail.text().contains(words), "{}", mail.text());
                let appeal = admin.get("/api/v1/admin/appeals?state=pending").await.ids().remove(0);
                for _ in 0..2 {
                    admin.post(&format!("/api/v1/admin/appeals/{appeal}/{decision}")).await.ok();
                }
                let to_bob = app.mails(sink, BOB).await;
                let subject = to_bob.last().unwrap().header("subject").unwrap();
                assert!(subject.starts_with(&format!("Your appeal was {result}")), "{subject}");
                assert!(!to_bob.last().unwrap().text().contains("admin"));
            }
            assert_eq!(app.mails(sink, "admin@example.com").await.len(), 2);
            assert_eq!(app.mails(sink, BOB).await.len(), 2);
            assert!(app.mails(sink, "mo@example.com").await.is_empty());
        });
    }
}
