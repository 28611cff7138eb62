//! Decisions about statuses of one account: delete them, or mark them as sensitive. They are one
//! strike.

use std::sync::Arc;

use siskin_entities::{
    Account, AuditAction, Status, Strike, StrikeAction, StrikeStatus, TargetKind, Visibility,
};
use siskin_ids::{AccountId, ReportId, StatusId};
use siskin_persistence::{Conn, Tx, events::DomainEvent, search, sorted_unique, statuses as rows};
use siskin_policy::{limits::MAX_STRIKE_STATUSES, roles::Authority};
use siskin_text::{html_to_text, shorten};

use super::{
    act::{Decider, checked_text, lock, required_report},
    overview::is_listed,
    strikes::{self, Warning},
};
use crate::{Error, Result, attachments, audit, reports, statuses};

/// Limits of the stored beginning of a status, in characters and in bytes.
const EXCERPT: (usize, usize) = (200, 2000);

const ONE_AUTHOR: &str = "All posts must have the same author";

/// What staff do with statuses of one author, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusAction {
    /// `delete` or `mark_as_sensitive`.
    pub kind: String,
    /// Ids of the statuses.
    pub ids: Vec<StatusId>,
    /// What these may be.
    pub within: Within,
    /// What the author gets to read.
    pub text: String,
    /// Id of the report that led to it.
    pub report: Option<String>,
    /// Whether the author gets an email.
    pub by_email: bool,
}

/// Which statuses an action can name. For it, all others do not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Within {
    /// All statuses.
    #[default]
    Everything,
    /// Those that staff see of this account: [`super::overview::statuses`] lists them.
    Account(AccountId),
    /// Those that this report names.
    Report(ReportId),
}

/// Parses the type of an action on statuses.
fn parse_kind(kind: &str) -> Result<StrikeAction> {
    match kind {
        "delete" => Ok(StrikeAction::DeleteStatuses),
        "mark_as_sensitive" => Ok(StrikeAction::MarkStatusesAsSensitive),
        _ => Err(Error::validation("Type is not included in the list")),
    }
}

/// Returns the ids in their order, without duplicates.
fn distinct(ids: Vec<StatusId>) -> Result<Vec<StatusId>> {
    let ids = sorted_unique(ids);
    if ids.len() > MAX_STRIKE_STATUSES {
        return Err(Error::validation(format!(
            "Too many posts at once (maximum is {MAX_STRIKE_STATUSES})"
        )));
    }
    Ok(ids)
}

/// Statuses of one author about which staff are going to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenStatuses {
    pub author: Arc<Account>,
    pub statuses: Vec<Status>,
}

/// Checks an action of staff on statuses before they confirm it. Changes nothing.
///
/// # Errors
/// As [`act`], except for those about the report, and about a reblog that would be marked.
pub fn check(conn: &mut Conn, staff: Authority, sent: &StatusAction) -> Result<ChosenStatuses> {
    let statuses = load(conn, staff, &distinct(sent.ids.clone())?, sent.within)?;
    let author = author_of(&statuses)?;
    Decider::Staff(staff).require_rank(conn, author.id)?;
    parse_kind(&sent.kind)?;
    checked_text(&sent.text)?;
    Ok(ChosenStatuses { author, statuses })
}

/// Applies an action of staff to statuses, warns their author once, and resolves the named report.
/// If all statuses are marked as sensitive already, only resolves the report.
///
/// # Errors
/// [`Error::NotFound`] if one of the statuses does not exist or the action cannot name it, and for
/// a report that is not about the author or that the member of staff does not handle;
/// [`Error::Forbidden`] if the rank does not allow it; [`Error::Invalid`] for a type that is no
/// action on statuses, for too many statuses or those of several authors, for a reblog that would be
/// marked, and for a text that is too long.
pub fn act(tx: &mut Tx<'_>, staff: Authority, sent: &StatusAction) -> Result<()> {
    let decider = Decider::Staff(staff);
    let ids = distinct(sent.ids.clone())?;
    // Others may delete a status until it is locked, so it is loaded again then.
    let author = author_of(&load(tx, staff, &ids, sent.within)?)?.id;
    let author = lock(tx, author)?;
    decider.require_rank(tx, author.id)?;
    let (kind, text) = (parse_kind(&sent.kind)?, checked_text(&sent.text)?);
    let report = required_report(tx, staff, sent.report.as_deref(), author.id)?;
    for id in &ids {
        if !rows::lock(tx, *id)? {
            return Err(Error::NotFound);
        }
    }
    let found = load(tx, staff, &ids, sent.within)?;
    let (changed, audited) = match kind {
        StrikeAction::DeleteStatuses => (delete(tx, &found)?, AuditAction::Delete),
        _ => (mark(tx, &found)?, AuditAction::MarkSensitive),
    };
    for id in &changed {
        let name = format!("@{}/{id}", author.acct());
        let target = audit::target(TargetKind::Status, id.get(), name);
        audit::record(tx, decider.actor(), audited, &target)?;
    }
    if !changed.is_empty() {
        let marks = kind == StrikeAction::MarkStatusesAsSensitive;
        let part = |status| part(status, marks && changed.contains(&status.body.id));
        let statuses: Vec<StrikeStatus> = found.iter().map(part).collect();
        let warning = Warning {
            moderator: Some(staff.account),
            action: kind,
            text: &text,
            report,
            statuses: &statuses,
            by_email: sent.by_email,
        };
        strikes::warn(tx, &author, &warning)?;
    }
    report.map_or(Ok(()), |report| reports::resolve(tx, staff, report))
}

