//! Loads statuses with all data for rendering.
//!
//! Snapshots, which are the same for every viewer, are [cached](crate::snapshots) by the version in
//! the outline. Only missing snapshots are read.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use siskin_entities::{Account, Poll, RenderedStatus, Status, StatusBody, ViewerState};
use siskin_ids::{AccountId, StatusId};
use siskin_policy::timelines::{Parent, StatusFacts, may_see};

use super::{Entry, outline, snapshot_rows, visible_ids};
use crate::{Conn, IdMap, Result, accounts, polls, relationships::relations_of_version, snapshots};

/// Loads the statuses with these ids for `viewer`, in the order of the ids. Leaves out unknown ids.
/// The caller checks the visibility.
pub fn load(conn: &mut Conn, ids: &[StatusId], viewer: Option<AccountId>) -> Result<Vec<Status>> {
    load_for(conn, ids, LoadViewer::Known(viewer))
}

/// A status with what the rules of timelines need to know about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedStatus {
    /// The status as its viewer sees it. Whether the viewer may see it is not checked yet.
    pub status: Status,
    /// The parent, even if it is hidden from the viewer.
    pub parent: Parent,
}

impl LoadedStatus {
    /// Returns the facts that decide which timelines show the status.
    #[must_use]
    pub fn facts(&self) -> StatusFacts<'_> {
        StatusFacts::of(&self.status, self.parent)
    }
}

/// Loads the statuses of these entries with the facts that decide who may see them. Leaves out
/// unknown ids.
pub fn load_candidates(
    conn: &mut Conn,
    entries: &[Entry],
    viewer: Option<AccountId>,
) -> Result<Vec<LoadedStatus>> {
    let ids: Vec<StatusId> = entries.iter().map(|entry| entry.id).collect();
    let inner: Vec<StatusId> = entries.iter().filter_map(|entry| entry.reblog_of).collect();
    let rows = outline::read(conn, &[ids.as_slice(), &inner].concat(), viewer)?;
    let parents: IdMap<StatusId, Parent> =
        rows.iter().map(|(row, _)| (row.id, row.parent())).collect();
    let statuses = assembled(conn, &ids, rows, LoadViewer::Known(viewer))?;
    let loaded = statuses.into_iter().map(|status| {
        let parent = parents.get(&status.body.id).copied().unwrap_or(Parent::None);
        LoadedStatus { status, parent }
    });
    Ok(loaded.collect())
}

/// Loads statuses without a viewer, including parents that some viewers must not see. Do not show
/// the result to a viewer before [`viewer_details`](super::viewer_details()) has determined what
/// that viewer may see.
pub fn load_without_viewer(conn: &mut Conn, ids: &[StatusId]) -> Result<Vec<Status>> {
    load_for(conn, ids, LoadViewer::Unknown)
}

/// Loads the status with this id if it is visible to `viewer`.
pub fn find_visible(
    conn: &mut Conn,
    id: StatusId,
    viewer: Option<AccountId>,
) -> Result<Option<Status>> {
    let mut rows = outline::read_one(conn, id, viewer)?;
    let Some((own, _)) = rows.first() else { return Ok(None) };
    let parent = own.parent();
    let relations = relations_of_version(conn, viewer, own.relations)?;
    rows.extend(outline::read(conn, &reblogged(&rows), viewer)?);
    let status = assembled(conn, &[id], rows, LoadViewer::Known(viewer))?.pop();
    Ok(status.filter(|status| may_see(&relations, &StatusFacts::of(status, parent))))
}

/// The viewer for which statuses are loaded.
#[derive(Clone, Copy)]
enum LoadViewer {
    /// A viewer. `None` stands for an anonymous viewer.
    Known(Option<AccountId>),
    /// Viewers that are not known yet.
    Unknown,
}

impl LoadViewer {
    const fn viewer(self) -> Option<AccountId> {
        match self {
            Self::Known(viewer) => viewer,
            Self::Unknown => None,
        }
    }
}

fn load_for(conn: &mut Conn, ids: &[StatusId], load_viewer: LoadViewer) -> Result<Vec<Status>> {
    let viewer = load_viewer.viewer();
    let mut rows = outline::read(conn, ids, viewer)?;
    rows.extend(outline::read(conn, &reblogged(&rows), viewer)?);
    assembled(conn, ids, rows, load_viewer)
}

/// Builds the statuses of these rows with all their parts.
fn assembled(
    conn: &mut Conn,
    ids: &[StatusId],
    rows: Vec<outline::Row>,
    load_viewer: LoadViewer,
) -> Result<Vec<Status>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let parts = Parts::load(conn, &rows, load_viewer)?;
    let reblog_of = rows.iter().filter_map(|(row, _)| Some((row.id, row.reblog_of_id?)));
    let reblog_of: IdMap<StatusId, StatusId> = reblog_of.collect();
    let bodies = rows.into_iter().filter_map(|row| parts.body(row));
    let bodies: IdMap<StatusId, StatusBody> = bodies.map(|body| (body.id, body)).collect();
    Ok(ids.iter().filter_map(|id| assemble(*id, &bodies, &reblog_of)).collect())
}

