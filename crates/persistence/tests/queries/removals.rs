//! Deletion of statuses and accounts with many dependent rows. The status disappears at once, and
//! its rows are deleted in chunks that hold the writer lane only for a moment.
//!
//! `SISKIN_REBLOGS` sets the number of rebloggers of the measured status (default 2,000); `make
//! bench` measures with 100,000.

use std::{env, time::Duration};

use diesel::{connection::SimpleConnection as _, prelude::*, sql_query, sql_types::Text};
use siskin_entities::{QuoteState, Visibility};
use siskin_ids::{AccountId, ApplicationId, ListId, StatusId};
use siskin_persistence::{
    Conn, Store, StoreOptions, accounts, applications, doctor,
    events::{self, DomainEvent},
    lists,
    schema::{
        account_stats, bookmarks, favourites, mentions, notifications, poll_votes, status_stats,
        statuses as status_rows, statuses_tags,
    },
    statuses::{self, Removal},
    tables::TABLES,
};
use siskin_test_support::{Engine, TestDatabase, both_engines};

use crate::world::{NOW, World};

/// Below all ids that the store generates.
const FIRST_ACCOUNT: i64 = 1_000_000;
const FIRST_REBLOG: i64 = 3_000_000;
const FIRST_QUOTE: i64 = 4_000_000;
const FIRST_ROW: i64 = 5_000_000;
const POLL: i64 = 77;

/// Longest time for which one write may hold the writer lane.
const LONGEST_HOLD: Duration =
    Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 50 });

/// Inserts a row for each number `n` from 1 to `many`.
fn numbered(many: i64, columns: &str, values: &str) -> String {
    format!(
        "INSERT INTO {columns}
         WITH RECURSIVE numbers (n) AS (
             SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {many}
         ) SELECT {values} FROM numbers;"
    )
}

/// Inserts `many` quotes of the status, by five accounts of its crowd and with all visibilities.
/// Every tenth is revoked; the others are accepted.
fn quotes(status: StatusId, many: i64) -> String {
    numbered(
        many,
        "statuses (id, account_id, uri, visibility, conversation_id, quote_of_id, quote_state,
             created_at)",
        &format!(
            "{FIRST_QUOTE} + n, {FIRST_ACCOUNT} + 1 + n % 5, 'q' || n, n % 4, {FIRST_QUOTE} + n,
             {status}, CASE WHEN n % 10 = 0 THEN {} ELSE {} END, 0",
            QuoteState::Revoked.number(),
            QuoteState::Accepted.number(),
        ),
    )
}

/// Requires that everyone sees the public ones of `many` [quotes](quotes()) in this state, except
/// for those that are revoked.
fn require_quote_state(world: &World, many: i64, expected: QuoteState) {
    let public: Vec<StatusId> =
        (1..=many).filter(|n| n % 4 == 0).map(|n| StatusId::new(FIRST_QUOTE + n)).collect();
    let loaded = world.read(|conn| statuses::load(conn, &public, None));
    assert_eq!(loaded.len(), public.len());
    for status in loaded {
        let number = status.body.id.get() - FIRST_QUOTE;
        let state = if number % 10 == 0 { QuoteState::Revoked } else { expected };
        let quote = status.body.quote.unwrap();
        assert_eq!(quote.state, state, "{number}");
        assert_eq!(quote.status.is_some(), state == QuoteState::Accepted, "{number}");
    }
}

fn repair_counters(world: &World) {
    let wrong = world.read(doctor::wrong_counters);
    world.write(move |tx| doctor::batches(&wrong).try_for_each(|some| doctor::repair(tx, some)));
}

