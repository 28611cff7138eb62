//! Renders stream payloads. A payload that is the same for several viewers is rendered once.

use std::sync::Arc;

use siskin_entities::{
    Conversation, FilterContext, FilterSet, Marked, Notification, ShownAnnouncement, Status,
    Timestamp, Urls, ViewerDetails, filters::FilterResult,
};
use siskin_ids::AccountId;
use siskin_wire::{
    announcement::{self, ReactionEvent},
    pieces::{self, Pieces},
};

use crate::Message;

const SERIALIZES: &str = "entities always serialize as JSON";

/// Renders entities as JSON payloads.
pub(crate) struct Renderer<'a>(Pieces<'a>);

impl<'a> Renderer<'a> {
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

    /// Renders an announcement as JSON, without the fields of a viewer.
    pub(crate) fn announcement(&self, shown: &ShownAnnouncement) -> String {
        serde_json::to_string(&announcement::render(shown, self.0.urls)).expect(SERIALIZES)
    }

    /// Renders the number of reactions to an announcement with one emoji as JSON.
    pub(crate) fn reaction(event: &ReactionEvent) -> String {
        serde_json::to_string(event).expect(SERIALIZES)
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
pub(crate) struct RenderedVersions<'s, 'k> {
    status: &'s Status,
    renderer: &'k Renderer<'k>,
    id: i64,
    event: &'static str,
    rendered: Vec<(Version, Arc<Message>)>,
}

/// Everything in which versions of a status differ.
#[derive(Debug, PartialEq, Eq)]
struct Version {
    details: ViewerDetails,
    /// The author sees a poll differently, even if everything else is the same.
    is_author: bool,
    /// Results of the viewer's filters for the status, and for the status that it quotes.
    filtered: [Vec<FilterResult>; 2],
}

impl<'s, 'k> RenderedVersions<'s, 'k> {
    pub(crate) fn new(
        status: &'s Status,
        renderer: &'k Renderer<'k>,
        id: i64,
        event: &'static str,
    ) -> Self {
        Self { status, renderer, id, event, rendered: Vec::new() }
    }

    /// Returns the version for a viewer with these filters, in the filter context of the stream.
    pub(crate) fn of(
        &mut self,
        viewer: AccountId,
        details: &ViewerDetails,
        filters: &FilterSet,
        context: FilterContext,
    ) -> Arc<Message> {
        let now = self.renderer.0.now;
        let quoted = self.status.displayed().quoted();
        let version = Version {
            details: details.clone(),
            is_author: self.status.displayed().account.id == viewer,
            filtered: [
                filters.results(context, now, self.status),
                quoted.map_or_else(Vec::new, |quoted| filters.results(context, now, quoted)),
            ],
        };
        if let Some((_, message)) = self.rendered.iter().find(|(rendered, _)| *rendered == version)
        {
            return Arc::clone(message);
        }
        let marked = filters.mark(context, now, self.status.for_viewer(viewer, details));
        let payload = Some(self.renderer.status(&marked));
        let message = Arc::new(Message::new(self.id, self.event, payload));
        self.rendered.push((version, Arc::clone(&message)));
        message
    }
}
