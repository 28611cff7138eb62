//! Sessions of signed-in browsers.

use std::time::Duration;

use siskin_entities::{Session, Timestamp};
use siskin_ids::{AccountId, SessionId};
use siskin_persistence::{
    Conn, Tx, accounts, codes,
    sessions::{self as rows, NewSession, SessionRecord},
};
use siskin_policy::{
    limits::MAX_SESSIONS,
    roles::{Permission, Permissions},
};

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

/// What a session lets its user do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Everything that the user may do.
    Full,
    /// Only to see and dispute decisions of the moderators, and to take the own data or delete the
    /// account. It stays so after the end of the restriction: then the user signs in again.
    Restricted,
}

impl Reach {
    /// Returns what a session of a user in this state reaches.
    ///
    /// # Errors
    /// [`Error::Forbidden`] with a message for the user if there can be no session.
    pub fn of(state: UserState) -> Result<Self> {
        match state {
            UserState::Disabled => Ok(Self::Restricted),
            other => other.require_active().map(|()| Self::Full),
        }
    }
}

/// Disabled or suspended user with a valid restricted session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestrictedUser {
    pub session: SessionId,
    pub account: AccountId,
    pub username: String,
    /// Whether the account is suspended, and not only its login disabled.
    pub is_suspended: bool,
    /// Whether [`touch`] is due.
    pub touch: bool,
}

/// User with a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionUser {
    Active(SignedIn),
    Restricted(RestrictedUser),
}

impl SessionUser {
    /// Returns the user of a session that is not restricted.
    #[must_use]
    pub fn active(self) -> Option<SignedIn> {
        match self {
            Self::Active(user) => Some(user),
            Self::Restricted(_) => None,
        }
    }

    /// Returns the session, and whether [`touch`] is due.
    #[must_use]
    pub const fn use_of_session(&self) -> (SessionId, bool) {
        match self {
            Self::Active(user) => (user.session, user.touch),
            Self::Restricted(user) => (user.session, user.touch),
        }
    }
}

/// Active user with a valid session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub session: SessionId,
    pub account: AccountId,
    pub username: String,
    /// Whether the role of the user opens pages of the staff.
    pub is_staff: bool,
    /// Whether the role of the user lets them invite others.
    pub may_invite: bool,
    pub has_second_factor: bool,
    /// Whether [`touch`] is due.
    pub touch: bool,
}

/// Begins a session of an active user and returns its token, which only the browser stores. The
/// token is new even if the browser had one before. If the user has [`MAX_SESSIONS`], the least
/// recently used session ends.
///
/// # Errors
/// Storage errors only.
pub fn begin(tx: &mut Tx<'_>, account: AccountId, browser: &Browser) -> Result<String> {
    begin_with(tx, account, Reach::Full, browser)
}

/// Begins a session of this reach, as [`begin`]. If the state of the user has changed since the
/// reach was determined, the session is of no use.
///
/// # Errors
/// Storage errors only.
pub fn begin_with(
    tx: &mut Tx<'_>,
    account: AccountId,
    reach: Reach,
    browser: &Browser,
) -> Result<String> {
    insert(tx, account, reach, browser, false)
}

/// Begins a session as [`begin_with`], after a provider signed the user in without any question.
/// The session is no fresh sign-in: the browser at the provider may have been left open.
///
/// # Errors
/// Storage errors only.
pub fn begin_silently(
    tx: &mut Tx<'_>,
    account: AccountId,
    reach: Reach,
    browser: &Browser,
) -> Result<String> {
    insert(tx, account, reach, browser, true)
}

fn insert(
    tx: &mut Tx<'_>,
    account: AccountId,
    reach: Reach,
    browser: &Browser,
    silent: bool,
) -> Result<String> {
    let token = secrets::generate();
    let user_agent: String = browser.user_agent.chars().take(MAX_USER_AGENT).collect();
    let new = NewSession {
        token_hash: &secrets::hash(&token),
        account,
        user_agent: &user_agent,
        ip: &browser.ip,
        restricted: reach == Reach::Restricted,
        silent,
    };
    let stale = tx.now().before(IDLE_LIFETIME);
    rows::insert(tx, &new, stale, MAX_SESSIONS - 1)?;
    Ok(token)
}

/// Returns the active user with the session of this token. Returns `None` if the session has ended
/// or is restricted, or the user may not act any more.
///
/// # Errors
/// Storage errors only.
pub fn find(conn: &mut Conn, token: &str, now: Timestamp) -> Result<Option<SignedIn>> {
    Ok(find_in_any_state(conn, token, now)?.and_then(SessionUser::active))
}

/// Returns the user with the session of this token, also of a restricted one. Returns `None` if the
/// session has ended, if the state of the user does not fit to it any more, and if the account is
/// being deleted.
///
/// # Errors
/// Storage errors only.
pub fn find_in_any_state(
    conn: &mut Conn,
    token: &str,
    now: Timestamp,
) -> Result<Option<SessionUser>> {
    let stale = now.before(IDLE_LIFETIME);
    let record = rows::find_by_hash(conn, &secrets::hash(token), stale)?;
    Ok(record.and_then(|record| user_of(record, now)))
}

fn user_of(record: SessionRecord, now: Timestamp) -> Option<SessionUser> {
    let owner = record.owner;
    let state = UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
    let (session, account, username) = (record.session.id, owner.account, record.username);
    let touch = record.session.last_used_at < now.before(TOUCH_EVERY);
    match (state, record.restricted) {
        _ if record.deleting => None,
        (UserState::Active, false) => {
            let permissions = Permissions::from_bits(record.permissions);
            let all = Permissions::from_bits(record.permissions | record.base_permissions);
            Some(SessionUser::Active(SignedIn {
                session,
                account,
                username,
                is_staff: permissions.are_of_staff(),
                may_invite: all.can(Permission::InviteUsers),
                has_second_factor: record.has_second_factor,
                touch,
            }))
        }
        (UserState::Disabled, true) => {
            let is_suspended = owner.suspended;
            let user = RestrictedUser { session, account, username, is_suspended, touch };
            Some(SessionUser::Restricted(user))
        }
        _ => None,
    }
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
