//! The policy of a subscription selects senders.

use serde_json::json;
use siskin_test_support::both_engines;

use crate::support::push::{PushClient, SUBSCRIPTION, with_push};

both_engines! {
    // Case 098: the policy is stored, returned and obeyed.
    fn each_policy_selects_its_senders(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let alice = app.user("alice").await;
            let (stranger, followed, follower) = (
                app.user("stranger").await, app.user("followed").await, app.user("follower").await,
            );
            app.follow(&alice, &followed).await;
            app.follow(&follower, &alice).await;
            let client = PushClient::new(1);
            for (policy, senders) in [
                ("none", vec![]),
                ("followed", vec!["followed"]),
                ("follower", vec!["follower"]),
                ("all", vec!["stranger", "followed", "follower"]),
            ] {
                let endpoint = service.endpoint(&format!("/{policy}"));
                let mut parameters = client.parameters(&endpoint, true);
                parameters["data"]["policy"] = json!(policy);
                let created = alice.json(SUBSCRIPTION, parameters).await.ok();
                assert_eq!(created["policy"], policy);
                assert_eq!(alice.get(SUBSCRIPTION).await.ok()["policy"], policy);
                for sender in [&stranger, &followed, &follower] {
                    sender.publish("Hello @alice").await;
                    app.settle().await;
                }
                let received = service.received();
                let here = received.iter().filter(|one| one.path == format!("/{policy}"));
                let titles: Vec<_> =
                    here.map(|one| client.read(one)["title"].as_str().unwrap().to_owned()).collect();
                let expected: Vec<_> =
                    senders.iter().map(|name| format!("{name} mentioned you")).collect();
                assert_eq!(titles, expected, "{policy}");
            }
        });
    }

    fn a_changed_policy_applies_from_then_on(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            PushClient::new(1).subscribe(&alice, &service.endpoint("/")).await;
            for (policy, messages) in [("none", 0), ("followed", 0), ("all", 1), ("none", 1)] {
                alice.put(SUBSCRIPTION, &[("policy", policy)]).await.ok();
                bob.publish("Hello @alice").await;
                app.settle().await;
                assert_eq!(service.received().len(), messages, "{policy}");
            }
        });
    }
}
