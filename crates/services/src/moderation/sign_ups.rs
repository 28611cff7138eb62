//! Decisions about sign-ups, and what staff learn about new ones.
//!
//! Each decision locks the account. So of many at once each finds what the last one left, and one
//! that changes nothing writes no entry of the audit log.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{
    Account, AdminAccount, AuditAction, DecisionResult, NotificationKind, SignUpAction,
};
use siskin_ids::{AccountId, RoleId};
use siskin_persistence::{
    Conn, Error as Storage, Tx,
    accounts::{self as account_rows, Decision},
    admin_accounts::{self as rows, Identity, Notices, SignUpState},
    notifications::Cause,
    roles as role_rows, sessions, tokens, users,
};
use siskin_policy::roles::{Permission, Permissions};
use siskin_text::username_key;

use super::{accounts, act::Decider};
use crate::{
    Error, Field, FieldError, Instance, Result,
    accounts::{change, delete_some, email, email_key},
    audit,
    authentication::not_allowed,
    emails::{self, Email},
    jobs::{self, Job},
    notifications,
};

/// How long the rows of a rejected sign-up are kept, so that a mistake can be undone.
pub const REJECTED_KEPT: Duration = Duration::from_hours(24);
/// Minimum time between two emails to a member of staff about waiting sign-ups.
const EMAIL_INTERVAL: Duration = Duration::from_mins(10);
/// Time after which a planned email counts as lost.
const EMAIL_LOST: Duration = Duration::from_hours(2);
/// Number of rejected sign-ups that are deleted in one transaction.
const BATCH_SIZE: usize = 20;

/// Decides about a sign-up, and writes the audit log if that changes something.
///
/// # Errors
/// [`Error::NotFound`] for an unknown account, and for a rejected sign-up unless it is restored;
/// [`Error::Forbidden`] if the rank of the account does not allow it; [`Error::InvalidFields`] if
/// the name or the address of a restored sign-up is taken.
pub fn decide(
    tx: &mut Tx<'_>,
    instance: &Instance,
    decider: Decider,
    account: AccountId,
    action: SignUpAction,
) -> Result<DecisionResult> {
    account_rows::lock(tx, &[account])?;
    let shown = account_rows::find(tx, account)?.ok_or(Error::NotFound)?;
    // A remote account has no sign-up.
    let Some(state) = rows::sign_up(tx, account)? else { return Ok(DecisionResult::Unchanged) };
    if state.rejected != (action == SignUpAction::Restore) {
        return if state.rejected { Err(Error::NotFound) } else { Ok(DecisionResult::Unchanged) };
    }
    if state.approved {
        return Ok(DecisionResult::Unchanged);
    }
    decider.require_rank(tx, account)?;
    let audited = match action {
        SignUpAction::Approve => {
            change(tx, account, Decision::Approve)?;
            emails::enqueue(tx, Email::Approved { account })?;
            AuditAction::Approve
        }
        SignUpAction::Reject => {
            reject(tx, account, state)?;
            AuditAction::Reject
        }
        SignUpAction::Restore => {
            restore(tx, instance, account, &state)?;
            AuditAction::Restore
        }
    };
    record(tx, decider, audited, &shown)?;
    Ok(DecisionResult::Done)
}

/// Approves or rejects the sign-up of one account, and returns the account as staff see it. A
/// rejected one is returned as it was.
///
/// # Errors
/// As [`decide`], and [`Error::Forbidden`] if the account does not wait for a decision.
pub fn decide_one(
    tx: &mut Tx<'_>,
    instance: &Instance,
    decider: Decider,
    account: AccountId,
    action: SignUpAction,
) -> Result<AdminAccount> {
    let before = accounts::load(tx, &[account])?.remove(&account).ok_or(Error::NotFound)?;
    if decide(tx, instance, decider, account, action)? != DecisionResult::Done {
        return Err(not_allowed());
    }
    match action {
        SignUpAction::Reject => Ok(before),
        SignUpAction::Approve | SignUpAction::Restore => accounts::find(tx, account),
    }
}

