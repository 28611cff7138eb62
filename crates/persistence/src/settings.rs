//! The operator's settings as text rows. `entities` defines the meaning of the keys.

use diesel::{prelude::*, sql_query, sql_types::BigInt};

use crate::{
    Conn, Result, Tx,
    conn::{OnEngine, each},
    events,
    schema::settings,
};

/// Key of the advisory lock that serialises changes of settings on PostgreSQL.
const ADVISORY_LOCK: i64 = 0x5153_4b49_4e00_0005;

/// Waits for other changes of settings and of texts about the instance. So a change can be decided
/// by what it replaces, also if no row is stored yet. On `SQLite` a transaction is the only one that
/// writes anyway.
pub fn lock(tx: &mut Tx<'_>) -> Result<()> {
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        sql_query("SELECT pg_advisory_xact_lock($1)")
            .bind::<BigInt, _>(ADVISORY_LOCK)
            .execute(pg)?;
    }
    Ok(())
}

/// Loads all changed settings: key and value in text form, ordered by key.
pub fn all(conn: &mut Conn) -> Result<Vec<(String, String)>> {
    let rows = settings::table.order(settings::key).select((settings::key, settings::value));
    Ok(rows.load(conn)?)
}

/// Returns the stored value of a setting.
pub fn stored(conn: &mut Conn, key: &str) -> Result<Option<String>> {
    Ok(settings::table.find(key).select(settings::value).first(conn).optional()?)
}

/// Deletes a stored value, and notifies all running servers. Returns `true` if there was one.
pub fn remove(tx: &mut Tx<'_>, key: &str) -> Result<bool> {
    let removed = diesel::delete(settings::table.find(key)).execute(&mut **tx)? == 1;
    events::insert(tx, events::SETTINGS_CHANGED, key)?;
    Ok(removed)
}

/// Stores a value, and notifies all running servers.
pub fn set(tx: &mut Tx<'_>, key: &str, value: &str) -> Result<()> {
    let updated_at = settings::updated_at.eq(tx.now().unix_ms());
    let row = (settings::key.eq(key), settings::value.eq(value), updated_at);
    each!(&mut **tx, conn => diesel::insert_into(settings::table)
        .values(row)
        .on_conflict(settings::key)
        .do_update()
        .set((settings::value.eq(value), updated_at))
        .execute(conn))?;
    events::insert(tx, events::SETTINGS_CHANGED, key)?;
    Ok(())
}
