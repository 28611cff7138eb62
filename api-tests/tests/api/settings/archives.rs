//! The archive of an account at `/settings/export`.

use std::{collections::BTreeMap, io::Read as _, time::Duration};

use flate2::bufread::GzDecoder;
use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_services::{accounts::Decision, exports::archives};
use siskin_test_support::{both_engines, builders::PASSWORD};

use super::{DAY, EXPORT, downloads, person, request, stored_files};
use crate::{
    disputes::{decide, restricted},
    oauth::{hidden_fields, sign_in, signed_in},
    support::{Client, TestApp, id, pictures::png, with_mail},
};

const ARCHIVES: &str = "/settings/export/archives";

/// Requests an archive, and downloads it.
async fn archive_of(app: &TestApp, browser: &Client) -> BTreeMap<String, Vec<u8>> {
    let requested = request(browser, ARCHIVES).await;
    assert_eq!(requested.status, 303, "{}", requested.text());
    app.settle().await;
    let paths = downloads(browser, ARCHIVES).await;
    let [path] = &paths[..] else { panic!("{paths:?}") };
    let file = browser.get(path).await;
    assert_eq!((file.status, file.header("content-type")), (200, Some("application/gzip")));
    let disposition = "attachment; filename=\"archive.tar.gz\"";
    assert_eq!(file.header("content-disposition"), Some(disposition));
    assert_eq!(file.header("cache-control"), Some("private, no-store"));
    unpacked(&file.body)
}

/// Returns the files of an archive. A single gzip member has all of them.
fn unpacked(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut decoder = GzDecoder::new(archive);
    let mut tar = Vec::new();
    decoder.read_to_end(&mut tar).unwrap();
    assert!(decoder.into_inner().is_empty(), "something follows the archive");
    let mut archive = tar::Archive::new(&tar[..]);
    let mut files = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        assert!(files.insert(path, content).is_none());
    }
    files
}

fn document(files: &BTreeMap<String, Vec<u8>>, name: &str) -> Value {
    serde_json::from_slice(&files[name]).unwrap()
}

