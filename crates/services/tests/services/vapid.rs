//! The key pair for push messages.

use siskin_services::vapid;
use siskin_test_support::both_engines;

use crate::world::World;

both_engines! {
    fn the_push_key_is_generated_once(database: &TestDatabase) {
        let world = World::on(database);
        assert_eq!(world.read(vapid::public_key), None);
        let created = world.write(vapid::ensure).unwrap();
        assert_eq!(world.write(vapid::ensure).unwrap(), created);
        assert_eq!(world.read(vapid::public_key).as_deref(), Some(created.as_str()));
        // 65 bytes that begin with 4: an uncompressed point.
        assert_eq!((created.len(), &created[..1]), (87, "B"));
    }
}
