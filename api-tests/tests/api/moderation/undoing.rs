//! `POST /api/v1/admin/accounts/{id}/enable`, `unsensitive`, `unsilence` and `unsuspend`.

use crate::support::{STAFF_SCOPES, moderation::action_on};

/// An action, its end, and the field that shows it.
const ALL: [(&str, &str, &str); 4] = [
    ("disable", "enable", "disabled"),
    ("sensitive", "unsensitive", "sensitized"),
    ("silence", "unsilence", "silenced"),
    ("suspend", "unsuspend", "suspended"),
];

api_tests! {
    async fn a_restriction_ends_once(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        for (action, undo, field) in ALL {
            // Without the restriction there is nothing to end, and nothing to log.
            let before = app.audited(&bob).await.len();
            let refused = mo.lift(undo, &bob).await.expect(403);
            assert_eq!(refused["error"], "This action is not allowed", "{undo}");
            assert_eq!(app.audited(&bob).await.len(), before, "{undo}");
            mo.impose(action, &bob).await;
            let account = mo.lift(undo, &bob).await.ok();
            assert_eq!(account["id"], bob.id.as_str());
            assert_eq!(account[field], false, "{undo}");
            mo.lift(undo, &bob).await.expect(403);
            assert_eq!(app.audited(&bob).await.len(), before + 2, "{undo}");
        }
        assert_eq!(app.audited(&bob).await, [
            "disable", "enable", "mark_sensitive", "unmark_sensitive", "silence", "unsilence",
            "suspend", "unsuspend",
        ]);
    }

    // Without the permission, the state of the account does not show.
    async fn scope_and_permission_are_required_in_any_state(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        let eve = app.user("eve").await;
        let powerless = app.user_with_scopes(&eve, STAFF_SCOPES).await;
        let reader = app.user_with_scopes(&mo, "read write admin:read").await;
        for (action, undo, _) in ALL {
            let path = action_on(&bob, undo);
            for _ in 0..2 {
                app.anonymous().post(&path).await.expect(401);
                for client in [&powerless, &reader, &eve.client] {
                    client.post(&path).await.expect(403);
                }
                mo.impose(action, &bob).await;
            }
            for id in ["1", "abc"] {
                mo.post(&format!("/api/v1/admin/accounts/{id}/{undo}")).await.expect(404);
            }
        }
        assert_eq!(app.audited(&bob).await.len(), ALL.len());
    }
}