/// Inserts `many` accounts. Each reblogs, favourites and bookmarks the status, votes in its poll,
/// hides it with a filter, and was notified of it.
fn crowd(status: StatusId, many: i64) -> String {
    let rows = |columns: &str, values: &str| numbered(many, columns, values);
    let (account, row) = (format!("{FIRST_ACCOUNT} + n"), format!("{FIRST_ROW} + n"));
    [
        rows(
            "accounts (id, username, username_key, uri, created_at, updated_at)",
            &format!("{account}, 'f' || n, 'f' || n, 'http://siskin.test/f' || n, 0, 0"),
        ),
        rows(
            "statuses (id, account_id, uri, visibility, conversation_id, reblog_of_id, created_at)",
            &format!("{FIRST_REBLOG} + n, {account}, 'r' || n, 0, {status}, {status}, 0"),
        ),
        rows(
            "favourites (id, account_id, status_id, created_at)",
            &format!("{row}, {account}, {status}, 0"),
        ),
        rows(
            "bookmarks (id, account_id, status_id, created_at)",
            &format!("{row}, {account}, {status}, 0"),
        ),
        rows(
            "notifications
                 (id, account_id, from_account_id, kind, status_id, subject_id, created_at)",
            &format!(
                "{row}, {account}, (SELECT account_id FROM statuses WHERE id = {status}),
                 'status', {status}, {status}, 0"
            ),
        ),
        rows(
            "filters (id, account_id, title, contexts, action)",
            &format!("{row}, {account}, 'f', 1, 0"),
        ),
        rows("filter_statuses (id, filter_id, status_id)", &format!("{row}, {row}, {status}")),
        format!(
            "INSERT INTO polls (id, status_id, multiple, hide_totals, created_at)
                 VALUES ({POLL}, {status}, TRUE, FALSE, 0);
             INSERT INTO poll_options (id, poll_id, position, title)
                 VALUES (1, {POLL}, 0, 'a'), (2, {POLL}, 1, 'b');"
        ),
        rows(
            "poll_votes (poll_id, account_id, option_title, created_at)",
            &format!("{POLL}, {account}, 'a', 0"),
        ),
        rows(
            "poll_votes (poll_id, account_id, option_title, created_at)",
            &format!("{POLL}, {account}, 'b', 0"),
        ),
        rows(
            "poll_announcements (poll_id, account_id, created_at)",
            &format!("{POLL}, {account}, 0"),
        ),
    ]
    .concat()
}

/// A status with a crowd that answers a status, mentions an account and has a hashtag.
struct Popular {
    parent: StatusId,
    author: AccountId,
    status: StatusId,
}

impl Popular {
    fn on(world: &World, many: i64) -> Self {
        let (author, other) = (world.person("ann"), world.person("bob"));
        let parent = world.status(other, Visibility::Public, &[]);
        let status = world.status(author, Visibility::Public, &[other]);
        let mut sql = format!(
            "UPDATE statuses SET in_reply_to_id = {parent}, in_reply_to_account_id = {other}
                 WHERE id = {status};
             INSERT INTO tags (id, name, display_name, created_at) VALUES (9, 'owl', 'owl', 0);
             INSERT INTO statuses_tags (tag_id, status_id, position) VALUES (9, {status}, 0);
             INSERT INTO status_pins (account_id, status_id, created_at)
                 VALUES ({author}, {status}, 0);
             INSERT INTO featured_tags
                 (id, account_id, tag_id, statuses_count, last_status_at, created_at)
                 VALUES (9, {author}, 9, 1, {}, 0);",
            NOW.unix_ms()
        );
        sql += &crowd(status, many);
        world.write(move |tx| Ok(tx.batch_execute(&sql)?));
        repair_counters(world);
        assert_eq!(world.read(doctor::wrong_counters), []);
        Self { parent, author, status }
    }

    /// Creates one with a crowd of five accounts, which quoted it `many` times.
    fn with_quotes(world: &World, many: i64) -> Self {
        let popular = Self::on(world, 5);
        let sql = quotes(popular.status, many);
        world.write(move |tx| Ok(tx.batch_execute(&sql)?));
        repair_counters(world);
        popular
    }

