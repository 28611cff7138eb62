//! Archives of accounts.

use serde_json::{Value, json};
use siskin_entities::{Picture, Status, StatusBody, Visibility};
use siskin_ids::StatusId;
use siskin_wire::archive::{self, Known};

use crate::samples::{self, NOW, alice_with, body, body_with, reblog, urls};

const PUBLIC: &str = "https://www.w3.org/ns/activitystreams#Public";
const FOLLOWERS: &str = "https://example.com/users/alice/followers";

fn with_known<T>(use_it: impl FnOnce(&Known<'_>) -> T) -> T {
    let media_type = |file: &str| file.ends_with(".jpg").then_some("image/jpeg");
    let parents =
        |id: StatusId| (id.get() == 7_000).then(|| "https://remote.example/statuses/1".to_owned());
    use_it(&Known { urls: &urls(), media_type: &media_type, parents: &parents, now: NOW })
}

fn activity(status: &Status) -> Value {
    with_known(|known| samples::json(&archive::render_activity(status, known)))
}

#[test]
fn a_status_is_a_note_with_the_places_of_its_files() {
    let created = activity(&Status::new(body()));
    let uri = "https://example.com/users/alice/statuses/7001";
    assert_eq!(created["type"], "Create");
    assert_eq!(created["id"], format!("{uri}/activity"));
    assert_eq!(created["actor"], "https://example.com/users/alice");
    let note = &created["object"];
    assert_eq!((&note["id"], &note["type"]), (&json!(uri), &json!("Note")));
    assert_eq!(note["inReplyTo"], "https://remote.example/statuses/1");
    assert_eq!((&note["summary"], &note["sensitive"]), (&json!("careful"), &json!(true)));
    assert_eq!(note["content"], "<p>see</p>");
    assert_eq!(note["contentMap"], json!({ "en": "<p>see</p>" }));
    assert_eq!(note["attributedTo"], created["actor"]);
    assert_eq!((&note["to"], &note["cc"]), (&created["to"], &created["cc"]));
    let picture = &note["attachment"][0];
    assert_eq!(picture["url"], "media/0123456789abcdef0123456789abcdef.jpg");
    assert_eq!((&picture["type"], &picture["mediaType"]), (&json!("Image"), &json!("image/jpeg")));
    assert_eq!((&picture["name"], &picture["width"]), (&json!("A \"bird\""), &json!(1920)));
    assert_eq!(picture["focalPoint"], json!([0.42, -0.69]));
    assert_eq!(
        (&note["attachment"][1]["type"], note["attachment"][1].get("mediaType")),
        (&json!("Video"), None)
    );
    let tags: Vec<_> = note["tag"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    assert_eq!(tags, ["@bob@remote.example", "#caf\u{e9}", ":birb:"]);
    assert_eq!(note["tag"][0]["href"], "https://remote.example/@bob");
    assert!(note.get("oneOf").is_none() && note.get("quote").is_none());
}

#[test]
fn a_status_addresses_whom_it_is_visible_to() {
    let bob = "https://remote.example/@bob";
    for (visibility, to, cc) in [
        (Visibility::Public, json!([PUBLIC]), json!([FOLLOWERS, bob])),
        (Visibility::Unlisted, json!([FOLLOWERS]), json!([PUBLIC, bob])),
        (Visibility::Private, json!([FOLLOWERS]), json!([bob])),
        (Visibility::Direct, json!([bob]), json!([])),
    ] {
        let created =
            activity(&Status::new(body_with(|snapshot| snapshot.visibility = visibility)));
        assert_eq!((&created["to"], &created["cc"]), (&to, &cc), "{visibility:?}");
    }
}

#[test]
fn polls_quotes_and_reblogs_have_their_forms() {
    let asked = StatusBody { poll: Some(samples::poll()), ..body() };
    let note = activity(&Status::new(asked))["object"].clone();
    assert_eq!(note["type"], "Question");
    assert_eq!(
        note["anyOf"][1],
        json!({
            "type": "Note", "name": "no", "replies": { "type": "Collection", "totalItems": 2 },
        })
    );
    assert_eq!(
        (&note["votersCount"], note.get("closed"), note.get("oneOf")),
        (&json!(2), None, None)
    );
    let quotes = StatusBody { quote: Some(samples::quote()), ..body() };
    let note = activity(&Status::new(quotes))["object"].clone();
    assert_eq!(note["quote"], samples::quote().status.unwrap().uri);
    let original = reblog().reblog.unwrap();
    let announced = activity(&reblog());
    assert_eq!(
        (&announced["type"], &announced["object"]),
        (&json!("Announce"), &json!(original.uri))
    );
    let recipients = json!([announced["to"], announced["cc"]]).to_string();
    assert!(recipients.contains("\"https://example.com/users/alice\""), "{recipients}");
}

#[test]
fn the_actor_names_the_files_beside_it() {
    let account = alice_with(|snapshot| {
        snapshot.header = Some(Picture { file: "h.jpg".to_owned(), still: None });
    });
    let file = with_known(|known| archive::actor_file(&account, known).unwrap());
    let actor: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(actor["@context"][0], "https://www.w3.org/ns/activitystreams");
    assert_eq!(
        (&actor["id"], &actor["type"]),
        (&json!("https://example.com/users/alice"), &json!("Service"))
    );
    assert_eq!((&actor["outbox"], &actor["likes"]), (&json!("outbox.json"), &json!("likes.json")));
    assert_eq!(actor["bookmarks"], "bookmarks.json");
    assert_eq!(
        (&actor["icon"]["url"], &actor["image"]["url"]),
        (&json!("avatar.gif"), &json!("header.jpg"))
    );
    assert_eq!(actor["icon"]["summary"], "A bird & a branch");
    assert_eq!(actor["image"]["mediaType"], "image/jpeg");
    assert_eq!(actor["attachment"][0]["name"], "Home");
    assert_eq!(actor["manuallyApprovesFollowers"], true);
}

#[test]
fn a_collection_is_written_around_its_entries() {
    let mut whole = Vec::new();
    archive::begin_collection(&mut whole, "likes.json");
    archive::add_addresses(&mut whole, &["a".to_owned()], 0).unwrap();
    archive::add_addresses(&mut whole, &[], 1).unwrap();
    archive::add_addresses(&mut whole, &["b".to_owned()], 1).unwrap();
    archive::end_collection(&mut whole, 2);
    let collection: Value = serde_json::from_slice(&whole).unwrap();
    assert_eq!(
        (&collection["id"], &collection["type"]),
        (&json!("likes.json"), &json!("OrderedCollection"))
    );
    assert_eq!(
        (&collection["orderedItems"], &collection["totalItems"]),
        (&json!(["a", "b"]), &json!(2))
    );
}
