//! Number of SQL statements for a page: it does not depend on the length of the page.

use std::time::Duration;

use serde_json::json;
use siskin_entities::feed::Feed;
use siskin_test_support::both_engines;

use crate::support::{
    Client, TestApp, User, id,
    pictures::png,
    run,
    trends::{all_favourite, all_publish},
};

/// Number of entries of each list: more than a short page, and as many as a long one.
const ROWS: usize = 12;
/// Address of a page that trends.
const ARTICLE: &str = "https://news.example/birds";

/// The data to read: an account with many followers, and its status with many replies and
/// favourites.
struct Scene {
    viewer: User,
    /// Id of the account.
    writer: String,
    status: String,
}

async fn set_up(app: &TestApp) -> Scene {
    let (viewer, writer) = (app.user("reader").await, app.user("writer").await);
    app.follow(&viewer, &writer).await;
    let root = writer.publish("Hello @reader #birds").await;
    for number in 0..ROWS {
        let fan = app.user(&format!("fan{number}")).await;
        app.follow(&fan, &viewer).await;
        app.follow(&viewer, &fan).await;
        fan.act("favourite", &root).await;
        fan.act("reblog", &root).await;
        let reply = fan.reply(&root, &format!("@reader @writer #birds #nest{number}")).await;
        viewer.act("bookmark", &reply).await;
        viewer.act("favourite", &reply).await;
        writer.publish(&format!("@reader @fan{number} #birds {number}")).await;
    }
    schedule(app, &viewer).await;
    acquaint(app, &viewer).await;
    filter_strangers(app, &viewer).await;
    Scene { viewer, writer: writer.id, status: id(&root) }
}

/// Schedules statuses of the viewer, with pictures.
async fn schedule(app: &TestApp, viewer: &User) {
    let at = app.app().now().after(Duration::from_hours(1)).to_string();
    for number in 0..ROWS {
        let media = viewer.upload_media(png(9, 9), &number.to_string()).await;
        let post = json!({ "status": "x", "media_ids": [media["id"]], "scheduled_at": at });
        viewer.publish_as(post).await;
    }
}

/// Fills the viewer's list of notification requests: senders that the policy filters.
async fn filter_strangers(app: &TestApp, viewer: &User) {
    let policy = "/api/v2/notifications/policy";
    viewer.patch(policy, &[("for_not_following", "filter")]).await.ok();
    for number in 0..ROWS {
        app.user(&format!("stranger{number}")).await.publish("Hello @reader").await;
    }
}

/// Fills the viewer's lists of endorsed, blocked and muted accounts and of follow requests.
async fn acquaint(app: &TestApp, viewer: &User) {
    for fan in viewer.get(&format!("/api/v1/accounts/{}/following", viewer.id)).await.ids() {
        viewer.post(&format!("/api/v1/accounts/{fan}/endorse")).await.ok();
    }
    viewer.lock().await;
    for number in 0..ROWS {
        let (asking, foe) =
            (app.user(&format!("asking{number}")).await, app.user(&format!("foe{number}")).await);
        asking.act_on("follow", viewer).await;
        viewer.act_on("block", &foe).await;
        viewer.act_on("mute", &foe).await;
        let domain = format!("d{number}.example");
        viewer.form("/api/v1/domain_blocks", &[("domain", &domain)]).await.ok();
    }
}

/// Creates a list of all followed accounts, and follows hashtags.
async fn fill_lists(viewer: &User) -> String {
    let list = viewer.list("All").await;
    let path = format!("/api/v1/accounts/{}/following?limit=80", viewer.id);
    let ids = json!({ "account_ids": viewer.get(&path).await.ids() });
    viewer.json(&format!("/api/v1/lists/{list}/accounts"), ids).await.ok();
    for number in 0..ROWS {
        viewer.post(&format!("/api/v1/tags/nest{number}/follow")).await.ok();
        viewer.tell(&format!("@fan{number} hello")).await;
    }
    list
}

/// Returns the number of statements in the reads of one request, without background work.
async fn cost(app: &TestApp, viewer: &Client, path: &str) -> u32 {
    drop(app.app().store().take_counted());
    viewer.get(path).await.ok();
    let counted = app.app().store().take_counted();
    let of_requests =
        counted.iter().filter(|cost| !cost.writes && cost.at.file().contains("crates/http"));
    of_requests.map(|cost| cost.statements).sum()
}

/// Returns the costs of a short page and of a long one, after a first request has filled the
/// caches.
async fn costs(app: &TestApp, viewer: &Client, path: &str) -> (u32, u32) {
    let (short, long) = (format!("{path}limit=2"), format!("{path}limit={ROWS}"));
    viewer.get(&long).await.ok();
    (cost(app, viewer, &short).await, cost(app, viewer, &long).await)
}