    /// Requires that no account finds the status, and that everything is consistent.
    fn require_gone(&self, world: &World) {
        let (status, reblog) = (self.status, StatusId::new(FIRST_REBLOG + 1));
        let reblogger = AccountId::new(FIRST_ACCOUNT + 1);
        for viewer in [None, Some(self.author), Some(reblogger)] {
            world.read(|conn| {
                assert_eq!(statuses::visible_ids(conn, &[status, reblog], viewer)?, []);
                assert_eq!(statuses::load(conn, &[status, reblog], viewer)?, []);
                assert_eq!(statuses::find_visible(conn, status, viewer)?, None);
                assert_eq!(statuses::find_target(conn, status, viewer)?, None);
                assert_eq!(statuses::find_target(conn, reblog, viewer)?, None);
                Ok(())
            });
        }
        world.read(|conn| {
            assert_eq!(statuses::locate(conn, status)?, None);
            assert_eq!(statuses::locate(conn, reblog)?, None);
            assert_eq!(statuses::descendants(conn, self.parent, 10, None)?, []);
            assert_eq!(counter_of_replies(conn, self.parent)?, 0);
            assert_eq!(statuses_count(conn, self.author)?, 0);
            Ok(())
        });
        assert!(!world.write(move |tx| statuses::lock_against_deletion(tx, status)));
        assert_eq!(world.write(move |tx| statuses::remove(tx, status)), Removal::Gone);
        assert_eq!(world.read(doctor::wrong_counters), []);
        assert_eq!(world.read(doctor::dangling_references), []);
    }

    /// Returns the number of rows that depend on the status.
    fn dependents(&self, world: &World) -> i64 {
        let status = self.status;
        macro_rules! count {
            ($table:ident) => {
                $table::table.filter($table::status_id.eq(status)).count()
            };
        }
        world.read(|conn| {
            let reblogs = status_rows::table.filter(status_rows::reblog_of_id.eq(status)).count();
            Ok(reblogs.get_result::<i64>(conn)?
                + count!(favourites).get_result::<i64>(conn)?
                + count!(bookmarks).get_result::<i64>(conn)?
                + count!(mentions).get_result::<i64>(conn)?
                + poll_votes::table.count().get_result::<i64>(conn)?
                + notifications::table
                    .filter(notifications::status_id.eq(status))
                    .count()
                    .get_result::<i64>(conn)?)
        })
    }
}

fn counter_of_replies(conn: &mut Conn, status: StatusId) -> siskin_persistence::Result<i64> {
    Ok(status_stats::table.find(status).select(status_stats::replies_count).first(conn)?)
}

fn statuses_count(conn: &mut Conn, account: AccountId) -> siskin_persistence::Result<i64> {
    Ok(account_stats::table.find(account).select(account_stats::statuses_count).first(conn)?)
}

/// Returns the ids of the statuses that got a deletion event, in the order of the events. Requires
/// that the positions of all events have no gap.
fn deletion_events(world: &World) -> Vec<StatusId> {
    while world.write(|tx| events::assign_positions(tx, 1000)) > 0 {}
    let all = world.read(|conn| events::since(conn, 0, 10_000));
    let positions: Vec<i64> = all.iter().map(|event| event.position).collect();
    assert_eq!(positions, (1..).take(all.len()).collect::<Vec<i64>>());
    let deleted = all.iter().filter_map(|event| match DomainEvent::of(event) {
        Some(DomainEvent::StatusDeleted(deleted)) => Some(deleted.id),
        _ => None,
    });
    deleted.collect()
}

