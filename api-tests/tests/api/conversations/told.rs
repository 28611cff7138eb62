//! Events about conversations, and the accounts that they are for.

use serde_json::{Value, json};
use siskin_persistence::events;

use super::{PATH, all, conversation};
use crate::support::{TestApp, User, id};

/// Returns the events about conversations since `position`, as account and conversation, and the
/// position after them.
async fn conversation_events(app: &TestApp, since: i64) -> (Vec<(String, String)>, i64) {
    loop {
        let read =
            move |conn: &mut _| Ok((events::any_waiting(conn)?, events::since(conn, since, 1000)?));
        let (waiting, events) = app.app().read(read).await.unwrap();
        if waiting {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            continue;
        }
        let last = events.last().map_or(since, |event| event.position);
        let of_conversations = events.iter().filter(|event| event.kind == "conversation_changed");
        let pair = |event: &events::Event| {
            let payload: Value = serde_json::from_str(&event.payload).unwrap();
            let text = |key: &str| payload[key].as_str().unwrap().to_owned();
            (text("account_id"), text("conversation_id"))
        };
        return (of_conversations.map(pair).collect(), last);
    }
}

async fn own(user: &User) -> (String, String) {
    (user.id.clone(), user.get(PATH).await.ids().remove(0))
}

api_tests! {
    async fn all_participants_receive_conversation_events(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let remote = app.user_of("zoe", "far.example").await;
        let (_, before) = conversation_events(app, 0).await;
        let first = alice.tell("@bob @zoe@far.example one").await;
        let both = vec![own(&alice).await, own(&bob).await];
        let (notification_types, before) = conversation_events(app, before).await;
        assert_eq!(notification_types, both);
        assert_eq!(all(&remote).await, []);
        let second = alice.tell_in_answer(&first, "@bob @zoe@far.example two").await;
        let (notification_types, before) = conversation_events(app, before).await;
        assert_eq!(notification_types, both);
        alice.delete(&format!("/api/v1/statuses/{}", id(&second))).await.ok();
        let (notification_types, before) = conversation_events(app, before).await;
        assert_eq!(notification_types, both);
        let reply = bob.publish_as(json!({ "status": "@alice openly" })).await;
        bob.act("favourite", &reply).await;
        assert_eq!(conversation_events(app, before).await.0, []);
    }

    async fn muting_participants_receive_no_event_and_no_unread_mark(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let first = alice.tell("@bob @carol one").await;
        for user in [&bob, &carol] {
            let (_, conversation) = own(user).await;
            user.post(&format!("{PATH}/{conversation}/read")).await.ok();
        }
        bob.act_on("mute", &alice).await;
        carol.act("mute", &first).await;
        let (_, before) = conversation_events(app, 0).await;
        let second = alice.tell_in_answer(&first, "@bob @carol two").await;
        assert_eq!(conversation_events(app, before).await.0, [own(&alice).await]);
        assert_eq!(all(&carol).await, [conversation(&["alice", "bob"], &second, false)]);
        assert_eq!(all(&bob).await, []);
        bob.act_on("unmute", &alice).await;
        assert_eq!(all(&bob).await, [conversation(&["alice", "carol"], &second, false)]);
    }
}
