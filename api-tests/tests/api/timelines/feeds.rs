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
async fn settle(app: &TestApp, viewer: &User) {
    app.build_feed(home_of(viewer)).await;
}

async fn stage(app: &TestApp, feed: Feed) -> Option<FeedStage> {
    let state = move |conn: &mut Conn| Ok(feeds::state(conn, feed)?);
    app.app().read(state).await.unwrap().map(|state| state.stage)
}

fn home_of(viewer: &User) -> Feed {
    Feed::Home(viewer.id.parse().unwrap())
}

/// Returns the feed of the list at this path.
fn list_of(viewer: &User, path: &str) -> Feed {
    let (_, list) = path.rsplit_once('/').unwrap();
    Feed::List(viewer.id.parse().unwrap(), list.parse().unwrap())
}

/// Builds both feeds of the viewer.
async fn settle_all(app: &TestApp, viewer: &User, list: &str) {
    for (path, feed) in [(HOME, home_of(viewer)), (list, list_of(viewer, list))] {
        viewer.get(path).await.ok();
        app.build_feed(feed).await;
    }
}

async fn edit(author: &User, status: &Value, text: &str) {
    author.put(&format!("/api/v1/statuses/{}", id(status)), &[("status", text)]).await.ok();
}

/// A viewer who follows two accounts and has them in a list, and an author that these accounts
/// reblog.
struct Scene {
    viewer: User,
    writer: User,
    one: User,
    other: User,
    /// Path of the list timeline.
    list: String,
}

impl Scene {
    /// Creates the accounts, and builds both feeds.
    async fn set(app: &TestApp) -> Self {
        let (viewer, writer) = (app.user("reader").await, app.user("writer").await);
        let (one, other) = (app.user("one").await, app.user("other").await);
        let list = viewer.list("Both").await;
        for followed in [&one, &other] {
            app.follow(&viewer, followed).await;
            let members = json!({ "account_ids": [followed.id] });
            viewer.json(&format!("/api/v1/lists/{list}/accounts"), members).await.ok();
        }
        let list = format!("/api/v1/timelines/list/{list}");
        settle_all(app, &viewer, &list).await;
        Self { viewer, writer, one, other, list }
    }
}