both_engines! {
    fn a_popular_status_disappears_at_once_and_is_deleted_in_chunks(database: &TestDatabase) {
        let world = World::on(database);
        let many = 130;
        let popular = Popular::on(&world, many);
        let status = popular.status;
        assert_eq!(world.write(move |tx| statuses::remove(tx, status)), Removal::Begun);
        popular.require_gone(&world);
        let tags = world.read(|conn| Ok(statuses_tags::table.count().get_result::<i64>(conn)?));
        assert_eq!(tags, 0);
        let newest_first = (1..=many).rev().map(|n| StatusId::new(FIRST_REBLOG + n));
        let announced: Vec<StatusId> = newest_first.chain([status]).collect();
        assert_eq!(deletion_events(&world), announced);
        let mut left = popular.dependents(&world);
        let mut steps = 0;
        while !world.write(move |tx| statuses::remove_rest(tx, status)) {
            popular.require_gone(&world);
            let now = popular.dependents(&world);
            assert!(left - now <= 200, "{now} of {left} are left");
            (left, steps) = (now, steps + 1);
        }
        assert!(steps >= 7, "{steps} steps");
        assert_eq!(popular.dependents(&world), 0);
        let row = status_rows::table.find(status).count();
        assert_eq!(world.read(|conn| Ok(row.get_result::<i64>(conn)?)), 0);
        popular.require_gone(&world);
        assert_eq!(deletion_events(&world), announced);
        assert!(world.write(move |tx| statuses::remove_rest(tx, status)));
    }

    fn quotes_of_a_deleted_status_are_released_in_chunks(database: &TestDatabase) {
        let world = World::on(database);
        let many = 250;
        let popular = Popular::with_quotes(&world, many);
        let status = popular.status;
        let quoting = || {
            let quoting = status_rows::table.filter(status_rows::quote_of_id.eq(status)).count();
            world.read(|conn| Ok(quoting.get_result::<i64>(conn)?))
        };
        require_quote_state(&world, many, QuoteState::Accepted);
        assert_eq!(world.write(move |tx| statuses::remove(tx, status)), Removal::Begun);
        // Everyone sees at once that the quoted status is deleted, whichever quotes still name it.
        assert_eq!(quoting(), many);
        popular.require_gone(&world);
        require_quote_state(&world, many, QuoteState::Deleted);
        let (mut left, mut steps) = (many, 0);
        while !world.write(move |tx| statuses::remove_rest(tx, status)) {
            popular.require_gone(&world);
            require_quote_state(&world, many, QuoteState::Deleted);
            let now = quoting();
            assert!((0..=100).contains(&(left - now)), "{now} of {left} quotes are left");
            (left, steps) = (now, steps + 1);
        }
        assert!(steps >= 2, "{steps} steps");
        assert_eq!(quoting(), 0);
        assert_eq!(popular.dependents(&world), 0);
        popular.require_gone(&world);
        // The quotes themselves stay, with the decision about each.
        require_quote_state(&world, many, QuoteState::Deleted);
        let kept = status_rows::table.filter(status_rows::quote_state.is_not_null()).count();
        assert_eq!(world.read(|conn| Ok(kept.get_result::<i64>(conn)?)), many);
    }

    fn a_quoted_status_with_few_quotes_is_deleted_at_once(database: &TestDatabase) {
        let world = World::on(database);
        let many = 20;
        let popular = Popular::with_quotes(&world, many);
        let status = popular.status;
        let removal = world.write(move |tx| statuses::remove(tx, status));
        assert!(matches!(removal, Removal::Deleted(_)), "{removal:?}");
        require_quote_state(&world, many, QuoteState::Deleted);
        popular.require_gone(&world);
    }

    fn a_status_with_few_dependent_rows_is_deleted_at_once(database: &TestDatabase) {
        let world = World::on(database);
        let popular = Popular::on(&world, 5);
        let status = popular.status;
        let removal = world.write(move |tx| statuses::remove(tx, status));
        assert!(matches!(removal, Removal::Deleted(_)), "{removal:?}");
        assert_eq!(popular.dependents(&world), 0);
        popular.require_gone(&world);
        assert_eq!(deletion_events(&world).len(), 6);
    }

    fn rest_of_a_present_status_is_not_removed(database: &TestDatabase) {
        let world = World::on(database);
        let popular = Popular::on(&world, 5);
        let status = popular.status;
        assert!(world.write(move |tx| statuses::remove_rest(tx, status)));
        assert!(world.read(|conn| statuses::find_visible(conn, status, None)).is_some());
    }

    fn a_reblog_of_a_hidden_status_can_be_removed(database: &TestDatabase) {
        let world = World::on(database);
        let popular = Popular::on(&world, 130);
        let status = popular.status;
        world.write(move |tx| statuses::remove(tx, status));
        let reblog = StatusId::new(FIRST_REBLOG + 2);
        let removal = world.write(move |tx| statuses::remove(tx, reblog));
        assert_eq!(removal, Removal::Deleted(0));
        popular.require_gone(&world);
    }

    fn a_list_and_an_application_are_deleted_in_chunks(database: &TestDatabase) {
        let world = World::on(database);
        let popular = Popular::on(&world, 25);
        let author = popular.author;
        let crowd = format!(
            "FROM accounts WHERE id > {FIRST_ACCOUNT} AND id <= {FIRST_ACCOUNT} + 25"
        );
        let sql = format!(
            "INSERT INTO follows (id, account_id, target_account_id, created_at)
                 SELECT id, {author}, id, 0 {crowd};
             INSERT INTO lists (id, account_id, title, replies_policy, exclusive, created_at)
                 VALUES (4, {author}, '', 0, FALSE, 0);
             INSERT INTO list_accounts (id, list_id, account_id, follow_id, created_at)
                 SELECT id, 4, id, id, 0 {crowd};
             INSERT INTO applications
                 (id, name, client_id, client_secret_hash, redirect_uris, scopes, created_at)
                 VALUES (5, 'app', 'c', 's', '', 'read', 0);
             INSERT INTO access_tokens
                 (id, token_hash, application_id, account_id, scopes, created_at)
                 SELECT id, username, 5, id, 'read', 0 {crowd};
             UPDATE statuses SET application_id = 5;"
        );
        world.write(move |tx| Ok(tx.batch_execute(&sql)?));
        let mut steps = 0;
        while !world.write(|tx| lists::remove_some(tx, ListId::new(4), 10)) {
            steps += 1;
        }
        assert_eq!(steps, 2);
        assert_eq!(world.read(|conn| lists::count(conn, author)), 0);
        let mut steps = 0;
        while !world.write(|tx| applications::delete_some(tx, ApplicationId::new(5), 10)) {
            steps += 1;
        }
        assert_eq!(steps, 5, "25 tokens, then 27 statuses");
        assert_eq!(world.read(|conn| applications::find(conn, ApplicationId::new(5))), None);
        assert_eq!(world.read(doctor::dangling_references), []);
    }

    fn an_account_with_many_rows_is_deleted_in_chunks(database: &TestDatabase) {
        let world = World::on(database);
        let popular = Popular::on(&world, 130);
        let (author, reblogger) = (popular.author, AccountId::new(FIRST_ACCOUNT + 3));
        let crowd = format!(
            "FROM accounts WHERE id > {FIRST_ACCOUNT} AND id <= {FIRST_ACCOUNT} + 130"
        );
        let sql = format!(
            "INSERT INTO blocks (id, account_id, target_account_id, created_at)
                 SELECT id, id, {author}, 0 {crowd};
             INSERT INTO mutes (id, account_id, target_account_id, created_at)
                 SELECT id, {author}, id, 0 {crowd};
             INSERT INTO account_notes (account_id, target_account_id, comment, updated_at)
                 SELECT {author}, id, '', 0 {crowd};
             INSERT INTO follows (id, account_id, target_account_id, created_at)
                 SELECT id, {author}, id, 0 {crowd};
             INSERT INTO lists (id, account_id, title, replies_policy, exclusive, created_at)
                 VALUES (4, {author}, '', 0, FALSE, 0);
             INSERT INTO list_accounts (id, list_id, account_id, follow_id, created_at)
                 SELECT id, 4, id, id, 0 {crowd};
             INSERT INTO idempotency_keys (account_id, key, status_id, created_at)
                 SELECT {author}, username, id, 0 {crowd};
             INSERT INTO notifications
                 (id, account_id, from_account_id, kind, status_id, subject_id, created_at)
                 SELECT id, {author}, id, 'follow', NULL, 0, 0 {crowd};
             UPDATE accounts SET moved_to_account_id = {author} WHERE id > {FIRST_ACCOUNT}
                 AND id <= {FIRST_ACCOUNT} + 50;"
        );
        world.write(move |tx| Ok(tx.batch_execute(&sql)?));
        repair_counters(&world);
        for account in [reblogger, author] {
            let mut steps = 0;
            while !world.write(move |tx| accounts::remove_some(tx, account)) {
                let mut wrong = world.read(doctor::wrong_counters);
                // The counters of the account itself go with it.
                wrong.retain(|counter| counter.id != account.get());
                assert_eq!(wrong, []);
                steps += 1;
            }
            assert_eq!(world.read(|conn| accounts::find(conn, account)), None);
            assert_eq!(world.read(doctor::wrong_counters), []);
            assert_eq!(world.read(doctor::dangling_references), []);
            assert!(account == reblogger || steps > 15, "{steps} steps");
        }
        assert_eq!(popular.dependents(&world), 0);
    }
}

