//! Roles of local users.

use diesel::prelude::*;
use siskin_entities::Role;
use siskin_ids::{AccountId, RoleId};

use crate::{
    Conn, Result, Tx,
    accounts::RoleRow,
    conn::{OnEngine, each},
    equals_any::IdExpression as _,
    schema::{accounts, roles, users},
};

/// Returns the id of the role with exactly this name.
pub fn find_by_name(conn: &mut Conn, name: &str) -> Result<Option<RoleId>> {
    Ok(roles::table.filter(roles::name.eq(name)).select(roles::id).first(conn).optional()?)
}

/// Loads all roles with their permission bits.
pub fn permissions(conn: &mut Conn) -> Result<Vec<(RoleId, i64)>> {
    Ok(roles::table.select((roles::id, roles::permissions)).load(conn)?)
}

/// Loads all roles, the highest first. The base role is the last one.
pub fn all(conn: &mut Conn) -> Result<Vec<Role>> {
    let rows: Vec<RoleRow> = roles::table
        .order((roles::position.desc(), roles::id))
        .select(RoleRow::as_select())
        .load(conn)?;
    let mut all: Vec<Role> = rows.into_iter().map(Role::from).collect();
    if !all.iter().any(Role::is_everyone) {
        all.push(Role::everyone());
    }
    Ok(all)
}

/// Loads a role.
pub fn find(conn: &mut Conn, id: RoleId) -> Result<Option<Role>> {
    let row: Option<RoleRow> =
        roles::table.find(id).select(RoleRow::as_select()).first(conn).optional()?;
    Ok(row.map(Role::from).or_else(|| (id == Role::EVERYONE).then(Role::everyone)))
}

/// Loads the base role of all users. It has no permissions if its row is missing, as in a restored
/// backup of an older version.
pub fn everyone(conn: &mut Conn) -> Result<Role> {
    Ok(find(conn, Role::EVERYONE)?.unwrap_or_else(Role::everyone))
}

/// Loads the role of a user. Returns `None` for the base role, and for remote accounts.
pub fn of_user(conn: &mut Conn, account: AccountId) -> Result<Option<Role>> {
    let row: Option<RoleRow> = users::table
        .inner_join(roles::table)
        .filter(users::account_id.eq(account))
        .select(RoleRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(Role::from))
}

/// Locks all roles against changes until the transaction ends. Each change of a role or of its
/// holders takes this lock first, so that ranks do not change while they are compared.
pub fn lock(tx: &mut Tx<'_>) -> Result<()> {
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        roles::table.order(roles::id).select(roles::id).for_no_key_update().load::<RoleId>(pg)?;
    }
    Ok(())
}

/// Inserts a role, or replaces the values of the role with this id.
///
/// # Errors
/// [`crate::Error::Duplicate`] if another role has exactly the same name.
pub fn store(tx: &mut Tx<'_>, role: &Role) -> Result<()> {
    let values = (
        roles::name.eq(&role.name),
        roles::color.eq(&role.color),
        roles::permissions.eq(role.permissions),
        roles::position.eq(role.position),
        roles::highlighted.eq(role.highlighted),
    );
    let row = (roles::id.eq(role.id), values, roles::created_at.eq(tx.now().unix_ms()));
    each!(&mut **tx, conn => diesel::insert_into(roles::table)
        .values(row)
        .on_conflict(roles::id)
        .do_update()
        .set(values)
        .execute(conn))?;
    Ok(())
}

/// Deletes a role. Its holders then have the base role. Returns `false` if there is none with this
/// id.
pub fn delete(tx: &mut Tx<'_>, id: RoleId) -> Result<bool> {
    Ok(diesel::delete(roles::table.find(id)).execute(&mut **tx)? == 1)
}

/// Permission bits and rank of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RolePower {
    pub permissions: i64,
    pub priority: i32,
}

/// Returns what a user may do: what the own role and the base role grant. Remote accounts may do
/// nothing.
pub fn power_of(conn: &mut Conn, account: AccountId) -> Result<RolePower> {
    let own: Option<(Option<i64>, Option<i32>)> = users::table
        .left_join(roles::table)
        .filter(users::account_id.eq(account))
        .select((roles::permissions.nullable(), roles::position.nullable()))
        .first(conn)
        .optional()?;
    let Some((permissions, priority)) = own else { return Ok(RolePower::default()) };
    let everyone: Option<i64> =
        roles::table.find(Role::EVERYONE).select(roles::permissions).first(conn).optional()?;
    Ok(RolePower {
        permissions: permissions.unwrap_or_default() | everyone.unwrap_or_default(),
        priority: priority.unwrap_or_default(),
    })
}

/// A user with a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleHolder {
    pub account: AccountId,
    /// Whether the user can sign in.
    pub can_sign_in: bool,
}

/// Loads the users with one of these roles, in no particular order.
pub fn role_holders(conn: &mut Conn, those: &[RoleId]) -> Result<Vec<RoleHolder>> {
    type Row = (AccountId, Option<i64>, bool, bool, Option<i64>);
    let rows: Vec<Row> = users::table
        .inner_join(accounts::table)
        .filter(users::role_id.equals_any(those))
        .select((
            users::account_id,
            users::confirmed_at,
            users::approved,
            users::disabled,
            accounts::suspended_at,
        ))
        .load(conn)?;
    let holder = |(account, confirmed, approved, disabled, suspended): Row| RoleHolder {
        account,
        can_sign_in: confirmed.is_some() && approved && !disabled && suspended.is_none(),
    };
    Ok(rows.into_iter().map(holder).collect())
}
