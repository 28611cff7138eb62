//! Roles of local people.

use diesel::prelude::*;
use siskin_ids::{AccountId, RoleId};

use crate::{
    Conn, Result,
    among::IdExpression as _,
    schema::{accounts, roles, users},
};

/// The id of the role with exactly this name.
pub fn find_by_name(conn: &mut Conn, name: &str) -> Result<Option<RoleId>> {
    Ok(roles::table.filter(roles::name.eq(name)).select(roles::id).first(conn).optional()?)
}

/// Every role with the bits of what it allows.
pub fn permissions(conn: &mut Conn) -> Result<Vec<(RoleId, i64)>> {
    Ok(roles::table.select((roles::id, roles::permissions)).load(conn)?)
}

/// Somebody with a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    pub account: AccountId,
    /// Whether nothing keeps them from signing in.
    pub acts: bool,
}

/// Those with one of these roles, in no order.
pub fn holders(conn: &mut Conn, those: &[RoleId]) -> Result<Vec<Holder>> {
    type Row = (AccountId, Option<i64>, bool, bool, Option<i64>);
    let rows: Vec<Row> = users::table
        .inner_join(accounts::table)
        .filter(users::role_id.among(those))
        .select((
            users::account_id,
            users::confirmed_at,
            users::approved,
            users::disabled,
            accounts::suspended_at,
        ))
        .load(conn)?;
    let holder = |(account, confirmed, approved, disabled, suspended): Row| Holder {
        account,
        acts: confirmed.is_some() && approved && !disabled && suspended.is_none(),
    };
    Ok(rows.into_iter().map(holder).collect())
}
