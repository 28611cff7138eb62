//! `DELETE /api/v1/admin/accounts/{id}/second_factor`.

use futures_util::future::join_all;
use siskin_persistence::Tx;
use siskin_services::{
    accounts,
    moderation::{act::Decider, second_factors},
};
use siskin_test_support::{MailSink, both_engines, builders::PASSWORD};

use crate::{
    oauth::sign_in,
    support::{STAFF_SCOPES, TestApp, User, second_factors::SETTINGS, with_mail},
};

const ANN: &str = "ann@example.com";

fn path(user: &User) -> String {
    format!("/api/v1/admin/accounts/{}/second_factor", user.id)
}

/// Returns how often the audit log names a removal.
async fn removals(staff: &User, user: &User) -> usize {
    let actions = staff.audited("account", &user.id).await;
    actions.iter().filter(|action| *action == "remove_second_factor").count()
}

api_tests! {
    async fn only_staff_with_the_permission_and_a_higher_rank_remove_it(app: &TestApp) {
        let ann = app.guarded("ann").await;
        let (moderator, admin) = (app.staff("mo", "Moderator").await, app.staff("ada", "Admin").await);
        let (peer, owner) = (app.staff("abe", "Admin").await, app.staff("boss", "Owner").await);
        let plain = app.user_with_scopes(&ann.user, STAFF_SCOPES).await;
        let reader = app.user_with_scopes(&admin, "admin:read").await;
        app.anonymous().delete(&path(&ann.user)).await.expect(401);
        for client in [&plain, &moderator.client, &reader] {
            client.delete(&path(&ann.user)).await.expect(403);
        }
        for above in [&admin, &peer, &owner] {
            admin.delete(&path(above)).await.expect(403);
        }
        for unknown in ["7", "x", "0"] {
            let path = format!("/api/v1/admin/accounts/{unknown}/second_factor");
            admin.delete(&path).await.expect(404);
        }
        assert!(ann.browser.get(SETTINGS).await.text().contains("You have 10 left"));
        assert_eq!(removals(&admin, &ann.user).await, 0);
        let writer = app.user_with_scopes(&admin, "admin:write:accounts").await;
        assert_eq!(writer.delete(&path(&ann.user)).await.ok(), serde_json::json!({}));
        assert_eq!(removals(&admin, &ann.user).await, 1);
    }

    async fn a_removal_without_a_second_factor_changes_nothing(app: &TestApp) {
        let (ann, admin) = (app.user("ann").await, app.staff("ada", "Admin").await);
        let far = app.user_of("zoe", "far.example").await;
        for user in [&ann, &far] {
            assert_eq!(admin.delete(&path(user)).await.ok(), serde_json::json!({}));
            assert_eq!(removals(&admin, user).await, 0);
        }
    }

    async fn parallel_removals_are_logged_once(app: &TestApp) {
        let (ann, admin) = (app.guarded("ann").await, app.staff("ada", "Admin").await);
        let tries = (0..50).map(|_| {
            let (client, path) = (admin.client.clone(), path(&ann.user));
            async move { client.delete(&path).await.status }
        });
        assert!(join_all(tries).await.iter().all(|status| *status == 200));
        assert_eq!(removals(&admin, &ann.user).await, 1);
    }

    async fn the_operator_is_above_all(app: &TestApp) {
        let boss = app.guarded("boss").await;
        app.give_role(&boss.user, Some("Owner")).await;
        let owner = app.user_with_scopes(&boss.user, STAFF_SCOPES).await;
        owner.delete(&path(&boss.user)).await.expect(403);
        let account = boss.user.id.parse().unwrap();
        let remove = move |tx: &mut Tx<'_>| second_factors::remove(tx, Decider::Operator, account);
        assert!(app.app().write(remove).await.unwrap());
        let again = move |tx: &mut Tx<'_>| second_factors::remove(tx, Decider::Operator, account);
        assert!(!app.app().write(again).await.unwrap());
        let logged = owner.audited("account", &boss.user.id).await;
        assert_eq!(logged[0], "remove_second_factor");
        // A deleted account leaves nothing behind.
        let ann = app.guarded("ann").await.user.id.parse().unwrap();
        app.app().write(move |tx| accounts::removal::begin(tx, ann)).await.unwrap();
        app.app().drain_jobs().await.unwrap();
    }
}

both_engines! {
    fn the_password_alone_signs_in_after_a_removal(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let (ann, admin) = (app.guarded("ann").await, app.staff("ada", "Admin").await);
            let waiting = app.waiting("ann").await;
            admin.delete(&path(&ann.user)).await.ok();
            assert!(ann.browser.is_signed_in().await, "sessions stay");
            assert_eq!(waiting.get("/auth/second_factor").await.status, 302);
            let browser = app.browser();
            sign_in(&browser, "ann", PASSWORD).await;
            assert!(browser.is_signed_in().await);
            let mails = app.mails(sink, ANN).await;
            let text = mails.last().unwrap().text();
            assert!(mails.len() == 2 && text.contains("the staff of"), "{mails:?}");
            assert!(text.contains(SETTINGS) && !text.contains("ada"), "{text}");
        });
    }
}