/// Marks the email address of a user as confirmed, without the link, and writes the audit log.
/// Returns `false` if it was confirmed already.
///
/// # Errors
/// [`Error::NotFound`], also for a rejected sign-up; [`Error::Invalid`] for a remote account;
/// [`Error::Forbidden`] if the rank of the account does not allow it.
pub fn confirm(tx: &mut Tx<'_>, decider: Decider, account: AccountId) -> Result<bool> {
    email::lock_with_holder(tx, account)?;
    let shown = account_rows::find(tx, account)?.ok_or(Error::NotFound)?;
    if rows::sign_up(tx, account)?.is_some_and(|state| state.rejected) {
        return Err(Error::NotFound);
    }
    decider.require_rank(tx, account)?;
    let is_changed = change(tx, account, Decision::Confirm)?;
    if is_changed {
        record(tx, decider, AuditAction::Confirm, &shown)?;
    }
    Ok(is_changed)
}

/// Hides the account and ends all access to it. Its rows are deleted later.
fn reject(tx: &mut Tx<'_>, account: AccountId, state: SignUpState) -> Result<()> {
    sessions::delete_others(tx, account, None)?;
    tokens::delete_of_account(tx, account)?;
    email::delete_links(tx, account)?;
    rows::reject(tx, account)?;
    let SignUpState { username, email, confirmed, .. } = state;
    if confirmed {
        emails::enqueue(tx, Email::Rejected { username, email })?;
    }
    Ok(())
}

/// Undoes a rejection. An address that another account has by now counts as at a sign-up: a person
/// who did not confirm it comes back without it, and one who did takes it from one who did not.
fn restore(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    state: &SignUpState,
) -> Result<()> {
    let holder = users::find_by_email(tx, &email_key(&state.email))?;
    let email_key = match holder {
        Some(_) if !state.confirmed => users::no_email_key(account),
        _ => email_key(&state.email),
    };
    let identity = Identity {
        username_key: &username_key(&state.username),
        email_key: &email_key,
        uri: &instance.urls.account_uri(&state.username),
    };
    let is_taken = account_rows::find_by_handle(tx, identity.username_key, None)?.is_some()
        || account_rows::is_retired(tx, identity.username_key)?;
    if is_taken {
        return Err(taken("username"));
    }
    if state.confirmed {
        email::free(tx, &state.email, Some(account))?;
    }
    match rows::restore(tx, account, &identity) {
        // Another sign-up took it at this moment.
        Err(Storage::Duplicate) => {
            Err(Error::Conflict("Another request changed this, try again".to_owned()))
        }
        other => Ok(other?),
    }
}

fn taken(name: &'static str) -> Error {
    let (error, description) = (FieldError::Taken, "is already taken".to_owned());
    Error::InvalidFields(vec![Field { name, error, description }])
}

fn record(tx: &mut Tx<'_>, decider: Decider, action: AuditAction, account: &Account) -> Result<()> {
    audit::record(tx, decider.actor(), action, &audit::account_target(account))
}

/// Returns the account of the last rejected sign-up with this user name.
///
/// # Errors
/// [`Error::NotFound`] if there is none, or if it is deleted already.
pub fn rejected(conn: &mut Conn, username: &str) -> Result<AccountId> {
    rows::rejected_named(conn, username)?.ok_or(Error::NotFound)
}

/// Job that deletes the accounts of rejected sign-ups that can no longer be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveRejected {}

impl Job for RemoveRejected {
    const KIND: &'static str = "accounts.remove_rejected";
}

