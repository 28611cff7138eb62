//! Decisions about accounts: warn, mark the media as sensitive, disable, silence, suspend, delete, and
//! the ends of these.
//!
//! Each decision locks the account. So of many at once each finds what the last one left, and one
//! that changes nothing writes no entry of the audit log, and no strike.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use siskin_entities::{Account, Actor, AdminAccount, AuditAction, StrikeAction};
use siskin_ids::{AccountId, ReportId};
use siskin_persistence::{
    Conn, Tx,
    accounts::{self as rows, Decision},
    admin_accounts, roles,
};
use siskin_policy::{
    limits::{MAX_STRIKE_CHARS, SUSPENSION_PERIOD},
    reports::handles,
    roles::Authority,
};
use siskin_text::TextLimit;

use super::{
    accounts::load,
    statuses,
    strikes::{self, Warning},
};
use crate::{
    Error, Result, accounts,
    accounts::{owners, removal},
    audit,
    authentication::not_allowed,
    jobs::{self, Job},
    reports, warning_presets,
};

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decider {
    /// A member of staff, who may not act on equals and on those above.
    Staff(Authority),
    /// The operator, who is above all.
    Operator,
}

impl Decider {
    /// Returns who the audit log names.
    #[must_use]
    pub const fn actor(self) -> Actor {
        match self {
            Self::Staff(authority) => Actor::Staff(authority.account),
            Self::Operator => Actor::Operator,
        }
    }

    /// Checks that the rank allows to act on an account.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if it does not.
    pub(super) fn require_rank(self, conn: &mut Conn, target: AccountId) -> Result<()> {
        match self {
            Self::Operator => Ok(()),
            Self::Staff(authority) => {
                let priority = roles::power_of(conn, target)?.priority;
                if authority.outranks(priority) { Ok(()) } else { Err(not_allowed()) }
            }
        }
    }
}

/// What staff do with an account, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccountAction {
    /// `none`, `sensitive`, `disable`, `silence` or `suspend`.
    pub kind: String,
    /// What the account gets to read.
    pub text: String,
    /// Id of the report that led to it.
    pub report: Option<String>,
    /// Id of a preset, with which the text begins.
    pub preset: Option<String>,
    /// Whether the person gets an email.
    pub by_email: bool,
}

/// Parses the type of an action on accounts.
pub(super) fn parse_kind(kind: &str) -> Result<StrikeAction> {
    let kind: Option<StrikeAction> = kind.parse().ok();
    let kind = kind.filter(|kind| *kind == StrikeAction::Warn || decision(*kind).is_some());
    kind.ok_or_else(|| Error::validation("Type is not included in the list"))
}

/// Trims what a moderator writes to an account, and checks its length.
pub(super) fn checked_text(text: &str) -> Result<String> {
    let text = text.trim();
    if TextLimit::of(MAX_STRIKE_CHARS).fits_code_points(text) {
        Ok(text.to_owned())
    } else {
        Err(Error::validation(format!(
            "Text is too long (maximum is {MAX_STRIKE_CHARS} characters)"
        )))
    }
}

/// Returns what the account gets to read: the text of the preset, if one is named, and below it the
/// sent text.
pub(super) fn text_of(conn: &mut Conn, sent: &AccountAction) -> Result<String> {
    let Some(preset) = sent.preset.as_deref() else { return checked_text(&sent.text) };
    let preset = preset.parse().map_err(|_| Error::NotFound)?;
    checked_text(&warning_presets::find(conn, preset)?.with(&sent.text))
}

