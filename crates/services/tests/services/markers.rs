//! Read markers.

use siskin_entities::Markers;
use siskin_ids::AccountId;
use siskin_services::{
    Error, Result,
    markers::{self, Move},
};
use siskin_test_support::both_engines;

use crate::world::World;

fn load(world: &World, person: AccountId) -> Markers {
    world.read(|conn| markers::load(conn, person))
}

fn apply(world: &World, person: AccountId, seen: Markers, to: Move) -> Result<Markers> {
    world.write(move |tx| markers::apply(tx, person, &seen, &to))
}

fn home(id: &str) -> Move {
    Move::parse(Some(id), None).unwrap()
}

both_engines! {
    fn each_move_raises_the_version_of_its_marker(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice").id, world.person("bob").id);
        assert_eq!(load(&world, alice), Markers::default());
        let first = apply(&world, alice, load(&world, alice), home("5")).unwrap();
        assert_eq!(first.home.map(|marker| (marker.last_read_id, marker.version)), Some((5, 1)));
        assert_eq!(first.notifications, None);
        let both = Move::parse(Some("3"), Some("9")).unwrap();
        apply(&world, alice, load(&world, alice), both).unwrap();
        let now = load(&world, alice);
        assert_eq!(now.home.map(|marker| (marker.last_read_id, marker.version)), Some((3, 2)));
        assert_eq!(now.notifications.map(|marker| marker.version), Some(1));
        assert_eq!(load(&world, bob), Markers::default());
        assert_eq!(markers::named(now, &["home".to_owned(), "x".to_owned()]).notifications, None);
    }

    fn the_second_of_two_simultaneous_marker_moves_is_refused(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice").id;
        for id in ["5", "6"] {
            let seen = load(&world, alice);
            apply(&world, alice, seen, home(id)).unwrap();
            let both = Move::parse(Some("7"), Some("1")).unwrap();
            let second = apply(&world, alice, seen, both);
            assert!(matches!(second, Err(Error::Conflict(_))), "{second:?}");
            let now = load(&world, alice);
            assert_eq!(now.home.unwrap().last_read_id.to_string(), id);
            assert_eq!(now.notifications, None);
        }
    }
}
