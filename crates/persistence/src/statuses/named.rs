//! Names of statuses among servers.

use diesel::prelude::*;
use siskin_ids::StatusId;

use crate::{
    Conn, IdMap, Result,
    equals_any::IdExpression as _,
    schema::{accounts, statuses},
};

/// What the identifier of a status among servers is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusName {
    /// Identifier as stored.
    pub uri: String,
    /// User name of the author.
    pub username: String,
    /// Whether the author's account is local.
    pub is_local: bool,
}

/// Loads the names of these statuses among servers. Leaves out unknown ids.
pub fn names(conn: &mut Conn, ids: &[StatusId]) -> Result<IdMap<StatusId, StatusName>> {
    let rows: Vec<(StatusId, String, String, Option<String>)> = statuses::table
        .inner_join(accounts::table)
        .filter(statuses::id.equals_any(ids))
        .select((statuses::id, statuses::uri, accounts::username, accounts::domain))
        .load(conn)?;
    let named = |(id, uri, username, domain): (StatusId, String, String, Option<String>)| {
        (id, StatusName { uri, username, is_local: domain.is_none() })
    };
    Ok(rows.into_iter().map(named).collect())
}