/// Applies an action of staff to an account, warns it, and resolves reports about it: the named
/// one, and all open ones unless the action is only a warning. The strike is about the statuses of
/// the named report. If the account is in this state already, only resolves the reports, and
/// returns `false`.
///
/// # Errors
/// [`Error::NotFound`] for an unknown account, for a report that is not about it or that the member
/// of staff does not handle, and for an unknown preset; [`Error::Forbidden`] if the rank does not
/// allow it; [`Error::Invalid`] for a type that is no action on accounts, for a text that is too
/// long, if a remote account is disabled, and for the only owner of the server.
pub fn act(
    tx: &mut Tx<'_>,
    staff: Authority,
    target: AccountId,
    sent: &AccountAction,
) -> Result<bool> {
    let decider = Decider::Staff(staff);
    let account = lock(tx, target)?;
    decider.require_rank(tx, target)?;
    let (kind, text) = (parse_kind(&sent.kind)?, text_of(tx, sent)?);
    let report = required_report(tx, staff, sent.report.as_deref(), target)?;
    let is_new = match decision(kind) {
        Some(decision) => apply(tx, decider, &account, decision)?,
        None => {
            record(tx, decider, AuditAction::Warn, &account)?;
            true
        }
    };
    if is_new {
        let about = report.map_or_else(|| Ok(Vec::new()), |id| statuses::reported(tx, id))?;
        let warning = Warning {
            moderator: Some(staff.account),
            action: kind,
            text: &text,
            report,
            statuses: &about,
            by_email: sent.by_email,
        };
        strikes::warn(tx, &account, &warning)?;
    }
    match report {
        Some(report) if kind == StrikeAction::Warn => reports::resolve(tx, staff, report)?,
        None if kind == StrikeAction::Warn => {}
        _ => reports::resolve_about(tx, decider.actor(), target)?,
    }
    Ok(is_new)
}

/// Decides about an account, and writes the audit log if that changes something. There is no strike,
/// and all reports stay open. Returns `false` if the account was in this state already.
///
/// # Errors
/// As [`act`].
pub fn decide(
    tx: &mut Tx<'_>,
    decider: Decider,
    target: AccountId,
    decision: Decision,
) -> Result<bool> {
    let account = lock(tx, target)?;
    decider.require_rank(tx, target)?;
    apply(tx, decider, &account, decision)
}

/// Ends a restriction of an account, and returns the account as staff see it.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Forbidden`] if the rank does not allow it, and if there is no such
/// restriction.
pub fn undo(
    tx: &mut Tx<'_>,
    staff: Authority,
    target: AccountId,
    decision: Decision,
) -> Result<AdminAccount> {
    let decider = Decider::Staff(staff);
    let account = lock(tx, target)?;
    decider.require_rank(tx, target)?;
    let has_user = account.is_local() || !matches!(decision, Decision::Disabled(_));
    if has_user && apply(tx, decider, &account, decision)? {
        shown(tx, target)
    } else {
        Err(not_allowed())
    }
}

/// Deletes the data of a suspended account by a job, at once. Returns the account as it was.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Forbidden`] if the rank does not allow it, and if the account is
/// not suspended or is being deleted already.
pub fn delete(tx: &mut Tx<'_>, staff: Authority, target: AccountId) -> Result<AdminAccount> {
    let decider = Decider::Staff(staff);
    let account = lock(tx, target)?;
    decider.require_rank(tx, target)?;
    let ending = rows::ending(tx, target)?;
    if ending.suspended_at.is_none() || ending.deleting_since.is_some() {
        return Err(not_allowed());
    }
    let before = shown(tx, target)?;
    removal::begin_suspended(tx, target)?;
    record(tx, decider, AuditAction::Delete, &account)?;
    Ok(before)
}

/// Suspends an account and marks it as being deleted. The caller deletes it in steps
/// ([`accounts::delete_some`]).
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for the only owner of the server.
pub fn begin_deletion(tx: &mut Tx<'_>, decider: Decider, target: AccountId) -> Result<()> {
    let account = lock(tx, target)?;
    decider.require_rank(tx, target)?;
    accounts::change(tx, target, Decision::Suspended(true))?;
    if rows::ending(tx, target)?.deleting_since.is_none() {
        rows::begin_deletion(tx, target)?;
        record(tx, decider, AuditAction::Delete, &account)?;
    }
    Ok(())
}

/// Job that deletes the data of an account some time after its suspension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspendedAccountDeletion {
    pub account: AccountId,
}

impl Job for SuspendedAccountDeletion {
    const KIND: &'static str = "accounts.delete_suspended";
}

