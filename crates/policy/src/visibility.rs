//! Visibility of statuses. `persistence` implements the same rule as a query fragment; a property
//! test there checks that both agree.

use siskin_entities::Visibility;

/// Facts that decide whether a status is visible to a viewer. For anonymous viewers, all flags are
/// `false`, except for `author_in_good_standing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
pub struct Sight {
    pub visibility: Visibility,
    /// The viewer is the author.
    pub is_own: bool,
    /// The author is neither suspended, unconfirmed nor pending approval.
    pub author_in_good_standing: bool,
    /// The author blocks the viewer.
    pub author_blocks_reader: bool,
    /// The viewer follows the author; a pending follow request does not count.
    pub reader_follows_author: bool,
    /// The status mentions the viewer.
    pub names_reader: bool,
}

/// Returns `true` if the status is visible to the viewer. A reblog is visible if both the reblog
/// and the reblogged status are.
#[must_use]
pub const fn may_see(sight: Sight) -> bool {
    if sight.is_own {
        return true;
    }
    if !sight.author_in_good_standing || sight.author_blocks_reader {
        return false;
    }
    match sight.visibility {
        Visibility::Public | Visibility::Unlisted => true,
        Visibility::Private => sight.reader_follows_author || sight.names_reader,
        Visibility::Direct => sight.names_reader,
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

/// Returns the visibility of a reblog that was requested as `asked`, which must not be direct. A
/// reblog must not be visible to more accounts than the reblogged status.
#[must_use]
pub const fn of_reblog(of: Visibility, asked: Visibility) -> Visibility {
    if of.is_open() { asked } else { of }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stranger(visibility: Visibility) -> Sight {
        Sight {
            visibility,
            is_own: false,
            author_in_good_standing: true,
            author_blocks_reader: false,
            reader_follows_author: false,
            names_reader: false,
        }
    }

    fn seen(change: impl Fn(Sight) -> Sight) -> Vec<Visibility> {
        Visibility::ALL.into_iter().filter(|v| may_see(change(stranger(*v)))).collect()
    }

    #[test]
    fn each_visibility_has_its_audience() {
        use Visibility::{Private, Public, Unlisted};
        assert_eq!(seen(|sight| sight), [Public, Unlisted]);
        assert_eq!(
            seen(|sight| Sight { reader_follows_author: true, ..sight }),
            [Public, Unlisted, Private]
        );
        assert_eq!(seen(|sight| Sight { names_reader: true, ..sight }), Visibility::ALL);
        assert_eq!(seen(|sight| Sight { is_own: true, ..sight }), Visibility::ALL);
    }

    #[test]
    fn blocked_readers_and_readers_of_frozen_authors_see_nothing() {
        let close = |sight| Sight { reader_follows_author: true, names_reader: true, ..sight };
        assert_eq!(seen(|sight| Sight { author_blocks_reader: true, ..close(sight) }), []);
        assert_eq!(seen(|sight| Sight { author_in_good_standing: false, ..close(sight) }), []);
        let own = |sight| Sight { is_own: true, author_in_good_standing: false, ..sight };
        assert_eq!(seen(own), Visibility::ALL);
    }

    #[test]
    fn a_reblog_opens_nothing() {
        for of in Visibility::ALL {
            for asked in [Visibility::Public, Visibility::Unlisted, Visibility::Private] {
                let reblog = of_reblog(of, asked);
                assert!(of.is_open() || reblog >= of, "{of:?} {asked:?}");
            }
        }
        assert!(may_reblog(Visibility::Private, true));
        assert!(!may_reblog(Visibility::Private, false));
        assert!(!may_reblog(Visibility::Direct, true));
    }
}
