//! Long lists of followers. Each follower is on exactly one page, and all pages cost the same,
//! because an index yields the rows in order.
//!
//! `SISKIN_FOLLOWERS` sets the number of followers (default 1,000); `make bench` measures with
//! 100,000.

#![expect(clippy::print_stdout, reason = "a measurement prints its results")]

use std::{
    env,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use diesel::{
    connection::{Connection, InstrumentationEvent, SimpleConnection},
    prelude::*,
    sql_query,
    sql_types::Text,
};
use siskin_entities::{Cursor, Page, PageRequest};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    relationships::{Direction, followed_accounts},
};
use siskin_test_support::both_engines;

use crate::world::World;

const PAGE: i64 = 80;
/// Below all ids that the store generates.
const FIRST_ACCOUNT: i64 = 1_000_000;
const FIRST_FOLLOW: i64 = 5_000_000;
/// Distance between the ids of two follows of the owner.
const GAP: i64 = 8;

fn followers() -> i64 {
    let from_env = env::var("SISKIN_FOLLOWERS").ok().and_then(|number| number.parse().ok());
    from_env.unwrap_or(1000)
}

/// Inserts `many` accounts that follow `owner` and are followed by `owner`. The newest account is
/// followed first. The accounts also follow each other, so that the lists of `owner` are a small
/// part of the table, as on a real server.
fn fill(conn: &mut Conn, owner: AccountId, many: i64) {
    let numbers = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {many})"
    );
    let accounts = format!(
        "INSERT INTO accounts (id, username, username_key, uri, created_at, updated_at)
         SELECT {FIRST_ACCOUNT} + n, 'f' || n, 'f' || n, 'http://siskin.test/f' || n, 0, 0
         FROM numbers"
    );
    let follows = |first: i64, from: &str, to: &str| {
        format!(
            "INSERT INTO follows (id, account_id, target_account_id, created_at)
             SELECT {first} + {GAP} * n, {from}, {to}, 0 FROM numbers"
        )
    };
    let follower = format!("{} - n", FIRST_ACCOUNT + many + 1);
    let me = owner.to_string();
    for rows in [
        accounts,
        follows(FIRST_FOLLOW, &follower, &me),
        follows(FIRST_FOLLOW + GAP * many, &me, &follower),
        among_each_other(many),
    ] {
        sql_query(format!("{numbers} {rows}")).execute(conn).unwrap();
    }
    conn.batch_execute("ANALYZE").unwrap();
}

fn read(
    conn: &mut Conn,
    owner: AccountId,
    direction: Direction,
    cursor: Cursor,
) -> Page<AccountId> {
    let request = PageRequest { cursor, limit: PAGE };
    let rows = followed_accounts(conn, owner, direction, request).unwrap();
    Page::of(rows, PAGE, |listed| listed.row).map(|listed| listed.account)
}

/// Returns the SQL that lets each account follow the ten after it. Their ids lie between those of
/// the owner's follows.
fn among_each_other(many: i64) -> String {
    format!(
        "INSERT INTO follows (id, account_id, target_account_id, created_at)
         SELECT {FIRST_FOLLOW} + {GAP} * (n + {many} * (step / 5)) + 1 + step % 5,
             {FIRST_ACCOUNT} + n, {FIRST_ACCOUNT} + 1 + (n + step) % {many}, 0
         FROM numbers CROSS JOIN (
             SELECT 0 AS step UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4
             UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9
         ) AS steps"
    )
}

/// Returns the cursor of the next page.
type Step = fn(&Page<AccountId>) -> Option<Cursor>;

fn downwards(page: &Page<AccountId>) -> Option<Cursor> {
    page.full.then(|| Cursor { max: page.oldest, ..Cursor::default() })
}

fn upwards(page: &Page<AccountId>) -> Option<Cursor> {
    page.full.then(|| Cursor { min: page.newest, ..Cursor::default() })
}

/// Loads all pages from `start`, and measures each.
fn walk(
    conn: &mut Conn,
    owner: AccountId,
    direction: Direction,
    start: Cursor,
    step: Step,
) -> (Vec<Vec<AccountId>>, Vec<Duration>) {
    let (mut pages, mut took, mut next) = (Vec::new(), Vec::new(), Some(start));
    while let Some(cursor) = next {
        let began = Instant::now();
        let page = read(conn, owner, direction, cursor);
        took.push(began.elapsed());
        next = step(&page);
        pages.push(page.items);
    }
    (pages, took)
}

