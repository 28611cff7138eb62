//! Lists of accounts for staff: each filter, the addresses of users, rejected sign-ups, and query
//! plans.

use siskin_entities::{AccountOrigin, AdminAccountState, Cursor, PageRequest, Timestamp};
use siskin_ids::{AccountId, RoleId};
use siskin_persistence::{
    accounts::{self, Decision, NewUser},
    admin_accounts::{self, AdminFilter, Identity, Notices},
    roles,
    sessions::{self, NewSession},
    users,
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all, sorts},
    world::{NOW, World},
};

const PAGE: PageRequest = PageRequest::newest(100);

/// A sign-up.
#[derive(Clone, Copy)]
struct Sign {
    approved: bool,
    ip: Option<&'static str>,
    display_name: &'static str,
}

const WAITING: Sign = Sign { approved: false, ip: None, display_name: "" };
const ADMITTED: Sign = Sign { approved: true, ..WAITING };

impl World {
    /// Inserts the user of a new local account.
    fn signed_up(&self, username: &'static str, sign: Sign) -> AccountId {
        self.write(move |tx| {
            let new = accounts::NewAccount {
                id: None,
                username,
                username_key: username,
                domain: None,
                search_text: &format!("{username}\n{}", sign.display_name),
                uri: &format!("http://siskin.test/{username}"),
                url: "",
                protocol: siskin_entities::Protocol::Local,
                reachable: sign.approved,
            };
            let account = accounts::insert(tx, &new)?.unwrap();
            let user = NewUser {
                account,
                email: &format!("{username}@Mail.test"),
                email_key: &format!("{username}@mail.test"),
                password_hash: "",
                role: None,
                locale: Some("de"),
                confirmed: true,
                approved: sign.approved,
                sign_up_reason: Some("I like birds"),
                sign_up_ip: sign.ip,
                application: None,
            };
            assert!(accounts::insert_user(tx, &user)?);
            Ok(account)
        })
    }

    fn listed(&self, filter: &AdminFilter) -> Vec<AccountId> {
        self.read(|conn| admin_accounts::list(conn, filter, PAGE)).items
    }

    fn used(&self, account: AccountId) -> Vec<String> {
        let found = self.read(|conn| admin_accounts::load(conn, &[account]));
        let ips = found[&account].user.as_ref().unwrap().ips.iter();
        ips.map(|used| used.ip.to_string()).collect()
    }

    fn sign_in(&self, account: AccountId, ip: String, at: i64) {
        self.write(move |tx| {
            let mut tx = tx.at(Timestamp::from_unix_ms(NOW.unix_ms() + at));
            let hash = format!("{account} {ip} {at}");
            let new = NewSession {
                token_hash: &hash,
                account,
                user_agent: "",
                ip: &ip,
                restricted: false,
                silent: false,
            };
            sessions::insert(&mut tx, &new, NOW, 100)
        });
    }
}

fn state(state: AdminAccountState) -> AdminFilter {
    AdminFilter { state: Some(state), ..AdminFilter::default() }
}

fn at(network: &str) -> AdminFilter {
    AdminFilter { network: Some(network.parse().unwrap()), ..AdminFilter::default() }
}

