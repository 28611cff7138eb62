//! Documents of accounts, and of the actor of the whole server.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::json;
use siskin_entities::AccountState;
use siskin_federation::{
    keys::{KeyKind, PublicKey},
    read::{Actor, ActorKind, ClaimedKey, KeyMaterial},
    rules,
};
use siskin_ids::AccountId;
use siskin_persistence::Tx;
use siskin_services::accounts::migration;

use super::{answer, assert_not_found};
use crate::support::{
    GOOD, User,
    federation::{READER, uri},
    pictures::png,
};

const UPDATE: &str = "/api/v1/accounts/update_credentials";

/// Returns the public keys of an actor. Each belongs to the actor and can be read.
fn keys(actor: &Actor) -> Vec<PublicKey> {
    let read = |key: &ClaimedKey| {
        assert_eq!(rules::key_belongs(key, actor), Ok(()), "{key:?}");
        match &key.material {
            KeyMaterial::Pem(pem) => PublicKey::from_pem(pem).unwrap(),
            KeyMaterial::Multibase(text) => PublicKey::from_multibase(text).unwrap(),
        }
    };
    actor.keys.iter().map(read).collect()
}

/// Fills the profile of an account.
async fn fill(user: &User) {
    let profile = json!({
        "display_name": "Alice", "note": "I like #birds & <b>trees</b>",
        "locked": true, "discoverable": true, "indexable": true,
        "fields_attributes": [{ "name": "Site", "value": "https://alice.example" }],
        "attribution_domains": ["news.example"],
        "avatar_description": "A bird",
    });
    user.upload("avatar", png(20, 20)).await.ok();
    user.upload("header", png(60, 20)).await.ok();
    user.send(user.request(Method::PATCH, UPDATE).json(&profile)).await.ok();
}

