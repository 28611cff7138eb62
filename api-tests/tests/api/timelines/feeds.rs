//! What is kept of home and lists is what they show.

use std::time::Duration;

use siskin_test_support::both_engines;

use siskin_entities::feed::Feed;

use crate::support::{TestApp, User, id, run};

const DAY: Duration = Duration::from_secs(24 * 3600);
const HOME: &str = "/api/v1/timelines/home";
const NOTHING: [String; 0] = [];

/// Waits until the home timeline that somebody just looked at is kept.
async fn settle(app: &TestApp, reader: &User) {
    app.keep(Feed::Home(reader.id.parse().unwrap())).await;
}

both_engines! {
    fn a_reader_who_was_long_away_gets_206_until_the_feed_is_there_again(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let (reader, writer) = (app.user("reader").await, app.user("writer").await);
            app.follow(&reader, &writer).await;
            let first = id(&writer.publish("first").await);
            reader.get(HOME).await.ok();
            settle(app, &reader).await;
            app.advance(DAY * 15);
            app.app().write(siskin_services::housekeeping::leave_jobs).await.unwrap();
            app.app().drain_jobs().await.unwrap();
            let second = id(&writer.publish("second").await);
            let away = reader.get(HOME).await.expect(206);
            assert_eq!(away.as_array().unwrap().iter().map(id).collect::<Vec<_>>(), [second.clone(), first.clone()]);
            settle(app, &reader).await;
            assert_eq!(reader.get(HOME).await.ids(), [second, first]);
        });
    }

    fn what_is_let_in_and_out_shows_at_once(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let (reader, writer) = (app.user("reader").await, app.user("writer").await);
            let old = id(&writer.publish("before").await);
            assert_eq!(reader.get(HOME).await.ids(), NOTHING);
            settle(app, &reader).await;
            assert_eq!(reader.get(HOME).await.ids(), NOTHING);
            app.follow(&reader, &writer).await;
            assert_eq!(reader.get(HOME).await.ids(), std::slice::from_ref(&old));
            settle(app, &reader).await;
            let new = id(&writer.publish("after").await);
            assert_eq!(reader.get(HOME).await.ids(), [new.clone(), old.clone()]);
            reader.act_on("mute", &writer).await;
            assert_eq!(reader.get(HOME).await.ids(), NOTHING);
            settle(app, &reader).await;
            reader.act_on("unmute", &writer).await;
            assert_eq!(reader.get(HOME).await.ids(), [new, old]);
        });
    }

    fn a_mute_that_ends_brings_back_what_was_written_meanwhile(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let (reader, writer) = (app.user("reader").await, app.user("writer").await);
            app.follow(&reader, &writer).await;
            let path = format!("/api/v1/accounts/{}/mute", writer.id);
            reader.form(&path, &[("duration", "60")]).await.ok();
            reader.get(HOME).await.ok();
            settle(app, &reader).await;
            let meanwhile = id(&writer.publish("meanwhile").await);
            assert_eq!(reader.get(HOME).await.ids(), NOTHING);
            app.advance(Duration::from_secs(61));
            assert_eq!(reader.get(HOME).await.ids(), [meanwhile]);
        });
    }
}