/// Rows with a reference to an account that `tables.rs` does not list, because they have counters or
/// files and so a function of their own, or because they are few.
const NOT_LISTED: [&str; 18] = [
    "account_stats.account_id",
    "account_terms.account_id",
    "accounts.moved_to_account_id",
    "domain_limits.account_id",
    "favourites.account_id",
    "featured_tags.account_id",
    "feeds.account_id",
    "email_topics.account_id",
    "follows.account_id",
    "follows.target_account_id",
    "mailed_links.account_id",
    "markers.account_id",
    "media_attachments.account_id",
    "poll_votes.account_id",
    "status_pins.account_id",
    "statuses.account_id",
    "users.account_id",
    "waiting_emails.account_id",
];

#[derive(QueryableByName)]
struct Reference {
    #[diesel(sql_type = Text)]
    child: String,
    #[diesel(sql_type = Text)]
    column_name: String,
}

#[test]
fn every_reference_to_an_account_is_deleted_in_chunks_or_known_to_be_short() {
    let database = TestDatabase::new(Engine::Sqlite);
    let mut conn = Conn::open(database.url()).unwrap();
    let references: Vec<Reference> = sql_query(
        "SELECT tables.name AS child, keys.\"from\" AS column_name
         FROM sqlite_master AS tables, pragma_foreign_key_list(tables.name) AS keys
         WHERE tables.type = 'table' AND keys.\"table\" = 'accounts'",
    )
    .load(&mut conn)
    .unwrap();
    assert!(references.len() > 40);
    for Reference { child, column_name } in references {
        let condition = format!("{column_name} = $1");
        let is_listed = TABLES
            .iter()
            .any(|table| table.name == child && table.of_account.contains(&condition.as_str()));
        let name = format!("{child}.{column_name}");
        assert!(is_listed || NOT_LISTED.contains(&name.as_str()), "{name}");
    }
}

