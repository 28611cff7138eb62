//! Members of staff as visitors see them.

use diesel::{dsl::exists, prelude::*};
use siskin_ids::AccountId;

use crate::{
    Conn, Result,
    schema::{accounts, roles, users},
};

/// Loads up to `limit` accounts with a highlighted role, those with the highest role first. Leaves
/// out accounts that cannot be used.
pub fn highlighted(conn: &mut Conn, limit: i64) -> Result<Vec<AccountId>> {
    let is_active = exists(
        accounts::table
            .filter(accounts::id.eq(users::account_id))
            .filter(accounts::suspended_at.is_null())
            .filter(accounts::reachable.eq(true)),
    );
    Ok(users::table
        .inner_join(roles::table)
        .filter(roles::highlighted.eq(true))
        .filter(users::role_id.is_not_null())
        .filter(users::disabled.eq(false))
        .filter(is_active)
        .order((roles::position.desc(), users::account_id))
        .limit(limit)
        .select(users::account_id)
        .load(conn)?)
}
