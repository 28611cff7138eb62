//! Local users: the login data of local accounts. Their profiles are rows of `accounts`.

use std::collections::HashMap;

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId};

use crate::{
    Conn, Result, Tx,
    equals_any::IdExpression as _,
    schema::{accounts, second_factors, users},
    tokens::TokenOwner,
};

/// Finds the account of the user with this folded email address.
pub fn find_by_email(conn: &mut Conn, email_key: &str) -> Result<Option<AccountId>> {
    Ok(users::table
        .filter(users::email_key.eq(email_key))
        .select(users::account_id)
        .first(conn)
        .optional()?)
}

/// The password hash of a user, with the states that can prevent a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInRecord {
    pub owner: TokenOwner,
    pub password_hash: String,
    pub has_second_factor: bool,
}

type SignInRow = (AccountId, String, Option<i64>, bool, bool, Option<i64>, Option<AccountId>);

/// Forms of a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login<'a> {
    /// Folded email address.
    Email(&'a str),
    /// Folded user name of a local account.
    Username(&'a str),
}

/// Loads the local user with this login. Leaves out rejected sign-ups and accounts that are being
/// deleted.
pub fn find_by_login(conn: &mut Conn, login: Login<'_>) -> Result<Option<SignInRecord>> {
    let users_query = users::table
        .inner_join(accounts::table)
        .left_join(second_factors::table.on(users::account_id.eq(second_factors::account_id)))
        .filter(accounts::domain.is_null())
        .filter(users::rejected_at.is_null())
        .filter(accounts::deleting_since.is_null())
        .select((
            users::account_id,
            users::password_hash,
            users::confirmed_at,
            users::approved,
            users::disabled,
            accounts::suspended_at,
            second_factors::account_id.nullable(),
        ));
    let row: Option<SignInRow> = match login {
        Login::Email(key) => users_query.filter(users::email_key.eq(key)).first(conn).optional()?,
        Login::Username(key) => {
            users_query.filter(accounts::username_key.eq(key)).first(conn).optional()?
        }
    };
    Ok(row.map(|(account, password_hash, confirmed, approved, disabled, suspended, factor)| {
        SignInRecord {
            owner: TokenOwner {
                account,
                confirmed: confirmed.is_some(),
                approved,
                disabled,
                suspended: suspended.is_some(),
            },
            password_hash,
            has_second_factor: factor.is_some(),
        }
    }))
}

/// Data of a user for an email to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailRecipient {
    pub owner: TokenOwner,
    pub username: String,
    pub email: String,
    /// The application used for the sign-up. `None` for a sign-up on a page of this server, or for
    /// a user that the operator created.
    pub application: Option<ApplicationId>,
}

/// Loads the user of this account. Returns `None` for a rejected sign-up.
pub fn recipient(conn: &mut Conn, account: AccountId) -> Result<Option<EmailRecipient>> {
    type Row = (String, String, Option<ApplicationId>, Option<i64>, bool, bool, Option<i64>);
    let row: Option<Row> = users::table
        .inner_join(accounts::table)
        .filter(users::account_id.eq(account))
        .filter(users::rejected_at.is_null())
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
        EmailRecipient { owner, username, email, application }
    }))
}

/// A user as listed for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRecord {
    pub email: String,
    pub confirmed: bool,
    pub approved: bool,
    pub disabled: bool,
    /// Accurate to about a day.
    pub last_active_at: Option<Timestamp>,
}

/// Loads the users of these accounts.
pub fn load_records(conn: &mut Conn, ids: &[AccountId]) -> Result<HashMap<AccountId, UserRecord>> {
    type Row = (AccountId, String, Option<i64>, bool, bool, Option<i64>);
    let rows: Vec<Row> = users::table
        .filter(users::account_id.equals_any(ids))
        .select((
            users::account_id,
            users::email,
            users::confirmed_at,
            users::approved,
            users::disabled,
            users::last_active_at,
        ))
        .load(conn)?;
    let record = |(account, email, confirmed, approved, disabled, active): Row| {
        let last_active_at = active.map(Timestamp::from_unix_ms);
        let confirmed = confirmed.is_some();
        (account, UserRecord { email, confirmed, approved, disabled, last_active_at })
    };
    Ok(rows.into_iter().map(record).collect())
}

/// Replaces the email address of a user. It must be unique.
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

/// Records that a user accepts the terms of service now.
pub fn accept_terms(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    diesel::update(users::table.find(account))
        .set(users::terms_accepted_at.eq(tx.now().unix_ms()))
        .execute(&mut **tx)?;
    Ok(())
}

/// Returns when a user accepted the terms of service. Returns `None` if there were none at the
/// sign-up.
pub fn terms_accepted_at(conn: &mut Conn, account: AccountId) -> Result<Option<Timestamp>> {
    let accepted: Option<Option<i64>> =
        users::table.find(account).select(users::terms_accepted_at).first(conn).optional()?;
    Ok(accepted.flatten().map(Timestamp::from_unix_ms))
}

/// Returns the first users that signed up before `before` and never confirmed their address. Leaves
/// out users that the operator created, which have no sign-up IP address. Leaves out users with a
/// role too, because the operator knows them, and rejected ones, which are deleted anyway.
pub fn never_confirmed(conn: &mut Conn, before: Timestamp, limit: i64) -> Result<Vec<AccountId>> {
    Ok(users::table
        .filter(users::confirmed_at.is_null())
        .filter(users::created_at.lt(before.unix_ms()))
        .filter(users::sign_up_ip.is_not_null())
        .filter(users::role_id.is_null())
        .filter(users::rejected_at.is_null())
        .order(users::account_id)
        .limit(limit)
        .select(users::account_id)
        .load(conn)?)
}

/// Returns `true` if any user exists. Returns `false` on a server that was never set up.
pub fn any_exists(conn: &mut Conn) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::exists(users::table.select(users::account_id)))
        .get_result(conn)?)
}
