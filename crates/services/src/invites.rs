//! Invites: links by which users with the permission let others sign up.

use std::time::Duration;

use siskin_entities::{
    Actor, AuditAction, Invite, Page, PageRequest, TargetKind, Timestamp,
    relationship::FollowOptions,
};
use siskin_ids::{AccountId, InviteId};
use siskin_persistence::{
    Conn, Tx, accounts,
    invites::{self as rows, NewInvite},
    roles, users,
};
use siskin_policy::{
    limits::{MAX_INVITE_COMMENT_CHARS, MAX_INVITE_USES, MAX_INVITES},
    roles::Permission,
    sign_up::Invitation,
};
use siskin_text::TextLimit;

use crate::{
    Error, Result, audit,
    authentication::{UserState, authority, not_allowed, require_permission},
    relationships, secrets,
    sign_up_blocks::lifetime,
};

/// Message about an invite that is unknown, used up, over or withdrawn.
pub const NO_LONGER_VALID: &str = "This invite is no longer valid";

/// Number of characters of a code: 96 random bits, so that no code can be guessed.
const CODE_CHARS: usize = 16;

/// Values of a new invite, as typed.
#[derive(Debug, Clone, Default)]
pub struct InviteParams {
    /// How many people may sign up with it. `None` if any number may.
    pub max_uses: Option<i64>,
    /// Lifetime in seconds. `None` if it never expires.
    pub expires_in: Option<i64>,
    pub autofollow: bool,
    pub comment: String,
}

/// Values of a new invite.
#[derive(Debug, Clone)]
pub struct InviteDraft {
    code: String,
    max_uses: Option<i64>,
    lifetime: Option<Duration>,
    autofollow: bool,
    comment: String,
}

impl InviteDraft {
    /// Checks the values, and generates the code.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn new(params: InviteParams) -> Result<Self> {
        let InviteParams { max_uses, expires_in, autofollow, comment } = params;
        if max_uses.is_some_and(|uses| !(1..=MAX_INVITE_USES).contains(&uses)) {
            let reason = format!("Max uses must be from 1 to {MAX_INVITE_USES}");
            return Err(Error::validation(reason));
        }
        let comment = comment.trim().to_owned();
        if !TextLimit::of(MAX_INVITE_COMMENT_CHARS).fits_code_points(&comment) {
            let most = MAX_INVITE_COMMENT_CHARS;
            let reason = format!("Comment is too long (maximum is {most} characters)");
            return Err(Error::validation(reason));
        }
        let lifetime = expires_in.map(lifetime).transpose()?;
        let code = secrets::generate().chars().take(CODE_CHARS).collect();
        Ok(Self { code, max_uses, lifetime, autofollow, comment })
    }
}

/// Creates an invite of an account.
///
/// # Errors
/// [`Error::Invalid`] if the account has as many invites as allowed.
pub fn create(tx: &mut Tx<'_>, account: AccountId, draft: &InviteDraft) -> Result<Invite> {
    accounts::lock(tx, &[account])?;
    if rows::count(tx, account)? >= MAX_INVITES {
        return Err(Error::validation(format!("At most {MAX_INVITES} invites can exist")));
    }
    let now = tx.now();
    let new = NewInvite {
        account,
        code: &draft.code,
        max_uses: draft.max_uses,
        expires_at: draft.lifetime.map(|lifetime| now.after(lifetime)),
        autofollow: draft.autofollow,
        comment: &draft.comment,
    };
    Ok(rows::insert(tx, &new)?)
}

/// Invites to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedInvites {
    /// Those of the caller.
    Own,
    /// Those of all accounts, which needs a permission of its own.
    All,
}

/// Returns a page of invites, newest first, in any state.
///
/// # Errors
/// [`Error::Forbidden`] if the caller may not see all invites.
pub fn list(
    conn: &mut Conn,
    caller: AccountId,
    listed: ListedInvites,
    request: PageRequest,
) -> Result<Page<Invite>> {
    let account = match listed {
        ListedInvites::Own => Some(caller),
        ListedInvites::All => {
            require_permission(conn, caller, &[Permission::ManageInvites])?;
            None
        }
    };
    Ok(rows::list(conn, account, request)?)
}

/// Deletes an invite of the caller, or of an account below the caller's rank if the caller manages
/// invites.
///
/// # Errors
/// [`Error::NotFound`] if the caller may not see it; [`Error::Forbidden`] if its creator has the
/// same rank or a higher one.
pub fn delete(tx: &mut Tx<'_>, caller: AccountId, id: InviteId) -> Result<()> {
    let invite = rows::find(tx, id)?.ok_or(Error::NotFound)?;
    let is_own = invite.account == caller;
    if !is_own {
        require_deletable(tx, caller, &invite)?;
    }
    // Of two simultaneous deletions, only one writes an entry.
    if !rows::delete(tx, id)? {
        return Err(Error::NotFound);
    }
    if is_own { Ok(()) } else { record_deletion(tx, caller, &invite) }
}

