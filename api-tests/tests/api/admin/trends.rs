//! `/api/v1/admin/trends`.

use serde_json::json;

use crate::support::{
    id,
    trends::{all_favourite, all_publish, each},
};

const KINDS: [&str; 3] = ["tags", "links", "statuses"];

fn list(kind: &str) -> String {
    format!("/api/v1/admin/trends/{kind}")
}

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.give_role(&bob, Some("Moderator")).await;
        let owner = app.user("owner").await;
        app.give_role(&owner, Some("Owner")).await;
        let reads = app.user_with_scopes(&bob, "read write admin:read").await;
        let writes = app.user_with_scopes(&bob, "read write admin:write").await;
        let owner = app.user_with_scopes(&owner, "admin:read admin:write").await;
        let powerless = app.user_with_scopes(&alice, "read write admin:read admin:write").await;
        let refused = "This action is not allowed";
        for kind in KINDS {
            let path = list(kind);
            app.anonymous().get(&path).await.expect(401);
            assert_eq!(powerless.get(&path).await.expect(403)["error"], refused);
            alice.get(&path).await.expect(403);
            bob.get(&path).await.expect(403);
            writes.get(&path).await.expect(403);
            assert_eq!(reads.get(&path).await.ok(), json!([]));
            assert_eq!(owner.get(&path).await.ok(), json!([]));
            for action in ["approve", "reject"] {
                let path = format!("{path}/1/{action}");
                app.anonymous().post(&path).await.expect(401);
                powerless.post(&path).await.expect(403);
                reads.post(&path).await.expect(403);
                writes.post(&path).await.expect(404);
            }
        }
        app.give_role(&bob, None).await;
        assert_eq!(reads.get(&list("tags")).await.expect(403)["error"], refused);
    }

    // Staff see through these routes nothing that only others may see.
    async fn private_entries_cannot_be_reviewed(app: &TestApp) {
        let staff = app.moderator("mod").await;
        let alice = app.user("alice").await;
        for visibility in ["unlisted", "private", "direct"] {
            let text = json!({ "status": "#secret", "visibility": visibility });
            let status = alice.publish_as(text).await;
            staff.post(&format!("{}/{}/approve", list("statuses"), id(&status))).await.expect(404);
            if visibility == "unlisted" {
                alice.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
            }
        }
        let tag = alice.post("/api/v1/tags/secret/follow").await.ok();
        staff.post(&format!("{}/{}/approve", list("tags"), id(&tag))).await.expect(404);
    }

    async fn the_lists_have_pages(app: &TestApp) {
        let crowd = app.crowd("crowd", 5).await;
        all_publish(&crowd, "#a1 #b1 #c1").await;
        for name in ["ann", "ben", "cal"] {
            let status = app.famous(name).await.publish("Hello").await;
            all_favourite(&crowd, &status).await;
        }
        app.count_trends().await;
        let staff = app.moderator("mod").await;
        for kind in ["tags", "statuses"] {
            let first = staff.get(&format!("{}?limit=2", list(kind))).await;
            assert_eq!(first.ids().len(), 2);
            let next = staff.get(&first.link("next").unwrap()).await;
            assert_eq!(next.ids().len(), 1);
            assert!(next.link("next").is_none() && next.link("prev").is_some());
            let empty = staff.get(&format!("{}?limit=2&offset=4", list(kind))).await;
            assert_eq!((empty.ok(), empty.link("next")), (json!([]), None), "{kind}");
            let before = format!("{}{}?limit=2&offset=2", app.base_url(), list(kind));
            assert_eq!(empty.link("prev"), Some(before), "{kind}");
            assert_eq!(staff.get(&format!("{}?limit=-1", list(kind))).await.status, 400);
        }
        assert_eq!(each(&staff.get(&list("tags")).await.ok(), "name").len(), 3);
    }

    // Blocks by a member of staff do not change the list.
    async fn blocks_of_staff_hide_nothing(app: &TestApp) {
        let crowd = app.crowd("crowd", 5).await;
        let author = app.famous("author").await;
        let status = author.publish("Hello").await;
        all_favourite(&crowd, &status).await;
        app.count_trends().await;
        let staff = app.moderator("mod").await;
        staff.post(&format!("/api/v1/accounts/{}/block", author.id)).await.ok();
        assert_eq!(staff.get(&list("statuses")).await.ids(), [id(&status)]);
        assert_eq!(staff.get("/api/v1/trends/statuses").await.ok(), json!([]));
    }
}
