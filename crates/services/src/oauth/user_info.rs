//! Account for which a token acts.

use std::sync::Arc;

use siskin_entities::Account;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, accounts};

use crate::{Error, Result};

/// Returns the account of the user.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist.
pub fn user_info(conn: &mut Conn, account: AccountId) -> Result<Arc<Account>> {
    accounts::find(conn, account)?.ok_or(Error::NotFound)
}
