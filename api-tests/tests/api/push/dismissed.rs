//! A notification that is dismissed before its delivery is not pushed.

use std::time::Duration;

use siskin_test_support::both_engines;

use crate::support::push::{PushClient, status, with_push};

const LIST: &str = "/api/v1/notifications";

both_engines! {
    fn what_is_dismissed_meanwhile_is_not_pushed(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let client = PushClient::new(1);
            client.subscribe(&alice, &service.endpoint("/")).await;
            for (earlier, way) in ["alone", "as a group", "with all"].into_iter().enumerate() {
                // The first attempt fails, so that the message waits.
                service.answer(|_| status("503 Service Unavailable"));
                bob.publish(&format!("@alice {way}")).await;
                app.settle().await;
                assert_eq!(service.received().len(), earlier + 1, "{way}");
                let [id] = alice.get(LIST).await.ids().try_into().unwrap();
                let dismiss = match way {
                    "alone" => format!("{LIST}/{id}/dismiss"),
                    "as a group" => format!("/api/v2/notifications/ungrouped-{id}/dismiss"),
                    _ => format!("{LIST}/clear"),
                };
                alice.post(&dismiss).await.ok();
                service.answer(|_| status("201 Created"));
                app.advance(Duration::from_hours(1));
                app.settle().await;
                assert_eq!(service.received().len(), earlier + 1, "{way}");
            }
            // The subscription still works.
            bob.publish("@alice kept").await;
            app.settle().await;
            let received = service.received();
            assert_eq!(received.len(), 4);
            assert_eq!(client.read(&received[3])["body"], "@alice kept");
        });
    }
}
