//! What a person chose for writing, as clients read it before they show an empty form.

use siskin_entities::Credentials;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, accounts};

use crate::{Error, Result};

/// The choices of a signed-in person.
///
/// # Errors
/// [`Error::NotFound`] where the account is gone.
pub fn load(conn: &mut Conn, person: AccountId) -> Result<Credentials> {
    accounts::credentials(conn, person)?.ok_or(Error::NotFound)
}
