//! Sessions of signed-in browsers.

use std::time::Duration;

use siskin_entities::{Session, Timestamp};
use siskin_ids::{AccountId, SessionId};
use siskin_persistence::{
    Conn, Tx, accounts, codes,
    sessions::{self as rows, NewSession},
};
use siskin_policy::limits::MAX_SESSIONS;

use crate::{Error, Result, authentication::UserState, secrets};

/// Time after which an unused session ends.
pub const IDLE_LIFETIME: Duration = Duration::from_secs(90 * 86_400);
/// Maximum age of the recorded time of last use.
const TOUCH_EVERY: Duration = Duration::from_secs(3600);
/// Maximum number of characters that are stored of a browser's user agent.
const MAX_USER_AGENT: usize = 300;

/// Browser that begins a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Browser {
    pub user_agent: String,
    pub ip: String,
}

/// User with a valid session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub session: SessionId,
    pub account: AccountId,
    pub username: String,
    /// Whether [`touch`] is due.
    pub touch: bool,
}

/// Begins a session and returns its token, which only the browser stores. The token is new even if
/// the browser had one before. If the user has [`MAX_SESSIONS`], the least recently used session
/// ends.
///
/// # Errors
/// Storage errors only.
pub fn begin(tx: &mut Tx<'_>, account: AccountId, browser: &Browser) -> Result<String> {
    let token = secrets::generate();
    let user_agent: String = browser.user_agent.chars().take(MAX_USER_AGENT).collect();
    let new = NewSession {
        token_hash: &secrets::hash(&token),
        account,
        user_agent: &user_agent,
        ip: &browser.ip,
    };
    let stale = tx.now().before(IDLE_LIFETIME);
    rows::insert(tx, &new, stale, MAX_SESSIONS - 1)?;
    Ok(token)
}

/// Returns the user with the session of this token. Returns `None` if the session has ended, or the
/// user may not act any more.
///
/// # Errors
/// Storage errors only.
pub fn find(conn: &mut Conn, token: &str, now: Timestamp) -> Result<Option<SignedIn>> {
    let stale = now.before(IDLE_LIFETIME);
    let Some(record) = rows::find_by_hash(conn, &secrets::hash(token), stale)? else {
        return Ok(None);
    };
    let owner = record.owner;
    let state = UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
    Ok((state == UserState::Active).then(|| SignedIn {
        session: record.session.id,
        account: owner.account,
        username: record.username,
        touch: record.session.last_used_at < now.before(TOUCH_EVERY),
    }))
}

/// Records that a session is in use.
///
/// # Errors
/// Storage errors only.
pub fn touch(tx: &mut Tx<'_>, session: SessionId) -> Result<()> {
    Ok(rows::touch(tx, session)?)
}

/// Lists the sessions of a user, the latest used first.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn, account: AccountId, now: Timestamp) -> Result<Vec<Session>> {
    Ok(rows::of_account(conn, account, now.before(IDLE_LIFETIME))?)
}

/// Ends a session of a user who signs out or signs in again.
///
/// # Errors
/// [`Error::NotFound`] if it belongs to another user, or has ended.
pub fn end(tx: &mut Tx<'_>, account: AccountId, session: SessionId) -> Result<()> {
    if rows::delete(tx, account, session)? { Ok(()) } else { Err(Error::NotFound) }
}

/// Ends a session that an attacker may control. Authorization codes end too, because one may have
/// been issued in that session.
///
/// # Errors
/// As [`end`].
pub fn revoke(tx: &mut Tx<'_>, account: AccountId, session: SessionId) -> Result<()> {
    accounts::lock(tx, &[account])?;
    end(tx, account, session)?;
    Ok(codes::delete_of_account(tx, account)?)
}

/// Ends every session of the user except `current` (`None` ends all), as [`revoke`] does. Returns
/// the number of ended sessions.
///
/// # Errors
/// Storage errors only.
pub fn end_others(
    tx: &mut Tx<'_>,
    account: AccountId,
    current: Option<SessionId>,
) -> Result<usize> {
    accounts::lock(tx, &[account])?;
    let ended = rows::delete_others(tx, account, current)?;
    codes::delete_of_account(tx, account)?;
    Ok(ended)
}
