//! `PUT` and `DELETE /api/v1/announcements/{id}/reactions/{name}`.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_entities::Actor;
use siskin_services::{accounts::removal, emojis};

use super::{list, react, reaction_path, unreact};
use crate::support::{Client, pictures::png};

const EIGHT: [&str; 8] = ["🐦", "🐧", "🐤", "🦉", "🦆", "🦅", "🦜", "🦩"];

/// Returns the reactions to the only announcement, as name, number and whether the viewer is one.
async fn reactions(client: &Client) -> Vec<(String, i64, bool)> {
    let shown = list(client).await.remove(0);
    let reaction = |one: &Value| {
        let name = one["name"].as_str().unwrap().to_owned();
        (name, one["count"].as_i64().unwrap(), one["me"].as_bool().unwrap())
    };
    shown["reactions"].as_array().unwrap().iter().map(reaction).collect()
}

fn counted(name: &str, count: i64, me: bool) -> (String, i64, bool) {
    (name.to_owned(), count, me)
}

api_tests! {
    async fn reactions_are_counted_by_emoji_in_the_order_of_their_first_use(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let tea = app.announce("Tea").await;
        for (user, name) in [(&alice, "🦉"), (&bob, "🐦"), (&bob, "🦉"), (&alice, "❤")] {
            app.advance(Duration::from_secs(1));
            assert_eq!(react(user, tea, name).await.ok(), json!({}));
            // A repeated reaction changes nothing.
            assert_eq!(react(user, tea, name).await.ok(), json!({}));
        }
        let expected = [counted("🦉", 2, true), counted("🐦", 1, false), counted("❤", 1, true)];
        assert_eq!(reactions(&alice).await, expected);
        for _ in 0..2 {
            assert_eq!(unreact(&alice, tea, "🦉").await.ok(), json!({}));
        }
        unreact(&alice, tea, "❤").await.ok();
        assert_eq!(reactions(&alice).await, [counted("🐦", 1, false), counted("🦉", 1, false)]);
        assert_eq!(reactions(&bob).await, [counted("🐦", 1, true), counted("🦉", 1, true)]);
    }

    async fn custom_emojis_are_shown_with_their_pictures(app: &TestApp) {
        let alice = app.user("alice").await;
        let tea = app.announce("Tea").await;
        react(&alice, tea, "cat").await.expect(422);
        app.emoji("cat", None, png(20, 20)).await;
        react(&alice, tea, "cat").await.ok();
        react(&alice, tea, "🐦").await.ok();
        let shown = list(&alice).await.remove(0);
        let reactions_of = |name: &str| {
            let all = shown["reactions"].as_array().unwrap();
            all.iter().find(|one| one["name"] == name).unwrap()
        };
        let cat = reactions_of("cat");
        for address in ["url", "static_url"] {
            assert_eq!(alice.get(cat[address].as_str().unwrap()).await.status, 200);
        }
        assert_eq!(reactions_of("🐦"), &json!({ "name": "🐦", "count": 1, "me": true }));
        app.app().write(|tx| emojis::delete(tx, Actor::Operator, "cat")).await.unwrap();
        assert_eq!(reactions(&alice).await, [counted("🐦", 1, true)]);
        unreact(&alice, tea, "cat").await.ok();
    }

    async fn a_reaction_is_exactly_one_emoji(app: &TestApp) {
        let alice = app.user("alice").await;
        let tea = app.announce("Tea").await;
        let error = json!({ "error": "Validation failed: Name is not a recognized emoji" });
        let long = "x".repeat(5000);
        for name in [
            "🐦🐦", "x", "7", "%20", "%F0%9F%90%A6x", "🇽🇽", "%3Cb%3E", "a%2Fb", "%00", &long,
        ] {
            assert_eq!(react(&alice, tea, name).await.expect(422), error, "{name}");
        }
        for name in ["unknown", "with_underscore"] {
            assert_eq!(react(&alice, tea, name).await.expect(422), error, "{name}");
            // It may have existed.
            unreact(&alice, tea, name).await.ok();
        }
        assert_eq!(unreact(&alice, tea, "🐦🐦").await.expect(422), error);
        for name in ["🇩🇪", "👩🏽\u{200D}🚀", "1\u{FE0F}\u{20E3}", "❤\u{FE0F}"] {
            react(&alice, tea, name).await.ok();
        }
        assert_eq!(reactions(&alice).await.len(), 4);
        let german = alice.request(reqwest::Method::PUT, &reaction_path(tea, "xx"));
        let german = alice.send(german.header("accept-language", "de")).await.expect(422);
        assert!(german["error"].as_str().unwrap().contains("kein bekanntes Emoji"), "{german}");
    }

    async fn an_announcement_takes_eight_different_emojis(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.emoji("cat", None, png(20, 20)).await;
        let tea = app.announce("Tea").await;
        react(&alice, tea, "cat").await.ok();
        for name in &EIGHT[..7] {
            react(&alice, tea, name).await.ok();
        }
        let error = json!({ "error": "Validation failed: Limit of different reactions reached" });
        assert_eq!(react(&bob, tea, EIGHT[7]).await.expect(422), error);
        react(&bob, tea, EIGHT[0]).await.ok();
        // Reactions that are not shown do not count.
        app.app().write(|tx| emojis::delete(tx, Actor::Operator, "cat")).await.unwrap();
        react(&bob, tea, EIGHT[7]).await.ok();
        assert_eq!(react(&bob, tea, "❤").await.expect(422), error);
        unreact(&alice, tea, EIGHT[1]).await.ok();
        react(&bob, tea, "❤").await.ok();
        assert_eq!(reactions(&bob).await.len(), 8);
    }

    async fn only_published_announcements_take_reactions(app: &TestApp) {
        let alice = app.user("alice").await;
        let tea = app.announce("Tea").await;
        app.withdraw(tea).await;
        let error = json!({ "error": "Record not found" });
        for announcement in [tea, "1".parse().unwrap()] {
            for name in ["🐦", "no emoji"] {
                assert_eq!(react(&alice, announcement, name).await.expect(404), error);
                assert_eq!(unreact(&alice, announcement, name).await.expect(404), error);
            }
        }
    }

    async fn reactions_need_the_scope_to_write_favourites(app: &TestApp) {
        let alice = app.user("alice").await;
        let tea = app.announce("Tea").await;
        let reader = app.user_with_scopes(&alice, "read write:accounts").await;
        let application = app.application("write").await;
        for (client, status) in [(app.anonymous(), 401), (reader, 403), (application, 422)] {
            react(&client, tea, "🐦").await.expect(status);
            unreact(&client, tea, "🐦").await.expect(status);
        }
        let writer = app.user_with_scopes(&alice, "write:favourites").await;
        react(&writer, tea, "🐦").await.ok();
        unreact(&writer, tea, "🐦").await.ok();
    }

    async fn parallel_reactions_keep_the_limit_and_count_each_account_once(app: &TestApp) {
        let alice = app.user("alice").await;
        let tea = app.announce("Tea").await;
        for response in join_all((0..50).map(|_| react(&alice, tea, "🐦"))).await {
            assert_eq!(response.ok(), json!({}));
        }
        assert_eq!(reactions(&alice).await, [counted("🐦", 1, true)]);

        let crowd = app.crowd("crowd", 25).await;
        let names: Vec<String> = (0..50).map(|number| {
            char::from_u32(0x1F600 + number).unwrap().to_string()
        }).collect();
        let each = names.iter().enumerate();
        let each = each.map(|(place, name)| react(&crowd[place % 25], tea, name));
        let answers = join_all(each).await;
        assert_eq!(answers.iter().filter(|response| response.status == 200).count(), 7);
        assert_eq!(reactions(&alice).await.len(), 8);

        join_all(crowd.iter().map(|user| react(user, tea, "🐦"))).await;
        let shown = reactions(&alice).await;
        assert_eq!(shown.iter().find(|(name, ..)| name == "🐦"), Some(&counted("🐦", 26, true)));
    }

    async fn reactions_of_deleted_accounts_are_gone(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let tea = app.announce("Tea").await;
        react(&bob, tea, "🐦").await.ok();
        bob.post(&format!("/api/v1/announcements/{tea}/dismiss")).await.ok();
        let gone = bob.id.parse().unwrap();
        app.app().write(move |tx| removal::begin(tx, gone)).await.unwrap();
        app.app().drain_jobs().await.unwrap();
        assert_eq!(reactions(&alice).await, []);
    }
}
