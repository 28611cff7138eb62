//! Quotes: `quoted_status_id`, `quote_approval_policy`, and what each viewer sees of a quote.

use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::FilterContext;

use super::quote_list::revoke;
use crate::support::{User, id};

pub const PATH: &str = "/api/v1/statuses";

pub fn path(status: &Value) -> String {
    format!("{PATH}/{}", id(status))
}

/// Publishes a quote.
pub async fn quote(author: &User, quoted: &Value, text: &str) -> Value {
    author.publish_as(json!({ "status": text, "quoted_status_id": quoted["id"] })).await
}

/// Publishes a status with this visibility and policy.
async fn publish(author: &User, visibility: &str, policy: &str) -> Value {
    let post = json!({
        "status": "Quote me", "visibility": visibility, "quote_approval_policy": policy,
    });
    author.publish_as(post).await
}

async fn refused(author: &User, quoted: &Value, status: u16) -> Value {
    let post = json!({ "status": "x", "quoted_status_id": quoted["id"] });
    author.json(PATH, post).await.expect(status)
}

/// Returns the state of a quote for a viewer, and the id of the quoted status.
pub async fn shown(viewer: &User, status: &Value) -> (String, Value) {
    let quote = viewer.get(&path(status)).await.ok()["quote"].clone();
    (quote["state"].as_str().unwrap().to_owned(), quote["quoted_status"]["id"].clone())
}

