//! The registry of tables, compared with the schema.

use diesel::{prelude::*, sql_query, sql_types::Text};
use siskin_persistence::{Conn, tables::TABLES};
use siskin_test_support::{Engine, TestDatabase};

#[test]
fn every_table_of_the_schema_is_listed_with_its_key() {
    let table = |text: &'static str| {
        let (name, rest) = text.trim().split_once(" (").unwrap();
        (name, rest.split_once(')').unwrap().0)
    };
    let schema = include_str!("../../src/schema.rs");
    let mut schema: Vec<_> = schema.split("diesel::table! {").skip(1).map(table).collect();
    let mut listed: Vec<_> = TABLES.iter().map(|table| (table.name, table.key)).collect();
    assert!(schema.len() > 20);
    schema.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, schema);
}

#[test]
fn a_table_comes_after_those_to_which_it_refers() {
    #[derive(QueryableByName)]
    struct Parent {
        #[diesel(sql_type = Text)]
        name: String,
    }
    let database = TestDatabase::new(Engine::Sqlite);
    let mut conn = Conn::open(database.url()).unwrap();
    let mut references = 0;
    for (place, table) in TABLES.iter().enumerate() {
        let sql = "SELECT \"table\" AS name FROM pragma_foreign_key_list(?)";
        let parents: Vec<Parent> =
            sql_query(sql).bind::<Text, _>(table.name).load(&mut conn).unwrap();
        for Parent { name } in &parents {
            let earlier = TABLES.iter().take(place + 1).any(|one| one.name == name);
            assert!(earlier, "{} refers to {name}", table.name);
        }
        references += parents.len();
    }
    assert!(references > 40);
}
