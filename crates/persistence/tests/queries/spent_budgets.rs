//! Spent parts of rate limits.

use std::{thread, time::Duration};

use siskin_persistence::spent_budgets::{self, SpentBudget};
use siskin_test_support::both_engines;

use crate::world::{NOW, World};

fn spent(key_hash: &str, spent: u32, seconds: u64) -> SpentBudget {
    let until = NOW.after(Duration::from_secs(seconds));
    SpentBudget { key_hash: key_hash.to_owned(), spent, until }
}

both_engines! {
    fn what_is_spent_is_replaced_and_loaded_until_the_end_of_its_window(database: &TestDatabase) {
        let world = World::on(database);
        let store = |budgets: Vec<SpentBudget>| {
            world.write(move |tx| spent_budgets::store(tx, &budgets));
        };
        let load = |seconds, limit| {
            let now = NOW.after(Duration::from_secs(seconds));
            world.read(|conn| spent_budgets::load(conn, now, limit))
        };
        store(vec![spent("a", 1, 10), spent("b", u32::MAX, 20)]);
        store(vec![spent("a", 2, 10), spent("c", 3, 30)]);
        let all = [spent("a", 2, 10), spent("b", u32::MAX, 20), spent("c", 3, 30)];
        assert_eq!(load(0, 9), all);
        assert_eq!(load(10, 9), all[1..]);
        assert_eq!(load(10, 1), all[1..2]);
        store(Vec::new());
        store(vec![spent("a", 1, 40)]);
        assert_eq!(load(30, 9), [spent("a", 1, 40)]);
    }

    // Each of several processes stores what it has counted itself.
    fn the_larger_number_of_a_window_counts(database: &TestDatabase) {
        let world = World::on(database);
        let store = |budgets: Vec<SpentBudget>| {
            world.write(move |tx| spent_budgets::store(tx, &budgets));
        };
        let load = || world.read(|conn| spent_budgets::load(conn, NOW, 9));
        store(vec![spent("a", 7, 10), spent("b", 1, 10)]);
        store(vec![spent("b", 4, 10), spent("a", 2, 10)]);
        let mut stored = load();
        stored.sort_by(|a, b| a.key_hash.cmp(&b.key_hash));
        assert_eq!(stored, [spent("a", 7, 10), spent("b", 4, 10)]);
        // A window that has ended does not come back, however much was spent in it.
        store(vec![spent("a", 1, 40)]);
        store(vec![spent("a", 9, 10)]);
        assert_eq!(load(), [spent("b", 4, 10), spent("a", 1, 40)]);
    }

    fn processes_store_the_same_budgets_at_the_same_time(database: &TestDatabase) {
        let world = World::on(database);
        thread::scope(|scope| {
            for process in 1..=8_u32 {
                let mut budgets: Vec<SpentBudget> =
                    (0..100).map(|key| spent(&format!("{key:03}"), process, 10)).collect();
                if process % 2 == 0 {
                    budgets.reverse();
                }
                let world = &world;
                scope.spawn(move || world.write(move |tx| spent_budgets::store(tx, &budgets)));
            }
        });
        let stored = world.read(|conn| spent_budgets::load(conn, NOW, 999));
        assert_eq!(stored.len(), 100);
        assert!(stored.iter().all(|budget| budget.spent == 8), "{stored:?}");
    }
}
