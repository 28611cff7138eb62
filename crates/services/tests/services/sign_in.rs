//! Sign-in with passwords, and browser sessions.

use std::time::Duration;

use siskin_persistence::Tx;
use siskin_policy::limits::MAX_SESSIONS;
use siskin_services::{
    Error,
    accounts::{self, Decision, NewAccount, removal},
    sessions::{self, Browser, IDLE_LIFETIME, Reach, SessionUser, SignedIn},
    sign_in,
};
use siskin_test_support::both_engines;

use crate::world::World;

fn verify(world: &World, login: &str, password: &str) -> Result<siskin_ids::AccountId, Error> {
    let instance = world.instance.clone();
    world.read(move |conn| sign_in::find(conn, &instance, login)).verify(password)
}

fn begin(world: &World, account: siskin_ids::AccountId) -> String {
    let browser = Browser { user_agent: "Firefox".to_owned(), ip: "127.0.0.1".to_owned() };
    world.write(move |tx| sessions::begin(tx, account, &browser)).unwrap()
}

fn begin_restricted(world: &World, account: siskin_ids::AccountId) -> String {
    let browser = Browser::default();
    let begin =
        move |tx: &mut Tx<'_>| sessions::begin_with(tx, account, Reach::Restricted, &browser);
    world.write(begin).unwrap()
}

fn find_in_any_state(world: &World, token: &str) -> Option<SessionUser> {
    let now = world.now();
    world.read(|conn| sessions::find_in_any_state(conn, token, now))
}

fn find(world: &World, token: &str) -> Option<SignedIn> {
    let now = world.now();
    world.read(|conn| sessions::find(conn, token, now))
}

