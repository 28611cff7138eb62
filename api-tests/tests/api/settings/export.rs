//! `/settings/export`: lists and statuses of a person as files.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_persistence::Tx;
use siskin_services::{accounts::Decision, exports};
use siskin_test_support::{both_engines, builders::PASSWORD};

use super::{DAY, EXPORT, downloads, person, request, stored_files};
use crate::{
    disputes::{decide, restricted},
    oauth::{hidden_fields, sign_in, signed_in},
    support::{Response, TestApp, id, run},
};

const POSTS: &str = "/settings/export/posts";

fn lines(file: &Response) -> Vec<Value> {
    file.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

api_tests! {
    async fn lists_have_the_formats_of_mastodon(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        let (bob, cat) = (app.user("bob").await, app.user("cat").await);
        app.remote("dan", "remote.example").await;
        app.follow(&ann, &bob).await;
        let list = ann.json("/api/v1/lists", json!({ "title": "Birds, \"big\"" })).await.ok();
        ann.enlist(&id(&list), &[&bob]).await;
        ann.json("/api/v1/lists", json!({ "title": "Empty" })).await.ok();
        ann.act_on("block", &cat).await;
        let (quiet, over) = (app.user("quiet").await, app.user("over").await);
        ann.act_on_with("mute", &quiet, json!({ "notifications": false })).await;
        ann.act_on_with("mute", &over, json!({ "duration": 60 })).await;
        app.advance(Duration::from_secs(61));
        ann.form("/api/v1/domain_blocks", &[("domain", "spam.example")]).await.ok();
        let saved = bob.publish("Good bird").await;
        ann.act("bookmark", &saved).await;
        let here = app.domain();
        let uri = saved["uri"].as_str().unwrap();
        for (file, expected) in [
            ("following_accounts.csv",
                format!("Account address,Show boosts,Notify on new posts,Languages\nbob@{here},true,false,\n")),
            ("lists.csv", format!("\"Birds, \"\"big\"\"\",bob@{here}\n")),
            ("blocked_accounts.csv", format!("cat@{here}\n")),
            ("muted_accounts.csv", format!("Account address,Hide notifications\nquiet@{here},false\n")),
            ("blocked_domains.csv", "spam.example\n".to_owned()),
            ("bookmarks.csv", format!("{uri}\n")),
        ] {
            let path = format!("{EXPORT}/{file}");
            let downloaded = browser.get(&path).await;
            assert_eq!((downloaded.status, downloaded.text()), (200, expected), "{file}");
            assert_eq!(downloaded.header("content-type"), Some("text/csv; charset=utf-8"));
            let disposition = format!("attachment; filename=\"{file}\"");
            assert_eq!(downloaded.header("content-disposition"), Some(disposition.as_str()));
            assert_eq!(downloaded.header("cache-control"), Some("private, no-store"));
            assert!(browser.get(EXPORT).await.text().contains(&path), "{file}");
            assert_eq!(app.browser().get(&path).await.status, 302);
            assert_eq!(ann.get(&path).await.status, 302, "a token is no session");
        }
        for strange in ["posts", "x.csv", "..%2Flists.csv"] {
            assert_eq!(browser.get(&format!("{EXPORT}/{strange}")).await.status, 404, "{strange}");
        }
        // The list of follows can be imported again.
        let list = browser.get(&format!("{EXPORT}/following_accounts.csv")).await.text();
        assert_eq!(siskin_services::follow_list::parse(list.as_bytes()).unwrap().len(), 1);
    }

    async fn a_list_with_several_chunks_is_complete(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        let account = ann.id.parse().unwrap();
        let block = move |tx: &mut Tx<'_>| {
            for number in 0..2050 {
                let domain = format!("spam{number}.example");
                siskin_persistence::relationships::block_domain(tx, account, &domain)?;
            }
            Ok(())
        };
        app.app().write(block).await.unwrap();
        let list = browser.get(&format!("{EXPORT}/blocked_domains.csv")).await.text();
        let domains: Vec<&str> = list.lines().collect();
        assert_eq!(domains.len(), 2050);
        assert_eq!((domains[0], domains[2049]), ("spam0.example", "spam2049.example"));
    }

    async fn all_own_statuses_are_exported_as_the_api_shows_them(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        let bob = app.user("bob").await;
        let mut own = Vec::new();
        for visibility in ["public", "unlisted", "private", "direct"] {
            let text = format!("A {visibility} one <b>\n\nfor @bob");
            own.push(ann.publish_as(json!({ "status": text, "visibility": visibility })).await);
        }
        own.push(ann.publish_picture("Look", "A bird").await);
        let (kept, hidden) = (bob.publish("Kept").await, bob.publish_as(json!({ "status": "Gone" })).await);
        let reblog = ann.act("reblog", &kept).await;
        ann.act("reblog", &hidden).await;
        ann.act("reblog", &own[2]).await;
        bob.delete(&format!("/api/v1/statuses/{}", id(&hidden))).await.ok();
        bob.publish("Not mine").await;
        assert!(downloads(&browser, POSTS).await.is_empty());
        let requested = request(&browser, POSTS).await;
        assert_eq!(requested.status, 303, "{}", requested.text());
        assert!(browser.get(EXPORT).await.text().contains("Being prepared"));
        app.settle().await;
        let paths = downloads(&browser, POSTS).await;
        let [path] = &paths[..] else { panic!("{paths:?}") };
        let file = browser.get(path).await;
        assert_eq!((file.status, file.header("content-type")), (200, Some("application/x-ndjson")));
        assert_eq!(file.header("content-disposition"), Some("attachment; filename=\"posts.jsonl\""));
        let statuses = lines(&file);
        let ids: Vec<String> = statuses.iter().map(id).collect();
        assert_eq!(ids[..5], own.iter().map(id).collect::<Vec<_>>());
        assert_eq!(ids.len(), 7, "{ids:?}");
        assert_eq!(ids[5], id(&reblog));
        assert_eq!(statuses[6]["reblog"]["id"], own[2]["id"]);
        for status in &statuses[..5] {
            let shown = ann.get(&format!("/api/v1/statuses/{}", id(status))).await.ok();
            assert_eq!(status, &shown);
        }
        let picture = statuses[4]["media_attachments"][0]["url"].as_str().unwrap();
        assert!(picture.starts_with("http"), "{picture}");
    }

    async fn an_export_belongs_to_its_owner_for_a_week(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        ann.publish("Secret").await;
        assert_eq!(request(&browser, POSTS).await.status, 303);
        app.settle().await;
        let path = downloads(&browser, POSTS).await.remove(0);
        let eve = signed_in(app, "eve").await;
        assert_eq!(eve.get(&path).await.status, 404);
        assert_eq!(app.browser().get(&path).await.status, 302);
        assert_eq!(ann.get(&path).await.status, 302, "a token is no session");
        for strange in ["0", "abc", "1"] {
            assert_eq!(browser.get(&format!("{POSTS}/{strange}")).await.status, 404);
        }
        let names = app.app().read(siskin_services::media::named).await.unwrap();
        let part = names.iter().find(|name| name.ends_with(".export")).unwrap();
        assert_eq!(browser.get(&format!("/media/{part}")).await.status, 404);
        // The file has direct messages, too, so a browser that was left open does not get it.
        app.advance(Duration::from_mins(59));
        assert_eq!(browser.get(&path).await.status, 200);
        app.advance(Duration::from_mins(2));
        assert_eq!(browser.get(&path).await.status, 403);
        assert!(downloads(&browser, POSTS).await.is_empty());
        let page = browser.get(EXPORT).await.text();
        assert!(page.contains("href=\"/auth/sign_in?return_to=%2Fsettings%2Fexport\""), "{page}");
        app.advance(7 * DAY - Duration::from_mins(62));
        sign_in(&browser, "ann", PASSWORD).await;
        assert_eq!(browser.get(&path).await.status, 200);
        app.advance(Duration::from_secs(61));
        assert_eq!(browser.get(&path).await.status, 404);
        assert!(downloads(&browser, POSTS).await.is_empty());
        app.app().sweep_rows().await.unwrap();
        let names = app.app().read(siskin_services::media::named).await.unwrap();
        assert!(!names.iter().any(|name| name.ends_with(".export")), "{names:?}");
    }

    async fn one_export_a_day_is_possible(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        ann.publish("Hello").await;
        let form = hidden_fields(&browser.get(EXPORT).await.text(), POSTS);
        let all = join_all((0..10).map(|_| browser.form(POSTS, &form))).await;
        let accepted = all.iter().filter(|response| response.status == 303).count();
        assert_eq!(accepted, 1);
        let refused = all.iter().find(|response| response.status != 303).unwrap();
        assert!(refused.status == 422 && refused.text().contains("Only one export a day"));
        app.settle().await;
        let page = browser.get(EXPORT).await.text();
        assert!(page.contains("You can request the next file") && !page.contains("Collect my posts"));
        app.advance(DAY - Duration::from_secs(60));
        assert_eq!(request(&browser, POSTS).await.status, 422);
        app.advance(Duration::from_secs(61));
        assert_eq!(request(&browser, POSTS).await.status, 303);
        app.settle().await;
        sign_in(&browser, "ann", PASSWORD).await;
        assert_eq!(downloads(&browser, POSTS).await.len(), 2);
        assert_eq!(app.browser().form(POSTS, &form).await.status, 403);
    }

    async fn a_person_without_posts_gets_an_empty_file(app: &TestApp) {
        let (_, browser) = person(app, "ann").await;
        request(&browser, POSTS).await;
        app.settle().await;
        let file = browser.get(&downloads(&browser, POSTS).await[0]).await;
        assert_eq!((file.status, file.text().as_str()), (200, ""));
    }

    async fn suspended_and_disabled_people_get_their_data(app: &TestApp) {
        for (name, decision) in
            [("sue", Decision::Suspended(true)), ("dan", Decision::Disabled(true))]
        {
            let user = app.user(name).await;
            user.publish_as(json!({ "status": "Mine", "visibility": "private" })).await;
            user.form("/api/v1/domain_blocks", &[("domain", "spam.example")]).await.ok();
            decide(app, &user, decision).await;
            let browser = restricted(app, &user).await;
            let list = browser.get(&format!("{EXPORT}/blocked_domains.csv")).await;
            assert_eq!((list.status, list.text().as_str()), (200, "spam.example\n"));
            assert_eq!(request(&browser, POSTS).await.status, 303);
            app.settle().await;
            let file = browser.get(&downloads(&browser, POSTS).await[0]).await;
            assert_eq!(lines(&file).len(), 1, "{name}");
            assert!(file.text().contains("Mine"), "{name}");
        }
    }

    async fn a_deleted_account_leaves_no_export(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        ann.publish("Hello").await;
        request(&browser, POSTS).await;
        app.settle().await;
        assert_eq!(stored_files(app), 1);
        let account = ann.id.parse().unwrap();
        app.app().write(move |tx| siskin_services::accounts::removal::begin(tx, account)).await.unwrap();
        app.advance(Duration::from_hours(2));
        app.settle().await;
        assert_eq!(stored_files(app), 0);
        // A late request finds no account.
        let late = app.app().write(move |tx| exports::request(tx, account)).await;
        assert!(matches!(late, Err(siskin_services::Error::NotFound)), "{late:?}");
    }
}

both_engines! {
    fn downloads_of_own_data_are_limited(database: &TestDatabase) {
        let limited = |config: &mut siskin_server::Config| {
            config.fixed_settings.retain(|(key, _)| key != "rate_limits.enabled");
        };
        run(database, limited, async |app: &TestApp| {
            let (_, browser) = person(app, "ann").await;
            let path = format!("{EXPORT}/lists.csv");
            for _ in 0..60 {
                assert_eq!(browser.get(&path).await.status, 200);
            }
            assert_eq!(browser.get(&path).await.status, 429);
        });
    }
}
