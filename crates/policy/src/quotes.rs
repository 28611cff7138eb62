//! Quotes: who may quote a status, and whether a viewer sees what a status quotes.

use siskin_entities::{
    QuotePermission, QuotePolicy, QuoteState, Timestamp, ViewerRelations, Visibility,
};
use siskin_ids::AccountId;

use crate::{
    timelines::{StatusFacts, is_listed, is_welcome},
    visibility::{ContentFacts, may_see},
};

/// Returns the policy of a new status. Only the author may quote a status that not everyone sees.
#[must_use]
pub const fn of_status(visibility: Visibility, chosen: QuotePolicy) -> QuotePolicy {
    if visibility.is_open() { chosen } else { QuotePolicy::Nobody }
}

/// Returns what happens if the viewer, who sees the status, quotes it. Direct statuses cannot be
/// quoted. Authors may quote their other statuses with any policy.
///
/// ```
/// use siskin_entities::{
///     QuotePermission, QuotePolicy, RelationParts, ViewerRelations, Visibility,
/// };
/// use siskin_ids::AccountId;
/// use siskin_policy::quotes::permission;
///
/// let (viewer, author) = (AccountId::new(1), AccountId::new(2));
/// let stranger = ViewerRelations::of(viewer, RelationParts::default());
/// let asked = |policy| permission(&stranger, author, Visibility::Public, policy);
/// assert_eq!(asked(QuotePolicy::Public), QuotePermission::Automatic);
/// assert_eq!(asked(QuotePolicy::Followers), QuotePermission::Denied);
/// ```
#[must_use]
pub fn permission(
    viewer: &ViewerRelations,
    author: AccountId,
    visibility: Visibility,
    policy: QuotePolicy,
) -> QuotePermission {
    let is_allowed = match visibility {
        Visibility::Direct => false,
        _ if viewer.is_viewer(author) => true,
        Visibility::Private => false,
        Visibility::Public | Visibility::Unlisted => {
            viewer.viewer().is_some()
                && !viewer.is_blocked_by(author)
                && match policy {
                    QuotePolicy::Public => true,
                    QuotePolicy::Followers => viewer.follows(author),
                    QuotePolicy::Nobody => false,
                }
        }
    };
    if is_allowed { QuotePermission::Automatic } else { QuotePermission::Denied }
}

/// Returns the visibility of a quote that was requested as `requested`. A quote of a private status
/// is not visible to more accounts than the author's followers.
#[must_use]
pub const fn visibility(of: Visibility, requested: Visibility) -> Visibility {
    if of.is_open() || !requested.is_open() { requested } else { Visibility::Private }
}

/// Returns the state of a quote for the viewer. `stored` is the decision of the quoted author, and
/// `quoted` the quoted status; `None` if it was deleted. The quoted status is shown only if the
/// viewer may see it by itself.
#[must_use]
pub fn state(
    viewer: &ViewerRelations,
    stored: QuoteState,
    quoted: Option<&ContentFacts<'_>>,
    now: Timestamp,
) -> QuoteState {
    if stored != QuoteState::Accepted {
        return stored;
    }
    let Some(quoted) = quoted else { return QuoteState::Deleted };
    let author = &quoted.author;
    if !may_see(viewer, quoted) {
        QuoteState::Unauthorized
    } else if viewer.blocks(author.id, None) {
        QuoteState::BlockedAccount
    } else if viewer.blocks(author.id, author.domain) {
        QuoteState::BlockedDomain
    } else if viewer.mute(author.id, now).is_some() {
        QuoteState::MutedAccount
    } else {
        QuoteState::Accepted
    }
}

/// Returns `true` if the list of quotes of a status by `quoted_author` shows the quote. The list
/// hides authors that the viewer blocks or mutes, and silenced authors that the viewer does not
/// follow; the quoted author sees the latter, to be able to revoke their quotes.
#[must_use]
pub fn shows_in_list(
    viewer: &ViewerRelations,
    quoted_author: AccountId,
    quote: &StatusFacts<'_>,
    now: Timestamp,
) -> bool {
    is_welcome(viewer, quote, now)
        && (viewer.is_viewer(quoted_author) || is_listed(viewer, &quote.own.author))
}

#[cfg(test)]
mod tests {
    use siskin_entities::{
        AccountState, RelationParts,
        relationship::{Follow, Mute},
    };

    use super::*;
    use crate::{timelines::Parent, visibility::AccountFacts};

    const VIEWER: AccountId = AccountId::new(1);
    const AUTHOR: AccountId = AccountId::new(2);
    const NOW: Timestamp = Timestamp::from_unix_ms(1000);

    fn relations(parts: RelationParts) -> ViewerRelations {
        ViewerRelations::of(VIEWER, parts)
    }

    fn following() -> RelationParts {
        RelationParts { follows: vec![(AUTHOR, Follow::default())], ..RelationParts::default() }
    }

