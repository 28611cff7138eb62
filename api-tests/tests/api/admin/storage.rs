//! `/api/v1/admin/storage`.

use std::time::Duration;

use serde_json::Value;

use crate::support::pictures::png;

const STORAGE: &str = "/api/v1/admin/storage";

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let (alice, staff) = (app.user("alice").await, app.staff("mo", "Moderator").await);
        app.anonymous().get(STORAGE).await.expect(401);
        alice.get(STORAGE).await.expect(403);
        app.user_with_scopes(&alice, "read admin:read").await.get(STORAGE).await.expect(403);
        app.user_with_scopes(&staff, "admin:read:reports").await.get(STORAGE).await.expect(403);
        staff.get(STORAGE).await.ok();
    }

    async fn the_database_the_files_and_the_jobs_have_sizes(app: &TestApp) {
        let (alice, staff) = (app.user("alice").await, app.staff("mo", "Moderator").await);
        let before = staff.get(STORAGE).await.ok();
        assert!(before["media"]["listed_at"].is_null(), "{before}");
        alice.upload_media(png(20, 20), "A bird").await;
        for prefix in 0..=u8::MAX {
            app.app().sweep_files(prefix).await.unwrap();
        }
        let used = staff.get(STORAGE).await.ok();
        let database = &used["database"];
        assert!(database["bytes"].as_i64().unwrap() > 100_000, "{used}");
        assert!(["sqlite", "postgresql"].contains(&database["software"].as_str().unwrap()));
        let tables = database["tables"].as_array().unwrap();
        let rows = |name: &str| {
            tables.iter().find(|table| table["name"] == name).unwrap()["rows"].as_i64().unwrap()
        };
        assert!(rows("statuses") >= 0 && tables.len() > 10, "{used}");
        let media = &used["media"];
        let is_picture = |files: &&Value| files["kind"] == "picture";
        let pictures = media["kinds"].as_array().unwrap().iter().find(is_picture).unwrap();
        assert!(pictures["files"].as_i64().unwrap() >= 2, "{media}");
        assert!(pictures["bytes"].as_i64().unwrap() > 0, "{media}");
        assert!(media["bytes"].as_i64() >= pictures["bytes"].as_i64(), "{media}");
        assert!(media["listed_at"].is_string(), "{media}");
        assert!(media["free_bytes"].as_u64() > Some(0), "{media}");
        assert_eq!(used["jobs"]["dead"], 0);
        assert!(used["jobs"]["due"].is_i64() && used["jobs"]["later"].is_i64(), "{used}");
    }

    // SQLite counts whole tables, so it does so at most once an hour.
    async fn numbers_of_rows_are_counted_once_an_hour(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        let rows = async || staff.get(STORAGE).await.ok()["database"]["tables"][0]["rows"].as_i64();
        let first = rows().await;
        app.user("alice").await;
        assert_eq!(rows().await, first);
        app.advance(Duration::from_hours(1));
        let later = rows().await;
        // PostgreSQL estimates, and knows nothing at first.
        let one_more = first.map(|rows| rows + 1);
        assert!(later == one_more || later == first || first == Some(0), "{first:?} {later:?}");
    }
}
