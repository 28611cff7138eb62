//! Single-use links in emails. Their secrets are stored as hashes only.

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx, schema::mailed_links};

/// Purpose of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Confirms the email address of a sign-up.
    Confirmation,
    /// Allows a new password to be set.
    Password,
    /// Confirms the new address of an email change.
    Email,
}

impl Purpose {
    /// All purposes.
    pub const ALL: [Self; 3] = [Self::Confirmation, Self::Password, Self::Email];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::Password => "password",
            Self::Email => "email",
        }
    }
}

/// A link that was sent by email.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailedLink {
    pub account: AccountId,
    /// Recipient address of the email.
    pub email: String,
    pub expires_at: Timestamp,
    /// Page of this server to return to after the link was used.
    pub return_to: Option<String>,
}

/// Stores the hash of a link that is about to be sent, and deletes the expired links of the same
/// account.
pub fn insert(tx: &mut Tx<'_>, hash: &str, purpose: Purpose, link: &MailedLink) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::delete(mailed_links::table)
        .filter(mailed_links::account_id.eq(link.account))
        .filter(mailed_links::expires_at.le(now))
        .execute(&mut **tx)?;
    let row = (
        mailed_links::token_hash.eq(hash),
        mailed_links::account_id.eq(link.account),
        mailed_links::purpose.eq(purpose.as_str()),
        mailed_links::email.eq(&link.email),
        mailed_links::expires_at.eq(link.expires_at.unix_ms()),
        mailed_links::created_at.eq(now),
        mailed_links::return_to.eq(&link.return_to),
    );
    diesel::insert_into(mailed_links::table).values(row).execute(&mut **tx)?;
    Ok(())
}

/// Loads the link with this hash if it has this purpose and has not expired at `now`.
pub fn find(
    conn: &mut Conn,
    hash: &str,
    purpose: Purpose,
    now: Timestamp,
) -> Result<Option<MailedLink>> {
    let row: Option<(AccountId, String, i64, Option<String>)> = mailed_links::table
        .filter(mailed_links::token_hash.eq(hash))
        .filter(mailed_links::purpose.eq(purpose.as_str()))
        .filter(mailed_links::expires_at.gt(now.unix_ms()))
        .select((
            mailed_links::account_id,
            mailed_links::email,
            mailed_links::expires_at,
            mailed_links::return_to,
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(account, email, expires_at, return_to)| MailedLink {
        account,
        email,
        expires_at: Timestamp::from_unix_ms(expires_at),
        return_to,
    }))
}

/// Returns `true` if the account has a link to this address with this purpose that has not expired at
/// `now`.
pub fn exists(
    conn: &mut Conn,
    account: AccountId,
    purpose: Purpose,
    email: &str,
    now: Timestamp,
) -> Result<bool> {
    let links = mailed_links::table
        .filter(mailed_links::account_id.eq(account))
        .filter(mailed_links::purpose.eq(purpose.as_str()))
        .filter(mailed_links::email.eq(email))
        .filter(mailed_links::expires_at.gt(now.unix_ms()));
    Ok(diesel::select(diesel::dsl::exists(links.select(mailed_links::token_hash)))
        .get_result(conn)?)
}

/// Uses up a link. Exactly one of several concurrent callers gets it.
pub fn take(tx: &mut Tx<'_>, hash: &str, purpose: Purpose) -> Result<Option<MailedLink>> {
    let now = tx.now();
    let found = find(tx, hash, purpose, now)?;
    let taken = diesel::delete(mailed_links::table.find(hash)).execute(&mut **tx)?;
    Ok(found.filter(|_| taken == 1))
}

/// Deletes all links of an account with this purpose.
pub fn delete_of(tx: &mut Tx<'_>, account: AccountId, purpose: Purpose) -> Result<()> {
    diesel::delete(mailed_links::table)
        .filter(mailed_links::account_id.eq(account))
        .filter(mailed_links::purpose.eq(purpose.as_str()))
        .execute(&mut **tx)?;
    Ok(())
}
