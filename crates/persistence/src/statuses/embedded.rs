//! Puts statuses into those that embed them: the reblogged status into a reblog, and the quoted one
//! into a quote.

use std::sync::Arc;

use siskin_entities::{
    Quote, QuoteState, Status, StatusBody, Timestamp, ViewerRelations, ViewerState,
};
use siskin_ids::StatusId;
use siskin_policy::{quotes, visibility::ContentFacts};

use crate::IdMap;

/// The statuses that a status embeds, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Embeds {
    pub(super) reblog_of: Option<StatusId>,
    /// The decision of the quoted author; `None` if the status is no quote.
    pub(super) quote: Option<QuoteState>,
    /// `None` also if the quoted status was deleted.
    pub(super) quote_of: Option<StatusId>,
}

/// Statuses of one load, each with the ids of those that it embeds.
pub(super) struct Embedder {
    /// `None` if the viewer is not known yet.
    viewer: Option<Arc<ViewerRelations>>,
    now: Timestamp,
    bodies: IdMap<StatusId, (StatusBody, Embeds)>,
}

/// Whether the quote inside of a quoted status is shown, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Outer,
    Inner,
}

impl Embedder {
    pub(super) fn new(viewer: Option<Arc<ViewerRelations>>, now: Timestamp) -> Self {
        Self { viewer, now, bodies: IdMap::default() }
    }

    pub(super) fn add(&mut self, id: StatusId, body: StatusBody, embeds: Embeds) {
        self.bodies.insert(id, (body, embeds));
    }

    /// Returns the status with all that it embeds. Returns `None` if it, or the status that it
    /// reblogs, is not there.
    pub(super) fn status(&self, id: StatusId) -> Option<Status> {
        let (_, embeds) = self.bodies.get(&id)?;
        let mut body = self.body(id)?;
        let Some(inner) = embeds.reblog_of else { return Some(Status { body, reblog: None }) };
        let inner = self.body(inner)?;
        // A viewer acts on the reblogged status instead of the reblog. A reblog cannot be pinned.
        body.viewer = inner.viewer.clone().map(|viewer| ViewerState { pinned: None, ..viewer });
        body.quote_approval = inner.quote_approval;
        Some(Status { body, reblog: Some(Box::new(inner)) })
    }

    fn body(&self, id: StatusId) -> Option<StatusBody> {
        let (body, embeds) = self.bodies.get(&id)?;
        Some(StatusBody { quote: self.quote(embeds, Depth::Outer), ..body.clone() })
    }

    fn quote(&self, embeds: &Embeds, depth: Depth) -> Option<Quote> {
        let stored = embeds.quote?;
        let quoted = embeds.quote_of.and_then(|id| self.bodies.get(&id));
        let state = self.state(stored, quoted.map(|(body, _)| body));
        let shown = quoted.filter(|_| state.shows_status()).map(|(body, embeds)| StatusBody {
            quote: match depth {
                Depth::Outer => self.quote(embeds, Depth::Inner),
                Depth::Inner => None,
            },
            ..body.clone()
        });
        Some(Quote { state, status: shown.map(Box::new) })
    }

    fn state(&self, stored: QuoteState, quoted: Option<&StatusBody>) -> QuoteState {
        match &self.viewer {
            Some(viewer) => {
                let facts = quoted.map(ContentFacts::of);
                quotes::state(viewer, stored, facts.as_ref(), self.now)
            }
            None if stored == QuoteState::Accepted && quoted.is_none() => QuoteState::Deleted,
            None => stored,
        }
    }
}
