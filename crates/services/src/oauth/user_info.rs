//! Who a token speaks for.

use std::sync::Arc;

use siskin_entities::Account;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, accounts};

use crate::{Error, Result};

/// The account of the person.
///
/// # Errors
/// [`Error::NotFound`] where it is gone.
pub fn user_info(conn: &mut Conn, account: AccountId) -> Result<Arc<Account>> {
    accounts::find(conn, account)?.ok_or(Error::NotFound)
}
