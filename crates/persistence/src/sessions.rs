//! Browser sessions of users. The token of a session is stored as a hash only.

use diesel::prelude::*;
use siskin_entities::{Role, Session, Timestamp};
use siskin_ids::{AccountId, SessionId};

use crate::{
    Conn, Result, Tx,
    admin_accounts::record_ip,
    equals_any::IdExpression as _,
    schema::{accounts, roles, second_factors, users, web_sessions},
    tokens::{OWNER, OwnerRow, TokenOwner},
};

/// Maximum number of surplus sessions deleted at once.
const SURPLUS: i64 = 100;

diesel::alias!(roles as base_roles: BaseRoles);

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = web_sessions)]
struct SessionRow {
    id: SessionId,
    account_id: AccountId,
    user_agent: String,
    ip: String,
    created_at: i64,
    last_used_at: i64,
}

impl From<SessionRow> for Session {
    fn from(row: SessionRow) -> Self {
        Self {
            id: row.id,
            account: row.account_id,
            user_agent: row.user_agent,
            ip: row.ip,
            created_at: Timestamp::from_unix_ms(row.created_at),
            last_used_at: Timestamp::from_unix_ms(row.last_used_at),
        }
    }
}

/// A session with its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    pub session: Session,
    pub username: String,
    pub owner: TokenOwner,
    /// Permission bits of the user's own role; 0 for the base role.
    pub permissions: i64,
    /// Permission bits of the base role, which all users have.
    pub base_permissions: i64,
    pub has_second_factor: bool,
    /// Whether the session began while its user might not act.
    pub restricted: bool,
    /// Whether the account is being deleted.
    pub deleting: bool,
}

/// A new session.
#[derive(Debug, Clone, Copy)]
pub struct NewSession<'a> {
    pub token_hash: &'a str,
    pub account: AccountId,
    pub user_agent: &'a str,
    pub ip: &'a str,
    /// Whether the user may not act. Then the sign-in is not recorded as one, only its address.
    pub restricted: bool,
    /// Whether a provider signed the user in without asking who it is.
    pub silent: bool,
}

/// Inserts a session and records the sign-in. Deletes the user's other sessions that were last used
/// before `stale`, and all but the latest `keep`.
pub fn insert(
    tx: &mut Tx<'_>,
    new: &NewSession<'_>,
    stale: Timestamp,
    keep: i64,
) -> Result<SessionId> {
    let now = tx.now().unix_ms();
    diesel::delete(web_sessions::table)
        .filter(web_sessions::account_id.eq(new.account))
        .filter(web_sessions::last_used_at.lt(stale.unix_ms()))
        .execute(&mut **tx)?;
    let surplus: Vec<SessionId> = web_sessions::table
        .filter(web_sessions::account_id.eq(new.account))
        .order((web_sessions::last_used_at.desc(), web_sessions::id.desc()))
        .offset(keep)
        .limit(SURPLUS)
        .select(web_sessions::id)
        .load(&mut **tx)?;
    if !surplus.is_empty() {
        diesel::delete(web_sessions::table.filter(web_sessions::id.equals_any(surplus)))
            .execute(&mut **tx)?;
    }
    let id = SessionId::new(tx.next_id());
    let row = (
        web_sessions::id.eq(id),
        web_sessions::token_hash.eq(new.token_hash),
        web_sessions::account_id.eq(new.account),
        web_sessions::user_agent.eq(new.user_agent),
        web_sessions::ip.eq(new.ip),
        web_sessions::created_at.eq(now),
        web_sessions::last_used_at.eq(now),
        web_sessions::restricted.eq(new.restricted),
        web_sessions::silent.eq(new.silent),
    );
    diesel::insert_into(web_sessions::table).values(row).execute(&mut **tx)?;
    if !new.restricted {
        diesel::update(users::table.find(new.account))
            .set(users::last_sign_in_at.eq(now))
            .execute(&mut **tx)?;
    }
    record_ip(tx, new.account, new.ip)?;
    Ok(id)
}

