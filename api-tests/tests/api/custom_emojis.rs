//! `/api/v1/custom_emojis`, and custom emojis in texts.

use serde_json::{Value, json};
use siskin_entities::Actor;
use siskin_ids::AccountId;
use siskin_media::Purpose;
use siskin_persistence::Tx;
use siskin_services::{
    accounts::profile::{self, Changes, Pictures},
    emojis::{self, Added},
};
use siskin_test_support::both_engines;

use crate::support::{
    TestApp, id,
    pictures::{moving_gif, png, size},
    run,
};

const LIST: &str = "/api/v1/custom_emojis";

impl TestApp {
    /// Adds an emoji as the command does.
    pub async fn emoji(&self, shortcode: &str, category: Option<&str>, picture: Vec<u8>) -> Added {
        let prepared = emojis::prepare(shortcode, category, true).unwrap();
        let picture = self.app().media().store_picture(picture, Purpose::EMOJI).await.unwrap();
        let put = move |tx: &mut Tx<'_>| emojis::put(tx, Actor::Operator, &prepared, &picture);
        self.app().write(put).await.unwrap()
    }
}

fn names(emojis: &Value) -> Vec<&str> {
    let emojis = emojis.as_array().unwrap().iter();
    emojis.map(|emoji| emoji["shortcode"].as_str().unwrap()).collect()
}

