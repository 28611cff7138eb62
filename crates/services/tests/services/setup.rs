//! The one-time link of the first start.

use siskin_entities::Actor;
use siskin_services::{
    Error,
    roles::{self, RoleForm},
    setup,
};
use siskin_test_support::both_engines;

use crate::world::World;

fn complete(world: &World, token: &str) -> Result<siskin_services::accounts::Created, Error> {
    let prepared = setup::prepare(&world.instance, "Ann", "ann@mail.test", "correct horse")?;
    let token = token.to_owned();
    world.write(move |tx| setup::complete(tx, &token, &prepared))
}

fn is_open(world: &World, token: &str) -> bool {
    world.read(|conn| setup::is_open(conn, token))
}

both_engines! {
    fn the_setup_link_creates_one_owner_and_expires(database: &TestDatabase) {
        let world = World::on(database);
        let older = world.write(setup::offer).unwrap().unwrap();
        let token = world.write(setup::offer).unwrap().unwrap();
        assert!(is_open(&world, &token));
        for wrong in [older.as_str(), "wrong", ""] {
            assert!(!is_open(&world, wrong));
            assert!(matches!(complete(&world, wrong), Err(Error::NotFound)));
        }
        let owner = complete(&world, &token).unwrap();
        assert_eq!(owner.role.as_ref().unwrap().name, "Owner");
        assert!(!is_open(&world, &token));
        assert!(matches!(complete(&world, &token), Err(Error::NotFound)));
        assert_eq!(world.write(setup::offer).unwrap(), None);
    }

    fn the_role_of_the_owner_may_have_another_name(database: &TestDatabase) {
        let world = World::on(database);
        world.write(|tx| {
            let owner = roles::named(tx, "owner")?.id;
            let form = RoleForm { name: Some("Chief".to_owned()), ..RoleForm::default() };
            roles::update(tx, Actor::Operator, owner, &form)
        }).unwrap();
        let token = world.write(setup::offer).unwrap().unwrap();
        let owner = complete(&world, &token).unwrap();
        assert_eq!(owner.role.as_ref().unwrap().name, "Chief");
    }

    fn the_setup_link_expires_when_the_operator_creates_an_account(database: &TestDatabase) {
        let world = World::on(database);
        let token = world.write(setup::offer).unwrap().unwrap();
        world.person("bob");
        assert!(!is_open(&world, &token));
        assert!(matches!(complete(&world, &token), Err(Error::NotFound)));
    }

    fn invalid_input_keeps_the_setup_link_valid(database: &TestDatabase) {
        let world = World::on(database);
        let token = world.write(setup::offer).unwrap().unwrap();
        let refused = setup::prepare(&world.instance, "a.b", "nowhere", "short");
        assert!(matches!(refused, Err(Error::InvalidFields(fields)) if fields.len() == 3));
        assert!(is_open(&world, &token));
    }
}
