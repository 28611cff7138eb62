//! Documents of statuses, and of the activities that published them.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::AccountState;
use siskin_federation::{
    address::Uri,
    audience::Visibility,
    policies::Grant,
    read::{Action, ObjectKind, RemotePoll, Subject},
};

use super::{NOT_FOUND, answer, assert_not_found};
use crate::support::{
    GOOD, User,
    federation::{READER, document_of, uri},
    id,
    pictures::png,
};

const UNKNOWN: &str = "115600000000000001";

/// Publishes a status with this visibility.
async fn publish(user: &User, text: &str, visibility: &str) -> Value {
    user.publish_as(json!({ "status": text, "visibility": visibility })).await
}

/// Returns all addresses of a status for other servers, by the name of its author.
fn addresses(author: &str, status: &str) -> Vec<String> {
    let below = ["", "/activity", "/replies", "/likes", "/shares"];
    let mut all: Vec<String> =
        below.iter().map(|end| format!("/users/{author}/statuses/{status}{end}")).collect();
    all.push(format!("/@{author}/{status}"));
    all.push(format!("/users/{author}/statuses/{status}/replies?page=true"));
    all
}

api_tests! {
    async fn a_status_has_the_members_that_others_expect(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let status = alice.publish("Hello").await;
        let document = app.anonymous().document(&document_of(&status)).await.ok();
        let (base, author) = (app.base_url(), app.actor_id(&alice));
        let note = format!("{author}/statuses/{}", id(&status));
        for (member, expected) in [
            ("id", json!(note)),
            ("type", json!("Note")),
            ("attributedTo", json!(author)),
            ("url", json!(format!("{base}/@alice/{}", id(&status)))),
            ("to", json!(["https://www.w3.org/ns/activitystreams#Public"])),
            ("cc", json!([format!("{author}/followers")])),
            ("content", json!("<p>Hello</p>")),
            ("sensitive", json!(false)),
            ("source", json!({ "content": "Hello", "mediaType": "text/plain" })),
        ] {
            assert_eq!(document[member], expected, "{member}");
        }
        for (collection, name) in [("replies", "replies"), ("likes", "likes"), ("shares", "shares")]
        {
            assert_eq!(document[collection]["id"], format!("{note}/{name}"));
        }
        assert_eq!(
            (&document["likes"]["totalItems"], &document["shares"]["totalItems"]),
            (&json!(0), &json!(0))
        );
        for absent in ["summary", "inReplyTo", "updated", "attachment", "tag", "quote", "oneOf"] {
            assert!(document.get(absent).is_none(), "{absent}: {document}");
        }
    }

    async fn another_server_reads_a_whole_status(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.remote("zoe", "far.example").await;
        let parent = bob.publish("First").await;
        let media = alice.upload_media(png(64, 48), "A bird").await;
        let status = alice
            .publish_as(json!({
                "status": "@bob and @zoe@far.example, see #Birds & <trees>",
                "spoiler_text": "Words", "language": "de", "in_reply_to_id": id(&parent),
                "media_ids": [media["id"]],
            }))
            .await;
        let object = app.anonymous().object(&document_of(&status)).await;
        assert_eq!(object.id.as_str(), status["uri"].as_str().unwrap());
        assert_eq!(object.kind, ObjectKind::Note);
        assert_eq!(object.attributed_to[0].id, uri(&app.actor_id(&alice)));
        assert_eq!(object.in_reply_to, Some(uri(parent["uri"].as_str().unwrap())));
        assert_eq!(object.warning.as_deref(), Some("Words"));
        assert_eq!((object.language, object.is_sensitive), (Some("de"), true));
        assert!(object.content.contains("&lt;trees&gt;"), "{}", object.content);
        assert_eq!(object.published.unwrap().to_string(), status["created_at"].as_str().unwrap());
        assert_eq!(object.url.as_ref().map(Uri::as_str), status["url"].as_str());
        let mut mentioned: Vec<(&str, &str)> =
            object.tags.mentions.iter().map(|it| (it.href.as_str(), it.name.as_str())).collect();
        mentioned.sort_unstable();
        let (bob_id, bob_name) = (app.actor_id(&bob), format!("@bob@{}", app.domain()));
        // The ids begin with `http` and `https`.
        let expected =
            [(&*bob_id, &*bob_name), ("https://far.example/users/zoe", "@zoe@far.example")];
        assert_eq!(mentioned, expected);
        for (mentioned, _) in expected {
            assert!(object.audience.addresses(&uri(mentioned)), "{mentioned}");
        }
        assert_eq!(object.tags.hashtags[0].name, "birds");
        let [attachment] = &object.attachments[..] else { panic!("{object:?}") };
        assert_eq!(attachment.description.as_deref(), Some("A bird"));
        assert_eq!(attachment.media_type.as_deref(), Some("image/png"));
        assert!(attachment.blurhash.is_some() && attachment.size.is_some(), "{attachment:?}");
        assert_eq!(app.anonymous().get(attachment.url.as_str()).await.status, 200);
        let source = object.source.as_ref().unwrap();
        assert_eq!(source.content, "@bob and @zoe@far.example, see #Birds & <trees>");
    }

    async fn visibility_follows_from_the_addressees(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let followers = uri(&format!("{}/followers", app.actor_id(&alice)));
        for (visibility, expected) in
            [("public", Visibility::Public), ("unlisted", Visibility::Unlisted)]
        {
            let status = publish(&alice, "Hello", visibility).await;
            let object = app.anonymous().object(&document_of(&status)).await;
            assert_eq!(object.visibility(Some(&followers)), expected, "{visibility}");
            assert!(object.audience.addresses(&followers), "{visibility}");
        }
    }

    // A hidden status and one that never existed get the same response, for every requester.
    async fn what_is_hidden_is_like_what_never_existed(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&bob, &alice).await;
        let private = id(&publish(&alice, "Among us", "private").await);
        let direct = id(&publish(&alice, "@bob only you", "direct").await);
        let of_bob = id(&bob.publish("Hello").await);
        let callers = [app.anonymous(), bob.client.clone(), alice.client.clone()];
        for client in &callers {
            for hidden in [&private, &direct, &of_bob] {
                for (path, unknown) in
                    addresses("alice", hidden).iter().zip(addresses("alice", UNKNOWN))
                {
                    let response = client.document(path).await;
                    assert_not_found(&response, path);
                    assert_eq!(
                        answer(&response),
                        answer(&client.document(&unknown).await),
                        "{path}"
                    );
                }
            }
            for strange in ["0", "-1", "abc", "01", "%00", "9223372036854775808", UNKNOWN] {
                for path in addresses("alice", strange) {
                    let response = client.document(&path).await;
                    assert_eq!((response.status, &*response.text()), (404, NOT_FOUND), "{path}");
                }
            }
        }
        // Reblogs by the author are no statuses of their own.
        let own = alice.act("reblog", &alice.publish("Hello").await).await;
        assert_not_found(
            &callers[0].document(&format!("/users/alice/statuses/{}", id(&own))).await,
            "reblog",
        );
    }

    async fn statuses_of_accounts_that_no_one_sees_are_hidden(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let status = id(&alice.publish("Hello").await);
        for state in
            [AccountState { suspended: true, ..GOOD }, AccountState { reachable: false, ..GOOD }]
        {
            app.set_state(&alice, state).await;
            for path in addresses("alice", &status) {
                assert_not_found(
                    &app.anonymous().document(&path).await,
                    &format!("{state:?} {path}"),
                );
            }
        }
        app.set_state(&alice, AccountState { silenced: true, ..GOOD }).await;
        for path in addresses("alice", &status) {
            assert_eq!(app.anonymous().document(&path).await.status, 200, "{path}");
        }
    }

    async fn a_deleted_status_leaves_a_tombstone(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let poll = json!({ "options": ["a", "b"], "expires_in": 600 });
        let visible = [
            (alice.publish("Hello").await, "Note"),
            (publish(&alice, "Quietly", "unlisted").await, "Note"),
            (alice.publish_as(json!({ "status": "Well?", "poll": poll })).await, "Question"),
        ];
        let hidden = [
            publish(&alice, "Among us", "private").await,
            publish(&alice, "@alice", "direct").await,
        ];
        for status in visible.iter().map(|(status, _)| status).chain(&hidden) {
            alice.delete(&format!("/api/v1/statuses/{}", id(status))).await.ok();
        }
        app.app().drain_jobs().await.unwrap();
        for (status, kind) in &visible {
            for path in [document_of(status), format!("/@alice/{}", id(status))] {
                let response = app.anonymous().document(&path).await;
                assert_eq!(response.status, 410, "{response:?}");
                assert_eq!(response.header("content-type"), Some("application/activity+json"));
                let tombstone = response.json();
                assert_eq!(tombstone["type"], "Tombstone");
                assert_eq!(
                    (&tombstone["id"], &tombstone["formerType"]),
                    (&status["uri"], &json!(kind))
                );
            }
            let activity = format!("{}/activity", document_of(status));
            assert_eq!(app.anonymous().document(&activity).await.status, 410);
        }
        for status in &hidden {
            assert_not_found(&app.anonymous().document(&document_of(status)).await, "hidden");
        }
    }

    async fn an_edit_changes_the_document(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let status = alice.publish("Hello").await;
        app.advance(Duration::from_mins(1));
        let path = format!("/api/v1/statuses/{}", id(&status));
        alice.put(&path, &[("status", "Hello again")]).await.ok();
        let object = app.anonymous().object(&document_of(&status)).await;
        assert_eq!(object.content, "<p>Hello again</p>");
        assert!(object.updated > object.published, "{object:?}");
    }

    async fn a_poll_is_a_question(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for (multiple, hide_totals) in [(false, false), (true, false), (false, true)] {
            let poll = json!({
                "options": ["Yes", "No"], "expires_in": 600, "multiple": multiple,
                "hide_totals": hide_totals,
            });
            let status = alice.publish_as(json!({ "status": "Well?", "poll": poll })).await;
            let vote = format!("/api/v1/polls/{}/votes", id(&status["poll"]));
            bob.form(&vote, &[("choices[]", "1")]).await.ok();
            let read = async || app.anonymous().object(&document_of(&status)).await;
            let open = read().await;
            assert_eq!(open.kind, ObjectKind::Question);
            let poll = open.poll.unwrap();
            let votes = |poll: &RemotePoll| {
                poll.options.iter().map(|it| (it.name.clone(), it.votes)).collect::<Vec<_>>()
            };
            let shown = u64::from(!hide_totals);
            assert_eq!(votes(&poll), [("Yes".to_owned(), 0), ("No".to_owned(), shown)]);
            assert_eq!((poll.is_multiple, poll.voters, poll.is_closed), (multiple, Some(1), false));
            assert_eq!(
                poll.ends_at.unwrap().to_string(),
                status["poll"]["expires_at"].as_str().unwrap()
            );
            app.advance(Duration::from_mins(20));
            let poll = read().await.poll.unwrap();
            assert_eq!(votes(&poll), [("Yes".to_owned(), 0), ("No".to_owned(), 1)]);
            let document = app.anonymous().document(&document_of(&status)).await.ok();
            assert!(document["closed"].is_string(), "{document}");
        }
    }

    async fn counts_and_own_replies_are_in_the_document(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("Hello").await;
        bob.act("favourite", &status).await;
        bob.act("reblog", &status).await;
        let own = alice.reply(&status, "And").await;
        bob.reply(&status, "Oh").await;
        alice
            .publish_as(json!({
                "status": "Among us", "visibility": "private", "in_reply_to_id": status["id"],
            }))
            .await;
        let object = app.anonymous().object(&document_of(&status)).await;
        assert_eq!((object.like_count, object.share_count), (Some(1), Some(1)));
        let document = app.anonymous().document(&document_of(&status)).await.ok();
        assert_eq!(document["replies"]["first"]["items"], json!([own["uri"]]));
    }

    async fn the_policy_of_quotes_is_said(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let author = app.actor_id(&alice);
        for (policy, expected) in [
            ("public", Grant::Public),
            ("followers", Grant::Id(uri(&format!("{author}/followers")))),
            ("nobody", Grant::Id(uri(&author))),
        ] {
            let status = json!({ "status": "Hello", "quote_approval_policy": policy });
            let object =
                app.anonymous().object(&document_of(&alice.publish_as(status).await)).await;
            assert_eq!(object.policy.unwrap().can_quote.unwrap().automatic, [expected], "{policy}");
        }
    }

    async fn a_quote_names_the_quoted_status(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("Hello").await;
        let quote = json!({ "status": "See", "quoted_status_id": quoted["id"] });
        let quote = bob.publish_as(quote).await;
        let object = app.anonymous().object(&document_of(&quote)).await;
        assert_eq!(object.quote, Some(uri(quoted["uri"].as_str().unwrap())));
    }

    async fn a_status_was_published_by_an_activity(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = bob.publish("Hello").await;
        let path = format!("{}/activity", document_of(&status));
        let response = app.anonymous().document(&path).await;
        let activity = READER.activity(&response.body).unwrap();
        assert_eq!(activity.id, Some(uri(&path)));
        assert_eq!(activity.actor, uri(&app.actor_id(&bob)));
        let Action::Create { objects } = &activity.action else { panic!("{activity:?}") };
        let [Subject::Object(object)] = &objects[..] else { panic!("{activity:?}") };
        assert_eq!(**object, app.anonymous().object(&document_of(&status)).await);
        // A reblog is nothing else.
        let reblog = alice.act("reblog", &status).await;
        let path = format!("/users/alice/statuses/{}/activity", id(&reblog));
        let response = app.anonymous().document(&path).await;
        let activity = READER.activity(&response.body).unwrap();
        assert_eq!(activity.actor, uri(&app.actor_id(&alice)));
        let Action::Announce { object: Subject::Id(object) } = &activity.action else {
            panic!("{activity:?}")
        };
        assert_eq!(object, &uri(status["uri"].as_str().unwrap()));
    }

    // Misskey refuses bodies of more than 64 KiB.
    async fn the_largest_status_fits_into_a_document(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        app.app().change_setting("limits.status_chars".into(), "20000".into()).await.unwrap();
        for text in
            ["\" & <> ".repeat(2_400), "🐦".repeat(20_000), "https://a.example/ ".repeat(800)]
        {
            let status = alice.publish_as(json!({ "status": text, "language": "en" })).await;
            for path in [document_of(&status), format!("{}/activity", document_of(&status))] {
                let response = app.anonymous().document(&path).await;
                assert_eq!(response.status, 200, "{path}");
                assert!(response.body.len() <= 60_000, "{path}: {}", response.body.len());
                READER.document(&response.body).unwrap();
            }
        }
    }

    async fn documents_need_no_token_and_read_none(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let status = alice.publish("Hello").await;
        let expected = answer(&app.anonymous().document(&document_of(&status)).await);
        for client in [&alice.client, &app.with_token("unknown")] {
            let request = client.request(Method::GET, &document_of(&status));
            let request = request.header("accept", "application/activity+json");
            assert_eq!(answer(&client.send(request).await), expected);
        }
    }
}
