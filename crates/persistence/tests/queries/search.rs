//! The index of the full-text search, and the search for hashtags.

use diesel::prelude::*;
use siskin_entities::{Cursor, PageRequest, Review, StatusQuery, Visibility, search::Condition};
use siskin_ids::{AccountId, StatusId, first_id_at};
use siskin_persistence::{
    Conn, Result, doctor,
    schema::{accounts, bookmarks, statuses, statuses_tags, tags},
    search::{End, StatusSearch, candidates, index, index_before, is_indexed, orphaned, unindexed},
    statuses::{Removal, remove, remove_rest},
    tags::{TagSearch, TypedTag, find_or_insert, search as search_tags},
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, statements},
    world::{NOW, World},
};

const HOUR: i64 = 3_600_000;
/// The midnight that begins 2026-11-10, in unix milliseconds.
const TENTH: i64 = 20_767 * 24 * HOUR;

impl World {
    /// Inserts a status with this content, without indexing it.
    fn text(&self, author: AccountId, visibility: Visibility, content: &'static str) -> StatusId {
        let id = self.status(author, visibility, &[]);
        self.write(move |tx| {
            let row = statuses::table.find(id);
            diesel::update(row).set(statuses::content.eq(content)).execute(&mut **tx)?;
            Ok(())
        });
        id
    }

    fn indexed(
        &self,
        author: AccountId,
        visibility: Visibility,
        content: &'static str,
    ) -> StatusId {
        let id = self.text(author, visibility, content);
        self.write(move |tx| index(tx, &[id]));
        id
    }

    /// Inserts and indexes public statuses about a wren, each with its time and the time of its id.
    fn dated(&self, author: AccountId, times: Vec<(i64, i64)>) -> Vec<StatusId> {
        self.write(move |tx| {
            let mut ids = Vec::new();
            for (created_at, id_at) in &times {
                let id = StatusId::new(first_id_at(*id_at) | (tx.next_id() & 0xffff));
                let row = (
                    statuses::id.eq(id),
                    statuses::account_id.eq(author),
                    statuses::uri.eq(id.to_string()),
                    statuses::content.eq("<p>wren</p>"),
                    statuses::visibility.eq(Visibility::Public.number()),
                    statuses::conversation_id.eq(id),
                    statuses::created_at.eq(*created_at),
                );
                diesel::insert_into(statuses::table).values(row).execute(&mut **tx)?;
                ids.push(id);
            }
            index(tx, &ids)?;
            Ok(ids)
        })
    }

    fn set_indexable(&self, account: AccountId, indexable: bool) {
        self.write(move |tx| {
            let row = accounts::table.find(account);
            diesel::update(row).set(accounts::indexable.eq(indexable)).execute(&mut **tx)?;
            Ok(())
        });
    }

    fn bookmark(&self, account: AccountId, statuses: &[StatusId]) {
        let statuses = statuses.to_vec();
        self.write(move |tx| {
            for status in &statuses {
                let row = (
                    bookmarks::id.eq(tx.next_id()),
                    bookmarks::account_id.eq(account),
                    bookmarks::status_id.eq(status),
                    bookmarks::created_at.eq(NOW.unix_ms()),
                );
                diesel::insert_into(bookmarks::table).values(row).execute(&mut **tx)?;
            }
            Ok(())
        });
    }

    fn find(&self, viewer: AccountId, q: &str, page: PageRequest) -> Vec<StatusId> {
        let query = StatusQuery::parse(q);
        let search = StatusSearch { query: &query, viewer, authors: &[] };
        let found = self.read(|conn| candidates(conn, &search, page));
        found.into_iter().map(|found| found.id).collect()
    }

    fn found(&self, viewer: AccountId, q: &str) -> Vec<StatusId> {
        self.find(viewer, q, PageRequest::newest(100))
    }
}

