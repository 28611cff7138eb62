//! Tables of both rules, and what holds for all relations.

use proptest::{collection::vec, prelude::*, sample::select};
use siskin_entities::{
    AccountState, RelationParts, Visibility,
    relationship::{Follow, Mute},
};

use super::*;
use crate::{timelines::Parent, visibility::ContentFacts};

const RECIPIENT: AccountId = AccountId::new(1);
const SENDER: AccountId = AccountId::new(2);
const OTHER: AccountId = AccountId::new(3);
const NOW: Timestamp = Timestamp::from_unix_ms(1_000);
const FAR: &str = "far.example";
const ACTIVE: AccountState = AccountState { suspended: false, silenced: false, reachable: true };

const fn by(id: AccountId, domain: Option<&str>, state: AccountState) -> AccountFacts<'_> {
    AccountFacts { id, domain, state }
}

const fn cause(kind: NotificationKind) -> CauseFacts<'static> {
    CauseFacts {
        kind,
        sender: by(SENDER, None, ACTIVE),
        participants: &[],
        sender_created_at: Timestamp::from_unix_ms(0),
        is_private: false,
        private_parent_author: None,
    }
}

fn happens(parts: RelationParts, state: RecipientFacts, cause: &CauseFacts<'_>) -> PolicyAction {
    action(&ViewerRelations::of(RECIPIENT, parts), &state, cause, NOW)
}

/// Returns `true` if a recipient with the default policy gets the notification.
fn gets(parts: RelationParts, cause: &CauseFacts<'_>) -> bool {
    happens(parts, RecipientFacts::default(), cause) == PolicyAction::Accept
}

fn sees(parts: RelationParts, sender: AccountFacts<'_>, status: Option<StatusFacts<'_>>) -> bool {
    sees_kind(NotificationKind::Mention, parts, sender, status)
}

fn sees_kind(
    kind: NotificationKind,
    parts: RelationParts,
    sender: AccountFacts<'_>,
    status: Option<StatusFacts<'_>>,
) -> bool {
    let recipient = ViewerRelations::of(RECIPIENT, parts);
    shows(&recipient, &NotificationFacts { kind, sender, status }, NOW)
}

fn mute(notifications: bool, until: Option<i64>) -> Mute {
    Mute { notifications, until: until.map(Timestamp::from_unix_ms) }
}

/// Returns relations towards an account, and whether they reject its notifications.
fn relations_towards(account: AccountId) -> Vec<(RelationParts, bool)> {
    let none = RelationParts::default;
    let muting = |mute| RelationParts { mutes: vec![(account, mute)], ..none() };
    vec![
        (none(), false),
        (RelationParts { follows: vec![(account, Follow::default())], ..none() }, false),
        (RelationParts { blocks: vec![account], ..none() }, true),
        (muting(mute(true, None)), true),
        (muting(mute(true, Some(1_001))), true),
        (muting(mute(true, Some(1_000))), false),
        (muting(mute(false, None)), false),
    ]
}

#[test]
fn blocks_and_mutes_with_notifications_reject_the_sender() {
    for (parts, is_rejected) in relations_towards(SENDER) {
        for kind in NotificationKind::ALL {
            let expected = !is_rejected || kind.is_for_staff();
            assert_eq!(gets(parts.clone(), &cause(kind)), expected, "{parts:?} {kind:?}");
            let sender = by(SENDER, None, ACTIVE);
            assert_eq!(sees_kind(kind, parts.clone(), sender, None), expected, "{kind:?}");
        }
        assert_eq!(sees(parts.clone(), by(SENDER, None, ACTIVE), None), !is_rejected, "{parts:?}");
        let relations = ViewerRelations::of(RECIPIENT, parts);
        assert_eq!(may_show_sender(&relations, SENDER, NOW), !is_rejected);
    }
    let blocked = RelationParts { blocked_by: vec![SENDER], ..RelationParts::default() };
    assert!(!gets(blocked.clone(), &cause(NotificationKind::Follow)));
    assert!(!sees(blocked.clone(), by(SENDER, None, ACTIVE), None));
    assert!(!may_show_sender(&ViewerRelations::of(RECIPIENT, blocked), SENDER, NOW));
}