    #[test]
    fn each_policy_admits_its_accounts() {
        use QuotePermission::{Automatic, Denied};
        let blocked = RelationParts { blocked_by: vec![AUTHOR], ..following() };
        for (parts, expected) in [
            (RelationParts::default(), [Automatic, Denied, Denied]),
            (following(), [Automatic, Automatic, Denied]),
            (blocked, [Denied, Denied, Denied]),
        ] {
            let viewer = relations(parts);
            for visibility in [Visibility::Public, Visibility::Unlisted] {
                let asked =
                    QuotePolicy::ALL.map(|policy| permission(&viewer, AUTHOR, visibility, policy));
                assert_eq!(asked, expected);
            }
            for visibility in [Visibility::Private, Visibility::Direct] {
                let asked = permission(&viewer, AUTHOR, visibility, QuotePolicy::Public);
                assert_eq!(asked, Denied);
            }
        }
        let anonymous = ViewerRelations::default();
        assert_eq!(permission(&anonymous, AUTHOR, Visibility::Public, QuotePolicy::Public), Denied);
    }

    #[test]
    fn authors_may_quote_themselves_except_for_direct_statuses() {
        let author = relations(RelationParts::default());
        let allowed = Visibility::ALL.into_iter().filter(|visibility| {
            permission(&author, VIEWER, *visibility, QuotePolicy::Nobody)
                == QuotePermission::Automatic
        });
        let expected = [Visibility::Public, Visibility::Unlisted, Visibility::Private];
        assert_eq!(allowed.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn statuses_that_not_everyone_sees_have_the_strictest_policy() {
        for policy in QuotePolicy::ALL {
            assert_eq!(of_status(Visibility::Unlisted, policy), policy);
            assert_eq!(of_status(Visibility::Private, policy), QuotePolicy::Nobody);
            assert_eq!(of_status(Visibility::Direct, policy), QuotePolicy::Nobody);
        }
    }

    #[test]
    fn a_quote_of_a_private_status_is_private_or_direct() {
        for requested in Visibility::ALL {
            assert_eq!(visibility(Visibility::Unlisted, requested), requested);
            let narrowed = requested.max(Visibility::Private);
            assert_eq!(visibility(Visibility::Private, requested), narrowed);
        }
    }

    /// Returns the state of an accepted quote of a status of `AUTHOR` with this visibility.
    fn shown(parts: RelationParts, visibility: Visibility) -> QuoteState {
        let state = AccountState { suspended: false, silenced: false, reachable: true };
        let facts = ContentFacts {
            author: AccountFacts { id: AUTHOR, domain: Some("far.example"), state },
            visibility,
            mentions: &[],
            former_mentions: &[],
        };
        super::state(&relations(parts), QuoteState::Accepted, Some(&facts), NOW)
    }

    #[test]
    fn the_state_says_why_a_quoted_status_is_hidden() {
        let mute = |until| (AUTHOR, Mute { notifications: false, until });
        for (parts, expected) in [
            (RelationParts::default(), QuoteState::Accepted),
            (
                RelationParts { blocked_by: vec![AUTHOR], ..RelationParts::default() },
                QuoteState::Unauthorized,
            ),
            (
                RelationParts { blocks: vec![AUTHOR], ..RelationParts::default() },
                QuoteState::BlockedAccount,
            ),
            (
                RelationParts {
                    domains: vec!["far.example".to_owned()],
                    ..RelationParts::default()
                },
                QuoteState::BlockedDomain,
            ),
            (
                RelationParts { mutes: vec![mute(None)], ..RelationParts::default() },
                QuoteState::MutedAccount,
            ),
            (
                RelationParts { mutes: vec![mute(Some(NOW))], ..RelationParts::default() },
                QuoteState::Accepted,
            ),
        ] {
            assert_eq!(shown(parts.clone(), Visibility::Public), expected, "{parts:?}");
        }
        assert_eq!(shown(RelationParts::default(), Visibility::Private), QuoteState::Unauthorized);
        assert_eq!(shown(following(), Visibility::Private), QuoteState::Accepted);
    }

    #[test]
    fn only_followers_and_the_quoted_author_find_quotes_by_silenced_accounts() {
        let quoter = |silenced| {
            let state = AccountState { suspended: false, silenced, reachable: true };
            let author = AccountFacts { id: AUTHOR, domain: None, state };
            let own = ContentFacts {
                author,
                visibility: Visibility::Public,
                mentions: &[],
                former_mentions: &[],
            };
            StatusFacts { own, reblogged: None, parent: Parent::None, tags: &[], language: None }
        };
        let shows = |parts, quoted, silenced| {
            shows_in_list(&relations(parts), quoted, &quoter(silenced), NOW)
        };
        let other = AccountId::new(3);
        assert!(shows(RelationParts::default(), other, false));
        assert!(!shows(RelationParts::default(), other, true));
        assert!(shows(following(), other, true));
        assert!(shows(RelationParts::default(), VIEWER, true));
        let blocking = RelationParts { blocks: vec![AUTHOR], ..RelationParts::default() };
        assert!(!shows(blocking, VIEWER, true));
    }

    #[test]
    fn the_decision_of_the_author_and_a_deletion_come_first() {
        let viewer = relations(RelationParts::default());
        assert_eq!(state(&viewer, QuoteState::Accepted, None, NOW), QuoteState::Deleted);
        for stored in [QuoteState::Pending, QuoteState::Rejected, QuoteState::Revoked] {
            assert_eq!(state(&viewer, stored, None, NOW), stored);
        }
    }
}
