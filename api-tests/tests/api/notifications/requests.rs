//! Requests that are decided while their senders cause more notifications. None of these is lost:
//! each is in the list or in a request.

use std::time::Duration;

use futures_util::future::{join, join_all};
use serde_json::Value;
use tokio::time::sleep;

use super::{list, post};
use crate::support::{TestApp, User};

const REQUESTS: &str = "/api/v1/notifications/requests";
const ROUNDS: u64 = 24;
/// Number of mentions at once.
const MENTIONS: usize = 5;

/// Creates Alice, who filters notifications by accounts that she does not follow.
async fn alice(app: &TestApp) -> User {
    let alice = app.user("alice").await;
    let policy = [("for_not_following", "filter")];
    alice.patch("/api/v2/notifications/policy", &policy).await.ok();
    alice
}

/// Lets Alice decide a request of `sender`, while `sender` mentions her several times. The decision
/// comes at another moment in each round.
async fn decide(alice: &User, sender: &User, action: &str, round: u64) {
    post(sender, "@alice", "public").await;
    let requests = alice.get(REQUESTS).await.ids();
    assert_eq!(requests.len(), 1, "{requests:?}");
    let deciding = async {
        sleep(Duration::from_millis(round % 8 * 2)).await;
        alice.post(&format!("{REQUESTS}/{}/{action}", requests[0])).await.ok();
    };
    let mention = async |number: usize| {
        post(sender, &format!("@alice {number}"), "public").await;
    };
    join(deciding, join_all((0..MENTIONS).map(mention))).await;
}

/// Returns the numbers of notifications by `sender`: all, those in the list, and those in requests.
async fn counts(alice: &User, sender: &User) -> [usize; 3] {
    let by_sender = format!("?limit=80&account_id={}", sender.id);
    let all = list(alice, &format!("{by_sender}&include_filtered=true")).await.len();
    let listed = list(alice, &by_sender).await.len();
    let requests = alice.get(REQUESTS).await.ok();
    let of_sender = |request: &&Value| request["account"]["id"] == sender.id.as_str();
    let requests = requests.as_array().unwrap().iter().filter(of_sender);
    let count = |request: &Value| -> usize {
        request["notifications_count"].as_str().unwrap().parse().unwrap()
    };
    [all, listed, requests.map(count).sum()]
}

api_tests! {
    async fn an_acceptance_moves_all_notifications_of_its_moment(app: &TestApp) {
        let alice = alice(app).await;
        for round in 0..ROUNDS {
            let sender = app.user(&format!("sender{round}")).await;
            decide(&alice, &sender, "accept", round).await;
            let expected = [MENTIONS + 1, MENTIONS + 1, 0];
            assert_eq!(counts(&alice, &sender).await, expected, "round {round}");
        }
    }

    async fn a_dismissal_loses_no_notification_of_its_moment(app: &TestApp) {
        let alice = alice(app).await;
        for round in 0..ROUNDS {
            let sender = app.user(&format!("sender{round}")).await;
            decide(&alice, &sender, "dismiss", round).await;
            let [all, listed, waiting] = counts(&alice, &sender).await;
            assert_eq!((listed, waiting), (0, all), "round {round}");
            for request in alice.get(REQUESTS).await.ids() {
                alice.post(&format!("{REQUESTS}/{request}/dismiss")).await.ok();
            }
            assert_eq!(counts(&alice, &sender).await, [0, 0, 0]);
        }
    }
}
