//! What staff and people learn: notifications about sign-ups, and emails about sign-ups and
//! decisions.

use std::time::Duration;

use serde_json::Value;
use siskin_test_support::{MailSink, both_engines};

use crate::support::{TestApp, User, moderation::action_on, with_mail};

const NOTIFICATIONS: &str = "/api/v1/notifications?types[]=admin.sign_up";
const STAFF: &str = "mo@example.com";

/// Returns the names of the accounts in the notifications about sign-ups, sorted.
async fn announced(app: &TestApp, user: &User) -> Vec<String> {
    app.app().drain_jobs().await.unwrap();
    let listed = user.get(NOTIFICATIONS).await.ok();
    let name = |one: &Value| {
        assert_eq!(one["type"], "admin.sign_up");
        one["account"]["acct"].as_str().unwrap().to_owned()
    };
    let mut names: Vec<String> = listed.as_array().unwrap().iter().map(name).collect();
    names.sort();
    names
}

api_tests! {
    async fn staff_that_decide_get_a_notification(app: &TestApp) {
        let (mo, ada) = (app.staff("mo", "Moderator").await, app.staff("ada", "Admin").await);
        let alice = app.user("alice").await;
        app.ask_for_approval().await;
        app.signs_up("pia").await;
        app.app().change_setting("registrations".into(), "open".into()).await.unwrap();
        app.signs_up("quin").await;
        for staff in [&mo, &ada] {
            assert_eq!(announced(app, staff).await, ["pia", "quin"]);
        }
        assert!(announced(app, &alice).await.is_empty());
        let id = mo.get(NOTIFICATIONS).await.ids().remove(0);
        mo.get(&format!("/api/v1/notifications/{id}")).await.ok();
        // One without the role does not learn of sign-ups any more, and not of earlier ones either.
        app.give_role(&mo, None).await;
        assert!(announced(app, &mo).await.is_empty());
    }

    async fn sign_ups_form_groups(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        app.ask_for_approval().await;
        for name in ["ann", "bob", "cem"] {
            app.signs_up(name).await;
        }
        app.app().drain_jobs().await.unwrap();
        let grouped = mo.get("/api/v2/notifications").await.ok();
        let groups = grouped["notification_groups"].as_array().unwrap();
        let [group] = &groups[..] else { panic!("{grouped}") };
        assert_eq!((group["type"].as_str(), group["notifications_count"].as_i64()), (Some("admin.sign_up"), Some(3)));
        assert!(group["group_key"].as_str().unwrap().starts_with("admin.sign_up-"));
        assert_eq!(group["sample_account_ids"].as_array().unwrap().len(), 3);
        let path = format!("/api/v2/notifications/{}", group["group_key"].as_str().unwrap());
        assert_eq!(mo.get(&path).await.ok()["notification_groups"][0]["notifications_count"], 3);
        assert_eq!(mo.get(&format!("{path}/accounts")).await.ids().len(), 3);
        app.give_role(&mo, None).await;
        mo.get(&path).await.expect(404);
        mo.get(&format!("{path}/accounts")).await.expect(404);
    }

    async fn a_block_does_not_hide_a_sign_up_but_a_rejection_does(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        mo.patch("/api/v2/notifications/policy", &[("for_not_following", "drop")]).await.ok();
        app.ask_for_approval().await;
        let pia = app.signs_up("pia").await;
        assert_eq!(announced(app, &mo).await, ["pia"]);
        mo.post(&action_on(&pia, "reject")).await.ok();
        assert!(announced(app, &mo).await.is_empty());
    }

    async fn accounts_of_the_operator_are_not_announced(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        app.user("alice").await;
        assert!(announced(app, &mo).await.is_empty());
    }
}

