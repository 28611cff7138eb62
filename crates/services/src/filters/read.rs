//! Reads an account's own filters.

use siskin_entities::{
    FilterSet,
    filters::{Filter, FilterKeyword, FilterStatus},
};
use siskin_ids::{AccountId, FilterId, FilterKeywordId, FilterStatusId};
use siskin_persistence::{Conn, filters as rows};

use super::id;
use crate::{Error, Result};

/// Lists the filters of an account, the oldest first, including expired ones.
///
/// # Errors
/// Storage errors, and [`Error::Internal`] if the stored keywords are too large to compile.
pub fn list(conn: &mut Conn, account: AccountId) -> Result<Vec<Filter>> {
    Ok(rows::of_account(conn, account)?)
}

/// Loads and compiles the filters of an account.
///
/// # Errors
/// Storage errors only.
pub fn load(conn: &mut Conn, account: AccountId) -> Result<FilterSet> {
    FilterSet::compile(&rows::of_account(conn, account)?).map_err(Error::internal)
}

/// Returns a filter of the account.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist, or belongs to another account. The same holds for the
/// functions below.
pub fn find(conn: &mut Conn, account: AccountId, named: &str) -> Result<Filter> {
    let named: FilterId = id(named)?;
    let mut filters = rows::of_account(conn, account)?.into_iter();
    filters.find(|filter| filter.head.id == named).ok_or(Error::NotFound)
}

/// Returns a keyword of the account's filters.
pub fn find_keyword(conn: &mut Conn, account: AccountId, named: &str) -> Result<FilterKeyword> {
    let named: FilterKeywordId = id(named)?;
    let filters = rows::of_account(conn, account)?.into_iter();
    let mut keywords = filters.flat_map(|filter| filter.keywords);
    keywords.find(|keyword| keyword.id == named).ok_or(Error::NotFound)
}

/// Returns a status of the account's filters.
pub fn find_status(conn: &mut Conn, account: AccountId, named: &str) -> Result<FilterStatus> {
    let named: FilterStatusId = id(named)?;
    let filters = rows::of_account(conn, account)?.into_iter();
    let mut statuses = filters.flat_map(|filter| filter.statuses);
    statuses.find(|status| status.id == named).ok_or(Error::NotFound)
}
