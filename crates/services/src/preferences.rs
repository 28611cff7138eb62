//! A user's defaults for new statuses, which clients read before they show an empty form.

use siskin_entities::Credentials;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, accounts};

use crate::{Error, Result};

/// Returns the preferences of a signed-in user.
///
/// # Errors
/// [`Error::NotFound`] if the account does not exist.
pub fn load(conn: &mut Conn, account: AccountId) -> Result<Credentials> {
    accounts::credentials(conn, account)?.ok_or(Error::NotFound)
}
