//! What local people sign in with. Their profiles are rows of accounts.

use diesel::prelude::*;
use siskin_ids::AccountId;

use crate::{Conn, Result, schema::users};

/// The account of the person with this folded e-mail address.
pub fn find_by_email(conn: &mut Conn, email_key: &str) -> Result<Option<AccountId>> {
    Ok(users::table
        .filter(users::email_key.eq(email_key))
        .select(users::account_id)
        .first(conn)
        .optional()?)
}
