//! Hashtags as simple example rows, and ways to make a write fail.

use diesel::{connection::SimpleConnection, prelude::*, sql_query, sql_types::Text};
use siskin_persistence::{
    Conn, OnEngine, Result, Store, StoreOptions, Tx,
    schema::{rules, status_stats, tags},
};

pub fn open(url: &str) -> Store {
    Store::open(&StoreOptions::new(url)).unwrap()
}

/// Inserts the hashtag `name`.
pub fn add(tx: &mut Tx<'_>, name: &str) -> Result<i64> {
    let id = tx.next_id();
    let row = (
        tags::id.eq(id),
        tags::name.eq(name),
        tags::display_name.eq(name),
        tags::created_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(tags::table).values(row).execute(&mut **tx)?;
    Ok(id)
}

/// Inserts a rule. Its id contains a time, unlike the id of a hashtag.
pub fn add_rule(tx: &mut Tx<'_>, text: &str) -> Result<i64> {
    let id = tx.next_id();
    let row = (
        rules::id.eq(id),
        rules::position.eq(0),
        rules::text.eq(text),
        rules::hint.eq(""),
        rules::created_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(rules::table).values(row).execute(&mut **tx)?;
    Ok(id)
}

/// Returns the names of all hashtags, in order.
pub fn names(store: &Store) -> Vec<String> {
    store.read(load_names).unwrap()
}

pub fn load_names(conn: &mut Conn) -> Result<Vec<String>> {
    Ok(tags::table.order(tags::name).select(tags::name).load(conn)?)
}

/// Fills the database until the disk counts as full. The limit belongs to the connection.
pub fn fill_disk(tx: &mut Tx<'_>) -> Result<()> {
    tx.batch_execute("PRAGMA max_page_count = 1;")?; // means: as large as it is now
    let huge = "x".repeat(1 << 20);
    sql_query("INSERT INTO settings (key, value, updated_at) VALUES ('huge', $1, 0)")
        .bind::<Text, _>(huge)
        .execute(&mut **tx)?;
    Ok(())
}

/// Inserts a row with a dangling reference that only COMMIT detects.
pub fn orphan(tx: &mut Tx<'_>) -> Result<()> {
    match tx.on_engine() {
        OnEngine::Sqlite(sqlite) => sqlite.batch_execute("PRAGMA defer_foreign_keys = ON;")?,
        OnEngine::Postgres(pg) => pg.batch_execute(
            "ALTER TABLE status_stats ALTER CONSTRAINT status_stats_status_id_fkey \
             DEFERRABLE INITIALLY DEFERRED;",
        )?,
    }
    diesel::insert_into(status_stats::table)
        .values(status_stats::status_id.eq(1))
        .execute(&mut **tx)?;
    Ok(())
}
