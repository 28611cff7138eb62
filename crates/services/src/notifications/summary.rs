//! Summaries of notifications for emails. Many accounts that did the same are one group, so that
//! they hide nothing else.
//!
//! Groups of clients have windows of 12 hours (decision 34). A summary has no further pages, so its
//! groups cover the whole time.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use siskin_entities::{
    Account, Cursor, Notification, NotificationKind, PageRequest, Status, Timestamp,
    filters::ContainsStatuses,
};
use siskin_ids::{AccountId, NotificationId, StatusId};
use siskin_persistence::{
    Conn,
    notifications::{self as rows, NotificationFilter, StoredNotification},
    relationships::viewer_relations,
};
use siskin_policy::notifications::may_show_sender;

use super::{shown::shown, since};
use crate::Result;

/// Maximum number of groups in a summary.
const MAX_GROUPS: usize = 20;
/// Maximum number of notifications of each kind that are grouped.
const MAX_MEMBERS: usize = 500;
/// Number of groups that are loaded. Some of them may be hidden.
const LOADED_GROUPS: usize = 2 * MAX_GROUPS;
/// Number of notifications of each group that are loaded. Hidden ones among them do not count.
const LOADED_MEMBERS: usize = 4;

/// What happened since some notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// First the notifications of kinds that [form no groups](NotificationKind::forms_groups), then
    /// the groups; of both the newest first.
    pub groups: Vec<SummaryGroup>,
    /// Whether there is more than these.
    pub is_more: bool,
    /// The newest notification that was looked at.
    pub newest: NotificationId,
}

/// Notifications of one kind about one status or the recipient, or a single notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryGroup {
    /// The newest notification.
    pub newest: Notification,
    /// Account that caused the second newest one; `None` if there is no other.
    pub second: Option<Arc<Account>>,
    /// Number of notifications.
    pub count: usize,
}

impl ContainsStatuses for Summary {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.groups.iter_mut().for_each(|group| group.newest.for_each_status(visit));
    }

    fn statuses(&self) -> usize {
        self.groups.iter().map(|group| group.newest.statuses()).sum()
    }
}

/// Loads a summary of the notifications of these kinds that `recipient` sees, and that have the id
/// `first` or a later one. Groups of favourites, reblogs and follows come last, so they hide none
/// of the others. Runs a bounded number of statements. Returns `None` if there is no such
/// notification.
///
/// # Errors
/// Storage errors only.
pub(crate) fn summary(
    conn: &mut Conn,
    recipient: AccountId,
    kinds: &[NotificationKind],
    first: NotificationId,
    now: Timestamp,
) -> Result<Option<Summary>> {
    let (grouped, single): (Vec<NotificationKind>, Vec<NotificationKind>) =
        kinds.iter().copied().partition(|kind| kind.forms_groups());
    let (single, mut is_more) = since(conn, recipient, single, first, MAX_GROUPS as i64, now)?;
    let mut members = Vec::new();
    for kind in grouped {
        let mut found = candidates(conn, recipient, kind, first)?;
        is_more |= found.len() > MAX_MEMBERS;
        found.truncate(MAX_MEMBERS);
        members.extend(found);
    }
    let relations = viewer_relations(conn, Some(recipient))?;
    members.retain(|one| may_show_sender(&relations, one.from, now));
    let ids = single.iter().map(|one| one.id).chain(members.iter().map(|one| one.id));
    let Some(newest) = ids.max() else { return Ok(None) };

    let members = by_subject(members);
    let loaded = &members[..members.len().min(LOADED_GROUPS)];
    let asked: Vec<StoredNotification> =
        loaded.iter().flat_map(|group| group.iter().take(LOADED_MEMBERS)).copied().collect();
    let visible = if asked.is_empty() { Vec::new() } else { shown(conn, &relations, &asked, now)? };
    let mut visible: HashMap<NotificationId, Notification> =
        visible.into_iter().map(|one| (one.id, one)).collect();
    let found: Vec<SummaryGroup> =
        loaded.iter().filter_map(|group| of_members(group, &mut visible)).collect();

    let room = MAX_GROUPS.saturating_sub(single.len());
    is_more |= found.len() > room || members.len() > loaded.len();
    let alone = |newest| SummaryGroup { newest, second: None, count: 1 };
    let groups = single.into_iter().map(alone).chain(found.into_iter().take(room)).collect();
    Ok(Some(Summary { groups, is_more, newest }))
}

/// Loads the newest notifications of a kind, and one more than the maximum.
fn candidates(
    conn: &mut Conn,
    recipient: AccountId,
    kind: NotificationKind,
    first: NotificationId,
) -> Result<Vec<StoredNotification>> {
    let filter = NotificationFilter {
        kinds: vec![kind],
        from: None,
        with_filtered: false,
        without: Vec::new(),
    };
    let cursor = Cursor { since: Some(first.get() - 1), ..Cursor::default() };
    let request = PageRequest { cursor, limit: MAX_MEMBERS as i64 + 1 };
    Ok(rows::candidates(conn, recipient, &filter, request)?)
}

/// Groups notifications by kind and status: the group with the newest notification first, and in
/// each group the newest first.
fn by_subject(mut all: Vec<StoredNotification>) -> Vec<Vec<StoredNotification>> {
    all.sort_unstable_by_key(|one| Reverse(one.id));
    let mut places: HashMap<(NotificationKind, Option<StatusId>), usize> = HashMap::new();
    let mut groups: Vec<Vec<StoredNotification>> = Vec::new();
    for one in all {
        let place = *places.entry((one.kind, one.status)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// Returns the group of these notifications. Returns `None` if all that were loaded are hidden.
fn of_members(
    members: &[StoredNotification],
    visible: &mut HashMap<NotificationId, Notification>,
) -> Option<SummaryGroup> {
    let loaded = &members[..members.len().min(LOADED_MEMBERS)];
    let shown: Vec<Notification> =
        loaded.iter().filter_map(|one| visible.remove(&one.id)).collect();
    let count = members.len() - loaded.len() + shown.len();
    let mut shown = shown.into_iter();
    let newest = shown.next()?;
    Some(SummaryGroup { newest, second: shown.next().map(|one| one.account), count })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(id: i64, kind: NotificationKind, status: Option<i64>) -> StoredNotification {
        StoredNotification {
            id: NotificationId::new(id),
            recipient: AccountId::new(1),
            from: AccountId::new(id),
            kind,
            status: status.map(StatusId::new),
            record: None,
            filtered: false,
            created_at: Timestamp::from_unix_ms(0),
        }
    }

    #[test]
    fn groups_have_one_kind_and_one_status() {
        use NotificationKind::{Favourite, Follow, Reblog};
        let grouped = by_subject(vec![
            stored(1, Favourite, Some(7)),
            stored(2, Reblog, Some(7)),
            stored(3, Favourite, Some(8)),
            stored(4, Follow, None),
            stored(5, Favourite, Some(7)),
            stored(6, Follow, None),
        ]);
        let ids = |group: &Vec<StoredNotification>| {
            group.iter().map(|one| one.id.get()).collect::<Vec<_>>()
        };
        let grouped: Vec<Vec<i64>> = grouped.iter().map(ids).collect();
        assert_eq!(grouped, [vec![6, 4], vec![5, 1], vec![3], vec![2]]);
    }
}