both_engines! {
    fn an_unconfirmed_sign_up_is_announced_once_it_is_confirmed(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let mo = app.staff("mo", "Moderator").await;
            app.ask_for_approval().await;
            app.app().change_setting("email_confirmation".into(), "true".into()).await.unwrap();
            app.signs_up("pia").await;
            assert!(announced(app, &mo).await.is_empty());
            let link = app.mailed_link(sink, "pia@example.com").await;
            assert!(app.mails(sink, STAFF).await.is_empty());
            assert_eq!(app.browser().get(&link).await.status, 200);
            assert_eq!(announced(app, &mo).await, ["pia"]);
            assert_eq!(app.mails(sink, STAFF).await.len(), 1);
        });
    }

    fn staff_get_one_email_in_ten_minutes_with_the_reasons(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            app.staff("mo", "Moderator").await;
            app.ask_for_approval().await;
            app.signs_up("ann").await;
            let mails = app.mails(sink, STAFF).await;
            let [mail] = &mails[..] else { panic!("{mails:?}") };
            assert!(mail.header("subject").unwrap().contains("1 person waits"));
            assert!(mail.text().contains("@ann wrote:") && mail.text().contains("> ann likes birds"));
            for number in 0..40 {
                app.signs_up(&format!("spam{number}")).await;
            }
            app.advance(Duration::from_mins(9));
            assert_eq!(app.mails(sink, STAFF).await.len(), 1);
            app.advance(Duration::from_mins(2));
            let mails = app.mails(sink, STAFF).await;
            let [_, mail] = &mails[..] else { panic!("{mails:?}") };
            let text = mail.text();
            assert!(mail.header("subject").unwrap().contains("41 people wait"));
            assert!(text.contains("@spam39 wrote:") && !text.contains("@ann wrote:"), "{text}");
            assert!(text.contains("11 more wait"), "{text}");
            assert!(!text.contains("spam39@example.com"), "{text}");
            app.advance(Duration::from_hours(1));
            assert_eq!(app.mails(sink, STAFF).await.len(), 2);
        });
    }

    fn no_email_is_sent_if_all_are_decided_meanwhile(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let mo = app.staff("mo", "Moderator").await;
            app.ask_for_approval().await;
            app.signs_up("ann").await;
            assert_eq!(app.mails(sink, STAFF).await.len(), 1);
            let bob = app.signs_up("bob").await;
            app.app().drain_jobs().await.unwrap();
            for id in mo.listed_accounts("status=pending").await {
                mo.post(&format!("/api/v1/admin/accounts/{id}/approve")).await.ok();
            }
            app.advance(Duration::from_mins(11));
            assert_eq!(app.mails(sink, STAFF).await.len(), 1);
            bob.get("/api/v1/accounts/verify_credentials").await.ok();
            app.signs_up("cem").await;
            assert_eq!(app.mails(sink, STAFF).await.len(), 2);
        });
    }

    fn people_learn_of_the_decision(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let mo = app.staff("mo", "Moderator").await;
            app.ask_for_approval().await;
            let (ann, bob) = (app.signs_up("ann").await, app.signs_up("bob").await);
            mo.post(&action_on(&ann, "approve")).await.ok();
            mo.post(&action_on(&bob, "reject")).await.ok();
            let mails = app.mails(sink, "ann@example.com").await;
            let [mail] = &mails[..] else { panic!("{mails:?}") };
            assert!(mail.header("subject").unwrap().contains("approved"));
            assert_eq!(mail.link(app.base_url()).unwrap(), format!("{}/auth/sign_in", app.base_url()));
            let mails = app.mails(sink, "bob@example.com").await;
            let [mail] = &mails[..] else { panic!("{mails:?}") };
            assert!(mail.header("subject").unwrap().contains("not approved"));
            assert!(mail.text().contains("@bob") && !mail.text().contains("mo@"));
        });
    }

    // An unconfirmed address may belong to another person.
    fn an_unconfirmed_address_gets_no_rejection(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let mo = app.staff("mo", "Moderator").await;
            app.ask_for_approval().await;
            app.app().change_setting("email_confirmation".into(), "true".into()).await.unwrap();
            let (ann, bob) = (app.signs_up("ann").await, app.signs_up("bob").await);
            assert_eq!(app.mails(sink, "bob@example.com").await.len(), 1);
            let link = app.mailed_link(sink, "bob@example.com").await;
            mo.post(&action_on(&bob, "reject")).await.ok();
            assert_eq!(app.mails(sink, "bob@example.com").await.len(), 1);
            assert_eq!(app.browser().get(&link).await.status, 404);

            mo.post(&action_on(&ann, "approve")).await.ok();
            let mails = app.mails(sink, "ann@example.com").await;
            assert!(mails[1].text().contains("One step is missing"), "{mails:?}");
            let link = app.mailed_link(sink, "ann@example.com").await;
            assert_eq!(app.browser().get(&link).await.status, 200);
            ann.get("/api/v1/accounts/verify_credentials").await.ok();
        });
    }
}