api_tests! {
    async fn an_archive_contains_everything_with_its_files(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        let bob = app.user("bob").await;
        ann.patch("/api/v1/accounts/update_credentials", &[("display_name", "Ann <3")]).await.ok();
        ann.upload("avatar", png(20, 20)).await.ok();
        let public = ann.publish("Hello @bob #birds").await;
        let secret = ann.publish_as(json!({ "status": "@bob psst", "visibility": "direct" })).await;
        let pictured = ann.publish_picture("Look", "A bird").await;
        let reply = ann.reply(&public, "And more").await;
        let asked = ann.publish_as(json!({
            "status": "?", "poll": { "options": ["yes", "no"], "expires_in": 3600 },
        })).await;
        let (kept, gone) = (bob.publish("Kept").await, bob.publish("Gone").await);
        ann.act("reblog", &kept).await;
        ann.act("reblog", &gone).await;
        ann.act("favourite", &kept).await;
        ann.act("bookmark", &public).await;
        bob.publish("Not mine").await;
        bob.delete(&format!("/api/v1/statuses/{}", id(&gone))).await.ok();

        let files = archive_of(app, &browser).await;
        let actor = document(&files, "actor.json");
        assert_eq!((&actor["preferredUsername"], &actor["name"]), (&json!("ann"), &json!("Ann <3")));
        let avatar = actor["icon"]["url"].as_str().unwrap();
        assert!(avatar.starts_with("avatar.") && !files[avatar].is_empty(), "{avatar}");
        assert_eq!(actor.get("image"), None);
        let outbox = document(&files, "outbox.json");
        let items = outbox["orderedItems"].as_array().unwrap();
        assert_eq!(outbox["totalItems"], json!(items.len()));
        let kinds: Vec<_> = items.iter().map(|item| item["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["Create", "Create", "Create", "Create", "Create", "Announce"]);
        let uris: Vec<&Value> = items[..5].iter().map(|item| &item["object"]["id"]).collect();
        assert_eq!(uris, [&public, &secret, &pictured, &reply, &asked].map(|status| &status["uri"]));
        assert_eq!(items[5]["object"], kept["uri"]);
        assert_eq!(items[3]["object"]["inReplyTo"], public["uri"]);
        assert!(items[1]["object"]["content"].as_str().unwrap().contains("psst"));
        assert_eq!(items[1]["object"]["to"].as_array().unwrap().len(), 1);
        assert_eq!(items[4]["object"]["type"], "Question");
        let picture = &items[2]["object"]["attachment"][0];
        assert_eq!(picture["name"], "A bird");
        let path = picture["url"].as_str().unwrap();
        let served = pictured["media_attachments"][0]["url"].as_str().unwrap();
        let served = ann.get(served.strip_prefix(app.base_url()).unwrap()).await;
        assert_eq!(files[path], served.body);
        assert_eq!(document(&files, "likes.json")["orderedItems"], json!([kept["uri"]]));
        assert_eq!(document(&files, "bookmarks.json")["orderedItems"], json!([public["uri"]]));
        assert_eq!(files.len(), 6, "{:?}", files.keys());
        // A name in the archive never leaves its folder.
        assert!(files.keys().all(|path| !path.starts_with('/') && !path.contains("..")));
    }

    // More statuses than one step writes, and files that need several parts.
    async fn an_archive_in_many_steps_is_whole(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        for number in 0..205 {
            ann.publish(&format!("Post {number}")).await;
        }
        for _ in 0..3 {
            ann.publish_picture("Look", "A bird").await;
        }
        let files = archive_of(app, &browser).await;
        let outbox = document(&files, "outbox.json");
        let items = outbox["orderedItems"].as_array().unwrap();
        assert_eq!((items.len(), &outbox["totalItems"]), (208, &json!(208)));
        assert!(items[0]["object"]["content"].as_str().unwrap().contains("Post 0"));
        assert!(items[204]["object"]["content"].as_str().unwrap().contains("Post 204"));
        let pictures = files.keys().filter(|path| path.starts_with("media/"));
        assert_eq!(pictures.count(), 3);
        assert!(browser.get(EXPORT).await.text().contains("208 posts"));
    }

    async fn an_empty_account_has_an_archive(app: &TestApp) {
        let (_, browser) = person(app, "ann").await;
        let files = archive_of(app, &browser).await;
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["actor.json", "bookmarks.json", "likes.json", "outbox.json"]);
        for name in &names[1..] {
            let collection = document(&files, name);
            assert_eq!((&collection["orderedItems"], &collection["totalItems"]), (&json!([]), &json!(0)));
        }
    }

    async fn an_archive_needs_its_owner_and_a_fresh_session(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        request(&browser, ARCHIVES).await;
        app.settle().await;
        let path = downloads(&browser, ARCHIVES).await.remove(0);
        let eve = signed_in(app, "eve").await;
        assert_eq!(eve.get(&path).await.status, 404);
        assert_eq!(app.browser().get(&path).await.status, 302);
        assert_eq!(ann.get(&path).await.status, 302, "a token is no session");
        for strange in ["0", "abc", "1"] {
            assert_eq!(browser.get(&format!("{ARCHIVES}/{strange}")).await.status, 404);
        }
        // It is no export of posts, and the other way round.
        let number = path.rsplit('/').next().unwrap();
        assert_eq!(browser.get(&format!("{EXPORT}/posts/{number}")).await.status, 404);
        app.advance(Duration::from_mins(59));
        assert_eq!(browser.get(&path).await.status, 200);
        app.advance(Duration::from_mins(2));
        assert_eq!(browser.get(&path).await.status, 403);
        let page = browser.get(EXPORT).await.text();
        assert!(downloads(&browser, ARCHIVES).await.is_empty());
        assert!(page.contains("href=\"/auth/sign_in?return_to=%2Fsettings%2Fexport\""), "{page}");
        sign_in(&browser, "ann", PASSWORD).await;
        assert_eq!(browser.get(&path).await.status, 200);
        // It ends after a week, with its files.
        let names = app.app().read(siskin_services::media::named).await.unwrap();
        assert!(names.iter().any(|name| name.ends_with(".export")));
        app.advance(7 * DAY);
        sign_in(&browser, "ann", PASSWORD).await;
        assert_eq!(browser.get(&path).await.status, 404);
        app.app().sweep_rows().await.unwrap();
        let names = app.app().read(siskin_services::media::named).await.unwrap();
        assert!(!names.iter().any(|name| name.ends_with(".export")), "{names:?}");
    }

    async fn one_archive_a_week_is_possible(app: &TestApp) {
        let (_, browser) = person(app, "ann").await;
        let form = hidden_fields(&browser.get(EXPORT).await.text(), ARCHIVES);
        let all = join_all((0..10).map(|_| browser.form(ARCHIVES, &form))).await;
        assert_eq!(all.iter().filter(|response| response.status == 303).count(), 1);
        let refused = all.iter().find(|response| response.status != 303).unwrap();
        assert!(refused.status == 422 && refused.text().contains("Only one archive a week"));
        app.settle().await;
        let page = browser.get(EXPORT).await.text();
        assert!(page.contains("You can request the next archive") && !page.contains("Make an archive"));
        // Posts can be exported meanwhile.
        assert!(page.contains("Collect my posts"));
        app.advance(7 * DAY - Duration::from_secs(60));
        assert_eq!(request(&browser, ARCHIVES).await.status, 422);
        app.advance(Duration::from_secs(61));
        assert_eq!(request(&browser, ARCHIVES).await.status, 303);
        app.settle().await;
        assert_eq!(app.browser().form(ARCHIVES, &form).await.status, 403);
    }

    async fn suspended_and_disabled_people_get_their_archive(app: &TestApp) {
        for (name, decision) in
            [("sue", Decision::Suspended(true)), ("dan", Decision::Disabled(true))]
        {
            let user = app.user(name).await;
            user.publish_picture("Mine", "A bird").await;
            decide(app, &user, decision).await;
            let browser = restricted(app, &user).await;
            let files = archive_of(app, &browser).await;
            assert_eq!(document(&files, "outbox.json")["totalItems"], 1, "{name}");
            assert_eq!(files.keys().filter(|path| path.starts_with("media/")).count(), 1, "{name}");
        }
    }

    async fn a_deleted_account_leaves_no_archive(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        ann.publish_picture("Look", "A bird").await;
        request(&browser, ARCHIVES).await;
        app.settle().await;
        assert!(stored_files(app) > 4);
        let account = ann.id.parse().unwrap();
        app.app().write(move |tx| siskin_services::accounts::removal::begin(tx, account)).await.unwrap();
        app.advance(Duration::from_hours(2));
        app.settle().await;
        assert_eq!(stored_files(app), 0);
        let late = app.app().write(move |tx| archives::request(tx, account)).await;
        assert!(matches!(late, Err(siskin_services::Error::NotFound)), "{late:?}");
    }
}

both_engines! {
    fn the_owner_gets_one_email_without_a_link_to_the_file(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let (_, browser) = person(app, "ann").await;
            let before = app.mails(sink, "ann@example.com").await.len();
            assert_eq!(request(&browser, ARCHIVES).await.status, 303);
            let mails = app.mails(sink, "ann@example.com").await;
            let [mail] = &mails[before..] else { panic!("{mails:?}") };
            assert!(mail.header("subject").unwrap().starts_with("Your archive is ready"));
            let path = downloads(&browser, ARCHIVES).await.remove(0);
            for text in [mail.text(), mail.html()] {
                assert!(text.contains(EXPORT) && !text.contains(&path), "{text}");
            }
        });
    }
}
