//! Collections of accounts and statuses: followers, followed accounts, pinned statuses, featured
//! hashtags, replies, likes and reblogs.

use serde_json::json;
use siskin_entities::AccountState;
use siskin_federation::{
    address::Uri,
    read::{Collection, Item, PageLink},
    rules::PageWalk,
};

use super::assert_not_found;
use crate::support::{
    Client, GOOD, User,
    federation::{document_of, uri},
    id,
};

const UPDATE: &str = "/api/v1/accounts/update_credentials";

/// Returns the address of a page, which no collection of this server embeds.
fn address(link: &Option<PageLink>) -> Option<&Uri> {
    match link {
        Some(PageLink::Uri(address)) => Some(address),
        Some(PageLink::Embedded(page)) => panic!("{page:?}"),
        None => None,
    }
}

/// Returns the ids on all pages of a collection, as another server walks them.
pub async fn walk(client: &Client, path: &str) -> Vec<String> {
    let collection = client.collection(path).await;
    let id = collection.id.clone().unwrap();
    assert!(!collection.is_page && !collection.is_hidden, "{collection:?}");
    let mut walked = PageWalk::new(id.clone());
    let (mut items, mut next) = (Vec::new(), address(&collection.first).cloned());
    while let Some(page) = next {
        walked.enter(&page).unwrap();
        let found = client.collection(page.as_str()).await;
        assert_eq!((found.id.as_ref(), found.is_page), (Some(&page), true), "{found:?}");
        assert_eq!(found.part_of.as_ref(), Some(&id), "{found:?}");
        items.extend(found.items.iter().map(id_of));
        next = address(&found.next).cloned();
    }
    items
}

pub fn id_of(item: &Item) -> String {
    item.id().unwrap().to_string()
}

/// Returns the ids of the items of a collection without pages.
fn whole(collection: &Collection) -> Vec<String> {
    assert_eq!((&collection.first, &collection.next), (&None, &None), "{collection:?}");
    assert_eq!(collection.total_items, Some(collection.items.len() as u64));
    collection.items.iter().map(id_of).collect()
}

async fn hide(user: &User) {
    user.patch(UPDATE, &[("hide_collections", "true")]).await.ok();
}

