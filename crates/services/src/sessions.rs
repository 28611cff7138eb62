//! Browsers in which people are signed in.

use std::time::Duration;

use siskin_entities::{Session, Timestamp};
use siskin_ids::{AccountId, SessionId};
use siskin_persistence::{
    Conn, Tx, accounts, codes,
    sessions::{self as rows, NewSession},
};
use siskin_policy::limits::MAX_SESSIONS;

use crate::{Error, Result, authentication::Standing, secrets};

/// A session that is not used for so long ends.
pub const IDLE_LIFETIME: Duration = Duration::from_secs(90 * 86_400);
/// How exactly the last use of a session is known.
const TOUCH_EVERY: Duration = Duration::from_secs(3600);
/// Browsers describe themselves at length; so many characters of it are kept.
const MAX_USER_AGENT: usize = 300;

/// A browser that a person signs in with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Browser {
    pub user_agent: String,
    pub ip: String,
}

/// Someone in whose browser a good session was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub session: SessionId,
    pub account: AccountId,
    pub username: String,
    /// Whether [`touch`] is due.
    pub touch: bool,
}

/// Begins a session and returns its token, which the browser alone keeps. The token is new
/// even if the browser had one before. A person with [`MAX_SESSIONS`] loses the oldest.
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

/// Who is signed in by this token; None where it has ended, or the person may not act any more.
///
/// # Errors
/// Storage errors only.
pub fn find(conn: &mut Conn, token: &str, now: Timestamp) -> Result<Option<SignedIn>> {
    let stale = now.before(IDLE_LIFETIME);
    let Some(record) = rows::find_by_hash(conn, &secrets::hash(token), stale)? else {
        return Ok(None);
    };
    let owner = record.owner;
    let standing = Standing::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
    Ok((standing == Standing::Good).then(|| SignedIn {
        session: record.session.id,
        account: owner.account,
        username: record.username,
        touch: record.session.last_used_at < now.before(TOUCH_EVERY),
    }))
}

/// Notes that a session is in use.
///
/// # Errors
/// Storage errors only.
pub fn touch(tx: &mut Tx<'_>, session: SessionId) -> Result<()> {
    Ok(rows::touch(tx, session)?)
}

/// Where the person is signed in, the latest used first.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn, account: AccountId, now: Timestamp) -> Result<Vec<Session>> {
    Ok(rows::of_account(conn, account, now.before(IDLE_LIFETIME))?)
}

/// Ends a session of the person, who signs out or signs in again.
///
/// # Errors
/// [`Error::NotFound`] where it is not theirs, or has ended.
pub fn end(tx: &mut Tx<'_>, account: AccountId, session: SessionId) -> Result<()> {
    if rows::delete(tx, account, session)? { Ok(()) } else { Err(Error::NotFound) }
}

/// Ends a session of the person that a stranger may use. Authorization codes end too: one may have
/// been issued in that session.
///
/// # Errors
/// As [`end`].
pub fn revoke(tx: &mut Tx<'_>, account: AccountId, session: SessionId) -> Result<()> {
    accounts::lock(tx, &[account])?;
    end(tx, account, session)?;
    Ok(codes::delete_of_account(tx, account)?)
}

/// Revokes every session of the person but one (None: all), as [`revoke`] does. Returns how many.
///
/// # Errors
/// Storage errors only.
pub fn end_others(tx: &mut Tx<'_>, account: AccountId, kept: Option<SessionId>) -> Result<usize> {
    accounts::lock(tx, &[account])?;
    let ended = rows::delete_others(tx, account, kept)?;
    codes::delete_of_account(tx, account)?;
    Ok(ended)
}
