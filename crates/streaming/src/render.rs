//! Renders stream payloads. A payload that is the same for several viewers is rendered once.

use std::sync::Arc;

use siskin_entities::{
    Conversation, FilterContext, FilterSet, Marked, Notification, Sight, Status, Timestamp, Urls,
    filters::FilterResult,
};
use siskin_ids::AccountId;
use siskin_wire::pieces::{self, Pieces};

use crate::News;

/// Renders entities as JSON payloads.
pub(crate) struct Words<'a>(Pieces<'a>);

impl<'a> Words<'a> {
    pub(crate) const fn new(urls: &'a Urls, now: Timestamp) -> Self {
        Self(Pieces { urls, now })
    }

    /// Renders a status as JSON.
    pub(crate) fn status(&self, status: &Marked<Status>) -> String {
        let mut out = Vec::new();
        pieces::write_status(&mut out, status, &self.0);
        text(out)
    }

    /// Renders a conversation as JSON.
    pub(crate) fn conversation(&self, conversation: &Marked<Conversation>) -> String {
        let mut out = Vec::new();
        pieces::write_conversation(&mut out, conversation, &self.0);
        text(out)
    }

    /// Renders a notification as JSON.
    pub(crate) fn notification(&self, notification: &Marked<Notification>) -> String {
        let mut out = Vec::new();
        pieces::write_notification(&mut out, notification, &self.0);
        text(out)
    }
}

fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).expect("JSON is written as UTF-8")
}

/// Rendered versions of one status. Viewers with the same version share it.
pub(crate) struct Versions<'s, 'k> {
    status: &'s Status,
    words: &'k Words<'k>,
    id: i64,
    event: &'static str,
    made: Vec<(Version, Arc<News>)>,
}

/// Everything in which versions of a status differ.
#[derive(Debug, PartialEq, Eq)]
struct Version {
    sight: Sight,
    /// The author sees a poll differently, even if everything else is the same.
    is_author: bool,
    /// Results of the viewer's filters.
    filtered: Vec<FilterResult>,
}

impl<'s, 'k> Versions<'s, 'k> {
    pub(crate) fn new(
        status: &'s Status,
        words: &'k Words<'k>,
        id: i64,
        event: &'static str,
    ) -> Self {
        Self { status, words, id, event, made: Vec::new() }
    }

    /// Returns the version for a viewer with these filters, in the filter context of the stream.
    pub(crate) fn of(
        &mut self,
        reader: AccountId,
        sight: &Sight,
        filters: &FilterSet,
        context: FilterContext,
    ) -> Arc<News> {
        let now = self.words.0.now;
        let version = Version {
            sight: sight.clone(),
            is_author: self.status.shown().account.id == reader,
            filtered: filters.results(context, now, self.status),
        };
        if let Some((_, news)) = self.made.iter().find(|(made, _)| *made == version) {
            return Arc::clone(news);
        }
        let seen = filters.mark(context, now, self.status.seen_by(reader, sight));
        let payload = Some(self.words.status(&seen));
        let news = Arc::new(News::new(self.id, self.event, payload));
        self.made.push((version, Arc::clone(&news)));
        news
    }
}
