//! Creation of accounts.

use std::time::Duration;

use siskin_entities::{Protocol, Settings};
use siskin_persistence::accounts as rows;
use siskin_services::{
    Error, FieldError,
    accounts::{self, Decision, NewAccount, Origin, RemoteAccount, removal, unconfirmed},
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
    fn a_new_account_is_visible_immediately(database: &TestDatabase) {
        let world = World::on(database);
        let made = world.create(ann()).unwrap();
        assert_eq!(made.acct(), "Ann");
        assert_eq!(made.uri, "http://siskin.test/users/Ann");
        assert!(made.state.reachable);
        assert_eq!((made.followers_count, made.following_count, made.statuses_count), (0, 0, 0));
        let found = world.read(|conn| Ok(rows::find_by_handle(conn, "ann", None)?));
        assert_eq!(found, Some(made));
    }

    fn usernames_and_email_addresses_are_unique_ignoring_case(database: &TestDatabase) {
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

    fn all_field_errors_are_reported_together(database: &TestDatabase) {
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

    fn two_owners_cannot_leave_at_the_same_time(database: &TestDatabase) {
        let world = World::on(database);
        let owner = |name: &str| {
            let email = format!("{name}@mail.test");
            let new = NewAccount::by_operator(name, &email, "correct horse");
            world.create(NewAccount { role: Some("Owner".to_owned()), ..new }).unwrap().id
        };
        let owners = [owner("ann"), owner("bob")];
        let removal = |account| world.write(move |tx| removal::begin(tx, account));
        let left = std::thread::scope(|threads| {
            let leaving = owners.map(|account| threads.spawn(move || removal(account)));
            leaving.map(|thread| thread.join().unwrap().is_ok())
        });
        assert_eq!(left.iter().filter(|left| **left).count(), 1, "{left:?}");
        let stays = owners[usize::from(left[0])];
        assert!(!world.account(stays).state.suspended);
    }

    fn only_unconfirmed_sign_ups_are_overdue(database: &TestDatabase) {
        let world = World::on(database);
        let signed_up = |name: &str, confirmed| {
            let new = NewAccount::by_operator(name, &format!("{name}@mail.test"), "correct horse");
            let ip = Some("192.0.2.1".to_owned());
            let new = NewAccount { origin: Origin::SignUp, confirmed, sign_up_ip: ip, ..new };
            world.create(new).unwrap().id
        };
        let (waits, confirmed) = (signed_up("waits", false), signed_up("confirmed", true));
        let promoted = signed_up("promoted", false);
        world.write(move |tx| accounts::set_role(tx, promoted, Some("Moderator"))).unwrap();
        let by_command = NewAccount { confirmed: false, ..ann() };
        let by_command = world.create(by_command).unwrap().id;
        let overdue = |days| {
            let settings = Settings { unconfirmed_accounts_days: days, ..Settings::default() };
            let now = world.now();
            world.read(move |conn| unconfirmed::overdue(conn, &settings, now))
        };
        world.pass(Duration::from_hours(72));
        assert_eq!((overdue(4), overdue(0)), (vec![], vec![]));
        assert_eq!(overdue(2), [waits]);
        let late = signed_up("late", false);
        world.write(move |tx| accounts::decide(tx, late, Decision::Confirm)).unwrap();
        // An account that confirmed after the query stays.
        let named = [waits, late];
        world.write(move |tx| unconfirmed::remove(tx, &named)).unwrap();
        assert_eq!(overdue(2), []);
        let is_there = |id| world.read(move |conn| Ok(rows::find(conn, id)?)).is_some();
        assert!(!is_there(waits));
        assert!([confirmed, promoted, by_command, late].into_iter().all(is_there));
    }

    fn visitors_cannot_sign_up_under_staff_names(database: &TestDatabase) {
        let world = World::on(database);
        let admin = NewAccount { username: "Admin".into(), ..ann() };
        let stranger = NewAccount { origin: Origin::SignUp, ..admin.clone() };
        assert_eq!(faults(world.create(stranger)), [("username", FieldError::Reserved)]);
        world.create(admin).unwrap();
    }

    fn unconfirmed_and_pending_accounts_are_not_reachable(database: &TestDatabase) {
        let world = World::on(database);
        let unconfirmed = world.create(NewAccount { confirmed: false, ..ann() }).unwrap();
        assert!(!unconfirmed.state.reachable);
        let bob = NewAccount::by_operator("bob", "bob@mail.test", "correct horse");
        let unapproved = world.create(NewAccount { approved: false, ..bob }).unwrap();
        assert!(!unapproved.state.reachable);
    }

    fn a_role_is_assigned_by_name(database: &TestDatabase) {
        let world = World::on(database);
        let owner = world.create(NewAccount { role: Some("Owner".into()), ..ann() }).unwrap();
        assert_eq!(owner.role.as_ref().map(|role| role.position), Some(1000));
        let bob = NewAccount::by_operator("bob", "bob@mail.test", "correct horse");
        let refused = world.create(NewAccount { role: Some("Pope".into()), ..bob });
        assert!(matches!(refused, Err(Error::Invalid(_))));
    }

    fn a_remote_account_has_its_domain(database: &TestDatabase) {
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