/// Makes hashtags, links and statuses trend.
async fn trend(app: &TestApp) {
    app.trend_by_default().await;
    let crowd = app.crowd("crowd", 15).await;
    let tags: String = (0..ROWS).map(|number| format!(" #trend{number}")).collect();
    for number in 0..ROWS {
        let address =
            format!("{ARTICLE}{}", if number == 0 { String::new() } else { number.to_string() });
        all_publish(&crowd, &format!("{address}{tags}")).await;
        app.make_article(address.leak()).await;
        let status = app.famous(&format!("famous{number}")).await.publish("Hello").await;
        all_favourite(&crowd[..5], &status).await;
    }
    app.count_trends().await;
}

/// Builds the feeds of the viewer's timelines. Jobs do this after the first request; from then on
/// pages come from the feeds.
async fn build_feeds(app: &TestApp, viewer: &User, list: &str) {
    let account = viewer.id.parse().unwrap();
    for (path, feed) in [
        ("/api/v1/timelines/home".to_owned(), Feed::Home(account)),
        (format!("/api/v1/timelines/list/{list}"), Feed::List(account, list.parse().unwrap())),
    ] {
        viewer.get(&path).await.ok();
        app.build_feed(feed).await;
    }
}

both_engines! {
    fn long_pages_need_as_many_statements_as_short_ones(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let Scene { viewer, writer, status } = set_up(app).await;
            let picks = (0..ROWS).map(|number| format!("pick{number}")).collect::<Vec<_>>();
            for pick in &picks {
                let user = app.user(pick).await;
                let shown = [("discoverable", "true")];
                user.patch("/api/v1/accounts/update_credentials", &shown).await.ok();
            }
            let setting = "suggestions.staff_picks".to_owned();
            app.app().change_setting(setting, picks.join(",")).await.unwrap();
            let account = format!("/api/v1/accounts/{}", viewer.id);
            let list = fill_lists(&viewer).await;
            build_feeds(app, &viewer, &list).await;
            trend(app).await;
            for path in [
                format!("{account}/followers?"),
                format!("{account}/following?"),
                format!("{account}/endorsements?"),
                format!("/api/v1/accounts/{writer}/statuses?"),
                "/api/v1/blocks?".to_owned(),
                "/api/v1/bookmarks?".to_owned(),
                "/api/v1/favourites?".to_owned(),
                "/api/v1/domain_blocks?".to_owned(),
                "/api/v1/endorsements?".to_owned(),
                "/api/v1/follow_requests?".to_owned(),
                "/api/v1/mutes?".to_owned(),
                "/api/v1/followed_tags?".to_owned(),
                "/api/v1/conversations?".to_owned(),
                format!("/api/v1/lists/{list}/accounts?"),
                format!("/api/v1/timelines/list/{list}?"),
                format!("/api/v1/statuses/{status}/favourited_by?"),
                format!("/api/v1/statuses/{status}/reblogged_by?"),
                "/api/v1/scheduled_statuses?".to_owned(),
                "/api/v1/timelines/home?".to_owned(),
                "/api/v1/timelines/public?".to_owned(),
                "/api/v1/timelines/tag/birds?".to_owned(),
                format!("/api/v1/timelines/link?url={ARTICLE}&"),
                "/api/v1/trends/tags?".to_owned(),
                "/api/v1/trends/links?".to_owned(),
                "/api/v1/trends/statuses?".to_owned(),
                "/api/v1/notifications?".to_owned(),
                "/api/v2/notifications?".to_owned(),
                "/api/v2/notifications?grouped_types[]=follow&".to_owned(),
                "/api/v1/notifications/requests?".to_owned(),
                "/api/v2/search?q=fan&type=accounts&".to_owned(),
                "/api/v2/search?q=reader&type=statuses&".to_owned(),
                "/api/v2/search?q=nest&type=hashtags&".to_owned(),
                "/api/v1/accounts/search?q=fan&".to_owned(),
                "/api/v1/accounts/search?q=fan&following=true&".to_owned(),
                "/api/v1/directory?".to_owned(),
                "/api/v1/directory?order=new&local=true&".to_owned(),
                "/api/v1/suggestions?".to_owned(),
                "/api/v2/suggestions?".to_owned(),
            ] {
                let (short, long) = costs(app, &viewer, &path).await;
                assert_eq!(short, long, "{path}");
                assert!(short > 0, "no statement was counted: {path}");
            }
        });
    }

    fn lists_of_reports_need_as_many_statements_for_long_pages(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let (staff, bob) = (app.staff("mod", "Moderator").await, app.user("bob").await);
            let rule = app.rule("Be kind").await;
            for number in 0..ROWS {
                let user = app.user(&format!("reporter{number}")).await;
                let status = id(&bob.publish("Rude").await);
                let sent = json!({ "status_ids": [status], "rule_ids": [rule] });
                let report = user.report_as(&bob, sent).await;
                staff.on_report(&report, "assign_to_self").await;
            }
            app.app().drain_jobs().await.unwrap();
            for path in [
                "/api/v1/admin/reports?",
                "/api/v1/notifications?types[]=admin.report&",
                "/api/v2/notifications?types[]=admin.report&",
            ] {
                assert_eq!(staff.get(path).await.status, 200);
                let (short, long) = costs(app, &staff, path).await;
                assert_eq!(short, long, "{path}");
                assert!(short > 0, "no statement was counted: {path}");
            }
        });
    }

    fn lists_for_staff_that_decide_need_as_many_statements_for_long_pages(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let staff = app.moderator("mod").await;
            app.ask_for_approval().await;
            for number in 0..ROWS {
                app.user(&format!("user{number}")).await;
                app.signs_up(&format!("person{number}")).await;
            }
            app.app().drain_jobs().await.unwrap();
            for path in [
                "/api/v1/admin/accounts?",
                "/api/v2/admin/accounts?status=pending&ip=127.0.0.0/8&permissions=&",
                "/api/v1/notifications?types[]=admin.sign_up&",
                "/api/v2/notifications?types[]=admin.sign_up&",
            ] {
                let (short, long) = costs(app, &staff, path).await;
                assert_eq!(short, long, "{path}");
                assert!(short > 0, "no statement was counted: {path}");
            }
        });
    }

    fn lists_of_strikes_need_as_many_statements_for_long_pages(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let (admin, bob) = (app.staff("admin", "Admin").await, app.user("bob").await);
            for number in 0..ROWS {
                let user = app.user(&format!("user{number}")).await;
                for author in [&bob, &user] {
                    let status = author.publish("Rude").await;
                    admin.act_on_status(&status, json!({ "type": "delete" })).await.ok();
                }
                let path = format!("/api/v1/strikes/{}/appeal", id(&user.strikes().await[0]));
                user.json(&path, json!({ "text": "No" })).await.ok();
            }
            app.app().drain_jobs().await.unwrap();
            let of_bob = format!("/api/v1/admin/accounts/{}/strikes?", bob.id);
            for (client, path) in [
                (&admin, &*of_bob),
                (&bob, "/api/v1/strikes?"),
                (&bob, "/api/v1/notifications?types[]=moderation_warning&"),
                (&bob, "/api/v2/notifications?types[]=moderation_warning&"),
                (&admin, "/api/v1/admin/appeals?"),
            ] {
                assert_eq!(client.get(path).await.status, 200);
                let (short, long) = costs(app, client, path).await;
                assert_eq!(short, long, "{path}");
                assert!(short > 0, "no statement was counted: {path}");
            }
        });
    }

    fn a_long_thread_needs_as_many_statements_as_a_short_one(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let Scene { viewer, status, .. } = set_up(app).await;
            let context = |id: &str| format!("/api/v1/statuses/{id}/context");
            let thread = viewer.get(&context(&status)).await.ok();
            let answers = thread["descendants"].as_array().unwrap();
            assert_eq!(answers.len(), ROWS);
            viewer.reply(&answers[0], "short").await;
            let long = cost(app, &viewer, &context(&status)).await;
            assert_eq!(cost(app, &viewer, &context(&id(&answers[0]))).await, long);
        });
    }

    fn many_entities_need_as_many_statements_as_one(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let Scene { viewer, .. } = set_up(app).await;
            let fans = viewer.get(&format!("/api/v1/accounts/{}/followers", viewer.id)).await.ids();
            let path = |ids: &[String]| format!("/api/v1/relationships?id[]={}", ids.join("&id[]="));
            let one = cost(app, &viewer, &path(&fans[..1])).await;
            assert_eq!(cost(app, &viewer, &path(&fans)).await, one);
            let replies = viewer.get("/api/v1/bookmarks").await.ids();
            let statuses = |ids: &[String]| format!("/api/v1/statuses?id[]={}", ids.join("&id[]="));
            let one = cost(app, &viewer, &statuses(&replies[..1])).await;
            assert_eq!(cost(app, &viewer, &statuses(&replies)).await, one);
            let accounts = |ids: &[String]| format!("/api/v1/accounts?id[]={}", ids.join("&id[]="));
            let one = cost(app, &viewer, &accounts(&fans[..1])).await;
            assert_eq!(cost(app, &viewer, &accounts(&fans)).await, one);
            let path = |ids: &[String]| {
                format!("/api/v1/accounts/familiar_followers?id[]={}", ids.join("&id[]="))
            };
            let one = cost(app, &viewer, &path(&fans[..1])).await;
            assert_eq!(cost(app, &viewer, &path(&fans)).await, one);
        });
    }
}
