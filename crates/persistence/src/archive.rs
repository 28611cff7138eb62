//! Exports and imports all rows of the [archived](tables::archived) tables as JSON. The JSON is the
//! same on both engines. Backups are built on this module.
//!
//! The engines write and read the JSON themselves. So this module needs no list of columns, and a
//! new column is part of the next backup. Files, checksums and the order of the steps are the
//! caller's part.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Text},
};

use crate::{Conn, Error, Result, Tx, conn::OnEngine, tables};

/// Tables that tell whether a database is in use: a row in one of them means that it is.
const USAGE_TABLES: &[&str] = &["accounts", "applications", "statuses"];

/// One column, as the engine describes it.
#[derive(Debug, QueryableByName)]
struct Column {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Bool)]
    in_key: bool,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    row: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Passes each row of `table` to `sink` as one line of JSON, ordered by the primary key. Returns
/// the number of rows. All tables that are dumped in one [`crate::Store::read`] belong to one
/// database snapshot.
///
/// # Errors
/// Storage errors, and those of `sink`.
pub fn dump<E: From<Error>>(
    conn: &mut Conn,
    table: &str,
    mut sink: impl FnMut(&str) -> Result<(), E>,
) -> Result<u64, E> {
    let columns = columns(conn, table)?;
    let mut count = 0;
    let mut take = |row: QueryResult<Row>| {
        count += 1;
        sink(&row.map_err(Error::from)?.row)
    };
    match conn.on_engine() {
        OnEngine::Postgres(pg) => {
            use diesel::pg::PgRowByRowLoadingMode;
            sql_query(postgres_dump(table, &columns))
                .load_iter::<Row, PgRowByRowLoadingMode>(pg)
                .map_err(Error::from)?
                .try_for_each(&mut take)?;
        }
        OnEngine::Sqlite(sqlite) => {
            use diesel::connection::DefaultLoadingMode;
            sql_query(sqlite_dump(table, &columns))
                .load_iter::<Row, DefaultLoadingMode>(sqlite)
                .map_err(Error::from)?
                .try_for_each(&mut take)?;
        }
    }
    Ok(count)
}

fn postgres_dump(table: &str, columns: &[Column]) -> String {
    let names = joined(columns, |column| column.name.clone());
    // Byte order, which SQLite sorts by, independent of the locale of the database.
    let order = joined(columns.iter().filter(|column| column.in_key), |column| {
        let collation = if column.kind == "text" { " COLLATE \"C\"" } else { "" };
        format!("{}{collation}", column.name)
    });
    format!(
        "SELECT row_to_json(kept)::text AS row
         FROM (SELECT {names} FROM {table} ORDER BY {order}) AS kept"
    )
}

fn sqlite_dump(table: &str, columns: &[Column]) -> String {
    let members = joined(columns, |Column { name, kind, .. }| match kind.as_str() {
        // SQLite stores booleans as numbers. The `ELSE` covers NULL.
        "BOOLEAN" => format!(
            "'{name}', json(CASE {name} WHEN 0 THEN 'false' WHEN 1 THEN 'true' ELSE 'null' END)"
        ),
        // JSON contains no bytes. PostgreSQL writes them in this form.
        "BLOB" => format!("'{name}', '\\x' || lower(hex({name}))"),
        _ => format!("'{name}', {name}"),
    });
    let order = joined(columns.iter().filter(|column| column.in_key), |column| column.name.clone());
    format!("SELECT json_object({members}) AS row FROM {table} ORDER BY {order}")
}

/// Inserts rows that [`dump`] wrote. References are checked once all tables are loaded, see
/// [`load_all`].
fn load(tx: &mut Tx<'_>, table: &str, rows: &[String]) -> Result<()> {
    let columns = columns(tx, table)?;
    let names = joined(&columns, |column| column.name.clone());
    let sql = if tx.is_sqlite() {
        let values = joined(&columns, |Column { name, kind, .. }| match kind.as_str() {
            "BLOB" => format!("unhex(substr(value ->> '{name}', 3))"),
            _ => format!("value ->> '{name}'"),
        });
        format!("INSERT INTO {table} ({names}) SELECT {values} FROM json_each(?)")
    } else {
        format!(
            "INSERT INTO {table} ({names})
             SELECT {names} FROM json_populate_recordset(NULL::{table}, $1::json)"
        )
    };
    sql_query(sql).bind::<Text, _>(format!("[{}]", rows.join(","))).execute(&mut **tx)?;
    Ok(())
}

