//! Activity by week, known servers, staff, and texts about the instance.

use siskin_entities::{TextName, Visibility, Week, time::Date};
use siskin_ids::first_id_at;
use siskin_persistence::{
    activity::{self, StoredWeek},
    instance_texts, peers, staff,
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all},
    world::{NOW, World},
};

fn range() -> (i64, i64) {
    let week = Week::of(NOW);
    (first_id_at(week.start().unix_ms()), first_id_at(week.end().unix_ms()))
}

both_engines! {
    fn local_public_and_unlisted_statuses_are_counted(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, zoe) = (world.person("alice"), world.remote("zoe"));
        for visibility in Visibility::ALL {
            world.status(alice, visibility, &[]);
            world.status(zoe, visibility, &[]);
        }
        let (from, to) = range();
        let count = |from, to| world.read(|conn| activity::count_statuses(conn, from, to));
        assert_eq!((count(from, to), count(from - 9, from), count(to, i64::MAX)), (2, 0, 0));
        let first = world.read(|conn| activity::first_status(conn, from, to)).unwrap();
        assert_eq!(count(first, to), 2);
        assert_eq!(count(first + 1, to), 1);
        assert_eq!(world.read(|conn| activity::first_status(conn, from, first)), None);
    }

    fn counted_statuses_are_added_once(database: &TestDatabase) {
        let world = World::on(database);
        let week = Week::of(NOW);
        let (from, to) = range();
        let new = StoredWeek { week, statuses: 0, counted_to: from, logins: 3 };
        world.write(move |tx| activity::insert(tx, new));
        world.write(move |tx| activity::insert(tx, StoredWeek { logins: 9, ..new }));
        for _ in 0..2 {
            world.write(move |tx| activity::add_statuses(tx, week, (from, to), 7));
        }
        let stored = world.read(|conn| activity::weeks(conn, week.before(5)));
        assert_eq!(stored, [StoredWeek { statuses: 7, counted_to: to, ..new }]);
        assert_eq!(world.read(|conn| activity::weeks(conn, week.before(-1))), []);
    }

    fn registrations_are_grouped_by_week(database: &TestDatabase) {
        let world = World::on(database);
        world.person("alice");
        world.person("bob");
        world.remote("zoe");
        let week = Week::of(NOW);
        for before in [0, 3] {
            let counted = world.read(|conn| activity::registrations(conn, week.before(before)));
            assert_eq!(counted, [(week, 2)]);
        }
        assert_eq!(world.read(|conn| activity::registrations(conn, week.before(-1))), []);
    }

    fn each_domain_is_a_peer_once(database: &TestDatabase) {
        let world = World::on(database);
        assert_eq!(world.read(peers::domains), [""; 0]);
        world.person("alice");
        world.remote("zoe");
        world.remote("zac");
        assert_eq!(world.read(peers::domains), ["far.test"]);
    }

    fn staff_have_a_highlighted_role(database: &TestDatabase) {
        let world = World::on(database);
        let [alice, bob, _] = ["alice", "bob", "carl"].map(|name| world.person(name));
        assert_eq!(world.read(|conn| staff::highlighted(conn, 9)), []);
        database.execute(&format!("UPDATE users SET role_id = 1 WHERE account_id = {}", alice.get()));
        database.execute(&format!("UPDATE users SET role_id = 3 WHERE account_id = {}", bob.get()));
        assert_eq!(world.read(|conn| staff::highlighted(conn, 9)), [bob, alice]);
        assert_eq!(world.read(|conn| staff::highlighted(conn, 1)), [bob]);
        database.execute("UPDATE roles SET highlighted = FALSE WHERE id = 3");
        assert_eq!(world.read(|conn| staff::highlighted(conn, 9)), [alice]);
    }

    fn a_text_changes_only_if_it_is_different(database: &TestDatabase) {
        let world = World::on(database);
        let name = TextName::PrivacyPolicy;
        let set = |text: &'static str| world.write(move |tx| instance_texts::set(tx, name, text));
        let remove = || world.write(move |tx| instance_texts::remove(tx, name));
        assert_eq!(world.read(|conn| instance_texts::find(conn, name)), None);
        assert_eq!((set("One"), set("One"), set("Two")), (true, false, true));
        let found = world.read(|conn| instance_texts::find(conn, name)).unwrap();
        assert_eq!((found.text.as_str(), found.updated_at), ("Two", NOW));
        assert_eq!((remove(), remove()), (true, false));
    }

    fn terms_are_ordered_by_date(database: &TestDatabase) {
        let world = World::on(database);
        let day = |text: &str| Date::parse(text).unwrap();
        let (first, last) = (day("2026-11-27"), day("2027-01-01"));
        let in_effect = || world.read(|conn| instance_texts::any_terms_in_effect(conn, NOW));
        let set = |date: Date, text: &'static str| {
            world.write(move |tx| instance_texts::set_terms(tx, date, text))
        };
        assert!(set(last, "Last") && !in_effect());
        assert!(set(first, "First") && in_effect());
        assert!(!set(first, "First"));
        assert_eq!(world.read(instance_texts::terms_dates), [first, last]);
        let texts = world.read(instance_texts::terms).into_iter().map(|one| one.text.text);
        assert_eq!(texts.collect::<Vec<_>>(), ["First", "Last"]);
        assert!(world.write(move |tx| instance_texts::remove_terms(tx, first)) && !in_effect());
        assert!(!world.write(move |tx| instance_texts::remove_terms(tx, first)));
    }

    fn no_query_reads_a_whole_table(database: &TestDatabase) {
        let world = World::on(database);
        world.status(world.person("alice"), Visibility::Public, &[]);
        world.remote("zoe");
        let week = Week::of(NOW);
        let all = plans(database, |conn| {
            activity::weeks(conn, week)?;
            activity::count_statuses(conn, 1, 9)?;
            activity::first_status(conn, 1, 9)?;
            activity::registrations(conn, week)?;
            activity::count_last_active(conn, week)?;
            peers::domains(conn)?;
            instance_texts::find(conn, TextName::PrivacyPolicy)?;
            instance_texts::any_terms_in_effect(conn, NOW)
        });
        assert_eq!(all.len(), 8);
        let scans: Vec<&String> = all.iter().filter(|plan| reads_all(plan)).collect();
        assert!(scans.is_empty(), "{scans:#?}");
    }
}