/// Runs one step of [`RemoveRejected`], and enqueues another job for the rest.
///
/// # Errors
/// Storage errors only.
pub fn remove_rejected(tx: &mut Tx<'_>, job: &RemoveRejected) -> Result<()> {
    let before = tx.now().before(REJECTED_KEPT);
    let overdue = rows::overdue(tx, before, BATCH_SIZE as i64)?;
    for account in &overdue {
        // A simultaneous decision to restore it either comes first, or is too late.
        account_rows::lock(tx, &[*account])?;
        if rows::sign_up(tx, *account)?.is_some_and(|state| state.rejected) {
            delete_some(tx, *account)?;
        }
    }
    if overdue.len() == BATCH_SIZE {
        jobs::enqueue(tx, job)?;
    }
    Ok(())
}

/// Job that tells staff about a sign-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnounceSignUp {
    pub account: AccountId,
}

impl Job for AnnounceSignUp {
    const KIND: &'static str = "sign_ups.announce";
}

/// Enqueues [`AnnounceSignUp`] for an account with an email address that is confirmed, or need not
/// be.
///
/// # Errors
/// Storage errors only.
pub(crate) fn announce(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    jobs::enqueue(tx, &AnnounceSignUp { account })?;
    Ok(())
}

/// Runs [`AnnounceSignUp`]: each member of staff that decides about sign-ups gets a notification.
/// If the sign-up waits for a decision, plans an email to them, too. Does nothing for an account
/// that the operator created.
///
/// # Errors
/// Storage errors only.
pub fn announce_sign_up(tx: &mut Tx<'_>, job: &AnnounceSignUp) -> Result<()> {
    let Some(state) = rows::sign_up(tx, job.account)? else { return Ok(()) };
    if !state.by_visitor || !state.confirmed || state.rejected {
        return Ok(());
    }
    let cause = Cause::new(job.account, NotificationKind::AdminSignUp, None);
    let staff = deciding_staff(tx)?;
    notifications::create(tx, cause, &staff)?;
    if state.approved { Ok(()) } else { plan_email(tx) }
}

/// Job that enqueues an email about waiting sign-ups for each member of staff that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailSignUps {}

impl Job for MailSignUps {
    const KIND: &'static str = "sign_ups.mail";
}

/// Enqueues [`MailSignUps`], so that it runs some time after the last one, unless one is enqueued.
fn plan_email(tx: &mut Tx<'_>) -> Result<()> {
    let (notices, now) = (rows::notices(tx)?, tx.now());
    if notices.due_at.is_some_and(|due| now < due.after(EMAIL_LOST)) {
        return Ok(());
    }
    let due = now.max(notices.mailed_at.after(EMAIL_INTERVAL));
    rows::set_notices(tx, Notices { due_at: Some(due), ..notices })?;
    jobs::enqueue_at(tx, &MailSignUps {}, due)?;
    Ok(())
}

/// Runs [`MailSignUps`].
///
/// # Errors
/// Storage errors only.
pub fn mail_sign_ups(tx: &mut Tx<'_>, _: &MailSignUps) -> Result<()> {
    let (notices, now) = (rows::notices(tx)?, tx.now());
    let (_, count) = rows::waiting(tx, 0)?;
    if count == 0 {
        return Ok(rows::set_notices(tx, Notices { due_at: None, ..notices })?);
    }
    rows::set_notices(tx, Notices { mailed_at: now, due_at: None })?;
    for account in deciding_staff(tx)? {
        emails::enqueue(tx, Email::PendingSignUps { account })?;
    }
    Ok(())
}

/// Returns the members of staff that may decide about sign-ups and can sign in.
pub(crate) fn deciding_staff(conn: &mut Conn) -> Result<Vec<AccountId>> {
    let all = role_rows::permissions(conn)?.into_iter();
    let may = |bits: i64| Permissions::from_bits(bits).can(Permission::ManageUsers);
    let those: Vec<RoleId> = all.filter(|(_, bits)| may(*bits)).map(|(id, _)| id).collect();
    let holders = role_rows::role_holders(conn, &those)?.into_iter();
    let active = holders.filter(|holder| holder.can_sign_in);
    let mut staff: Vec<AccountId> = active.map(|holder| holder.account).collect();
    staff.sort_unstable();
    Ok(staff)
}
