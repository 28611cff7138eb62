//! Counts of what trends: time windows, authors that do not count, and query plans.

use std::{thread, time::Duration};

use diesel::prelude::*;
use siskin_entities::{Review, Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId, TagId, first_id_at};
use siskin_persistence::{
    cards,
    schema::{accounts, preview_cards, statuses, statuses_tags},
    statuses::remove,
    tags::{self, TypedTag},
    trends::{self, Entry, Scored, Windows},
};
use siskin_policy::trends::{Peak, Uses};
use siskin_test_support::both_engines;

use crate::{
    plans::plans,
    world::{NOW, World},
};

const HOUR: Duration = Duration::from_secs(3600);

fn windows(threshold: i64) -> Windows {
    Windows {
        recent: NOW.before(HOUR.saturating_mul(24)),
        start: NOW.before(HOUR.saturating_mul(48)),
        statuses: 1000,
        threshold,
        entries: 100,
    }
}

impl World {
    fn tag(&self, name: &'static str) -> TagId {
        self.write(move |tx| {
            let tag = TypedTag { name: name.to_owned(), display_name: name.to_owned() };
            Ok(tags::find_or_insert(tx, &[tag])?[0])
        })
    }

    /// Inserts a status with a hashtag, written some hours ago.
    fn tagged(&self, author: AccountId, tag: TagId, hours: u32, visibility: Visibility) {
        self.write(move |tx| {
            let at = NOW.before(HOUR.saturating_mul(hours)).unix_ms();
            let id = StatusId::new(first_id_at(at) | (tx.next_id() & 0xffff));
            diesel::insert_into(statuses::table)
                .values((
                    statuses::id.eq(id),
                    statuses::account_id.eq(author),
                    statuses::uri.eq(format!("{id} {author}")),
                    statuses::visibility.eq(visibility.number()),
                    statuses::conversation_id.eq(id),
                    statuses::created_at.eq(at),
                ))
                .execute(&mut **tx)?;
            diesel::insert_into(statuses_tags::table)
                .values((
                    statuses_tags::tag_id.eq(tag),
                    statuses_tags::status_id.eq(id),
                    statuses_tags::position.eq(0),
                ))
                .execute(&mut **tx)?;
            Ok(())
        });
    }

    fn uses(&self, threshold: i64) -> Vec<(TagId, Uses)> {
        self.read(|conn| trends::tag_uses(conn, &windows(threshold)))
    }
}