/// Returns the longest time for which a write since the last call held the writer lane, and the
/// number of writes.
fn longest_hold(store: &Store) -> (Duration, usize) {
    let writes = store.take_counted();
    let longest = writes.iter().filter(|write| write.writes).map(|write| write.took).max();
    (longest.unwrap_or_default(), writes.len())
}

#[test]
fn removals_hold_the_writer_lane_only_for_a_moment() {
    let from_env = env::var("SISKIN_REBLOGS").ok().and_then(|number| number.parse().ok());
    let many: i64 = from_env.unwrap_or(2000);
    let database = TestDatabase::new(Engine::Sqlite);
    let (status, author) = {
        let world = World::on(&database);
        let popular = Popular::on(&world, many);
        (popular.status, popular.author)
    };
    let store = Store::open(&StoreOptions::new(database.url()).count_statements()).unwrap();
    longest_hold(&store);
    assert_eq!(store.write(move |tx| statuses::remove(tx, status)).unwrap(), Removal::Begun);
    let (first, _) = longest_hold(&store);
    while !store.write(move |tx| statuses::remove_rest(tx, status)).unwrap() {}
    let (rest, steps) = longest_hold(&store);
    while !store.write(move |tx| accounts::remove_some(tx, author)).unwrap() {}
    let (account, _) = longest_hold(&store);
    println!("{many} rebloggers: hidden in {first:?}, {steps} chunks of at most {rest:?}");
    for (what, hold) in [("first step", first), ("chunk", rest), ("account", account)] {
        assert!(hold < LONGEST_HOLD, "{what}: {hold:?}");
    }
}
