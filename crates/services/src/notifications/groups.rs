//! Groups of notifications: pages of groups, one group, its accounts, and its deletion.

use std::{mem, sync::Arc};

use siskin_entities::{
    Account, GroupKey, GroupedNotifications, Notification, NotificationGroup, NotificationKind,
    Page, PageRequest, Status, Timestamp, ViewerRelations,
};
use siskin_ids::{AccountId, NotificationId, StatusId, unix_ms_of};
use siskin_persistence::{
    Conn, IdMap, IdSet, PageGuess, Tx, accounts,
    notifications::{self as rows, Members, NotificationFilter, StoredNotification},
    page_guess,
    relationships::viewer_relations,
};
use siskin_policy::{notifications::shows_sender, visibility::AccountFacts};

use super::{Inbox, Query};
use crate::{
    Error, Result,
    pages::{self, ById, Candidate, Source},
    viewing::GuessedPage,
};

/// Maximum number of accounts that a group names.
const SAMPLES: usize = 8;
/// Number of members of a group that are looked at on a page: hidden ones among them do not count.
const MEMBERS: i64 = 100;
/// Maximum number of accounts in the list of a group's accounts.
const MAX_ACCOUNTS: i64 = 1000;
/// Number of candidates of one group from which on further reads leave the group out. Few groups
/// are that large.
const LARGE: usize = 20;
/// Number of notifications that one write deletes, so that other writers do not wait longer.
const DELETE_BATCH: i64 = 2000;

/// Which notifications form groups: those of the kinds that the client named and that [form
/// groups](NotificationKind::forms_groups), unless the recipient's policy filtered them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupedKinds(Vec<NotificationKind>);

impl GroupedKinds {
    /// Parses the names that a client sent. No names mean all kinds; other names are ignored.
    #[must_use]
    pub fn parse(names: &[String]) -> Self {
        let every = names.iter().all(|name| name.trim().is_empty());
        let is_named = |kind: &NotificationKind| {
            every || names.iter().any(|name| name.trim() == kind.as_str())
        };
        let kinds = NotificationKind::ALL.into_iter().filter(|kind| kind.forms_groups());
        Self(kinds.filter(is_named).collect())
    }

    fn key(&self, one: &StoredNotification) -> GroupKey {
        if self.0.contains(&one.kind) && !one.filtered {
            GroupKey::of(one.id, one.kind, one.status)
        } else {
            GroupKey::Ungrouped(one.id)
        }
    }
}

/// Loads a page of the groups of notifications that are visible to `recipient`.
///
/// # Errors
/// Storage errors only.
pub fn groups(
    conn: &mut Conn,
    recipient: AccountId,
    query: &Query,
    grouped: &GroupedKinds,
    now: Timestamp,
    request: PageRequest,
) -> Result<GroupedNotifications> {
    let relations = viewer_relations(conn, Some(recipient))?;
    let (heads, read) = heads(conn, &relations, query, grouped, now, request)?;
    let lowest = heads.items.iter().map(Head::id).min().unwrap_or_default();
    // Notifications below the last group of a full page belong to the next page.
    let bottom = if heads.full || request.cursor.min.is_some() {
        lowest
    } else {
        request.cursor.since.map_or(0, |since| since.saturating_add(1))
    };
    with_members(conn, &relations, heads, &read, query.from(), bottom, now)
}

/// Returns one group of `recipient`.
///
/// # Errors
/// [`Error::NotFound`] if it has no notification that is visible to `recipient`.
pub fn find_group(
    conn: &mut Conn,
    recipient: AccountId,
    key: GroupKey,
    now: Timestamp,
) -> Result<GroupedNotifications> {
    let relations = viewer_relations(conn, Some(recipient))?;
    let newest = match key {
        GroupKey::Ungrouped(id) => id,
        GroupKey::Window { .. } => {
            let members = visible_members(conn, recipient, &relations, key, MEMBERS, now)?;
            members.newest.first().ok_or(Error::NotFound)?.0
        }
    };
    let head = Head { key, notification: super::find(conn, recipient, newest, now)? };
    with_members(
        conn,
        &relations,
        Page::of(vec![head], 1, Head::id),
        &ReadGroups::default(),
        None,
        0,
        now,
    )
}

