//! Access tokens, stored as hashes only.

use diesel::{
    prelude::*,
    sql_types::{BigInt, Nullable},
};
use siskin_entities::{Application, Timestamp, Week};
use siskin_ids::{AccountId, ApplicationId, TokenId};

use crate::{
    Conn, Result, Tx,
    access::{self, Ended},
    accounts::lock,
    activity,
    applications::ApplicationRow,
    codes,
    equals_any::IdExpression as _,
    events::{Access, DomainEvent},
    measures,
    schema::{access_tokens, accounts, applications, users},
};

#[declare_sql_function]
extern "SQL" {
    fn coalesce(first: Nullable<BigInt>, second: BigInt) -> BigInt;
}

/// A token with the state of its user, loaded in one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRecord {
    pub id: TokenId,
    pub application: Option<ApplicationId>,
    /// Scopes, separated by spaces.
    pub scopes: String,
    /// Time of last use, accurate to about a day; see [`record_use`].
    pub last_used_at: Option<Timestamp>,
    /// `None` for a token of an application without a user.
    pub owner: Option<TokenOwner>,
}

/// The user of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenOwner {
    pub account: AccountId,
    pub confirmed: bool,
    pub approved: bool,
    pub disabled: bool,
    pub suspended: bool,
}

/// The columns of a [`TokenOwner`], of a query that joins accounts and users.
pub(crate) const OWNER: OwnerColumns =
    (accounts::id, users::confirmed_at, users::approved, users::disabled, accounts::suspended_at);

pub(crate) type OwnerColumns =
    (accounts::id, users::confirmed_at, users::approved, users::disabled, accounts::suspended_at);
/// A row of [`OWNER`].
pub(crate) type OwnerRow = (AccountId, Option<i64>, bool, bool, Option<i64>);

impl From<OwnerRow> for TokenOwner {
    fn from((account, confirmed, approved, disabled, suspended): OwnerRow) -> Self {
        Self {
            account,
            confirmed: confirmed.is_some(),
            approved,
            disabled,
            suspended: suspended.is_some(),
        }
    }
}

type TokenRow = (TokenId, Option<ApplicationId>, String, Option<i64>, Option<OwnerRow>);

/// Loads the token with this hash. Returns `None` if it was revoked.
pub fn find_by_hash(conn: &mut Conn, hash: &str) -> Result<Option<TokenRecord>> {
    let row: Option<TokenRow> = access_tokens::table
        .left_join(accounts::table.on(access_tokens::account_id.eq(accounts::id.nullable())))
        .left_join(users::table.on(access_tokens::account_id.eq(users::account_id.nullable())))
        .filter(access_tokens::token_hash.eq(hash))
        .select((
            access_tokens::id,
            access_tokens::application_id,
            access_tokens::scopes,
            access_tokens::last_used_at,
            OWNER.nullable(),
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(id, application, scopes, last_used_at, owner)| TokenRecord {
        id,
        application,
        scopes,
        last_used_at: last_used_at.map(Timestamp::from_unix_ms),
        owner: owner.map(TokenOwner::from),
    }))
}

/// Returns those of these tokens that are valid now: not revoked, and with a user that is
/// confirmed, approved, not disabled and not suspended.
pub fn still_valid(conn: &mut Conn, ids: &[TokenId]) -> Result<Vec<TokenId>> {
    Ok(access_tokens::table
        .inner_join(
            accounts::table
                .inner_join(users::table)
                .on(access_tokens::account_id.eq(accounts::id.nullable())),
        )
        .filter(access_tokens::id.equals_any(ids))
        .filter(users::confirmed_at.is_not_null())
        .filter(users::approved.eq(true))
        .filter(users::disabled.eq(false))
        .filter(accounts::suspended_at.is_null())
        .select(access_tokens::id)
        .load(conn)?)
}

