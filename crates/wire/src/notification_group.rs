//! Groups of similar notifications.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
};

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::{AccountId, NotificationId, StatusId};

use crate::{
    account::{self, Account},
    budget::{Budget, Keep},
    fields::write_json,
    notification::{render_report, render_warning},
    pieces::{Pieces, account_room, room, write_account, write_status},
    report::Report,
    status::{self, Status},
    strike::AccountWarning,
    time::Instant,
    urls::Urls,
};

/// Approximate number of bytes of a group without accounts and statuses.
const GROUP_BYTES: usize = 400;

/// Groups of notifications with the accounts and statuses that they refer to.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct GroupedNotifications {
    /// Accounts among the samples of the groups, each once.
    pub accounts: Vec<Account>,
    /// The other accounts among the samples, if the client asked for fewer whole accounts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial_accounts: Option<Vec<PartialAccount>>,
    /// Statuses that the groups are about, each once.
    pub statuses: Vec<Status>,
    /// The groups, the one with the newest notification first.
    pub notification_groups: Vec<NotificationGroup>,
}

/// A group of notifications, as far as a page contains it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct NotificationGroup {
    /// Key of the group.
    pub group_key: String,
    /// Number of notifications in the group.
    pub notifications_count: i64,
    /// Cause: a name of [`view::NotificationKind`], or another one from other servers.
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// Newest notification of the group.
    pub most_recent_notification_id: NotificationId,
    /// Oldest notification of the group on the page. Clients compare it with other pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_min_id: Option<NotificationId>,
    /// Newest notification of the group on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_max_id: Option<NotificationId>,
    /// Time of the newest notification of the group on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest_page_notification_at: Option<Instant>,
    /// Some accounts that caused the newest notifications, the newest first.
    pub sample_account_ids: Vec<AccountId>,
    /// Status that the notifications are about; absent if they are about an account only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_id: Option<StatusId>,
    /// What the moderators did; absent unless this is a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moderation_warning: Option<AccountWarning>,
    /// The report that it is about; absent unless the recipient is staff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
}

/// The fields of an account that a client needs to show its avatar.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct PartialAccount {
    /// Id of the account on this server.
    pub id: AccountId,
    /// `username` for local accounts, `username@domain` for remote ones.
    pub acct: String,
    /// Address of the profile page; null if unknown.
    pub url: Option<String>,
    /// Address of the avatar, or of a placeholder.
    pub avatar: String,
    /// Address of the avatar without animation.
    pub avatar_static: String,
    /// Whether the owner approves follow requests manually.
    pub locked: bool,
    /// Whether the owner marked the account as automated.
    pub bot: bool,
}

/// Which accounts a response contains as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExpandAccounts {
    /// All samples of all groups.
    #[default]
    Full,
    /// The newest sample of each group; the others are [partial](PartialAccount).
    PartialAvatars,
}

impl ExpandAccounts {
    /// Returns the value with this name: `full` or `partial_avatars`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "full" => Some(Self::Full),
            "partial_avatars" => Some(Self::PartialAvatars),
            _ => None,
        }
    }
}

/// Renders groups with the accounts and statuses that they refer to.
#[must_use]
pub fn render(
    grouped: &view::GroupedNotifications,
    expand: ExpandAccounts,
    urls: &Urls,
    now: view::Timestamp,
) -> GroupedNotifications {
    let whole_accounts = whole_accounts(&grouped.groups.items, expand);
    let (whole, partial): (Vec<_>, Vec<_>) =
        grouped.accounts.iter().partition(|account| whole_accounts.contains(&account.id));
    let groups = grouped.groups.items.iter();
    let partial = || partial.iter().map(|account| render_partial(account, urls)).collect();
    GroupedNotifications {
        accounts: whole.iter().map(|account| account::render(account, urls)).collect(),
        partial_accounts: (expand == ExpandAccounts::PartialAvatars).then(partial),
        statuses: grouped.statuses.iter().map(|one| status::render(one, urls, now)).collect(),
        notification_groups: groups.map(|group| render_group(group, urls)).collect(),
    }
}

/// Returns the accounts that the response contains as a whole.
fn whole_accounts(
    groups: &[view::NotificationGroup],
    expand: ExpandAccounts,
) -> HashSet<AccountId> {
    let of_group = |group: &view::NotificationGroup| match expand {
        ExpandAccounts::Full => group.samples.clone(),
        ExpandAccounts::PartialAvatars => group.samples.first().copied().into_iter().collect(),
    };
    groups.iter().flat_map(of_group).collect()
}

