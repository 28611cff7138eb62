//! Second factors, recovery codes, and sign-ins that wait for a code.

use std::{thread, time::Duration};

use siskin_ids::AccountId;
use siskin_persistence::{
    accounts, pending_sign_ins, second_factors,
    sessions::{self, NewSession},
    users::{self, Login},
};
use siskin_test_support::both_engines;

use crate::world::{NOW, World};

const TRIES: i64 = 3;
const LIFETIME: Duration = Duration::from_mins(10);

impl World {
    fn give_factor(&self, account: AccountId) {
        self.write(move |tx| second_factors::insert(tx, account, "sealed", 5));
    }

    fn give_codes(&self, account: AccountId, codes: &[&str]) {
        let codes: Vec<String> = codes.iter().map(|code| (*code).to_owned()).collect();
        self.write(move |tx| second_factors::replace_recovery_codes(tx, account, &codes));
    }

    fn take_code(&self, account: AccountId, code: &'static str) -> bool {
        self.write(move |tx| second_factors::take_recovery_code(tx, account, code))
    }

    fn count_codes(&self, account: AccountId) -> i64 {
        self.read(|conn| second_factors::count_recovery_codes(conn, account))
    }

    fn wait_for_code(&self, account: AccountId, hash: &'static str) {
        self.write(move |tx| {
            pending_sign_ins::insert(tx, hash, account, None, NOW.after(LIFETIME))
        });
    }

    fn waits(&self, hash: &str) -> Option<AccountId> {
        let found = self.read(|conn| pending_sign_ins::find(conn, hash, TRIES, NOW));
        found.map(|pending| pending.account)
    }
}

/// Returns how many of 20 parallel calls returned `true`.
fn successes(call: impl Fn() -> bool + Sync) -> usize {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..20).map(|_| scope.spawn(&call)).collect();
        threads.into_iter().map(|it| usize::from(it.join().unwrap())).sum()
    })
}

both_engines! {
    fn a_step_is_used_once(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let exists = |account| world.read(|conn| second_factors::exists(conn, account));
        assert!(!exists(ann));
        world.give_factor(ann);
        assert!(exists(ann) && !exists(bob));
        let found = world.read(|conn| second_factors::find(conn, ann)).unwrap();
        assert_eq!((&*found.sealed_secret, found.last_step, found.enabled_at), ("sealed", 5, NOW));
        let use_step = |account, step| world.write(move |tx| second_factors::use_step(tx, account, step));
        assert!(!use_step(ann, 5) && !use_step(ann, 4) && !use_step(bob, 6));
        assert_eq!(successes(|| use_step(ann, 7)), 1);
        assert!(!use_step(ann, 6) && use_step(ann, 8));
        assert_eq!(world.read(|conn| second_factors::find(conn, ann)).unwrap().last_step, 8);
        let twice = world.try_write(move |tx| second_factors::insert(tx, ann, "other", 1));
        assert!(twice.is_err(), "an account got two second factors");
    }

    fn a_recovery_code_is_used_once(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        world.give_codes(ann, &["a", "b", "c"]);
        world.give_codes(bob, &["a"]);
        assert_eq!(world.count_codes(ann), 3);
        assert!(!world.take_code(ann, "x") && !world.take_code(bob, "b"));
        assert_eq!(successes(|| world.take_code(ann, "a")), 1);
        assert_eq!((world.count_codes(ann), world.count_codes(bob)), (2, 1));
        world.give_codes(ann, &["d"]);
        assert!(!world.take_code(ann, "b") && world.take_code(ann, "d"));
    }

    fn a_second_factor_is_deleted_with_its_codes(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        for account in [ann, bob] {
            world.give_factor(account);
            world.give_codes(account, &["a"]);
        }
        assert_eq!(successes(|| world.write(move |tx| second_factors::delete(tx, ann))), 1);
        assert_eq!((world.count_codes(ann), world.count_codes(bob)), (0, 1));
        assert!(world.read(|conn| second_factors::exists(conn, bob)));
        world.wait_for_code(bob, "x");
        while !world.write(move |tx| accounts::remove_some(tx, bob)) {}
        assert_eq!(world.count_codes(bob), 0);
        assert!(!world.read(|conn| second_factors::exists(conn, bob)));
        assert_eq!(world.waits("x"), None);
    }

    fn a_sign_in_waits_for_a_few_tries(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        for (account, hash) in [(ann, "x"), (ann, "y"), (bob, "z")] {
            world.wait_for_code(account, hash);
        }
        let count = |hash| world.write(move |tx| pending_sign_ins::count_try(tx, hash, TRIES));
        assert_eq!((world.waits("x"), world.waits("z"), world.waits("w")), (Some(ann), Some(bob), None));
        assert_eq!(successes(|| count("x")), 3);
        assert_eq!((world.waits("x"), world.waits("y")), (None, Some(ann)));
        assert!(!count("w"));
        assert!(world.write(|tx| pending_sign_ins::delete(tx, "y")));
        assert!(!world.write(|tx| pending_sign_ins::delete(tx, "y")));
        world.wait_for_code(ann, "y");
        world.write(move |tx| pending_sign_ins::delete_of_account(tx, ann));
        assert_eq!((world.waits("y"), world.waits("z")), (None, Some(bob)));
    }

    fn a_sign_in_expires(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        world.wait_for_code(ann, "x");
        let find = |now| {
            let found = world.read(|conn| pending_sign_ins::find(conn, "x", TRIES, now));
            found.map(|pending| pending.account)
        };
        let end = NOW.after(LIFETIME);
        assert_eq!((find(end.before(Duration::from_millis(1))), find(end)), (Some(ann), None));
        assert!(!world.write(move |tx| pending_sign_ins::count_try(&mut tx.at(end), "x", TRIES)));
        // The next one of the account deletes it.
        world.write(move |tx| pending_sign_ins::insert(&mut tx.at(end), "y", ann, None, end.after(LIFETIME)));
        assert_eq!(find(NOW), None);
    }

    fn a_user_is_warned_once_in_a_while(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        let warn = |since| world.write(move |tx| second_factors::begin_warning(tx, ann, since));
        let day = Duration::from_hours(24);
        assert!(!warn(NOW.before(day)), "there is no second factor");
        world.give_factor(ann);
        assert_eq!(successes(|| warn(NOW.before(day))), 1);
        assert!(!warn(NOW) && warn(NOW.after(Duration::from_millis(1))));
    }

    fn sign_ins_and_sessions_know_of_the_second_factor(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        world.write(move |tx| {
            let new = NewSession {
                token_hash: "x", account: ann, user_agent: "", ip: "192.0.2.1", restricted: false,
                silent: false,
            };
            sessions::insert(tx, &new, NOW.before(LIFETIME), 9)
        });
        let known = || {
            let by_login = |login| {
                world.read(|conn| users::find_by_login(conn, login)).unwrap().has_second_factor
            };
            let session = world.read(|conn| sessions::find_by_hash(conn, "x", NOW.before(LIFETIME)));
            [
                by_login(Login::Email("ann@mail.test")),
                by_login(Login::Username("ann")),
                session.unwrap().has_second_factor,
            ]
        };
        assert_eq!(known(), [false; 3]);
        world.give_factor(ann);
        assert_eq!(known(), [true; 3]);
    }
}
