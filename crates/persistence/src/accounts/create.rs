//! Creates accounts and the users that sign in to them.

use diesel::prelude::*;
use siskin_entities::Protocol;
use siskin_ids::{AccountId, ApplicationId, RoleId};

use crate::{
    Result, Tx,
    admin_accounts::record_ip,
    conn::each,
    schema::{account_stats, accounts, users},
    users::no_email_key,
};

use super::terms;

/// A new account without a profile, which [`super::update_profile`] adds.
#[derive(Debug, Clone, Copy)]
pub struct NewAccount<'a> {
    /// `None` for the next id.
    pub id: Option<AccountId>,
    pub username: &'a str,
    pub username_key: &'a str,
    /// `None` for a local account.
    pub domain: Option<&'a str>,
    /// Folded text in which the account search looks.
    pub search_text: &'a str,
    pub uri: &'a str,
    pub url: &'a str,
    pub protocol: Protocol,
    /// `false` while the user is unconfirmed or pending approval.
    pub reachable: bool,
}

/// Data of a local user: credentials, role and sign-up.
#[derive(Debug, Clone, Copy)]
pub struct NewUser<'a> {
    pub account: AccountId,
    pub email: &'a str,
    /// The email address, folded for comparison.
    pub email_key: &'a str,
    pub password_hash: &'a str,
    pub role: Option<RoleId>,
    pub locale: Option<&'a str>,
    pub confirmed: bool,
    pub approved: bool,
    pub sign_up_reason: Option<&'a str>,
    pub sign_up_ip: Option<&'a str>,
    pub application: Option<ApplicationId>,
}

/// Inserts an account with its counters at zero. Returns `None` if the handle or the id is taken.
pub fn insert(tx: &mut Tx<'_>, new: &NewAccount<'_>) -> Result<Option<AccountId>> {
    let id = new.id.unwrap_or_else(|| AccountId::new(tx.next_id()));
    let now = tx.now().unix_ms();
    let row = (
        (
            accounts::id.eq(id),
            accounts::username.eq(new.username),
            accounts::username_key.eq(new.username_key),
            accounts::domain.eq(new.domain),
            accounts::search_text.eq(new.search_text),
        ),
        (
            accounts::uri.eq(new.uri),
            accounts::url.eq(new.url),
            accounts::protocol.eq(new.protocol.as_str()),
            accounts::reachable.eq(new.reachable),
            accounts::created_at.eq(now),
            accounts::updated_at.eq(now),
        ),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(accounts::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    if inserted == 0 {
        return Ok(None);
    }
    diesel::insert_into(account_stats::table)
        .values(account_stats::account_id.eq(id))
        .execute(&mut **tx)?;
    terms::refresh(tx, id)?;
    Ok(Some(id))
}

/// Inserts a user for a local account. Returns `false` if the email address is taken.
pub fn insert_user(tx: &mut Tx<'_>, new: &NewUser<'_>) -> Result<bool> {
    insert_user_with_key(tx, new, new.email_key)
}

/// Inserts a user for a local account who does not get the email address, because another user has
/// it. What was typed is stored.
pub fn insert_user_without_email(tx: &mut Tx<'_>, new: &NewUser<'_>) -> Result<()> {
    insert_user_with_key(tx, new, &no_email_key(new.account)).map(drop)
}

fn insert_user_with_key(tx: &mut Tx<'_>, new: &NewUser<'_>, email_key: &str) -> Result<bool> {
    let now = tx.now().unix_ms();
    let row = (
        (
            users::account_id.eq(new.account),
            users::email.eq(new.email),
            users::email_key.eq(email_key),
            users::folded_email.eq(new.email_key),
            users::password_hash.eq(new.password_hash),
            users::role_id.eq(new.role),
            users::locale.eq(new.locale),
        ),
        (
            users::confirmed_at.eq(new.confirmed.then_some(now)),
            users::approved.eq(new.approved),
            users::sign_up_reason.eq(new.sign_up_reason),
            users::sign_up_ip.eq(new.sign_up_ip),
            users::created_by_application_id.eq(new.application),
            users::created_at.eq(now),
            users::updated_at.eq(now),
        ),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(users::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    if inserted == 1
        && let Some(ip) = new.sign_up_ip
    {
        record_ip(tx, new.account, ip)?;
    }
    Ok(inserted == 1)
}