/// Returns the statuses of a report as parts of a strike: those that still exist. Leaves out those
/// that only mentioned accounts see, because they would tell the author who reported them.
pub(super) fn reported(conn: &mut Conn, report: ReportId) -> Result<Vec<StrikeStatus>> {
    let ids = reports::find(conn, report)?.statuses;
    let found = rows::load(conn, &ids, None)?;
    let shown = found.iter().filter(|status| status.body.visibility != Visibility::Direct);
    Ok(shown.map(|status| part(status, false)).collect())
}

/// Ends the marking of those of these statuses that their author has not edited since.
pub(super) fn unmark(tx: &mut Tx<'_>, strike: &Strike) -> Result<()> {
    let marked = strike.statuses.iter().filter(|status| status.marked);
    let mut ids: Vec<StatusId> = Vec::new();
    for status in marked {
        if rows::lock(tx, status.id)? {
            ids.push(status.id);
        }
    }
    let is_unedited = |status: &Status| {
        let body = &status.body;
        body.source.spoiler_text.is_empty()
            && body.edited_at.is_none_or(|edited| edited <= strike.created_at)
    };
    let loaded = rows::load(tx, &ids, None)?;
    let unedited = loaded.iter().filter(|status| is_unedited(status));
    let ids: Vec<StatusId> = unedited.map(|status| status.body.id).collect();
    set_sensitive(tx, &ids, false)
}

/// Loads these statuses. Each must exist, and must be one that the action can name.
fn load(
    conn: &mut Conn,
    staff: Authority,
    ids: &[StatusId],
    within: Within,
) -> Result<Vec<Status>> {
    let mut found = rows::load(conn, ids, None)?;
    match within {
        Within::Everything => {}
        Within::Account(account) => found.retain(|status| is_listed(status, account)),
        Within::Report(report) => {
            let shown = reports::load(conn, staff, &[report])?.pop().ok_or(Error::NotFound)?;
            found.retain(|status| shown.report.statuses.contains(&status.body.id));
        }
    }
    if found.len() == ids.len() { Ok(found) } else { Err(Error::NotFound) }
}

fn author_of(found: &[Status]) -> Result<Arc<Account>> {
    let author = &found.first().ok_or(Error::NotFound)?.body.account;
    if found.iter().any(|status| status.body.account.id != author.id) {
        return Err(Error::validation(ONE_AUTHOR));
    }
    Ok(Arc::clone(author))
}

/// Deletes statuses with their attachments. Returns their ids.
fn delete(tx: &mut Tx<'_>, found: &[Status]) -> Result<Vec<StatusId>> {
    // A reblog of another one of them goes first, because it would go with that one.
    for Status { body, reblog } in found.iter().rev() {
        let author = body.account.id;
        statuses::remove(tx, author, body.id)?;
        if reblog.is_none() {
            body.attachments
                .iter()
                .try_for_each(|media| attachments::delete(tx, author, media.id))?;
        }
    }
    Ok(found.iter().map(|status| status.body.id).collect())
}

/// Marks statuses as sensitive. Returns the ids of those that were not yet.
fn mark(tx: &mut Tx<'_>, found: &[Status]) -> Result<Vec<StatusId>> {
    if found.iter().any(|status| status.reblog.is_some()) {
        return Err(Error::validation("A reblog cannot be marked as sensitive"));
    }
    let open = found.iter().filter(|status| !status.body.source.sensitive);
    let ids: Vec<StatusId> = open.map(|status| status.body.id).collect();
    set_sensitive(tx, &ids, true)?;
    Ok(ids)
}

/// Changes the flag of locked statuses. Streams, caches and search follow.
fn set_sensitive(tx: &mut Tx<'_>, ids: &[StatusId], sensitive: bool) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    rows::set_sensitive(tx, ids, sensitive)?;
    for id in ids {
        DomainEvent::StatusEdited(*id).write(tx)?;
    }
    Ok(search::index(tx, ids)?)
}

/// Returns a status as a part of a strike.
fn part(status: &Status, marked: bool) -> StrikeStatus {
    StrikeStatus { id: status.body.id, marked, excerpt: excerpt(status) }
}

/// Returns the beginning of a status: of its content warning and its text. It is empty for a
/// reblog.
#[must_use]
pub fn excerpt(status: &Status) -> String {
    let body = &status.body;
    let text = html_to_text(&body.content);
    let whole = match body.source.spoiler_text.as_str() {
        "" => text,
        warning => format!("{warning}\n{text}"),
    };
    shorten(whole.trim(), EXCERPT.0, EXCERPT.1).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_names_some_statuses_once() {
        let ids = |range: std::ops::Range<i64>| range.map(StatusId::new).collect::<Vec<_>>();
        assert_eq!(distinct([ids(1..3), ids(1..3)].concat()).unwrap(), ids(1..3));
        let most = i64::try_from(MAX_STRIKE_STATUSES).unwrap();
        assert!(distinct(ids(0..most)).is_ok() && distinct(ids(0..most + 1)).is_err());
        assert!(parse_kind("delete").is_ok() && parse_kind("mark_as_sensitive").is_ok());
        for kind in ["", "none", "sensitive", "delete_statuses"] {
            assert!(parse_kind(kind).is_err(), "{kind}");
        }
    }
}