/// Loads the session with this token hash. Returns `None` if it was last used before `stale`.
pub fn find_by_hash(
    conn: &mut Conn,
    hash: &str,
    stale: Timestamp,
) -> Result<Option<SessionRecord>> {
    /// User name, start of the deletion.
    type AccountFacts = (String, Option<i64>);
    /// Restricted, permissions of both roles, second factor.
    type SessionFacts = (bool, Option<i64>, Option<i64>, Option<AccountId>);
    let row: Option<(SessionRow, OwnerRow, AccountFacts, SessionFacts)> = web_sessions::table
        .inner_join(accounts::table.on(web_sessions::account_id.eq(accounts::id)))
        .inner_join(users::table.on(web_sessions::account_id.eq(users::account_id)))
        .left_join(roles::table.on(users::role_id.eq(roles::id.nullable())))
        .left_join(base_roles.on(base_roles.field(roles::id).eq(Role::EVERYONE)))
        .left_join(
            second_factors::table.on(web_sessions::account_id.eq(second_factors::account_id)),
        )
        .filter(web_sessions::token_hash.eq(hash))
        .filter(web_sessions::last_used_at.ge(stale.unix_ms()))
        .select((
            SessionRow::as_select(),
            OWNER,
            (accounts::username, accounts::deleting_since),
            (
                web_sessions::restricted,
                roles::permissions.nullable(),
                base_roles.field(roles::permissions).nullable(),
                second_factors::account_id.nullable(),
            ),
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(session, owner, (username, deleting), facts)| {
        let (restricted, permissions, base_permissions, factor) = facts;
        SessionRecord {
            owner: owner.into(),
            session: session.into(),
            username,
            permissions: permissions.unwrap_or_default(),
            base_permissions: base_permissions.unwrap_or_default(),
            has_second_factor: factor.is_some(),
            restricted,
            deleting: deleting.is_some(),
        }
    }))
}

/// Returns the time at which a session began, and its user showed who it is. Returns `None` if it has
/// ended, or if a provider began it without asking the user.
pub fn proven_at(conn: &mut Conn, id: SessionId) -> Result<Option<Timestamp>> {
    let at: Option<i64> = web_sessions::table
        .find(id)
        .filter(web_sessions::silent.eq(false))
        .select(web_sessions::created_at)
        .first(conn)
        .optional()?;
    Ok(at.map(Timestamp::from_unix_ms))
}

/// Loads the sessions of an account that were used at or after `stale`, the latest used first.
/// Leaves out restricted ones.
pub fn of_account(conn: &mut Conn, account: AccountId, stale: Timestamp) -> Result<Vec<Session>> {
    let rows = web_sessions::table
        .filter(web_sessions::account_id.eq(account))
        .filter(web_sessions::restricted.eq(false))
        .filter(web_sessions::last_used_at.ge(stale.unix_ms()))
        .order((web_sessions::last_used_at.desc(), web_sessions::id.desc()))
        .select(SessionRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(Session::from).collect())
}

/// Records that a session is in use.
pub fn touch(tx: &mut Tx<'_>, id: SessionId) -> Result<()> {
    diesel::update(web_sessions::table.find(id))
        .set(web_sessions::last_used_at.eq(tx.now().unix_ms()))
        .execute(&mut **tx)?;
    Ok(())
}

/// Returns `true` if the account has this session, and it is not restricted.
pub fn exists(conn: &mut Conn, account: AccountId, id: SessionId) -> Result<bool> {
    let session = web_sessions::table
        .find(id)
        .filter(web_sessions::account_id.eq(account))
        .filter(web_sessions::restricted.eq(false));
    Ok(diesel::select(diesel::dsl::exists(session)).get_result(conn)?)
}

/// Deletes a session of an account. Returns `true` if it existed.
pub fn delete(tx: &mut Tx<'_>, account: AccountId, id: SessionId) -> Result<bool> {
    let ended = diesel::delete(web_sessions::table.find(id))
        .filter(web_sessions::account_id.eq(account))
        .execute(&mut **tx)?;
    Ok(ended == 1)
}

/// Deletes all sessions of an account except `keep`; `None` deletes all. A new password or a
/// compromised account requires this. Returns the number of deleted sessions.
pub fn delete_others(
    tx: &mut Tx<'_>,
    account: AccountId,
    keep: Option<SessionId>,
) -> Result<usize> {
    let keep = keep.unwrap_or(SessionId::new(0));
    Ok(diesel::delete(web_sessions::table)
        .filter(web_sessions::account_id.eq(account))
        .filter(web_sessions::id.ne(keep))
        .execute(&mut **tx)?)
}
