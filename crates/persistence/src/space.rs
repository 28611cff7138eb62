//! Sizes of the database and of the stored files.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
    upsert::excluded,
};
use siskin_entities::{
    Timestamp,
    usage::{DatabaseSoftware, FileKind, FilesOfKind, MediaUsage, TableRows},
};

use crate::{
    Conn, Error, Result, Tx,
    conn::{OnEngine, each},
    schema::stored_files,
};

/// The tables that grow with the server.
const TABLES: [&str; 14] = [
    "accounts",
    "users",
    "follows",
    "statuses",
    "mentions",
    "statuses_tags",
    "favourites",
    "bookmarks",
    "media_attachments",
    "notifications",
    "feed_entries",
    "account_terms",
    "events",
    "jobs",
];
/// Number of values of the first byte of a file name.
const PREFIXES: usize = 256;

#[derive(QueryableByName)]
struct NumberRow {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = Text)]
    value: String,
}

#[derive(QueryableByName)]
struct TableRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// Returns the engine and its version.
pub fn software(conn: &mut Conn) -> Result<DatabaseSoftware> {
    let (key, name, sql) = if conn.is_sqlite() {
        ("sqlite", "SQLite", "SELECT sqlite_version() AS value")
    } else {
        ("postgresql", "PostgreSQL", "SELECT current_setting('server_version') AS value")
    };
    let version: TextRow = sql_query(sql).get_result(conn)?;
    // Distributions of PostgreSQL add their own version.
    let version = version.value.split(' ').next().unwrap_or_default().to_owned();
    Ok(DatabaseSoftware { key, name, version })
}

/// Returns the size of the database in bytes, with indexes and free pages.
pub fn database_bytes(conn: &mut Conn) -> Result<i64> {
    let sql = if conn.is_sqlite() {
        "SELECT page_count * page_size AS value FROM pragma_page_count(), pragma_page_size()"
    } else {
        "SELECT pg_database_size(current_database()) AS value"
    };
    Ok(sql_query(sql).get_result::<NumberRow>(conn)?.value)
}

/// Returns the numbers of rows of the tables that grow with the server. PostgreSQL has an estimate.
/// SQLite has none, so each table is counted by its smallest index; callers cache the result.
pub fn table_rows(conn: &mut Conn) -> Result<Vec<TableRows>> {
    match conn.on_engine() {
        OnEngine::Postgres(pg) => {
            let rows: Vec<TableRow> = sql_query(
                "SELECT CAST(relname AS TEXT) AS name, n_live_tup AS value \
                 FROM pg_stat_user_tables WHERE schemaname = current_schema()",
            )
            .load(pg)?;
            let estimate = |name| {
                let row = rows.iter().find(|row| row.name == name);
                TableRows { name, rows: row.map_or(0, |row| row.value) }
            };
            Ok(TABLES.into_iter().map(estimate).collect())
        }
        OnEngine::Sqlite(sqlite) => {
            let mut counted = Vec::with_capacity(TABLES.len());
            for name in TABLES {
                let count = sql_query(format!("SELECT COUNT(*) AS value FROM {name}"));
                let row: NumberRow = count.get_result(sqlite)?;
                counted.push(TableRows { name, rows: row.value });
            }
            Ok(counted)
        }
    }
}

/// Returns the sizes of the stored files by kind, without the free space.
pub fn files(conn: &mut Conn) -> Result<MediaUsage> {
    let rows: Vec<(String, i64, i64, i64)> = stored_files::table
        .select((
            stored_files::kind,
            stored_files::files,
            stored_files::bytes,
            stored_files::listed_at,
        ))
        .load(conn)?;
    let is_complete = rows.len() == PREFIXES * FileKind::ALL.len();
    let oldest = rows.iter().map(|(.., listed_at)| *listed_at).min();
    let mut kinds = FileKind::ALL.map(|kind| FilesOfKind { kind, files: 0, bytes: 0 });
    for (kind, files, bytes, _) in rows {
        let kind: FileKind = kind.parse().map_err(|_| Error::Damaged("stored_files.kind"))?;
        for of_kind in kinds.iter_mut().filter(|of_kind| of_kind.kind == kind) {
            of_kind.files += files;
            of_kind.bytes += bytes;
        }
    }
    Ok(MediaUsage {
        kinds: kinds.into_iter().filter(|of_kind| of_kind.files > 0).collect(),
        listed_at: oldest.filter(|_| is_complete).map(Timestamp::from_unix_ms),
        free_bytes: None,
    })
}

/// Stores the sizes of the files with names that start with this byte. `found` has each kind at
/// most once.
pub fn save_files(tx: &mut Tx<'_>, prefix: u8, found: &[FilesOfKind]) -> Result<()> {
    let now = tx.now().unix_ms();
    for kind in FileKind::ALL {
        let found = found.iter().find(|of_kind| of_kind.kind == kind);
        let row = (
            stored_files::prefix.eq(i16::from(prefix)),
            stored_files::kind.eq(kind.as_str()),
            stored_files::files.eq(found.map_or(0, |found| found.files)),
            stored_files::bytes.eq(found.map_or(0, |found| found.bytes)),
            stored_files::listed_at.eq(now),
        );
        each!(&mut **tx, conn => diesel::insert_into(stored_files::table)
            .values(row)
            .on_conflict((stored_files::prefix, stored_files::kind))
            .do_update()
            .set((
                stored_files::files.eq(excluded(stored_files::files)),
                stored_files::bytes.eq(excluded(stored_files::bytes)),
                stored_files::listed_at.eq(excluded(stored_files::listed_at)),
            ))
            .execute(conn))?;
    }
    Ok(())
}

/// Returns the first bytes of file names that were never listed.
pub fn unlisted_prefixes(conn: &mut Conn) -> Result<Vec<u8>> {
    let listed: Vec<i16> =
        stored_files::table.select(stored_files::prefix).distinct().load(conn)?;
    Ok((0..=u8::MAX).filter(|prefix| !listed.contains(&i16::from(*prefix))).collect())
}