/// Returns the ids of the statuses that these rows reblog. Includes ids that are already among the
/// rows, so that every page needs the same number of statements.
fn reblogged(rows: &[outline::Row]) -> Vec<StatusId> {
    let mut inner: Vec<StatusId> = rows.iter().filter_map(|(row, _)| row.reblog_of_id).collect();
    inner.sort_unstable();
    inner.dedup();
    inner
}

fn assemble(
    id: StatusId,
    bodies: &IdMap<StatusId, StatusBody>,
    reblog_of: &IdMap<StatusId, StatusId>,
) -> Option<Status> {
    let mut body = bodies.get(&id)?.clone();
    let Some(inner) = reblog_of.get(&id) else { return Some(Status { body, reblog: None }) };
    let inner = bodies.get(inner)?.clone();
    // A viewer acts on the reblogged status instead of the reblog. A reblog cannot be pinned.
    body.viewer = inner.viewer.clone().map(|viewer| ViewerState { pinned: None, ..viewer });
    Some(Status { body, reblog: Some(Box::new(inner)) })
}

/// The parts of a batch of statuses. Each kind is loaded with one statement.
struct Parts {
    snapshots: IdMap<StatusId, Arc<RenderedStatus>>,
    authors: IdMap<AccountId, Arc<Account>>,
    polls: HashMap<StatusId, Poll>,
    /// Parents that are visible to the viewer.
    parents: HashSet<StatusId>,
}

impl Parts {
    fn load(conn: &mut Conn, rows: &[outline::Row], load_viewer: LoadViewer) -> Result<Self> {
        // All rows come from one database snapshot, so they have the same generation.
        let generation = rows.first().map_or(0, |(row, _)| row.generation());
        let authors = rows.iter().map(|(row, _)| row.author.clone()).collect();
        let authors = accounts::of_outlines(conn, authors, generation)?;
        let keys: Vec<_> = rows.iter().map(|(row, _)| row.key()).collect();
        let snapshots = snapshots::of(conn, &keys, |caches| &caches.statuses, snapshot_rows::read)?;
        let with_polls =
            snapshots.values().filter(|snapshot| snapshot.has_poll).map(|snapshot| snapshot.id);
        let with_polls: Vec<StatusId> = with_polls.collect();
        let polls = polls::load(conn, &with_polls, load_viewer.viewer())?;
        let parents = parents(conn, rows, load_viewer)?;
        Ok(Self { snapshots, authors, polls, parents })
    }

    /// Builds a status. Returns `None` if the status or its author is gone: in a write, others may
    /// delete them in the meantime.
    fn body(&self, (row, viewer): outline::Row) -> Option<StatusBody> {
        let parent = row.in_reply_to_id.filter(|parent| self.parents.contains(parent));
        // If the parent was deleted, the id of its author may be shown.
        let is_known = parent.is_some() || row.in_reply_to_id.is_none();
        Some(StatusBody {
            snapshot: Arc::clone(self.snapshots.get(&row.id)?),
            account: Arc::clone(self.authors.get(&row.author.id)?),
            in_reply_to_id: parent,
            in_reply_to_account_id: row.in_reply_to_account_id.filter(|_| is_known),
            conversation_id: row.conversation_id,
            poll: self.polls.get(&row.id).cloned(),
            counts: row.counts(),
            viewer,
        })
    }
}

fn parents(
    conn: &mut Conn,
    rows: &[outline::Row],
    load_viewer: LoadViewer,
) -> Result<HashSet<StatusId>> {
    let replies = rows.iter().filter_map(|(row, _)| Some((row, row.in_reply_to_id?)));
    let LoadViewer::Known(viewer) = load_viewer else {
        return Ok(replies.map(|(_, parent)| parent).collect());
    };
    let mut replies = replies.peekable();
    let Some((first, _)) = replies.peek() else { return Ok(HashSet::new()) };
    let relations = relations_of_version(conn, viewer, first.relations)?;
    let (mut visible, mut unresolved) = (HashSet::new(), Vec::new());
    for (row, parent) in replies {
        match row.shows_parent(&relations) {
            Some(true) => drop(visible.insert(parent)),
            Some(false) => {}
            None => unresolved.push(parent),
        }
    }
    if !unresolved.is_empty() {
        visible.extend(visible_ids(conn, &unresolved, viewer)?);
    }
    Ok(visible)
}
