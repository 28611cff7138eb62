//! Decides which listeners get a new or edited status: those with a timeline that shows it. The
//! rules are those of the pages (`siskin_policy::timelines`).

use std::{collections::HashSet, sync::Arc};

use siskin_entities::{Feeds, Status, Timestamp, ViewerRelations, feed::Feed};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, IdMap,
    relationships::relations_of_viewers,
    sorted_unique, statuses,
    timelines::audience::{NearEntries, home_candidates, near_entries},
};
use siskin_policy::timelines::{StatusFacts, shows_home, shows_list, shows_public, shows_tag};
use siskin_services::Result;

use crate::{Audience, Listener, ResolveContext, Stream, attributes::StatusAttributes};

/// Accounts that may get one of several statuses, with their relations.
pub(crate) struct Viewers {
    now: Timestamp,
    /// Access settings of the public timelines.
    feeds: Feeds,
    /// Statuses, each with an account that may get it at home.
    home: HashSet<(StatusId, AccountId)>,
    relations: IdMap<AccountId, Arc<ViewerRelations>>,
}

impl Viewers {
    /// Loads the listeners that may get these statuses, which were loaded without a viewer. The
    /// number of statements does not depend on the number of listeners.
    pub(crate) fn load(
        conn: &mut Conn,
        context: ResolveContext<'_>,
        published: &[&Status],
        audience: &Audience,
    ) -> Result<Self> {
        let ResolveContext { now, feeds, .. } = context;
        if published.is_empty() {
            return Ok(Self { now, feeds, home: HashSet::new(), relations: IdMap::default() });
        }
        let ids: Vec<StatusId> = published.iter().map(|status| status.body.id).collect();
        let accounts = audience.account_ids();
        let mut home: HashSet<(StatusId, AccountId)> = HashSet::new();
        if !accounts.is_empty() {
            home.extend(home_candidates(conn, &ids, accounts)?);
        }
        home.extend(published.iter().map(|status| (status.body.id, status.body.account.id)));
        let at_home: HashSet<AccountId> = home.iter().map(|(_, account)| *account).collect();
        let attributes: Vec<StatusAttributes> =
            published.iter().map(|status| StatusAttributes::of(status)).collect();
        let may_get = |listener: &Listener| match &listener.stream {
            Stream::User => at_home.contains(&listener.account),
            Stream::List(_) => true,
            stream @ (Stream::Public(_) | Stream::Hashtag { .. }) => {
                attributes.iter().any(|attributes| attributes.fits(stream, feeds))
            }
            Stream::Notifications | Stream::Direct => false,
        };
        let asked = sorted_unique(audience.matching(may_get).map(|listener| listener.account));
        let relations =
            if asked.is_empty() { IdMap::default() } else { relations_of_viewers(conn, &asked)? };
        Ok(Self { now, feeds, home, relations })
    }

    /// Returns the listeners with a timeline that shows the status now. Runs two statements for a
    /// reblog, and none for another status.
    pub(crate) fn listeners<'a>(
        &self,
        conn: &mut Conn,
        audience: &'a Audience,
        status: &Status,
    ) -> Result<Vec<&'a Listener>> {
        let attributes = StatusAttributes::of(status);
        let facts = StatusFacts::without_viewer(status);
        let is_shown = |listener: &Listener| match &listener.stream {
            stream @ (Stream::Public(_) | Stream::Hashtag { .. }) => {
                attributes.fits(stream, self.feeds) && self.shows(listener, &facts)
            }
            Stream::User => {
                self.home.contains(&(status.body.id, listener.account))
                    && self.shows(listener, &facts)
            }
            _ => self.shows(listener, &facts),
        };
        let shown = audience.listeners().iter().filter(|listener| is_shown(listener)).collect();
        self.without_repeated(conn, status, shown)
    }

    /// Returns `true` if the timeline of the stream shows the status.
    fn shows(&self, listener: &Listener, facts: &StatusFacts<'_>) -> bool {
        let Some(viewer) = self.relations.get(&listener.account) else { return false };
        match &listener.stream {
            Stream::User => shows_home(viewer, facts, self.now),
            Stream::List(id) => {
                viewer.list(*id).is_some_and(|list| shows_list(viewer, list, facts, self.now))
            }
            Stream::Public(_) => shows_public(viewer, facts, self.now),
            Stream::Hashtag { .. } => shows_tag(viewer, facts, self.now),
            Stream::Notifications | Stream::Direct => false,
        }
    }

    /// Removes the listeners that already have the same status close below. Their page leaves out
    /// the reblog.
    fn without_repeated<'a>(
        &self,
        conn: &mut Conn,
        status: &Status,
        listeners: Vec<&'a Listener>,
    ) -> Result<Vec<&'a Listener>> {
        let Some(displayed) = &status.reblog else { return Ok(listeners) };
        let feeds = sorted_unique(listeners.iter().filter_map(|one| feed(one)).map(Feed::id));
        if feeds.is_empty() {
            return Ok(listeners);
        }
        let near: NearEntries = near_entries(conn, status.body.id, displayed.id, &feeds)?;
        let entries = sorted_unique(near.values().flatten().copied());
        if entries.is_empty() {
            return Ok(listeners);
        }
        let entries = statuses::load_without_viewer(conn, &entries)?;
        let is_repeated = |listener: &&Listener| {
            let Some(near) = feed(listener).and_then(|feed| near.get(&feed.id())) else {
                return false;
            };
            entries
                .iter()
                .filter(|entry| near.contains(&entry.body.id))
                .any(|entry| self.shows(listener, &StatusFacts::without_viewer(entry)))
        };
        Ok(listeners.into_iter().filter(|listener| !is_repeated(listener)).collect())
    }
}

/// Returns the feed behind the stream of a listener.
fn feed(listener: &Listener) -> Option<Feed> {
    match &listener.stream {
        Stream::User => Some(Feed::Home(listener.account)),
        Stream::List(id) => Some(Feed::List(listener.account, *id)),
        _ => None,
    }
}
