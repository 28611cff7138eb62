//! Strikes: what moderators did against accounts, and the appeals of these.

use std::{sync::Arc, time::Duration};

use siskin_ids::{AccountId, AppealId, ReportId, StatusId, StrikeId};

use crate::{
    Timestamp,
    account::Account,
    named::{names, parses},
};

/// What a strike did. The name is stored and used in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StrikeAction {
    /// Nothing but a warning.
    Warn,
    /// Disabled the login of the user.
    Disable,
    /// Marked some statuses as sensitive.
    MarkStatusesAsSensitive,
    /// Deleted some statuses.
    DeleteStatuses,
    /// Marked all media of the account as sensitive.
    Sensitive,
    /// Silenced the account.
    Silence,
    /// Suspended the account.
    Suspend,
}

names!(StrikeAction {
    Warn = "none",
    Disable = "disable",
    MarkStatusesAsSensitive = "mark_statuses_as_sensitive",
    DeleteStatuses = "delete_statuses",
    Sensitive = "sensitive",
    Silence = "silence",
    Suspend = "suspend",
});
parses!(
    /// Error for a name that is no action of a strike.
    StrikeAction, UnknownStrikeAction: "unknown action"
);

/// A decision of the moderators against an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strike {
    /// Id of the strike.
    pub id: StrikeId,
    /// The account that it is against.
    pub target: Arc<Account>,
    /// The moderator, who may be deleted. `None` for the operator. The account that the strike is
    /// against must not learn it.
    pub moderator: Option<AccountId>,
    /// What was done.
    pub action: StrikeAction,
    /// What the moderator wrote to the account, as plain text; may be empty.
    pub text: String,
    /// The report that led to it, which may be deleted.
    pub report: Option<ReportId>,
    /// The statuses that it is about. They may be deleted.
    pub statuses: Vec<StrikeStatus>,
    /// The appeal against it.
    pub appeal: Option<Appeal>,
    /// Time at which the moderators took it back.
    pub overruled_at: Option<Timestamp>,
    /// Time of the decision.
    pub created_at: Timestamp,
}

impl Strike {
    /// Time for which an account can appeal: 20 days, as on Mastodon.
    pub const APPEAL_PERIOD: Duration = Duration::from_hours(20 * 24);

    /// Returns the end of the time in which the account can appeal.
    #[must_use]
    pub fn appeal_until(&self) -> Timestamp {
        self.created_at.after(Self::APPEAL_PERIOD)
    }
}

/// A status that a strike is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrikeStatus {
    /// Id of the status.
    pub id: StatusId,
    /// Whether the strike marked it as sensitive, and its author had not.
    pub marked: bool,
    /// Beginning of its text at that time.
    pub excerpt: String,
}

/// State of an appeal. The name is stored and used in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AppealState {
    /// It waits for a decision.
    #[default]
    Pending,
    /// The strike was taken back.
    Approved,
    /// The strike stays.
    Rejected,
}

names!(AppealState { Pending = "pending", Approved = "approved", Rejected = "rejected" });
parses!(
    /// Error for a name that is no state of an appeal.
    AppealState, UnknownAppealState: "must be pending, approved or rejected"
);

/// The appeal of an account against a strike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appeal {
    /// Id of the appeal.
    pub id: AppealId,
    /// The strike.
    pub strike: StrikeId,
    /// The account that appeals.
    pub account: AccountId,
    /// Why the account thinks that the strike is wrong, as plain text.
    pub text: String,
    /// What the moderators decided.
    pub state: AppealState,
    /// Who decided. `None` if it is pending, and for the operator. The account must not learn it.
    pub decided_by: Option<AccountId>,
    /// Time of the decision.
    pub decided_at: Option<Timestamp>,
    /// Time of the appeal.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_and_states_round_trip_through_their_names() {
        for action in StrikeAction::ALL {
            assert_eq!(StrikeAction::from_name(action.as_str()), Some(action));
        }
        for state in AppealState::ALL {
            assert_eq!(AppealState::from_name(state.as_str()), Some(state));
        }
        assert_eq!(StrikeAction::from_name("warn"), None);
        assert_eq!(AppealState::from_name(""), None);
    }
}
