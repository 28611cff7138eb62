//! Local users: the login data of local accounts. Their profiles are rows of `accounts`.

use std::collections::HashMap;

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId};

use crate::{
    Conn, Result, Tx,
    equals_any::IdExpression as _,
    schema::{accounts, second_factors, users},
    tokens::{OWNER, OwnerRow, TokenOwner},
};

/// The user with an email address. Only one who confirmed it is its owner: another one loses it to
/// a person who confirms it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmailHolder {
    pub account: AccountId,
    pub confirmed: bool,
}

/// Finds the user with this folded email address.
pub fn find_by_email(conn: &mut Conn, email_key: &str) -> Result<Option<EmailHolder>> {
    let row: Option<(AccountId, Option<i64>)> = users::table
        .filter(users::email_key.eq(email_key))
        .select((users::account_id, users::confirmed_at))
        .first(conn)
        .optional()?;
    let holder = |(account, confirmed_at): (AccountId, Option<i64>)| EmailHolder {
        account,
        confirmed: confirmed_at.is_some(),
    };
    Ok(row.map(holder))
}

/// Finds the account that confirmed this folded email address.
pub fn owner_of_email(conn: &mut Conn, email_key: &str) -> Result<Option<AccountId>> {
    let holder = find_by_email(conn, email_key)?;
    Ok(holder.filter(|holder| holder.confirmed).map(|holder| holder.account))
}

/// Returns up to `limit` users that signed up with this folded email address and did not confirm it,
/// the newest first.
pub fn unconfirmed_with_email(
    conn: &mut Conn,
    email_key: &str,
    limit: i64,
) -> Result<Vec<AccountId>> {
    Ok(users::table
        .filter(users::confirmed_at.is_null())
        .filter(users::rejected_at.is_null())
        .filter(users::folded_email.eq(email_key))
        .order(users::account_id.desc())
        .limit(limit)
        .select(users::account_id)
        .load(conn)?)
}

/// Returns what is stored instead of the folded address of a user with an email address that another
/// account has. No address is equal to it.
#[must_use]
pub fn no_email_key(account: AccountId) -> String {
    format!("#{account}")
}

/// The password hash of a user, with the states that can prevent a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInRecord {
    pub owner: TokenOwner,
    pub password_hash: String,
    pub has_second_factor: bool,
}

type SignInRow = (OwnerRow, String, Option<AccountId>);

/// Forms of a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login<'a> {
    /// Folded email address. Finds only the user who confirmed it.
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
        .select((OWNER, users::password_hash, second_factors::account_id.nullable()));
    let row: Option<SignInRow> = match login {
        Login::Email(key) => {
            let confirmed = users_query.filter(users::confirmed_at.is_not_null());
            confirmed.filter(users::email_key.eq(key)).first(conn).optional()?
        }
        Login::Username(key) => {
            users_query.filter(accounts::username_key.eq(key)).first(conn).optional()?
        }
    };
    Ok(row.map(|(owner, password_hash, factor)| SignInRecord {
        owner: owner.into(),
        password_hash,
        has_second_factor: factor.is_some(),
    }))
}

/// Data of a user for an email to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailRecipient {
    pub owner: TokenOwner,
    pub username: String,
    pub email: String,
    /// `false` if another account had the email address. Then this one gets it when it is confirmed,
    /// unless the other one was faster.
    pub has_email: bool,
    /// The application used for the sign-up. `None` for a sign-up on a page of this server, or for
    /// a user that the operator created.
    pub application: Option<ApplicationId>,
}

/// Loads the user of this account. Returns `None` for a rejected sign-up.
pub fn recipient(conn: &mut Conn, account: AccountId) -> Result<Option<EmailRecipient>> {
    type Row = (OwnerRow, String, String, String, Option<ApplicationId>);
    let row: Option<Row> = users::table
        .inner_join(accounts::table)
        .filter(users::account_id.eq(account))
        .filter(users::rejected_at.is_null())
        .select((
            OWNER,
            accounts::username,
            users::email,
            users::email_key,
            users::created_by_application_id,
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(owner, username, email, key, application)| EmailRecipient {
        owner: owner.into(),
        username,
        email,
        has_email: key != no_email_key(account),
        application,
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

/// Loads up to `limit` users with higher ids than `after`, and not higher ones than `last`, in the
/// order of the ids. Returns each with whether the person can use the account: it is confirmed,
/// approved, and neither disabled nor suspended.
pub fn from_to(
    conn: &mut Conn,
    after: Option<AccountId>,
    last: AccountId,
    limit: i64,
) -> Result<Vec<(AccountId, bool)>> {
    type Row = (AccountId, Option<i64>, bool, bool, Option<i64>, Option<i64>);
    let rows: Vec<Row> = users::table
        .inner_join(accounts::table)
        .filter(users::account_id.gt(after.map_or(0, AccountId::get)))
        .filter(users::account_id.le(last))
        .order(users::account_id)
        .limit(limit)
        .select((
            users::account_id,
            users::confirmed_at,
            users::approved,
            users::disabled,
            users::rejected_at,
            accounts::suspended_at,
        ))
        .load(conn)?;
    let user = |(account, confirmed, approved, disabled, rejected, suspended): Row| {
        let is_admitted = confirmed.is_some() && approved && rejected.is_none();
        (account, is_admitted && !disabled && suspended.is_none())
    };
    Ok(rows.into_iter().map(user).collect())
}

/// Replaces the email address of a user. Its folded form `key` must be unique.
pub fn set_email(tx: &mut Tx<'_>, account: AccountId, email: &str, key: &str) -> Result<()> {
    diesel::update(users::table.find(account))
        .set((
            users::email.eq(email),
            users::email_key.eq(key),
            users::folded_email.eq(key),
            users::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Stores the email address that a user typed, with its folded form `key`. Another user has the
/// address, so this one does not get it.
pub fn share_email(tx: &mut Tx<'_>, account: AccountId, email: &str, key: &str) -> Result<()> {
    diesel::update(users::table.find(account))
        .set((
            users::email.eq(email),
            users::email_key.eq(no_email_key(account)),
            users::folded_email.eq(key),
            users::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Takes the folded email address away from a user. What was typed stays.
pub fn drop_email_key(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    diesel::update(users::table.find(account))
        .set((users::email_key.eq(no_email_key(account)), users::updated_at.eq(tx.now().unix_ms())))
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

/// Returns the stored password of a user. Returns `None` if the account has no user.
pub fn password_hash(conn: &mut Conn, account: AccountId) -> Result<Option<String>> {
    Ok(users::table.find(account).select(users::password_hash).first(conn).optional()?)
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
