//! Strikes and appeals.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::{AppealId, ReportId, StatusId, StrikeId};

use crate::{
    account::{self, Account},
    time::Instant,
    urls::Urls,
};

/// What the moderators did against an account, for the account itself. It does not name them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AccountWarning {
    /// Id of the strike.
    pub id: StrikeId,
    /// A name of [`view::StrikeAction`], or another one from other servers.
    pub action: Cow<'static, str>,
    /// What the moderators wrote, as plain text; may be empty.
    #[serde(default)]
    pub text: String,
    /// Statuses that it is about, which may be deleted; null if it is about none.
    pub status_ids: Option<Vec<StatusId>>,
    /// The account that it is against.
    pub target_account: Account,
    /// Appeal of the account; null if there is none.
    pub appeal: Option<Appeal>,
    /// Time of the decision.
    pub created_at: Instant,
}

/// An appeal, for the account that appealed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Appeal {
    /// Why the account thinks that the decision is wrong, as plain text.
    pub text: String,
    /// A name of [`view::AppealState`], or another one from other servers.
    pub state: Cow<'static, str>,
}

/// A strike in the account's own list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct OwnStrike {
    /// The strike. In JSON, the fields are those of the own strike itself.
    #[serde(flatten)]
    pub warning: AccountWarning,
    /// End of the time in which the account can appeal.
    pub appeal_until: Instant,
    /// Time at which the moderators took it back; null if they did not.
    pub overruled_at: Option<Instant>,
}

/// An appeal, for staff.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminAppeal {
    /// Id of the appeal.
    pub id: AppealId,
    /// Why the account thinks that the decision is wrong, as plain text.
    pub text: String,
    /// A name of [`view::AppealState`].
    pub state: Cow<'static, str>,
    /// Time of the appeal.
    pub created_at: Instant,
    /// Time of the decision; null if it is pending.
    pub decided_at: Option<Instant>,
    /// Who decided; null if it is pending, for the operator, and if the account is deleted.
    pub decided_by: Option<Account>,
    /// The strike that it is against.
    pub strike: AdminStrike,
}

/// A strike, for staff.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminStrike {
    /// The strike. In JSON, the fields are those of the strike for staff itself.
    #[serde(flatten)]
    pub warning: AccountWarning,
    /// The moderator; null for the operator, and if the account is deleted.
    pub moderator: Option<Account>,
    /// The report that led to it, which may be deleted; null if there was none.
    pub report_id: Option<ReportId>,
    /// Beginnings of the texts of its statuses, as they were then.
    pub excerpts: Vec<StatusExcerpt>,
    /// Time at which the moderators took it back; null if they did not.
    pub overruled_at: Option<Instant>,
}

/// Beginning of the text of a status that a strike is about.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct StatusExcerpt {
    /// Id of the status.
    pub status_id: StatusId,
    /// Plain text; may be empty.
    pub text: String,
}

/// Renders a strike for the account that it is against.
#[must_use]
pub fn render(strike: &view::Strike, urls: &Urls) -> AccountWarning {
    let ids: Vec<StatusId> = strike.statuses.iter().map(|status| status.id).collect();
    AccountWarning {
        id: strike.id,
        action: strike.action.as_str().into(),
        text: strike.text.clone(),
        status_ids: Some(ids).filter(|ids| !ids.is_empty()),
        target_account: account::render(&strike.target, urls),
        appeal: strike.appeal.as_ref().map(render_appeal),
        created_at: Instant(strike.created_at),
    }
}

/// Renders a strike for the own list of the account that it is against.
#[must_use]
pub fn render_own(strike: &view::Strike, urls: &Urls) -> OwnStrike {
    OwnStrike {
        warning: render(strike, urls),
        appeal_until: Instant(strike.appeal_until()),
        overruled_at: strike.overruled_at.map(Instant),
    }
}

/// Renders an appeal for staff. `moderator` is who made the strike.
#[must_use]
pub fn render_for_staff(
    appeal: &view::Appeal,
    strike: &view::Strike,
    moderator: Option<&view::Account>,
    decided_by: Option<&view::Account>,
    urls: &Urls,
) -> AdminAppeal {
    AdminAppeal {
        id: appeal.id,
        text: appeal.text.clone(),
        state: appeal.state.as_str().into(),
        created_at: Instant(appeal.created_at),
        decided_at: appeal.decided_at.map(Instant),
        decided_by: decided_by.map(|account| account::render(account, urls)),
        strike: render_strike_for_staff(strike, moderator, urls),
    }
}

/// Renders a strike for staff. `moderator` is who made it.
#[must_use]
pub fn render_strike_for_staff(
    strike: &view::Strike,
    moderator: Option<&view::Account>,
    urls: &Urls,
) -> AdminStrike {
    let excerpts = strike.statuses.iter();
    AdminStrike {
        warning: render(strike, urls),
        moderator: moderator.map(|account| account::render(account, urls)),
        report_id: strike.report,
        excerpts: excerpts.map(render_excerpt).collect(),
        overruled_at: strike.overruled_at.map(Instant),
    }
}

fn render_appeal(appeal: &view::Appeal) -> Appeal {
    Appeal { text: appeal.text.clone(), state: appeal.state.as_str().into() }
}

fn render_excerpt(status: &view::StrikeStatus) -> StatusExcerpt {
    StatusExcerpt { status_id: status.id, text: status.excerpt.clone() }
}