api_tests! {
    async fn an_actor_has_the_members_that_others_expect(app: &TestApp) {
        app.federate().await;
        app.user("alice").await;
        let document = app.anonymous().document("/users/alice").await.ok();
        let id = format!("{}/users/alice", app.base_url());
        let base = app.base_url();
        for (member, expected) in [
            ("id", json!(id)),
            ("type", json!("Person")),
            ("webfinger", json!(format!("alice@{}", app.domain()))),
            ("preferredUsername", json!("alice")),
            ("url", json!(format!("{base}/@alice"))),
            ("inbox", json!(format!("{id}/inbox"))),
            ("outbox", json!(format!("{id}/outbox"))),
            ("followers", json!(format!("{id}/followers"))),
            ("following", json!(format!("{id}/following"))),
            ("featured", json!(format!("{id}/collections/featured"))),
            ("featuredTags", json!(format!("{id}/collections/tags"))),
            ("endpoints", json!({ "sharedInbox": format!("{base}/inbox") })),
            ("manuallyApprovesFollowers", json!(false)),
            ("indexable", json!(false)),
            ("memorial", json!(false)),
        ] {
            assert_eq!(document[member], expected, "{member}");
        }
        assert_eq!(document["publicKey"]["id"], format!("{id}#main-key"));
        assert_eq!(document["publicKey"]["owner"], id);
        assert_eq!(document["assertionMethod"][0]["id"], format!("{id}#ed25519-key"));
        assert_eq!(document["assertionMethod"][0]["type"], "Multikey");
        assert_eq!(document["assertionMethod"][0]["controller"], id);
        // The day only.
        assert!(document["published"].as_str().unwrap().ends_with("T00:00:00Z"), "{document}");
        assert_eq!(document["@context"][0], "https://www.w3.org/ns/activitystreams");
        for absent in ["summary", "icon", "image", "attachment", "tag", "movedTo", "suspended"] {
            assert!(document.get(absent).is_none(), "{absent}: {document}");
        }
    }

    async fn another_server_reads_a_whole_profile(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        fill(&alice).await;
        let actor = app.anonymous().actor("/users/alice").await;
        assert_eq!(actor.id, uri(&app.actor_id(&alice)));
        assert_eq!((actor.kind, actor.username.as_str()), (ActorKind::Person, "alice"));
        assert_eq!(actor.name.as_deref(), Some("Alice"));
        assert!(
            actor.summary.contains("I like") && actor.summary.contains("&lt;b&gt;"),
            "{actor:?}"
        );
        assert_eq!(actor.tags.hashtags.len(), 1, "{:?}", actor.tags);
        assert!(actor.is_locked && actor.is_discoverable && actor.is_indexable);
        assert!(!actor.is_memorial && !actor.is_suspended);
        let field = &actor.fields[0];
        assert!(field.name == "Site" && field.value.contains("https://alice.example"), "{field:?}");
        assert_eq!(actor.attribution_domains.len(), 1);
        let (icon, image) = (actor.icon.clone().unwrap(), actor.image.clone().unwrap());
        assert_eq!(icon.description.as_deref(), Some("A bird"));
        for picture in [&icon, &image] {
            assert_eq!(picture.media_type.as_deref(), Some("image/png"));
            assert_eq!(app.anonymous().get(picture.url.as_str()).await.status, 200);
        }
        assert!(actor.implements_rfc9421());
        assert_eq!(actor.delivery_inbox(), &uri(&format!("{}/inbox", app.base_url())));
        let kinds: Vec<KeyKind> = keys(&actor).iter().map(PublicKey::kind).collect();
        assert_eq!(kinds, [KeyKind::Rsa, KeyKind::Ed25519]);
        assert_eq!(app.anonymous().actor("/@alice").await, actor);
    }

    async fn bots_and_moved_accounts_say_so(app: &TestApp) {
        app.federate().await;
        let (old, new) = (app.user("old").await, app.user("new").await);
        let (from, to): (AccountId, AccountId) = (old.id.parse().unwrap(), new.id.parse().unwrap());
        let moved = move |tx: &mut Tx<'_>| {
            migration::add_alias(tx, to, from)?;
            migration::move_to(tx, from, to)
        };
        app.app().write(moved).await.unwrap();
        new.patch(UPDATE, &[("bot", "true")]).await.ok();
        let (old_actor, new_actor) =
            (app.anonymous().actor("/users/old").await, app.anonymous().actor("/users/new").await);
        assert_eq!(old_actor.moved_to.as_ref(), Some(&new_actor.id));
        assert_eq!(new_actor.also_known_as, [old_actor.id]);
        assert_eq!((new_actor.kind, new_actor.moved_to), (ActorKind::Service, None));
    }

    async fn every_spelling_of_a_name_leads_to_one_document(app: &TestApp) {
        app.federate().await;
        app.user("Alice").await;
        let anonymous = app.anonymous();
        let id = format!("{}/users/Alice", app.base_url());
        for path in [
            "/users/Alice",
            "/users/alice",
            "/@Alice",
            "/@ALICE",
            "/users/%41lice",
            "/users/alice/",
        ] {
            assert_eq!(anonymous.document(path).await.ok()["id"], id, "{path}");
        }
        for path in [
            "/users/@alice",
            "/users/alice@elsewhere.example",
            "/users/ali%63e%00",
            "/users/%2F",
            "/users/bob",
        ] {
            assert_not_found(&anonymous.document(path).await, path);
        }
        // The page redirects.
        assert_eq!(anonymous.document(&format!("/@Alice@{}", app.domain())).await.status, 302);
    }

    async fn remote_accounts_have_their_documents_elsewhere(app: &TestApp) {
        app.federate().await;
        app.remote("zoe", "far.example").await;
        let anonymous = app.anonymous();
        for path in ["/users/zoe", "/users/zoe@far.example", "/users/zoe/outbox", "/@zoe"] {
            assert_not_found(&anonymous.document(path).await, path);
        }
        assert_eq!(anonymous.document("/@zoe@far.example").await.status, 302);
    }

    // Peers bind signatures to keys, so these stay the same.
    async fn an_account_keeps_its_keys(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let anonymous = app.anonymous();
        let first = anonymous.actor("/users/alice").await;
        let changed = json!({ "display_name": "Alice" });
        alice.send(alice.request(Method::PATCH, UPDATE).json(&changed)).await.ok();
        app.app().drain_jobs().await.unwrap();
        app.set_federation("off").await;
        app.set_federation("allowed").await;
        let second = anonymous.actor("/users/alice").await;
        assert_eq!(keys(&first), keys(&second));
        let others = keys(&anonymous.actor(&format!("/@{}", bob.username)).await);
        let own = keys(&anonymous.actor("/actor").await);
        let all: BTreeSet<String> = [keys(&first), others, own]
            .concat()
            .iter()
            .map(|key| match key.kind() {
                KeyKind::Rsa => key.to_pem(),
                KeyKind::Ed25519 => key.to_multibase(),
            })
            .collect();
        assert_eq!(all.len(), 6, "{all:?}");
    }

    // Many servers ask for a new account at the same moment.
    async fn parallel_first_requests_get_the_same_keys(app: &TestApp) {
        app.federate().await;
        app.user("alice").await;
        let anonymous = app.anonymous();
        let requests = (0..8).map(|_| anonymous.document("/users/alice"));
        let documents = futures_util::future::join_all(requests).await;
        let first = READER.actor(&documents[0].body).unwrap();
        for document in &documents {
            assert_eq!(keys(&READER.actor(&document.body).unwrap()), keys(&first));
        }
    }

    async fn the_server_itself_is_an_actor(app: &TestApp) {
        app.federate().await;
        let actor = app.anonymous().actor("/actor").await;
        let (host, _) = app.domain().split_once(':').unwrap();
        assert_eq!(actor.id, uri(&format!("{}/actor", app.base_url())));
        assert_eq!((actor.kind, actor.username.as_str()), (ActorKind::Application, host));
        assert_eq!(actor.claimed_handle().unwrap().to_string(), format!("{host}@{}", app.domain()));
        assert_eq!(actor.inbox, uri(&format!("{}/actor/inbox", app.base_url())));
        assert_eq!(actor.url.as_ref(), Some(&uri(&format!("{}/about", app.base_url()))));
        assert_eq!(keys(&actor).len(), 2);
        assert!(actor.is_locked && actor.followers.is_none(), "{actor:?}");
    }

    async fn a_suspended_account_shows_that_alone(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        fill(&alice).await;
        let before = app.anonymous().actor("/users/alice").await;
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        let actor = app.anonymous().actor("/users/alice").await;
        assert!(actor.is_suspended);
        assert_eq!((actor.name.as_deref(), actor.summary.as_str()), (None, ""));
        assert!(actor.icon.is_none() && actor.image.is_none() && actor.fields.is_empty());
        assert!(actor.tags.hashtags.is_empty());
        // Its old signatures can still be checked, and the handle still closes.
        assert_eq!(keys(&actor), keys(&before));
        assert_eq!(actor.claimed_handle(), before.claimed_handle());
        let text = app.anonymous().document("/users/alice").await.text();
        for hidden in ["Alice", "birds", "alice.example"] {
            assert!(!text.contains(hidden), "{hidden}: {text}");
        }
        app.set_state(&alice, GOOD).await;
        assert_eq!(app.anonymous().actor("/users/alice").await, before);
    }

    async fn accounts_that_no_one_sees_are_like_free_names(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        app.set_state(&alice, AccountState { reachable: false, ..GOOD }).await;
        let anonymous = app.anonymous();
        for path in [
            "",
            "/outbox",
            "/followers",
            "/following",
            "/collections/featured",
            "/collections/tags",
            "/statuses/1",
            "/statuses/1/replies",
        ] {
            let hidden = anonymous.document(&format!("/users/alice{path}")).await;
            let free = anonymous.document(&format!("/users/nobody{path}")).await;
            assert_not_found(&hidden, path);
            assert_eq!(answer(&hidden), answer(&free), "{path}");
        }
        let hidden = anonymous.document("/@alice").await;
        assert_eq!(answer(&hidden), answer(&anonymous.document("/@nobody").await));
    }

    async fn a_deleted_account_is_gone_for_ever(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let status = alice.publish("Hello").await;
        let anonymous = app.anonymous();
        let before = anonymous.actor("/users/alice").await;
        app.delete_account(&alice).await;
        app.app().drain_jobs().await.unwrap();
        for (path, id) in [
            ("/users/alice".to_owned(), before.id.to_string()),
            ("/@alice".to_owned(), before.id.to_string()),
        ] {
            let response = anonymous.document(&path).await;
            assert_eq!(response.status, 410, "{response:?}");
            assert_eq!(response.header("content-type"), Some("application/activity+json"));
            let tombstone = response.json();
            assert_eq!(tombstone["type"], "Tombstone");
            assert_eq!(
                (&tombstone["id"], &tombstone["formerType"]),
                (&json!(id), &json!("Person"))
            );
            assert!(tombstone["deleted"].is_string(), "{tombstone}");
        }
        let response = anonymous.document(status["uri"].as_str().unwrap()).await;
        assert_eq!(response.status, 410, "{response:?}");
        assert_eq!(response.json()["id"], status["uri"]);
        assert_eq!(anonymous.document("/users/alice/outbox").await.status, 410);
        // An id that it never had.
        let never = anonymous.document("/users/alice/statuses/115600000000000001").await;
        assert!([404, 410].contains(&never.status), "{never:?}");
        // People see that the account is gone.
        assert_eq!(anonymous.get("/@alice").await.status, 410);
        // Others do not become the person who is gone.
        app.open_registrations().await.sign_up("alice", "other@example.com").await.expect(422);
    }

    async fn accounts_that_were_deleted_before_federation_are_gone_too(app: &TestApp) {
        let alice = app.user("alice").await;
        app.delete_account(&alice).await;
        app.federate().await;
        assert_eq!(app.anonymous().document("/users/alice").await.status, 410);
    }

    async fn a_large_profile_fits_into_a_document(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        app.app().change_setting("max_bio_chars".into(), "50000".into()).await.unwrap();
        let note = "#a <>&\" 🐦 ".repeat(4_500);
        let fields: Vec<_> = (0..4)
            .map(|number| json!({ "name": format!("{number}"), "value": "🐦".repeat(255) }))
            .collect();
        let profile = json!({ "note": note, "fields_attributes": fields });
        alice.send(alice.request(Method::PATCH, UPDATE).json(&profile)).await.ok();
        let response = app.anonymous().document("/users/alice").await;
        assert!(response.body.len() <= 60_000, "{}", response.body.len());
        assert_eq!(READER.actor(&response.body).unwrap().username, "alice");
    }
}