api_tests! {
    async fn emojis_are_listed_by_category_for_everyone(app: &TestApp) {
        assert_eq!(app.anonymous().get(LIST).await.ok(), json!([]));
        app.emoji("zebra", None, png(20, 20)).await;
        app.emoji("cat", Some("Pets"), png(20, 20)).await;
        app.emoji("Bird", Some("Pets"), moving_gif(20)).await;
        app.emoji("ant", Some("Bugs"), png(20, 20)).await;
        let listed = app.anonymous().get(LIST).await.ok();
        assert_eq!(names(&listed), ["ant", "Bird", "cat", "zebra"]);
        assert_eq!(listed[1]["category"], "Pets");
        assert_eq!((&listed[3]["category"], &listed[3]["visible_in_picker"]), (&Value::Null, &json!(true)));
        assert_ne!(listed[1]["url"], listed[1]["static_url"]);
        assert_eq!(listed[2]["url"], listed[2]["static_url"]);
        for (address, media_type) in [("url", "image/gif"), ("static_url", "image/png")] {
            let file = app.anonymous().get(listed[1][address].as_str().unwrap()).await;
            assert_eq!((file.status, file.header("content-type")), (200, Some(media_type)));
            assert_eq!(size(&file.body), (20, 20));
        }
    }

    async fn responses_list_the_emojis_of_their_texts(app: &TestApp) {
        for name in ["cat", "bird", "ant", "bee"] {
            app.emoji(name, None, png(20, 20)).await;
        }
        let alice = app.user("alice").await;
        let profile = json!({
            "display_name": "Alice :cat:", "note": "I like :bird: and :cat:, not :dog:.",
            "fields_attributes": [{ "name": ":ant:", "value": "x:bee: 12:bee:30" }],
        });
        let update = alice.request(reqwest::Method::PATCH, "/api/v1/accounts/update_credentials");
        let own = alice.send(update.json(&profile)).await.ok();
        assert_eq!(names(&own["emojis"]), ["cat", "bird", "ant"]);
        let status = alice
            .publish_as(json!({ "status": ":bee: :bee: :nothing: :cat:x", "spoiler_text": "(:ant:)" }))
            .await;
        assert_eq!(names(&status["emojis"]), ["ant", "bee"]);
        assert_eq!(names(&status["account"]["emojis"]), ["cat", "bird", "ant"]);
        // The text keeps the shortcode; clients replace it.
        assert!(status["content"].as_str().unwrap().contains(":bee:"));
        let bob = app.user("bob").await;
        let boost = bob.act("reblog", &status).await;
        assert_eq!(boost["emojis"], json!([]));
        assert_eq!(boost["reblog"]["emojis"], status["emojis"]);
        let account = app.anonymous().get(&format!("/api/v1/accounts/{}", alice.id)).await.ok();
        assert_eq!(account["emojis"], own["emojis"]);
        let notified = alice.get("/api/v1/notifications").await.ok();
        assert_eq!(notified[0]["status"]["emojis"], status["emojis"]);
    }

    async fn emojis_of_a_poll_are_listed_on_its_status(app: &TestApp) {
        for name in ["cat", "bird", "ant", "bee"] {
            app.emoji(name, None, png(20, 20)).await;
        }
        let alice = app.user("alice").await;
        let poll = |options: [&str; 2]| json!({ "options": options, "expires_in": 3600 });
        let status = alice
            .publish_as(json!({ "status": ":bee:?", "poll": poll([":cat: yes", ":bee: no :ant:"]) }))
            .await;
        let path = format!("/api/v1/statuses/{}", status["id"].as_str().unwrap());
        let shown = async || alice.get(&path).await.ok();
        assert_eq!(names(&status["emojis"]), ["bee", "cat", "ant"]);
        assert_eq!(names(&status["poll"]["emojis"]), ["cat", "bee", "ant"]);
        assert_eq!(names(&shown().await["emojis"]), ["bee", "cat", "ant"]);
        let edit = async |changes: Value| {
            let request = alice.request(reqwest::Method::PUT, &path).json(&changes);
            alice.send(request).await.ok()
        };
        let other = edit(json!({ "poll": poll([":bird:", "none"]) })).await;
        assert_eq!(names(&other["emojis"]), ["bee", "bird"]);
        assert_eq!(names(&shown().await["emojis"]), ["bee", "bird"]);
        let without = edit(json!({ "poll": null })).await;
        assert_eq!(names(&without["emojis"]), ["bee"]);
        assert_eq!(names(&shown().await["emojis"]), ["bee"]);
        let history = alice.get(&format!("{path}/history")).await.ok();
        let versions: Vec<Vec<&str>> =
            history.as_array().unwrap().iter().map(|version| names(&version["emojis"])).collect();
        assert_eq!(versions, [vec!["bee", "cat", "ant"], vec!["bee", "bird"], vec!["bee"]]);
    }

    async fn removed_emojis_are_not_listed(app: &TestApp) {
        app.emoji("cat", None, png(20, 20)).await;
        let alice = app.user("alice").await;
        let status = alice.publish("Hello :cat:").await;
        assert_eq!(names(&status["emojis"]), ["cat"]);
        app.app().write(|tx| emojis::delete(tx, Actor::Operator, "cat")).await.unwrap();
        assert!(app.app().write(|tx| emojis::delete(tx, Actor::Operator, "cat")).await.is_err());
        let path = format!("/api/v1/statuses/{}", id(&status));
        assert_eq!(alice.get(&path).await.ok()["emojis"], json!([]));
        assert_eq!(app.anonymous().get(LIST).await.ok(), json!([]));
    }

    async fn an_emoji_replaces_one_with_the_same_name(app: &TestApp) {
        assert_eq!(app.emoji("cat", Some("Pets"), png(20, 20)).await, Added::New);
        let before = app.anonymous().get(LIST).await.ok();
        assert_eq!(app.emoji("cat", None, png(30, 30)).await, Added::Replaced);
        // Names are case-sensitive.
        assert_eq!(app.emoji("Cat", None, png(40, 40)).await, Added::New);
        let after = app.anonymous().get(LIST).await.ok();
        assert_eq!(names(&after), ["Cat", "cat"]);
        assert_ne!(after[1]["url"], before[0]["url"]);
        app.advance(std::time::Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(app.stored_files().await, 2);
    }

    async fn remote_accounts_do_not_use_local_emojis(app: &TestApp) {
        app.emoji("zoe", None, png(20, 20)).await;
        let remote: AccountId = app.remote("zoe", "elsewhere.example").await.parse().unwrap();
        let named = Changes { display_name: Some(":zoe:".to_owned()), ..Changes::default() };
        let named = profile::prepare(&app.app().settings(), named).unwrap();
        let instance = app.app().instance().clone();
        app.app()
            .write(move |tx| profile::apply(tx, &instance, remote, &named, &Pictures::default()))
            .await
            .unwrap();
        let shown = app.anonymous().get(&format!("/api/v1/accounts/{remote}")).await.ok();
        assert_eq!((&shown["display_name"], &shown["emojis"]), (&json!(":zoe:"), &json!([])));
    }
}

api_tests! {
    async fn pages_show_emojis_as_pictures(app: &TestApp) {
        app.emoji("cat", None, png(20, 20)).await;
        app.emoji("bird", None, moving_gif(20)).await;
        let alice = app.user("alice").await;
        let profile = json!({
            "display_name": "<Alice> :cat:", "note": "I like :bird:",
            "fields_attributes": [{ "name": ":cat:", "value": ":bird: :dog:" }],
        });
        let update = alice.request(reqwest::Method::PATCH, "/api/v1/accounts/update_credentials");
        alice.send(update.json(&profile)).await.ok();
        let typed = json!({ "status": "A :bird: #birds", "spoiler_text": "& a :cat:" });
        let status = alice.publish_as(typed).await;
        let listed = app.anonymous().get(LIST).await.ok();
        let address = |index: usize, which: &str| listed[index][which].as_str().unwrap().to_owned();
        let cat = format!("<img class=\"emoji\" src=\"{}\" alt=\":cat:\"", address(1, "url"));
        let bird = format!("<img class=\"emoji\" src=\"{}\" alt=\":bird:\"", address(0, "url"));
        let still = format!("srcset=\"{}\"", address(0, "static_url"));
        let own = format!("/@alice/{}", id(&status));
        for path in ["/@alice", own.as_str(), &format!("{own}/embed"), "/tags/birds"] {
            let page = app.anonymous().get(path).await.text();
            for part in [
                format!("<bdi>&lt;Alice&gt; {cat}"),
                format!("&amp; a {cat}"),
                format!("<p>A <picture><source media=\"(prefers-reduced-motion: reduce)\" {still}>{bird}"),
            ] {
                assert!(page.contains(&part), "{path}: {part} is not in {page}");
            }
        }
        let page = app.anonymous().get("/@alice").await.text();
        assert!(page.contains(&format!("<h1 dir=\"auto\">&lt;Alice&gt; {cat}")), "{page}");
        assert!(page.contains(&format!("<dt dir=\"auto\">{cat}")), "{page}");
        assert_eq!(page.matches(&bird).count(), 3);
        assert!(page.contains(" :dog:</dd>") && page.contains("<title>&#60;Alice&#62; :cat: (@alice"));
    }
}

both_engines! {
    fn many_emojis_need_as_many_statements_as_one(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let mut all = String::new();
            for number in 0..10 {
                app.emoji(&format!("bird{number}"), None, png(4, 4)).await;
                all.push_str(&format!(":bird{number}: "));
            }
            let alice = app.user("alice").await;
            let mut costs = Vec::new();
            for text in [":bird1:", &all] {
                alice.patch(crate::support::pictures::UPDATE, &[("note", text)]).await.ok();
                let status = alice.publish(text).await;
                drop(app.app().store().take_counted());
                alice.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
                let counted = app.app().store().take_counted();
                let reads = counted.iter().filter(|cost| !cost.writes);
                costs.push(reads.filter(|cost| cost.at.file().contains("crates/http"))
                    .map(|cost| cost.statements).sum::<u32>());
            }
            assert!(costs[0] > 0 && costs[0] == costs[1], "{costs:?}");
        });
    }
}
