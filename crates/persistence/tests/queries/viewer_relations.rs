//! Viewer relations are cached by a version, which triggers raise. After any change of a relation,
//! a cached read must equal a read without a cache.

use diesel::{prelude::*, sql_query};
use siskin_entities::ViewerRelations;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, relationships::viewer_relations};
use siskin_test_support::both_engines;

use crate::world::World;

/// Changes of the relations of the account `{me}` with `{other}`, one after the other. Each changes
/// what the relations of `{me}` contain.
const CHANGES: [&str; 20] = [
    "INSERT INTO follows (id, account_id, target_account_id, created_at)
     VALUES (1, {me}, {other}, 0)",
    "UPDATE follows SET show_reblogs = FALSE WHERE id = 1",
    "UPDATE follows SET languages = 'fr,de' WHERE id = 1",
    "INSERT INTO lists (id, account_id, title, replies_policy, exclusive, created_at)
     VALUES (2, {me}, 'Birds', 1, FALSE, 0)",
    "INSERT INTO list_accounts (id, list_id, account_id, follow_id, created_at)
     VALUES (3, 2, {other}, 1, 0)",
    "UPDATE lists SET replies_policy = 2 WHERE id = 2",
    "UPDATE lists SET exclusive = TRUE WHERE id = 2",
    // The member goes with the follow.
    "DELETE FROM follows WHERE id = 1",
    "DELETE FROM lists WHERE id = 2",
    "INSERT INTO blocks (id, account_id, target_account_id, created_at)
     VALUES (4, {me}, {other}, 0)",
    "DELETE FROM blocks WHERE id = 4",
    "INSERT INTO blocks (id, account_id, target_account_id, created_at)
     VALUES (5, {other}, {me}, 0)",
    "DELETE FROM blocks WHERE id = 5",
    "INSERT INTO mutes (id, account_id, target_account_id, hide_notifications, created_at)
     VALUES (6, {me}, {other}, TRUE, 0)",
    "UPDATE mutes SET hide_notifications = FALSE WHERE id = 6",
    "UPDATE mutes SET expires_at = 7 WHERE id = 6",
    "DELETE FROM mutes WHERE id = 6",
    "INSERT INTO account_domain_blocks (id, account_id, domain, created_at)
     VALUES (7, {me}, 'far.example', 0)",
    "INSERT INTO tag_follows (id, account_id, tag_id, created_at) VALUES (8, {me}, 9, 0)",
    "UPDATE tags SET name = 'walks' WHERE id = 9",
];

/// Changes that end the relations that [`CHANGES`] leaves.
const ENDS: [&str; 2] = ["DELETE FROM account_domain_blocks", "DELETE FROM tag_follows"];

both_engines! {
    fn every_change_of_a_relation_is_seen_at_once(database: &TestDatabase) {
        let world = World::on(database);
        let (me, other) = (world.person("me"), world.person("other"));
        let mut conn = Conn::open(database.url()).unwrap();
        sql_query("INSERT INTO tags (id, name, display_name, created_at) VALUES (9, 'walk', '', 0)")
            .execute(&mut conn)
            .unwrap();
        let cached = |viewer: AccountId| {
            world.read(|conn| viewer_relations(conn, Some(viewer)))
        };
        let mut before = cached(me);
        assert_eq!(*before, ViewerRelations::of(me, Default::default()));
        for change in CHANGES.iter().chain(&ENDS) {
            let sql = change.replace("{me}", &me.to_string());
            let sql = sql.replace("{other}", &other.to_string());
            assert_eq!(sql_query(&sql).execute(&mut conn).unwrap(), 1, "{sql}");
            let after = cached(me);
            assert_ne!(before, after, "{sql}");
            assert_eq!(after, viewer_relations(&mut conn, Some(me)).unwrap(), "{sql}");
            before = after;
        }
        assert_eq!(*before, ViewerRelations::of(me, Default::default()));
        assert_eq!(*cached(other), ViewerRelations::of(other, Default::default()));
    }

    fn cached_relations_cost_one_statement_for_any_number_of_viewers(database: &TestDatabase) {
        let world = World::on(database);
        let viewers = ["one", "two", "three"].map(|name| world.person(name));
        world.follow(viewers[0], viewers[1]);
        let read = |world: &World| {
            world.read(|conn| {
                siskin_persistence::relationships::relations_of_viewers(conn, &viewers)
            })
        };
        assert!(read(&world)[&viewers[0]].follows(viewers[1]));
        assert_eq!(world.statements(read), 1);
        world.follow(viewers[1], viewers[2]);
        assert!(read(&world)[&viewers[1]].follows(viewers[2]));
        assert_eq!(world.statements(read), 1);
    }

    fn an_anonymous_viewer_needs_no_statement(database: &TestDatabase) {
        let world = World::on(database);
        let read = |world: &World| world.read(|conn| viewer_relations(conn, None));
        assert_eq!(*read(&world), ViewerRelations::default());
        assert_eq!(world.statements(read), 0);
    }
}
