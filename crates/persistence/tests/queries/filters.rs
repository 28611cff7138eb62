//! Stored filters.

use std::sync::Arc;

use siskin_entities::filters::{
    Filter, FilterAction, FilterContext, FilterContexts, FilterHead, FilterKeyword, FilterStatus,
};
use siskin_ids::{AccountId, FilterId, FilterKeywordId, FilterStatusId, StatusId};
use siskin_persistence::{filters, statuses};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all},
    world::{NOW, World},
};

fn filter(id: i64, statuses: &[StatusId]) -> Filter {
    let head = FilterHead {
        id: FilterId::new(id),
        title: format!("Filter {id}"),
        contexts: [FilterContext::Account, FilterContext::Home].into_iter().collect(),
        action: FilterAction::Hide,
        expires_at: Some(NOW),
    };
    let keyword = |at: i64| FilterKeyword {
        id: FilterKeywordId::new(id * 10 + at),
        keyword: format!(" %_'\\ {at}"),
        whole_word: at == 1,
    };
    let status = |status: &StatusId| FilterStatus {
        id: FilterStatusId::new(id * 10 + status.get()),
        status: *status,
    };
    Filter {
        head: Arc::new(head),
        keywords: vec![keyword(1), keyword(2)],
        statuses: statuses.iter().map(status).collect(),
    }
}

fn store(world: &World, owner: AccountId, filter: &Filter) {
    let filter = filter.clone();
    world.write(move |tx| {
        let id = filter.head.id;
        filters::insert(tx, owner, &filter.head)?;
        filter.keywords.iter().try_for_each(|one| filters::add_keyword(tx, id, one))?;
        filter.statuses.iter().try_for_each(|one| filters::add_status(tx, id, one))
    });
}

both_engines! {
    fn filters_round_trip_and_belong_to_their_owner(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        let status = world.status(bob, siskin_entities::Visibility::Public, &[]);
        let hers = [filter(1, &[status]), filter(2, &[])];
        let his = filter(3, &[status]);
        for (owner, filter) in [(alice, &hers[0]), (bob, &his), (alice, &hers[1])] {
            store(&world, owner, filter);
        }
        assert_eq!(world.read(|conn| filters::of_account(conn, alice)), hers);
        assert_eq!(world.read(|conn| filters::of_account(conn, bob)), std::slice::from_ref(&his));
        world.write(move |tx| statuses::remove(tx, status));
        let left = |filter: &Filter| Filter { statuses: Vec::new(), ..filter.clone() };
        let expected: Vec<Filter> = hers.iter().map(left).collect();
        assert_eq!(world.read(|conn| filters::of_account(conn, alice)), expected);
        world.write(|tx| filters::remove(tx, FilterId::new(1)));
        assert_eq!(world.read(|conn| filters::of_account(conn, alice)), expected[1..]);
        assert_eq!(world.read(|conn| filters::of_account(conn, bob)), [left(&his)]);
    }

    fn an_update_changes_one_filter(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let (first, second) = (filter(1, &[]), filter(2, &[]));
        store(&world, alice, &first);
        store(&world, alice, &second);
        let head = FilterHead {
            title: "Other".to_owned(),
            contexts: FilterContexts::all(),
            action: FilterAction::Warn,
            expires_at: None,
            ..FilterHead::clone(&first.head)
        };
        let mut keywords = first.keywords.clone();
        keywords[0] = FilterKeyword { keyword: "x".into(), whole_word: false, ..keywords[0].clone() };
        let changed = keywords[0].clone();
        let expected = Filter { head: Arc::new(head.clone()), keywords, ..first };
        world.write(move |tx| {
            filters::update(tx, &head)?;
            filters::update_keyword(tx, &changed)
        });
        let read = world.read(|conn| filters::of_account(conn, alice));
        assert_eq!(read, [expected, second.clone()]);
        let all: Vec<FilterKeywordId> = second.keywords.iter().map(|keyword| keyword.id).collect();
        world.write(move |tx| filters::remove_keywords(tx, &all));
        assert!(world.read(|conn| filters::of_account(conn, alice))[1].keywords.is_empty());
    }

    fn loading_filters_takes_three_statements_and_scans_no_table(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let read = |world: &World| world.read(|conn| filters::of_account(conn, alice));
        let begin_and_end = world.statements(|world| world.read(|_| Ok(())));
        assert_eq!(world.statements(read) - begin_and_end, 1);
        for id in 1..20 {
            store(&world, alice, &filter(id, &[]));
        }
        assert_eq!(world.statements(read) - begin_and_end, 3);
        let plans = plans(database, |conn| filters::of_account(conn, alice));
        assert_eq!(plans.len(), 3);
        for plan in plans {
            assert!(!reads_all(&plan), "{plan}");
        }
    }
}
