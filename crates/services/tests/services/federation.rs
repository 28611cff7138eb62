//! Keys of actors, and the address of the server in the network.

use siskin_entities::{Actor, Urls};
use siskin_ids::AccountId;
use siskin_persistence::{accounts as account_rows, jobs as job_rows};
use siskin_services::{
    Error,
    accounts::{self, Decision, NewAccount, retired},
    federation::{
        base,
        keys::{self, KeySet, MakeKeys},
    },
    jobs::{self, Job as _},
    settings::{self, FixedSettings},
};
use siskin_test_support::both_engines;

use crate::world::World;

impl World {
    fn keys(&self, account: Option<AccountId>) -> Option<KeySet> {
        self.read(|conn| keys::load(conn, account))
    }

    fn make_keys(&self, account: Option<AccountId>) -> KeySet {
        let new = keys::generate().unwrap();
        self.write(move |tx| keys::store(tx, account, &new)).unwrap()
    }

    /// Returns the waiting jobs that make keys.
    fn waiting(&self) -> Vec<MakeKeys> {
        let payloads = self.read(|conn| Ok(job_rows::payloads(conn, MakeKeys::KIND)?));
        payloads.iter().map(|payload| jobs::read(payload).unwrap()).collect()
    }

    fn set_mode(&self, mode: &'static str) {
        let fixed = FixedSettings::default();
        let key = "federation.mode";
        self.write(move |tx| settings::set(tx, Actor::Operator, &fixed, key, mode)).unwrap();
    }
}

both_engines! {
    fn stored_keys_sign_and_belong_to_their_actor(database: &TestDatabase) {
        let world = World::on(database);
        let ann = Some(world.person("ann").id);
        assert_eq!(world.keys(ann), None);
        let first = world.make_keys(ann);
        let server = world.make_keys(None);
        assert_eq!(world.make_keys(ann), first);
        assert_eq!(world.keys(ann).as_ref(), Some(&first));
        assert_eq!(world.keys(None).as_ref(), Some(&server));
        assert_ne!(first, server);
        for set in [&first, &server] {
            let rsa = world.read(|conn| keys::private(conn, &set.rsa));
            assert_eq!(rsa.public().to_pem(), set.rsa.public);
            let ed25519 = world.read(|conn| keys::private(conn, &set.ed25519));
            assert_eq!(ed25519.public().to_multibase(), set.ed25519.public);
        }
        let gone = Some(AccountId::new(1));
        let new = keys::generate().unwrap();
        let refused = world.write(move |tx| keys::store(tx, gone, &new));
        assert!(matches!(refused, Err(Error::NotFound)));
    }

    fn a_job_makes_the_keys_that_are_missing(database: &TestDatabase) {
        let world = World::on(database);
        let people: Vec<_> = (0..10).map(|n| world.person(&format!("a{n}")).id).collect();
        assert_eq!(world.waiting(), []);
        world.set_mode("off");
        assert_eq!(world.waiting(), []);
        world.set_mode("allowed");
        world.set_mode("open");
        let waiting = world.waiting();
        assert_eq!(waiting.len(), 1);
        let missing = |job: &MakeKeys| world.read(|conn| keys::missing(conn, job));
        let first = missing(&waiting[0]);
        let with_server = |some: &[AccountId]| -> Vec<Option<AccountId>> {
            std::iter::once(None).chain(some.iter().copied().map(Some)).collect()
        };
        assert_eq!(first.actors, with_server(&people[..8]));
        world.write(move |tx| keys::make_rest(tx, &first)).unwrap();
        // Those of the first job come again until they are stored.
        let rest = world.waiting().into_iter().find(|job| *job != waiting[0]).unwrap();
        let rest = missing(&rest);
        assert_eq!(rest.actors, with_server(&people[8..]));
    }

    fn new_accounts_get_keys_once_the_server_has_some(database: &TestDatabase) {
        let world = World::on(database);
        world.person("ann");
        assert_eq!(world.waiting(), []);
        world.make_keys(None);
        let bob = world.person("bob").id;
        let missing = |job: &MakeKeys| world.read(|conn| keys::missing(conn, job)).actors;
        let of_bob = world.waiting().remove(0);
        assert_eq!(missing(&of_bob), [Some(bob)]);
        let eve = NewAccount::by_operator("eve", "eve@mail.test", "correct horse");
        let eve = world.create(NewAccount { confirmed: false, ..eve }).unwrap().id;
        assert_eq!(world.waiting().len(), 1);
        world.write(move |tx| accounts::decide(tx, eve, Decision::Confirm)).unwrap();
        let of_eve = world.waiting().into_iter().find(|job| *job != of_bob).unwrap();
        assert_eq!(missing(&of_eve), [Some(eve)]);
        world.make_keys(Some(eve));
        assert!(missing(&of_eve).is_empty());
    }

    fn the_address_is_fixed_when_a_document_leaves(database: &TestDatabase) {
        let world = World::on(database);
        let here = world.instance.urls.clone();
        let moved = Urls::new("http://other.test", "siskin.test", "");
        let renamed = Urls::new("http://siskin.test", "other.test", "");
        let check = |urls: &Urls| world.read(|conn| Ok(base::check(conn, urls)));
        assert!(!world.read(base::is_fixed));
        for urls in [&here, &moved, &renamed] {
            assert!(check(urls).is_ok());
        }
        let fixed = here.clone();
        world.write(move |tx| base::fix(tx, &fixed)).unwrap();
        let later = moved.clone();
        world.write(move |tx| base::fix(tx, &later)).unwrap();
        assert!(world.read(base::is_fixed));
        assert!(check(&here).is_ok());
        for urls in [&moved, &renamed] {
            assert!(matches!(check(urls), Err(Error::Conflict(_))));
        }
    }

    fn names_that_other_servers_know_are_never_free_again(database: &TestDatabase) {
        let world = World::on(database);
        let delete = |name: &str| {
            let account = world.person(name).id;
            while !world.write(move |tx| Ok(account_rows::remove_some(tx, account)?)).unwrap() {}
        };
        delete("ann");
        delete("bob");
        world.write(|tx| retired::release(tx, "ann")).unwrap();
        let here = world.instance.urls.clone();
        world.write(move |tx| base::fix(tx, &here)).unwrap();
        for name in ["bob", "@Bob"] {
            let refused = world.write(move |tx| retired::release(tx, name));
            assert!(matches!(refused, Err(Error::Conflict(_))), "{name}");
        }
        let unknown = world.write(|tx| retired::release(tx, "eve"));
        assert!(matches!(unknown, Err(Error::Invalid(_))));
        let bob = NewAccount::by_operator("Bob", "b@mail.test", "correct horse");
        assert!(matches!(world.create(bob), Err(Error::InvalidFields(_))));
        world.person("ann");
    }
}