/// Loads the accounts that caused the notifications of a group, the newest first, at most
/// [`MAX_ACCOUNTS`].
///
/// # Errors
/// [`Error::NotFound`] as for [`find_group`].
pub fn accounts_of_group(
    conn: &mut Conn,
    recipient: AccountId,
    key: GroupKey,
    now: Timestamp,
) -> Result<Vec<Arc<Account>>> {
    if let GroupKey::Ungrouped(id) = key {
        return Ok(vec![super::find(conn, recipient, id, now)?.account]);
    }
    let relations = viewer_relations(conn, Some(recipient))?;
    let members = visible_members(conn, recipient, &relations, key, MAX_ACCOUNTS, now)?;
    let (newest, _) = *members.newest.first().ok_or(Error::NotFound)?;
    if matches!(key, GroupKey::Window { kind, .. } if kind.is_for_staff()) {
        // Accounts that lost their role do not see it any more.
        super::find(conn, recipient, newest, now)?;
    }
    let senders: Vec<AccountId> = members.newest.iter().map(|(_, sender)| *sender).collect();
    Ok(accounts::load_in_order(conn, &senders)?)
}

/// Deletes some notifications of a group, visible or not, and returns `true` if there may be more.
/// To delete all, callers repeat it until it returns `false`.
///
/// # Errors
/// Storage errors only.
pub fn dismiss_some_of_group(tx: &mut Tx<'_>, recipient: AccountId, key: GroupKey) -> Result<bool> {
    Ok(rows::delete_some_of_group(tx, recipient, key, DELETE_BATCH)?)
}

/// Returns the number of groups on a page.
pub(super) fn count(
    conn: &mut Conn,
    recipient: AccountId,
    query: &Query,
    grouped: &GroupedKinds,
    now: Timestamp,
    request: PageRequest,
) -> Result<usize> {
    let relations = viewer_relations(conn, Some(recipient))?;
    Ok(heads(conn, &relations, query, grouped, now, request)?.0.items.len())
}

/// The newest notification of a group on a page. If the page goes upwards, the oldest one.
#[derive(Debug)]
struct Head {
    key: GroupKey,
    notification: Notification,
}

impl Head {
    fn id(&self) -> i64 {
        self.notification.id.get()
    }
}

fn heads(
    conn: &mut Conn,
    relations: &Arc<ViewerRelations>,
    query: &Query,
    grouped: &GroupedKinds,
    now: Timestamp,
    request: PageRequest,
) -> Result<(Page<Head>, ReadGroups)> {
    let (Some(filter), Some(recipient)) = (&query.criteria(), relations.viewer()) else {
        return Ok((Page::of(Vec::new(), request.limit, |_| 0), ReadGroups::default()));
    };
    let relations = Arc::clone(relations);
    let inbox = Inbox { conn, recipient, relations, filter, now };
    let read = ReadGroups::default();
    let mut source = GroupedInbox { inbox, grouped, read, shown: IdSet::default() };
    let heads = pages::build(&mut source, request)?;
    Ok((heads, source.read))
}

/// Candidates of a page by group, each group with the newest first.
#[derive(Debug, Default)]
struct ReadGroups {
    members: IdMap<GroupKey, Vec<StoredNotification>>,
    /// All candidates of the page with this id or a later one were read. `None` if the page goes
    /// upwards.
    bottom: Option<i64>,
}

impl ReadGroups {
    fn add(&mut self, candidates: &[Grouped], request: PageRequest) {
        for one in candidates {
            self.members.entry(one.key).or_default().push(one.stored);
        }
        let is_end = i64::try_from(candidates.len()).is_ok_and(|count| count < request.limit);
        self.bottom = match candidates.last() {
            _ if request.cursor.min.is_some() => None,
            Some(last) if !is_end => Some(last.id()),
            _ => Some(i64::MIN),
        };
    }

    /// Returns the groups that further reads leave out if the page shows them already.
    fn large(&self) -> impl Iterator<Item = GroupKey> {
        let is_large = |(_, members): &(&GroupKey, &Vec<_>)| members.len() >= LARGE;
        self.members.iter().filter(is_large).map(|(key, _)| *key)
    }

    /// Returns the members of a group if all of them were read.
    fn all_of(&self, key: GroupKey) -> Option<&[StoredNotification]> {
        let bottom = self.bottom?;
        let members = self.members.get(&key)?;
        (bottom <= key.ids().start && members.len() < LARGE).then_some(members)
    }
}

/// A notification with the key of its group.
#[derive(Debug, Clone, Copy)]
struct Grouped {
    stored: StoredNotification,
    key: GroupKey,
}

impl Candidate for Grouped {
    fn id(&self) -> i64 {
        self.stored.id.get()
    }

    fn group(&self) -> Option<GroupKey> {
        Some(self.key)
    }
}

/// The notifications of an account, for a page of groups.
struct GroupedInbox<'c, 'f> {
    inbox: Inbox<'c, 'f>,
    grouped: &'f GroupedKinds,
    read: ReadGroups,
    /// Groups with a notification that the page shows.
    shown: IdSet<GroupKey>,
}

impl GroupedInbox<'_, '_> {
    fn guess(&self, page: GuessedPage) -> PageGuess {
        page_guess(self.inbox.conn, Some(self.inbox.recipient), page.number())
    }
}