#[test]
fn relations_do_not_hide_what_staff_have_to_know() {
    let kind = NotificationKind::AdminReport;
    let blocked = RelationParts { blocked_by: vec![SENDER], ..RelationParts::default() };
    let suspended = by(SENDER, None, AccountState { suspended: true, ..ACTIVE });
    assert!(gets(blocked.clone(), &cause(kind)));
    assert!(sees_kind(kind, blocked, suspended, None));
    let own = CauseFacts { sender: by(RECIPIENT, None, ACTIVE), ..cause(kind) };
    assert!(!gets(RelationParts::default(), &own));
    let state = RecipientFacts { is_suspended: true, ..RecipientFacts::default() };
    assert_eq!(happens(RelationParts::default(), state, &cause(kind)), PolicyAction::Drop);
}

#[test]
fn a_blocked_domain_rejects_its_accounts() {
    let parts = || RelationParts { domains: vec![FAR.to_owned()], ..RelationParts::default() };
    for (domain, accepts) in [(None, true), (Some("near.example"), true), (Some(FAR), false)] {
        let sender = by(SENDER, domain, ACTIVE);
        assert_eq!(
            gets(parts(), &CauseFacts { sender, ..cause(NotificationKind::Follow) }),
            accepts
        );
        assert_eq!(sees(parts(), sender, None), accepts);
        let participants = [Participant { id: OTHER, domain: domain.map(str::to_owned) }];
        let mention = cause(NotificationKind::Mention);
        assert_eq!(gets(parts(), &CauseFacts { participants: &participants, ..mention }), accepts);
    }
}

#[test]
fn a_mention_beside_a_rejected_participant_notifies_no_one() {
    let participants = [SENDER, RECIPIENT, OTHER].map(|id| Participant { id, domain: None });
    for (parts, is_rejected) in relations_towards(OTHER) {
        for kind in NotificationKind::ALL {
            let cause = CauseFacts { participants: &participants, ..cause(kind) };
            let expected = kind != NotificationKind::Mention || !is_rejected;
            assert_eq!(gets(parts.clone(), &cause), expected, "{parts:?} {kind:?}");
        }
    }
}

#[test]
fn only_the_end_of_a_poll_and_a_warning_notify_the_actor() {
    for kind in NotificationKind::ALL {
        for state in [ACTIVE, AccountState { silenced: true, ..ACTIVE }] {
            let own = CauseFacts { sender: by(RECIPIENT, None, state), ..cause(kind) };
            let expected =
                matches!(kind, NotificationKind::Poll | NotificationKind::ModerationWarning);
            assert_eq!(gets(RelationParts::default(), &own), expected, "{kind:?}");
        }
    }
}

#[test]
fn suspended_recipients_and_muted_conversations_get_nothing() {
    for (is_suspended, mutes_conversation, expected) in
        [(false, false, true), (true, false, false), (false, true, false), (true, true, false)]
    {
        let state =
            RecipientFacts { is_suspended, mutes_conversation, ..RecipientFacts::default() };
        let happens = happens(RelationParts::default(), state, &cause(NotificationKind::Mention));
        assert_eq!(happens == PolicyAction::Accept, expected, "{state:?}");
        assert_eq!(happens == PolicyAction::Drop, !expected, "{state:?}");
    }
}

#[test]
fn a_warning_waits_for_a_suspended_recipient() {
    let warning = CauseFacts {
        sender: by(RECIPIENT, None, ACTIVE),
        ..cause(NotificationKind::ModerationWarning)
    };
    let mut policy = NotificationPolicy::default();
    PolicyRule::ALL.into_iter().for_each(|rule| policy.set(rule, PolicyAction::Drop));
    let state = RecipientFacts { is_suspended: true, policy, ..RecipientFacts::default() };
    assert_eq!(happens(RelationParts::default(), state, &warning), PolicyAction::Accept);
}

#[test]
fn a_silenced_account_is_filtered_unless_the_recipient_follows_it() {
    let sender = by(SENDER, None, AccountState { silenced: true, ..ACTIVE });
    let silenced = CauseFacts { sender, ..cause(NotificationKind::Mention) };
    let happens_to = |parts| happens(parts, RecipientFacts::default(), &silenced);
    assert_eq!(happens_to(RelationParts::default()), PolicyAction::Filter);
    let follows = vec![(SENDER, Follow::default())];
    let follower = RelationParts { follows, ..RelationParts::default() };
    assert_eq!(happens_to(follower), PolicyAction::Accept);
    // What the recipient got earlier stays.
    assert!(sees(RelationParts::default(), sender, None));
}

