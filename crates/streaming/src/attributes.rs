//! Traits of a status that decide which public streams carry it.

use siskin_entities::{Feeds, Status, Visibility};
use siskin_persistence::timelines::Origin;

use crate::Stream;

/// Traits of a status, existing or deleted.
pub(crate) struct StatusAttributes {
    pub(crate) is_public: bool,
    pub(crate) is_reblog: bool,
    /// Whether the status replies to another account than its author.
    pub(crate) replies_to_others: bool,
    /// Whether the author is local or remote.
    pub(crate) origin: Origin,
    pub(crate) has_media: bool,
    /// Normalised names.
    pub(crate) tags: Vec<String>,
}

impl StatusAttributes {
    pub(crate) fn of(status: &Status) -> Self {
        let body = &status.body;
        let parent_author = body.in_reply_to_account_id.filter(|_| body.in_reply_to_id.is_some());
        Self {
            is_public: body.visibility == Visibility::Public,
            is_reblog: status.reblog.is_some(),
            replies_to_others: parent_author
                .is_some_and(|parent_author| parent_author != body.account.id),
            origin: if body.account.is_local() { Origin::Local } else { Origin::Remote },
            has_media: !body.attachments.is_empty(),
            tags: body.tags.iter().map(|tag| tag.name.clone()).collect(),
        }
    }

    /// Returns `true` if the public stream carries the status. Same rules as the timeline pages.
    pub(crate) fn fits(&self, stream: &Stream, feeds: Feeds) -> bool {
        if !self.is_public || self.is_reblog {
            return false;
        }
        match stream {
            Stream::Public(narrowing) => {
                let is_from_origin =
                    narrowing.origin == Origin::Anywhere || narrowing.origin == self.origin;
                let is_listed = feeds.live.lists(self.is_local());
                is_from_origin
                    && is_listed
                    && !self.replies_to_others
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
    use siskin_persistence::timelines::TimelineFilter;

    use super::*;

    fn public_status() -> StatusAttributes {
        StatusAttributes {
            is_public: true,
            is_reblog: false,
            replies_to_others: false,
            origin: Origin::Local,
            has_media: false,
            tags: vec!["birds".to_owned()],
        }
    }

    const OPEN: FeedsByOrigin =
        FeedsByOrigin { local: FeedAccess::Public, remote: FeedAccess::Authenticated };
    const FEEDS: Feeds = Feeds { live: OPEN, hashtag: OPEN };

    fn public(origin: Origin, only_media: bool) -> Stream {
        Stream::Public(TimelineFilter { origin, only_media })
    }

    fn hashtag(name: &str, local: bool) -> Stream {
        Stream::Hashtag { name: name.to_owned(), local }
    }

    #[test]
    fn a_public_status_is_in_the_public_streams_of_its_origin() {
        let attributes = public_status();
        assert!(attributes.fits(&public(Origin::Anywhere, false), FEEDS));
        assert!(attributes.fits(&public(Origin::Local, false), FEEDS));
        assert!(!attributes.fits(&public(Origin::Remote, false), FEEDS));
        assert!(!attributes.fits(&public(Origin::Anywhere, true), FEEDS));
        assert!(
            StatusAttributes { has_media: true, ..public_status() }
                .fits(&public(Origin::Local, true), FEEDS)
        );
        assert!(attributes.fits(&hashtag("birds", true), FEEDS));
        assert!(!attributes.fits(&hashtag("fish", false), FEEDS));
        let remote = StatusAttributes { origin: Origin::Remote, ..public_status() };
        assert!(
            remote.fits(&hashtag("birds", false), FEEDS)
                && !remote.fits(&hashtag("birds", true), FEEDS)
        );
    }

    #[test]
    fn replies_to_others_are_in_hashtag_streams_only() {
        let reply = StatusAttributes { replies_to_others: true, ..public_status() };
        assert!(!reply.fits(&public(Origin::Anywhere, false), FEEDS));
        assert!(reply.fits(&hashtag("birds", false), FEEDS));
    }

    #[test]
    fn private_statuses_and_reblogs_are_in_no_public_stream() {
        for attributes in [
            StatusAttributes { is_public: false, ..public_status() },
            StatusAttributes { is_reblog: true, ..public_status() },
        ] {
            assert!(!attributes.fits(&public(Origin::Anywhere, false), FEEDS));
            assert!(!attributes.fits(&hashtag("birds", false), FEEDS));
        }
    }

    #[test]
    fn disabled_origins_are_in_no_public_stream() {
        let near_only = FeedsByOrigin { remote: FeedAccess::Disabled, ..OPEN };
        let far_only = FeedsByOrigin { local: FeedAccess::Disabled, ..OPEN };
        let remote = StatusAttributes { origin: Origin::Remote, ..public_status() };
        let everything = public(Origin::Anywhere, false);
        for (live, near, far) in [(near_only, true, false), (far_only, false, true)] {
            let feeds = Feeds { live, ..FEEDS };
            assert_eq!(public_status().fits(&everything, feeds), near, "{live:?}");
            assert_eq!(remote.fits(&everything, feeds), far, "{live:?}");
            assert!(remote.fits(&hashtag("birds", false), feeds), "{live:?}");
        }
        let feeds = Feeds { hashtag: near_only, ..FEEDS };
        assert!(!remote.fits(&hashtag("birds", false), feeds));
        assert!(
            public_status().fits(&hashtag("birds", false), feeds)
                && remote.fits(&everything, feeds)
        );
    }
}
