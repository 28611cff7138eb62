//! What the links in mails prove, each once. Their secrets are stored as hashes only.

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx, schema::mailed_links};

/// What a link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The address that somebody signed up with is theirs.
    Confirmation,
    /// Choose another password.
    Password,
    /// The address that somebody wants to have from now on is theirs.
    Email,
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::Password => "password",
            Self::Email => "email",
        }
    }
}

/// A link that was mailed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailedLink {
    pub account: AccountId,
    /// Where the mail went.
    pub email: String,
    pub expires_at: Timestamp,
    /// The page of this server that the person was on the way to.
    pub return_to: Option<String>,
}

/// Keeps the hash of a link that is about to be mailed; those of the same account that have
/// expired are removed.
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

/// The link with this hash, if it is for this and has not expired at `now`.
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

/// Uses a link up. Of all who try at the same time, one gets it.
pub fn take(tx: &mut Tx<'_>, hash: &str, purpose: Purpose) -> Result<Option<MailedLink>> {
    let now = tx.now();
    let found = find(tx, hash, purpose, now)?;
    let taken = diesel::delete(mailed_links::table.find(hash)).execute(&mut **tx)?;
    Ok(found.filter(|_| taken == 1))
}

/// Has all links of an account for this purpose work no more.
pub fn delete_of(tx: &mut Tx<'_>, account: AccountId, purpose: Purpose) -> Result<()> {
    diesel::delete(mailed_links::table)
        .filter(mailed_links::account_id.eq(account))
        .filter(mailed_links::purpose.eq(purpose.as_str()))
        .execute(&mut **tx)?;
    Ok(())
}