impl Source for GroupedInbox<'_, '_> {
    type Candidate = Grouped;
    type Item = Head;
    const NEAR: usize = 0;
    const PER_ITEM: usize = 3;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Grouped>> {
        let without = self.read.large().filter(|key| self.shown.contains(key)).collect();
        let filter = NotificationFilter { without, ..self.inbox.filter.clone() };
        let stored = rows::candidates(self.inbox.conn, self.inbox.recipient, &filter, request)?;
        let grouped: Vec<Grouped> = stored
            .into_iter()
            .map(|stored| Grouped { stored, key: self.grouped.key(&stored) })
            .collect();
        self.read.add(&grouped, request);
        Ok(grouped)
    }

    fn may_show(&self, candidate: &Grouped) -> bool {
        self.inbox.may_show(&candidate.stored)
    }

    fn hidden_guess(&self) -> PageGuess {
        self.guess(GuessedPage::GroupedNotifications)
    }

    fn needed_guess(&self, limit: i64) -> PageGuess {
        self.guess(GuessedPage::NeededForGroups(limit))
    }

    fn shown(&mut self, candidates: &[Grouped]) -> Result<ById<Head>> {
        let stored: Vec<StoredNotification> = candidates.iter().map(|one| one.stored).collect();
        let mut shown = self.inbox.shown(&stored)?;
        let head = |one: &Grouped| {
            let notification = shown.remove(&one.id())?;
            self.shown.insert(one.key);
            Some((one.id(), Head { key: one.key, notification }))
        };
        Ok(candidates.iter().filter_map(head).collect())
    }
}

/// Loads the members of the groups on a page and the accounts that they name, and builds the
/// groups. The page contains notifications from `bottom` on: all, or those that the account `from`
/// caused. Most members were `read` with the page.
fn with_members(
    conn: &mut Conn,
    relations: &ViewerRelations,
    mut heads: Page<Head>,
    read: &ReadGroups,
    from: Option<AccountId>,
    bottom: i64,
    now: Timestamp,
) -> Result<GroupedNotifications> {
    let top = heads.items.iter().map(Head::id).max().unwrap_or_default();
    let windows = heads.items.iter().map(|head| head.key).filter(|key| is_window(*key));
    let (known, unknown): (Vec<GroupKey>, Vec<GroupKey>) =
        windows.partition(|key| read.all_of(*key).is_some());
    let (mut members, senders) = known_members(conn, relations, read, &known, top, now)?;
    if let Some(recipient) = relations.viewer().filter(|_| !unknown.is_empty()) {
        let loaded = rows::members(conn, recipient, &unknown, from, top, MEMBERS)?;
        let visible = unknown
            .into_iter()
            .zip(&loaded)
            .map(|(key, members)| (key, VisibleMembers::of_loaded(key, members, relations, now)));
        members.extend(visible);
    }
    let group = |head: &Head| match members.get(&head.key) {
        Some(members) => of_members(head, members, bottom),
        None => alone(head),
    };
    let groups: Vec<NotificationGroup> = heads.items.iter().map(group).collect();
    let accounts = sampled(conn, &groups, &heads.items, senders)?;
    let statuses = statuses(mem::take(&mut heads.items));
    Ok(GroupedNotifications { groups: heads.with_items(groups), accounts, statuses })
}

/// Members of groups, and accounts that caused some of them.
type MembersAndSenders = (IdMap<GroupKey, VisibleMembers>, IdMap<AccountId, Arc<Account>>);

/// Returns the visible members with ids up to `top` of groups of which all members were read, and
/// their senders.
fn known_members(
    conn: &mut Conn,
    relations: &ViewerRelations,
    read: &ReadGroups,
    keys: &[GroupKey],
    top: i64,
    now: Timestamp,
) -> Result<MembersAndSenders> {
    let members = |key: &GroupKey| {
        read.all_of(*key).unwrap_or_default().iter().filter(move |one| one.id.get() <= top)
    };
    let senders: IdSet<AccountId> = keys.iter().flat_map(members).map(|one| one.from).collect();
    if senders.is_empty() {
        return Ok(MembersAndSenders::default());
    }
    let senders = accounts::load(conn, &senders.into_iter().collect::<Vec<_>>())?;
    let with_sender = |one: &StoredNotification| {
        senders.get(&one.from).map(|sender| (one.id, AccountFacts::of(sender)))
    };
    let visible = |key: &GroupKey| {
        let members = members(key).filter_map(with_sender);
        (*key, VisibleMembers::of(*key, members, relations, now))
    };
    Ok((keys.iter().map(visible).collect(), senders))
}

const fn is_window(key: GroupKey) -> bool {
    matches!(key, GroupKey::Window { .. })
}

