//! Server-sent events.

use crate::support::id;

stream_tests! {
    // A new status arrives as an event `update`, after a first comment.
    async fn a_status_arrives_as_an_event_after_a_comment(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut events = alice.events("user").await;
        assert_eq!(events.header("cache-control"), Some("private, no-store"));
        assert_eq!(events.header("x-accel-buffering"), Some("no"));
        let position: i64 = events.header("last-event-id").unwrap().parse().unwrap();
        assert_eq!(events.block().await.unwrap(), ":thump");
        let status = alice.publish("Hello").await;
        // Clients close a stream at an event without a name.
        let block = events.block().await.unwrap();
        assert!(block.starts_with("event: update\n"), "{block}");
        let last = block.lines().find_map(|line| line.strip_prefix("id: "));
        assert!(last.unwrap().parse::<i64>().unwrap() > position);
        alice.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        let event = events.next().await;
        assert_eq!((event.name.as_str(), event.data), ("delete", id(&status)));
    }

    async fn each_path_serves_the_stream_of_its_name(app: &TestApp) {
        let alice = app.user("alice").await;
        for path in [
            "user",
            "public",
            "public?only_media=false",
            "public/local",
            "hashtag?tag=birds",
            "hashtag/local?tag=Birds",
        ] {
            app.wait_until_delivered().await;
            let mut events = alice.events(path).await;
            let status = alice.publish("Hello #birds").await;
            assert_eq!(events.next().await.entity(), id(&status), "{path}");
        }
    }

    async fn restricted_streams_have_fewer_events(app: &TestApp) {
        let alice = app.user("alice").await;
        let zoe = app.user_of("zoe", "elsewhere.example").await;
        let mut media = alice.events("public?only_media=true").await;
        let mut local_media = alice.events("public/local?only_media=1").await;
        let mut remote = alice.events("public/remote").await;
        let mut local_tag = alice.events("hashtag/local?tag=birds").await;
        alice.publish("Hello").await;
        let far = zoe.publish("Hello from afar #birds").await;
        let picture = alice.publish_picture("Look", "A bird").await;
        let near = alice.publish("Near #Birds").await;
        assert_eq!(media.next().await.entity(), id(&picture));
        assert_eq!(local_media.next().await.entity(), id(&picture));
        assert_eq!(remote.next().await.entity(), id(&far));
        assert_eq!(local_tag.next().await.entity(), id(&near));
    }
}
