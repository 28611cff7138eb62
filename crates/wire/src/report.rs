//! Reports of accounts to the staff.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities::{self as view, Timestamp};
use siskin_ids::{ReportId, ReportNoteId, RuleId, StatusId};

use crate::{
    account::{self, Account},
    admin_account::{self, AdminAccount},
    rule::{self, Rule},
    status::{self, Status},
    time::Instant,
    urls::Urls,
};

/// Report as its reporter sees it, and as notifications of staff show it. It does not contain the
/// reporter.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Report {
    /// Id of the report.
    pub id: ReportId,
    /// Whether staff resolved it.
    pub action_taken: bool,
    /// Time at which staff resolved it; null while it is open.
    pub action_taken_at: Option<Instant>,
    /// A name of [`view::ReportCategory`], or another one from other servers.
    pub category: Cow<'static, str>,
    /// What the reporter wrote, as plain text; may be empty.
    pub comment: String,
    /// Whether the reporter wants the server of a remote account to get the report.
    pub forwarded: bool,
    /// Time of the report.
    pub created_at: Instant,
    /// Ids of the reported statuses, which may be deleted.
    pub status_ids: Option<Vec<StatusId>>,
    /// Ids of the rules that the account broke; null if the reporter named none.
    pub rule_ids: Option<Vec<RuleId>>,
    /// The reported account.
    pub target_account: Account,
}

/// Report with everything that staff see of it.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct AdminReport {
    /// Id of the report.
    pub id: ReportId,
    /// Whether staff resolved it.
    pub action_taken: bool,
    /// Time at which staff resolved it; null while it is open.
    pub action_taken_at: Option<Instant>,
    /// A name of [`view::ReportCategory`], or another one from other servers.
    pub category: Cow<'static, str>,
    /// What the reporter wrote, as plain text; may be empty.
    pub comment: String,
    /// Whether the reporter wants the server of a remote account to get the report.
    pub forwarded: bool,
    /// Time of the report.
    pub created_at: Instant,
    /// Time of the last change.
    pub updated_at: Instant,
    /// The reporter.
    pub account: AdminAccount,
    /// The reported account.
    pub target_account: AdminAccount,
    /// The member of staff that works on it; null if there is none.
    pub assigned_account: Option<AdminAccount>,
    /// The member of staff that resolved it; null if there is none.
    pub action_taken_by_account: Option<AdminAccount>,
    /// The reported statuses that still exist.
    pub statuses: Vec<Status>,
    /// The rules that the account broke, as far as they still exist.
    pub rules: Vec<Rule>,
}

/// Private note of a member of staff on a report. An extension of this server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ReportNote {
    /// Id of the note.
    pub id: ReportNoteId,
    /// Id of the report.
    pub report_id: ReportId,
    /// The note as plain text.
    pub content: String,
    /// Time at which it was written.
    pub created_at: Instant,
    /// Who wrote it; null if the account is deleted.
    pub account: Option<Account>,
}

/// Renders a report for its reporter, or for a notification.
#[must_use]
pub fn render(shown: &view::ShownReport, urls: &Urls) -> Report {
    let report = &shown.report;
    Report {
        id: report.id,
        action_taken: report.is_resolved(),
        action_taken_at: report.action_taken_at.map(Instant),
        category: report.category.as_str().into(),
        comment: report.comment.clone(),
        forwarded: report.forwarded,
        created_at: Instant(report.created_at),
        status_ids: Some(report.statuses.clone()),
        rule_ids: report.rules.clone(),
        target_account: account::render(&shown.target, urls),
    }
}

/// Renders a report for staff at `now`.
#[must_use]
pub fn render_for_staff(shown: &view::AdminReport, urls: &Urls, now: Timestamp) -> AdminReport {
    let report = &shown.report;
    let staff = |account: &view::AdminAccount| admin_account::render(account, urls);
    AdminReport {
        id: report.id,
        action_taken: report.is_resolved(),
        action_taken_at: report.action_taken_at.map(Instant),
        category: report.category.as_str().into(),
        comment: report.comment.clone(),
        forwarded: report.forwarded,
        created_at: Instant(report.created_at),
        updated_at: Instant(report.updated_at),
        account: staff(&shown.account),
        target_account: staff(&shown.target),
        assigned_account: shown.assigned.as_ref().map(staff),
        action_taken_by_account: shown.action_taken_by.as_ref().map(staff),
        statuses: shown.statuses.iter().map(|one| status::render(one, urls, now)).collect(),
        rules: rule::render_all(&shown.rules),
    }
}

/// Renders a note on a report.
#[must_use]
pub fn render_note(note: &view::ReportNote, urls: &Urls) -> ReportNote {
    ReportNote {
        id: note.id,
        report_id: note.report,
        content: note.content.clone(),
        created_at: Instant(note.created_at),
        account: note.author.as_ref().map(|author| account::render(author, urls)),
    }
}
