//! Tests of `siskin demo` and `siskin seed`.

use siskin_persistence::{Conn, accounts, archive, settings, tokens};
use siskin_services::secrets;
use siskin_test_support::both_engines;

use crate::program::Program;

const SEED: &str = r#"{
    "comment": "what tests of clients ask for",
    "title": "Seeded",
    "settings": { "registrations": "open", "max_bio_chars": 700, "rate_limits.enabled": false },
    "apps": [{
        "name": "Client", "client_id": "known id", "client_secret": "known secret",
        "redirect_uri": "urn:ietf:wg:oauth:2.0:oob", "scopes": "read write"
    }],
    "accounts": [
        {
            "id": "7", "username": "alice", "email": "a@localhost", "password": "correct horse",
            "role": "Owner", "locked": true, "locale": "ja", "discoverable": true,
            "indexable": true, "display_name": "Alice", "note": "hello #birds",
            "follows": ["bob", "carol@remote.example"],
            "tokens": [{ "client_id": "known id", "token": "known token", "scopes": "read write" }]
        },
        { "username": "bob", "locked": true },
        { "username": "carol", "domain": "remote.example", "protocol": "ostatus", "locked": true }
    ]
}"#;

fn counts(conn: &mut Conn) -> [i64; 5] {
    ["accounts", "statuses", "follows", "favourites", "bookmarks"]
        .map(|table| archive::count(conn, table).unwrap())
}

both_engines! {
    fn demo_creates_a_consistent_network_with_past_timestamps(database: &TestDatabase) {
        let program = Program::on(database);
        let made = program.json(&["demo", "--accounts", "12", "--statuses", "60", "--json"]);
        assert_eq!(made["username"], "demo");
        let mut conn = Conn::open(database.url()).unwrap();
        let [people, posts, follows, favourites, bookmarks] = counts(&mut conn);
        assert_eq!(people, 12);
        // Reblogs are statuses too; a second reblog of the same status is skipped.
        assert!((60..=70).contains(&posts), "{posts}");
        assert!(follows > 50 && favourites > 50 && bookmarks > 0);
        for table in ["endorsements", "account_notes", "mutes", "account_domain_blocks"] {
            assert!(archive::count(&mut conn, table).unwrap() > 0, "{table}");
        }
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
        let owner = accounts::find_by_handle(&mut conn, "demo", None).unwrap().unwrap();
        assert_eq!(owner.role.as_ref().unwrap().name, "Owner");
        assert_eq!(owner.created_at.unix_ms(), siskin_ids::unix_ms_of(owner.id.get()));
        assert!(owner.avatar.is_some() && owner.header.is_some());
        let refused = program.refused(&["demo"]);
        assert!(refused.contains("not empty") && refused.contains("--database"), "{refused}");
    }

    fn seed_creates_the_contents_of_the_file(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_TEST_HOOKS", "1");
        let file = program.folder.path().join("seed.json");
        std::fs::write(&file, SEED).unwrap();
        let file = file.to_str().unwrap();
        let made = program.json(&["seed", file]);
        assert_eq!(made["accounts"][0]["id"], "7");

        let mut conn = Conn::open(database.url()).unwrap();
        let alice = accounts::find_by_handle(&mut conn, "alice", None).unwrap().unwrap();
        assert!(alice.locked && alice.indexable && alice.role.is_some());
        assert_eq!((alice.display_name.as_str(), alice.following_count), ("Alice", 2));
        assert!(alice.note_html.contains("#<span>birds</span>"));
        let carol = accounts::find_by_handle(&mut conn, "carol", Some("remote.example"));
        let carol = carol.unwrap().unwrap();
        assert!(carol.locked);
        assert_eq!((carol.protocol.as_str(), carol.followers_count), ("ostatus", 1));
        let token = tokens::find_by_hash(&mut conn, &secrets::hash("known token"));
        let token = token.unwrap().unwrap();
        assert_eq!(token.owner.unwrap().account, alice.id);
        assert!(token.application.is_some());
        let stored = settings::all(&mut conn).unwrap();
        assert!(stored.contains(&("site_title".to_owned(), "Seeded".to_owned())));
        assert!(stored.contains(&("max_bio_chars".to_owned(), "700".to_owned())));
        assert_eq!(program.run(&["doctor"]), "No problems found\n");

        assert!(program.refused(&["seed", file]).contains("not empty"));
    }

    fn seed_needs_test_hooks_and_a_valid_file(database: &TestDatabase) {
        let program = Program::on(database);
        let file = program.folder.path().join("seed.json");
        std::fs::write(&file, r#"{ "accounts": [] }"#).unwrap();
        let path = file.to_str().unwrap();
        assert!(program.refused(&["seed", path]).contains("SISKIN_TEST_HOOKS"));
        let nowhere = format!("sqlite://{}/none/x.sqlite3", program.folder.path().display());
        program.refused(&["seed", path, "--database", &nowhere]);
        assert!(!program.folder.path().join("none").exists());
        for (text, expected_text) in [
            (r#"{ "emojis": [] }"#, "emojis"),
            (r#"{ "accounts": [{ "username": "a", "follows": ["nobody"] }] }"#, "nobody"),
            (r#"{ "accounts": [{ "username": "a b" }] }"#, "a b"),
            (r#"{ "settings": { "registrations": "maybe" } }"#, "registrations"),
        ] {
            std::fs::write(&file, text).unwrap();
            let refused = program.refused(&["seed", path, "--test-hooks"]);
            assert!(refused.contains(expected_text), "{refused}");
        }
        let mut conn = Conn::open(database.url()).unwrap();
        assert_eq!(counts(&mut conn)[0], 0);
    }
}