/// Returns the median times of the first, the middle and the last tenth of the pages.
fn summary(took: &[Duration]) -> String {
    let tenth = (took.len() / 10).max(1);
    let middle = |part: &[Duration]| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part[part.len() / 2]
    };
    let half = took.len() / 2;
    let (first, last) = (&took[..tenth], &took[took.len() - tenth..]);
    let between = &took[half..(half + tenth).min(took.len())];
    format!(
        "first pages {:?}, middle {:?}, last {:?}",
        middle(first),
        middle(between),
        middle(last)
    )
}

#[derive(QueryableByName)]
struct SqliteStep {
    #[diesel(sql_type = Text)]
    detail: String,
}

#[derive(QueryableByName)]
struct PostgresLine {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    line: String,
}

/// Returns the query plan for the page that begins at `cursor`.
fn plan(conn: &mut Conn, owner: AccountId, direction: Direction, cursor: Cursor) -> String {
    let statements = Arc::new(Mutex::new(Vec::new()));
    let recorder = Arc::clone(&statements);
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            recorder.lock().unwrap().push(query.to_string());
        }
    });
    read(conn, owner, direction, cursor);
    conn.set_instrumentation(|_: InstrumentationEvent<'_>| {});
    let statement_text = statements.lock().unwrap()[0].clone();
    assert!(statement_text.contains("follows"), "{statement_text}");
    if conn.is_sqlite() {
        // The plan of a cached statement is the same for all values.
        let (statement, _) = statement_text.split_once(" -- binds: ").unwrap();
        let steps: Vec<SqliteStep> =
            sql_query(format!("EXPLAIN QUERY PLAN {statement}")).load(conn).unwrap();
        steps.into_iter().map(|step| step.detail + "\n").collect()
    } else {
        let lines: Vec<PostgresLine> =
            sql_query(format!("EXPLAIN {}", with_values(&statement_text))).load(conn).unwrap();
        lines.into_iter().map(|line| line.line + "\n").collect()
    }
}

/// Replaces the binds of a statement, as diesel prints it, with its values.
fn with_values(statement_text: &str) -> String {
    let (sql, values) = statement_text.split_once(" -- binds: [").unwrap();
    // diesel prints an id with its type around it.
    let bare = |value: &'_ str| value.rsplit('(').next().unwrap().trim_end_matches(')').to_owned();
    let values: Vec<String> = values.trim_end_matches(']').split(", ").map(bare).collect();
    let mut sql = sql.to_owned();
    for (at, value) in values.iter().enumerate().rev() {
        sql = sql.replace(&format!("${}", at + 1), value);
    }
    for value in values {
        sql = sql.replacen('?', &value, 1);
    }
    sql
}

both_engines! {
    fn long_lists_page_through_each_follower_once(database: &TestDatabase) {
        let world = World::on(database);
        let owner = world.person("owner");
        let mut conn = Conn::open(database.url()).unwrap();
        let many = followers();
        fill(&mut conn, owner, many);
        let newest_first: Vec<AccountId> =
            (1..=many).map(|n| AccountId::new(FIRST_ACCOUNT + n)).collect();
        for direction in [Direction::Followers, Direction::Following] {
            let (pages, took) =
                walk(&mut conn, owner, direction, Cursor::default(), downwards);
            assert!(pages.concat() == newest_first, "{direction:?} downwards");
            println!("{many} {direction:?}, max_id: {}", summary(&took));
            let bottom = Cursor { min: Some(0), ..Cursor::default() };
            let (mut pages, took) = walk(&mut conn, owner, direction, bottom, upwards);
            pages.reverse();
            assert!(pages.concat() == newest_first, "{direction:?} upwards");
            println!("{many} {direction:?}, min_id: {}", summary(&took));
        }
    }

    fn pages_of_long_lists_come_from_an_index_in_order(database: &TestDatabase) {
        let world = World::on(database);
        let owner = world.person("owner");
        let mut conn = Conn::open(database.url()).unwrap();
        let many = 3000;
        fill(&mut conn, owner, many);
        for (direction, index, first) in [
            (Direction::Followers, "follows_target", FIRST_FOLLOW),
            (Direction::Following, "follows_account", FIRST_FOLLOW + GAP * many),
        ] {
            let middle = Some(first + GAP * many / 2);
            for cursor in [
                Cursor::default(),
                Cursor { max: middle, ..Cursor::default() },
                Cursor { min: middle, ..Cursor::default() },
            ] {
                let plan = plan(&mut conn, owner, direction, cursor);
                assert!(plan.contains(index), "{direction:?} {cursor:?}:\n{plan}");
                for sorting in ["Sort", "TEMP B-TREE FOR ORDER BY"] {
                    assert!(!plan.contains(sorting), "{direction:?} {cursor:?}:\n{plan}");
                }
            }
        }
    }
}
