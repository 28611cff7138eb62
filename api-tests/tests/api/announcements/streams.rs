//! Events about announcements in the stream `user`.

use std::time::Duration;

use serde_json::json;
use siskin_entities::announcement::Period;

use super::{list, react, unreact};
use crate::support::pictures::png;

stream_tests! {
    async fn all_users_get_published_and_edited_announcements(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mut sockets =
            [app.listen(&alice, "stream=user").await, app.listen(&bob, "stream=user").await];
        let mut others = app.listen(&alice, "stream=user:notification").await;
        let tea = app.announce("Tea with @alice").await;
        let mut shown = list(&alice).await.remove(0);
        shown.as_object_mut().unwrap().remove("read");
        for socket in &mut sockets {
            assert_eq!(socket.event().await, ("announcement".to_owned(), shown.clone()));
        }
        react(&bob, tea, "🐦").await.ok();
        app.edit_announcement(tea, "Coffee").await;
        for socket in &mut sockets {
            assert_eq!(socket.event().await.0, "announcement.reaction");
            let (name, edited) = socket.event().await;
            assert_eq!((&*name, &edited["content"]), ("announcement", &json!("<p>Coffee</p>")));
            // They are the same for all viewers.
            assert_eq!(edited["reactions"], json!([{ "name": "🐦", "count": 1 }]));
        }
        // Other streams carry none of them.
        bob.act_on("follow", &alice).await;
        assert_eq!(others.event().await.0, "notification");
    }

    async fn reactions_are_streamed_with_their_present_number(app: &TestApp) {
        let alice = app.user("alice").await;
        app.emoji("cat", None, png(20, 20)).await;
        let tea = app.announce("Tea").await;
        let mut socket = app.listen(&alice, "stream=user").await;
        let reaction = |count: i64| {
            let event = json!({ "name": "🐦", "count": count, "announcement_id": tea });
            ("announcement.reaction".to_owned(), event)
        };
        react(&alice, tea, "🐦").await.ok();
        assert_eq!(socket.event().await, reaction(1));
        // What changes nothing is no event.
        react(&alice, tea, "🐦").await.ok();
        unreact(&alice, tea, "🐦").await.ok();
        assert_eq!(socket.event().await, reaction(0));
        react(&alice, tea, "cat").await.ok();
        let cat = json!({ "name": "cat", "count": 1, "announcement_id": tea });
        assert_eq!(socket.event().await.1, cat);
    }

    async fn withdrawn_deleted_and_ended_announcements_are_streamed(app: &TestApp) {
        let alice = app.user("alice").await;
        let (tea, coffee) = (app.announce("Tea").await, app.announce("Coffee").await);
        let end = app.app().now().after(Duration::from_secs(60));
        let party = app.announce_event("Party", Period::of_times(app.app().now(), end)).await;
        let mut socket = app.listen(&alice, "stream=user").await;
        app.withdraw(tea).await;
        app.withdraw(tea).await;
        app.delete_announcement(coffee).await;
        for gone in [tea, coffee] {
            assert_eq!(socket.event().await, ("announcement.delete".to_owned(), json!(gone)));
        }
        app.advance(Duration::from_secs(60));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(socket.event().await, ("announcement.delete".to_owned(), json!(party)));
    }

    async fn a_scheduled_announcement_is_streamed_at_its_time(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut socket = app.listen(&alice, "stream=user").await;
        let at = app.app().now().after(Duration::from_secs(60));
        app.announce_at("Tea", None, Some(at)).await;
        let own = alice.publish("Before").await;
        assert_eq!(socket.event().await.1["id"], own["id"]);
        app.advance(Duration::from_secs(60));
        app.app().drain_jobs().await.unwrap();
        let (name, shown) = socket.event().await;
        assert_eq!((name.as_str(), &shown["content"]), ("announcement", &json!("<p>Tea</p>")));
    }
}
