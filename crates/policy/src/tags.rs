//! Which hashtags a search finds.

use siskin_entities::Review;

/// Facts about a hashtag that a search may find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagFacts {
    /// Decision of a moderator.
    pub review: Review,
    /// The viewer typed its full name.
    pub is_named: bool,
    /// It occurs in a public or unlisted status.
    pub is_public: bool,
    /// The viewer follows or features it.
    pub is_own: bool,
}

/// Returns `true` if a search finds the hashtag. With `exclude_unreviewed`, a hashtag that no
/// moderator approved is found by its full name only. A hashtag without public statuses is found
/// only by accounts that follow or feature it, because the result would reveal its use in a private
/// status.
#[must_use]
pub const fn shows_in_search(tag: &TagFacts, exclude_unreviewed: bool) -> bool {
    let is_admitted = match tag.review {
        Review::Approved => true,
        Review::Unreviewed => !exclude_unreviewed || tag.is_named,
        Review::Rejected => false,
    };
    is_admitted && (tag.is_public || tag.is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_review_the_name_and_the_uses_decide() {
        use Review::{Approved, Rejected, Unreviewed};
        // Review, full name, public, own; found by default, and without unreviewed ones.
        for (review, [is_named, is_public, is_own], expected) in [
            (Approved, [false, true, false], [true, true]),
            (Approved, [true, false, false], [false, false]),
            (Approved, [false, false, true], [true, true]),
            (Unreviewed, [false, true, false], [true, false]),
            (Unreviewed, [true, true, false], [true, true]),
            (Unreviewed, [true, false, true], [true, true]),
            (Unreviewed, [true, false, false], [false, false]),
            (Rejected, [true, true, true], [false, false]),
        ] {
            let tag = TagFacts { review, is_named, is_public, is_own };
            let found = [false, true].map(|exclude| shows_in_search(&tag, exclude));
            assert_eq!(found, expected, "{tag:?}");
        }
    }
}
