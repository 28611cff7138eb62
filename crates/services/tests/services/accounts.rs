//! Making accounts.

use siskin_entities::Protocol;
use siskin_persistence::accounts as rows;
use siskin_services::{
    Error, FieldError,
    accounts::{self, NewAccount, Origin, RemoteAccount},
};
use siskin_test_support::both_engines;

use crate::world::World;

fn ann() -> NewAccount {
    NewAccount::by_operator("Ann", "ann@mail.test", "correct horse")
}

fn faults<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<(&'static str, FieldError)> {
    match result {
        Err(Error::InvalidFields(fields)) => {
            fields.into_iter().map(|field| (field.name, field.error)).collect()
        }
        other => panic!("no field was refused: {other:?}"),
    }
}

both_engines! {
    fn a_new_account_can_be_shown_at_once(database: &TestDatabase) {
        let world = World::on(database);
        let made = world.create(ann()).unwrap();
        assert_eq!(made.acct(), "Ann");
        assert_eq!(made.uri, "http://siskin.test/users/Ann");
        assert!(made.state.reachable);
        assert_eq!((made.followers_count, made.following_count, made.statuses_count), (0, 0, 0));
        let found = world.read(|conn| Ok(rows::find_by_handle(conn, "ann", None)?));
        assert_eq!(found, Some(made));
    }

    fn a_name_and_an_address_are_given_once_in_whatever_case(database: &TestDatabase) {
        let world = World::on(database);
        world.person("ann");
        let again = NewAccount { username: "aNN".into(), email: "ANN@mail.test".into(), ..ann() };
        assert_eq!(
            faults(world.create(again)),
            [("username", FieldError::Taken), ("email", FieldError::Taken)]
        );
        let other_name = NewAccount { username: "bob".into(), ..ann() };
        assert_eq!(faults(world.create(other_name)), [("email", FieldError::Taken)]);
    }

    fn every_wrong_field_is_named_at_once(database: &TestDatabase) {
        let world = World::on(database);
        assert_eq!(
            faults(world.create(NewAccount::by_operator("a.b", "nowhere", "short"))),
            [
                ("username", FieldError::Invalid),
                ("email", FieldError::Invalid),
                ("password", FieldError::TooShort),
            ]
        );
    }

    fn strangers_cannot_take_names_of_the_staff(database: &TestDatabase) {
        let world = World::on(database);
        let admin = NewAccount { username: "Admin".into(), ..ann() };
        let stranger = NewAccount { origin: Origin::SignUp, ..admin.clone() };
        assert_eq!(faults(world.create(stranger)), [("username", FieldError::Reserved)]);
        world.create(admin).unwrap();
    }

    fn unconfirmed_and_unapproved_people_are_not_reachable(database: &TestDatabase) {
        let world = World::on(database);
        let unconfirmed = world.create(NewAccount { confirmed: false, ..ann() }).unwrap();
        assert!(!unconfirmed.state.reachable);
        let bob = NewAccount::by_operator("bob", "bob@mail.test", "correct horse");
        let unapproved = world.create(NewAccount { approved: false, ..bob }).unwrap();
        assert!(!unapproved.state.reachable);
    }

    fn a_role_is_given_by_its_name(database: &TestDatabase) {
        let world = World::on(database);
        let owner = world.create(NewAccount { role: Some("Owner".into()), ..ann() }).unwrap();
        assert_eq!(owner.role.as_ref().map(|role| role.position), Some(1000));
        let bob = NewAccount::by_operator("bob", "bob@mail.test", "correct horse");
        let refused = world.create(NewAccount { role: Some("Pope".into()), ..bob });
        assert!(matches!(refused, Err(Error::Invalid(_))));
    }

    fn an_account_of_another_server_has_its_domain(database: &TestDatabase) {
        let world = World::on(database);
        let remote = RemoteAccount {
            id: None,
            username: "bob.b".into(),
            domain: "BÜCHER.example".into(),
            protocol: Protocol::OStatus,
        };
        let instance = world.instance.clone();
        let create = move |remote: RemoteAccount| {
            let instance = instance.clone();
            world.write(move |tx| accounts::create_remote(tx, &instance, &remote))
        };
        let made = create(remote.clone()).unwrap();
        assert_eq!(made.acct(), "bob.b@xn--bcher-kva.example");
        assert_eq!(made.protocol, Protocol::OStatus);
        assert_eq!(faults(create(remote.clone())), [("username", FieldError::Taken)]);
        let here = RemoteAccount { domain: "siskin.test".into(), ..remote };
        assert!(matches!(create(here), Err(Error::Invalid(_))));
    }
}
