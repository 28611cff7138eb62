//! Loads statuses with all data for rendering.
//!
//! Snapshots, which are the same for every viewer, are [cached](crate::cores) by the version in the
//! outline. Only missing snapshots are read.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use siskin_entities::{Account, Poll, Status, StatusBody, StatusCore, ViewerState};
use siskin_ids::{AccountId, StatusId};

use super::{
    Entry,
    outline::{self, Outline},
    visible_ids, words,
};
use crate::{Conn, Result, accounts, cores, polls};

/// Loads the statuses with these ids for `viewer`, in the order of the ids. Leaves out unknown ids.
/// The caller checks the visibility.
pub fn load(conn: &mut Conn, ids: &[StatusId], viewer: Option<AccountId>) -> Result<Vec<Status>> {
    load_for(conn, ids, None, Reader::One(viewer))
}

/// Loads the statuses of these entries. Saves one statement compared to [`load`], because the
/// entries contain the reblogged ids.
pub fn load_entries(
    conn: &mut Conn,
    entries: &[Entry],
    viewer: Option<AccountId>,
) -> Result<Vec<Status>> {
    let ids: Vec<StatusId> = entries.iter().map(|entry| entry.id).collect();
    let inner = entries.iter().filter_map(|entry| entry.reblog_of).collect();
    load_for(conn, &ids, Some(inner), Reader::One(viewer))
}

/// Loads statuses without a viewer, including parents that some viewers must not see. Do not show
/// the result to a viewer before [`sights`](super::sights) has determined what that viewer may see.
pub fn load_unseen(conn: &mut Conn, ids: &[StatusId]) -> Result<Vec<Status>> {
    load_for(conn, ids, None, Reader::ToBeSeen)
}

/// Loads the status with this id if it is visible to `viewer`.
pub fn find_visible(
    conn: &mut Conn,
    id: StatusId,
    viewer: Option<AccountId>,
) -> Result<Option<Status>> {
    let mut rows = outline::read_visible(conn, id, viewer)?;
    rows.extend(outline::read(conn, &reblogged(&rows), viewer)?);
    Ok(assembled(conn, &[id], rows, Reader::One(viewer))?.pop())
}

/// The viewer for which statuses are loaded.
#[derive(Clone, Copy)]
enum Reader {
    /// A viewer. `None` stands for an anonymous viewer.
    One(Option<AccountId>),
    /// Viewers that are not known yet.
    ToBeSeen,
}

impl Reader {
    const fn viewer(self) -> Option<AccountId> {
        match self {
            Self::One(viewer) => viewer,
            Self::ToBeSeen => None,
        }
    }
}

/// A status without its content, and the viewer's state for it.
type Seen = (Outline, Option<ViewerState>);

/// Loads statuses. `inner` contains the ids of the reblogged statuses, if known.
fn load_for(
    conn: &mut Conn,
    ids: &[StatusId],
    inner: Option<Vec<StatusId>>,
    reader: Reader,
) -> Result<Vec<Status>> {
    let viewer = reader.viewer();
    let rows = match inner {
        Some(inner) => outline::read(conn, &[ids, &inner].concat(), viewer)?,
        None => {
            let mut rows = outline::read(conn, ids, viewer)?;
            let inner = reblogged(&rows);
            rows.extend(outline::read(conn, &inner, viewer)?);
            rows
        }
    };
    assembled(conn, ids, rows, reader)
}

/// Builds the statuses of these rows with all their parts.
fn assembled(
    conn: &mut Conn,
    ids: &[StatusId],
    rows: Vec<Seen>,
    reader: Reader,
) -> Result<Vec<Status>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let parts = Parts::load(conn, &rows, reader)?;
    let reblog_of = rows.iter().filter_map(|(row, _)| Some((row.id, row.reblog_of_id?)));
    let reblog_of: HashMap<StatusId, StatusId> = reblog_of.collect();
    let bodies = rows.into_iter().filter_map(|row| parts.body(row));
    let bodies: HashMap<StatusId, StatusBody> = bodies.map(|body| (body.id, body)).collect();
    Ok(ids.iter().filter_map(|id| assemble(*id, &bodies, &reblog_of)).collect())
}

/// Returns the ids of the statuses that these rows reblog. Includes ids that are already among the
/// rows, so that every page needs the same number of statements.
fn reblogged(rows: &[Seen]) -> Vec<StatusId> {
    let mut inner: Vec<StatusId> = rows.iter().filter_map(|(row, _)| row.reblog_of_id).collect();
    inner.sort_unstable();
    inner.dedup();
    inner
}

fn assemble(
    id: StatusId,
    bodies: &HashMap<StatusId, StatusBody>,
    reblog_of: &HashMap<StatusId, StatusId>,
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
    cores: HashMap<StatusId, Arc<StatusCore>>,
    authors: HashMap<AccountId, Arc<Account>>,
    polls: HashMap<StatusId, Poll>,
    /// Parents that are visible to the viewer.
    parents: HashSet<StatusId>,
}

impl Parts {
    fn load(conn: &mut Conn, rows: &[Seen], reader: Reader) -> Result<Self> {
        // All rows come from one database snapshot, so they have the same generation.
        let generation = rows.first().map_or(0, |(row, _)| row.generation());
        let authors = rows.iter().map(|(row, _)| row.author.clone()).collect();
        let authors = accounts::of_outlines(conn, authors, generation)?;
        let keys: Vec<_> = rows.iter().map(|(row, _)| row.key()).collect();
        let cores = cores::of(&keys, |cores| &cores.statuses, |ids| words::read(conn, ids))?;
        let asking = cores.values().filter(|core| core.has_poll).map(|core| core.id);
        let asking: Vec<StatusId> = asking.collect();
        let polls = polls::load(conn, &asking, reader.viewer())?;
        let parents = parents(conn, rows, reader)?;
        Ok(Self { cores, authors, polls, parents })
    }

    /// Builds a status. Returns `None` if the status or its author is gone: in a write, others may
    /// delete them in the meantime.
    fn body(&self, (row, viewer): Seen) -> Option<StatusBody> {
        let parent = row.in_reply_to_id.filter(|parent| self.parents.contains(parent));
        // If the parent was deleted, the id of its author may be shown.
        let is_known = parent.is_some() || row.in_reply_to_id.is_none();
        Some(StatusBody {
            core: Arc::clone(self.cores.get(&row.id)?),
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

fn parents(conn: &mut Conn, rows: &[Seen], reader: Reader) -> Result<HashSet<StatusId>> {
    let answering = rows.iter().filter_map(|(row, _)| Some((row, row.in_reply_to_id?)));
    let Reader::One(viewer) = reader else {
        return Ok(answering.map(|(_, parent)| parent).collect());
    };
    let (mut shown, mut doubted) = (HashSet::new(), Vec::new());
    for (row, parent) in answering {
        match row.shows_parent(viewer) {
            Some(true) => drop(shown.insert(parent)),
            Some(false) => {}
            None => doubted.push(parent),
        }
    }
    if !doubted.is_empty() {
        shown.extend(visible_ids(conn, &doubted, viewer)?);
    }
    Ok(shown)
}