/// A new token.
#[derive(Debug, Clone, Copy)]
pub struct NewToken<'a> {
    pub hash: &'a str,
    pub application: Option<ApplicationId>,
    /// `None` for a token of an application without a user.
    pub account: Option<AccountId>,
    /// Scopes, separated by spaces.
    pub scopes: &'a str,
}

/// Inserts a token.
pub fn insert(tx: &mut Tx<'_>, new: &NewToken<'_>) -> Result<TokenId> {
    let id = TokenId::new(tx.next_id());
    insert_with_id(tx, id, new)?;
    Ok(id)
}

/// Inserts a token with an id that was drawn before.
pub fn insert_with_id(tx: &mut Tx<'_>, id: TokenId, new: &NewToken<'_>) -> Result<()> {
    let row = (
        access_tokens::id.eq(id),
        access_tokens::token_hash.eq(new.hash),
        access_tokens::application_id.eq(new.application),
        access_tokens::account_id.eq(new.account),
        access_tokens::scopes.eq(new.scopes),
        access_tokens::created_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(access_tokens::table).values(row).execute(&mut **tx)?;
    Ok(())
}

/// Returns a batch of the tokens of an account beyond the `keep` most recently used or issued ones.
pub fn surplus(conn: &mut Conn, account: AccountId, keep: i64) -> Result<Vec<TokenId>> {
    const BATCH: i64 = 20;
    Ok(access_tokens::table
        .filter(access_tokens::account_id.eq(account))
        .order((
            coalesce(access_tokens::last_used_at, access_tokens::created_at).desc(),
            access_tokens::id.desc(),
        ))
        .offset(keep)
        .limit(BATCH)
        .select(access_tokens::id)
        .load(conn)?)
}

/// Records that a token and its user are active. Called at most once a day for each token, not for
/// each request, so that a read does not become a write.
pub fn record_use(tx: &mut Tx<'_>, id: TokenId, account: Option<AccountId>) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(access_tokens::table.find(id))
        .set(access_tokens::last_used_at.eq(now))
        .execute(&mut **tx)?;
    if let Some(account) = account {
        record_activity(tx, account)?;
    }
    Ok(())
}

/// Records that a user is active now. The first activity of a week counts as a login.
fn record_activity(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let (now, week) = (tx.now().unix_ms(), Week::of(tx.now()));
    let start = week.start().unix_ms();
    let is_first = users::last_active_at.is_null().or(users::last_active_at.lt(start));
    // If two tokens of a user are used at the same time, the condition holds for one of them.
    let first = diesel::update(users::table.find(account).filter(is_first))
        .set(users::last_active_at.eq(now))
        .execute(&mut **tx)?;
    if first == 1 {
        activity::add_login(tx, week)?;
        return measures::record_active_day(tx, account);
    }
    let again = diesel::update(users::table.find(account));
    // No row is left if the account was deleted meanwhile.
    if again.set(users::last_active_at.eq(now)).execute(&mut **tx)? == 1 {
        measures::record_active_day(tx, account)?;
    }
    Ok(())
}

/// Finds the id and the application of a token, for its revocation.
pub fn find_application(
    conn: &mut Conn,
    hash: &str,
) -> Result<Option<(TokenId, Option<ApplicationId>)>> {
    Ok(access_tokens::table
        .filter(access_tokens::token_hash.eq(hash))
        .select((access_tokens::id, access_tokens::application_id))
        .first(conn)
        .optional()?)
}

/// Revokes a token. Returns `true` if it existed.
pub fn delete(tx: &mut Tx<'_>, id: TokenId) -> Result<bool> {
    let token: Option<(Option<ApplicationId>, Option<AccountId>)> = access_tokens::table
        .find(id)
        .select((access_tokens::application_id, access_tokens::account_id))
        .first(&mut **tx)
        .optional()?;
    let Some((application, account)) = token else { return Ok(false) };
    if let Some(account) = account {
        lock(tx, &[account])?;
    }
    let deleted = diesel::delete(access_tokens::table.find(id)).execute(&mut **tx)? == 1;
    if deleted {
        access::end(tx, Ended::Token { id, application, account })?;
    }
    Ok(deleted)
}

/// Revokes all tokens of an application for an account, and the codes that it could exchange for
/// new tokens. Returns the number of tokens and codes.
pub fn delete_of_application(
    tx: &mut Tx<'_>,
    account: AccountId,
    application: ApplicationId,
) -> Result<usize> {
    lock(tx, &[account])?;
    let deleted = diesel::delete(access_tokens::table)
        .filter(access_tokens::account_id.eq(account))
        .filter(access_tokens::application_id.eq(application))
        .execute(&mut **tx)?;
    let codes = codes::delete_of_grant(tx, account, application)?;
    if deleted > 0 {
        DomainEvent::AccessEnded(Access::Account(account)).write(tx)?;
    }
    Ok(deleted + codes)
}

/// Revokes all tokens of an account, and the codes that could be exchanged for new ones.
pub fn delete_of_account(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    lock(tx, &[account])?;
    diesel::delete(access_tokens::table.filter(access_tokens::account_id.eq(account)))
        .execute(&mut **tx)?;
    access::end(tx, Ended::Account(account))
}

/// A token of an account with its application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedToken {
    pub application: Application,
    /// Scopes, separated by spaces.
    pub scopes: String,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// Loads the tokens that an account granted to applications, the newest first.
pub fn granted_by(conn: &mut Conn, account: AccountId) -> Result<Vec<GrantedToken>> {
    let rows: Vec<(ApplicationRow, String, i64, Option<i64>)> = access_tokens::table
        .inner_join(applications::table)
        .filter(access_tokens::account_id.eq(account))
        .order(access_tokens::id.desc())
        .select((
            ApplicationRow::as_select(),
            access_tokens::scopes,
            access_tokens::created_at,
            access_tokens::last_used_at,
        ))
        .load(conn)?;
    Ok(rows
        .into_iter()
        .map(|(application, scopes, created_at, last_used_at)| GrantedToken {
            application: application.into(),
            scopes,
            created_at: Timestamp::from_unix_ms(created_at),
            last_used_at: last_used_at.map(Timestamp::from_unix_ms),
        })
        .collect())
}

/// A token as listed for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedToken {
    pub id: TokenId,
    /// `None` for a token of an application without a user.
    pub account: Option<AccountId>,
    /// The user name of that account.
    pub username: Option<String>,
    /// The name of the application.
    pub application: Option<String>,
    /// Scopes, separated by spaces.
    pub scopes: String,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// Lists at most `limit` tokens with ids above `after`, of `account` or of all accounts.
pub fn list(
    conn: &mut Conn,
    account: Option<AccountId>,
    after: TokenId,
    limit: i64,
) -> Result<Vec<ListedToken>> {
    type Row =
        (TokenId, Option<AccountId>, Option<String>, Option<String>, String, i64, Option<i64>);
    let tokens = access_tokens::table
        .left_join(accounts::table.on(access_tokens::account_id.eq(accounts::id.nullable())))
        .left_join(applications::table)
        .filter(access_tokens::id.gt(after))
        .order(access_tokens::id)
        .limit(limit)
        .select((
            access_tokens::id,
            access_tokens::account_id,
            accounts::username.nullable(),
            applications::name.nullable(),
            access_tokens::scopes,
            access_tokens::created_at,
            access_tokens::last_used_at,
        ));
    let rows: Vec<Row> = match account {
        Some(account) => tokens.filter(access_tokens::account_id.eq(account)).load(conn)?,
        None => tokens.load(conn)?,
    };
    let token =
        |(id, account, username, application, scopes, created_at, last_used_at): Row| ListedToken {
            id,
            account,
            username,
            application,
            scopes,
            created_at: Timestamp::from_unix_ms(created_at),
            last_used_at: last_used_at.map(Timestamp::from_unix_ms),
        };
    Ok(rows.into_iter().map(token).collect())
}