api_tests! {
    async fn a_quote_contains_the_quoted_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        assert_eq!((&quoted["quote"], &quoted["quotes_count"]), (&Value::Null, &json!(0)));
        let post = json!({ "status": "Look at this", "quoted_status_id": quoted["id"] });
        let quote = bob.json(PATH, post).await.ok();
        assert_eq!(quote["quote"]["state"], "accepted");
        assert_eq!(quote["quote"]["quoted_status"]["id"], quoted["id"]);
        assert_eq!(quote["quote"]["quoted_status"]["quotes_count"], 1);
        assert_eq!(quote["quote"]["quoted_status"]["favourited"], false);
        for viewer in [&*alice, &app.anonymous()] {
            let read = viewer.get(&path(&quote)).await.ok();
            assert_eq!(read["quote"]["quoted_status"]["content"], "<p>hello</p>");
        }
        assert_eq!(alice.get(&path(&quoted)).await.ok()["quotes_count"], 1);
        let notified = alice.get("/api/v1/notifications").await.ok()[0].clone();
        assert_eq!((&notified["type"], &notified["status"]["id"]), (&json!("quote"), &quote["id"]));
        assert_eq!(bob.get("/api/v1/notifications").await.ids().len(), 0);
    }

    // Clients that do not know quotes show the link.
    async fn a_link_to_the_quoted_status_stands_above_the_text(app: &TestApp) {
        let alice = app.user("alice").await;
        let quoted = alice.publish("hello").await;
        let link = quoted["url"].as_str().unwrap().to_owned();
        let with = quote(&alice, &quoted, "See").await["content"].as_str().unwrap().to_owned();
        assert!(with.starts_with(r#"<p class="quote-inline">RE: <a href=""#), "{with}");
        assert!(with.contains(&link) && with.ends_with("<p>See</p>"), "{with}");
        let typed = quote(&alice, &quoted, &format!("See {link}")).await;
        let typed = typed["content"].as_str().unwrap();
        assert!(!typed.contains("quote-inline"), "{typed}");
    }

    async fn a_quote_inside_of_a_quote_is_an_id(app: &TestApp) {
        let alice = app.user("alice").await;
        let first = alice.publish("first").await;
        let second = quote(&alice, &first, "second").await;
        let third = quote(&alice, &second, "third").await;
        let fourth = quote(&alice, &third, "fourth").await;
        let inner = &fourth["quote"]["quoted_status"];
        assert_eq!(inner["id"], third["id"]);
        assert_eq!(inner["quote"], json!({ "state": "accepted", "quoted_status_id": second["id"] }));
        let reblog = alice.act("reblog", &third).await;
        assert_eq!(reblog["reblog"]["quote"]["quoted_status"]["id"], second["id"]);
        assert_eq!(reblog["quote"], Value::Null);
        alice.delete(&path(&second)).await.ok();
        let read = alice.get(&path(&fourth)).await.ok();
        let expected = json!({ "state": "deleted", "quoted_status_id": null });
        assert_eq!(read["quote"]["quoted_status"]["quote"], expected);
    }

    async fn quoting_a_reblog_quotes_the_original(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let original = alice.publish("hello").await;
        let reblog = bob.act("reblog", &original).await;
        let quote = quote(&bob, &reblog, "This").await;
        assert_eq!(quote["quote"]["quoted_status"]["id"], original["id"]);
    }

    async fn the_policy_decides_who_may_quote(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let carol = app.user("carol").await;
        app.follow(&bob, &alice).await;
        for (policy, by_bob, by_carol) in [
            ("public", "automatic", "automatic"),
            ("followers", "automatic", "denied"),
            ("nobody", "denied", "denied"),
        ] {
            let status = publish(&alice, "public", policy).await;
            let automatic = if policy == "nobody" { json!([]) } else { json!([policy]) };
            let approval = |user: &str| {
                json!({ "automatic": automatic, "manual": [], "current_user": user })
            };
            assert_eq!(status["quote_approval"], approval("automatic"));
            for (viewer, expected) in [(&bob, by_bob), (&carol, by_carol)] {
                let seen = viewer.get(&path(&status)).await.ok();
                assert_eq!(seen["quote_approval"], approval(expected), "{policy}");
                let post = json!({ "status": "x", "quoted_status_id": status["id"] });
                let response = viewer.json(PATH, post).await;
                match expected {
                    "automatic" => drop(response.ok()),
                    _ => {
                        let error = &response.expect(403)["error"];
                        assert_eq!(error, "You are not allowed to quote this post");
                    }
                }
            }
            let anonymous = app.anonymous().get(&path(&status)).await.ok();
            assert_eq!(anonymous["quote_approval"], approval("denied"));
            quote(&alice, &status, "my own").await;
        }
        let count = bob.get(&format!("/api/v1/accounts/{}/statuses", bob.id)).await.ids().len();
        assert_eq!(count, 2);
    }

    async fn statuses_that_not_everyone_sees_are_for_their_author(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&bob, &alice).await;
        let private = publish(&alice, "private", "public").await;
        assert_eq!(private["quote_approval"]["automatic"], json!([]));
        assert_eq!(refused(&bob, &private, 403).await["error"], "You are not allowed to quote this post");
        let own = quote(&alice, &private, "mine").await;
        assert_eq!(own["visibility"], "private");
        let direct = publish(&alice, "direct", "public").await;
        refused(&alice, &direct, 403).await;
        refused(&bob, &direct, 404).await;
    }

    async fn what_cannot_be_seen_cannot_be_quoted(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let private = publish(&alice, "private", "public").await;
        let unknown = refused(&bob, &json!({ "id": "1" }), 404).await;
        assert_eq!(refused(&bob, &private, 404).await, unknown);
        assert_eq!(refused(&bob, &json!({ "id": "abc" }), 404).await, unknown);
        let public = alice.publish("hello").await;
        alice.act_on("block", &bob).await;
        assert_eq!(refused(&bob, &public, 404).await, unknown);
        alice.act_on("unblock", &bob).await;
        bob.act_on("block", &alice).await;
        refused(&bob, &public, 403).await;
        assert_eq!(alice.get(&path(&public)).await.ok()["quotes_count"], 0);
    }

    async fn an_unknown_policy_is_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        let post = json!({ "status": "x", "quote_approval_policy": "friends" });
        let refused = alice.json(PATH, post).await.expect(422);
        assert_eq!(refused["error"], "Validation failed: Quote approval policy is not included in the list");
    }

    async fn a_private_mention_must_mention_whom_it_quotes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let carol = app.user("carol").await;
        let quoted = alice.publish("hello").await;
        let post = |text: &str| {
            json!({ "status": text, "visibility": "direct", "quoted_status_id": quoted["id"] })
        };
        bob.json(PATH, post("@carol look")).await.expect(422);
        let quote = bob.publish_as(post("@carol @alice look")).await;
        assert_eq!(shown(&carol, &quote).await.0, "accepted");
        // One notification is enough, and the rules about mentions apply to it.
        assert_eq!(alice.notification_types().await, ["mention"]);
        // The counter does not reveal what not everyone sees.
        assert_eq!(alice.get(&path(&quoted)).await.ok()["quotes_count"], 0);
    }

    async fn a_policy_about_private_mentions_holds_for_private_quotes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let rule = [("for_private_mentions", "filter")];
        alice.patch("/api/v2/notifications/policy", &rule).await.ok();
        let quoted = alice.publish("hello").await;
        let post = json!({
            "status": "@alice look", "visibility": "direct", "quoted_status_id": quoted["id"],
        });
        bob.publish_as(post).await;
        assert_eq!(alice.notification_types().await, [""; 0]);
        assert_eq!(alice.get("/api/v1/notifications/requests").await.ids().len(), 1);
    }

    async fn an_author_who_cannot_see_a_quote_is_not_notified(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let post = json!({
            "status": "for my followers", "visibility": "private", "quoted_status_id": quoted["id"],
        });
        bob.publish_as(post).await;
        assert_eq!(alice.notification_types().await, [""; 0]);
    }

    async fn the_state_says_why_the_quoted_status_is_hidden(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let carol = app.user("carol").await;
        let quoted = alice.publish("hello").await;
        let quote = quote(&bob, &quoted, "This").await;
        let there = quoted["id"].clone();
        for (by, action, other, state, status) in [
            (&carol, "mute", &alice, "muted_account", &there),
            (&carol, "unmute", &alice, "accepted", &there),
            (&carol, "block", &alice, "blocked_account", &there),
            (&carol, "unblock", &alice, "accepted", &there),
            (&alice, "block", &carol, "unauthorized", &Value::Null),
            (&alice, "unblock", &carol, "accepted", &there),
        ] {
            by.act_on(action, other).await;
            assert_eq!(shown(&carol, &quote).await, (state.to_owned(), status.clone()), "{action}");
        }
        alice.delete(&path(&quoted)).await.ok();
        assert_eq!(shown(&carol, &quote).await, ("deleted".to_owned(), Value::Null));
    }

    // A text that not everyone sees never leaves through a quote.
    async fn a_private_quoted_status_stays_private(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let carol = app.user("carol").await;
        app.follow(&bob, &alice).await;
        let secret = alice.publish_as(json!({ "status": "plantedword", "visibility": "private" })).await;
        let post = json!({
            "status": "@carol see", "visibility": "direct", "quoted_status_id": secret["id"],
        });
        let quote = alice.publish_as(post).await;
        let seen = carol.get(&path(&quote)).await;
        assert!(!seen.text().contains("plantedword"), "{}", seen.text());
        assert_eq!(seen.ok()["quote"], json!({ "state": "unauthorized", "quoted_status": null }));
        let mine = alice.get(&path(&quote)).await.ok();
        assert_eq!(mine["quote"]["quoted_status"]["content"], "<p>plantedword</p>");
    }

    async fn an_edit_keeps_the_quote_and_notifies_quoters(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("first").await;
        let quote = quote(&bob, &quoted, "This").await;
        for text in ["second", "third"] {
            let body = json!({ "status": text });
            alice.send(alice.request(Method::PUT, &path(&quoted)).json(&body)).await.ok();
            app.settle().await;
            let notified = bob.get("/api/v1/notifications").await.ok();
            assert_eq!(notified.as_array().unwrap().len(), 1);
            assert_eq!(notified[0]["type"], "quoted_update");
            assert_eq!(notified[0]["status"]["id"], quote["id"]);
            let inner = &notified[0]["status"]["quote"]["quoted_status"];
            assert_eq!(inner["content"], format!("<p>{text}</p>"));
        }
        let body = json!({ "status": "That" });
        let edited = bob.send(bob.request(Method::PUT, &path(&quote)).json(&body)).await.ok();
        assert_eq!(edited["quote"]["quoted_status"]["id"], quoted["id"]);
        let content = edited["content"].as_str().unwrap();
        assert!(content.contains("quote-inline") && content.ends_with("<p>That</p>"), "{content}");
        let versions = bob.get(&format!("{}/history", path(&quote))).await.ok();
        for version in versions.as_array().unwrap() {
            assert_eq!(version["quote"], json!({ "state": "accepted", "quoted_status_id": quoted["id"] }));
        }
    }

    async fn deleting_a_quote_updates_the_counter(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let quote = quote(&bob, &quoted, "This").await;
        let deleted = bob.delete(&path(&quote)).await.ok();
        assert_eq!(deleted["quote"]["quoted_status"]["id"], quoted["id"]);
        assert_eq!(alice.get(&path(&quoted)).await.ok()["quotes_count"], 0);
        assert_eq!(alice.notification_types().await, [""; 0]);
    }

    // Clients name the quoted status again in a redraft. Mastodon sends it, too.
    async fn the_author_of_a_deleted_quote_learns_what_it_quoted(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let [plain, revoked, hidden, gone] = [
            quote(&bob, &quoted, "one").await,
            quote(&bob, &quoted, "two").await,
            quote(&bob, &quoted, "three").await,
            quote(&bob, &quoted, "four").await,
        ];
        alice.post(&revoke(&quoted, &revoked)).await.ok();
        alice.post(&revoke(&quoted, &hidden)).await.ok();
        assert_eq!(shown(&bob, &revoked).await, ("revoked".to_owned(), Value::Null));
        for (status, state) in [(&plain, "accepted"), (&revoked, "revoked")] {
            let deleted = bob.delete(&path(status)).await.ok();
            assert_eq!(deleted["quote"]["state"], state);
            assert_eq!(deleted["quote"]["quoted_status"]["content"], quoted["content"], "{state}");
        }
        alice.act_on("block", &bob).await;
        let deleted = bob.delete(&path(&hidden)).await.ok();
        assert_eq!(deleted["quote"], json!({ "state": "revoked", "quoted_status": null }));
        alice.act_on("unblock", &bob).await;
        alice.delete(&path(&quoted)).await.ok();
        let deleted = bob.delete(&path(&gone)).await.ok();
        assert_eq!(deleted["quote"], json!({ "state": "deleted", "quoted_status": null }));
    }

    async fn the_default_policy_is_a_choice_of_the_author(app: &TestApp) {
        let alice = app.user("alice").await;
        assert_eq!(alice.publish("x").await["quote_approval"]["automatic"], json!(["public"]));
        let update = "/api/v1/accounts/update_credentials";
        let own = alice.patch(update, &[("source[quote_policy]", "followers")]).await.ok();
        assert_eq!(own["source"]["quote_policy"], "followers");
        let preferences = alice.get("/api/v1/preferences").await.ok();
        assert_eq!(preferences["posting:default:quote_policy"], "followers");
        assert_eq!(alice.publish("x").await["quote_approval"]["automatic"], json!(["followers"]));
        let named = publish(&alice, "public", "nobody").await;
        assert_eq!(named["quote_approval"]["automatic"], json!([]));
    }

    async fn the_policy_of_a_status_can_change(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let policy = format!("{}/interaction_policy", path(&status));
        let changed = alice.put(&policy, &[("quote_approval_policy", "nobody")]).await.ok();
        assert_eq!(changed["quote_approval"]["automatic"], json!([]));
        assert_eq!(changed["edited_at"], Value::Null);
        refused(&bob, &status, 403).await;
        let body = json!({ "status": "hello", "quote_approval_policy": "followers" });
        let edited = alice.send(alice.request(Method::PUT, &path(&status)).json(&body)).await.ok();
        assert_eq!(edited["quote_approval"]["automatic"], json!(["followers"]));
        assert_eq!(edited["edited_at"], Value::Null);
        let kept = json!({ "status": "hello again" });
        let edited = alice.send(alice.request(Method::PUT, &path(&status)).json(&kept)).await.ok();
        assert_eq!(edited["quote_approval"]["automatic"], json!(["followers"]));
        for wrong in ["", "friends"] {
            alice.put(&policy, &[("quote_approval_policy", wrong)]).await.expect(422);
        }
        bob.put(&policy, &[("quote_approval_policy", "public")]).await.expect(404);
        let reblog = alice.act("reblog", &status).await;
        let of_reblog = format!("{}/interaction_policy", path(&reblog));
        alice.put(&of_reblog, &[("quote_approval_policy", "public")]).await.expect(422);
    }

    async fn a_scheduled_status_can_be_a_quote(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let at = app.app().now().after(std::time::Duration::from_secs(3600));
        let post = json!({
            "status": "later", "quoted_status_id": quoted["id"],
            "quote_approval_policy": "followers", "scheduled_at": at.to_string(),
        });
        let scheduled = bob.json(PATH, post).await.ok();
        assert_eq!(scheduled["params"]["quoted_status_id"], quoted["id"]);
        assert_eq!(scheduled["params"]["quote_approval_policy"], "followers");
        app.advance(std::time::Duration::from_secs(3601));
        app.settle().await;
        let published = bob.get(&format!("/api/v1/accounts/{}/statuses", bob.id)).await.ok();
        assert_eq!(published[0]["quote"]["quoted_status"]["id"], quoted["id"]);
        assert_eq!(published[0]["quote_approval"]["automatic"], json!(["followers"]));
    }

    async fn a_scheduled_private_mention_must_mention_whom_it_quotes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let at = app.app().now().after(std::time::Duration::from_secs(3600));
        let post = |text: &str| json!({
            "status": text, "visibility": "direct", "quoted_status_id": quoted["id"],
            "scheduled_at": at.to_string(),
        });
        bob.json(PATH, post("look")).await.expect(422);
        bob.json(PATH, post("@alice look")).await.ok();
    }

    // Filters mark the quoted status by itself. The quote is not hidden because of it.
    async fn filters_mark_the_quoted_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("a spoiler").await;
        let quote = quote(&bob, &quoted, "See").await;
        let filter = json!({
            "title": "Spoilers", "context": [FilterContext::Thread.as_str()], "filter_action": "hide",
            "keywords_attributes": [{ "keyword": "spoiler" }],
        });
        alice.json("/api/v2/filters", filter).await.ok();
        let read = alice.get(&path(&quote)).await.ok();
        assert_eq!(read["filtered"], json!([]));
        let inner = &read["quote"]["quoted_status"]["filtered"];
        assert_eq!(inner[0]["filter"]["title"], "Spoilers");
    }

    // Each viewer gets the quote as they may see it, also in a stream.
    async fn streams_show_what_each_viewer_may_see(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (carol, dave) = (app.user("carol").await, app.user("dave").await);
        app.follow(&carol, &bob).await;
        app.follow(&dave, &bob).await;
        dave.act_on("mute", &alice).await;
        let quoted = alice.publish("hello").await;
        carol.act("favourite", &quoted).await;
        let mut of_carol = app.listen(&carol, "stream=user").await;
        let mut of_dave = app.listen(&dave, "stream=user").await;
        let quote = quote(&bob, &quoted, "See").await;
        let seen = of_carol.until("update").await;
        assert_eq!(seen, carol.get(&path(&quote)).await.ok());
        assert_eq!(seen["quote"]["quoted_status"]["favourited"], true);
        let seen = of_dave.until("update").await;
        assert_eq!(seen, dave.get(&path(&quote)).await.ok());
        assert_eq!(seen["quote"]["state"], "muted_account");
        let revoke = format!("{}/quotes/{}/revoke", path(&quoted), id(&quote));
        alice.post(&revoke).await.ok();
        let changed = of_carol.until("status.update").await;
        assert_eq!(changed["quote"], json!({ "state": "revoked", "quoted_status": null }));
    }

    async fn public_pages_show_the_quoted_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("quoted words").await;
        let quote = quote(&bob, &quoted, "See").await;
        let page = format!("/@bob/{}", id(&quote));
        let shown = app.browser().get(&page).await.text();
        assert!(shown.contains("quoted words") && shown.contains("Quoted status by"), "{shown}");
        alice.delete(&path(&quoted)).await.ok();
        let shown = app.browser().get(&page).await.text();
        assert!(!shown.contains("quoted words"), "{shown}");
        assert!(shown.contains("The quoted post is not available."), "{shown}");
    }
}
