//! Feeds of the home and list timelines contain the same entries as the timelines.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_entities::{
    AccountState,
    feed::{Feed, FeedStage},
};
use siskin_persistence::{Conn, feeds};
use siskin_test_support::both_engines;

use crate::support::{GOOD, TestApp, User, id, run};

const DAY: Duration = Duration::from_secs(24 * 3600);
const HOME: &str = "/api/v1/timelines/home";
const NOTHING: [String; 0] = [];

/// Waits until the feed of the home timeline is built, after a first request for it.
async fn settle(app: &TestApp, reader: &User) {
    app.keep(home_of(reader)).await;
}

async fn stage(app: &TestApp, feed: Feed) -> Option<FeedStage> {
    let now = app.app().now();
    let state = move |conn: &mut Conn| Ok(feeds::state(conn, feed, now)?);
    app.app().read(state).await.unwrap().map(|state| state.stage)
}

fn home_of(reader: &User) -> Feed {
    Feed::Home(reader.id.parse().unwrap())
}

/// Returns the feed of the list at this path.
fn list_of(reader: &User, path: &str) -> Feed {
    let (_, list) = path.rsplit_once('/').unwrap();
    Feed::List(reader.id.parse().unwrap(), list.parse().unwrap())
}

/// Builds both feeds of the viewer.
async fn settle_all(app: &TestApp, reader: &User, list: &str) {
    for (path, feed) in [(HOME, home_of(reader)), (list, list_of(reader, list))] {
        reader.get(path).await.ok();
        app.keep(feed).await;
    }
}

async fn edit(author: &User, status: &Value, text: &str) {
    author.put(&format!("/api/v1/statuses/{}", id(status)), &[("status", text)]).await.ok();
}

/// A viewer who follows two accounts and has them in a list, and an author that these accounts
/// reblog.
struct Scene {
    reader: User,
    writer: User,
    one: User,
    other: User,
    /// Path of the list timeline.
    list: String,
}

impl Scene {
    /// Creates the accounts, and builds both feeds.
    async fn set(app: &TestApp) -> Self {
        let (reader, writer) = (app.user("reader").await, app.user("writer").await);
        let (one, other) = (app.user("one").await, app.user("other").await);
        let list = reader.list("Both").await;
        for followed in [&one, &other] {
            app.follow(&reader, followed).await;
            let members = json!({ "account_ids": [followed.id] });
            reader.json(&format!("/api/v1/lists/{list}/accounts"), members).await.ok();
        }
        let list = format!("/api/v1/timelines/list/{list}");
        settle_all(app, &reader, &list).await;
        Self { reader, writer, one, other, list }
    }
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

    fn a_reblog_that_was_left_out_is_there_when_the_other_is_taken_back(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let Scene { reader, writer, one, other, list } = Scene::set(app).await;
            for undone in ["unreblog", "delete", "suspend"] {
                let status = writer.publish("repeated").await;
                let first = one.act("reblog", &status).await;
                let second = other.act("reblog", &status).await;
                for path in [HOME, &list] {
                    assert_eq!(reader.get(path).await.ids()[0], id(&first), "{path} {undone}");
                }
                match undone {
                    "unreblog" => drop(one.act("unreblog", &status).await),
                    "delete" => {
                        one.delete(&format!("/api/v1/statuses/{}", id(&first))).await.ok();
                    }
                    _ => app.set_state(&one, AccountState { suspended: true, ..GOOD }).await,
                }
                for path in [HOME, &list] {
                    assert_eq!(reader.get(path).await.ids()[0], id(&second), "{path} {undone}");
                }
                settle_all(app, &reader, &list).await;
                for path in [HOME, &list] {
                    assert_eq!(reader.get(path).await.ids()[0], id(&second), "{path} {undone}");
                }
            }
        });
    }

    fn what_is_taken_back_outdates_nothing_where_nobody_was_left_out(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let Scene { reader, writer, one, other, list } = Scene::set(app).await;
            let stranger = app.user("stranger").await;
            let status = writer.publish("repeated").await;
            other.act("reblog", &status).await;
            let kept = reader.get(HOME).await.ids();
            one.act("reblog", &status).await;
            stranger.act("reblog", &status).await;
            one.act("unreblog", &status).await;
            for feed in [home_of(&reader), list_of(&reader, &list)] {
                assert_eq!(stage(app, feed).await, Some(FeedStage::Ready));
            }
            assert_eq!(reader.get(HOME).await.ids(), kept);
        });
    }

    fn a_reblog_shows_where_no_hashtag_brings_its_status_any_more(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let Scene { reader, writer, other, .. } = Scene::set(app).await;
            reader.post("/api/v1/tags/birds/follow").await.ok();
            reader.get(HOME).await.ok();
            settle(app, &reader).await;
            let reblogged_before = writer.publish("one #birds #fish").await;
            let reblogged_after = writer.publish("two #birds").await;
            let reblog = other.act("reblog", &reblogged_before).await;
            let both = [id(&reblogged_after), id(&reblogged_before)];
            assert_eq!(reader.get(HOME).await.ids()[..2], both);
            edit(&writer, &reblogged_before, "one #birds").await;
            assert_eq!(reader.get(HOME).await.ids()[..2], both);
            edit(&writer, &reblogged_before, "one").await;
            assert_eq!(reader.get(HOME).await.ids()[..2], [id(&reblog), id(&reblogged_after)]);
            edit(&writer, &reblogged_after, "two").await;
            let later = other.act("reblog", &reblogged_after).await;
            assert_eq!(reader.get(HOME).await.ids()[..2], [id(&later), id(&reblog)]);
            let third = writer.publish("three #birds").await;
            let of_third = other.act("reblog", &third).await;
            assert_eq!(reader.get(HOME).await.ids()[0], id(&third));
            app.set_state(&writer, AccountState { silenced: true, ..GOOD }).await;
            assert_eq!(reader.get(HOME).await.ids()[..2], [id(&of_third), id(&later)]);
        });
    }

    fn what_names_somebody_no_more_is_shown_to_who_avoids_them(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let Scene { reader, writer, one, list, .. } = Scene::set(app).await;
            let (avoided, fan) = (app.user("avoided").await, app.user("fan").await);
            for follower in [&reader, &fan] {
                app.follow(follower, &writer).await;
            }
            reader.act_on("mute", &avoided).await;
            fan.act_on("block", &avoided).await;
            settle_all(app, &reader, &list).await;
            fan.get(HOME).await.ok();
            settle(app, &fan).await;
            let status = writer.publish("@avoided hello").await;
            let reblog = one.act("reblog", &status).await;
            for (who, path) in [(&reader, HOME), (&reader, &list), (&fan, HOME)] {
                assert_eq!(who.get(path).await.ids(), NOTHING, "{path}");
            }
            edit(&writer, &status, "hello").await;
            let shown = [(&reader, HOME, &status), (&reader, &list, &reblog), (&fan, HOME, &status)];
            for (who, path, status) in shown {
                assert_eq!(who.get(path).await.ids(), [id(status)], "{path}");
            }
            edit(&writer, &status, "@avoided again").await;
            for (who, path) in [(&reader, HOME), (&reader, &list), (&fan, HOME)] {
                assert_eq!(who.get(path).await.ids(), NOTHING, "{path}");
            }
        });
    }

    fn whom_a_status_once_named_still_sees_it(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let Scene { reader, writer, .. } = Scene::set(app).await;
            let draft = json!({ "status": "@reader hello", "visibility": "private" });
            let status = writer.publish_as(draft).await;
            edit(&writer, &status, "hello").await;
            reader.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        });
    }
}