both_engines! {
    fn filters_select_by_origin_and_state(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, zoe) = (world.person("ann"), world.remote("zoe"));
        let bob = world.signed_up("bob", WAITING);
        let cem = world.person("cem");
        world.write(move |tx| {
            accounts::decide(tx, ann, Decision::Suspended(true))?;
            accounts::decide(tx, zoe, Decision::Silenced(true))?;
            accounts::decide(tx, zoe, Decision::Sensitized(true))?;
            accounts::decide(tx, cem, Decision::Disabled(true))
        });
        assert_eq!(world.listed(&AdminFilter::default()), [cem, bob, zoe, ann]);
        let origin = |origin| AdminFilter { origin: Some(origin), ..AdminFilter::default() };
        assert_eq!(world.listed(&origin(AccountOrigin::Local)), [cem, bob, ann]);
        assert_eq!(world.listed(&origin(AccountOrigin::Remote)), [zoe]);
        for (wanted, found) in [
            (AdminAccountState::Active, vec![cem, bob, zoe]),
            (AdminAccountState::Pending, vec![bob]),
            (AdminAccountState::Disabled, vec![cem]),
            (AdminAccountState::Sensitized, vec![zoe]),
            (AdminAccountState::Silenced, vec![zoe]),
            (AdminAccountState::Suspended, vec![ann]),
            (AdminAccountState::Rejected, vec![]),
        ] {
            assert_eq!(world.listed(&state(wanted)), found, "{wanted:?}");
        }
        let both = AdminFilter {
            origin: Some(AccountOrigin::Local), ..state(AdminAccountState::Silenced)
        };
        assert_eq!(world.listed(&both), []);
        world.write(move |tx| accounts::decide(tx, cem, Decision::Suspended(true)));
        assert_eq!(world.listed(&state(AdminAccountState::Disabled)), []);
    }

    fn filters_select_by_names_and_roles(database: &TestDatabase) {
        let world = World::on(database);
        let (ann, anna) = (world.person("ann"), world.person("anna"));
        let shown = Sign { display_name: "an %_\\ owl", ..ADMITTED };
        let (joanna, zoe) = (world.signed_up("joanna", shown), world.remote("zoe"));
        let username = |name: &str| AdminFilter {
            username: Some(name.to_owned()), ..AdminFilter::default()
        };
        assert_eq!(world.listed(&username("ann")), [anna, ann]);
        assert_eq!(world.listed(&username("anna")), [anna]);
        assert_eq!(world.listed(&username("z")), [zoe]);
        assert_eq!(world.listed(&username("an%")), []);
        let shown = |name: &str| AdminFilter {
            display_name: Some(name.to_owned()), ..AdminFilter::default()
        };
        for name in ["a", "an", "an %", "an %_\\", "an %_\\ owl"] {
            assert_eq!(world.listed(&shown(name)), [joanna], "{name}");
        }
        assert_eq!(world.listed(&shown("owl")), []);
        assert_eq!(world.listed(&shown("an __")), []);
        let email = |email: &str| AdminFilter {
            email: Some(email.to_owned()), ..AdminFilter::default()
        };
        assert_eq!(world.listed(&email("anna@mail.test")), [anna]);
        assert_eq!(world.listed(&email("ann")), [anna, ann]);
        assert_eq!(world.listed(&email("nobody")), []);
        let domain = AdminFilter { domain: Some("far.test".to_owned()), ..AdminFilter::default() };
        assert_eq!(world.listed(&domain), [zoe]);
        let role = world.read(|conn| roles::find_by_name(conn, "Moderator")).unwrap();
        world.write(move |tx| accounts::set_role(tx, ann, Some(role)));
        let with = |roles: &[RoleId]| AdminFilter {
            roles: Some(roles.to_vec()), ..AdminFilter::default()
        };
        assert_eq!(world.listed(&with(&[role, RoleId::new(7)])), [ann]);
        assert_eq!(world.listed(&with(&[])), []);
        let invited = AdminFilter { invited_by: Some(ann), ..AdminFilter::default() };
        assert_eq!(world.listed(&invited), []);
    }

    fn a_network_selects_by_all_addresses(database: &TestDatabase) {
        let world = World::on(database);
        let sign = |ip| Sign { ip: Some(ip), ..ADMITTED };
        let (ann, bob) =
            (world.signed_up("ann", sign("192.0.2.7")), world.signed_up("bob", sign("2001:db8::1")));
        world.sign_in(ann, "198.51.100.1".to_owned(), 5);
        world.sign_in(ann, "no address".to_owned(), 6);
        world.sign_in(bob, "2001:db8::1".to_owned(), 7);
        assert_eq!(world.used(ann), ["198.51.100.1", "192.0.2.7"]);
        assert_eq!(world.used(bob), ["2001:db8::1"]);
        for (network, found) in [
            ("192.0.2.0/24", vec![ann]),
            ("192.0.2.7", vec![ann]),
            ("192.0.2.8", vec![]),
            ("198.51.0.0/16", vec![ann]),
            ("0.0.0.0/0", vec![ann]),
            ("2001:db8::/32", vec![bob]),
            ("2001:db8::1/128", vec![bob]),
            ("2001:db9::/32", vec![]),
        ] {
            assert_eq!(world.listed(&at(network)), found, "{network}");
        }
        let both = AdminFilter { username: Some("b".to_owned()), ..at("192.0.2.0/24") };
        assert_eq!(world.listed(&both), []);
    }

    fn the_addresses_used_last_are_kept(database: &TestDatabase) {
        let world = World::on(database);
        let ann = world.person("ann");
        for number in 0..25 {
            world.sign_in(ann, format!("192.0.2.{number}"), number);
        }
        world.sign_in(ann, "192.0.2.9".to_owned(), 99);
        let used = world.used(ann);
        assert_eq!((used.len(), used[0].as_str(), used[1].as_str()), (20, "192.0.2.9", "192.0.2.24"));
        assert!(!used.iter().any(|ip| ip == "192.0.2.1"), "{used:?}");
    }

    fn pages_continue_at_their_ends(database: &TestDatabase) {
        let world = World::on(database);
        let all = ["a", "b", "c", "d", "e"].map(|name| world.signed_up(name, WAITING));
        let page = |cursor| {
            let request = PageRequest { cursor, limit: 2 };
            let filter = state(AdminAccountState::Pending);
            world.read(|conn| admin_accounts::list(conn, &filter, request))
        };
        let cursor = |max: Option<AccountId>, min: Option<AccountId>| Cursor {
            max: max.map(AccountId::get), since: None, min: min.map(AccountId::get),
        };
        assert_eq!(page(cursor(None, None)).items, [all[4], all[3]]);
        let next = page(cursor(Some(all[3]), None));
        assert_eq!((next.items.clone(), next.full), (vec![all[2], all[1]], true));
        assert_eq!(page(cursor(Some(all[1]), None)).items, [all[0]]);
        assert_eq!(page(cursor(None, Some(all[0]))).items, [all[2], all[1]]);
    }

    fn a_rejected_sign_up_frees_its_name_until_it_is_restored(database: &TestDatabase) {
        let world = World::on(database);
        let sign = Sign { ip: Some("192.0.2.7"), ..WAITING };
        let ann = world.signed_up("ann", sign);
        world.write(move |tx| admin_accounts::reject(tx, ann));
        assert_eq!(world.listed(&AdminFilter::default()), []);
        assert_eq!(world.listed(&state(AdminAccountState::Pending)), []);
        assert_eq!(world.listed(&at("192.0.2.0/24")), []);
        assert_eq!(world.listed(&state(AdminAccountState::Rejected)), [ann]);
        world.read(|conn| {
            assert!(accounts::find_by_handle(conn, "ann", None)?.is_none());
            assert!(users::find_by_email(conn, "ann@mail.test")?.is_none());
            assert!(users::recipient(conn, ann)?.is_none());
            assert!(accounts::local(conn, AccountId::new(0), 9)?.is_empty());
            assert_eq!(accounts::count_not_under(conn, "http://siskin.test")?, 0);
            assert_eq!(admin_accounts::rejected_named(conn, "ann")?, Some(ann));
            assert_eq!(admin_accounts::overdue(conn, NOW, 9)?, []);
            let later = Timestamp::from_unix_ms(NOW.unix_ms() + 1);
            assert_eq!(admin_accounts::overdue(conn, later, 9)?, [ann]);
            Ok(())
        });
        world.write(move |tx| {
            let identity = Identity {
                username_key: "ann",
                email_key: "ann@mail.test",
                uri: "http://siskin.test/ann",
            };
            admin_accounts::restore(tx, ann, &identity)
        });
        assert_eq!(world.listed(&state(AdminAccountState::Pending)), [ann]);
        let found = world.read(|conn| accounts::find_by_handle(conn, "ann", None)).unwrap();
        assert_eq!((found.id, found.uri.as_str()), (ann, "http://siskin.test/ann"));
        // Now the name is free for a second time, and another person takes it.
        world.write(move |tx| admin_accounts::reject(tx, ann));
        let other = world.signed_up("ann", sign);
        assert_eq!(world.listed(&AdminFilter::default()), [other]);
    }

    fn waiting_sign_ups_are_counted_and_the_newest_listed(database: &TestDatabase) {
        let world = World::on(database);
        for name in ["ann", "bob", "cem"] {
            world.signed_up(name, WAITING);
        }
        world.person("dan");
        let (newest, count) = world.read(|conn| admin_accounts::waiting(conn, 2));
        let names: Vec<&str> = newest.iter().map(|one| one.username.as_str()).collect();
        assert_eq!((names, count), (vec!["cem", "bob"], 3));
        assert_eq!(newest[0].reason.as_deref(), Some("I like birds"));
        let count = |most| world.read(|conn| admin_accounts::count_pending(conn, most));
        assert_eq!([count(9), count(2)], [3, 2]);
        let notices = Notices { mailed_at: NOW, due_at: Some(NOW) };
        let before = world.write(admin_accounts::notices);
        assert_eq!(before, Notices { mailed_at: Timestamp::from_unix_ms(0), due_at: None });
        world.write(move |tx| admin_accounts::set_notices(tx, notices));
        assert_eq!(world.write(admin_accounts::notices), notices);
    }

    // Each filter is served by an index. Those that select by a text sort what they select.
    fn no_filter_reads_all_accounts(database: &TestDatabase) {
        drop(World::on(database));
        let text = || Some("ann".to_owned());
        let base = AdminFilter::default;
        let in_order = [
            base(),
            AdminFilter { origin: Some(AccountOrigin::Local), ..base() },
            AdminFilter { origin: Some(AccountOrigin::Remote), ..base() },
            AdminFilter { domain: text(), ..base() },
        ];
        let states = AdminAccountState::ALL.map(state);
        let selecting = [
            AdminFilter { username: text(), ..base() },
            AdminFilter { display_name: text(), ..base() },
            AdminFilter { email: text(), ..base() },
            at("192.0.2.0/24"),
            AdminFilter { roles: Some(vec![RoleId::new(1), RoleId::new(2)]), ..base() },
            AdminFilter { invited_by: Some(AccountId::new(1)), ..base() },
            AdminFilter {
                origin: Some(AccountOrigin::Local), username: text(), email: text(),
                ..state(AdminAccountState::Pending)
            },
        ];
        let cursors = [
            Cursor { max: Some(9), since: None, min: None },
            Cursor { max: None, since: None, min: Some(9) },
        ];
        for filter in in_order.iter().chain(&states).chain(&selecting) {
            for cursor in cursors {
                let request = PageRequest { cursor, limit: 20 };
                let plans = plans(database, |conn| admin_accounts::list(conn, filter, request));
                assert!(!plans.is_empty());
                for plan in plans {
                    assert!(!reads_all(&plan), "{filter:?}: {plan}");
                    assert!(!in_order.contains(filter) || !sorts(&plan), "{filter:?}: {plan}");
                }
            }
        }
        let one = [AccountId::new(1)];
        for plan in plans(database, |conn| admin_accounts::load(conn, &one)) {
            assert!(!reads_all(&plan), "{plan}");
        }
        let others = plans(database, |conn| {
            admin_accounts::sign_up(conn, one[0])?;
            admin_accounts::waiting(conn, 9)?;
            admin_accounts::count_pending(conn, 9)?;
            admin_accounts::overdue(conn, NOW, 9)?;
            admin_accounts::rejected_named(conn, "ann")
        });
        for plan in others {
            assert!(!reads_all(&plan), "{plan}");
        }
    }
}
