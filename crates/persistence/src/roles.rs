//! Roles of local users.

use diesel::prelude::*;
use siskin_ids::{AccountId, RoleId};

use crate::{
    Conn, Result,
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

/// Permission bits and rank of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RolePower {
    pub permissions: i64,
    pub priority: i32,
}

/// Returns what the role of a user grants; nothing without a role, and for remote accounts.
pub fn power_of(conn: &mut Conn, account: AccountId) -> Result<RolePower> {
    let power: Option<(i64, i32)> = users::table
        .inner_join(roles::table)
        .filter(users::account_id.eq(account))
        .select((roles::permissions, roles::position))
        .first(conn)
        .optional()?;
    let (permissions, priority) = power.unwrap_or_default();
    Ok(RolePower { permissions, priority })
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
