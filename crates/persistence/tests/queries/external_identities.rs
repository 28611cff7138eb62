//! Logins at external providers.

use std::{thread, time::Duration};

use siskin_ids::AccountId;
use siskin_persistence::{
    accounts::{self, Decision},
    external_identities as identities,
    pending_sign_ins::{self, PendingSignIn},
    second_factors,
};
use siskin_test_support::both_engines;

use crate::world::{NOW, World};

const HERE: &str = "https://id.test";
const THERE: &str = "https://other.test";

impl World {
    fn link_login(&self, account: AccountId, issuer: &'static str, subject: &'static str) -> bool {
        self.write(move |tx| identities::insert(tx, account, issuer, subject))
    }

    fn linked(&self, issuer: &str, subject: &str) -> Option<identities::LinkedUser> {
        self.read(|conn| identities::find(conn, issuer, subject))
    }

    fn issuers(&self, account: AccountId) -> Vec<String> {
        let found = self.read(|conn| identities::of_account(conn, account));
        found.into_iter().map(|identity| identity.issuer).collect()
    }
}

both_engines! {
    fn a_login_belongs_to_one_account(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        assert!(world.link_login(ann, HERE, "7"));
        assert!(!world.link_login(bob, HERE, "7"), "the login of another account");
        assert!(!world.link_login(ann, HERE, "8"), "a second login at the provider");
        assert!(world.link_login(ann, THERE, "7") && world.link_login(bob, HERE, "8"));
        assert_eq!(world.linked(HERE, "7").unwrap().owner.account, ann);
        assert_eq!(world.linked(HERE, "8").unwrap().owner.account, bob);
        assert_eq!(world.linked(THERE, "8"), None);
        for (those, issuers, expected) in [
            (vec![ann], vec![THERE], true),
            (vec![bob], vec![THERE], false),
            (vec![bob, ann], vec!["https://gone.test", THERE], true),
            (vec![ann, bob], vec!["https://gone.test"], false),
            (vec![], vec![HERE], false),
            (vec![ann], vec![], false),
        ] {
            let names: Vec<String> = issuers.iter().map(|issuer| (*issuer).to_owned()).collect();
            let found = world.read(|conn| identities::any_linked(conn, &those, &names));
            assert_eq!(found, expected, "{those:?} {issuers:?}");
        }
        assert_eq!((world.issuers(ann), world.issuers(bob)), (vec![HERE.to_owned(), THERE.to_owned()], vec![HERE.to_owned()]));
        assert!(world.write(move |tx| identities::delete(tx, ann, HERE)));
        assert!(!world.write(move |tx| identities::delete(tx, ann, HERE)));
        assert_eq!((world.linked(HERE, "7"), world.issuers(ann)), (None, vec![THERE.to_owned()]));
        assert!(!world.link_login(bob, HERE, "7") && world.link_login(ann, HERE, "7"));
    }

    fn sign_ins_that_wait_end_with_a_login(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        world.link_login(ann, HERE, "7");
        let wait = |account, hash| {
            let until = NOW.after(Duration::from_mins(10));
            world.write(move |tx| pending_sign_ins::insert(tx, hash, account, Some(HERE), until));
        };
        let waits = |hash| world.read(|conn| pending_sign_ins::find(conn, hash, 5, NOW));
        wait(ann, "x");
        wait(bob, "y");
        let pending = PendingSignIn { account: ann, issuer: Some(HERE.to_owned()) };
        assert_eq!(waits("x"), Some(pending));
        assert!(world.write(move |tx| identities::delete(tx, ann, HERE)));
        assert_eq!(waits("x"), None);
        world.link_login(ann, HERE, "7");
        wait(ann, "z");
        assert!(world.write(move |tx| identities::delete_of_account(tx, ann)));
        assert!(waits("z").is_none() && waits("y").is_some());
    }

    fn of_parallel_links_one_counts(database: &TestDatabase) {
        let world = World::on(database);
        let people = ["ann", "bob", "cat", "dan"].map(|name| world.person(name));
        let linked: usize = thread::scope(|scope| {
            let link = |account| world.link_login(account, HERE, "7");
            let threads: Vec<_> =
                people.iter().cycle().take(20).map(|account| scope.spawn(move || link(*account))).collect();
            threads.into_iter().map(|it| usize::from(it.join().unwrap())).sum()
        });
        assert_eq!(linked, 1);
        assert!(people.contains(&world.linked(HERE, "7").unwrap().owner.account));
    }

    fn the_state_of_the_user_is_known(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        world.link_login(ann, HERE, "7");
        let found = world.linked(HERE, "7").unwrap();
        assert!(found.owner.confirmed && found.owner.approved && !found.has_second_factor && !found.is_gone);
        world.write(move |tx| second_factors::insert(tx, ann, "sealed", 5));
        world.write(move |tx| accounts::decide(tx, ann, Decision::Suspended(true)));
        let found = world.linked(HERE, "7").unwrap();
        assert!(found.owner.suspended && found.has_second_factor && !found.is_gone);
        world.write(move |tx| accounts::begin_deletion(tx, ann));
        assert!(world.linked(HERE, "7").unwrap().is_gone);
    }

    fn a_login_knows_its_last_use_and_is_deleted_with_the_account(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        world.link_login(ann, HERE, "7");
        world.link_login(bob, HERE, "8");
        let later = NOW.after(Duration::from_hours(1));
        world.write(move |tx| identities::touch(&mut tx.at(later), ann, HERE));
        let found = world.read(|conn| identities::of_account(conn, ann));
        assert_eq!((found[0].linked_at, found[0].last_used_at), (NOW, later));
        assert_eq!(world.read(|conn| identities::of_account(conn, bob))[0].last_used_at, NOW);
        while !world.write(move |tx| accounts::remove_some(tx, ann)) {}
        assert_eq!(world.linked(HERE, "7"), None);
        assert!(world.linked(HERE, "8").is_some());
    }
}