both_engines! {
    fn the_index_contains_what_a_viewer_may_find(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        world.set_indexable(alice, true);
        let public = world.indexed(alice, Visibility::Public, "<p>One heron</p>");
        let unlisted = world.indexed(alice, Visibility::Unlisted, "<p>Two herons, one heron</p>");
        let own = world.indexed(bob, Visibility::Private, "<p>My heron &amp; me</p>");
        assert_eq!(world.found(bob, "heron"), [own, public]);
        assert_eq!(world.found(alice, "heron"), [unlisted, public]);
        assert_eq!(world.found(alice, "HERON -herons"), [public]);
        assert_eq!(world.found(bob, "heron in:public"), [public]);
        assert_eq!(world.found(bob, "heron in:library"), [own]);
        assert_eq!(world.found(bob, "-heron"), []);
        world.bookmark(bob, &[unlisted]);
        assert_eq!(world.found(bob, "heron"), [own, unlisted, public]);
        assert_eq!(world.found(bob, "-one"), [own]);
        let query = StatusQuery::parse("heron");
        let authors = [Condition { of: bob, is_negated: true }];
        let search = StatusSearch { query: &query, viewer: bob, authors: &authors };
        let found = world.read(|conn| candidates(conn, &search, PageRequest::newest(9)));
        assert_eq!(found.iter().map(|found| found.id).collect::<Vec<_>>(), [unlisted, public]);
    }

    fn pages_are_cut_by_ids(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        world.set_indexable(alice, true);
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(world.indexed(alice, Visibility::Public, "<p>wren</p>"));
            ids.push(world.indexed(alice, Visibility::Private, "<p>wren</p>"));
            ids.push(world.indexed(bob, Visibility::Direct, "<p>wren</p>"));
        }
        world.bookmark(bob, &ids);
        ids.reverse();
        let page = |max: Option<usize>, min: Option<usize>, limit| {
            let id = |place: Option<usize>| place.map(|place| ids[place].get());
            let cursor = Cursor { max: id(max), min: id(min), since: None };
            world.find(bob, "wren", PageRequest { cursor, limit })
        };
        assert_eq!(page(None, None, 100), ids);
        assert_eq!(page(None, None, 4), ids[..4]);
        assert_eq!(page(Some(3), None, 4), ids[4..8]);
        assert_eq!(page(None, Some(8), 3), ids[5..8]);
        assert_eq!(page(Some(0), Some(4), 100), ids[1..4]);
    }

    // A list of many interactions gives the same results as one of few.
    fn many_interactions_are_compared_with_the_index(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        let rare = world.indexed(alice, Visibility::Unlisted, "<p>rare wren</p>");
        let others = world.write(move |tx| -> Result<Vec<StatusId>> {
            let mut ids = Vec::new();
            for _ in 0..1100 {
                let id = StatusId::new(tx.next_id());
                diesel::insert_into(statuses::table)
                    .values((
                        statuses::id.eq(id),
                        statuses::account_id.eq(alice),
                        statuses::uri.eq(id.to_string()),
                        statuses::visibility.eq(Visibility::Unlisted.number()),
                        statuses::content.eq("<p>wren</p>"),
                        statuses::conversation_id.eq(id),
                        statuses::created_at.eq(NOW.unix_ms()),
                    ))
                    .execute(&mut **tx)?;
                ids.push(id);
            }
            index(tx, &ids)?;
            Ok(ids)
        });
        world.bookmark(bob, &others);
        let newest: Vec<StatusId> = others.iter().rev().take(5).copied().collect();
        assert_eq!(world.find(bob, "wren", PageRequest::newest(5)), newest);
        assert_eq!(world.found(bob, "rare"), []);
        world.bookmark(bob, &[rare]);
        assert_eq!(world.found(bob, "rare"), [rare]);
    }

    // Also statuses that were fetched long after they were written.
    fn a_period_contains_the_statuses_that_were_written_in_it(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let now = NOW.unix_ms();
        let ids = world.dated(alice, vec![
            (TENTH, TENTH),
            (TENTH + 23 * HOUR, TENTH + 24 * HOUR - 1),
            (TENTH + 24 * HOUR - 1, TENTH + 25 * HOUR - 1),
            (TENTH + 24 * HOUR, TENTH + 24 * HOUR),
            (TENTH + 30 * HOUR, TENTH + 30 * HOUR),
            (TENTH + HOUR, now - HOUR),
            (TENTH - 1, now - 1),
            (now, now),
        ]);
        let [first, second, third, next, later, late, before, today] = ids[..] else { panic!() };
        for (q, expected) in [
            ("wren", vec![today, before, late, later, third, next, second, first]),
            ("wren during:2026-11-10", vec![late, third, second, first]),
            ("during:2026-11-10", vec![late, third, second, first]),
            ("wren during:2026-11-09", vec![before]),
            ("wren before:2026-11-10", vec![before]),
            ("wren before:2026-11-11", vec![before, late, third, second, first]),
            ("wren -after:2026-11-10", vec![before, late, third, second, first]),
            ("wren before:2026-11-12 after:2026-11-10", vec![later, next]),
            ("wren before:2026-11-09", vec![]),
            ("wren before:2000-01-01", vec![]),
            ("wren before:1950-01-01", vec![]),
            ("wren before:9999-12-31 after:2026-11-11", vec![today]),
            ("wren after:9999-12-30", vec![]),
        ] {
            assert_eq!(world.found(alice, q), expected, "{q}");
        }
        let page = |max: Option<StatusId>, min: Option<StatusId>| {
            let (max, min) = (max.map(StatusId::get), min.map(StatusId::get));
            let cursor = Cursor { max, min, since: None };
            world.find(alice, "during:2026-11-10", PageRequest { cursor, limit: 2 })
        };
        assert_eq!(page(None, None), [late, third]);
        assert_eq!(page(Some(third), None), [second, first]);
        assert_eq!(page(None, Some(first)), [third, second]);
        assert_eq!(page(None, Some(third)), [late]);
    }

    // Then the end of the period does not bound the ids.
    fn a_period_with_many_late_statuses_is_complete(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let now = NOW.unix_ms();
        let late = (0..1010).map(|number| (TENTH + HOUR, now - 5000 + number)).collect();
        let mut ids = world.dated(alice, late);
        ids.reverse();
        world.dated(alice, vec![(now, now)]);
        let page = |limit| world.find(alice, "during:2026-11-10", PageRequest::newest(limit));
        assert_eq!(page(3), ids[..3]);
        assert_eq!(page(2000), ids);
    }

    fn the_end_of_a_period_bounds_what_is_read(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let times = [TENTH, TENTH + 48 * HOUR, NOW.unix_ms()];
        world.dated(alice, times.map(|time| (time, time)).to_vec());
        let found = |conn: &mut Conn| {
            let query = StatusQuery::parse("wren before:2026-11-11");
            let search = StatusSearch { query: &query, viewer: alice, authors: &[] };
            candidates(conn, &search, PageRequest::newest(20))
        };
        let end = first_id_at(TENTH + 25 * HOUR).to_string();
        let all = statements(database, found);
        let mut of_index = all.iter().filter(|statement| statement.contains("status_terms"));
        assert!(of_index.all(|statement| statement.contains(&end)), "{all:?}");
        assert_eq!(all.iter().filter(|statement| statement.contains(&end)).count(), 2, "{all:?}");
        let plans = plans(database, found);
        let late = plans.iter().filter(|plan| plan.contains("statuses_late"));
        assert_eq!(late.count(), 1, "{plans:?}");
    }

    fn a_deletion_removes_the_terms(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let gone = world.indexed(alice, Visibility::Public, "<p>wren</p>");
        let popular = world.indexed(alice, Visibility::Public, "<p>wren</p>");
        let fans: Vec<AccountId> = ["a", "b", "c"].map(|name| world.person(name)).to_vec();
        for fan in &fans {
            world.bookmark(*fan, &[popular]);
        }
        assert!(matches!(world.write(move |tx| remove(tx, gone)), Removal::Deleted(_)));
        assert_eq!(world.found(alice, "wren"), [popular]);
        world.write(move |tx| {
            // As a deletion that has begun.
            let row = statuses::table.find(popular);
            diesel::update(row).set(statuses::visibility.eq(4_i16)).execute(&mut **tx)?;
            Ok(())
        });
        assert_eq!(world.found(alice, "wren"), []);
        assert_eq!(world.read(orphaned), [popular]);
        assert!(world.write(move |tx| remove_rest(tx, popular)));
        assert_eq!(world.read(orphaned), []);
    }

    fn statuses_of_older_versions_are_indexed_in_steps(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        assert!(world.read(|conn| is_indexed(conn, End::Oldest)));
        let ids: Vec<StatusId> =
            (0..230).map(|_| world.text(alice, Visibility::Public, "<p>wren</p>")).collect();
        assert!(!world.read(|conn| is_indexed(conn, End::Oldest)));
        assert_eq!(world.read(unindexed), ids);
        let mut before = StatusId::new(i64::MAX);
        let mut steps = 0;
        while let Some(last) = world.write(move |tx| index_before(tx, None, before)) {
            (before, steps) = (last, steps + 1);
            assert!(!world.read(|conn| is_indexed(conn, End::Oldest)));
        }
        assert_eq!(steps, 2);
        assert!(world.read(|conn| is_indexed(conn, End::Oldest)));
        assert_eq!(world.read(unindexed), []);
        assert_eq!(world.find(alice, "wren", PageRequest::newest(230)).len(), 230);
    }

    fn the_statuses_of_an_author_are_indexed_again(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.person("alice"), world.person("bob"));
        let status = world.indexed(alice, Visibility::Public, "<p>wren</p>");
        for (indexable, expected) in [(true, vec![status]), (false, vec![])] {
            world.set_indexable(alice, indexable);
            let top = StatusId::new(i64::MAX);
            assert_eq!(world.write(move |tx| index_before(tx, Some(alice), top)), None);
            assert_eq!(world.found(bob, "wren"), expected);
        }
    }

    fn a_wrong_index_is_found_and_repaired(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let missing = world.text(alice, Visibility::Public, "<p>wren</p>");
        let hidden = world.indexed(alice, Visibility::Public, "<p>wren</p>");
        world.write(move |tx| {
            let row = statuses::table.find(hidden);
            diesel::update(row).set(statuses::visibility.eq(4_i16)).execute(&mut **tx)?;
            Ok(())
        });
        assert_eq!(world.read(doctor::wrongly_indexed), [missing, hidden]);
        world.write(move |tx| doctor::index_statuses(tx, &[missing, hidden]));
        assert_eq!(world.read(doctor::wrongly_indexed), []);
        assert_eq!(world.found(alice, "wren"), [missing]);
    }

    // PostgreSQL refuses too many terms, so the rest of a very long text is not indexed.
    fn long_texts_are_indexed_in_part(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let words: String = (0..200_000).map(|number| format!("w{number} ")).collect();
        let content: &'static str = Box::leak(format!("<p>{words}</p>").into_boxed_str());
        let status = world.indexed(alice, Visibility::Public, content);
        assert_eq!(world.found(alice, "w0 w10000"), [status]);
    }

    fn rejected_hashtags_are_not_found(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        let status = world.status(alice, Visibility::Public, &[]);
        let names = ["tern", "ternery", "terning"];
        world.write(move |tx| {
            let typed = names.map(|name| TypedTag {
                name: name.to_owned(),
                display_name: name.to_owned(),
            });
            let ids = find_or_insert(tx, &typed)?;
            let reviews = [Review::Unreviewed, Review::Approved, Review::Rejected];
            for ((place, id), review) in (0..).zip(&ids).zip(reviews) {
                let row = tags::table.find(*id);
                diesel::update(row).set(tags::review.eq(review.number())).execute(&mut **tx)?;
                let row = (
                    statuses_tags::tag_id.eq(*id),
                    statuses_tags::status_id.eq(status),
                    statuses_tags::position.eq(place),
                );
                diesel::insert_into(statuses_tags::table).values(row).execute(&mut **tx)?;
            }
            Ok(())
        });
        for (name, exclude_unreviewed, expected) in [
            ("ter", false, vec!["tern", "ternery"]),
            ("ter", true, vec!["ternery"]),
            ("tern", true, vec!["tern", "ternery"]),
            ("terning", false, vec![]),
            ("terning", true, vec![]),
            ("ternz", false, vec![]),
        ] {
            let search = TagSearch {
                name,
                viewer: None,
                exclude_unreviewed,
                now: NOW,
                limit: 10,
                offset: 0,
            };
            let found = world.read(|conn: &mut Conn| search_tags(conn, &search));
            let found: Vec<String> = found.into_iter().map(|tag| tag.name).collect();
            assert_eq!(found, expected, "{name}");
        }
    }
}
