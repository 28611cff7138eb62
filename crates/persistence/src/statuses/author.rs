//! Who writes a status: what of them goes into it.

use diesel::prelude::*;
use siskin_entities::Visibility;
use siskin_ids::AccountId;

use crate::{
    Conn, Result,
    schema::{accounts, users},
};

/// A local person as the author of statuses, with what they chose for those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    pub username: String,
    pub default_privacy: Visibility,
    pub default_sensitive: bool,
    pub default_language: Option<String>,
}

/// The local person with this account.
pub fn find_author(conn: &mut Conn, account: AccountId) -> Result<Option<Author>> {
    let row: Option<(String, i16, bool, Option<String>)> = users::table
        .inner_join(accounts::table)
        .filter(users::account_id.eq(account))
        .select((
            accounts::username,
            users::default_privacy,
            users::default_sensitive,
            users::default_language,
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(username, privacy, default_sensitive, default_language)| Author {
        username,
        default_privacy: Visibility::from_number(privacy),
        default_sensitive,
        default_language,
    }))
}
