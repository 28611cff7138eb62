//! The deletion of suspended accounts: by `DELETE /api/v1/admin/accounts/{id}`, and after 30 days.

use std::time::Duration;

use crate::support::{TestApp, User};

const DAY: Duration = Duration::from_hours(24);

async fn exists(app: &TestApp, user: &User) -> bool {
    app.app().drain_jobs().await.unwrap();
    let staff = app.anonymous().get(&format!("/api/v1/accounts/{}", user.id)).await;
    assert!(matches!(staff.status, 200 | 404), "{staff:?}");
    staff.status == 200
}

api_tests! {
    async fn only_suspended_accounts_are_deleted_and_only_once(app: &TestApp) {
        let (admin, mo) = (app.staff("admin", "Admin").await, app.staff("mo", "Moderator").await);
        let bob = app.user("bob").await;
        bob.publish("Hello").await;
        let path = format!("/api/v1/admin/accounts/{}", bob.id);
        app.anonymous().delete(&path).await.expect(401);
        admin.delete(&path).await.expect(403);
        admin.impose("suspend", &bob).await;
        // A moderator has no permission to delete data.
        mo.delete(&path).await.expect(403);
        app.user_with_scopes(&admin, "admin:read").await.delete(&path).await.expect(403);
        let before = admin.delete(&path).await.ok();
        assert_eq!((&before["username"], &before["suspended"]), (&"bob".into(), &true.into()));
        for refused in [admin.delete(&path).await, admin.lift("unsuspend", &bob).await] {
            assert!(matches!(refused.status, 403 | 404), "{refused:?}");
        }
        assert!(!exists(app, &bob).await);
        admin.delete(&path).await.expect(404);
        assert_eq!(app.audited(&bob).await, ["suspend", "delete"]);
        for id in ["1", "abc"] {
            admin.delete(&format!("/api/v1/admin/accounts/{id}")).await.expect(404);
        }
    }

    async fn a_suspended_account_is_deleted_after_thirty_days(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let (bob, carol) = (app.user("bob").await, app.user("carol").await);
        mo.impose("suspend", &bob).await;
        mo.impose("suspend", &carol).await;
        app.advance(29 * DAY);
        assert!(exists(app, &bob).await && exists(app, &carol).await);
        mo.lift("unsuspend", &bob).await.ok();
        mo.lift("unsuspend", &carol).await.ok();
        // A new suspension gets its own 30 days.
        mo.impose("suspend", &carol).await;
        app.advance(2 * DAY);
        assert!(exists(app, &bob).await && exists(app, &carol).await);
        app.advance(29 * DAY);
        assert!(exists(app, &bob).await && !exists(app, &carol).await);
    }
}
