//! Directory of accounts that opted in to discovery.

use std::sync::Arc;

use siskin_entities::{Account, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    accounts::{self as rows, Directory, DirectoryOrder},
};
use siskin_policy::limits::ACCOUNT_PAGE;

use crate::{Error, OffsetPage, Result};

/// Request parameters, as sent.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// `active` or `new`; `None` or empty means active.
    pub order: Option<String>,
    pub local: bool,
    pub limit: Option<String>,
    pub offset: Option<String>,
}

/// Page of the directory, with checked parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepared {
    order: DirectoryOrder,
    local: bool,
    page: OffsetPage,
}

/// Checks the parameters.
///
/// # Errors
/// [`Error::Malformed`] for negative numbers; [`Error::Invalid`] for an unknown order.
pub fn prepare(query: &Query) -> Result<Prepared> {
    let order = match query.order.as_deref().unwrap_or_default() {
        "" | "active" => DirectoryOrder::Active,
        "new" => DirectoryOrder::New,
        _ => return Err(Error::invalid("order must be active or new")),
    };
    let page = OffsetPage::read(query.limit.as_deref(), query.offset.as_deref(), ACCOUNT_PAGE)?;
    Ok(Prepared { order, local: query.local, page })
}

/// Loads the accounts on a page of the directory.
///
/// # Errors
/// Storage errors only.
pub fn show(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    prepared: Prepared,
    now: Timestamp,
) -> Result<Vec<Arc<Account>>> {
    let Prepared { order, local, page } = prepared;
    let (limit, offset) = (page.limit, page.offset);
    Ok(rows::directory(conn, &Directory { order, local, viewer, now, limit, offset })?)
}