both_engines! {
    fn a_returning_viewer_gets_206_until_the_feed_is_rebuilt(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let (viewer, writer) = (app.user("reader").await, app.user("writer").await);
            app.follow(&viewer, &writer).await;
            let first = id(&writer.publish("first").await);
            viewer.get(HOME).await.ok();
            settle(app, &viewer).await;
            app.advance(DAY * 15);
            app.app().write(siskin_services::housekeeping::enqueue_upkeep_jobs).await.unwrap();
            app.app().drain_jobs().await.unwrap();
            let second = id(&writer.publish("second").await);
            let away = viewer.get(HOME).await.expect(206);
            assert_eq!(away.as_array().unwrap().iter().map(id).collect::<Vec<_>>(), [second.clone(), first.clone()]);
            settle(app, &viewer).await;
            assert_eq!(viewer.get(HOME).await.ids(), [second, first]);
        });
    }

    fn relationship_changes_apply_to_feeds_at_once(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let (viewer, writer) = (app.user("reader").await, app.user("writer").await);
            let old = id(&writer.publish("before").await);
            assert_eq!(viewer.get(HOME).await.ids(), NOTHING);
            settle(app, &viewer).await;
            assert_eq!(viewer.get(HOME).await.ids(), NOTHING);
            app.follow(&viewer, &writer).await;
            assert_eq!(viewer.get(HOME).await.ids(), std::slice::from_ref(&old));
            settle(app, &viewer).await;
            let new = id(&writer.publish("after").await);
            assert_eq!(viewer.get(HOME).await.ids(), [new.clone(), old.clone()]);
            viewer.act_on("mute", &writer).await;
            assert_eq!(viewer.get(HOME).await.ids(), NOTHING);
            settle(app, &viewer).await;
            viewer.act_on("unmute", &writer).await;
            assert_eq!(viewer.get(HOME).await.ids(), [new, old]);
        });
    }

    fn an_ended_mute_restores_statuses_in_feeds(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let (viewer, writer) = (app.user("reader").await, app.user("writer").await);
            app.follow(&viewer, &writer).await;
            let path = format!("/api/v1/accounts/{}/mute", writer.id);
            viewer.form(&path, &[("duration", "60")]).await.ok();
            viewer.get(HOME).await.ok();
            settle(app, &viewer).await;
            let meanwhile = id(&writer.publish("meanwhile").await);
            assert_eq!(viewer.get(HOME).await.ids(), NOTHING);
            app.advance(Duration::from_secs(61));
            assert_eq!(viewer.get(HOME).await.ids(), [meanwhile]);
        });
    }

    fn an_omitted_reblog_appears_when_the_other_is_undone(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let Scene { viewer, writer, one, other, list } = Scene::set(app).await;
            for undone in ["unreblog", "delete", "suspend"] {
                let status = writer.publish("repeated").await;
                let first = one.act("reblog", &status).await;
                let second = other.act("reblog", &status).await;
                for path in [HOME, &list] {
                    assert_eq!(viewer.get(path).await.ids()[0], id(&first), "{path} {undone}");
                }
                match undone {
                    "unreblog" => drop(one.act("unreblog", &status).await),
                    "delete" => {
                        one.delete(&format!("/api/v1/statuses/{}", id(&first))).await.ok();
                    }
                    _ => app.set_state(&one, AccountState { suspended: true, ..GOOD }).await,
                }
                for path in [HOME, &list] {
                    assert_eq!(viewer.get(path).await.ids()[0], id(&second), "{path} {undone}");
                }
                settle_all(app, &viewer, &list).await;
                for path in [HOME, &list] {
                    assert_eq!(viewer.get(path).await.ids()[0], id(&second), "{path} {undone}");
                }
            }
        });
    }

    fn undoing_a_reblog_leaves_unaffected_feeds_valid(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let Scene { viewer, writer, one, other, list } = Scene::set(app).await;
            let stranger = app.user("stranger").await;
            let status = writer.publish("repeated").await;
            other.act("reblog", &status).await;
            let kept = viewer.get(HOME).await.ids();
            one.act("reblog", &status).await;
            stranger.act("reblog", &status).await;
            one.act("unreblog", &status).await;
            for feed in [home_of(&viewer), list_of(&viewer, &list)] {
                assert_eq!(stage(app, feed).await, Some(FeedStage::Ready));
            }
            assert_eq!(viewer.get(HOME).await.ids(), kept);
        });
    }

    fn a_reblog_appears_once_no_hashtag_brings_its_status(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let Scene { viewer, writer, other, .. } = Scene::set(app).await;
            viewer.post("/api/v1/tags/birds/follow").await.ok();
            viewer.get(HOME).await.ok();
            settle(app, &viewer).await;
            let reblogged_before = writer.publish("one #birds #fish").await;
            let reblogged_after = writer.publish("two #birds").await;
            let reblog = other.act("reblog", &reblogged_before).await;
            let both = [id(&reblogged_after), id(&reblogged_before)];
            assert_eq!(viewer.get(HOME).await.ids()[..2], both);
            edit(&writer, &reblogged_before, "one #birds").await;
            assert_eq!(viewer.get(HOME).await.ids()[..2], both);
            edit(&writer, &reblogged_before, "one").await;
            assert_eq!(viewer.get(HOME).await.ids()[..2], [id(&reblog), id(&reblogged_after)]);
            edit(&writer, &reblogged_after, "two").await;
            let later = other.act("reblog", &reblogged_after).await;
            assert_eq!(viewer.get(HOME).await.ids()[..2], [id(&later), id(&reblog)]);
            let third = writer.publish("three #birds").await;
            let of_third = other.act("reblog", &third).await;
            assert_eq!(viewer.get(HOME).await.ids()[0], id(&third));
            app.set_state(&writer, AccountState { silenced: true, ..GOOD }).await;
            assert_eq!(viewer.get(HOME).await.ids()[..2], [id(&of_third), id(&later)]);
        });
    }

    fn an_edit_without_the_blocked_mention_appears_in_feeds(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let Scene { viewer, writer, one, list, .. } = Scene::set(app).await;
            let (avoided, tag_follower) = (app.user("avoided").await, app.user("fan").await);
            for follower in [&viewer, &tag_follower] {
                app.follow(follower, &writer).await;
            }
            viewer.act_on("mute", &avoided).await;
            tag_follower.act_on("block", &avoided).await;
            settle_all(app, &viewer, &list).await;
            tag_follower.get(HOME).await.ok();
            settle(app, &tag_follower).await;
            let status = writer.publish("@avoided hello").await;
            let reblog = one.act("reblog", &status).await;
            for (user, path) in [(&viewer, HOME), (&viewer, &list), (&tag_follower, HOME)] {
                assert_eq!(user.get(path).await.ids(), NOTHING, "{path}");
            }
            edit(&writer, &status, "hello").await;
            let shown = [(&viewer, HOME, &status), (&viewer, &list, &reblog), (&tag_follower, HOME, &status)];
            for (user, path, status) in shown {
                assert_eq!(user.get(path).await.ids(), [id(status)], "{path}");
            }
            edit(&writer, &status, "@avoided again").await;
            for (user, path) in [(&viewer, HOME), (&viewer, &list), (&tag_follower, HOME)] {
                assert_eq!(user.get(path).await.ids(), NOTHING, "{path}");
            }
        });
    }

    fn formerly_mentioned_accounts_still_see_a_status(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let Scene { viewer, writer, .. } = Scene::set(app).await;
            let draft = json!({ "status": "@reader hello", "visibility": "private" });
            let status = writer.publish_as(draft).await;
            edit(&writer, &status, "hello").await;
            viewer.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        });
    }
}
