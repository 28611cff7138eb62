//! Timelines as [sources](crate::pages::Source) of pages: candidates from `persistence`, decisions
//! from `policy`.

use siskin_entities::{PageRequest, Status, feed::Feed};
use siskin_ids::{PreviewCardId, StatusId};
use siskin_persistence::{
    PageGuess, feeds,
    timelines::{self as rows, Candidate, TagTimeline, TimelineFilter},
};
use siskin_policy::timelines::{NEAR, shows_home, shows_list, shows_public, shows_tag};

use crate::{
    Result,
    pages::{self, ById, Source},
    viewing::{GuessedPage, Viewing},
};

impl pages::Candidate for Candidate {
    fn id(&self) -> i64 {
        self.id.get()
    }

    fn reblog_of(&self) -> Option<i64> {
        self.reblog_of.map(StatusId::get)
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
        is_possible && self.viewing.may_show_author(candidate.author)
    }

    fn hidden_guess(&self) -> PageGuess {
        self.viewing.hidden_guess(match self.feed {
            Feed::Home(_) => GuessedPage::Home,
            Feed::List(_, id) => GuessedPage::List(id),
        })
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<ById<Status>> {
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
        self.viewing.may_show_author(candidate.author)
    }

    fn hidden_guess(&self) -> PageGuess {
        self.viewing.hidden_guess(GuessedPage::Public)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<ById<Status>> {
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
        self.viewing.may_show_author(candidate.author)
    }

    fn hidden_guess(&self) -> PageGuess {
        self.viewing.hidden_guess(GuessedPage::Hashtag)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<ById<Status>> {
        self.viewing.shown(candidates, shows_tag)
    }
}

/// The timeline of a link.
pub(super) struct LinkTimeline<'c, 'l> {
    pub(super) viewing: Viewing<'c>,
    /// Previews of the page.
    pub(super) cards: &'l [PreviewCardId],
    pub(super) filter: TimelineFilter,
}

impl Source for LinkTimeline<'_, '_> {
    type Candidate = Candidate;
    type Item = Status;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        Ok(rows::link(self.viewing.conn, self.cards, self.filter, request)?)
    }

    fn may_show(&self, candidate: &Candidate) -> bool {
        self.viewing.may_show_author(candidate.author)
    }

    fn hidden_guess(&self) -> PageGuess {
        self.viewing.hidden_guess(GuessedPage::Link)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<ById<Status>> {
        self.viewing.shown(candidates, shows_public)
    }
}
