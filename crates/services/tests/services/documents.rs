//! Documents of accounts, statuses and collections, as other servers read them.

use std::cell::RefCell;

use serde_json::{Value, json};
use siskin_entities::{AccountState, Cursor, Settings};
use siskin_federation::{
    address::Schemes,
    read::{self, Reader},
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::tombstones::{self, NewTombstone};
use siskin_services::{
    Error, Result,
    accounts::profile::Changes,
    featured_tags,
    federation::{
        Answer, Document, DocumentCache, Found, Key, NoCache, actors,
        collections::{self, PageOf},
        keys,
        statuses::{activity, find},
    },
    statuses::{self, Draft, Edit, SourceParams},
};
use siskin_test_support::{both_engines, standing};

use crate::world::World;

const READER: Reader = Reader::new(Schemes::HttpToo);
const FIRST: PageOf = PageOf::Page(Cursor { max: None, since: None, min: None });

/// Cache that keeps everything.
#[derive(Default)]
struct Kept(RefCell<Vec<(Key, Document)>>);

impl DocumentCache for Kept {
    fn get(&self, key: &Key) -> Option<Document> {
        let kept = self.0.borrow();
        kept.iter().find(|(known, _)| known == key).map(|(_, document)| document.clone())
    }

    fn insert(&self, key: Key, document: &Document) {
        self.0.borrow_mut().push((key, document.clone()));
    }
}

fn draft(text: &str) -> Draft {
    Draft { source: SourceParams::new(text), ..Draft::default() }
}

fn publish(world: &World, author: AccountId, draft: Draft) -> StatusId {
    let prepared = statuses::prepare(&Settings::default(), draft).unwrap();
    let instance = world.instance.clone();
    world.write(move |tx| statuses::apply(tx, &instance, author, &prepared)).unwrap()
}

fn reply(world: &World, author: AccountId, parent: StatusId, text: &str) -> StatusId {
    let parent = Some(parent.to_string());
    publish(world, author, Draft { in_reply_to_id: parent, ..draft(text) })
}

fn set_state(world: &World, account: AccountId, suspended: bool, reachable: bool) {
    let state = AccountState { suspended, silenced: false, reachable };
    world.write(move |tx| Ok(standing::set_state(tx, account, state)?)).unwrap();
}

fn status(world: &World, username: &str, id: StatusId) -> Result<Found> {
    let urls = &world.instance.urls;
    world.read(|conn| Ok(find(conn, urls, username, id, world.now(), &NoCache)))
}

fn publication(world: &World, username: &str, id: StatusId) -> Result<Found> {
    let urls = &world.instance.urls;
    world.read(|conn| Ok(activity(conn, urls, username, id, world.now(), &NoCache)))
}

fn actor(world: &World, username: &str) -> Result<Answer> {
    let urls = &world.instance.urls;
    world.read(|conn| Ok(actors::find(conn, urls, username, &NoCache)))
}

fn outbox(world: &World, page: PageOf) -> Result<Found> {
    let urls = &world.instance.urls;
    world.read(|conn| Ok(collections::outbox(conn, urls, "ann", page, world.now())))
}

fn followers(world: &World, username: &str, page: PageOf) -> Result<Found> {
    let urls = &world.instance.urls;
    world.read(|conn| Ok(collections::followers(conn, urls, username, page, world.now())))
}

fn replies(world: &World, id: StatusId, page: PageOf) -> Result<Found> {
    let urls = &world.instance.urls;
    world.read(|conn| Ok(collections::replies(conn, urls, "ann", id, page, world.now())))
}

/// Returns the members of a document that other servers can read.
fn json(found: Result<Found>) -> Value {
    let Found::Document(document) = found.unwrap() else { panic!("it is gone") };
    READER.document(&document.bytes).unwrap();
    serde_json::from_slice(&document.bytes).unwrap()
}

/// Returns the members of what remains.
fn remains(found: Result<Found>) -> Value {
    let Found::Gone(bytes) = found.unwrap() else { panic!("it is there") };
    assert!(matches!(READER.document(&bytes).unwrap(), read::Document::Tombstone(_)));
    serde_json::from_slice(&bytes).unwrap()
}

fn is_hidden<T>(found: &Result<T>) -> bool {
    matches!(found, Err(Error::NotFound))
}

both_engines! {
    fn statuses_that_others_may_not_see_are_not_found(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann").id;
        world.person("bob");
        for (visibility, is_shown) in
            [("public", true), ("unlisted", true), ("private", false), ("direct", false)]
        {
            let visibility = Some(visibility.to_owned());
            let id = publish(&world, ann, Draft { visibility, ..draft("hello") });
            let found = status(&world, "Ann", id);
            assert_eq!(is_hidden(&found), !is_shown, "{found:?}");
            assert_eq!(is_hidden(&publication(&world, "ann", id)), !is_shown);
            assert_eq!(is_hidden(&replies(&world, id, PageOf::Collection)), !is_shown);
            assert!(is_hidden(&status(&world, "bob", id)));
            if is_shown {
                let id = format!("http://siskin.test/users/ann/statuses/{id}");
                assert_eq!(json(found)["id"], json!(id));
            }
        }
        assert!(is_hidden(&status(&world, "ann", StatusId::new(1))));
        assert!(is_hidden(&status(&world, "zoe", StatusId::new(1))));
    }

    fn a_reblog_has_an_activity_only(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann").id, world.person("bob").id);
        let id = publish(&world, ann, draft("hello"));
        let prepared = statuses::prepare_reblog(id, None, None).unwrap();
        let urls = world.instance.urls.clone();
        let reblog = world.write(move |tx| statuses::reblog(tx, &urls, bob, &prepared));
        let reblog = reblog.unwrap().body.id;
        assert!(is_hidden(&status(&world, "bob", reblog)));
        let written = json(publication(&world, "bob", reblog));
        let original = format!("http://siskin.test/users/ann/statuses/{id}");
        assert_eq!((&written["type"], &written["object"]), (&json!("Announce"), &json!(original)));
        let status = json(status(&world, "ann", id));
        assert_eq!(status["shares"]["totalItems"], json!(1));
    }

    fn deleted_statuses_that_others_could_see_are_gone(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann").id;
        for (visibility, was_shown) in [("unlisted", true), ("private", false)] {
            let visibility = Some(visibility.to_owned());
            let id = publish(&world, ann, Draft { visibility, ..draft("hello") });
            world.write(move |tx| statuses::delete(tx, ann, id, false)).unwrap();
            assert_eq!(is_hidden(&status(&world, "ann", id)), !was_shown);
            if was_shown {
                let expected = format!("http://siskin.test/users/ann/statuses/{id}");
                for found in [
                    status(&world, "ann", id),
                    publication(&world, "ann", id),
                    replies(&world, id, FIRST),
                ] {
                    let tombstone = remains(found);
                    assert_eq!(tombstone["id"], json!(expected));
                    assert_eq!(tombstone["formerType"], json!("Note"));
                }
            }
        }
    }

    fn everything_of_a_deleted_account_is_gone(database: &TestDatabase) {
        let world = World::on(database);
        let uri = world.instance.urls.account_uri("eve");
        world
            .write(move |tx| {
                let deleted = NewTombstone { uri: &uri, former_type: "Person" };
                Ok(tombstones::insert(tx, &[deleted])?)
            })
            .unwrap();
        let Answer::Found(found) = actor(&world, "eve").unwrap() else { panic!("no answer") };
        assert_eq!(remains(Ok(found))["formerType"], json!("Person"));
        let tombstone = remains(status(&world, "eve", StatusId::new(5)));
        assert_eq!(tombstone["id"], json!("http://siskin.test/users/eve/statuses/5"));
        assert_eq!(tombstone["formerType"], Value::Null);
        remains(publication(&world, "eve", StatusId::new(5)));
        remains(followers(&world, "eve", PageOf::Collection));
    }

    fn an_actor_shows_its_keys_and_nothing_while_it_is_suspended(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let id = publish(&world, ann.id, draft("hello"));
        let changes = Changes { display_name: Some("Ann".to_owned()), ..Changes::default() };
        world.change(&ann, changes).unwrap();
        let ann = ann.id;
        assert_eq!(actor(&world, "ann").unwrap(), Answer::WithoutKeys(Some(ann)));
        let new = keys::generate().unwrap();
        let made = world.write(move |tx| keys::store(tx, Some(ann), &new)).unwrap();
        let read = || {
            let Answer::Found(found) = actor(&world, "ANN").unwrap() else { panic!("no keys") };
            json(Ok(found))
        };
        let written = read();
        let uri = "http://siskin.test/users/ann";
        assert_eq!((&written["id"], &written["name"]), (&json!(uri), &json!("Ann")));
        assert_eq!(written["webfinger"], json!("ann@siskin.test"));
        assert_eq!(written["publicKey"]["publicKeyPem"], json!(made.rsa.public));
        let multikey = &written["assertionMethod"][0];
        assert_eq!(multikey["publicKeyMultibase"], json!(made.ed25519.public));
        set_state(&world, ann, true, true);
        let written = read();
        assert_eq!((&written["suspended"], &written["name"]), (&json!(true), &Value::Null));
        assert!(is_hidden(&status(&world, "ann", id)));
        assert!(is_hidden(&outbox(&world, PageOf::Collection)));
        assert!(is_hidden(&followers(&world, "ann", PageOf::Collection)));
        set_state(&world, ann, false, false);
        assert!(is_hidden(&actor(&world, "ann")));
        assert!(is_hidden(&status(&world, "ann", id)));
    }

    fn the_server_has_an_actor_of_its_own(database: &TestDatabase) {
        let world = World::on(database);
        let urls = world.instance.urls.clone();
        let read = || world.read(|conn| actors::instance(conn, &urls, &NoCache));
        assert_eq!(read(), Answer::WithoutKeys(None));
        let new = keys::generate().unwrap();
        world.write(move |tx| keys::store(tx, None, &new)).unwrap();
        let Answer::Found(found) = read() else { panic!("no keys") };
        let written = json(Ok(found));
        assert_eq!(written["type"], json!("Application"));
        assert_eq!(written["id"], json!("http://siskin.test/actor"));
        assert_eq!(written["inbox"], json!("http://siskin.test/actor/inbox"));
        assert_eq!(written["webfinger"], json!("siskin.test@siskin.test"));
        assert_eq!(written["preferredUsername"], json!("siskin.test"));
    }

    fn a_document_is_kept_until_it_changes(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann").id, world.person("bob").id);
        let id = publish(&world, ann, draft("hello"));
        let cache = Kept::default();
        let read = || {
            let urls = &world.instance.urls;
            let found = world.read(|conn| find(conn, urls, "ann", id, world.now(), &cache));
            let Found::Document(document) = found else { panic!("it is gone") };
            (document, cache.0.borrow().len())
        };
        let (first, _) = read();
        assert_eq!(read(), (first.clone(), 1));
        world.write(move |tx| statuses::favourite(tx, bob, id)).unwrap();
        let (second, _) = read();
        assert_ne!(second.version, first.version);
        world.write(move |tx| statuses::unfavourite(tx, bob, id)).unwrap();
        assert_eq!(read(), (first, 2));
        let edit = Edit { source: SourceParams::new("bye"), ..Edit::default() };
        let prepared = statuses::prepare_edit(&Settings::default(), edit).unwrap();
        let instance = world.instance.clone();
        world.write(move |tx| statuses::edit(tx, &instance, ann, id, &prepared)).unwrap();
        let (edited, kept) = read();
        assert_eq!(kept, 3);
        assert!(json(Ok(Found::Document(edited)))["updated"].is_string());
        reply(&world, ann, id, "and more");
        assert_eq!(read().1, 4);
    }

    fn pages_of_the_outbox_cost_the_same_and_hide_what_is_private(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann").id;
        world.person("bob");
        let ids: Vec<StatusId> =
            (0..21).map(|n| publish(&world, ann, draft(&format!("{n} @bob")))).collect();
        let private = Some("private".to_owned());
        publish(&world, ann, Draft { visibility: private, ..draft("secret") });
        let whole = json(outbox(&world, PageOf::Collection));
        assert_eq!(whole["first"], json!("http://siskin.test/users/ann/outbox?page=true"));
        assert_eq!(whole["orderedItems"], Value::Null);
        let first = json(outbox(&world, FIRST));
        let activities = first["orderedItems"].as_array().unwrap();
        assert_eq!(activities.len(), 20);
        assert_eq!(activities[0]["type"], json!("Create"));
        let uri = format!("http://siskin.test/users/ann/statuses/{}", ids[20]);
        assert_eq!(activities[0]["object"]["id"], json!(uri));
        assert!(!first.to_string().contains("secret"));
        let next = format!("http://siskin.test/users/ann/outbox?page=true&max_id={}", ids[1]);
        assert_eq!(first["next"], json!(next));
        let rest = PageOf::Page(Cursor { max: Some(ids[1].get()), ..Cursor::default() });
        let last = json(outbox(&world, rest));
        assert_eq!(last["orderedItems"].as_array().unwrap().len(), 1);
        assert_eq!(last["next"], Value::Null);
        let costs = |page| world.statements(|world| drop(outbox(world, page)));
        assert_eq!(costs(FIRST), costs(rest));
    }

    fn followers_are_listed_unless_the_network_is_hidden(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob").id);
        let (far, gone) = world
            .write(|tx| {
                let far = standing::remote_account(tx, "zoe", "far.example")?;
                Ok((far, standing::remote_account(tx, "eve", "far.example")?))
            })
            .unwrap();
        let target = ann.id;
        world
            .write(move |tx| {
                for follower in [bob, far, gone] {
                    standing::follow(tx, follower, target)?;
                }
                Ok(())
            })
            .unwrap();
        set_state(&world, gone, true, true);
        let whole = json(followers(&world, "ann", PageOf::Collection));
        assert_eq!(whole["totalItems"], json!(3));
        assert_eq!(whole["first"], json!("http://siskin.test/users/ann/followers?page=true"));
        let page = json(followers(&world, "ann", FIRST));
        let expected = ["https://far.example/users/zoe", "http://siskin.test/users/bob"];
        assert_eq!(page["orderedItems"], json!(expected));
        let hide = Changes { hide_collections: Some(true), ..Changes::default() };
        world.change(&ann, hide).unwrap();
        let whole = json(followers(&world, "ann", PageOf::Collection));
        assert_eq!((&whole["totalItems"], &whole["first"]), (&json!(3), &Value::Null));
        assert!(is_hidden(&followers(&world, "ann", FIRST)));
    }

    fn replies_that_others_may_see_are_listed(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob, eve) =
            (world.person("ann").id, world.person("bob").id, world.person("eve").id);
        let id = publish(&world, ann, draft("hello"));
        let by_bob = reply(&world, bob, id, "hi");
        let own = reply(&world, ann, id, "and more");
        reply(&world, eve, id, "spam");
        set_state(&world, eve, true, true);
        let hidden = Some("private".to_owned());
        let parent = Some(id.to_string());
        publish(&world, bob, Draft { visibility: hidden, in_reply_to_id: parent, ..draft("psst") });
        let uri = |name: &str, id| format!("http://siskin.test/users/{name}/statuses/{id}");
        let page = json(replies(&world, id, FIRST));
        assert_eq!(page["items"], json!([uri("bob", by_bob), uri("ann", own)]));
        assert_eq!(page["next"], Value::Null);
        let rest = PageOf::Page(Cursor { min: Some(by_bob.get()), ..Cursor::default() });
        assert_eq!(json(replies(&world, id, rest))["items"], json!([uri("ann", own)]));
        let written = json(status(&world, "ann", id));
        assert_eq!(written["replies"]["first"]["items"], json!([uri("ann", own)]));
        let reply = json(status(&world, "bob", by_bob));
        assert_eq!(reply["inReplyTo"], json!(uri("ann", id)));
    }

    fn pinned_statuses_and_featured_hashtags_are_listed(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann").id;
        let open = publish(&world, ann, draft("hello"));
        let private = Some("private".to_owned());
        let hidden = publish(&world, ann, Draft { visibility: private, ..draft("secret") });
        for id in [open, hidden] {
            world.write(move |tx| statuses::pin(tx, ann, id)).unwrap();
        }
        world.write(move |tx| featured_tags::add(tx, ann, "Owls")).unwrap();
        let urls = &world.instance.urls;
        let now = world.now();
        let pinned = world.read(|conn| Ok(collections::featured(conn, urls, "ann", now)));
        let pinned = json(pinned);
        assert_eq!(pinned["totalItems"], json!(1));
        let uri = format!("http://siskin.test/users/ann/statuses/{open}");
        assert_eq!(pinned["orderedItems"][0]["id"], json!(uri));
        let tags = world.read(|conn| Ok(collections::featured_tags(conn, urls, "ann")));
        let href = "http://siskin.test/@ann/tagged/owls";
        let expected = json!([{"type": "Hashtag", "href": href, "name": "#owls"}]);
        assert_eq!(json(tags)["items"], expected);
    }
}
