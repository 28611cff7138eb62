//! `POST /api/v1/statuses`.

use reqwest::multipart::Form;
use serde_json::json;

use crate::support::{GOOD, id};
use siskin_entities::AccountState;

const PATH: &str = "/api/v1/statuses";

api_tests! {
    async fn a_status_is_returned_with_all_parameters(app: &TestApp) {
        let alice = app.user("alice").await;
        app.user("bob").await;
        let response = alice
            .json(PATH, json!({
                "status": "Hi @bob, see https://example.com/a?b=c #Rust\n\n<b>&</b>",
                "spoiler_text": "a warning",
                "visibility": "unlisted",
                "language": "de",
            }))
            .await;
        response.ok();
        snapshot!("status_published", response);
        assert_eq!(alice.get(&format!("{PATH}/{}", id(&response.json()))).await.ok(), response.json());
    }

    async fn defaults_are_those_of_the_author(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        assert_eq!(status["visibility"], "public");
        assert_eq!(status["sensitive"], false);
        assert_eq!(status["language"], json!(null));
        assert_eq!(status["favourited"], false);
    }

    // `null` counts as absent, and all encodings are equivalent.
    async fn null_is_absent_and_every_encoding_is_equal(app: &TestApp) {
        let alice = app.user("alice").await;
        let nulls = json!({
            "status": "x", "media_ids": null, "poll": null, "spoiler_text": null,
            "in_reply_to_id": null, "sensitive": null, "scheduled_at": null, "visibility": null,
        });
        alice.json(PATH, nulls).await.ok();
        let empty = [
            ("status", "x"), ("media_ids[]", ""), ("spoiler_text", ""), ("in_reply_to_id", ""),
            ("sensitive", ""), ("scheduled_at", ""), ("visibility", ""), ("poll", ""),
        ];
        alice.form(PATH, &empty).await.ok();
        let mut multipart = Form::new();
        for (name, value) in empty {
            multipart = multipart.text(name, value);
        }
        alice.multipart(PATH, multipart).await.ok();
        assert_eq!(alice.get(&format!("/api/v1/accounts/{}/statuses", alice.id)).await.ids().len(), 3);
        let broken = alice
            .request(reqwest::Method::POST, PATH)
            .header("content-type", "application/json")
            .body("{\"status\": \"x\"");
        let response = alice.send(broken).await;
        assert!(response.expect(400)["error"].is_string());
        assert_eq!(alice.get(&format!("/api/v1/accounts/{}/statuses", alice.id)).await.ids().len(), 3);
    }

    async fn empty_and_overlong_statuses_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        for text in ["", "  \n"] {
            let response = alice.form(PATH, &[("status", text)]).await;
            assert_eq!(response.expect(422)["error"], "Validation failed: Text can't be blank");
        }
        alice.form(PATH, &[("status", "x".repeat(500))]).await.ok();
        let too_long = "Validation failed: Text character limit of 500 exceeded";
        let response = alice.form(PATH, &[("status", "x".repeat(501))]).await;
        assert_eq!(response.expect(422)["error"], too_long);
        let with_warning = [("status", "x".repeat(490)), ("spoiler_text", "y".repeat(11))];
        assert_eq!(alice.form(PATH, &with_warning).await.expect(422)["error"], too_long);
        let link = format!("https://example.com/{}", "x".repeat(600));
        alice.form(PATH, &[("status", link)]).await.ok();
    }

    async fn an_unknown_visibility_is_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let response = alice.form(PATH, &[("status", "x"), ("visibility", "everyone")]).await;
        assert_eq!(
            response.expect(422)["error"],
            "Validation failed: Visibility is not included in the list"
        );
    }

    async fn a_content_warning_makes_a_status_sensitive(app: &TestApp) {
        let alice = app.user("alice").await;
        let warned = json!({ "status": "x", "spoiler_text": "cw", "sensitive": false });
        assert_eq!(alice.publish_as(warned).await["sensitive"], true);
        let marked = json!({ "status": "x", "sensitive": "true" });
        assert_eq!(alice.publish_as(marked).await["sensitive"], true);
        let alone = alice.publish_as(json!({ "spoiler_text": "only this" })).await;
        assert_eq!(alone["spoiler_text"], "");
        assert_eq!(alone["content"], "<p>only this</p>");
    }

    async fn the_language_is_given_or_detected(app: &TestApp) {
        let alice = app.user("alice").await;
        let language = async |parameters| alice.publish_as(parameters).await["language"].clone();
        let text = "今週はずっと天気が良くて、毎日泳ぎに行きました。";
        assert_eq!(language(json!({ "status": text })).await, "ja");
        assert_eq!(language(json!({ "status": text, "language": "pt-BR" })).await, "pt");
        assert_eq!(language(json!({ "status": text, "language": "xx" })).await, "ja");
        assert_eq!(language(json!({ "status": "ok" })).await, json!(null));
    }

    async fn a_reply_belongs_to_what_it_replies_to(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.publish("first").await;
        let reply = bob.reply(&first, "second").await;
        assert_eq!(reply["in_reply_to_id"], first["id"]);
        assert_eq!(reply["in_reply_to_account_id"], alice.id);
        let private = json!({
            "status": "third", "in_reply_to_id": first["id"], "visibility": "private",
        });
        bob.publish_as(private).await;
        let first = app.anonymous().get(&format!("{PATH}/{}", id(&first))).await.ok();
        assert_eq!(first["replies_count"], 1, "a private reply must not show that it exists");
    }

    async fn a_reply_to_a_reblog_replies_to_what_is_reblogged(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.publish("first").await;
        let reblog = bob.act("reblog", &first).await;
        let reply = alice.reply(&reblog, "to the reblog").await;
        assert_eq!(reply["in_reply_to_id"], first["id"]);
    }

    async fn a_reply_to_an_invisible_status_is_not_found(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let private = json!({ "status": "secret", "visibility": "private" });
        let secret = id(&alice.publish_as(private).await);
        for to in [secret.as_str(), "1", "abc", "0"] {
            let response = bob.form(PATH, &[("status", "x"), ("in_reply_to_id", to)]).await;
            assert_eq!(response.expect(404)["error"], "Record not found", "{to}");
        }
        let mine = bob.get(&format!("/api/v1/accounts/{}/statuses", bob.id)).await;
        assert_eq!(mine.ids(), Vec::<String>::new());
    }

    async fn only_active_accounts_are_mentioned(app: &TestApp) {
        let alice = app.user("alice").await;
        let (bob, eve, mallory) =
            (app.user("bob").await, app.user("eve").await, app.user("mallory").await);
        app.set_state(&eve, AccountState { reachable: false, ..GOOD }).await;
        app.set_state(&mallory, AccountState { suspended: true, ..GOOD }).await;
        let remote = app.remote("bob", "elsewhere.example").await;
        let text = format!(
            "@bob @BOB@{} @bob@elsewhere.example @eve @mallory @nobody @bob@nowhere.example",
            app.domain()
        );
        let status = alice.publish(&text).await;
        let mentioned: Vec<&str> =
            status["mentions"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
        assert_eq!(mentioned, [bob.id.as_str(), &remote]);
        let content = status["content"].as_str().unwrap();
        assert!(content.contains("@<span>bob@elsewhere.example</span>"), "{content}");
        assert!(content.contains("@eve @mallory @nobody @bob@nowhere.example"), "{content}");
    }

    // Texts that are hashtags, and texts that look like one.
    async fn hashtags_are_recognised_in_common_scripts(app: &TestApp) {
        let alice = app.user("alice").await;
        for (text, tags) in [
            ("#snake_case", vec!["snake_case"]),
            ("#123", vec![]),
            ("#_", vec![]),
            ("https://x.example/Nestlé/#frag", vec![]),
            ("a#b", vec![]),
            ("#one#two", vec!["one"]),
            ("#Two #two #TWO", vec!["two"]),
        ] {
            let status = alice.publish(text).await;
            let found: Vec<&str> =
                status["tags"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
            assert_eq!(found, tags, "{text}");
        }
    }

    async fn a_status_sent_again_is_published_once(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let send = |user: &crate::support::User, key: &str, text: &str| {
            let request = user
                .request(reqwest::Method::POST, PATH)
                .header("Idempotency-Key", key)
                .form(&[("status", text)]);
            let client = user.client.clone();
            async move { id(&client.send(request).await.ok()) }
        };
        let mut sent = Vec::new();
        for _ in 0..10 {
            sent.push(tokio::spawn(send(&alice, "key", "once")));
        }
        let mut published = std::collections::BTreeSet::new();
        for response in sent {
            published.insert(response.await.unwrap());
        }
        assert_eq!(published.len(), 1);
        assert!(published.contains(&send(&alice, "key", "once").await));
        assert!(!published.contains(&send(&alice, "other key", "once").await));
        assert!(!published.contains(&send(&bob, "key", "once").await));
        app.advance(std::time::Duration::from_secs(3601));
        assert!(!published.contains(&send(&alice, "key", "once").await));
    }

    // Direct statuses do not count in `statuses_count`.
    async fn direct_statuses_are_not_counted(app: &TestApp) {
        let alice = app.user("alice").await;
        let counts = async || {
            let status = alice.publish_as(json!({ "status": "x", "visibility": "direct" })).await;
            status["account"]["statuses_count"].as_i64().unwrap()
        };
        assert_eq!(counts().await, 0);
        let public = alice.publish("hello").await;
        assert_eq!(public["account"]["statuses_count"], 1);
        assert_eq!(counts().await, 1);
        alice.act("reblog", &public).await;
        assert_eq!(counts().await, 2);
        alice.delete(&format!("{PATH}/{}", id(&public))).await.ok();
        assert_eq!(counts().await, 0);
    }

    async fn mentioned_accounts_and_subscribed_followers_are_notified(app: &TestApp) {
        let alice = app.user("alice").await;
        let (bob, carol) = (app.user("bob").await, app.user("carol").await);
        let (dave, eve) = (app.user("dave").await, app.user("eve").await);
        for (follower, languages) in [(&bob, None), (&carol, None), (&dave, Some("fr"))] {
            app.follow_with(follower, &alice, true, true, languages).await;
        }
        app.follow(&eve, &alice).await;
        let status = alice.publish_as(json!({ "status": "hello @bob", "language": "en" })).await;
        alice.reply(&bob.publish("@alice").await, "not for everyone").await;
        let notified_of = async |user: &crate::support::User| {
            let notifications = user.get("/api/v1/notifications").await.ok();
            let notified_of = notifications.as_array().unwrap().iter();
            notified_of.map(|n| (n["type"].as_str().unwrap().to_owned(), n["status"]["id"].clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(notified_of(&bob).await, [("mention".to_owned(), status["id"].clone())]);
        assert_eq!(notified_of(&carol).await, [("status".to_owned(), status["id"].clone())]);
        assert_eq!(notified_of(&dave).await, []);
        assert_eq!(notified_of(&eve).await, []);
    }

    async fn a_token_without_the_scope_cannot_write(app: &TestApp) {
        let alice = app.user("alice").await;
        let viewer = app.user_with_scopes(&alice, "read write:media").await;
        viewer.form(PATH, &[("status", "x")]).await.expect(403);
        app.anonymous().form(PATH, &[("status", "x")]).await.expect(401);
        let writer = app.user_with_scopes(&alice, "write:statuses").await;
        writer.form(PATH, &[("status", "x")]).await.ok();
    }
}
