//! Authors of statuses, with their posting defaults.

use diesel::prelude::*;
use siskin_entities::{QuotePolicy, Visibility};
use siskin_ids::AccountId;
use siskin_text::ContentType;

use crate::{
    Conn, Result,
    schema::{accounts, users},
};

/// A local user as the author of statuses, with the defaults for new statuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    pub username: String,
    pub default_privacy: Visibility,
    pub default_sensitive: bool,
    pub default_language: Option<String>,
    pub default_content_type: ContentType,
    pub default_quote_policy: QuotePolicy,
    /// Whether the account moved to another account.
    pub moved: bool,
}

/// Loads the local user of this account as an author.
pub fn find_author(conn: &mut Conn, account: AccountId) -> Result<Option<Author>> {
    type Row = (String, i16, bool, Option<String>, i16, i16, bool);
    let row: Option<Row> = users::table
        .inner_join(accounts::table)
        .filter(users::account_id.eq(account))
        .select((
            accounts::username,
            users::default_privacy,
            users::default_sensitive,
            users::default_language,
            users::default_content_type,
            users::default_quote_policy,
            accounts::moved_to_account_id.is_not_null(),
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(username, privacy, default_sensitive, default_language, kind, quoting, moved)| {
        Author {
            username,
            default_privacy: Visibility::from_number(privacy),
            default_sensitive,
            default_language,
            default_content_type: ContentType::from_number(kind),
            default_quote_policy: QuotePolicy::from_number(quoting),
            moved,
        }
    }))
}
