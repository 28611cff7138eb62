//! Query plans: records statements and lets the engines explain them.

use std::sync::{Arc, Mutex};

use diesel::{
    connection::{Connection, InstrumentationEvent},
    prelude::*,
    sql_query,
    sql_types::Text,
};
use siskin_persistence::{Conn, Result};
use siskin_test_support::TestDatabase;

/// Returns the plan of each statement that `queries` runs.
pub fn plans<T>(
    database: &TestDatabase,
    queries: impl FnOnce(&mut Conn) -> Result<T>,
) -> Vec<String> {
    let statements = statements(database, queries);
    let mut conn = Conn::open(database.url()).unwrap();
    statements.iter().map(|query| explain(&mut conn, query)).collect()
}

/// Returns each statement that `queries` runs, with its values.
pub fn statements<T>(
    database: &TestDatabase,
    queries: impl FnOnce(&mut Conn) -> Result<T>,
) -> Vec<String> {
    let statements = Arc::new(Mutex::new(Vec::new()));
    let recorder = Arc::clone(&statements);
    let mut conn = Conn::open(database.url()).unwrap();
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            recorder.lock().unwrap().push(query.to_string());
        }
    });
    queries(&mut conn).unwrap();
    std::mem::take(&mut *statements.lock().unwrap())
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

fn explain(conn: &mut Conn, statements: &str) -> String {
    let query = statements.split(" -- binds:").next().unwrap();
    if conn.is_sqlite() {
        #[derive(QueryableByName)]
        struct Step {
            #[diesel(sql_type = Text)]
            detail: String,
        }
        let steps: Vec<Step> = sql_query(format!("EXPLAIN QUERY PLAN {query}")).load(conn).unwrap();
        return steps.into_iter().map(|step| step.detail + "\n").collect();
    }
    // Generic plan, for all parameters. The planner reads small tables completely and sorts them
    // unless that is expensive. If no index fits, it still does so.
    sql_query("SET plan_cache_mode = force_generic_plan").execute(conn).unwrap();
    for way in ["seqscan", "bitmapscan", "sort"] {
        sql_query(format!("SET enable_{way} = off")).execute(conn).unwrap();
    }
    sql_query(format!("PREPARE explained AS {query}")).execute(conn).unwrap();
    let parameters = (1..).take_while(|number| query.contains(&format!("${number}"))).count();
    let nulls = vec!["NULL"; parameters].join(", ");
    let call = if parameters == 0 { String::new() } else { format!("({nulls})") };
    sql_query(format!(
        "CREATE FUNCTION pg_temp.explained() RETURNS SETOF text LANGUAGE plpgsql AS
         $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN EXECUTE explained{call}'; END $$"
    ))
    .execute(conn)
    .unwrap();
    let lines: Vec<Line> =
        sql_query("SELECT line FROM pg_temp.explained() AS line").load(conn).unwrap();
    sql_query("DROP FUNCTION pg_temp.explained()").execute(conn).unwrap();
    sql_query("DEALLOCATE explained").execute(conn).unwrap();
    lines.into_iter().map(|Line { line }| line + "\n").collect()
}

/// Returns `true` if a plan reads a whole table, also to build an index of it for one statement.
pub fn reads_all(plan: &str) -> bool {
    // A table of at most 200 rows.
    let is_small = |line: &&str| line.contains(" trending_tags");
    plan.lines().filter(|line| !is_small(line)).any(|line| {
        line.contains("Seq Scan")
            || line.contains("USING AUTOMATIC")
            || (line.starts_with("SCAN ")
                && !line.contains("CONSTANT")
                && !line.contains("SUBQUERY")
                // The list of values, bound as one parameter.
                && !line.contains("json_each")
                // The terms of a full-text query.
                && !line.starts_with("SCAN status_terms VIRTUAL TABLE INDEX")
                // The viewer's interactions, from subqueries with a limit.
                && line != "SCAN limited"
                && line != "SCAN known"
                // The groups of a page, which are a list of values with their counts.
                && line != "SCAN listed"
                // The statuses that a recursive query has found so far.
                && line != "SCAN thread")
    })
}

/// Returns `true` if a plan sorts.
pub fn sorts(plan: &str) -> bool {
    plan.contains("Sort Key") || plan.contains("TEMP B-TREE FOR")
}
