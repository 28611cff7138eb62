//! Timelines as [sources](super::pages::Source) of pages: candidates from `persistence`, decisions
//! from `policy`.

use std::{collections::HashMap, sync::Arc};

use siskin_entities::{PageRequest, Status, Timestamp, ViewerRelations, feed::Feed};
use siskin_ids::{ListId, StatusId};
use siskin_persistence::{
    Conn, feeds,
    statuses::load_candidates,
    timelines::{self as rows, Candidate, TagTimeline, TimelineFilter},
};
use siskin_policy::timelines::{
    NEAR, StatusFacts, may_show_author, shows_home, shows_list, shows_public, shows_tag,
};

use super::pages::Source;
use crate::Result;

/// The viewer of a page, with the viewer's relations in the database snapshot of the page.
pub(super) struct Viewing<'c> {
    pub(super) conn: &'c mut Conn,
    pub(super) viewer: Arc<ViewerRelations>,
    pub(super) now: Timestamp,
}

impl Viewing<'_> {
    /// Loads those of the candidates that `shows` accepts. `may_show` tells, before they are loaded,
    /// which cannot be shown.
    fn shown(
        &mut self,
        candidates: &[Candidate],
        may_show: impl Fn(&ViewerRelations, &Candidate) -> bool,
        shows: impl Fn(&ViewerRelations, &StatusFacts<'_>) -> bool,
    ) -> Result<HashMap<StatusId, Status>> {
        let (viewer, now) = (&self.viewer, self.now);
        let is_possible = |candidate: &&Candidate| {
            may_show_author(viewer, candidate.author, now) && may_show(viewer, candidate)
        };
        let entries: Vec<_> = candidates.iter().filter(is_possible).map(Candidate::entry).collect();
        let loaded = load_candidates(self.conn, &entries, viewer.viewer())?;
        let shown = loaded.into_iter().filter(|loaded| shows(viewer, &loaded.facts()));
        Ok(shown.map(|loaded| (loaded.status.body.id, loaded.status)).collect())
    }
}

/// A home or list timeline.
pub(super) struct FeedTimeline<'c> {
    pub(super) viewing: Viewing<'c>,
    pub(super) feed: Feed,
    pub(super) state: Option<feeds::State>,
}

impl Source for FeedTimeline<'_> {
    type Item = Status;
    const NEAR: usize = NEAR;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        Ok(rows::feed_candidates(self.viewing.conn, self.feed, self.state, request)?)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<HashMap<StatusId, Status>> {
        let now = self.viewing.now;
        match self.feed {
            Feed::Home(_) => self.viewing.shown(
                candidates,
                |viewer, candidate| !viewer.is_in_exclusive_list(candidate.author),
                |viewer, facts| shows_home(viewer, facts, now),
            ),
            Feed::List(_, id) => self.viewing.shown(
                candidates,
                |viewer, candidate| contains(viewer, id, candidate),
                |viewer, facts| {
                    viewer.list(id).is_some_and(|list| shows_list(viewer, list, facts, now))
                },
            ),
        }
    }
}

fn contains(viewer: &ViewerRelations, list: ListId, candidate: &Candidate) -> bool {
    viewer.list(list).is_some_and(|list| list.contains(candidate.author))
}

/// A public timeline.
pub(super) struct PublicTimeline<'c> {
    pub(super) viewing: Viewing<'c>,
    pub(super) filter: TimelineFilter,
}

impl Source for PublicTimeline<'_> {
    type Item = Status;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        Ok(rows::public(self.viewing.conn, self.filter, request)?)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<HashMap<StatusId, Status>> {
        let now = self.viewing.now;
        self.viewing.shown(
            candidates,
            |_, _| true,
            |viewer, facts| shows_public(viewer, facts, now),
        )
    }
}

/// The timeline of hashtags.
pub(super) struct HashtagTimeline<'c, 't> {
    pub(super) viewing: Viewing<'c>,
    pub(super) tags: &'t TagTimeline,
}

impl Source for HashtagTimeline<'_, '_> {
    type Item = Status;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        Ok(rows::tag(self.viewing.conn, self.tags, request)?)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<HashMap<StatusId, Status>> {
        let now = self.viewing.now;
        self.viewing.shown(candidates, |_, _| true, |viewer, facts| shows_tag(viewer, facts, now))
    }
}
