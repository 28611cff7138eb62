//! Decisions of staff about several accounts or reports at once.

use crate::named::{names, parses};

/// The end of a restriction of an account. The name is used in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UndoAction {
    /// The person can sign in again.
    Enable,
    /// Media are shown as the author marks them.
    Unsensitive,
    /// The account is no longer limited.
    Unsilence,
    /// The account is no longer suspended.
    Unsuspend,
}

names!(UndoAction {
    Enable = "enable",
    Unsensitive = "unsensitive",
    Unsilence = "unsilence",
    Unsuspend = "unsuspend",
});
parses!(
    /// Error for a name that is no end of a restriction.
    UndoAction, UnknownUndoAction: "unknown action"
);

/// What staff do with a report. The name is used in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReportAction {
    /// Assigns it to the member of staff.
    AssignToSelf,
    /// Ends the assignment.
    Unassign,
    /// Resolves it.
    Resolve,
    /// Opens it again.
    Reopen,
}

names!(ReportAction {
    AssignToSelf = "assign_to_self",
    Unassign = "unassign",
    Resolve = "resolve",
    Reopen = "reopen",
});
parses!(
    /// Error for a name that is nothing that staff do with reports.
    ReportAction, UnknownReportAction: "unknown action"
);

/// What a decision did to one of several accounts or reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecisionResult {
    /// It took effect.
    Done,
    /// It was in this state already, or the decision does not apply to it.
    Unchanged,
    /// There is no such account or report.
    NotFound,
    /// The rank of the account does not allow it.
    Forbidden,
    /// The name or the email address of a rejected sign-up is taken by now.
    Taken,
    /// It is not possible for this account: the login of an account of another server, or the only
    /// owner.
    Impossible,
}

names!(DecisionResult {
    Done = "done",
    Unchanged = "unchanged",
    NotFound = "not_found",
    Forbidden = "forbidden",
    Taken = "taken",
    Impossible = "impossible",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_actions_parse_back() {
        for action in UndoAction::ALL {
            assert_eq!(action.as_str().parse(), Ok(action));
        }
        for action in ReportAction::ALL {
            assert_eq!(action.as_str().parse(), Ok(action));
        }
        assert_eq!("suspend".parse::<UndoAction>(), Err(UnknownUndoAction));
        assert_eq!("delete".parse::<ReportAction>(), Err(UnknownReportAction));
    }
}
