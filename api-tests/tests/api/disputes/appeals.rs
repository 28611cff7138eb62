//! Strikes and appeals on pages.

use std::time::Duration;

use serde_json::json;
use siskin_test_support::builders::PASSWORD;

use super::{STRIKES, appeal, page_of_strike, restricted};
use crate::{
    oauth::{hidden_fields, sign_in, signed_in},
    support::{Client, TestApp, User},
};

const APPEALS: &str = "/api/v1/admin/appeals";

async fn browser_of(app: &TestApp, user: &User) -> Client {
    let browser = app.browser();
    sign_in(&browser, &user.username, PASSWORD).await;
    browser
}

api_tests! {
    async fn a_person_sees_own_strikes_without_the_moderator(app: &TestApp) {
        let (mo, bob) = (app.staff("moderatrix", "Moderator").await, app.user("bob").await);
        let browser = browser_of(app, &bob).await;
        assert!(browser.get(STRIKES).await.text().contains("There are none"));
        let rude = bob.publish("Rude & <b>bold</b>").await;
        let action = json!({ "type": "mark_as_sensitive", "text": "Be <script>kind</script>" });
        mo.act_on_status(&rude, action).await.ok();
        let page = page_of_strike(&bob).await;
        let list = browser.get(STRIKES).await.text();
        assert!(list.contains("Posts were marked as sensitive") && list.contains(&page), "{list}");
        let shown = browser.get(&page).await;
        assert_eq!(shown.status, 200);
        let text = shown.text();
        for part in ["Rude &#38; &#60;b&#62;bold", "Be &#60;script&#62;kind", "name=\"text\""] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("moderatrix") && !text.contains("<script"), "{text}");
        let eve = signed_in(app, "eve").await;
        assert_eq!(eve.get(&page).await.status, 404);
        assert!(eve.get(STRIKES).await.text().contains("There are none"));
        for strange in ["1", "abc", "0"] {
            assert_eq!(browser.get(&format!("{STRIKES}/{strange}")).await.status, 404);
        }
        let visitor = app.browser().get(&page).await;
        assert_eq!(visitor.status, 302);
        assert!(visitor.header("location").unwrap().contains("/auth/sign_in"));
    }

    async fn an_appeal_is_sent_once_and_its_outcome_is_shown(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        for (name, decision, outcome) in
            [("bob", "approve", "took their decision back"), ("eve", "reject", "decision stays")]
        {
            let user = app.user(name).await;
            mo.impose("silence", &user).await;
            let (browser, page) = (browser_of(app, &user).await, page_of_strike(&user).await);
            let blank = appeal(&browser, &page, " ").await;
            assert_eq!(blank.status, 422);
            assert!(blank.text().contains("Your appeal can&#39;t be blank."), "{blank:?}");
            let long = "x".repeat(2001);
            let refused = appeal(&browser, &page, &long).await;
            assert!(refused.status == 422 && refused.text().contains(&long));
            let form = hidden_fields(&browser.get(&page).await.text(), &format!("{page}/appeal"));
            let sent = appeal(&browser, &page, "It was <i>satire</i>.").await;
            assert_eq!(sent.status, 303, "{}", sent.text());
            let location = sent.header("location").unwrap().strip_prefix(app.base_url()).unwrap();
            let shown = browser.get(location).await.text();
            assert!(shown.contains("role=\"status\"") && shown.contains("not decided"), "{shown}");
            assert!(shown.contains("It was &#60;i&#62;satire") && !shown.contains("name=\"text\""));
            let mut again = form.clone();
            again.push(("text".to_owned(), "Again".to_owned()));
            let again = browser.form(&format!("{page}/appeal"), &again).await;
            assert!(again.status == 403 && again.text().contains("already appealed"));
            assert!(browser.get("/disputes/appeals").await.text().contains("There are none"));
            let id = admin.get(&format!("{APPEALS}?state=pending")).await.ids().remove(0);
            admin.post(&format!("{APPEALS}/{id}/{decision}")).await.ok();
            let shown = browser.get(&page).await.text();
            assert!(shown.contains(outcome) && !shown.contains("admin"), "{shown}");
            let log = browser.get("/disputes/appeals").await.text();
            assert!(log.contains(&page) && !log.contains("There are none"), "{log}");
        }
    }

    async fn an_approved_appeal_does_not_bring_deleted_posts_back(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        let bob = app.user("bob").await;
        let rude = bob.publish("Rude").await;
        mo.act_on_status(&rude, json!({ "type": "delete" })).await.ok();
        let (browser, page) = (browser_of(app, &bob).await, page_of_strike(&bob).await);
        assert_eq!(appeal(&browser, &page, "It was satire.").await.status, 303);
        let id = admin.get(APPEALS).await.ids().remove(0);
        admin.post(&format!("{APPEALS}/{id}/approve")).await.ok();
        let words = "The strike no longer counts. The deleted posts cannot be restored.";
        let shown = browser.get(&page).await.text();
        assert!(shown.contains(words) && shown.contains("The moderators approved it."), "{shown}");
        let list = browser.get(STRIKES).await.text();
        assert!(list.contains("The strike no longer counts."), "{list}");
        for text in [shown, list] {
            assert!(!text.contains("took") && !text.contains("Taken back"), "{text}");
        }
    }

    async fn a_restriction_that_has_ended_is_said_to_have_ended(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        for (kind, lift, lasting) in [
            ("silence", "unsilence", "Only your followers"),
            ("sensitive", "unsensitive", "All your media are hidden"),
            ("suspend", "unsuspend", "They will be deleted permanently"),
            ("disable", "enable", "You cannot use your account"),
        ] {
            mo.impose(kind, &bob).await;
            let page = format!("{STRIKES}/{}", admin_strikes(app, &bob).await);
            let browser = browser_of(app, &bob).await;
            let shown = browser.get(&page).await.text();
            assert!(shown.contains(lasting) && !shown.contains("It has ended"), "{shown}");
            mo.lift(lift, &bob).await.ok();
            let shown = browser_of(app, &bob).await.get(&page).await.text();
            assert!(shown.contains("It has ended") && !shown.contains(lasting), "{shown}");
            assert!(!shown.contains("took this decision back"), "{shown}");
        }
    }

    async fn an_appeal_is_not_possible_after_twenty_days(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        mo.impose("silence", &bob).await;
        let (browser, page) = (browser_of(app, &bob).await, page_of_strike(&bob).await);
        let form = hidden_fields(&browser.get(&page).await.text(), &format!("{page}/appeal"));
        app.advance(Duration::from_hours(20 * 24));
        let late = browser.get(&page).await.text();
        assert!(late.contains("has passed") && !late.contains("name=\"text\""), "{late}");
        let mut form = form;
        form.push(("text".to_owned(), "Late".to_owned()));
        let refused = browser.form(&format!("{page}/appeal"), &form).await;
        assert!(refused.status == 403 && refused.text().contains("too late"));
    }

    async fn appeals_need_the_csrf_token(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        mo.impose("suspend", &bob).await;
        // Tokens of suspended people are refused, so staff look the strike up.
        let strikes = admin_strikes(app, &bob).await;
        let browser = restricted(app, &bob).await;
        let action = format!("{STRIKES}/{strikes}/appeal");
        assert_eq!(browser.form(&action, &[("text", "No")]).await.status, 403);
        let stranger = app.browser();
        assert_eq!(stranger.form(&action, &[("text", "No")]).await.status, 403);
        let sent = appeal(&browser, &format!("{STRIKES}/{strikes}"), "No").await;
        assert_eq!(sent.status, 303);
    }

    async fn an_approved_appeal_of_a_suspended_person_lets_them_in_again(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        let bob = app.user("bob").await;
        mo.impose("suspend", &bob).await;
        let browser = restricted(app, &bob).await;
        let page = format!("{STRIKES}/{}", admin_strikes(app, &bob).await);
        assert!(browser.get(&page).await.text().contains("Your account is suspended"));
        assert_eq!(appeal(&browser, &page, "It was satire.").await.status, 303);
        let id = admin.get(APPEALS).await.ids().remove(0);
        admin.post(&format!("{APPEALS}/{id}/approve")).await.ok();
        // The restricted session ends, and the person signs in as before.
        assert_eq!(browser.get(&page).await.status, 302);
        let browser = browser_of(app, &bob).await;
        assert!(browser.get(&page).await.text().contains("took their decision back"));
        assert_eq!(browser.get("/settings/profile").await.status, 200);
        bob.credentials().await.ok();
    }
}

/// Returns the id of the latest strike against a person.
async fn admin_strikes(app: &TestApp, user: &User) -> String {
    let account = user.id.parse().unwrap();
    let request = siskin_entities::PageRequest::newest(1);
    let load = move |conn: &mut siskin_persistence::Conn| {
        siskin_services::moderation::strikes::of_account(conn, account, request)
    };
    app.app().read(load).await.unwrap().items[0].id.to_string()
}