api_tests! {
    async fn followers_and_followed_accounts_are_listed_by_pages(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let mut followers = Vec::new();
        for number in 0..45 {
            let follower = app.user(&format!("fan{number}")).await;
            app.follow(&follower, &alice).await;
            followers.push(app.actor_id(&follower));
        }
        let bob = app.user("bob").await;
        app.follow(&alice, &bob).await;
        followers.reverse();
        let anonymous = app.anonymous();
        assert_eq!(walk(&anonymous, "/users/alice/followers").await, followers);
        assert_eq!(walk(&anonymous, "/users/alice/following").await, [app.actor_id(&bob)]);
        let whole = anonymous.collection("/users/alice/followers").await;
        assert_eq!(whole.total_items, Some(45));
        let first = anonymous.collection("/users/alice/followers?page=true").await;
        assert_eq!(first.items.len(), 40);
        // Back from the second page.
        let second = anonymous.document(address(&first.next).unwrap().as_str()).await.ok();
        let back = anonymous.collection(second["prev"].as_str().unwrap()).await;
        assert_eq!(back.items, first.items);
    }

    async fn a_hidden_network_shows_its_size_alone(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&alice, &bob).await;
        app.follow(&bob, &alice).await;
        hide(&alice).await;
        for path in ["/users/alice/followers", "/users/alice/following"] {
            // Not even the owner, because documents are the same for everyone.
            for client in [&app.anonymous(), &alice.client] {
                let collection = client.collection(path).await;
                assert!(collection.is_hidden, "{collection:?}");
                assert_eq!(collection.total_items, Some(1), "{path}");
                for page in ["page=true", "page=true&max_id=9", "min_id=0"] {
                    let page = client.document(&format!("{path}?{page}")).await;
                    assert_not_found(&page, path);
                    assert!(!page.text().contains("bob"), "{page:?}");
                }
            }
        }
        assert!(!app.anonymous().collection("/users/bob/followers").await.is_hidden);
    }

    async fn suspended_and_unconfirmed_accounts_are_in_no_list(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        for (name, state) in [
            ("good", GOOD),
            ("sue", AccountState { suspended: true, ..GOOD }),
            ("una", AccountState { reachable: false, ..GOOD }),
        ] {
            let follower = app.user(name).await;
            app.follow(&follower, &alice).await;
            app.set_state(&follower, state).await;
        }
        let listed = walk(&app.anonymous(), "/users/alice/followers").await;
        assert_eq!(listed, [format!("{}/users/good", app.base_url())]);
    }

    async fn pinned_statuses_are_whole_and_public(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        let mut pinned = Vec::new();
        for (text, visibility) in [("One", "public"), ("Two", "unlisted"), ("Three", "private")] {
            let status = json!({ "status": text, "visibility": visibility });
            let status = alice.publish_as(status).await;
            alice.act("pin", &status).await;
            pinned.push(document_of(&status));
        }
        alice.publish("Not pinned").await;
        let anonymous = app.anonymous();
        let collection = anonymous.collection("/users/alice/collections/featured").await;
        assert_eq!(whole(&collection), [&*pinned[1], &*pinned[0]]);
        for item in &collection.items {
            let Item::Object(note) = item else { panic!("{item:?}") };
            let document = anonymous.object(note.id.as_str()).await;
            assert_eq!((&note.content, note.published), (&document.content, document.published));
        }
        assert!(
            !anonymous.document("/users/alice/collections/featured").await.text().contains("Three")
        );
    }

    async fn featured_hashtags_have_names_and_pages(app: &TestApp) {
        app.federate().await;
        let alice = app.user("alice").await;
        for name in ["Birds", "trees"] {
            alice.feature(name).await;
        }
        let document = app.anonymous().document("/users/alice/collections/tags").await.ok();
        assert_eq!(document["totalItems"], 2);
        let items = document["items"].as_array().unwrap();
        let mut names: Vec<_> = items.iter().map(|it| it["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names.len(), 2, "{document}");
        assert!(names[0].eq_ignore_ascii_case("#birds") && names[1] == "#trees", "{names:?}");
        for item in items {
            assert_eq!(item["type"], "Hashtag");
            let page = app.anonymous().get(item["href"].as_str().unwrap()).await;
            assert!([200, 404].contains(&page.status), "{page:?}");
        }
        let collection = app.anonymous().collection("/users/alice/collections/tags").await;
        assert!(collection.items.iter().all(|it| matches!(it, Item::Hashtag(_))), "{collection:?}");
    }

    async fn empty_collections_say_that_they_are_empty(app: &TestApp) {
        app.federate().await;
        let status = id(&app.user("alice").await.publish("Hello").await);
        let of_status = format!("/users/alice/statuses/{status}");
        for path in [
            "/users/alice/collections/featured",
            "/users/alice/collections/tags",
            "/users/alice/followers",
            "/users/alice/following",
            &format!("{of_status}/replies"),
            &format!("{of_status}/likes"),
            &format!("{of_status}/shares"),
        ] {
            assert_eq!(app.anonymous().collection(path).await.total_items, Some(0), "{path}");
        }
        for path in ["/users/alice/followers", &format!("{of_status}/replies")] {
            assert_eq!(walk(&app.anonymous(), path).await, Vec::<String>::new(), "{path}");
        }
    }

    async fn replies_are_listed_as_far_as_everyone_sees_them(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let root = alice.publish("Hello").await;
        let mut open = Vec::new();
        for number in 0..45 {
            let visibility = match number % 4 {
                3 => "private",
                2 => "unlisted",
                _ => "public",
            };
            let writer = if number % 2 == 0 { &alice } else { &bob };
            let reply = json!({
                "status": format!("@alice {number}"), "in_reply_to_id": root["id"],
                "visibility": visibility,
            });
            let reply = writer.publish_as(reply).await;
            if visibility != "private" {
                open.push(document_of(&reply));
            }
        }
        let path = format!("{}/replies", document_of(&root));
        let mut listed = walk(&app.anonymous(), &path).await;
        listed.sort_unstable();
        open.sort_unstable();
        assert_eq!(listed, open);
        let sue = AccountState { suspended: true, ..GOOD };
        app.set_state(&bob, sue).await;
        let of_alice = walk(&app.anonymous(), &path).await;
        assert!(
            of_alice.iter().all(|reply| reply.starts_with(&app.actor_id(&alice))),
            "{of_alice:?}"
        );
    }

    async fn likes_and_shares_are_numbers(app: &TestApp) {
        app.federate().await;
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("Hello").await;
        for action in ["favourite", "reblog"] {
            bob.act(action, &status).await;
        }
        for name in ["likes", "shares"] {
            let path = format!("{}/{name}", document_of(&status));
            let collection = app.anonymous().collection(&path).await;
            assert_eq!(collection.id, Some(uri(&path)));
            assert_eq!((collection.total_items, collection.is_hidden), (Some(1), true));
            assert!(!app.anonymous().document(&path).await.text().contains("bob"));
        }
    }

    async fn strange_cursors_are_refused_and_others_lead_somewhere(app: &TestApp) {
        app.federate().await;
        app.user("alice").await.publish("Hello").await;
        for name in ["outbox", "followers", "following"] {
            let path = format!("/users/alice/{name}");
            for query in ["max_id=abc", "min_id=-1", "page=true&since_id=%27"] {
                let response = app.anonymous().document(&format!("{path}?{query}")).await;
                assert_eq!(response.status, 422, "{path} {query}: {response:?}");
            }
            for query in [
                "page=true",
                "page=1",
                "max_id=99999999999999999999",
                "min_id=0",
                "page=true&max_id=0",
            ] {
                let page = app.anonymous().collection(&format!("{path}?{query}")).await;
                assert!(page.is_page, "{path} {query}: {page:?}");
            }
            for query in ["page=", "other=1"] {
                let whole = app.anonymous().collection(&format!("{path}?{query}")).await;
                assert!(!whole.is_page, "{path} {query}: {whole:?}");
            }
        }
    }
}
