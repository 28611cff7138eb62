//! Reports of accounts to the staff.

use std::sync::Arc;

use siskin_ids::{AccountId, ReportId, ReportNoteId, RuleId, StatusId};

use crate::{
    account::Account,
    admin_account::AdminAccount,
    filters::ContainsStatuses,
    named::{names, parses},
    rule::Rule,
    status::Status,
    time::Timestamp,
};

/// What a report is about. The name is stored and used in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ReportCategory {
    /// Unwanted advertisement or repeated posts.
    Spam,
    /// Content that may be against a law.
    Legal,
    /// A breach of rules of the instance.
    Violation,
    /// Anything else.
    #[default]
    Other,
}

names!(ReportCategory {
    Spam = "spam",
    Legal = "legal",
    Violation = "violation",
    Other = "other",
});
parses!(
    /// Error for a name that is no category.
    ReportCategory, UnknownReportCategory: "must be spam, legal, violation or other"
);

/// A report of an account by another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Id of the report.
    pub id: ReportId,
    /// The reporter. The reported account must not learn it.
    pub account: AccountId,
    /// The reported account.
    pub target: AccountId,
    /// What it is about.
    pub category: ReportCategory,
    /// What the reporter wrote, as plain text; may be empty.
    pub comment: String,
    /// Whether the reporter wants the server of a remote account to get the report.
    pub forwarded: bool,
    /// Reported statuses of the account. They may be deleted.
    pub statuses: Vec<StatusId>,
    /// Rules that the account broke, which may be deleted. `None` if the reporter named none.
    pub rules: Option<Vec<RuleId>>,
    /// The member of staff that works on it. The account may be deleted.
    pub assigned: Option<AccountId>,
    /// Time at which staff resolved it; `None` while it is open.
    pub action_taken_at: Option<Timestamp>,
    /// The member of staff that resolved it. The account may be deleted. `None` while it is open,
    /// and for the operator.
    pub action_taken_by: Option<AccountId>,
    /// Time of the report.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl Report {
    /// Returns `true` if staff resolved it.
    #[must_use]
    pub const fn is_resolved(&self) -> bool {
        self.action_taken_at.is_some()
    }
}

/// A report with the reported account: what its reporter and the notifications of staff show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownReport {
    /// The report.
    pub report: Report,
    /// The reported account.
    pub target: Arc<Account>,
}

/// A report with everything that staff see of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdminReport {
    /// The report.
    pub report: Report,
    /// The reporter.
    pub account: AdminAccount,
    /// The reported account.
    pub target: AdminAccount,
    /// The member of staff that works on it; `None` if there is none any more.
    pub assigned: Option<AdminAccount>,
    /// The member of staff that resolved it; `None` if there is none any more.
    pub action_taken_by: Option<AdminAccount>,
    /// The reported statuses that still exist.
    pub statuses: Vec<Status>,
    /// The named rules that still exist.
    pub rules: Vec<Rule>,
}

impl ContainsStatuses for AdminReport {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.statuses.for_each_status(visit);
    }

    fn statuses(&self) -> usize {
        self.statuses.len()
    }
}

/// Private note of a member of staff on a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportNote {
    /// Id of the note.
    pub id: ReportNoteId,
    /// The report.
    pub report: ReportId,
    /// Who wrote it; `None` if the account is deleted.
    pub author: Option<Arc<Account>>,
    /// The note as plain text.
    pub content: String,
    /// Time at which it was written.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_round_trip_through_their_names() {
        for category in ReportCategory::ALL {
            assert_eq!(category.as_str().parse(), Ok(category));
        }
        assert_eq!("rude".parse::<ReportCategory>(), Err(UnknownReportCategory));
        assert_eq!("".parse::<ReportCategory>(), Err(UnknownReportCategory));
    }
}
