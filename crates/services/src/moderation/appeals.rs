//! Appeals of accounts against strikes, and the decisions of staff about them. Each locks the
//! account, so that of several at once one decides.

use std::{collections::HashSet, sync::Arc};

use siskin_entities::{
    Account, Appeal, AppealState, AuditAction, Page, PageRequest, Strike, StrikeAction, TargetKind,
};
use siskin_ids::{AccountId, AppealId, RoleId, StrikeId};
use siskin_persistence::{
    Conn, IdMap, Tx,
    accounts::{self as account_rows, Decision},
    roles, strikes as rows,
};
use siskin_policy::{
    limits::MAX_APPEAL_CHARS,
    moderation::{AppealObstacle, appeal_obstacle},
    roles::{Authority, Permission, Permissions},
};
use siskin_text::{TextLimit, is_blank};

use super::{
    act::{self, Decider},
    statuses, strikes,
};
use crate::{
    Error, Result, accounts, audit,
    emails::{self, Email},
};

/// An appeal with everything that staff see of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownAppeal {
    pub appeal: Appeal,
    pub strike: Arc<Strike>,
    /// The moderator of the strike. `None` for the operator, and if the account is deleted.
    pub moderator: Option<Arc<Account>>,
    /// Who decided about the appeal. `None` if it is pending, for the operator, and if the account
    /// is deleted.
    pub decided_by: Option<Arc<Account>>,
}

/// Trims the text of an appeal, and checks its length.
fn checked_text(text: &str) -> Result<&str> {
    let text = text.trim();
    if is_blank(text) {
        return Err(Error::validation("Text can't be blank"));
    }
    if !TextLimit::of(MAX_APPEAL_CHARS).fits_code_points(text) {
        return Err(Error::validation(format!(
            "Text is too long (maximum is {MAX_APPEAL_CHARS} characters)"
        )));
    }
    Ok(text)
}

/// Appeals against a strike. Staff that decide about appeals get an email. Returns the strike.
///
/// # Errors
/// [`Error::NotFound`] if there is no such strike against the account. [`Error::Invalid`] for a
/// text that is blank or too long. [`Error::Forbidden`] if the strike was appealed before, was taken
/// back, or is too old.
pub fn appeal(
    tx: &mut Tx<'_>,
    account: AccountId,
    strike: StrikeId,
    text: &str,
) -> Result<Arc<Strike>> {
    account_rows::lock(tx, &[account])?;
    let found = strikes::find(tx, account, strike)?;
    let text = checked_text(text)?;
    if let Some(obstacle) = appeal_obstacle(&found, tx.now()) {
        return Err(refused(obstacle));
    }
    let appeal = rows::insert_appeal(tx, strike, account, text)?;
    let appeal = appeal.ok_or_else(|| refused(AppealObstacle::Appealed))?;
    for account in deciders(tx)? {
        emails::enqueue(tx, Email::NewAppeal { account, appeal })?;
    }
    strikes::find(tx, account, strike)
}

fn refused(obstacle: AppealObstacle) -> Error {
    Error::forbidden(match obstacle {
        AppealObstacle::Appealed => "You have already appealed this decision",
        AppealObstacle::Overruled => "This decision was already taken back",
        AppealObstacle::Late => "It is too late to appeal this decision",
    })
}

/// Takes a strike back because of an appeal: ends what it did, as far as that is possible. Deleted
/// statuses stay deleted. A restriction stays, too, if a later strike imposed it again. Does
/// nothing if the appeal is approved already.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Forbidden`] if the rank does not allow to act on the account, if
/// the appeal was rejected, and if the account is being deleted.
pub fn approve(tx: &mut Tx<'_>, staff: Authority, id: AppealId) -> Result<()> {
    let Some(appeal) = take(tx, staff, id, AppealState::Approved)? else { return Ok(()) };
    let strike = rows::find(tx, appeal.strike)?.ok_or(Error::NotFound)?;
    undo(tx, &strike)?;
    rows::overrule(tx, strike.id)?;
    decide(tx, staff, &strike, &appeal, AppealState::Approved)
}

/// Rejects an appeal. Does nothing if it is rejected already.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Forbidden`] if the rank does not allow to act on the account, and
/// if the appeal was approved.
pub fn reject(tx: &mut Tx<'_>, staff: Authority, id: AppealId) -> Result<()> {
    let Some(appeal) = take(tx, staff, id, AppealState::Rejected)? else { return Ok(()) };
    let strike = rows::find(tx, appeal.strike)?.ok_or(Error::NotFound)?;
    decide(tx, staff, &strike, &appeal, AppealState::Rejected)
}

/// Returns a page of the appeals in this state, or of all appeals, newest first.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    state: Option<AppealState>,
    request: PageRequest,
) -> Result<Page<ShownAppeal>> {
    let mut page = rows::appeals(conn, state, request)?;
    let appeals = std::mem::take(&mut page.items);
    let shown = with_parts(conn, appeals)?;
    Ok(page.with_items(shown))
}

