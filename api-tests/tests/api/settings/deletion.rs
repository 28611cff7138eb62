//! `/settings/delete-account`: deletion of an account by its owner.

use siskin_ids::AccountId;
use siskin_services::accounts::{self, Decision};
use siskin_test_support::{MailSink, both_engines, builders::PASSWORD};

use crate::{
    disputes::{decide, restricted},
    oauth::{hidden_fields, sign_in, signed_in},
    support::{Client, Response, TestApp, User, with_mail},
};

const PAGE: &str = "/settings/delete-account";

/// Sends the form with these values.
pub async fn delete(browser: &Client, values: &[(&str, &str)]) -> Response {
    let page = browser.get(PAGE).await.text();
    let mut form = hidden_fields(&page, PAGE);
    form.extend(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    browser.form(PAGE, &form).await
}

const RIGHT: [(&str, &str); 1] = [("current_password", PASSWORD)];

api_tests! {
    async fn a_deleted_account_is_hidden_at_once_and_removed_later(app: &TestApp) {
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        for number in 0..30 {
            ann.publish(&format!("Hello {number}")).await;
        }
        app.follow(&bob, &ann).await;
        let (browser, other) = (app.browser(), app.browser());
        for browser in [&browser, &other] {
            sign_in(browser, "ann", PASSWORD).await;
        }
        let response = delete(&browser, &RIGHT).await;
        assert_eq!(response.status, 200, "{response:?}");
        assert!(response.header("set-cookie").unwrap().contains("siskin_session=;"), "{response:?}");
        for browser in [&browser, &other] {
            assert_eq!(browser.get(PAGE).await.status, 302);
        }
        ann.credentials().await.expect(401);
        assert_eq!(app.anonymous().get("/@ann").await.status, 410);
        // The password does not help any more, not even for a restricted session.
        assert_eq!(sign_in(&app.browser(), "ann", PASSWORD).await.status, 422);
        app.app().drain_jobs().await.unwrap();
        app.anonymous().get(&format!("/api/v1/accounts/{}", ann.id)).await.expect(404);
        for path in ["/@ann", "/@Ann", "/@ann/with_replies"] {
            assert_eq!(app.anonymous().get(path).await.status, 410, "{path}");
        }
        assert_eq!(sign_in(&app.browser(), "ann", PASSWORD).await.status, 422);
        let bob = bob.credentials().await.ok();
        assert_eq!(bob["following_count"], 0);
        let retired = move |conn: &mut siskin_persistence::Conn| {
            Ok(siskin_persistence::accounts::is_retired(conn, "ann")?)
        };
        assert!(app.app().read(retired).await.unwrap());
    }

    async fn the_deletion_needs_the_password_and_a_csrf_token(app: &TestApp) {
        let browser = signed_in(app, "ann").await;
        let stranger = app.browser();
        assert_eq!(stranger.get(PAGE).await.status, 302);
        for client in [&stranger, &browser] {
            assert_eq!(client.form(PAGE, &RIGHT).await.status, 403);
        }
        let page = browser.get(PAGE).await.text();
        assert!(page.contains("@ann") && page.contains("/settings/export") && !page.contains("<script"));
        for wrong in ["", "wrong"] {
            let refused = delete(&browser, &[("current_password", wrong)]).await;
            assert_eq!(refused.status, 422);
            assert!(refused.text().contains("The password is wrong"), "{}", refused.text());
        }
        let account = browser.get("/settings/account").await.text();
        assert!(account.contains(&format!("href=\"{PAGE}\"")), "{account}");
        assert_eq!(app.anonymous().get("/@ann").await.status, 200);
    }

    async fn the_deletion_needs_the_code_of_a_second_factor(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let page = ann.browser.get(PAGE).await.text();
        assert!(page.contains("name=\"code\""), "{page}");
        let wrong = ann.app.wrong_code(app.app().now());
        for code in ["", &wrong] {
            let refused = delete(&ann.browser, &[RIGHT[0], ("code", code)]).await;
            assert_eq!(refused.status, 422);
            assert!(refused.text().contains("The code is wrong"), "{}", refused.text());
        }
        let code = app.next_code(&ann.app);
        let refused = delete(&ann.browser, &[("current_password", "wrong"), ("code", &code)]).await;
        assert!(refused.text().contains("The password is wrong"));
        assert_eq!(delete(&ann.browser, &[RIGHT[0], ("code", &code)]).await.status, 200);
        assert_eq!(app.anonymous().get("/@ann").await.status, 410);
    }

    async fn the_last_owner_cannot_delete_the_account(app: &TestApp) {
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let make_owner = async |user: &User| {
            let id: AccountId = user.id.parse().unwrap();
            app.app().write(move |tx| accounts::set_role(tx, id, Some("Owner"))).await.unwrap();
        };
        make_owner(&ann).await;
        let browser = app.browser();
        sign_in(&browser, "ann", PASSWORD).await;
        let refused = delete(&browser, &RIGHT).await;
        assert_eq!(refused.status, 422, "{refused:?}");
        assert!(refused.text().contains("This is the only owner of this server"));
        ann.credentials().await.ok();
        make_owner(&bob).await;
        assert_eq!(delete(&browser, &RIGHT).await.status, 200);
        app.app().drain_jobs().await.unwrap();
        app.anonymous().get("/api/v1/accounts/lookup?acct=ann").await.expect(404);
    }

    async fn suspended_and_disabled_people_can_delete_their_accounts(app: &TestApp) {
        for (name, decision) in
            [("sue", Decision::Suspended(true)), ("dan", Decision::Disabled(true))]
        {
            let user = app.user(name).await;
            user.publish("Hello").await;
            decide(app, &user, decision).await;
            let browser = restricted(app, &user).await;
            let refused = delete(&browser, &[("current_password", "wrong")]).await;
            assert_eq!(refused.status, 422);
            assert_eq!(delete(&browser, &RIGHT).await.status, 200);
            assert_eq!(browser.get("/disputes/strikes").await.status, 302);
            assert_eq!(sign_in(&app.browser(), name, PASSWORD).await.status, 422);
            app.app().drain_jobs().await.unwrap();
            app.anonymous().get(&format!("/api/v1/accounts/{}", user.id)).await.expect(404);
        }
    }
}

both_engines! {
    fn the_deletion_is_confirmed_by_email(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let browser = signed_in(app, "ann").await;
            assert!(browser.get(PAGE).await.text().contains("You get an email"));
            assert_eq!(delete(&browser, &RIGHT).await.status, 200);
            let mails = app.mails(sink, "ann@example.com").await;
            let [mail] = &mails[..] else { panic!("{mails:?}") };
            assert!(mail.header("subject").unwrap().starts_with("Your account was deleted"));
            let text = mail.text().replace('\n', " ");
            assert!(text.contains("Hello @ann,") && text.contains("at your request"), "{text}");
        });
    }
}
