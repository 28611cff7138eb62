//! Visibility of statuses. `persistence` implements the same rule as a query fragment; a property
//! test there checks that both agree.

use siskin_entities::Visibility;

/// Facts that decide whether a status is visible to a viewer. For anonymous viewers, all flags are
/// `false`, except for `author_active`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
pub struct VisibilityFacts {
    /// Visibility of the status.
    pub visibility: Visibility,
    /// The viewer is the author.
    pub is_own: bool,
    /// The author is neither suspended, unconfirmed nor pending approval.
    pub author_active: bool,
    /// The author blocks the viewer.
    pub author_blocks_viewer: bool,
    /// The viewer follows the author; a pending follow request does not count.
    pub viewer_follows_author: bool,
    /// The status mentions the viewer.
    pub mentions_viewer: bool,
}

/// Returns `true` if the status is visible to the viewer. A reblog is visible if both the reblog
/// and the reblogged status are.
///
/// ```
/// use siskin_entities::Visibility;
/// use siskin_policy::visibility::{VisibilityFacts, may_see};
///
/// let mentioned = VisibilityFacts {
///     visibility: Visibility::Direct,
///     is_own: false,
///     author_active: true,
///     author_blocks_viewer: false,
///     viewer_follows_author: false,
///     mentions_viewer: true,
/// };
/// assert!(may_see(mentioned));
/// assert!(!may_see(VisibilityFacts { author_blocks_viewer: true, ..mentioned }));
/// ```
#[must_use]
pub const fn may_see(facts: VisibilityFacts) -> bool {
    if facts.is_own {
        return true;
    }
    if !facts.author_active || facts.author_blocks_viewer {
        return false;
    }
    match facts.visibility {
        Visibility::Public | Visibility::Unlisted => true,
        Visibility::Private => facts.viewer_follows_author || facts.mentions_viewer,
        Visibility::Direct => facts.mentions_viewer,
    }
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
    use super::*;

    fn facts_of_stranger(visibility: Visibility) -> VisibilityFacts {
        VisibilityFacts {
            visibility,
            is_own: false,
            author_active: true,
            author_blocks_viewer: false,
            viewer_follows_author: false,
            mentions_viewer: false,
        }
    }

    fn visible_levels(change: impl Fn(VisibilityFacts) -> VisibilityFacts) -> Vec<Visibility> {
        Visibility::ALL.into_iter().filter(|v| may_see(change(facts_of_stranger(*v)))).collect()
    }

    #[test]
    fn each_visibility_has_its_audience() {
        use Visibility::{Private, Public, Unlisted};
        assert_eq!(visible_levels(|facts| facts), [Public, Unlisted]);
        assert_eq!(
            visible_levels(|facts| VisibilityFacts { viewer_follows_author: true, ..facts }),
            [Public, Unlisted, Private]
        );
        assert_eq!(
            visible_levels(|facts| VisibilityFacts { mentions_viewer: true, ..facts }),
            Visibility::ALL
        );
        assert_eq!(
            visible_levels(|facts| VisibilityFacts { is_own: true, ..facts }),
            Visibility::ALL
        );
    }

    #[test]
    fn blocked_viewers_and_viewers_of_inactive_authors_see_nothing() {
        let close =
            |facts| VisibilityFacts { viewer_follows_author: true, mentions_viewer: true, ..facts };
        assert_eq!(
            visible_levels(|facts| VisibilityFacts { author_blocks_viewer: true, ..close(facts) }),
            []
        );
        assert_eq!(
            visible_levels(|facts| VisibilityFacts { author_active: false, ..close(facts) }),
            []
        );
        let own = |facts| VisibilityFacts { is_own: true, author_active: false, ..facts };
        assert_eq!(visible_levels(own), Visibility::ALL);
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
}
