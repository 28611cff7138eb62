//! Loads statuses with all data for rendering.
//!
//! Snapshots, which are the same for every viewer, are [cached](crate::snapshots) by the version in
//! the outline. Only missing snapshots are read.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use siskin_entities::{
    Account, Poll, RelationParts, RenderedStatus, Status, StatusBody, ViewerRelations,
};
use siskin_ids::{AccountId, StatusId};
use siskin_policy::timelines::{Parent, StatusFacts, may_see};

use super::{Entry, embedded::Embedder, outline, snapshot_rows, visible_ids};
use crate::{
    Conn, IdMap, Result, accounts, polls,
    relationships::relations_of_version,
    snapshots::{self, SnapshotVersion},
    unique::sorted_unique,
};

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
    let mut rows = outline::read(conn, &[ids.as_slice(), &inner].concat(), viewer)?;
    add_quoted(conn, &mut rows, viewer)?;
    let parents: IdMap<StatusId, Parent> =
        rows.iter().map(|(row, _)| (row.id, row.parent())).collect();
    let statuses = assembled(conn, &ids, rows, LoadViewer::Known(viewer))?;
    let loaded = statuses.into_iter().map(|status| {
        let parent = parents.get(&status.body.id).copied().unwrap_or(Parent::None);
        LoadedStatus { status, parent }
    });
    Ok(loaded.collect())
}

/// Loads statuses without a viewer, including parents and quoted statuses that some viewers must
/// not see. Do not show the result to a viewer before
/// [`viewer_details`](super::viewer_details()) has determined what that viewer may see.
pub fn load_without_viewer(conn: &mut Conn, ids: &[StatusId]) -> Result<Vec<Status>> {
    load_for(conn, ids, LoadViewer::Unknown)
}

/// Loads the status with this id if it is visible to `viewer`.
pub fn find_visible(
    conn: &mut Conn,
    id: StatusId,
    viewer: Option<AccountId>,
) -> Result<Option<Status>> {
    Ok(find_versioned(conn, id, viewer)?.map(|(status, _)| status))
}

/// Loads the status with this id if it is visible to `viewer`, and the version of its snapshot.
pub fn find_versioned(
    conn: &mut Conn,
    id: StatusId,
    viewer: Option<AccountId>,
) -> Result<Option<(Status, SnapshotVersion)>> {
    let mut rows = outline::read_one(conn, id, viewer)?;
    let Some((own, _)) = rows.first() else { return Ok(None) };
    let (parent, version) = (own.parent(), own.snapshot_version());
    let relations = relations_of_version(conn, viewer, own.relations)?;
    add_embedded(conn, &mut rows, viewer)?;
    let status = assembled(conn, &[id], rows, LoadViewer::Known(viewer))?.pop();
    let visible = status.filter(|status| may_see(&relations, &StatusFacts::of(status, parent)));
    Ok(visible.map(|status| (status, version)))
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
    add_embedded(conn, &mut rows, viewer)?;
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
    let mut embedder = Embedder::new(parts.relations.clone(), conn.began_at());
    for row in rows {
        let (embeds, id) = (row.0.embeds(), row.0.id);
        if let Some(body) = parts.body(row) {
            embedder.add(id, body, embeds);
        }
    }
    Ok(ids.iter().filter_map(|id| embedder.status(*id)).collect())
}

/// Adds the statuses that these rows reblog or quote, also those that are already among the rows:
/// so every page needs the same number of statements, at most two.
fn add_embedded(
    conn: &mut Conn,
    rows: &mut Vec<outline::Row>,
    viewer: Option<AccountId>,
) -> Result<()> {
    let reblogged = sorted_unique(rows.iter().filter_map(|(row, _)| row.reblog_of_id));
    rows.extend(outline::read(conn, &reblogged, viewer)?);
    add_quoted(conn, rows, viewer)
}

/// Adds the statuses that these rows quote, and those that the quoted ones quote. Runs no statement
/// if there is no quote.
fn add_quoted(
    conn: &mut Conn,
    rows: &mut Vec<outline::Row>,
    viewer: Option<AccountId>,
) -> Result<()> {
    let quoted = sorted_unique(rows.iter().filter_map(|(row, _)| row.quote_of_id));
    rows.extend(outline::read_with_quoted(conn, &quoted, viewer)?);
    Ok(())
}

/// The parts of a batch of statuses. Each kind is loaded with one statement.
struct Parts {
    snapshots: IdMap<StatusId, Arc<RenderedStatus>>,
    authors: IdMap<AccountId, Arc<Account>>,
    polls: HashMap<StatusId, Poll>,
    /// Parents that are visible to the viewer.
    parents: HashSet<StatusId>,
    /// Relations of the viewer; `None` if the viewer is not known yet. They are empty if no row
    /// [depends on them](outline::Outline::depends_on_relations).
    relations: Option<Arc<ViewerRelations>>,
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
        let relations = relations(conn, rows, load_viewer)?;
        let parents = parents(conn, rows, load_viewer.viewer(), relations.as_deref())?;
        Ok(Self { snapshots, authors, polls, parents, relations })
    }

    /// Builds a status without the statuses that it embeds. Returns `None` if the status or its
    /// author is gone: in a write, others may delete them in the meantime.
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
            quote: None,
            quote_approval: row.quote_approval(self.relations.as_deref()),
            viewer,
        })
    }
}

/// Loads the relations of the viewer if a part of a status depends on them. In most cases the page
/// has loaded them already.
fn relations(
    conn: &mut Conn,
    rows: &[outline::Row],
    load_viewer: LoadViewer,
) -> Result<Option<Arc<ViewerRelations>>> {
    let LoadViewer::Known(viewer) = load_viewer else { return Ok(None) };
    let dependent = rows.iter().find(|(row, _)| row.depends_on_relations());
    Ok(Some(match (dependent, viewer) {
        (Some((row, _)), _) => relations_of_version(conn, viewer, row.relations)?,
        (None, Some(viewer)) => Arc::new(ViewerRelations::of(viewer, RelationParts::default())),
        (None, None) => Arc::default(),
    }))
}

/// Returns the parents of these rows that are visible to the viewer. If the viewer is not known yet,
/// returns all parents.
fn parents(
    conn: &mut Conn,
    rows: &[outline::Row],
    viewer: Option<AccountId>,
    relations: Option<&ViewerRelations>,
) -> Result<HashSet<StatusId>> {
    let replies = rows.iter().filter_map(|(row, _)| Some((row, row.in_reply_to_id?)));
    let Some(relations) = relations else {
        return Ok(replies.map(|(_, parent)| parent).collect());
    };
    let (mut visible, mut unresolved) = (HashSet::new(), Vec::new());
    for (row, parent) in replies {
        match row.shows_parent(relations) {
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
