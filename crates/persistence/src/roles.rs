//! Roles of local people.

use diesel::prelude::*;
use siskin_ids::RoleId;

use crate::{Conn, Result, schema::roles};

/// The id of the role with exactly this name.
pub fn find_by_name(conn: &mut Conn, name: &str) -> Result<Option<RoleId>> {
    Ok(roles::table.filter(roles::name.eq(name)).select(roles::id).first(conn).optional()?)
}