both_engines! {
    fn users_sign_in_by_email_address_or_username(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("Ann").id;
        for login in ["ann@mail.test", " ANN@mail.test ", "ann", "@Ann", "ann@siskin.test"] {
            assert_eq!(verify(&world, login, "correct horse").ok(), Some(ann), "{login:?}");
        }
        for (login, password) in [
            ("ann", "wrong horse"),
            ("ann", ""),
            ("bob", "correct horse"),
            ("", "correct horse"),
            ("ann@elsewhere.test", "correct horse"),
        ] {
            let refused = verify(&world, login, password);
            assert!(matches!(refused, Err(Error::Unauthenticated(_))), "{login:?}");
        }
    }

    fn account_states_are_revealed_only_after_the_correct_password(database: &TestDatabase) {
        let world = World::on(database);
        let new = NewAccount::by_operator("ann", "ann@mail.test", "correct horse");
        world.create(NewAccount { approved: false, ..new }).unwrap();
        assert!(matches!(verify(&world, "ann", "wrong"), Err(Error::Unauthenticated(_))));
        assert!(matches!(verify(&world, "ann", "correct horse"), Err(Error::Forbidden(_))));
    }

    // It may be the address of somebody else.
    fn an_address_that_is_not_confirmed_is_no_login(database: &TestDatabase) {
        let world = World::on(database);
        let new = NewAccount::by_operator("ann", "ann@mail.test", "correct horse");
        let ann = world.create(NewAccount { confirmed: false, ..new }).unwrap().id;
        let by_email = || verify(&world, "ann@mail.test", "correct horse");
        assert!(matches!(by_email(), Err(Error::Unauthenticated(_))));
        assert!(matches!(verify(&world, "ann", "correct horse"), Err(Error::Forbidden(_))));
        world.write(move |tx| accounts::decide(tx, ann, Decision::Confirm)).unwrap();
        assert_eq!(by_email().ok(), Some(ann));
    }

    fn the_least_recently_used_session_ends_beyond_the_limit(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann").id;
        let first = begin(&world, ann);
        world.pass(Duration::from_secs(10));
        let second = begin(&world, ann);
        world.pass(Duration::from_secs(10));
        let more: Vec<String> = (2..MAX_SESSIONS).map(|_| begin(&world, ann)).collect();
        assert!(find(&world, &first).is_some());
        let last = begin(&world, ann);
        assert!(find(&world, &first).is_none());
        for token in [&second, &more[0], &last] {
            assert!(find(&world, token).is_some());
        }
        let listed = world.read(|conn| sessions::list(conn, ann, world.now()));
        assert_eq!(i64::try_from(listed.len()).unwrap(), MAX_SESSIONS);
    }

    fn a_session_lasts_while_it_is_used(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann").id;
        let token = begin(&world, ann);
        let found = find(&world, &token).unwrap();
        assert_eq!((found.account, found.username.as_str(), found.touch), (ann, "ann", false));
        assert_eq!(find(&world, "nothing"), None);

        world.pass(IDLE_LIFETIME - Duration::from_secs(1));
        let found = find(&world, &token).unwrap();
        assert!(found.touch);
        world.write(move |tx| sessions::touch(tx, found.session)).unwrap();
        world.pass(IDLE_LIFETIME - Duration::from_secs(1));
        assert!(find(&world, &token).is_some());
        world.pass(Duration::from_secs(2));
        assert_eq!(find(&world, &token), None);
        let now = world.now();
        assert!(world.read(|conn| sessions::list(conn, ann, now)).is_empty());
    }

    // A restricted session never becomes a full one, and the other way round.
    fn sessions_fit_to_the_state_of_their_user(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann").id;
        let decides = |decision| {
            world.write(move |tx| accounts::decide(tx, ann, decision)).unwrap();
        };
        for (on, off) in [
            (Decision::Suspended(true), Decision::Suspended(false)),
            (Decision::Disabled(true), Decision::Disabled(false)),
        ] {
            let before = begin(&world, ann);
            assert!(find(&world, &before).is_some());
            decides(on);
            assert_eq!(find_in_any_state(&world, &before), None);
            // A sign-in that began before the restriction.
            let late = begin(&world, ann);
            assert_eq!(find_in_any_state(&world, &late), None);
            assert!(verify(&world, "ann", "correct horse").is_err());
            let instance = world.instance.clone();
            let candidate = world.read(move |conn| sign_in::find(conn, &instance, "ann"));
            let wrong = candidate.verify_for_session("wrong");
            assert!(matches!(wrong, Err(Error::Unauthenticated(_))), "{wrong:?}");
            assert_eq!(candidate.verify_for_session("correct horse").unwrap(), (ann, Reach::Restricted));
            let restricted = begin_restricted(&world, ann);
            assert_eq!(find(&world, &restricted), None);
            let found = find_in_any_state(&world, &restricted);
            let Some(SessionUser::Restricted(user)) = found else { panic!("{found:?}") };
            assert_eq!((user.account, user.is_suspended), (ann, on == Decision::Suspended(true)));
            assert!(world.read(|conn| sessions::list(conn, ann, world.now())).iter().all(|one| one.id != user.session));
            decides(off);
            assert_eq!(find_in_any_state(&world, &restricted), None);
            // A sign-in that began before the end of the restriction.
            let late = begin_restricted(&world, ann);
            assert_eq!(find_in_any_state(&world, &late), None);
        }
        decides(Decision::Suspended(true));
        let restricted = begin_restricted(&world, ann);
        world.write(move |tx| removal::begin(tx, ann)).unwrap();
        assert_eq!(find_in_any_state(&world, &restricted), None);
        let late = begin_restricted(&world, ann);
        assert_eq!(find_in_any_state(&world, &late), None);
        let again = world.write(move |tx| removal::begin(tx, ann));
        assert!(matches!(again, Err(Error::NotFound)), "{again:?}");
    }

    fn a_user_ends_only_their_own_sessions(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann").id, world.person("bob").id);
        let tokens = [begin(&world, ann), begin(&world, ann), begin(&world, ann)];
        let of_bob = begin(&world, bob);
        let now = world.now();
        let listed = world.read(|conn| sessions::list(conn, ann, now));
        assert_eq!(listed.len(), 3);
        assert_eq!(listed[0].user_agent, "Firefox");

        let first = find(&world, &tokens[0]).unwrap().session;
        assert!(matches!(
            world.write(move |tx| sessions::end(tx, bob, first)),
            Err(Error::NotFound)
        ));
        world.write(move |tx| sessions::end(tx, ann, first)).unwrap();
        assert_eq!(find(&world, &tokens[0]), None);
        let current = find(&world, &tokens[1]).unwrap().session;
        assert_eq!(world.write(move |tx| sessions::end_others(tx, ann, Some(current))).unwrap(), 1);
        assert!(find(&world, &tokens[1]).is_some() && find(&world, &tokens[2]).is_none());
        assert!(find(&world, &of_bob).is_some());
        assert_eq!(world.write(move |tx| sessions::end_others(tx, ann, None)).unwrap(), 1);
    }
}
