//! The rules of the instance on both engines.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use siskin_ids::RuleId;
use siskin_persistence::{Store, StoreOptions};
use siskin_services::{Error, Result, rules};
use siskin_test_support::both_engines;

fn open(url: &str) -> Store {
    Store::open(&StoreOptions::new(url)).unwrap()
}

fn add(store: &Store, text: &str) -> RuleId {
    let new = rules::prepare(text, "").unwrap();
    store.write(move |tx| rules::add(tx, &new)).unwrap().id
}

fn texts(store: &Store) -> Vec<String> {
    let listed = store.read(rules::list).unwrap();
    listed.into_iter().map(|rule| rule.text).collect()
}

fn reorder(store: &Store, first: Vec<RuleId>) -> Result<()> {
    store.write(move |tx| rules::reorder(tx, &first))
}

both_engines! {
    fn rules_are_shown_in_the_order_the_operator_gave_them(database: &TestDatabase) {
        let store = open(database.url());
        let [one, two, three] = ["one", "two", "three"].map(|text| add(&store, text));
        assert_eq!(texts(&store), ["one", "two", "three"]);
        reorder(&store, vec![three, one, three]).unwrap();
        assert_eq!(texts(&store), ["three", "one", "two"]);
        store.write(move |tx| rules::delete(tx, one)).unwrap();
        add(&store, "four");
        assert_eq!(texts(&store), ["three", "two", "four"]);
        reorder(&store, vec![two]).unwrap();
        assert_eq!(texts(&store), ["two", "three", "four"]);
    }

    fn an_unknown_rule_is_not_found_and_changes_nothing(database: &TestDatabase) {
        let store = open(database.url());
        let one = add(&store, "one");
        add(&store, "two");
        let unknown = RuleId::new(1);
        assert!(matches!(
            store.write(move |tx| rules::delete(tx, unknown)),
            Err(Error::NotFound)
        ));
        assert!(matches!(reorder(&store, vec![unknown, one]), Err(Error::NotFound)));
        assert_eq!(texts(&store), ["one", "two"]);
    }
}
