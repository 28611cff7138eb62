//! The viewer of a page. Loads what `policy` says that this viewer sees.

use std::sync::Arc;

use siskin_entities::{Status, Timestamp, ViewerRelations};
use siskin_ids::{AccountId, ListId};
use siskin_persistence::{
    Conn, PageGuess, page_guess,
    relationships::viewer_relations,
    statuses::{Entry, load_candidates},
    timelines::Candidate,
};
use siskin_policy::timelines::{StatusFacts, may_show_author};

use crate::{Result, pages::ById};

/// The viewer of a page, with the viewer's relations in the database snapshot of the page.
pub(crate) struct Viewing<'c> {
    pub(crate) conn: &'c mut Conn,
    pub(crate) viewer: Arc<ViewerRelations>,
    pub(crate) now: Timestamp,
}

impl<'c> Viewing<'c> {
    /// Loads the relations of the viewer of a page.
    pub(crate) fn of(
        conn: &'c mut Conn,
        viewer: Option<AccountId>,
        now: Timestamp,
    ) -> Result<Self> {
        let viewer = viewer_relations(conn, viewer)?;
        Ok(Self { conn, viewer, now })
    }

    /// Returns `false` if the viewer sees no status of the author in any timeline.
    pub(crate) fn may_show_author(&self, author: AccountId) -> bool {
        may_show_author(&self.viewer, author, self.now)
    }

    /// Returns the guess of how many candidates this page loads and does not show.
    pub(crate) fn hidden_guess(&self, page: GuessedPage) -> PageGuess {
        page_guess(self.conn, self.viewer.viewer(), page.number())
    }

    /// Loads those of the candidates that `shows` accepts, by their ids.
    pub(crate) fn shown(
        &mut self,
        candidates: &[Candidate],
        shows: impl Fn(&ViewerRelations, &StatusFacts<'_>, Timestamp) -> bool,
    ) -> Result<ById<Status>> {
        let entries: Vec<Entry> = candidates.iter().map(Candidate::entry).collect();
        self.load(&entries, shows)
    }

    /// Loads those of the entries that `shows` accepts, by their ids.
    pub(crate) fn load(
        &mut self,
        entries: &[Entry],
        shows: impl Fn(&ViewerRelations, &StatusFacts<'_>, Timestamp) -> bool,
    ) -> Result<ById<Status>> {
        let (viewer, now) = (&self.viewer, self.now);
        let loaded = load_candidates(self.conn, entries, viewer.viewer())?;
        let shown = loaded.into_iter().filter(|loaded| shows(viewer, &loaded.facts(), now));
        Ok(shown.map(|loaded| (loaded.status.body.id.get(), loaded.status)).collect())
    }
}

/// Page for which the number of hidden candidates is guessed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum GuessedPage {
    Home,
    Public,
    Hashtag,
    Notifications,
    GroupedNotifications,
    Link,
    /// Not the hidden candidates, but those that a page of this many groups needs.
    NeededForGroups(i64),
    List(ListId),
    Profile(AccountId),
}

impl GuessedPage {
    /// Returns a number that differs between the kinds of pages of one viewer. Ids of lists and
    /// accounts are far above the first numbers.
    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Home => 0,
            Self::Public => 1,
            Self::Hashtag => 2,
            Self::Notifications => 3,
            Self::GroupedNotifications => 4,
            Self::Link => 5,
            Self::NeededForGroups(limit) => 1000 + limit,
            Self::List(id) => id.get(),
            Self::Profile(id) => id.get(),
        }
    }
}
