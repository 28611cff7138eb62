//! The part of a local account that only its owner sees.

use diesel::prelude::*;
use siskin_entities::{Credentials, QuotePolicy, Role, Visibility};
use siskin_ids::AccountId;
use siskin_text::ContentType;

use crate::{
    Conn, Result,
    schema::{accounts, follow_requests, roles, users},
};

use super::row::RoleRow;

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = users)]
struct UserRow {
    email: String,
    locale: Option<String>,
    confirmed_at: Option<i64>,
    approved: bool,
    disabled: bool,
    default_privacy: i16,
    default_sensitive: bool,
    default_language: Option<String>,
    default_content_type: i16,
    default_quote_policy: i16,
}

/// Loads the settings and the private data of the account's user. Returns `None` if the account has
/// no user.
pub fn credentials(conn: &mut Conn, account: AccountId) -> Result<Option<Credentials>> {
    let row: Option<(UserRow, Option<RoleRow>, Option<i64>)> = users::table
        .inner_join(accounts::table)
        .left_join(roles::table)
        .filter(users::account_id.eq(account))
        .select((UserRow::as_select(), Option::<RoleRow>::as_select(), accounts::suspended_at))
        .first(conn)
        .optional()?;
    let Some((user, role, suspended_at)) = row else { return Ok(None) };
    let follow_requests_count = follow_requests::table
        .filter(follow_requests::target_account_id.eq(account))
        .count()
        .get_result(conn)?;
    Ok(Some(Credentials {
        account_id: account,
        email: user.email,
        locale: user.locale,
        role: role.map(Role::from),
        confirmed: user.confirmed_at.is_some(),
        approved: user.approved,
        disabled: user.disabled,
        suspended: suspended_at.is_some(),
        default_privacy: Visibility::from_number(user.default_privacy),
        default_sensitive: user.default_sensitive,
        default_language: user.default_language,
        default_content_type: ContentType::from_number(user.default_content_type),
        default_quote_policy: QuotePolicy::from_number(user.default_quote_policy),
        follow_requests_count,
    }))
}
