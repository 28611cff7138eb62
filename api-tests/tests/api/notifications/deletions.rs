//! Statuses that are deleted while a job notifies accounts about them. The job does not fail, and
//! no notification is left.

use futures_util::future::join;
use serde_json::Value;
use siskin_ids::{FollowId, StatusId};
use siskin_persistence::Tx;
use siskin_services::{
    Result,
    statuses::{NotifyRebloggers, NotifySubscribers, notify_rebloggers, notify_subscribers},
};

use super::{LIST, types};
use crate::support::{TestApp, User, id};

const ROUNDS: usize = 16;

/// Runs a job while the author deletes the status.
async fn delete_meanwhile(
    app: &TestApp,
    author: &User,
    status: &Value,
    job: impl Fn(&mut Tx<'_>) -> Result<()> + Send + 'static,
) {
    let path = format!("/api/v1/statuses/{}", id(status));
    let (done, deleted) = join(app.app().write(job), author.delete(&path)).await;
    done.unwrap();
    deleted.ok();
}

api_tests! {
    async fn a_deletion_does_not_fail_the_job_for_subscribers(app: &TestApp) {
        let (alice, fans) = (app.user("alice").await, app.crowd("fan", 3).await);
        for fan in &fans {
            app.follow_with(fan, &alice, true, true, None).await;
        }
        for _ in 0..ROUNDS {
            let status = alice.publish("hello").await;
            // The publication has notified them already.
            for fan in &fans {
                fan.post(&format!("{LIST}/clear")).await.ok();
            }
            let (status_id, after) = (id(&status).parse().unwrap(), FollowId::new(0));
            let job = NotifySubscribers { status: status_id, after };
            delete_meanwhile(app, &alice, &status, move |tx| notify_subscribers(tx, &job)).await;
            for fan in &fans {
                assert_eq!(types(fan, "").await, [""; 0]);
            }
        }
    }

    async fn a_deletion_does_not_fail_the_job_for_rebloggers(app: &TestApp) {
        let (alice, fans) = (app.user("alice").await, app.crowd("fan", 3).await);
        for _ in 0..ROUNDS {
            let status = alice.publish("hello").await;
            for fan in &fans {
                fan.act("reblog", &status).await;
            }
            let (status_id, after) = (id(&status).parse().unwrap(), StatusId::new(0));
            let job = NotifyRebloggers { status: status_id, after };
            delete_meanwhile(app, &alice, &status, move |tx| notify_rebloggers(tx, &job)).await;
            for fan in &fans {
                assert_eq!(types(fan, "").await, [""; 0]);
            }
        }
    }
}
