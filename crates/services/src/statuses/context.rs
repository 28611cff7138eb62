//! Thread around a status.

use std::collections::{HashMap, HashSet};

use siskin_entities::{Status, Timestamp, filters::ContainsStatuses};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn,
    statuses::{self as rows, Entry, ThreadNode},
};
use siskin_policy::{
    limits::{CONTEXT_PUBLIC, CONTEXT_USER},
    timelines::shows_in_thread,
};

use crate::{Error, Result, pages::ById, viewing::Viewing};

/// Ancestors of a status, the root first, and its descendants, branch by branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    pub ancestors: Vec<Status>,
    pub descendants: Vec<Status>,
}

impl ContainsStatuses for Thread {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.ancestors.for_each_status(visit);
        self.descendants.for_each_status(visit);
    }

    fn statuses(&self) -> usize {
        self.ancestors.len() + self.descendants.len()
    }
}

/// Returns the thread around a status, as far as it is visible to `viewer` and not hidden by blocks
/// or mutes. A hidden status does not hide the statuses below it.
///
/// # Errors
/// [`Error::NotFound`] if the status does not exist, or is hidden from `viewer`.
pub fn context(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    id: StatusId,
    now: Timestamp,
) -> Result<Thread> {
    let root = rows::find_target(conn, id, viewer)?.ok_or(Error::NotFound)?;
    let limit = if viewer.is_some() { CONTEXT_USER } else { CONTEXT_PUBLIC };
    let above: Vec<StatusId> =
        rows::ancestors(conn, root.id, limit.ancestors)?.iter().map(|node| node.id).collect();
    // Loads more candidates than the limit, because hidden statuses must not use up the places of
    // visible ones.
    let below = rows::descendants(conn, root.id, CONTEXT_USER.descendants, limit.depth)?;
    let below = in_reading_order(root.id, root.account, &below);
    let mut viewing = Viewing::of(conn, viewer, now)?;
    let mut shown = Shown::default();
    // One batch contains the ancestors and as many descendants as fit in the thread.
    let (first, rest) = below.split_at(below.len().min(limit.descendants));
    shown.load(&mut viewing, &[above.as_slice(), first].concat())?;
    let ancestors: Vec<Status> = above.iter().filter_map(|id| shown.0.remove(&id.get())).collect();
    let mut batch = limit.descendants;
    let mut left = rest;
    while shown.0.len() < limit.descendants && !left.is_empty() {
        let (next, rest) = left.split_at(left.len().min(batch));
        shown.load(&mut viewing, next)?;
        (left, batch) = (rest, batch * 2);
    }
    let descendants =
        below.iter().filter_map(|id| shown.0.remove(&id.get())).take(limit.descendants);
    Ok(Thread { ancestors, descendants: descendants.collect() })
}

/// Loaded statuses that the thread shows.
#[derive(Default)]
struct Shown(ById<Status>);

impl Shown {
    /// Adds those of these statuses that the thread shows.
    fn load(&mut self, viewing: &mut Viewing<'_>, ids: &[StatusId]) -> Result<()> {
        let entries: Vec<Entry> = ids.iter().map(|id| Entry { id: *id, reblog_of: None }).collect();
        self.0.extend(viewing.load(&entries, shows_in_thread)?);
        Ok(())
    }
}

/// Sorts statuses branch by branch: after each status come its replies, first those of its own
/// author, then the others by age.
fn in_reading_order(root: StatusId, author: AccountId, nodes: &[ThreadNode]) -> Vec<StatusId> {
    let mut replies: HashMap<StatusId, Vec<&ThreadNode>> = HashMap::new();
    for node in nodes {
        if let Some(parent) = node.in_reply_to_id {
            replies.entry(parent).or_default().push(node);
        }
    }
    let mut order = Vec::with_capacity(nodes.len());
    let mut waiting = vec![(root, author)];
    // Statuses of remote servers may reply to each other in a circle.
    let mut seen = HashSet::new();
    while let Some((id, author)) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        if id != root {
            order.push(id);
        }
        let mut branch = replies.remove(&id).unwrap_or_default();
        branch.sort_by_key(|node| (node.account_id != author, node.id));
        waiting.extend(branch.iter().rev().map(|node| (node.id, node.account_id)));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: i64, parent: i64, account: i64) -> ThreadNode {
        ThreadNode {
            id: StatusId::new(id),
            in_reply_to_id: Some(StatusId::new(parent)),
            account_id: AccountId::new(account),
        }
    }

    fn order(nodes: &[ThreadNode]) -> Vec<i64> {
        let order = in_reading_order(StatusId::new(1), AccountId::new(7), nodes);
        order.into_iter().map(StatusId::get).collect()
    }

    #[test]
    fn a_thread_is_sorted_by_branches_with_the_author_first() {
        let nodes = [
            node(2, 1, 8),
            node(3, 2, 9),
            node(4, 1, 7),
            node(5, 4, 7),
            node(6, 2, 8),
            node(7, 1, 9),
        ];
        assert_eq!(order(&nodes), [4, 5, 2, 6, 3, 7]);
    }

    #[test]
    fn a_reply_cycle_terminates() {
        assert_eq!(order(&[node(2, 1, 8), node(3, 2, 8), node(1, 3, 7), node(2, 1, 8)]), [2, 3]);
    }
}