/// Fills an unused database. Calls `source` until it returns no more rows; each call yields some
/// rows of one table. Deletes the rows that the migrations inserted first.
///
/// # Errors
/// [`Error::NotEmpty`] if the database is in use; [`Error::Damaged`] if a table is unknown or a
/// reference points to a missing row; those of `source`.
pub fn load_all<E: From<Error>>(
    tx: &mut Tx<'_>,
    mut source: impl FnMut() -> Result<Option<(String, Vec<String>)>, E>,
) -> Result<(), E> {
    if !is_empty(tx)? {
        return Err(Error::NotEmpty.into());
    }
    defer_references(tx)?;
    for table in tables::archived() {
        sql_query(format!("DELETE FROM {table}")).execute(&mut **tx).map_err(Error::from)?;
    }
    while let Some((table, rows)) = source()? {
        if tables::archived().all(|known| known != table) {
            return Err(Error::Damaged("the name of a table").into());
        }
        load(tx, &table, &rows)?;
    }
    Ok(check_references(tx)?)
}

/// Returns `true` if the database contains no accounts, applications or statuses.
///
/// # Errors
/// Storage errors.
pub fn is_empty(conn: &mut Conn) -> Result<bool> {
    for table in USAGE_TABLES {
        if count(conn, table)? > 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Counts the rows of a table.
///
/// # Errors
/// Storage errors.
pub fn count(conn: &mut Conn, table: &str) -> Result<i64> {
    let sql = format!("SELECT COUNT(*) AS count FROM {table}");
    Ok(sql_query(sql).get_result::<Count>(conn)?.count)
}

/// Loads the columns of a table, sorted by name.
fn columns(conn: &mut Conn, table: &str) -> Result<Vec<Column>> {
    let sql = if conn.is_sqlite() {
        "SELECT name, type AS kind, pk > 0 AS in_key FROM pragma_table_info(?)"
    } else {
        "SELECT attname::text AS name, format_type(atttypid, NULL) AS kind,
             EXISTS (SELECT 1 FROM pg_index
                 WHERE indrelid = attrelid AND indisprimary AND attnum = ANY (indkey)) AS in_key
         FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped"
    };
    let mut columns: Vec<Column> = sql_query(sql).bind::<Text, _>(table).load(conn)?;
    columns.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(columns)
}

fn joined<'c>(
    columns: impl IntoIterator<Item = &'c Column>,
    show: impl Fn(&Column) -> String,
) -> String {
    columns.into_iter().map(show).collect::<Vec<_>>().join(", ")
}

/// Defers the check of foreign keys. Rows may refer to later rows, such as an account to the one it
/// moved to.
fn defer_references(tx: &mut Tx<'_>) -> Result<()> {
    if tx.is_sqlite() {
        sql_query("PRAGMA defer_foreign_keys = ON").execute(&mut **tx)?;
        return Ok(());
    }
    alter_references(tx, "DEFERRABLE INITIALLY DEFERRED")
}

/// Checks all foreign keys. On `SQLite`, COMMIT would refuse a violation; this check finds it
/// earlier.
fn check_references(tx: &mut Tx<'_>) -> Result<()> {
    if tx.is_sqlite() {
        return match crate::doctor::dangling_references(tx)?.is_empty() {
            true => Ok(()),
            false => Err(Error::Damaged("a reference between rows")),
        };
    }
    sql_query("SET CONSTRAINTS ALL IMMEDIATE").execute(&mut **tx)?;
    alter_references(tx, "NOT DEFERRABLE")
}

fn alter_references(tx: &mut Tx<'_>, when: &str) -> Result<()> {
    #[derive(QueryableByName)]
    struct Constraint {
        #[diesel(sql_type = Text)]
        child: String,
        #[diesel(sql_type = Text)]
        name: String,
    }
    let found: Vec<Constraint> = sql_query(
        "SELECT conrelid::regclass::text AS child, conname::text AS name
         FROM pg_constraint WHERE contype = 'f' ORDER BY 1, 2",
    )
    .load(&mut **tx)?;
    for Constraint { child, name } in found {
        let sql = format!("ALTER TABLE {child} ALTER CONSTRAINT {name} {when}");
        sql_query(sql).execute(&mut **tx)?;
    }
    Ok(())
}
