//! Changes of profiles.

use std::sync::Arc;

use siskin_entities::{Settings, Visibility};
use siskin_services::{
    Result,
    accounts::{
        self, Created,
        profile::{self, Changes, NewField, Pictures},
    },
};
use siskin_test_support::both_engines;

use crate::world::World;

impl World {
    /// Changes the profile of `account`.
    pub fn change(&self, account: &Created, changes: Changes) -> Result<Created> {
        let prepared = profile::prepare(&Settings::default(), changes)?;
        let (instance, account) = (self.instance.clone(), account.id);
        self.write(move |tx| {
            profile::apply(tx, &instance, account, &prepared, &Pictures::default())
        })
    }
}

fn two_fields() -> Changes {
    let field = |name: &str, value: &str| NewField { name: name.into(), value: value.into() };
    let fields = vec![field("Site", "https://example.com"), field("Place", "Here & there")];
    Changes { fields: Some(fields), ..Changes::default() }
}

both_engines! {
    fn changing_the_name_keeps_the_profile_fields(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let shown = |account: &Created| {
            account.fields.iter().map(|field| field.value_html.clone()).collect::<Vec<_>>()
        };
        let first = world.change(&ann, two_fields()).unwrap();
        assert!(shown(&first)[0].contains("rel=\"me"));
        assert_eq!(shown(&first)[1], "Here &amp; there");
        let name = Changes { display_name: Some(" Ann ".into()), ..Changes::default() };
        let named = world.change(&ann, name).unwrap();
        assert_eq!(named.display_name, "Ann");
        assert_eq!(shown(&named), shown(&first));
        let again = world.change(&ann, two_fields()).unwrap();
        assert_eq!(again.fields, first.fields);
        let locked = Changes { locked: Some(true), ..Changes::default() };
        let locked = world.change(&ann, locked).unwrap();
        assert!(locked.locked);
        assert_eq!((&locked.fields, locked.display_name.as_str()), (&first.fields, "Ann"));
    }

    fn simultaneous_changes_do_not_undo_each_other(database: &TestDatabase) {
        let world = Arc::new(World::on(database));
        let ann = world.person("ann");
        let note = |text: String| Changes { note: Some(text), ..Changes::default() };
        let name = |text: String| Changes { display_name: Some(text), ..Changes::default() };
        let changes: [fn(String) -> Changes; 2] = [note, name];
        let threads = changes.map(|changes| {
            let (world, ann) = (Arc::clone(&world), ann.clone());
            std::thread::spawn(move || {
                for number in 0..30_u8 {
                    world.change(&ann, changes(number.to_string())).unwrap();
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let ann = world.account(ann.id);
        assert_eq!((ann.note.as_str(), ann.display_name.as_str()), ("29", "29"));
    }

    fn only_a_change_makes_a_new_snapshot(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let cached = || Arc::clone(&world.account(ann.id).snapshot);
        let note = || Changes { note: Some("Hello".into()), ..Changes::default() };
        let before = cached();
        world.change(&ann, note()).unwrap();
        let changed = cached();
        assert!(!Arc::ptr_eq(&before, &changed));
        world.change(&ann, note()).unwrap();
        assert!(Arc::ptr_eq(&changed, &cached()));
    }

    fn a_note_links_mentioned_accounts(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, _) = (world.person("ann"), world.person("Bob"));
        let note = "I know @bob, @bob@siskin.test and @nobody <3 #birds".to_owned();
        let ann = world.change(&ann, Changes { note: Some(note), ..Changes::default() }).unwrap();
        assert_eq!(ann.note_html.matches("href=\"http://siskin.test/@Bob\"").count(), 2);
        assert!(ann.note_html.contains("@nobody &lt;3"));
        assert!(ann.note_html.contains("http://siskin.test/tags/birds"));
        let empty = Changes { note: Some(String::new()), ..Changes::default() };
        assert_eq!(world.change(&ann, empty).unwrap().note_html, "");
    }

    fn defaults_are_stored_separately_from_the_profile(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let changes = Changes {
            privacy: Some("private".into()),
            sensitive: Some(true),
            language: Some("PT-br".into()),
            ..Changes::default()
        };
        let before = Arc::clone(&world.account(ann.id).snapshot);
        world.change(&ann, changes).unwrap();
        assert!(Arc::ptr_eq(&before, &world.account(ann.id).snapshot));
        let own = |world: &World| world.read(|conn| accounts::own(conn, ann.id)).1;
        let credentials = own(&world);
        assert_eq!(credentials.default_privacy, Visibility::Private);
        assert!(credentials.default_sensitive);
        assert_eq!(credentials.default_language.as_deref(), Some("pt"));
        let none = Changes { language: Some(String::new()), ..Changes::default() };
        world.change(&ann, none).unwrap();
        let credentials = own(&world);
        assert_eq!((credentials.default_language, credentials.default_sensitive), (None, true));
    }
}