fn require_deletable(conn: &mut Conn, caller: AccountId, invite: &Invite) -> Result<()> {
    let authority = authority(conn, caller)?;
    if !authority.can(Permission::ManageInvites) {
        Err(Error::NotFound)
    } else if !authority.outranks(roles::power_of(conn, invite.account)?.priority) {
        Err(not_allowed())
    } else {
        Ok(())
    }
}

/// Writes the entry of the audit log. It names the creator, because the code is a secret.
fn record_deletion(tx: &mut Tx<'_>, caller: AccountId, invite: &Invite) -> Result<()> {
    let creator = accounts::find(tx, invite.account)?;
    let name = creator.map(|account| format!("@{}", account.acct())).unwrap_or_default();
    let target = audit::target(TargetKind::Invite, invite.id.get(), name);
    audit::record(tx, Actor::Staff(caller), AuditAction::Delete, &target)
}

/// Returns `true` if people can sign up with the invite that has this code.
///
/// # Errors
/// Storage errors only.
pub fn is_valid(conn: &mut Conn, code: &str, now: Timestamp) -> Result<bool> {
    Ok(find_valid(conn, code.trim(), now)?.is_some())
}

/// Returns the invite with this code, and what it allows. Returns `None` if it is not valid at this
/// time, or if its creator may not invite any more.
///
/// # Errors
/// Storage errors only.
pub(crate) fn find_valid(
    conn: &mut Conn,
    code: &str,
    now: Timestamp,
) -> Result<Option<(Invite, Invitation)>> {
    let Some(invite) = rows::of_code(conn, code)?.filter(|invite| invite.is_valid(now)) else {
        return Ok(None);
    };
    let Some(owner) = users::recipient(conn, invite.account)?.map(|user| user.owner) else {
        return Ok(None);
    };
    let state = UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
    let authority = authority(conn, invite.account)?;
    if state != UserState::Active || !authority.can(Permission::InviteUsers) {
        return Ok(None);
    }
    let may_approve = authority.can(Permission::ManageUsers);
    let invitation = if may_approve { Invitation::ByStaff } else { Invitation::Plain };
    Ok(Some((invite, invitation)))
}

/// Uses an invite for a new account.
///
/// # Errors
/// [`Error::Forbidden`] if it is not valid any more.
pub(crate) fn consume(tx: &mut Tx<'_>, invite: &Invite) -> Result<()> {
    if rows::take(tx, invite.id)? { Ok(()) } else { Err(no_longer_valid()) }
}

/// Returns the error for an invite that is not valid.
pub(crate) fn no_longer_valid() -> Error {
    Error::forbidden(NO_LONGER_VALID)
}

/// Records which account invited a new one.
///
/// # Errors
/// Storage errors only.
pub(crate) fn record_inviter(tx: &mut Tx<'_>, account: AccountId, invite: &Invite) -> Result<()> {
    rows::set_inviter(tx, account, invite.account, invite.autofollow)?;
    follow_inviter(tx, account)
}

/// Lets an account follow the one that invited it, if the invite says so and the account is
/// admitted. Does nothing if it cannot follow, for example because the other one is suspended.
///
/// # Errors
/// Storage errors only.
pub(crate) fn follow_inviter(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let Some(inviter) = rows::take_inviter_to_follow(tx, account)? else { return Ok(()) };
    // A new account is far below any limit of follows.
    let threshold = u32::MAX;
    let options = FollowOptions::default();
    match relationships::follow(tx, threshold, account, &inviter.to_string(), &options) {
        Ok(_) | Err(Error::NotFound | Error::Forbidden(_) | Error::Invalid(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_long_and_differ() {
        let code = || InviteDraft::new(InviteParams::default()).unwrap().code;
        assert_eq!(code().len(), CODE_CHARS);
        assert_ne!(code(), code());
    }

    #[test]
    fn each_value_is_checked() {
        let new = |params| InviteDraft::new(params);
        for max_uses in [0, -1, MAX_INVITE_USES + 1] {
            let params = InviteParams { max_uses: Some(max_uses), ..InviteParams::default() };
            assert!(new(params).is_err(), "{max_uses}");
        }
        let expires_in = Some(-1);
        assert!(new(InviteParams { expires_in, ..InviteParams::default() }).is_err());
        let comment = "x".repeat(MAX_INVITE_COMMENT_CHARS + 1);
        assert!(new(InviteParams { comment, ..InviteParams::default() }).is_err());
        let all = InviteParams {
            max_uses: Some(1),
            expires_in: Some(60),
            autofollow: true,
            comment: " For Ann ".to_owned(),
        };
        assert_eq!(new(all).unwrap().comment, "For Ann");
    }
}
