//! Names of deleted accounts, which are not given to other accounts.

use siskin_persistence::{Tx, accounts as rows};
use siskin_text::username_key;

use crate::{Error, Result, federation::base};

/// Allows a new account under the name of a deleted one.
///
/// # Errors
/// [`Error::Invalid`] if no deleted account had the name. [`Error::Conflict`] if other servers know
/// this one: they may remember the name with the keys of the deleted account.
pub fn release(tx: &mut Tx<'_>, username: &str) -> Result<()> {
    let name = username.trim().trim_start_matches('@');
    if base::is_fixed(tx)? && rows::is_retired(tx, &username_key(name))? {
        return Err(Error::Conflict(format!(
            "The name {name:?} stays reserved, because other servers may remember the account"
        )));
    }
    if rows::release(tx, &username_key(name))? {
        return Ok(());
    }
    Err(Error::invalid(format!("No deleted account had the name {name:?}")))
}