/// Returns the condition for the accounts that the response contains as a whole. All accounts are
/// samples of some group.
fn is_whole(
    groups: &[view::NotificationGroup],
    expand: ExpandAccounts,
) -> impl Fn(AccountId) -> bool {
    let whole = (expand != ExpandAccounts::Full).then(|| whole_accounts(groups, expand));
    move |id| whole.as_ref().is_none_or(|whole| whole.contains(&id))
}

/// Renders one group.
fn render_group(group: &view::NotificationGroup, urls: &Urls) -> NotificationGroup {
    NotificationGroup {
        group_key: group.key.to_string(),
        notifications_count: group.count,
        kind: group.kind.as_str().into(),
        most_recent_notification_id: group.newest,
        page_min_id: Some(group.oldest),
        page_max_id: Some(group.newest),
        latest_page_notification_at: Some(Instant(group.newest_at)),
        sample_account_ids: group.samples.clone(),
        status_id: group.status,
        moderation_warning: render_warning(group.record.as_ref(), urls),
        report: render_report(group.record.as_ref(), urls),
    }
}

/// Renders the fields of an account that its avatar needs.
fn render_partial(account: &view::Account, urls: &Urls) -> PartialAccount {
    let account::AccountSnapshot { id, acct, url, avatar, avatar_static, locked, bot, .. } =
        account::render_snapshot(account, urls);
    PartialAccount { id, acct, url, avatar, avatar_static, locked, bot }
}

/// Appends the JSON of as many groups as the budget allows, at least one, with what they refer to.
/// Returns their range. If all groups are written, the bytes are those of [`render`].
pub fn write(
    out: &mut Vec<u8>,
    grouped: &view::GroupedNotifications,
    expand: ExpandAccounts,
    budget: Budget,
    pieces: &Pieces<'_>,
) -> Range<usize> {
    let groups = &grouped.groups.items;
    // Leaving out groups needs a slower path, so first try to write all of them.
    let written = out.len();
    write_all(out, grouped, expand, pieces);
    if out.len() - written <= budget.bytes {
        return 0..groups.len();
    }
    out.truncate(written);
    let mut writer = Writer::new(grouped, whole_accounts(groups, expand), pieces);
    let in_order: Vec<&view::NotificationGroup> = match budget.keep {
        Keep::First => groups.iter().collect(),
        Keep::Last => groups.iter().rev().collect(),
    };
    let mut written = 0;
    for group in in_order {
        writer.add(group);
        if written > 0 && writer.bytes > budget.bytes {
            writer.remove(group);
            break;
        }
        written += 1;
    }
    let range = match budget.keep {
        Keep::First => 0..written,
        Keep::Last => groups.len() - written..groups.len(),
    };
    writer.finish(out, grouped, &groups[range.clone()], expand);
    range
}

/// Appends the JSON of all groups with what they refer to.
fn write_all(
    out: &mut Vec<u8>,
    grouped: &view::GroupedNotifications,
    expand: ExpandAccounts,
    pieces: &Pieces<'_>,
) {
    let is_whole = is_whole(&grouped.groups.items, expand);
    let accounts: usize =
        grouped.accounts.iter().map(|account| account_room(account, pieces)).sum();
    let statuses: usize = grouped.statuses.iter().map(|status| room(status, pieces)).sum();
    out.reserve(accounts + statuses + grouped.groups.items.len() * GROUP_BYTES);
    out.extend_from_slice(b"{\"accounts\":");
    let whole = grouped.accounts.iter().filter(|account| is_whole(account.id));
    write_parts(out, whole, |out, account| write_account(out, account, pieces));
    if expand == ExpandAccounts::PartialAvatars {
        out.extend_from_slice(b",\"partial_accounts\":");
        let partial = grouped.accounts.iter().filter(|account| !is_whole(account.id));
        write_parts(out, partial, |out, account| {
            write_json(out, &render_partial(account, pieces.urls));
        });
    }
    out.extend_from_slice(b",\"statuses\":");
    write_parts(out, &grouped.statuses, |out, status| write_status(out, status, pieces));
    write_groups(out, &grouped.groups.items, pieces);
}

