//! `/api/v1/admin/jobs`.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use siskin_entities::TargetKind;
use siskin_persistence::{Tx, jobs};

use crate::support::{TestApp, trends::each};

const JOBS: &str = "/api/v1/admin/jobs";
/// No worker has a handler for these kinds.
const KIND: &str = "test.broken";
const OTHER: &str = "test.waiting";

/// How a job fails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    ForGood,
    ForNow,
}

impl TestApp {
    async fn enqueued(&self, kind: &'static str) -> String {
        let insert = move |tx: &mut Tx<'_>| {
            let now = tx.now();
            Ok(jobs::insert(tx, kind, r#"{"secret":"marzipan"}"#, now)?)
        };
        self.app().write(insert).await.unwrap().to_string()
    }

    /// Enqueues a job and lets it fail.
    pub async fn failed(&self, failure: Failure) -> String {
        let id = self.enqueued(KIND).await;
        let fail = move |tx: &mut Tx<'_>| {
            let claim = jobs::claim(tx, &[KIND], |_| Duration::from_secs(60))?.unwrap();
            let later = tx.now().after(Duration::from_hours(1));
            let retry_at = (failure == Failure::ForNow).then_some(later);
            Ok(jobs::fail(tx, &claim, "550 <bob@mail.test> refused", retry_at)?)
        };
        self.app().write(fail).await.unwrap();
        id
    }

    pub async fn audited_job(&self, id: &str) -> Vec<&'static str> {
        let entries = self.audit_of(TargetKind::Job, id).await;
        entries.iter().map(|entry| entry.action.as_str()).collect()
    }
}

fn to(id: &str, action: &str) -> String {
    format!("{JOBS}/{id}/{action}")
}