/// Returns the group that contains only this notification.
fn alone(head: &Head) -> NotificationGroup {
    let Notification { id, kind, account, status, record, created_at, .. } = &head.notification;
    NotificationGroup {
        key: head.key,
        kind: *kind,
        count: 1,
        newest: *id,
        oldest: *id,
        newest_at: *created_at,
        samples: vec![account.id],
        status: status.as_ref().map(|status| status.body.id),
        record: record.clone(),
    }
}

/// Members of a group with senders that the recipient sees.
#[derive(Debug, Default)]
struct VisibleMembers {
    /// The newest members with their senders, the newest first.
    newest: Vec<(NotificationId, AccountId)>,
    /// Number of members that were not loaded. They count as visible.
    more: i64,
}

impl VisibleMembers {
    /// Returns the visible ones of these members of a group. Staff see all notifications that are
    /// for staff.
    fn of<'m>(
        key: GroupKey,
        members: impl Iterator<Item = (NotificationId, AccountFacts<'m>)>,
        relations: &ViewerRelations,
        now: Timestamp,
    ) -> Self {
        let is_for_staff = matches!(key, GroupKey::Window { kind, .. } if kind.is_for_staff());
        let is_visible = |(_, sender): &(NotificationId, AccountFacts<'_>)| {
            is_for_staff || shows_sender(relations, sender, now)
        };
        let newest = members.filter(is_visible).map(|(id, sender)| (id, sender.id)).collect();
        Self { newest, more: 0 }
    }

    fn of_loaded(
        key: GroupKey,
        members: &Members,
        relations: &ViewerRelations,
        now: Timestamp,
    ) -> Self {
        let loaded = i64::try_from(members.newest.len()).unwrap_or_default();
        let newest = members.newest.iter().map(|member| (member.id, member.sender.facts()));
        let more = members.count.saturating_sub(loaded);
        Self { more, ..Self::of(key, newest, relations, now) }
    }
}

/// Returns the group of these members. The page contains notifications from `bottom` on.
fn of_members(head: &Head, members: &VisibleMembers, bottom: i64) -> NotificationGroup {
    let VisibleMembers { newest: visible, more } = members;
    let Some((newest, _)) = visible.first() else { return alone(head) };
    let on_page = visible.iter().map(|(id, _)| id).take_while(|id| id.get() >= bottom);
    NotificationGroup {
        count: more.saturating_add(i64::try_from(visible.len()).unwrap_or_default()),
        newest: *newest,
        oldest: *on_page.last().unwrap_or(newest),
        newest_at: Timestamp::from_unix_ms(unix_ms_of(newest.get())),
        samples: visible.iter().take(SAMPLES).map(|(_, sender)| *sender).collect(),
        ..alone(head)
    }
}

/// Loads the newest visible members of a group.
fn visible_members(
    conn: &mut Conn,
    recipient: AccountId,
    relations: &ViewerRelations,
    key: GroupKey,
    limit: i64,
    now: Timestamp,
) -> Result<VisibleMembers> {
    let members =
        rows::members(conn, recipient, &[key], None, i64::MAX, limit)?.pop().unwrap_or_default();
    Ok(VisibleMembers::of_loaded(key, &members, relations, now))
}

/// Returns the accounts that the groups name, each once. Some are `known`.
fn sampled(
    conn: &mut Conn,
    groups: &[NotificationGroup],
    heads: &[Head],
    mut known: IdMap<AccountId, Arc<Account>>,
) -> Result<Vec<Arc<Account>>> {
    let account = |head: &Head| Arc::clone(&head.notification.account);
    known.extend(heads.iter().map(account).map(|account| (account.id, account)));
    let named = || groups.iter().flat_map(|group| &group.samples).copied();
    let missing: IdSet<AccountId> = named().filter(|id| !known.contains_key(id)).collect();
    if !missing.is_empty() {
        known.extend(accounts::load(conn, &missing.into_iter().collect::<Vec<_>>())?);
    }
    Ok(named().filter_map(|id| known.remove(&id)).collect())
}

/// Returns the statuses that the notifications are about, each once.
fn statuses(heads: Vec<Head>) -> Vec<Status> {
    let mut seen: IdSet<StatusId> = IdSet::default();
    let all = heads.into_iter().filter_map(|head| head.notification.status);
    all.filter(|status| seen.insert(status.body.id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_kinds_form_groups() {
        let parse = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            GroupedKinds::parse(&names).0
        };
        let every = [
            NotificationKind::Reblog,
            NotificationKind::Follow,
            NotificationKind::Favourite,
            NotificationKind::AdminSignUp,
        ];
        assert_eq!(parse(&[]), every);
        assert_eq!(parse(&[""]), every);
        assert_eq!(parse(&["follow", "mention", "reaction"]), [NotificationKind::Follow]);
        assert_eq!(parse(&["mention"]), []);
    }
}