/// Returns a page of the strikes against an account with a decided appeal, the latest appeal first.
/// What the account must not learn has to be left out when they are shown.
///
/// # Errors
/// Storage errors only.
pub fn decided_of(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<Arc<Strike>>> {
    let mut page = rows::decided_appeals_of(conn, account, request)?;
    let appeals = std::mem::take(&mut page.items);
    let ids: Vec<StrikeId> = appeals.iter().map(|appeal| appeal.strike).collect();
    let strikes = rows::load(conn, &ids)?;
    let appealed = ids.iter().filter_map(|id| strikes.get(id)).map(Arc::clone).collect();
    Ok(page.with_items(appealed))
}

/// Returns an appeal as staff see it.
///
/// # Errors
/// [`Error::NotFound`].
pub fn find(conn: &mut Conn, id: AppealId) -> Result<ShownAppeal> {
    let appeal = rows::find_appeal(conn, id)?.ok_or(Error::NotFound)?;
    with_parts(conn, vec![appeal])?.pop().ok_or(Error::NotFound)
}

/// Locks the account of a pending appeal, and returns the appeal. Returns `None` if it is in the
/// state `wanted` already.
fn take(
    tx: &mut Tx<'_>,
    staff: Authority,
    id: AppealId,
    wanted: AppealState,
) -> Result<Option<Appeal>> {
    let account = rows::find_appeal(tx, id)?.ok_or(Error::NotFound)?.account;
    act::lock(tx, account)?;
    Decider::Staff(staff).require_rank(tx, account)?;
    let appeal = rows::find_appeal(tx, id)?.ok_or(Error::NotFound)?;
    match appeal.state {
        AppealState::Pending => Ok(Some(appeal)),
        state if state == wanted => Ok(None),
        _ => Err(Error::forbidden("This appeal was already decided")),
    }
}

/// Ends what a strike did.
fn undo(tx: &mut Tx<'_>, strike: &Strike) -> Result<()> {
    let decision = match strike.action {
        StrikeAction::Warn | StrikeAction::DeleteStatuses => return Ok(()),
        StrikeAction::MarkStatusesAsSensitive => return statuses::unmark(tx, strike),
        StrikeAction::Disable => Decision::Disabled(false),
        StrikeAction::Sensitive => Decision::Sensitized(false),
        StrikeAction::Silence => Decision::Silenced(false),
        StrikeAction::Suspend => Decision::Suspended(false),
    };
    if rows::has_later(tx, strike)? {
        return Ok(());
    }
    accounts::decide(tx, strike.target.id, decision)
}

fn decide(
    tx: &mut Tx<'_>,
    staff: Authority,
    strike: &Strike,
    appeal: &Appeal,
    state: AppealState,
) -> Result<()> {
    let decider = Decider::Staff(staff).actor();
    rows::decide_appeal(tx, appeal.id, state, decider.account())?;
    let action = match state {
        AppealState::Approved => AuditAction::Approve,
        AppealState::Pending | AppealState::Rejected => AuditAction::Reject,
    };
    let name = format!("@{}", strike.target.acct());
    audit::record(tx, decider, action, &audit::target(TargetKind::Appeal, appeal.id.get(), name))?;
    emails::enqueue(tx, Email::AppealDecided { account: appeal.account, appeal: appeal.id })
}

/// Returns the users that may decide about appeals and can sign in.
fn deciders(conn: &mut Conn) -> Result<Vec<AccountId>> {
    let may_decide = |bits: i64| Permissions::from_bits(bits).can(Permission::ManageAppeals);
    let all = roles::permissions(conn)?.into_iter();
    let those: Vec<RoleId> = all.filter(|(_, bits)| may_decide(*bits)).map(|(id, _)| id).collect();
    let holders = roles::role_holders(conn, &those)?.into_iter();
    Ok(holders.filter(|holder| holder.can_sign_in).map(|holder| holder.account).collect())
}

/// Loads what staff see of these appeals. Runs a fixed number of statements.
fn with_parts(conn: &mut Conn, appeals: Vec<Appeal>) -> Result<Vec<ShownAppeal>> {
    let ids: Vec<StrikeId> = appeals.iter().map(|appeal| appeal.strike).collect();
    let strikes = rows::load(conn, &ids)?;
    let moderators = strikes.values().filter_map(|strike| strike.moderator);
    let staff: HashSet<AccountId> =
        appeals.iter().filter_map(|appeal| appeal.decided_by).chain(moderators).collect();
    let staff: Vec<AccountId> = staff.into_iter().collect();
    let staff: IdMap<AccountId, Arc<Account>> = account_rows::load(conn, &staff)?;
    let account = |id: Option<AccountId>| id.and_then(|id| staff.get(&id)).map(Arc::clone);
    let shown = |appeal: Appeal| {
        let strike = Arc::clone(strikes.get(&appeal.strike)?);
        let (moderator, decided_by) = (account(strike.moderator), account(appeal.decided_by));
        Some(ShownAppeal { appeal, strike, moderator, decided_by })
    };
    Ok(appeals.into_iter().filter_map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_appeal_has_some_text_of_limited_length() {
        assert_eq!(checked_text(" It was satire.\n").unwrap(), "It was satire.");
        let longest = "é".repeat(MAX_APPEAL_CHARS);
        assert_eq!(checked_text(&longest).unwrap(), longest);
        for refused in ["", " \n", "\u{200B}", &format!("{longest}é")] {
            assert!(checked_text(refused).is_err(), "{refused:?}");
        }
    }
}
