//! PostgreSQL server of the tests, and its databases.

use std::{
    env, process,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use diesel::{
    Connection, PgConnection, QueryableByName, RunQueryDsl, connection::SimpleConnection,
    sql_query, sql_types::BigInt,
};

use self::installation::{Installation, Missing};

mod installation;
mod server;

/// Environment variable with the URL of a running server. Its user must be allowed to create
/// databases.
const SERVER: &str = "SISKIN_TEST_POSTGRES";

/// Advisory lock for the creation of templates; an arbitrary number that is unused elsewhere.
const TEMPLATE_LOCK: i64 = 0x5153_4b49_4e00_7e57;

/// Maximum time for sessions to end.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Source of the test server.
#[derive(Debug)]
pub enum Source {
    Running(String),
    Installed(Installation),
}

/// Returns the server in `SISKIN_TEST_POSTGRES`, or the programs to start one.
pub fn find() -> Result<&'static Source, &'static Missing> {
    static FOUND: OnceLock<Result<Source, Missing>> = OnceLock::new();
    FOUND
        .get_or_init(|| match env::var(SERVER) {
            Ok(url) if !url.is_empty() => Ok(Source::Running(url)),
            _ => Installation::find().map(Source::Installed),
        })
        .as_ref()
}

/// Creates the database `name` as a copy of `template`, or without tables.
pub fn create_database(name: &str, template: Option<&str>) -> Result<()> {
    // template0 never has connections, so it can always be copied.
    let template = template.unwrap_or("template0");
    let strategy = server()?.copy_strategy;
    let sql = format!("CREATE DATABASE {name} TEMPLATE {template} {strategy}");
    administration()?.batch_execute(&sql).with_context(|| sql)
}

/// Drops the database `name` and terminates its connections.
pub fn drop_database(name: &str) -> Result<()> {
    let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
    administration()?.batch_execute(&sql).with_context(|| sql)
}

/// Terminates all sessions on the database `name`, even busy ones, and waits for their end. Sessions
/// that begin from now on stay.
pub fn disconnect(name: &str) -> Result<()> {
    let connection = &mut *administration()?;
    let clock = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) AS number";
    let now = number(connection, clock)?;
    let sessions = format!(
        "FROM pg_stat_activity WHERE datname = '{name}'
         AND extract(epoch FROM backend_start) * 1000000 <= {now}"
    );
    // A session that is just beginning may appear only at a later look, so each look terminates.
    let terminate = format!("SELECT count(pg_terminate_backend(pid)) AS number {sessions}");
    wait_for_none(connection, &terminate, name)
}

/// Waits until `count` returns 0 sessions.
fn wait_for_none(connection: &mut PgConnection, count: &str, database: &str) -> Result<()> {
    let begun = Instant::now();
    while number(connection, count)? > 0 {
        ensure!(begun.elapsed() < TIMEOUT, "{database} is still in use");
        sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Sets whether the database `name` accepts connections.
pub fn allow_connections(name: &str, allow: bool) -> Result<()> {
    let sql = format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {allow}");
    administration()?.batch_execute(&sql).with_context(|| sql)
}

/// Returns the number of deadlocks in a database. Sessions report them at their end at the latest,
/// so the function waits until there are no sessions.
pub fn deadlocks(name: &str) -> Result<i64> {
    let connection = &mut *administration()?;
    let sessions = format!(
        "SELECT count(*) AS number FROM pg_stat_activity \
         WHERE datname = '{name}' AND backend_type = 'client backend'"
    );
    wait_for_none(connection, &sessions, name)?;
    let sql = format!("SELECT deadlocks AS number FROM pg_stat_database WHERE datname = '{name}'");
    number(connection, &sql)
}

/// Creates the database `name` and fills it with `fill`, unless it exists. Processes that share the
/// server wait for each other. The threads of one process share a session and must take turns.
pub fn create_template(name: &str, fill: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    advisory("pg_advisory_lock")?;
    let created = if exists(name)? { Ok(()) } else { fill_template(name, fill) };
    advisory("pg_advisory_unlock")?;
    created
}

/// Fills the template under a temporary name, so that a half-filled one of a killed process is not
/// used.
fn fill_template(name: &str, fill: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    let draft = new_name("draft");
    create_database(&draft, None)?;
    fill(&url_of(&draft)?)?;
    // A database can only be copied while it has no connections.
    administration()?.batch_execute(&format!(
        "ALTER DATABASE {draft} RENAME TO {name}; ALTER DATABASE {name} ALLOW_CONNECTIONS false"
    ))?;
    Ok(())
}

fn exists(database: &str) -> Result<bool> {
    let sql = format!("SELECT count(*) AS number FROM pg_database WHERE datname = '{database}'");
    Ok(number(&mut *administration()?, &sql)? > 0)
}

/// Returns the column `number` of the only row that `sql` selects.
fn number(connection: &mut PgConnection, sql: &str) -> Result<i64> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        number: i64,
    }
    let row: Row = sql_query(sql).get_result(connection)?;
    Ok(row.number)
}

