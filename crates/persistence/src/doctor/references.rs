//! Finds dangling references between rows. The engines refuse to write them, so a dangling
//! reference points to a damaged file or to another program that wrote to the database.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};

use crate::{Conn, Result};

/// Dangling references from one table to another.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct DanglingReference {
    /// The table with the referring rows.
    #[diesel(sql_type = Text)]
    pub table: String,
    /// The table to which they refer.
    #[diesel(sql_type = Text)]
    pub parent: String,
    /// Number of referring rows.
    #[diesel(sql_type = BigInt)]
    pub count: i64,
}

/// Checks every foreign key of the schema.
///
/// # Errors
/// Storage errors.
pub fn dangling_references(conn: &mut Conn) -> Result<Vec<DanglingReference>> {
    if conn.is_sqlite() {
        let sql = "SELECT \"table\", parent, COUNT(*) AS count FROM pragma_foreign_key_check
             GROUP BY 1, 2 ORDER BY 1, 2";
        return Ok(sql_query(sql).load(conn)?);
    }
    let mut found = Vec::new();
    for reference in references(conn)? {
        found.extend(reference.dangling(conn)?);
    }
    Ok(found)
}

/// Returns the integrity errors that `SQLite` reports for pages and indexes. Returns none on
/// PostgreSQL, which checks its own pages.
///
/// # Errors
/// Storage errors.
pub fn damaged_pages(conn: &mut Conn) -> Result<Vec<String>> {
    #[derive(QueryableByName)]
    struct Line {
        #[diesel(sql_type = Text)]
        integrity_check: String,
    }
    if !conn.is_sqlite() {
        return Ok(Vec::new());
    }
    let lines: Vec<Line> = sql_query("PRAGMA integrity_check").load(conn)?;
    let lines = lines.into_iter().map(|line| line.integrity_check);
    Ok(lines.filter(|line| line != "ok").collect())
}

/// A foreign key on PostgreSQL. All foreign keys of the schema have one column.
#[derive(QueryableByName)]
struct Reference {
    #[diesel(sql_type = Text)]
    child: String,
    #[diesel(sql_type = Text)]
    child_column: String,
    #[diesel(sql_type = Text)]
    parent: String,
    #[diesel(sql_type = Text)]
    parent_column: String,
}

fn references(conn: &mut Conn) -> Result<Vec<Reference>> {
    let sql = "SELECT conrelid::regclass::text AS child, own.attname::text AS child_column,
             confrelid::regclass::text AS parent, theirs.attname::text AS parent_column
         FROM pg_constraint
         JOIN pg_attribute own ON own.attrelid = conrelid AND own.attnum = conkey[1]
         JOIN pg_attribute theirs ON theirs.attrelid = confrelid AND theirs.attnum = confkey[1]
         WHERE contype = 'f' ORDER BY 1, 3, 2";
    Ok(sql_query(sql).load(conn)?)
}

impl Reference {
    fn dangling(&self, conn: &mut Conn) -> Result<Vec<DanglingReference>> {
        let Self { child, child_column, parent, parent_column } = self;
        let sql = format!(
            "SELECT '{child}' AS \"table\", '{parent}' AS parent, COUNT(*) AS count
             FROM {child} AS own
             WHERE own.{child_column} IS NOT NULL AND NOT EXISTS (
                 SELECT 1 FROM {parent} AS theirs
                 WHERE theirs.{parent_column} = own.{child_column})
             HAVING COUNT(*) > 0"
        );
        Ok(sql_query(sql).load(conn)?)
    }
}