/// A moment at which neither the sender's account nor its follow is new.
const LATER: Timestamp = Timestamp::from_unix_ms(40 * 24 * 3600 * 1000);

/// The rules that apply to a mention by a sender, one after the other alone in the policy.
fn applying(
    parts: &RelationParts,
    state: RecipientFacts,
    cause: &CauseFacts<'_>,
) -> Vec<PolicyRule> {
    let applies = |rule: &PolicyRule| {
        let mut policy = NotificationPolicy::default();
        policy.set(PolicyRule::LimitedAccounts, PolicyAction::Accept);
        policy.set(*rule, PolicyAction::Drop);
        let recipient = ViewerRelations::of(RECIPIENT, parts.clone());
        let state = RecipientFacts { policy, ..state };
        action(&recipient, &state, cause, LATER) == PolicyAction::Drop
    };
    PolicyRule::ALL.into_iter().filter(applies).collect()
}

#[test]
fn each_rule_of_the_policy_applies_to_the_senders_that_it_names() {
    use PolicyRule::{LimitedAccounts, NewAccounts, NotFollowers, NotFollowing, PrivateMentions};
    let follows = vec![(SENDER, Follow::default())];
    let follower = RelationParts { follows, ..RelationParts::default() };
    let stranger = RelationParts::default();
    let nothing = RecipientFacts::default();
    let days = |days: u64| LATER.before(Duration::from_hours(24 * days));
    let followed = |since| RecipientFacts { followed_since: Some(since), ..nothing };
    let mention = cause(NotificationKind::Mention);
    let young = CauseFacts { sender_created_at: days(29), ..mention };
    let silenced = CauseFacts {
        sender: by(SENDER, None, AccountState { silenced: true, ..ACTIVE }),
        ..mention
    };
    let private = CauseFacts { is_private: true, ..mention };
    let answer = CauseFacts { private_parent_author: Some(RECIPIENT), ..private };
    let other_answer = CauseFacts { private_parent_author: Some(OTHER), ..private };
    for (parts, state, cause, expected) in [
        (&stranger, nothing, mention, vec![NotFollowing, NotFollowers]),
        (&follower, nothing, mention, vec![NotFollowers]),
        (&follower, followed(days(4)), mention, vec![]),
        (&follower, followed(days(3)), mention, vec![]),
        (&follower, followed(days(2)), mention, vec![NotFollowers]),
        (&stranger, followed(days(4)), mention, vec![NotFollowing]),
        (&stranger, followed(days(4)), young, vec![NotFollowing, NewAccounts]),
        (&follower, followed(days(4)), young, vec![]),
        (&stranger, followed(days(4)), silenced, vec![NotFollowing, LimitedAccounts]),
        (&follower, followed(days(4)), silenced, vec![]),
        (&stranger, followed(days(4)), private, vec![NotFollowing, PrivateMentions]),
        (&follower, followed(days(4)), private, vec![]),
        (&stranger, followed(days(4)), answer, vec![NotFollowing]),
        (&stranger, followed(days(4)), other_answer, vec![NotFollowing, PrivateMentions]),
    ] {
        assert_eq!(applying(parts, state, &cause), expected, "{parts:?} {state:?} {cause:?}");
        let permitted = RecipientFacts { permits_sender: true, ..state };
        assert_eq!(applying(parts, permitted, &cause), [], "{cause:?}");
    }
    for kind in [NotificationKind::Poll, NotificationKind::Update] {
        assert_eq!(applying(&stranger, nothing, &CauseFacts { kind, ..young }), [], "{kind:?}");
    }
}

#[test]
fn the_strictest_action_of_all_applying_rules_counts() {
    let mention = cause(NotificationKind::Mention);
    for (not_following, not_followers, expected) in [
        (PolicyAction::Accept, PolicyAction::Filter, PolicyAction::Filter),
        (PolicyAction::Filter, PolicyAction::Accept, PolicyAction::Filter),
        (PolicyAction::Filter, PolicyAction::Drop, PolicyAction::Drop),
        (PolicyAction::Accept, PolicyAction::Accept, PolicyAction::Accept),
    ] {
        let mut policy = NotificationPolicy::default();
        policy.set(PolicyRule::NotFollowing, not_following);
        policy.set(PolicyRule::NotFollowers, not_followers);
        let state = RecipientFacts { policy, ..RecipientFacts::default() };
        assert_eq!(happens(RelationParts::default(), state, &mention), expected);
    }
}

