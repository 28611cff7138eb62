//! What local people sign in with. Their profiles are rows of accounts.

use std::collections::HashMap;

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId};

use crate::{
    Conn, Result, Tx,
    among::IdExpression as _,
    schema::{accounts, users},
    tokens::TokenOwner,
};

/// The account of the person with this folded e-mail address.
pub fn find_by_email(conn: &mut Conn, email_key: &str) -> Result<Option<AccountId>> {
    Ok(users::table
        .filter(users::email_key.eq(email_key))
        .select(users::account_id)
        .first(conn)
        .optional()?)
}

/// A person's password as it is stored, with what could keep them from signing in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInRecord {
    pub owner: TokenOwner,
    pub password_hash: String,
}

type SignInRow = (AccountId, String, Option<i64>, bool, bool, Option<i64>);

/// What a login can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login<'a> {
    /// A folded e-mail address.
    Email(&'a str),
    /// The folded user name of a local account.
    Username(&'a str),
}

/// The local person with this login.
pub fn find_by_login(conn: &mut Conn, login: Login<'_>) -> Result<Option<SignInRecord>> {
    let people =
        users::table.inner_join(accounts::table).filter(accounts::domain.is_null()).select((
            users::account_id,
            users::password_hash,
            users::confirmed_at,
            users::approved,
            users::disabled,
            accounts::suspended_at,
        ));
    let row: Option<SignInRow> = match login {
        Login::Email(key) => people.filter(users::email_key.eq(key)).first(conn).optional()?,
        Login::Username(key) => {
            people.filter(accounts::username_key.eq(key)).first(conn).optional()?
        }
    };
    Ok(row.map(|(account, password_hash, confirmed, approved, disabled, suspended)| SignInRecord {
        owner: TokenOwner {
            account,
            confirmed: confirmed.is_some(),
            approved,
            disabled,
            suspended: suspended.is_some(),
        },
        password_hash,
    }))
}

/// A person as a letter to them needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressee {
    pub owner: TokenOwner,
    pub username: String,
    pub email: String,
    /// The application that they signed up by; None for a page of ours or the operator.
    pub application: Option<ApplicationId>,
}

/// The person who signs in to this account.
pub fn addressee(conn: &mut Conn, account: AccountId) -> Result<Option<Addressee>> {
    type Row = (String, String, Option<ApplicationId>, Option<i64>, bool, bool, Option<i64>);
    let row: Option<Row> = users::table
        .inner_join(accounts::table)
        .filter(users::account_id.eq(account))
        .select((
            accounts::username,
            users::email,
            users::created_by_application_id,
            users::confirmed_at,
            users::approved,
            users::disabled,
            accounts::suspended_at,
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(username, email, application, confirmed, approved, disabled, suspended)| {
        let owner = TokenOwner {
            account,
            confirmed: confirmed.is_some(),
            approved,
            disabled,
            suspended: suspended.is_some(),
        };
        Addressee { owner, username, email, application }
    }))
}

/// A person as the operator sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub email: String,
    pub confirmed: bool,
    pub approved: bool,
    pub disabled: bool,
    /// To the day, more or less.
    pub last_active_at: Option<Timestamp>,
}

/// Loads the people of these accounts.
pub fn standings(conn: &mut Conn, ids: &[AccountId]) -> Result<HashMap<AccountId, Standing>> {
    type Row = (AccountId, String, Option<i64>, bool, bool, Option<i64>);
    let rows: Vec<Row> = users::table
        .filter(users::account_id.among(ids))
        .select((
            users::account_id,
            users::email,
            users::confirmed_at,
            users::approved,
            users::disabled,
            users::last_active_at,
        ))
        .load(conn)?;
    let standing = |(account, email, confirmed, approved, disabled, active): Row| {
        let last_active_at = active.map(Timestamp::from_unix_ms);
        let confirmed = confirmed.is_some();
        (account, Standing { email, confirmed, approved, disabled, last_active_at })
    };
    Ok(rows.into_iter().map(standing).collect())
}

/// Replaces a person's e-mail address, which nobody else may have.
pub fn set_email(tx: &mut Tx<'_>, account: AccountId, email: &str, key: &str) -> Result<()> {
    diesel::update(users::table.find(account))
        .set((
            users::email.eq(email),
            users::email_key.eq(key),
            users::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// The first of those who signed up before `before` and never confirmed their address. Whom the
/// operator made has no address of a sign-up; whoever got a role is known to the operator too.
pub fn never_confirmed(conn: &mut Conn, before: Timestamp, limit: i64) -> Result<Vec<AccountId>> {
    Ok(users::table
        .filter(users::confirmed_at.is_null())
        .filter(users::created_at.lt(before.unix_ms()))
        .filter(users::sign_up_ip.is_not_null())
        .filter(users::role_id.is_null())
        .order(users::account_id)
        .limit(limit)
        .select(users::account_id)
        .load(conn)?)
}

/// Whether any person can sign in here: false on a server that was never set up.
pub fn anyone(conn: &mut Conn) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::exists(users::table.select(users::account_id)))
        .get_result(conn)?)
}
