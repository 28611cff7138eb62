//! Sign-ups that wait for a decision of the staff, and the emails about them.

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    conn::OnEngine,
    fixed::fixed,
    schema::{accounts, sign_up_notices, users},
};

/// State of the sign-up of a local account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four independent facts of one row")]
pub struct SignUpState {
    pub username: String,
    pub email: String,
    /// Whether the email address is confirmed.
    pub confirmed: bool,
    pub approved: bool,
    pub rejected: bool,
    /// Whether a person signed up, and not the operator created the account.
    pub by_visitor: bool,
}

/// Loads the state of the sign-up of an account. Returns `None` if it has no user.
pub fn sign_up(conn: &mut Conn, account: AccountId) -> Result<Option<SignUpState>> {
    type Row = (String, String, Option<i64>, bool, Option<i64>, Option<String>);
    let row: Option<Row> = users::table
        .inner_join(accounts::table)
        .filter(users::account_id.eq(account))
        .select((
            accounts::username,
            users::email,
            users::confirmed_at,
            users::approved,
            users::rejected_at,
            users::sign_up_ip,
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(username, email, confirmed_at, approved, rejected_at, sign_up_ip)| SignUpState {
        username,
        email,
        confirmed: confirmed_at.is_some(),
        approved,
        rejected: rejected_at.is_some(),
        by_visitor: sign_up_ip.is_some(),
    }))
}

/// A sign-up that waits for a decision of the staff.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct WaitingSignUp {
    pub account: AccountId,
    pub username: String,
    /// What the person wrote.
    pub reason: Option<String>,
}

/// Condition of the index of pending users.
macro_rules! is_pending {
    () => {
        fixed!(diesel::sql_types::Bool, "NOT users.approved AND users.rejected_at IS NULL")
    };
}

/// Loads the newest `limit` sign-ups with a confirmed address that wait for a decision, and counts
/// all of them.
pub fn waiting(conn: &mut Conn, limit: i64) -> Result<(Vec<WaitingSignUp>, i64)> {
    let count = users::table
        .filter(is_pending!())
        .filter(users::account_id.gt(AccountId::new(0)))
        .filter(users::confirmed_at.is_not_null())
        .count()
        .get_result(conn)?;
    let newest = users::table
        .inner_join(accounts::table)
        .filter(is_pending!())
        .filter(users::account_id.gt(AccountId::new(0)))
        .filter(users::confirmed_at.is_not_null())
        .order(users::account_id.desc())
        .limit(limit)
        .select((users::account_id, accounts::username, users::sign_up_reason))
        .load(conn)?;
    Ok((newest, count))
}

/// Counts the sign-ups that wait for a decision, confirmed or not, up to `most`.
pub fn count_pending(conn: &mut Conn, most: i64) -> Result<usize> {
    let some: Vec<AccountId> = users::table
        .filter(is_pending!())
        .filter(users::account_id.gt(AccountId::new(0)))
        .order(users::account_id)
        .limit(most)
        .select(users::account_id)
        .load(conn)?;
    Ok(some.len())
}

/// When staff got, and get, emails about waiting sign-ups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notices {
    /// The last emails; the beginning of time if there were none.
    pub mailed_at: Timestamp,
    /// The next emails. `None` if none are planned.
    pub due_at: Option<Timestamp>,
}

/// Loads the times of the emails, and locks them until the transaction ends.
pub fn notices(tx: &mut Tx<'_>) -> Result<Notices> {
    let row = sign_up_notices::table
        .find(0_i64)
        .select((sign_up_notices::mailed_at, sign_up_notices::due_at));
    let (mailed_at, due_at): (i64, Option<i64>) = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_update().first(pg)?,
        OnEngine::Sqlite(sqlite) => row.first(sqlite)?,
    };
    Ok(Notices {
        mailed_at: Timestamp::from_unix_ms(mailed_at),
        due_at: due_at.map(Timestamp::from_unix_ms),
    })
}

/// Stores the times of the emails.
pub fn set_notices(tx: &mut Tx<'_>, notices: Notices) -> Result<()> {
    diesel::update(sign_up_notices::table.find(0_i64))
        .set((
            sign_up_notices::mailed_at.eq(notices.mailed_at.unix_ms()),
            sign_up_notices::due_at.eq(notices.due_at.map(Timestamp::unix_ms)),
        ))
        .execute(&mut **tx)?;
    Ok(())
}