both_engines! {
    fn accounts_are_counted_once_in_each_window(database: &TestDatabase) {
        let world = World::on(database);
        let (tag, other) = (world.tag("siskin"), world.tag("finch"));
        let (alice, bob, carol) = (world.person("alice"), world.person("bob"), world.person("carol"));
        for (author, hours) in [
            (alice, 1), (alice, 2), (alice, 30), (bob, 23), (carol, 25), (carol, 47), (bob, 49),
        ] {
            world.tagged(author, tag, hours, Visibility::Public);
        }
        world.tagged(alice, other, 1, Visibility::Public);
        let uses = Uses { recent: 2, earlier: 2, total: 3 };
        assert_eq!(world.uses(3), [(tag, uses)]);
        assert_eq!(world.uses(1), [(tag, uses), (other, Uses { recent: 1, earlier: 0, total: 1 })]);
        assert_eq!(world.uses(4), []);
        let newest = Windows { statuses: 2, ..windows(1) };
        let cut = world.read(|conn| trends::tag_uses(conn, &newest));
        assert!(cut.iter().all(|(_, uses)| uses.total == 1), "{cut:?}");
    }

    fn hidden_statuses_and_authors_do_not_count(database: &TestDatabase) {
        let world = World::on(database);
        let tag = world.tag("siskin");
        for (name, visibility) in [
            ("public", Visibility::Public), ("unlisted", Visibility::Unlisted),
            ("private", Visibility::Private), ("direct", Visibility::Direct),
        ] {
            world.tagged(world.person(name), tag, 1, visibility);
        }
        for (name, column) in [("silenced", 0), ("suspended", 1), ("waiting", 2)] {
            let account = world.person(name);
            world.tagged(account, tag, 1, Visibility::Public);
            world.write(move |tx| {
                let row = diesel::update(accounts::table.find(account));
                Ok(match column {
                    0 => row.set(accounts::silenced_at.eq(1_i64)).execute(&mut **tx)?,
                    1 => row.set(accounts::suspended_at.eq(1_i64)).execute(&mut **tx)?,
                    _ => row.set(accounts::reachable.eq(false)).execute(&mut **tx)?,
                })
            });
        }
        assert_eq!(world.uses(1), [(tag, Uses { recent: 1, earlier: 0, total: 1 })]);
    }

    // A status or hashtag that was deleted after the count is left out.
    fn entries_are_replaced_and_unknown_ones_left_out(database: &TestDatabase) {
        let world = World::on(database);
        let tag = world.tag("siskin");
        let peak = Peak { score: 9.0, at: NOW };
        let scored = move |id, score| Scored { id, score, peak };
        let entries = move |tx: &mut siskin_persistence::Tx<'_>| {
            trends::replace_tags(tx, &[scored(TagId::new(5), 9.0), scored(tag, 4.5)])
        };
        world.write(entries);
        world.write(entries);
        let listed = world.read(trends::tags);
        let entry = Entry { id: tag, score: 4.5, review: Review::Unreviewed, requested: false };
        assert_eq!(listed, [entry]);
        assert_eq!(world.read(trends::tag_peaks), [(tag, peak)]);
        world.write(move |tx| {
            trends::mark_requested(tx, &[tag], &[], &[])?;
            trends::set_tag_review(tx, tag, Review::Approved)
        });
        let reviewed = Entry { review: Review::Approved, requested: true, ..entry };
        assert_eq!(world.read(trends::tags), [reviewed]);
        world.write(|tx| trends::replace_tags(tx, &[]));
        assert_eq!(world.read(trends::tags), []);
    }

    // Authors delete statuses between the count and the end of the transaction that stores it.
    fn entries_are_stored_while_their_statuses_are_deleted(database: &TestDatabase) {
        {
            let world = World::on(database);
            let alice = world.person("alice");
            let publish = |_| world.status(alice, Visibility::Public, &[]);
            let ids: Vec<StatusId> = (0..80).map(publish).collect();
            let entries: Vec<(StatusId, f64)> = ids.iter().rev().map(|id| (*id, 1.0)).collect();
            thread::scope(|scope| {
                let deletions = scope.spawn(|| {
                    for id in ids.iter().copied() {
                        world.write(move |tx| remove(tx, id));
                    }
                });
                while !deletions.is_finished() {
                    let entries = entries.clone();
                    world.write(move |tx| trends::replace_statuses(tx, &entries));
                }
            });
            assert_eq!(world.read(trends::statuses), []);
        }
        assert_eq!(database.deadlocks(), 0);
    }

    // The decision of staff outlasts the statuses with the link.
    fn reviewed_previews_are_not_swept(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        for (address, review) in
            [("https://a.example/", Review::Unreviewed), ("https://b.example/", Review::Rejected)]
        {
            let status = world.status(alice, Visibility::Public, &[]);
            world.write(move |tx| {
                cards::link(tx, status, address, HOUR)?;
                let id = preview_cards::table
                    .filter(preview_cards::address.eq(address))
                    .select(preview_cards::id)
                    .first(&mut **tx)?;
                trends::set_link_review(tx, id, review)?;
                cards::unlink(tx, status)
            });
        }
        let later: Timestamp = NOW.after(HOUR);
        assert!(world.read(|conn| cards::any_unused(conn, later)));
        world.write(move |tx| cards::sweep(tx, later, 10));
        assert!(!world.read(|conn| cards::any_unused(conn, later)));
        let left: Vec<String> =
            world.read(|conn| Ok(preview_cards::table.select(preview_cards::address).load(conn)?));
        assert_eq!(left, ["https://b.example/"]);
    }

    fn a_count_reads_a_range_of_statuses(database: &TestDatabase) {
        let world = World::on(database);
        world.tagged(world.person("alice"), world.tag("siskin"), 1, Visibility::Public);
        let plans = plans(database, |conn| {
            trends::tag_uses(conn, &windows(1))?;
            trends::link_uses(conn, &windows(1))?;
            trends::status_reactions(conn, &windows(1))?;
            trends::reacting_accounts(conn, &[StatusId::new(1)])
        });
        assert_eq!(plans.len(), 4);
        for plan in &plans {
            let scans = plan.lines().filter(|line| {
                line.contains("Seq Scan") || line.contains("AUTOMATIC")
                    || line.trim_start_matches(['|', '-', '`', ' ']).starts_with("SCAN statuses")
            });
            assert_eq!(scans.collect::<Vec<_>>(), Vec::<&str>::new(), "{plan}");
        }
    }
}
