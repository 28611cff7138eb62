//! Moderation: when an account can appeal against a strike.

use siskin_entities::{Strike, Timestamp};

/// Reason why an account cannot appeal against a strike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppealObstacle {
    /// There is an appeal already.
    Appealed,
    /// The moderators took the strike back.
    Overruled,
    /// The strike is too old.
    Late,
}

/// Returns why the account cannot appeal against its strike. Returns `None` if it can: once, until
/// [`Strike::appeal_until`].
#[must_use]
pub fn appeal_obstacle(strike: &Strike, now: Timestamp) -> Option<AppealObstacle> {
    if strike.appeal.is_some() {
        Some(AppealObstacle::Appealed)
    } else if strike.overruled_at.is_some() {
        Some(AppealObstacle::Overruled)
    } else if now >= strike.appeal_until() {
        Some(AppealObstacle::Late)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use siskin_entities::{Account, AccountSnapshot, Appeal, AppealState, StrikeAction};
    use siskin_ids::{AccountId, AppealId, StrikeId};

    use super::*;

    const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);

    fn strike() -> Strike {
        Strike {
            id: StrikeId::new(1),
            target: Arc::new(Account::new(AccountSnapshot::new(AccountId::new(2), "bob", NOW))),
            moderator: None,
            action: StrikeAction::Silence,
            text: String::new(),
            report: None,
            statuses: Vec::new(),
            appeal: None,
            overruled_at: None,
            created_at: NOW,
        }
    }

    #[test]
    fn a_strike_can_be_appealed_for_twenty_days() {
        let day = Duration::from_hours(24);
        let almost = NOW.after(20 * day - Duration::from_millis(1));
        assert_eq!(appeal_obstacle(&strike(), NOW), None);
        assert_eq!(appeal_obstacle(&strike(), almost), None);
        assert_eq!(appeal_obstacle(&strike(), NOW.after(20 * day)), Some(AppealObstacle::Late));
    }

    #[test]
    fn a_strike_can_be_appealed_once() {
        for state in AppealState::ALL {
            let appeal = Appeal {
                id: AppealId::new(3),
                strike: StrikeId::new(1),
                account: AccountId::new(2),
                text: "No".to_owned(),
                state,
                decided_by: None,
                decided_at: None,
                created_at: NOW,
            };
            let appealed = Strike { appeal: Some(appeal), ..strike() };
            assert_eq!(appeal_obstacle(&appealed, NOW), Some(AppealObstacle::Appealed));
        }
        let overruled = Strike { overruled_at: Some(NOW), ..strike() };
        assert_eq!(appeal_obstacle(&overruled, NOW), Some(AppealObstacle::Overruled));
    }
}
