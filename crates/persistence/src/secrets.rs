//! Secrets of the instance, by name. They are never listed or sent to clients.

use diesel::prelude::*;

use crate::{Conn, Result, Tx, conn::each, schema::instance_secrets};

/// Loads the secret with this name.
pub fn find(conn: &mut Conn, name: &str) -> Result<Option<String>> {
    Ok(instance_secrets::table.find(name).select(instance_secrets::value).first(conn).optional()?)
}

/// Stores `value` under the name unless a value exists. Returns the stored value.
pub fn find_or_insert(tx: &mut Tx<'_>, name: &str, value: &str) -> Result<String> {
    let row = (
        instance_secrets::name.eq(name),
        instance_secrets::value.eq(value),
        instance_secrets::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(instance_secrets::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    find(tx, name)?.ok_or(crate::Error::NotFound)
}

/// Stores `value` under the name and replaces an existing value.
pub fn replace(tx: &mut Tx<'_>, name: &str, value: &str) -> Result<()> {
    diesel::delete(instance_secrets::table.find(name)).execute(&mut **tx)?;
    find_or_insert(tx, name, value)?;
    Ok(())
}

/// Deletes the secret with this name if it has this value. Returns `true` to exactly one of several
/// concurrent callers.
pub fn take(tx: &mut Tx<'_>, name: &str, value: &str) -> Result<bool> {
    let taken = diesel::delete(instance_secrets::table.find(name))
        .filter(instance_secrets::value.eq(value))
        .execute(&mut **tx)?;
    Ok(taken == 1)
}