#[test]
fn inactive_senders_and_invisible_statuses_are_hidden() {
    for (state, expected) in [
        (ACTIVE, true),
        (AccountState { suspended: true, ..ACTIVE }, false),
        (AccountState { reachable: false, ..ACTIVE }, false),
    ] {
        assert_eq!(sees(RelationParts::default(), by(SENDER, None, state), None), expected);
    }
    for (visibility, author, expected) in [
        (Visibility::Public, SENDER, true),
        (Visibility::Private, SENDER, false),
        (Visibility::Private, RECIPIENT, true),
        (Visibility::Direct, OTHER, false),
    ] {
        let own = ContentFacts {
            author: by(author, None, ACTIVE),
            visibility,
            mentions: &[],
            former_mentions: &[],
        };
        let status =
            StatusFacts { own, reblogged: None, parent: Parent::None, tags: &[], language: None };
        let shown = sees(RelationParts::default(), by(SENDER, None, ACTIVE), Some(status));
        assert_eq!(shown, expected, "{visibility:?} {author}");
    }
}

fn any_account() -> impl Strategy<Value = AccountId> {
    select(vec![RECIPIENT, SENDER, OTHER])
}

fn any_parts() -> impl Strategy<Value = RelationParts> {
    let accounts = || vec(select(vec![SENDER, OTHER]), 0..3);
    let mutes = vec((select(vec![SENDER, OTHER]), any::<bool>(), 998..1_003_i64), 0..3);
    (accounts(), accounts(), accounts(), mutes, any::<bool>()).prop_map(
        |(follows, blocks, blocked_by, mut mutes, blocks_domain)| {
            mutes.dedup_by_key(|(account, ..)| *account);
            RelationParts {
                follows: follows.into_iter().map(|one| (one, Follow::default())).collect(),
                blocks,
                blocked_by,
                mutes: mutes
                    .into_iter()
                    .map(|(account, notifications, until)| {
                        (account, mute(notifications, Some(until)))
                    })
                    .collect(),
                domains: if blocks_domain { vec![FAR.to_owned()] } else { Vec::new() },
                ..RelationParts::default()
            }
        },
    )
}

fn any_facts() -> impl Strategy<Value = AccountFacts<'static>> {
    (any_account(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(id, is_remote, suspended, silenced, reachable)| {
            let domain = (is_remote && id != RECIPIENT).then_some(FAR);
            by(id, domain, AccountState { suspended, silenced, reachable })
        },
    )
}

proptest! {
    #[test]
    fn more_blocks_and_mutes_never_notify_more(
        parts in any_parts(),
        sender in any_facts(),
        kind in select(NotificationKind::ALL.to_vec()),
        extra in select(vec![SENDER, OTHER]),
    ) {
        let participants = [Participant { id: OTHER, domain: Some(FAR.to_owned()) }];
        let cause = CauseFacts { sender, participants: &participants, ..cause(kind) };
        let mut stricter = vec![parts.clone(); 4];
        stricter[0].blocks.push(extra);
        stricter[1].blocked_by.push(extra);
        stricter[2].mutes.retain(|(account, _)| *account != extra);
        stricter[2].mutes.push((extra, mute(true, None)));
        stricter[3].domains.push(FAR.to_owned());
        let gets_before = gets(parts, &cause);
        for parts in stricter {
            prop_assert!(gets_before || !gets(parts, &cause));
        }
    }

    /// The recipient can read what it got, as long as nothing changes.
    #[test]
    fn a_new_notification_of_an_active_account_is_shown(
        parts in any_parts(),
        sender in any_facts(),
        kind in select(NotificationKind::ALL.to_vec()),
    ) {
        let cause = CauseFacts { sender, ..cause(kind) };
        let is_shown = sees_kind(kind, parts.clone(), sender, None);
        prop_assert!(is_shown || !sender.is_active() || !gets(parts.clone(), &cause));
        let recipient = ViewerRelations::of(RECIPIENT, parts);
        let may_show = kind.is_for_staff() || may_show_sender(&recipient, sender.id, NOW);
        prop_assert!(!is_shown || may_show);
    }
}
