//! Timelines as [sources](crate::pages::Source) of pages: candidates from `persistence`, decisions
//! from `policy`.

use std::{collections::HashMap, sync::Arc};

use siskin_entities::{PageRequest, Status, Timestamp, ViewerRelations, feed::Feed};
use siskin_persistence::{
    Conn, feeds,
    statuses::{Entry, load_candidates},
    timelines::{self as rows, Candidate, TagTimeline, TimelineFilter},
};
use siskin_policy::timelines::{
    NEAR, StatusFacts, may_show_author, shows_home, shows_list, shows_public, shows_tag,
};

use crate::{
    Result,
    pages::{self, Source},
};

impl pages::Candidate for Candidate {
    fn id(&self) -> i64 {
        self.id.get()
    }

    fn repeats(&self, below: &Self) -> bool {
        self.reblog_of == Some(below.displayed())
    }
}

/// The viewer of a page, with the viewer's relations in the database snapshot of the page.
pub(super) struct Viewing<'c> {
    pub(super) conn: &'c mut Conn,
    pub(super) viewer: Arc<ViewerRelations>,
    pub(super) now: Timestamp,
}

impl Viewing<'_> {
    /// Returns `false` if the author of the candidate is hidden from the viewer.
    fn may_show(&self, candidate: &Candidate) -> bool {
        may_show_author(&self.viewer, candidate.author, self.now)
    }

    /// Loads those of the candidates that `shows` accepts.
    fn shown(
        &mut self,
        candidates: &[Candidate],
        shows: impl Fn(&ViewerRelations, &StatusFacts<'_>, Timestamp) -> bool,
    ) -> Result<HashMap<i64, Status>> {
        let (viewer, now) = (&self.viewer, self.now);
        let entries: Vec<Entry> = candidates.iter().map(Candidate::entry).collect();
        let loaded = load_candidates(self.conn, &entries, viewer.viewer())?;
        let shown = loaded.into_iter().filter(|loaded| shows(viewer, &loaded.facts(), now));
        Ok(shown.map(|loaded| (loaded.status.body.id.get(), loaded.status)).collect())
    }
}

/// A home or list timeline.
pub(super) struct FeedTimeline<'c> {
    pub(super) viewing: Viewing<'c>,
    pub(super) feed: Feed,
    pub(super) state: Option<feeds::State>,
}

impl Source for FeedTimeline<'_> {
    type Candidate = Candidate;
    type Item = Status;
    const NEAR: usize = NEAR;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        Ok(rows::feed_candidates(self.viewing.conn, self.feed, self.state, request)?)
    }

    fn may_show(&self, candidate: &Candidate) -> bool {
        let viewer = &self.viewing.viewer;
        let is_possible = match self.feed {
            Feed::Home(_) => !viewer.is_in_exclusive_list(candidate.author),
            Feed::List(_, id) => {
                viewer.list(id).is_some_and(|list| list.contains(candidate.author))
            }
        };
        is_possible && self.viewing.may_show(candidate)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<HashMap<i64, Status>> {
        match self.feed {
            Feed::Home(_) => self.viewing.shown(candidates, shows_home),
            Feed::List(_, id) => self.viewing.shown(candidates, |viewer, facts, now| {
                viewer.list(id).is_some_and(|list| shows_list(viewer, list, facts, now))
            }),
        }
    }
}

/// A public timeline.
pub(super) struct PublicTimeline<'c> {
    pub(super) viewing: Viewing<'c>,
    pub(super) filter: TimelineFilter,
}

impl Source for PublicTimeline<'_> {
    type Candidate = Candidate;
    type Item = Status;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        Ok(rows::public(self.viewing.conn, self.filter, request)?)
    }

    fn may_show(&self, candidate: &Candidate) -> bool {
        self.viewing.may_show(candidate)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<HashMap<i64, Status>> {
        self.viewing.shown(candidates, shows_public)
    }
}

/// The timeline of hashtags.
pub(super) struct HashtagTimeline<'c, 't> {
    pub(super) viewing: Viewing<'c>,
    pub(super) tags: &'t TagTimeline,
}

impl Source for HashtagTimeline<'_, '_> {
    type Candidate = Candidate;
    type Item = Status;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        Ok(rows::tag(self.viewing.conn, self.tags, request)?)
    }

    fn may_show(&self, candidate: &Candidate) -> bool {
        self.viewing.may_show(candidate)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<HashMap<i64, Status>> {
        self.viewing.shown(candidates, shows_tag)
    }
}
