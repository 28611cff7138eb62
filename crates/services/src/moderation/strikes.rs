//! Strikes: what moderators did against an account, as the account sees it, and as staff do.

use std::sync::Arc;

use siskin_entities::{
    Account, NotificationKind, Page, PageRequest, Strike, StrikeAction, StrikeStatus,
};
use siskin_ids::{AccountId, ReportId, StrikeId};
use siskin_persistence::{
    Conn, IdMap, Tx, accounts as account_rows,
    notifications::Cause,
    strikes::{self as rows, NewStrike},
};

use super::{accounts, overview::ShownStrike};
use crate::{
    Error, Result,
    emails::{self, Email},
    notifications,
};

/// A strike that is not stored yet, without its target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Warning<'a> {
    /// `None` for the operator.
    pub(super) moderator: Option<AccountId>,
    pub(super) action: StrikeAction,
    pub(super) text: &'a str,
    pub(super) report: Option<ReportId>,
    pub(super) statuses: &'a [StrikeStatus],
    /// Whether the person gets an email.
    pub(super) by_email: bool,
}

/// Stores a strike, and notifies the account once. The notification comes from the account itself,
/// so that it cannot name the moderator.
pub(super) fn warn(tx: &mut Tx<'_>, target: &Account, warning: &Warning<'_>) -> Result<()> {
    let Warning { moderator, action, text, report, statuses, by_email } = *warning;
    let new = NewStrike { target: target.id, moderator, action, text, report, statuses };
    let strike = rows::insert(tx, &new)?;
    if !target.is_local() {
        return Ok(());
    }
    let cause = Cause::new(target.id, NotificationKind::ModerationWarning, None);
    let cause = Cause { record: Some(strike.get()), ..cause };
    notifications::create(tx, cause, &[target.id])?;
    if by_email {
        emails::enqueue(tx, Email::Strike { account: target.id, strike })?;
    }
    Ok(())
}

/// Returns a page of the strikes against an account, newest first.
///
/// # Errors
/// Storage errors only.
pub fn of_account(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<Strike>> {
    Ok(rows::of_account(conn, account, request)?)
}

/// Returns a strike against this account.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn find(conn: &mut Conn, account: AccountId, id: StrikeId) -> Result<Arc<Strike>> {
    let found = rows::find(conn, id)?.filter(|strike| strike.target.id == account);
    found.ok_or(Error::NotFound)
}

/// Returns a page of the strikes against an account for staff, newest first. Runs a fixed number of
/// statements.
///
/// # Errors
/// [`Error::NotFound`] for an unknown account, and for a rejected sign-up.
pub fn shown(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<ShownStrike>> {
    accounts::find(conn, account)?;
    let mut page = rows::of_account(conn, account, request)?;
    let strikes = std::mem::take(&mut page.items);
    let shown = with_moderators(conn, strikes)?;
    Ok(page.with_items(shown))
}

/// Returns one strike against this account for staff.
///
/// # Errors
/// [`Error::NotFound`] for an unknown account, for a rejected sign-up, and if there is no strike
/// with this id against the account.
pub fn find_shown(conn: &mut Conn, account: AccountId, id: StrikeId) -> Result<ShownStrike> {
    accounts::find(conn, account)?;
    let strike = Arc::unwrap_or_clone(find(conn, account, id)?);
    with_moderators(conn, vec![strike])?.pop().ok_or(Error::NotFound)
}

/// Loads the moderators of these strikes with one statement.
fn with_moderators(conn: &mut Conn, strikes: Vec<Strike>) -> Result<Vec<ShownStrike>> {
    let mut ids: Vec<AccountId> = strikes.iter().filter_map(|strike| strike.moderator).collect();
    ids.sort_unstable();
    ids.dedup();
    let moderators: IdMap<AccountId, Arc<Account>> = account_rows::load(conn, &ids)?;
    let moderator = |strike: &Strike| moderators.get(&strike.moderator?).map(Arc::clone);
    let shown = |strike: Strike| ShownStrike { moderator: moderator(&strike), strike };
    Ok(strikes.into_iter().map(shown).collect())
}