api_tests! {
    async fn only_operators_among_staff_see_and_change_jobs(app: &TestApp) {
        let (alice, owner) = (app.user("alice").await, app.staff("boss", "Owner").await);
        let moderator = app.staff("mo", "Moderator").await;
        let admin = app.staff("ada", "Admin").await;
        let reads = app.user_with_scopes(&owner, "admin:read").await;
        let writes = app.user_with_scopes(&owner, "admin:write").await;
        let id = app.failed(Failure::ForGood).await;
        app.anonymous().get(JOBS).await.expect(401);
        for refused in [&alice.client, &moderator, &admin, &writes] {
            refused.get(JOBS).await.expect(403);
        }
        for action in ["retry", "discard"] {
            app.anonymous().post(&to(&id, action)).await.expect(401);
            for refused in [&alice.client, &moderator, &admin, &reads] {
                refused.post(&to(&id, action)).await.expect(403);
            }
            let unknown = writes.post(&to("1", action)).await.expect(404);
            assert_eq!(unknown["error"], "Record not found");
        }
        assert_eq!(reads.get(JOBS).await.ids(), std::slice::from_ref(&id));
        writes.post(&to(&id, "discard")).await.ok();
    }

    async fn a_job_is_shown_without_private_content(app: &TestApp) {
        let owner = app.staff("boss", "Owner").await;
        let dead = app.failed(Failure::ForGood).await;
        let response = owner.get(JOBS).await;
        assert!(!response.text().contains("marzipan") && !response.text().contains("bob@mail"));
        let job = response.ok()[0].clone();
        assert_eq!(job["id"], dead);
        assert_eq!((&job["kind"], &job["state"]), (&json!(KIND), &json!("dead")));
        assert_eq!((&job["attempts"], &job["running"]), (&json!(1), &json!(false)));
        assert_eq!(job["last_error"], "550 […] refused");
        assert!(job["dead_at"].is_string() && job["host"].is_null(), "{job}");
        let waiting = app.enqueued(OTHER).await;
        let listed = owner.get(&format!("{JOBS}?state=waiting")).await.ok();
        let job = listed.as_array().unwrap().iter().find(|job| job["id"] == waiting.as_str());
        let job = job.unwrap();
        assert!(job["last_error"].is_null() && job["dead_at"].is_null(), "{job}");
        let refused = owner.get(&format!("{JOBS}?state=lost")).await.expect(422);
        assert_eq!(refused["error"], "Validation failed: State is not included in the list");
        owner.post(&to(&dead, "discard")).await.ok();
        remove(app, &waiting).await;
    }

    async fn the_list_has_pages(app: &TestApp) {
        let owner = app.staff("boss", "Owner").await;
        let mut ids = Vec::new();
        for _ in 0..5 {
            ids.insert(0, app.failed(Failure::ForGood).await);
        }
        assert_eq!(owner.walk(&format!("{JOBS}?state=dead&limit=2")).await, ids);
        let first = owner.get(&format!("{JOBS}?limit=2")).await;
        assert_eq!(first.ids(), ids[..2]);
        assert!(first.link("prev").unwrap().contains("min_id="));
        for id in &ids {
            owner.post(&to(id, "discard")).await.ok();
        }
        assert_eq!(owner.get(JOBS).await.ok(), json!([]));
    }

    async fn a_failed_job_can_run_again_or_be_discarded(app: &TestApp) {
        let owner = app.staff("boss", "Owner").await;
        for failure in [Failure::ForGood, Failure::ForNow] {
            let id = app.failed(failure).await;
            let job = owner.post(&to(&id, "retry")).await.ok();
            assert_eq!((&job["id"], &job["state"]), (&json!(id), &json!("waiting")));
            assert_eq!((&job["attempts"], &job["dead_at"]), (&json!(0), &json!(null)));
            assert_eq!(owner.get(JOBS).await.ok(), json!([]));
            // It is due already.
            assert_eq!(owner.post(&to(&id, "retry")).await.ok(), job);
            assert_eq!(app.audited_job(&id).await, ["retry"]);
            assert_eq!(owner.post(&to(&id, "discard")).await.ok(), json!({}));
            owner.post(&to(&id, "discard")).await.expect(404);
            owner.post(&to(&id, "retry")).await.expect(404);
            assert_eq!(app.audited_job(&id).await, ["retry", "delete"]);
        }
    }

    async fn jobs_that_did_not_fail_or_are_running_stay(app: &TestApp) {
        let owner = app.staff("boss", "Owner").await;
        let id = app.enqueued(OTHER).await;
        for action in ["retry", "discard"] {
            let refused = owner.post(&to(&id, action)).await.expect(422);
            assert_eq!(refused["error"], "Validation failed: Job has not failed");
        }
        let claim = |tx: &mut Tx<'_>| Ok(jobs::claim(tx, &[OTHER], |_| Duration::from_secs(60))?);
        app.app().write(claim).await.unwrap().unwrap();
        for action in ["retry", "discard"] {
            let refused = owner.post(&to(&id, action)).await.expect(422);
            assert_eq!(refused["error"], "Validation failed: Job is running");
        }
        let listed = owner.get(&format!("{JOBS}?state=waiting")).await.ok();
        assert!(each(&listed, "id").contains(&id));
        assert_eq!(app.audited_job(&id).await, Vec::<&str>::new());
        remove(app, &id).await;
    }

    async fn parallel_decisions_leave_one_entry_each(app: &TestApp) {
        let owner = app.staff("boss", "Owner").await;
        let id = app.failed(Failure::ForGood).await;
        for (action, successes) in [("retry", 50), ("discard", 1)] {
            let path = to(&id, action);
            let responses = join_all((0..50).map(|_| owner.post(&path))).await;
            let done = responses.iter().filter(|response| response.status == 200).count();
            assert_eq!(done, successes, "{action}");
        }
        assert_eq!(app.audited_job(&id).await, ["retry", "delete"]);
    }
}

/// Removes a job that no worker runs.
async fn remove(app: &TestApp, id: &str) {
    let id = id.parse().unwrap();
    let delete = move |tx: &mut Tx<'_>| Ok(siskin_persistence::stored_jobs::delete(tx, id)?);
    app.app().write(delete).await.unwrap();
}