/// Returns the clause for copying files. It is several times faster than the default since version
/// 15, which writes every page of the copy to the log. Older versions always copy files and do not
/// know the clause.
fn copy_strategy(connection: &mut PgConnection) -> Result<&'static str> {
    let sql = "SELECT current_setting('server_version_num')::bigint AS number";
    Ok(if number(connection, sql)? >= 150_000 { "STRATEGY file_copy" } else { "" })
}

fn advisory(function: &str) -> Result<()> {
    administration()?.batch_execute(&format!("SELECT {function}({TEMPLATE_LOCK})"))?;
    Ok(())
}

/// Returns a unique name for a database.
pub fn new_name(kind: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{kind}_{}_{count}_{:08x}", process::id(), rand::random::<u32>())
}

/// Returns the URL of the database `name` on the test server.
pub fn url_of(name: &str) -> Result<String> {
    Ok(with_database(&server()?.url, name))
}

fn with_database(url: &str, name: &str) -> String {
    let (address, parameters) = match url.split_once('?') {
        Some((address, parameters)) => (address, format!("?{parameters}")),
        None => (url, String::new()),
    };
    let host = address.find("://").map_or(0, |scheme| scheme + 3);
    let path = address[host..].find('/').map_or(address.len(), |path| host + path);
    format!("{}/{name}{parameters}", &address[..path])
}

/// Server that this process uses.
struct Server {
    url: String,
    copy_strategy: &'static str,
    /// Kept open as long as the process lives, because a shared server stops without connections.
    administration: Mutex<PgConnection>,
}

fn administration() -> Result<MutexGuard<'static, PgConnection>> {
    Ok(server()?.administration.lock().unwrap_or_else(PoisonError::into_inner))
}

fn server() -> Result<&'static Server> {
    static SERVER: OnceLock<Server> = OnceLock::new();
    static STARTING: Mutex<()> = Mutex::new(());
    let _guard = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = SERVER.get() {
        return Ok(server);
    }
    let (url, mut connection) = match find().map_err(|missing| anyhow::anyhow!("{missing}"))? {
        Source::Running(url) => {
            let connection = PgConnection::establish(url)
                .with_context(|| format!("cannot connect to the server in {}", self::SERVER))?;
            (url.clone(), connection)
        }
        Source::Installed(installation) => server::join_or_start(installation)?,
    };
    let copy_strategy = copy_strategy(&mut connection)?;
    let administration = Mutex::new(connection);
    Ok(SERVER.get_or_init(|| Server { url, copy_strategy, administration }))
}

#[cfg(test)]
mod tests {
    use super::with_database;

    #[test]
    fn with_database_replaces_only_the_database_name() {
        for (url, expected) in [
            ("postgres://u:p@h:1/a", "postgres://u:p@h:1/b"),
            ("postgres://h", "postgres://h/b"),
            ("postgres://u@/a?host=/tmp/x&port=1", "postgres://u@/b?host=/tmp/x&port=1"),
            ("postgres://h?sslmode=disable", "postgres://h/b?sslmode=disable"),
        ] {
            assert_eq!(with_database(url, "b"), expected);
        }
    }
}
