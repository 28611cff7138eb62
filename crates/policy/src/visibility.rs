//! Visibility of statuses: who may see a status, and who may reblog it.

use siskin_entities::{
    Account, AccountState, StatusBody, Timestamp, ViewerRelations, Visibility, status::Mention,
};
use siskin_ids::AccountId;

/// Facts about an account that decide whether it is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountFacts<'a> {
    /// Id of the account.
    pub id: AccountId,
    /// Domain of its server; `None` for a local account.
    pub domain: Option<&'a str>,
    /// Restrictions by the server.
    pub state: AccountState,
}

impl<'a> AccountFacts<'a> {
    /// Returns the facts of a loaded account.
    #[must_use]
    pub fn of(account: &'a Account) -> Self {
        Self { id: account.id, domain: account.domain.as_deref(), state: account.state }
    }

    /// Returns `true` if the account is neither suspended, nor unconfirmed, nor pending approval.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        !self.state.suspended && self.state.reachable
    }
}

/// Facts about a status that decide whether it is visible, without the status that it reblogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentFacts<'a> {
    /// Author of the status.
    pub author: AccountFacts<'a>,
    /// Visibility that the author chose.
    pub visibility: Visibility,
    /// Accounts that the current version mentions.
    pub mentions: &'a [Mention],
    /// Accounts that only an earlier version mentioned.
    pub former_mentions: &'a [AccountId],
}

impl<'a> ContentFacts<'a> {
    /// Returns the facts of a loaded status or reblog.
    #[must_use]
    pub fn of(body: &'a StatusBody) -> Self {
        Self {
            author: AccountFacts::of(&body.account),
            visibility: body.visibility,
            mentions: &body.mentions,
            former_mentions: &body.former_mentions,
        }
    }

    /// Returns `true` if any version of the status mentions the account.
    #[must_use]
    pub fn ever_mentioned(&self, account: AccountId) -> bool {
        self.mentions.iter().any(|mention| mention.account_id == account)
            || self.former_mentions.contains(&account)
    }
}

/// Returns `true` if the account is visible to the viewer: it is active and does not block the
/// viewer.
#[must_use]
pub fn may_see_account(viewer: &ViewerRelations, account: &AccountFacts<'_>) -> bool {
    account.is_active() && !viewer.is_blocked_by(account.id)
}

/// Returns `true` if the status is visible to the viewer. Authors see all their statuses. A reblog
/// is visible if both the reblog and the reblogged status are; [`may_see_whole`] checks both.
///
/// ```
/// use siskin_entities::{AccountState, RelationParts, ViewerRelations, Visibility};
/// use siskin_ids::AccountId;
/// use siskin_policy::visibility::{AccountFacts, ContentFacts, may_see};
///
/// let (viewer, author) = (AccountId::new(1), AccountId::new(2));
/// let state = AccountState { suspended: false, silenced: false, reachable: true };
/// let direct = ContentFacts {
///     author: AccountFacts { id: author, domain: None, state },
///     visibility: Visibility::Direct,
///     mentions: &[],
///     former_mentions: &[viewer],
/// };
/// let relations = ViewerRelations::of(viewer, RelationParts::default());
/// assert!(may_see(&relations, &direct));
/// let blocked = RelationParts { blocked_by: vec![author], ..RelationParts::default() };
/// assert!(!may_see(&ViewerRelations::of(viewer, blocked), &direct));
/// ```
#[must_use]
pub fn may_see(viewer: &ViewerRelations, status: &ContentFacts<'_>) -> bool {
    let author = &status.author;
    if viewer.is_viewer(author.id) {
        return true;
    }
    if !may_see_account(viewer, author) {
        return false;
    }
    let is_mentioned = || viewer.viewer().is_some_and(|account| status.ever_mentioned(account));
    match status.visibility {
        Visibility::Public | Visibility::Unlisted => true,
        Visibility::Private => viewer.follows(author.id) || is_mentioned(),
        Visibility::Direct => is_mentioned(),
    }
}

/// Returns `true` if a status or reblog is visible to the viewer with the status that it reblogs.
#[must_use]
pub fn may_see_whole(
    viewer: &ViewerRelations,
    own: &ContentFacts<'_>,
    reblogged: Option<&ContentFacts<'_>>,
) -> bool {
    may_see(viewer, own) && reblogged.is_none_or(|content| may_see(viewer, content))
}

/// Returns `true` if the viewer blocks or mutes the account, or blocks its domain. Timelines and
/// lists of accounts hide such accounts.
#[must_use]
pub fn hides(
    viewer: &ViewerRelations,
    account: AccountId,
    domain: Option<&str>,
    now: Timestamp,
) -> bool {
    viewer.blocks(account, domain) || viewer.mute(account, now).is_some()
}

/// Returns `true` if a list of accounts shows the account: it is visible, and the viewer does not
/// hide it.
#[must_use]
pub fn shows_in_list(viewer: &ViewerRelations, account: &AccountFacts<'_>, now: Timestamp) -> bool {
    may_see_account(viewer, account) && !hides(viewer, account.id, account.domain, now)
}

