//! Traits of a status that decide which public streams carry it.

use siskin_entities::{Feeds, Status, Visibility};
use siskin_persistence::timelines::Origin;

use crate::Stream;

/// Traits of a status, existing or deleted.
pub(crate) struct Traits {
    pub(crate) is_public: bool,
    pub(crate) is_reblog: bool,
    /// Whether the status replies to another account than its author.
    pub(crate) answers_others: bool,
    /// Whether the author is local or remote.
    pub(crate) origin: Origin,
    pub(crate) has_media: bool,
    /// Normalised names.
    pub(crate) tags: Vec<String>,
}

impl Traits {
    pub(crate) fn of(status: &Status) -> Self {
        let body = &status.body;
        let answered = body.in_reply_to_account_id.filter(|_| body.in_reply_to_id.is_some());
        Self {
            is_public: body.visibility == Visibility::Public,
            is_reblog: status.reblog.is_some(),
            answers_others: answered.is_some_and(|answered| answered != body.account.id),
            origin: if body.account.is_local() { Origin::Local } else { Origin::Remote },
            has_media: !body.attachments.is_empty(),
            tags: body.tags.iter().map(|tag| tag.name.clone()).collect(),
        }
    }

    /// Returns `true` if the public stream carries the status. Same rules as the timeline pages.
    pub(crate) fn fit(&self, stream: &Stream, feeds: Feeds) -> bool {
        if !self.is_public || self.is_reblog {
            return false;
        }
        match stream {
            Stream::Public(narrowing) => {
                let from_there =
                    narrowing.origin == Origin::Anywhere || narrowing.origin == self.origin;
                let is_listed = feeds.live.lists(self.is_local());
                from_there
                    && is_listed
                    && !self.answers_others
                    && (self.has_media || !narrowing.only_media)
            }
            Stream::Hashtag { name, local } => {
                let is_listed = feeds.hashtag.lists(self.is_local());
                is_listed && self.tags.contains(name) && (!local || self.is_local())
            }
            Stream::User | Stream::Notifications | Stream::List(_) | Stream::Direct => false,
        }
    }

    fn is_local(&self) -> bool {
        self.origin == Origin::Local
    }
}

#[cfg(test)]
mod tests {
    use siskin_entities::{FeedsByOrigin, settings::FeedAccess};
    use siskin_persistence::timelines::Narrowing;

    use super::*;

    fn plain() -> Traits {
        Traits {
            is_public: true,
            is_reblog: false,
            answers_others: false,
            origin: Origin::Local,
            has_media: false,
            tags: vec!["birds".to_owned()],
        }
    }

    const OPEN: FeedsByOrigin =
        FeedsByOrigin { local: FeedAccess::Public, remote: FeedAccess::Authenticated };
    const FEEDS: Feeds = Feeds { live: OPEN, hashtag: OPEN };

    fn public(origin: Origin, only_media: bool) -> Stream {
        Stream::Public(Narrowing { origin, only_media })
    }

    fn hashtag(name: &str, local: bool) -> Stream {
        Stream::Hashtag { name: name.to_owned(), local }
    }

    #[test]
    fn a_public_status_is_for_the_public_streams_of_its_origin() {
        let traits = plain();
        assert!(traits.fit(&public(Origin::Anywhere, false), FEEDS));
        assert!(traits.fit(&public(Origin::Local, false), FEEDS));
        assert!(!traits.fit(&public(Origin::Remote, false), FEEDS));
        assert!(!traits.fit(&public(Origin::Anywhere, true), FEEDS));
        assert!(Traits { has_media: true, ..plain() }.fit(&public(Origin::Local, true), FEEDS));
        assert!(traits.fit(&hashtag("birds", true), FEEDS));
        assert!(!traits.fit(&hashtag("fish", false), FEEDS));
        let remote = Traits { origin: Origin::Remote, ..plain() };
        assert!(
            remote.fit(&hashtag("birds", false), FEEDS)
                && !remote.fit(&hashtag("birds", true), FEEDS)
        );
    }

    #[test]
    fn answers_to_others_are_for_hashtags_alone() {
        let answer = Traits { answers_others: true, ..plain() };
        assert!(!answer.fit(&public(Origin::Anywhere, false), FEEDS));
        assert!(answer.fit(&hashtag("birds", false), FEEDS));
    }

    #[test]
    fn what_is_not_public_or_repeats_is_for_none() {
        for traits in
            [Traits { is_public: false, ..plain() }, Traits { is_reblog: true, ..plain() }]
        {
            assert!(!traits.fit(&public(Origin::Anywhere, false), FEEDS));
            assert!(!traits.fit(&hashtag("birds", false), FEEDS));
        }
    }

    #[test]
    fn what_the_operator_does_not_list_is_for_no_public_stream() {
        let near_only = FeedsByOrigin { remote: FeedAccess::Disabled, ..OPEN };
        let far_only = FeedsByOrigin { local: FeedAccess::Disabled, ..OPEN };
        let remote = Traits { origin: Origin::Remote, ..plain() };
        let everything = public(Origin::Anywhere, false);
        for (live, near, far) in [(near_only, true, false), (far_only, false, true)] {
            let feeds = Feeds { live, ..FEEDS };
            assert_eq!(plain().fit(&everything, feeds), near, "{live:?}");
            assert_eq!(remote.fit(&everything, feeds), far, "{live:?}");
            assert!(remote.fit(&hashtag("birds", false), feeds), "{live:?}");
        }
        let feeds = Feeds { hashtag: near_only, ..FEEDS };
        assert!(!remote.fit(&hashtag("birds", false), feeds));
        assert!(plain().fit(&hashtag("birds", false), feeds) && remote.fit(&everything, feeds));
    }
}
