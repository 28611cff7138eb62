//! `GET`, `PUT` and `DELETE /api/v1/scheduled_statuses/{id}`.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use siskin_persistence::{Conn, jobs};
use siskin_services::{jobs::Job as _, statuses::PublishScheduled};

use super::{PATH, ahead, path, schedule, waiting};
use crate::support::{Response, TestApp, User, id};

const NOT_FOUND: &str = r#"{"error":"Record not found"}"#;

async fn put(author: &User, scheduled: &Value, change: Value) -> Response {
    author.send(author.request(Method::PUT, &path(scheduled)).json(&change)).await
}

/// Returns the number of waiting jobs that publish a status.
async fn planned(app: &TestApp) -> usize {
    let payloads = |conn: &mut Conn| Ok(jobs::payloads(conn, PublishScheduled::KIND)?);
    app.app().read(payloads).await.unwrap().len()
}

api_tests! {
    async fn scheduled_statuses_are_accessible_to_their_author_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let scheduled = schedule(app, &alice, json!({ "status": "Later" })).await;
        assert_eq!(alice.get(&path(&scheduled)).await.ok(), scheduled);
        let status = alice.publish("Now").await;
        for strange in [path(&scheduled), format!("{PATH}/1"), format!("{PATH}/x"), path(&status)] {
            for method in [Method::GET, Method::PUT, Method::DELETE] {
                let response = bob.send(bob.request(method.clone(), &strange)).await;
                assert_eq!((response.status, response.text().as_str()), (404, NOT_FOUND), "{method}");
            }
        }
        assert_eq!(waiting(&alice).await, [id(&scheduled)]);
        // A scheduled status is not a status, not even for its author.
        let as_status = format!("/api/v1/statuses/{}", id(&scheduled));
        alice.get(&as_status).await.expect(404);
        alice.delete(&as_status).await.expect(404);
        let gone = alice.delete(&path(&scheduled)).await;
        assert_eq!((gone.status, gone.text().as_str()), (200, "{}"));
        alice.get(&path(&scheduled)).await.expect(404);
        alice.delete(&path(&scheduled)).await.expect(404);
        super::an_hour_later(app).await;
        assert_eq!(super::published(&alice).await, [status]);
    }

    async fn scheduled_statuses_need_the_scopes_of_statuses(app: &TestApp) {
        let alice = app.user("alice").await;
        let scheduled = schedule(app, &alice, json!({ "status": "Later" })).await;
        let path = path(&scheduled);
        let viewer = app.user_with_scopes(&alice, "read").await;
        let writer = app.user_with_scopes(&alice, "write:statuses").await;
        for method in [Method::GET, Method::PUT, Method::DELETE] {
            let anonymous = app.anonymous();
            anonymous.send(anonymous.request(method.clone(), &path)).await.expect(401);
            let (outside, inside) =
                if method == Method::GET { (&writer, &viewer) } else { (&viewer, &writer) };
            outside.send(outside.request(method.clone(), &path)).await.expect(403);
            inside.send(inside.request(method, &path)).await.ok();
        }
    }

    async fn a_scheduled_status_can_be_rescheduled(app: &TestApp) {
        let alice = app.user("alice").await;
        let scheduled = schedule(app, &alice, json!({ "status": "Later" })).await;
        for hours in [2, 3, 1] {
            let at = ahead(app, Duration::from_hours(hours));
            let changed = put(&alice, &scheduled, json!({ "scheduled_at": at })).await.ok();
            assert_eq!(changed["scheduled_at"], at);
            assert_eq!(changed["params"], scheduled["params"]);
            assert_eq!(alice.get(&path(&scheduled)).await.ok(), changed);
        }
        let at = ahead(app, Duration::from_hours(2));
        put(&alice, &scheduled, json!({ "scheduled_at": at })).await.ok();
        for nothing in [json!({}), json!({ "scheduled_at": "" })] {
            assert_eq!(put(&alice, &scheduled, nothing).await.ok()["scheduled_at"], at);
        }
        put(&alice, &scheduled, json!({ "scheduled_at": null })).await.expect(422);
        // No jobs for its earlier times are left.
        assert_eq!(planned(app).await, 1);
        super::an_hour_later(app).await;
        assert_eq!((waiting(&alice).await.len(), super::published(&alice).await.len()), (1, 0));
        super::an_hour_later(app).await;
        assert_eq!((waiting(&alice).await.len(), super::published(&alice).await.len()), (0, 1));
        super::an_hour_later(app).await;
        assert_eq!(super::published(&alice).await.len(), 1);
        put(&alice, &scheduled, json!({ "scheduled_at": at })).await.expect(404);
    }

    async fn invalid_and_near_times_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let scheduled = schedule(app, &alice, json!({ "status": "Later" })).await;
        for (at, why) in [
            (ahead(app, Duration::from_secs(299)), "must be at least 5 minutes in the future"),
            ("2020-01-01T00:00:00Z".to_owned(), "must be at least 5 minutes in the future"),
            ("garbage".to_owned(), "Record invalid"),
        ] {
            let refused = put(&alice, &scheduled, json!({ "scheduled_at": at })).await.expect(422);
            assert!(refused["error"].as_str().unwrap().ends_with(why), "{refused}");
        }
        assert_eq!(alice.get(&path(&scheduled)).await.ok(), scheduled);
        let at = ahead(app, Duration::from_mins(6));
        put(&alice, &scheduled, json!({ "scheduled_at": at })).await.ok();
    }

    async fn rescheduling_to_a_full_day_is_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let day = app.app().now().midnight().after(Duration::from_hours(48));
        let at = |minute: u64| day.after(Duration::from_mins(minute)).to_string();
        let mut last = Value::Null;
        for minute in 0..25 {
            let post = json!({ "status": "x", "scheduled_at": at(minute) });
            last = alice.json("/api/v1/statuses", post).await.ok();
        }
        let other = json!({ "status": "x", "scheduled_at": at(24 * 60) });
        let other = alice.json("/api/v1/statuses", other).await.ok();
        put(&alice, &other, json!({ "scheduled_at": at(1439) })).await.expect(422);
        put(&alice, &last, json!({ "scheduled_at": at(1439) })).await.ok();
        put(&alice, &last, json!({ "scheduled_at": at(1441) })).await.ok();
        put(&alice, &other, json!({ "scheduled_at": at(1439) })).await.ok();
    }
}