/// Returns `true` if an account may reblog a status that is visible to it. Only the author may
/// reblog a private status. Direct statuses cannot be reblogged.
#[must_use]
pub const fn may_reblog(visibility: Visibility, is_own: bool) -> bool {
    match visibility {
        Visibility::Public | Visibility::Unlisted => true,
        Visibility::Private => is_own,
        Visibility::Direct => false,
    }
}

/// Returns the visibility of a reblog that was requested as `requested`, which must not be direct.
/// A reblog must not be visible to more accounts than the reblogged status.
#[must_use]
pub const fn of_reblog(of: Visibility, requested: Visibility) -> Visibility {
    if of.is_open() { requested } else { of }
}

#[cfg(test)]
mod tests {
    use siskin_entities::{
        RelationParts,
        relationship::{Follow, Mute},
    };

    use super::*;

    const VIEWER: AccountId = AccountId::new(1);
    const AUTHOR: AccountId = AccountId::new(2);

    /// Returns the visibilities with which the viewer sees a status of `AUTHOR`.
    fn visible(
        parts: RelationParts,
        change: impl Fn(ContentFacts<'static>) -> ContentFacts<'static>,
    ) -> Vec<Visibility> {
        let viewer = ViewerRelations::of(VIEWER, parts);
        let facts = |visibility| ContentFacts {
            author: AccountFacts {
                id: AUTHOR,
                domain: None,
                state: AccountState { suspended: false, silenced: false, reachable: true },
            },
            visibility,
            mentions: &[],
            former_mentions: &[],
        };
        let is_visible = |one: &Visibility| may_see(&viewer, &change(facts(*one)));
        Visibility::ALL.into_iter().filter(is_visible).collect()
    }

    fn following() -> RelationParts {
        RelationParts { follows: vec![(AUTHOR, Follow::default())], ..RelationParts::default() }
    }

    #[test]
    fn each_visibility_has_its_audience() {
        use Visibility::{Private, Public, Unlisted};
        let stranger = RelationParts::default();
        assert_eq!(visible(stranger.clone(), |facts| facts), [Public, Unlisted]);
        assert_eq!(visible(following(), |facts| facts), [Public, Unlisted, Private]);
        let mentioned = |facts| ContentFacts { former_mentions: &[VIEWER], ..facts };
        assert_eq!(visible(stranger.clone(), mentioned), Visibility::ALL);
        let own = |facts: ContentFacts<'static>| {
            let author = AccountFacts { id: VIEWER, ..facts.author };
            ContentFacts { author, ..facts }
        };
        assert_eq!(visible(stranger, own), Visibility::ALL);
    }

    #[test]
    fn blocked_viewers_and_viewers_of_inactive_authors_see_nothing() {
        let mentioned = |facts| ContentFacts { former_mentions: &[VIEWER], ..facts };
        let blocked = RelationParts { blocked_by: vec![AUTHOR], ..following() };
        assert_eq!(visible(blocked, mentioned), []);
        for (suspended, reachable) in [(true, true), (false, false)] {
            let state = AccountState { suspended, reachable, silenced: false };
            let inactive = |facts: ContentFacts<'static>| {
                let facts = mentioned(facts);
                ContentFacts { author: AccountFacts { state, ..facts.author }, ..facts }
            };
            assert_eq!(visible(following(), inactive), []);
        }
    }

    #[test]
    fn a_reblog_is_never_more_visible_than_the_status() {
        for of in Visibility::ALL {
            for requested in [Visibility::Public, Visibility::Unlisted, Visibility::Private] {
                let reblog = of_reblog(of, requested);
                assert!(of.is_open() || reblog >= of, "{of:?} {requested:?}");
            }
        }
        assert!(may_reblog(Visibility::Private, true));
        assert!(!may_reblog(Visibility::Private, false));
        assert!(!may_reblog(Visibility::Direct, true));
    }

    #[test]
    fn lists_of_accounts_hide_blocks_in_both_directions_and_mutes() {
        let mute = Mute { notifications: false, until: None };
        let account = |state| AccountFacts { id: AUTHOR, domain: Some("far.example"), state };
        let active = AccountState { suspended: false, silenced: false, reachable: true };
        for (parts, expected) in [
            (following(), true),
            (RelationParts { blocks: vec![AUTHOR], ..following() }, false),
            (RelationParts { blocked_by: vec![AUTHOR], ..following() }, false),
            (RelationParts { mutes: vec![(AUTHOR, mute)], ..following() }, false),
            (RelationParts { domains: vec!["far.example".to_owned()], ..following() }, false),
        ] {
            let viewer = ViewerRelations::of(VIEWER, parts.clone());
            let shown = shows_in_list(&viewer, &account(active), Timestamp::from_unix_ms(0));
            assert_eq!(shown, expected, "{parts:?}");
        }
        let viewer = ViewerRelations::of(VIEWER, following());
        for state in [
            AccountState { suspended: true, ..active },
            AccountState { reachable: false, ..active },
        ] {
            assert!(!shows_in_list(&viewer, &account(state), Timestamp::from_unix_ms(0)));
        }
    }
}
