//! Authorization codes, stored as hashes only. A code that was exchanged stays until it expires, so
//! that a second use is detected.

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId, TokenId};

use crate::{Conn, Result, Tx, schema::authorization_codes};

/// The account, client and parameters to which a code is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    pub application: ApplicationId,
    pub account: AccountId,
    pub redirect_uri: String,
    /// Scopes, separated by spaces.
    pub scopes: String,
    /// The S256 challenge (RFC 7636), if the client sent one.
    pub challenge: Option<String>,
    pub expires_at: Timestamp,
}

/// A stored code, and the token for which it was exchanged, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCode {
    pub code: Code,
    pub token: Option<TokenId>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = authorization_codes)]
struct CodeRow {
    application_id: ApplicationId,
    account_id: AccountId,
    redirect_uri: String,
    scopes: String,
    code_challenge: Option<String>,
    expires_at: i64,
    token_id: Option<TokenId>,
}

impl From<CodeRow> for StoredCode {
    fn from(row: CodeRow) -> Self {
        Self {
            code: Code {
                application: row.application_id,
                account: row.account_id,
                redirect_uri: row.redirect_uri,
                scopes: row.scopes,
                challenge: row.code_challenge,
                expires_at: Timestamp::from_unix_ms(row.expires_at),
            },
            token: row.token_id,
        }
    }
}

/// Inserts a code and deletes the expired codes of the same account.
pub fn insert(tx: &mut Tx<'_>, hash: &str, code: &Code) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::delete(authorization_codes::table)
        .filter(authorization_codes::account_id.eq(code.account))
        .filter(authorization_codes::expires_at.lt(now))
        .execute(&mut **tx)?;
    let row = (
        authorization_codes::code_hash.eq(hash),
        authorization_codes::application_id.eq(code.application),
        authorization_codes::account_id.eq(code.account),
        authorization_codes::redirect_uri.eq(&code.redirect_uri),
        authorization_codes::scopes.eq(&code.scopes),
        authorization_codes::code_challenge.eq(&code.challenge),
        authorization_codes::expires_at.eq(code.expires_at.unix_ms()),
    );
    diesel::insert_into(authorization_codes::table).values(row).execute(&mut **tx)?;
    Ok(())
}

/// Deletes the codes of an account that were not exchanged. The others stay, so that a second use
/// is detected.
pub fn delete_of_account(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    diesel::delete(authorization_codes::table)
        .filter(authorization_codes::account_id.eq(account))
        .filter(authorization_codes::used_at.is_null())
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes the codes that an account granted to an application and that were not exchanged. Returns
/// their number.
pub(crate) fn delete_of_grant(
    tx: &mut Tx<'_>,
    account: AccountId,
    application: ApplicationId,
) -> Result<usize> {
    Ok(diesel::delete(authorization_codes::table)
        .filter(authorization_codes::account_id.eq(account))
        .filter(authorization_codes::application_id.eq(application))
        .filter(authorization_codes::used_at.is_null())
        .execute(&mut **tx)?)
}

/// Deletes the codes of an application that were not exchanged.
pub(crate) fn delete_of_application(tx: &mut Tx<'_>, application: ApplicationId) -> Result<()> {
    diesel::delete(authorization_codes::table)
        .filter(authorization_codes::application_id.eq(application))
        .filter(authorization_codes::used_at.is_null())
        .execute(&mut **tx)?;
    Ok(())
}

/// Loads the code with this hash, even if it was exchanged or has expired.
pub fn find(conn: &mut Conn, hash: &str) -> Result<Option<StoredCode>> {
    let row = authorization_codes::table
        .find(hash)
        .select(CodeRow::as_select())
        .first(conn)
        .optional()?;
    Ok(row.map(StoredCode::from))
}

/// Marks a code as exchanged for the token with this id. Returns `true` for exactly one of several
/// concurrent callers. The others wait for the row lock and find the code used.
pub fn spend(tx: &mut Tx<'_>, hash: &str, token: TokenId) -> Result<bool> {
    let spent = diesel::update(authorization_codes::table.find(hash))
        .filter(authorization_codes::used_at.is_null())
        .set((
            authorization_codes::used_at.eq(tx.now().unix_ms()),
            authorization_codes::token_id.eq(token),
        ))
        .execute(&mut **tx)?;
    Ok(spent == 1)
}