/// Runs [`SuspendedAccountDeletion`]. Does nothing if the account is not suspended any more, if it
/// was suspended again since, or if it is being deleted already.
///
/// # Errors
/// Storage errors only.
pub fn delete_suspended(tx: &mut Tx<'_>, job: &SuspendedAccountDeletion) -> Result<()> {
    rows::lock(tx, &[job.account])?;
    let ending = rows::ending(tx, job.account)?;
    let is_due = ending.suspended_at.is_some_and(|at| at.after(SUSPENSION_PERIOD) <= tx.now());
    if is_due && ending.deleting_since.is_none() {
        removal::begin_suspended(tx, job.account)?;
    }
    Ok(())
}

/// Locks an account against other decisions, and loads it. A rejected sign-up is not found.
pub(super) fn lock(tx: &mut Tx<'_>, account: AccountId) -> Result<Arc<Account>> {
    owners::lock_with(tx, account)?;
    if admin_accounts::sign_up(tx, account)?.is_some_and(|sign_up| sign_up.rejected) {
        return Err(Error::NotFound);
    }
    rows::find(tx, account)?.ok_or(Error::NotFound)
}

/// Returns the named report, which must be about the account and handled by the member of staff.
pub(super) fn required_report(
    conn: &mut Conn,
    staff: Authority,
    report: Option<&str>,
    target: AccountId,
) -> Result<Option<ReportId>> {
    let Some(report) = report else { return Ok(None) };
    let report: ReportId = report.parse().map_err(|_| Error::NotFound)?;
    if reports::find(conn, report)?.target == target && handles(staff, target) {
        Ok(Some(report))
    } else {
        Err(Error::NotFound)
    }
}

fn apply(tx: &mut Tx<'_>, decider: Decider, account: &Account, decision: Decision) -> Result<bool> {
    if !accounts::change(tx, account.id, decision)? {
        return Ok(false);
    }
    if decision == Decision::Suspended(true) {
        let at = tx.now().after(SUSPENSION_PERIOD);
        jobs::enqueue_at(tx, &SuspendedAccountDeletion { account: account.id }, at)?;
    }
    record(tx, decider, audited(decision), account)?;
    Ok(true)
}

fn record(tx: &mut Tx<'_>, decider: Decider, action: AuditAction, account: &Account) -> Result<()> {
    audit::record(tx, decider.actor(), action, &audit::account_target(account))
}

fn shown(conn: &mut Conn, account: AccountId) -> Result<AdminAccount> {
    load(conn, &[account])?.remove(&account).ok_or(Error::NotFound)
}

/// Returns the decision of an action about the whole account. Returns `None` for a warning, and for
/// actions about statuses.
pub(super) const fn decision(action: StrikeAction) -> Option<Decision> {
    match action {
        StrikeAction::Disable => Some(Decision::Disabled(true)),
        StrikeAction::Sensitive => Some(Decision::Sensitized(true)),
        StrikeAction::Silence => Some(Decision::Silenced(true)),
        StrikeAction::Suspend => Some(Decision::Suspended(true)),
        StrikeAction::Warn
        | StrikeAction::DeleteStatuses
        | StrikeAction::MarkStatusesAsSensitive => None,
    }
}

const fn audited(decision: Decision) -> AuditAction {
    match decision {
        Decision::Confirm => AuditAction::Confirm,
        Decision::Approve => AuditAction::Approve,
        Decision::Disabled(true) => AuditAction::Disable,
        Decision::Disabled(false) => AuditAction::Enable,
        Decision::Suspended(true) => AuditAction::Suspend,
        Decision::Suspended(false) => AuditAction::Unsuspend,
        Decision::Silenced(true) => AuditAction::Silence,
        Decision::Silenced(false) => AuditAction::Unsilence,
        Decision::Sensitized(true) => AuditAction::MarkSensitive,
        Decision::Sensitized(false) => AuditAction::UnmarkSensitive,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_actions_on_accounts_with_a_short_text_are_accepted() {
        for kind in ["none", "sensitive", "disable", "silence", "suspend"] {
            assert_eq!(parse_kind(kind).unwrap().as_str(), kind);
        }
        for kind in ["", "delete_statuses", "mark_statuses_as_sensitive", "warn", "Suspend"] {
            assert!(parse_kind(kind).is_err(), "{kind}");
        }
        let longest = "é".repeat(MAX_STRIKE_CHARS);
        assert_eq!(checked_text(&format!(" {longest}\n")).unwrap(), longest);
        assert!(checked_text(&format!("{longest}é")).is_err());
    }
}
