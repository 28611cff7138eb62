//! Names of deleted accounts, which are not given to other accounts.

use siskin_persistence::{Tx, accounts as rows};
use siskin_text::username_key;

use crate::{Error, Result};

/// Allows a new account under the name of a deleted one.
///
/// # Errors
/// [`Error::Invalid`] if no deleted account had the name.
pub fn release(tx: &mut Tx<'_>, username: &str) -> Result<()> {
    let name = username.trim().trim_start_matches('@');
    if rows::release(tx, &username_key(name))? {
        return Ok(());
    }
    Err(Error::invalid(format!("No deleted account had the name {name:?}")))
}
