//! The rules of the instance.

use siskin_entities::Actor;
use siskin_ids::RuleId;
use siskin_services::{Error, Result, rules};
use siskin_test_support::both_engines;

use crate::world::World;

fn add(world: &World, text: &str) -> RuleId {
    let new = rules::prepare(text, "").unwrap();
    world.write(move |tx| rules::add(tx, Actor::Operator, &new)).unwrap().id
}

fn texts(world: &World) -> Vec<String> {
    world.read(rules::list).into_iter().map(|rule| rule.text).collect()
}

fn reorder(world: &World, first: Vec<RuleId>) -> Result<()> {
    world.write(move |tx| rules::reorder(tx, Actor::Operator, &first))
}

both_engines! {
    fn rules_are_listed_in_the_order_of_the_operator(database: &TestDatabase) {
        let world = World::on(database);
        let [one, two, three] = ["one", "two", "three"].map(|text| add(&world, text));
        assert_eq!(texts(&world), ["one", "two", "three"]);
        reorder(&world, vec![three, one, three]).unwrap();
        assert_eq!(texts(&world), ["three", "one", "two"]);
        world.write(move |tx| rules::delete(tx, Actor::Operator, one)).unwrap();
        add(&world, "four");
        assert_eq!(texts(&world), ["three", "two", "four"]);
        reorder(&world, vec![two]).unwrap();
        assert_eq!(texts(&world), ["two", "three", "four"]);
    }

    fn an_unknown_rule_is_not_found_and_changes_nothing(database: &TestDatabase) {
        let world = World::on(database);
        let one = add(&world, "one");
        add(&world, "two");
        let unknown = RuleId::new(1);
        assert!(matches!(
            world.write(move |tx| rules::delete(tx, Actor::Operator, unknown)),
            Err(Error::NotFound)
        ));
        assert!(matches!(reorder(&world, vec![unknown, one]), Err(Error::NotFound)));
        assert_eq!(texts(&world), ["one", "two"]);
    }
}
