//! Web Push: which notifications a subscription gets. Whether there is a notification at all is
//! decided by [`crate::notifications`].

use siskin_entities::{NotificationType, PushAlerts, PushPolicy};

/// Relations between the recipient of a notification and its sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SenderFacts {
    /// The recipient caused the notification, such as the end of the recipient's own poll.
    pub is_recipient: bool,
    /// The recipient follows the sender.
    pub is_followed: bool,
    /// The sender follows the recipient.
    pub is_follower: bool,
}

/// Returns `true` if a subscription with this policy and these alerts gets a notification. The
/// policy selects other accounts, so what the recipient caused passes every policy except
/// [`PushPolicy::None`].
///
/// ```
/// use siskin_entities::{NotificationType, PushAlerts, PushPolicy};
/// use siskin_policy::push::{SenderFacts, pushes};
///
/// let alerts = PushAlerts::from([NotificationType::Mention]);
/// let pushed = |kind| pushes(PushPolicy::All, &alerts, kind, SenderFacts::default());
/// assert!(pushed(NotificationType::Mention));
/// assert!(!pushed(NotificationType::Follow));
/// ```
#[must_use]
pub fn pushes(
    policy: PushPolicy,
    alerts: &PushAlerts,
    kind: NotificationType,
    sender: SenderFacts,
) -> bool {
    let accepts_sender = match policy {
        PushPolicy::All => true,
        PushPolicy::Followed => sender.is_followed || sender.is_recipient,
        PushPolicy::Follower => sender.is_follower || sender.is_recipient,
        PushPolicy::None => false,
    };
    accepts_sender && alerts.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRANGER: SenderFacts =
        SenderFacts { is_recipient: false, is_followed: false, is_follower: false };
    const FOLLOWED: SenderFacts = SenderFacts { is_followed: true, ..STRANGER };
    const FOLLOWER: SenderFacts = SenderFacts { is_follower: true, ..STRANGER };
    const RECIPIENT: SenderFacts = SenderFacts { is_recipient: true, ..STRANGER };

    #[test]
    fn the_policy_selects_senders() {
        let alerts = PushAlerts::from([NotificationType::Poll]);
        for (policy, pushed) in [
            (PushPolicy::All, [true, true, true, true]),
            (PushPolicy::Followed, [false, true, false, true]),
            (PushPolicy::Follower, [false, false, true, true]),
            (PushPolicy::None, [false, false, false, false]),
        ] {
            let decided = [STRANGER, FOLLOWED, FOLLOWER, RECIPIENT]
                .map(|sender| pushes(policy, &alerts, NotificationType::Poll, sender));
            assert_eq!(decided, pushed, "{policy:?}");
        }
    }

    #[test]
    fn the_alerts_select_types() {
        for chosen in NotificationType::ALL {
            let alerts = PushAlerts::from([chosen]);
            for kind in NotificationType::ALL {
                let pushed = pushes(PushPolicy::All, &alerts, kind, FOLLOWED);
                assert_eq!(pushed, kind == chosen, "{chosen:?} {kind:?}");
            }
        }
    }
}
