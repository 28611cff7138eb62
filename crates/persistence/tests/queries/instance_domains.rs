//! Domain blocks and allows, the accounts that blocks limit, and query plans.

use siskin_entities::{
    Cursor, DomainBlockEffect, DomainLimits, DomainSeverity, InstanceDomainBlock, PageRequest,
    Visibility,
};
use siskin_ids::{AccountId, InstanceDomainAllowId, InstanceDomainBlockId};
use siskin_persistence::{
    accounts::{self, Decision},
    instance_domains::{self as domains, NewBlock},
};
use siskin_test_support::{both_engines, standing};

use crate::{
    plans::{plans, reads_all, sorts},
    world::World,
};

const PAGE: PageRequest =
    PageRequest { cursor: Cursor { max: None, since: None, min: None }, limit: 2 };

fn new_block(domain: &str, severity: DomainSeverity) -> NewBlock {
    NewBlock {
        domain: domain.to_owned(),
        digest: "ab".to_owned(),
        limits: DomainLimits { severity, reject_media: true, reject_reports: false },
        private_comment: Some("\"quoted\" ü".to_owned()),
        public_comment: None,
        obfuscate: true,
    }
}

impl World {
    fn insert_block(&self, domain: &str, severity: DomainSeverity) -> Option<InstanceDomainBlock> {
        let new = new_block(domain, severity);
        self.write(move |tx| domains::insert(tx, &new))
    }

    fn remote_at(&self, username: &'static str, domain: &'static str) -> AccountId {
        self.write(move |tx| standing::remote_account(tx, username, domain))
    }

    fn limit(&self, ids: &[AccountId], severity: DomainSeverity) {
        let ids = ids.to_vec();
        self.write(move |tx| domains::limit(tx, &ids, severity));
    }

    fn decide(&self, account: AccountId, decision: Decision) -> bool {
        self.write(move |tx| accounts::decide(tx, account, decision))
    }

    /// Returns whether an account is suspended, and whether it is silenced.
    fn state(&self, account: AccountId) -> (bool, bool) {
        let state = self.read(|conn| accounts::find(conn, account)).unwrap().state;
        (state.suspended, state.silenced)
    }
}

