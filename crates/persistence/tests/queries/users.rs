//! Users who typed the same email address.

use diesel::prelude::*;
use siskin_persistence::{schema, users};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, sorts},
    world::World,
};

/// A folded email address that an engine could not fold: `lower` knows only ASCII on `SQLite`.
const KEY: &str = "ärger@example.org";

both_engines! {
    fn users_are_found_by_the_address_that_they_typed(database: &TestDatabase) {
        let world = World::on(database);
        let [ann, bob, cem, dan] = ["ann", "bob", "cem", "dan"].map(|name| world.person(name));
        world.write(move |tx| {
            diesel::update(schema::users::table)
                .set(schema::users::confirmed_at.eq(None::<i64>))
                .execute(&mut **tx)?;
            users::set_email(tx, ann, "ÄRGER@Example.org", KEY)?;
            users::share_email(tx, bob, "Ärger@example.org", KEY)?;
            users::share_email(tx, cem, KEY, KEY)
        });
        let found = |limit| world.read(|conn| users::unconfirmed_with_email(conn, KEY, limit));
        let holder = || world.read(|conn| users::find_by_email(conn, KEY));
        assert_eq!(found(5), [cem, bob, ann]);
        assert_eq!(found(2), [cem, bob]);
        assert_eq!(holder().unwrap().account, ann);
        // What was typed stays if another user gets the address, until another one is typed.
        world.write(move |tx| {
            users::drop_email_key(tx, ann)?;
            users::set_email(tx, bob, "Ärger@example.org", KEY)?;
            users::share_email(tx, cem, "dan@mail.test", "dan@mail.test")
        });
        assert_eq!(found(5), [bob, ann]);
        assert_eq!(holder().unwrap().account, bob);
        let dans = world.read(|conn| users::unconfirmed_with_email(conn, "dan@mail.test", 5));
        assert_eq!(dans, [dan, cem]);
        let plans = plans(database, |conn| users::unconfirmed_with_email(conn, KEY, 5));
        assert!(!plans.iter().any(|plan| sorts(plan)), "{plans:?}");
    }
}