/// Appends the JSON array of these parts.
fn write_parts<T>(
    out: &mut Vec<u8>,
    parts: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (place, part) in parts.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write(out, part);
    }
    out.push(b']');
}

/// Appends the groups themselves, and the end of the response.
fn write_groups(out: &mut Vec<u8>, groups: &[view::NotificationGroup], pieces: &Pieces<'_>) {
    out.extend_from_slice(b",\"notification_groups\":");
    write_parts(out, groups, |out, group| write_json(out, &render_group(group, pieces.urls)));
    out.push(b'}');
}

/// Rendered accounts and statuses of the groups that a response contains.
struct Writer<'v, 'p> {
    pieces: &'p Pieces<'p>,
    whole: HashSet<AccountId>,
    accounts: HashMap<AccountId, &'v view::Account>,
    statuses: HashMap<StatusId, &'v view::Status>,
    /// JSON of the accounts, whole or partial, with the group that was the first to need them.
    written_accounts: HashMap<AccountId, (view::GroupKey, Vec<u8>)>,
    written_statuses: HashMap<StatusId, (view::GroupKey, Vec<u8>)>,
    /// Size of all parts so far, in bytes.
    bytes: usize,
}

impl<'v, 'p> Writer<'v, 'p> {
    fn new(
        grouped: &'v view::GroupedNotifications,
        whole: HashSet<AccountId>,
        pieces: &'p Pieces<'p>,
    ) -> Self {
        let accounts = grouped.accounts.iter().map(|account| (account.id, account.as_ref()));
        let statuses = grouped.statuses.iter().map(|status| (status.body.id, status));
        Self {
            pieces,
            whole,
            accounts: accounts.collect(),
            statuses: statuses.collect(),
            written_accounts: HashMap::new(),
            written_statuses: HashMap::new(),
            bytes: 0,
        }
    }

    /// Renders what `group` refers to and no group before it.
    fn add(&mut self, group: &view::NotificationGroup) {
        for id in &group.samples {
            let Some(account) = self.accounts.get(id) else { continue };
            if self.written_accounts.contains_key(id) {
                continue;
            }
            let mut out = Vec::new();
            if self.whole.contains(id) {
                write_account(&mut out, account, self.pieces);
            } else {
                write_json(&mut out, &render_partial(account, self.pieces.urls));
            }
            self.bytes += out.len() + 1;
            self.written_accounts.insert(*id, (group.key, out));
        }
        let status = group.status.and_then(|id| self.statuses.get(&id));
        if let Some(status) = status
            && !self.written_statuses.contains_key(&status.body.id)
        {
            let mut out = Vec::new();
            write_status(&mut out, status, self.pieces);
            self.bytes += out.len() + 1;
            self.written_statuses.insert(status.body.id, (group.key, out));
        }
    }

    /// Removes what only `group` refers to.
    fn remove(&mut self, group: &view::NotificationGroup) {
        self.written_accounts.retain(|_, (key, _)| *key != group.key);
        self.written_statuses.retain(|_, (key, _)| *key != group.key);
    }

    /// Appends the JSON. Accounts and statuses are in the order of `grouped`.
    fn finish(
        self,
        out: &mut Vec<u8>,
        grouped: &view::GroupedNotifications,
        groups: &[view::NotificationGroup],
        expand: ExpandAccounts,
    ) {
        let accounts = |out: &mut Vec<u8>, whole: bool| {
            let ids = grouped.accounts.iter().map(|account| account.id);
            let ids = ids.filter(|id| self.whole.contains(id) == whole);
            write_rendered(out, ids.filter_map(|id| self.written_accounts.get(&id)));
        };
        out.extend_from_slice(b"{\"accounts\":");
        accounts(out, true);
        if expand == ExpandAccounts::PartialAvatars {
            out.extend_from_slice(b",\"partial_accounts\":");
            accounts(out, false);
        }
        out.extend_from_slice(b",\"statuses\":");
        let statuses = grouped.statuses.iter();
        write_rendered(out, statuses.filter_map(|one| self.written_statuses.get(&one.body.id)));
        write_groups(out, groups, self.pieces);
    }
}

/// Appends the JSON array of these rendered parts.
fn write_rendered<'b>(
    out: &mut Vec<u8>,
    parts: impl Iterator<Item = &'b (view::GroupKey, Vec<u8>)>,
) {
    write_parts(out, parts, |out, (_, part)| out.extend_from_slice(part));
}
