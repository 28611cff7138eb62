//! Search, directory and suggestions: the indexes they use, and effects that are invisible through
//! the API.

use diesel::{prelude::*, sql_query, sql_types::Text};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Result,
    accounts::{
        self, Directory, DirectoryOrder, Profile, Search, SearchTarget, SuggestionContext,
        directory, friends_of_friends, search, staff_picks,
    },
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all, sorts},
    world::{NOW, World},
};

fn search_params<'a>(what: SearchTarget<'a>, followed_by: Option<AccountId>) -> Search<'a> {
    Search {
        what,
        handle: None,
        viewer: followed_by,
        followed: followed_by.is_some(),
        now: NOW,
        limit: 10,
        offset: 0,
    }
}

fn page(order: DirectoryOrder, local: bool) -> Directory {
    Directory { order, local, viewer: Some(AccountId::new(1)), now: NOW, limit: 10, offset: 0 }
}

fn profile(search_text: &str, discoverable: bool) -> Profile {
    Profile {
        display_name: String::new(),
        note: String::new(),
        note_html: String::new(),
        fields: Vec::new(),
        search_text: search_text.to_owned(),
        locked: false,
        bot: false,
        discoverable: Some(discoverable),
        indexable: false,
        hide_collections: false,
        show_media: true,
        show_media_replies: true,
        show_featured: true,
        attribution_domains: Vec::new(),
        avatar: None,
        avatar_description: String::new(),
        header: None,
        header_description: String::new(),
    }
}

/// Enough accounts to make an engine with statistics prefer an index.
fn many_people(world: &World) -> Vec<AccountId> {
    let names = (0..200).map(|number| &*format!("person{number}").leak());
    let people: Vec<AccountId> = names.map(|name| world.person(name)).collect();
    for account in people.clone() {
        world.write(move |tx| {
            accounts::update_profile(tx, account, &profile(&account.to_string(), true))
        });
    }
    people
}

fn found(conn: &mut Conn, word: &str) -> Result<Vec<String>> {
    let found = search(conn, &search_params(SearchTarget::Words(&[word.to_owned()]), None))?;
    Ok(found.iter().map(|account| account.username.clone()).collect())
}

both_engines! {
    fn search_scans_no_table(database: &TestDatabase) {
        let world = World::on(database);
        many_people(&world);
        let words = ["ab".to_owned(), "cd".to_owned()];
        for params in [
            search_params(SearchTarget::Words(&words[..1]), None),
            search_params(SearchTarget::Words(&words), None),
            search_params(SearchTarget::Words(&words), Some(AccountId::new(1))),
            search_params(SearchTarget::Local("ab"), None),
            search_params(SearchTarget::Address("https://a.example/@b"), None),
        ] {
            for plan in plans(database, |conn| search(conn, &params)) {
                assert!(!reads_all(&plan), "{params:?}\n{plan}");
            }
        }
    }

    fn each_directory_order_uses_an_index(database: &TestDatabase) {
        let world = World::on(database);
        many_people(&world);
        for order in [DirectoryOrder::Active, DirectoryOrder::New] {
            for (local, index) in [(false, ""), (true, "_local")] {
                let plans = plans(database, |conn| directory(conn, &page(order, local)));
                let name = match order {
                    DirectoryOrder::Active => format!("account_stats_active{index}"),
                    DirectoryOrder::New => format!("account_stats_new{index}"),
                };
                assert!(plans[0].contains(&name), "{order:?} {local}\n{}", plans[0]);
                assert!(!sorts(&plans[0]), "{order:?} {local}\n{}", plans[0]);
                assert!(!plans.iter().any(|plan| plan.contains("Seq Scan")), "{plans:?}");
            }
        }
    }

    fn suggestions_scan_no_table(database: &TestDatabase) {
        let world = World::on(database);
        let people = many_people(&world);
        for pair in people.windows(2) {
            world.follow(pair[0], pair[1]);
        }
        let context = SuggestionContext { to: people[0], now: NOW };
        let handles = [("ab".to_owned(), None)];
        let mut plans_of_both =
            plans(database, |conn| friends_of_friends(conn, context, 10));
        assert_eq!(plans_of_both.len(), 2);
        plans_of_both.extend(plans(database, |conn| staff_picks(conn, context, &handles)));
        for plan in plans_of_both {
            assert!(!reads_all(&plan), "{plan}");
        }
    }

    fn every_part_of_a_long_name_is_found(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let long = "x".repeat(50) + "y";
        let text = format!("alice\nbüro {long} 山田");
        world.write(move |tx| accounts::update_profile(tx, alice, &profile(&text, false)));
        world.read(|conn| {
            for word in ["alice", "lic", "e", "ro", "山", "田", &long, "xy", &long[10..]] {
                assert_eq!(found(conn, word)?, ["alice"], "{word}");
            }
            for word in ["alicf", "roa", &format!("{long}z"), &"x".repeat(51)] {
                assert_eq!(found(conn, word)?, [""; 0], "{word}");
            }
            Ok(())
        });
    }

    // The migration and the program build the same index.
    fn the_migration_indexes_existing_accounts(database: &TestDatabase) {
        #[derive(Debug, PartialEq, QueryableByName)]
        struct Term {
            #[diesel(sql_type = Text)]
            term: String,
        }
        let terms = |conn: &mut Conn| -> Vec<Term> {
            sql_query("SELECT term FROM account_terms ORDER BY 1").load(conn).unwrap()
        };
        let world = World::on(database);
        let (alice, zoe) = (world.person("alice"), world.remote("zoe"));
        world.write(move |tx| {
            accounts::update_profile(tx, alice, &profile("alice\nälice büro", true))?;
            accounts::update_profile(tx, zoe, &profile("zoe@far.test\nzoë z", true))
        });
        let mut conn = Conn::open(database.url()).unwrap();
        let by_program = terms(&mut conn);
        assert!(by_program.len() > 15, "{by_program:?}");
        sql_query("DELETE FROM account_terms").execute(&mut conn).unwrap();
        let migration = if conn.is_sqlite() {
            include_str!("../../../../migrations/sqlite/0005_discovery/up.sql")
        } else {
            include_str!("../../../../migrations/postgres/0005_discovery/up.sql")
        };
        let fill = migration.split(';').find(|sql| sql.contains("INSERT INTO account_terms"));
        sql_query(fill.unwrap()).execute(&mut conn).unwrap();
        assert_eq!(terms(&mut conn), by_program);
    }
}