both_engines! {
    fn blocks_are_read_as_written(database: &TestDatabase) {
        let world = World::on(database);
        let first = world.insert_block("a.test", DomainSeverity::Suspend).unwrap();
        assert_eq!(world.insert_block("a.test", DomainSeverity::Noop), None);
        let id = first.id;
        assert_eq!(world.read(|conn| domains::find(conn, id)), Some(first.clone()));
        assert_eq!(world.write(move |tx| domains::lock(tx, id)), Some(first.clone()));
        let mut changed = first.clone();
        changed.limits.severity = DomainSeverity::Silence;
        (changed.private_comment, changed.public_comment) = (None, Some("Spam".to_owned()));
        changed.obfuscate = false;
        let update = changed.clone();
        world.write(move |tx| domains::update(tx, &update));
        assert_eq!(world.read(|conn| domains::find(conn, id)), Some(changed.clone()));
        let second = world.insert_block("b.test", DomainSeverity::Noop).unwrap();
        let third = world.insert_block("c.test", DomainSeverity::Suspend).unwrap();
        let page = world.read(|conn| domains::list(conn, PAGE));
        assert_eq!(page.items, [third.clone(), second.clone()]);
        let after = world.read(|conn| domains::blocks_after(conn, Some(id), 9));
        assert_eq!(after, [second.clone(), third.clone()]);
        let mut covering = world.read(|conn| domains::covering(conn, ["b.test", "a.test", "x"]));
        covering.sort_by_key(|block| block.id);
        assert_eq!(covering, [changed.clone(), second.clone()]);
        let mut effective = world.read(domains::with_effect);
        effective.sort_by_key(|block| block.id);
        assert_eq!(effective, [changed, third]);
        assert!(world.write(move |tx| domains::delete(tx, id)));
        assert!(!world.write(move |tx| domains::delete(tx, id)));
        assert_eq!(world.write(move |tx| domains::lock(tx, id)), None);
    }

    fn an_allowed_domain_has_one_record(database: &TestDatabase) {
        let world = World::on(database);
        let allow = |domain: &'static str| world.write(move |tx| domains::allow(tx, domain));
        let first = allow("a.test").unwrap();
        assert_eq!(allow("a.test"), None);
        let second = allow("b.test").unwrap();
        let id = first.id;
        assert_eq!(world.read(|conn| domains::find_allow(conn, id)), Some(first.clone()));
        assert_eq!(world.read(|conn| domains::find_allow_of(conn, "b.test")), Some(second.clone()));
        assert_eq!(world.read(|conn| domains::find_allow_of(conn, "c.test")), None);
        let page = world.read(|conn| domains::list_allows(conn, PAGE));
        assert_eq!(page.items, [second.clone(), first]);
        assert_eq!(world.read(|conn| domains::allows_after(conn, Some(id), 9)), [second]);
        assert!(world.write(move |tx| domains::delete_allow(tx, id)));
        assert!(!world.write(move |tx| domains::delete_allow(tx, id)));
    }

    fn known_domains_are_found_in_steps(database: &TestDatabase) {
        let world = World::on(database);
        world.person("ann");
        let mut expected = Vec::new();
        for (name, domain) in
            [("a", "b.test"), ("b", "b.test"), ("c", "a.test"), ("d", "c.test"), ("e", "a.b.test")]
        {
            world.remote_at(name, domain);
            expected.push(domain.to_owned());
        }
        expected.sort_unstable();
        expected.dedup();
        let (mut found, mut after) = (Vec::new(), String::new());
        loop {
            let some = world.read(|conn| domains::domains_after(conn, &after, 2));
            let Some(last) = some.last() else { break };
            assert!(some.len() <= 2);
            after.clone_from(last);
            found.extend(some);
        }
        found.sort_unstable();
        assert_eq!(found, expected);
    }

    fn accounts_of_a_domain_are_found_in_steps(database: &TestDatabase) {
        let world = World::on(database);
        world.person("ann");
        let all: Vec<AccountId> =
            ["a", "b", "c"].into_iter().map(|name| world.remote_at(name, "b.test")).collect();
        world.remote_at("d", "a.b.test");
        let of = |after, limit| world.read(|conn| domains::accounts_of(conn, "b.test", after, limit));
        assert_eq!(of(None, 9), all);
        assert_eq!(of(None, 2), all[..2]);
        assert_eq!(of(Some(all[1]), 2), all[2..]);
        assert_eq!(world.read(|conn| domains::accounts_of(conn, "x.test", None, 9)), []);
    }

    fn a_limit_and_its_end_keep_what_staff_decided(database: &TestDatabase) {
        let world = World::on(database);
        let [plain, silenced, suspended] =
            ["a", "b", "c"].map(|name| world.remote_at(name, "b.test"));
        world.decide(silenced, Decision::Silenced(true));
        world.decide(suspended, Decision::Suspended(true));
        let all = [plain, silenced, suspended];
        let states = || all.map(|account| world.state(account));
        let before = states();
        for severity in [
            DomainSeverity::Suspend,
            DomainSeverity::Silence,
            DomainSeverity::Silence,
            DomainSeverity::Suspend,
        ] {
            world.limit(&all, severity);
            let expected = if severity == DomainSeverity::Suspend {
                [(true, false), (true, true), (true, false)]
            } else {
                [(false, true), (false, true), (true, true)]
            };
            assert_eq!(states(), expected, "{severity:?}");
        }
        world.limit(&all, DomainSeverity::Noop);
        assert_eq!(states(), before);
        world.limit(&all, DomainSeverity::Noop);
        assert_eq!(states(), before);
    }

    fn decisions_during_a_limit_last(database: &TestDatabase) {
        let world = World::on(database);
        let account = world.remote_at("a", "b.test");
        world.limit(&[account], DomainSeverity::Suspend);
        assert!(!world.decide(account, Decision::Suspended(false)));
        assert_eq!(world.state(account), (true, false));
        assert!(world.decide(account, Decision::Silenced(true)));
        assert!(world.decide(account, Decision::Suspended(true)));
        assert!(!world.decide(account, Decision::Suspended(true)));
        assert!(world.decide(account, Decision::Suspended(false)));
        assert_eq!(world.state(account), (true, true));
        let ending = world.read(|conn| accounts::ending(conn, account));
        assert_eq!(ending.suspended_at, None, "the block does not delete the account");
        world.limit(&[account], DomainSeverity::Noop);
        assert_eq!(world.state(account), (false, true));
        assert!(world.decide(account, Decision::Silenced(false)));
        assert_eq!(world.state(account), (false, false));
    }

    fn a_limit_takes_a_fixed_number_of_statements(database: &TestDatabase) {
        let world = World::on(database);
        let all: Vec<AccountId> = ["a", "b", "c", "d", "e", "f"]
            .into_iter()
            .map(|name| world.remote_at(name, "b.test"))
            .collect();
        let one = world.statements(|world| world.limit(&all[..1], DomainSeverity::Suspend));
        let many = world.statements(|world| world.limit(&all[1..], DomainSeverity::Suspend));
        assert_eq!(one, many);
    }

    fn the_effect_of_a_block_is_counted(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, bob) = (world.person("ann"), world.person("bob"));
        let (zoe, yan) = (world.remote_at("zoe", "b.test"), world.remote_at("yan", "a.b.test"));
        let xia = world.remote_at("xia", "c.test");
        for (from, to) in [(ann, zoe), (bob, zoe), (ann, yan), (zoe, ann), (zoe, yan), (ann, xia)] {
            world.follow(from, to);
        }
        world.status(zoe, Visibility::Public, &[]);
        let effect = |list: &[&str], severity| {
            let list: Vec<String> = list.iter().map(|it| (*it).to_owned()).collect();
            world.read(|conn| domains::effect(conn, &list, severity))
        };
        let both = effect(&["b.test", "a.b.test"], DomainSeverity::Suspend);
        let expected = DomainBlockEffect { accounts: 2, follows: 3, followers: 1, statuses: 0 };
        assert_eq!(both, expected);
        let silenced = effect(&["b.test"], DomainSeverity::Silence);
        assert_eq!(silenced, DomainBlockEffect { accounts: 1, ..DomainBlockEffect::default() });
        assert_eq!(effect(&[], DomainSeverity::Suspend), DomainBlockEffect::default());
        world.limit(&[yan], DomainSeverity::Suspend);
        assert_eq!(effect(&["a.b.test"], DomainSeverity::Suspend).follows, 0);
    }

    fn domains_are_read_by_indexes(database: &TestDatabase) {
        let world = World::on(database);
        let block = world.insert_block("b.test", DomainSeverity::Suspend).unwrap();
        let listed = ["b.test".to_owned()];
        let plans = plans(database, |conn| {
            domains::find(conn, block.id)?;
            domains::covering(conn, ["b.test"])?;
            domains::list(conn, PAGE)?;
            domains::blocks_after(conn, Some(InstanceDomainBlockId::new(1)), 9)?;
            domains::with_effect(conn)?;
            domains::find_allow(conn, InstanceDomainAllowId::new(1))?;
            domains::find_allow_of(conn, "b.test")?;
            domains::list_allows(conn, PAGE)?;
            domains::allows_after(conn, None, 9)?;
            domains::domains_after(conn, "", 9)?;
            domains::accounts_of(conn, "b.test", None, 9)?;
            domains::effect(conn, &listed, DomainSeverity::Suspend)
        });
        assert_eq!(plans.len(), 14);
        for plan in plans {
            assert!(!reads_all(&plan) && !sorts(&plan), "{plan}");
        }
    }

    // An index of domains would lead to all accounts of a server.
    fn a_handle_is_found_by_the_index_of_handles(database: &TestDatabase) {
        let world = World::on(database);
        world.remote_at("zoe", "b.test");
        let plans = plans(database, |conn| accounts::find_by_handle(conn, "zoe", Some("b.test")));
        assert!(plans[0].contains("accounts_handle"), "{}", plans[0]);
        let found = world.read(|conn| accounts::find_by_handle(conn, "zoe", Some("b.test")));
        assert!(found.is_some());
        let other = world.read(|conn| accounts::find_by_handle(conn, "zoe", Some("a.test")));
        assert!(other.is_none());
    }
}
