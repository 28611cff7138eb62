//! Decides which stored notifications their recipient sees, and loads these.

use std::sync::Arc;

use siskin_entities::{Notification, PageRequest, Status, Timestamp, ViewerRelations};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, IdMap, IdSet, PageGuess, accounts,
    notifications::{self as rows, NotificationFilter, StoredNotification},
    page_guess,
    statuses::{Entry, LoadedStatus, load_candidates},
};
use siskin_policy::{
    notifications::{NotificationFacts, may_show_sender, shows},
    visibility::AccountFacts,
};

use super::records::Records;
use crate::{
    Result,
    pages::{self, ById, Source},
    viewing::GuessedPage,
};

impl pages::Candidate for StoredNotification {
    fn id(&self) -> i64 {
        self.id.get()
    }
}

/// The notifications of an account, for a page of them.
pub(super) struct Inbox<'c, 'f> {
    pub(super) conn: &'c mut Conn,
    pub(super) recipient: AccountId,
    /// The recipient's relations in the database snapshot of the page.
    pub(super) relations: Arc<ViewerRelations>,
    pub(super) filter: &'f NotificationFilter,
    pub(super) now: Timestamp,
}

impl Source for Inbox<'_, '_> {
    type Candidate = StoredNotification;
    type Item = Notification;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<StoredNotification>> {
        Ok(rows::candidates(self.conn, self.recipient, self.filter, request)?)
    }

    fn may_show(&self, candidate: &StoredNotification) -> bool {
        candidate.kind.is_for_staff() || may_show_sender(&self.relations, candidate.from, self.now)
    }

    fn hidden_guess(&self) -> PageGuess {
        page_guess(self.conn, Some(self.recipient), GuessedPage::Notifications.number())
    }

    fn shown(&mut self, candidates: &[StoredNotification]) -> Result<ById<Notification>> {
        let shown = shown(self.conn, &self.relations, candidates, self.now)?;
        Ok(shown.into_iter().map(|one| (one.id.get(), one)).collect())
    }
}

/// Loads those of these notifications that the recipient sees, in their order. Runs a fixed number
/// of statements.
pub(super) fn shown(
    conn: &mut Conn,
    recipient: &ViewerRelations,
    stored: &[StoredNotification],
    now: Timestamp,
) -> Result<Vec<Notification>> {
    let senders: IdSet<AccountId> = stored.iter().map(|one| one.from).collect();
    let senders = accounts::load(conn, &senders.into_iter().collect::<Vec<_>>())?;
    let about: IdSet<StatusId> = stored.iter().filter_map(|one| one.status).collect();
    // No notification is about a reblog.
    let entries: Vec<Entry> = about.into_iter().map(|id| Entry { id, reblog_of: None }).collect();
    let statuses = load_candidates(conn, &entries, recipient.viewer())?;
    let mut statuses: IdMap<StatusId, LoadedStatus> =
        statuses.into_iter().map(|loaded| (loaded.status.body.id, loaded)).collect();
    let mut uses: IdMap<StatusId, usize> = IdMap::default();
    for id in stored.iter().filter_map(|one| one.status) {
        *uses.entry(id).or_default() += 1;
    }
    let records = Records::load(conn, stored)?;
    let shown = |one: &StoredNotification| {
        let sender = senders.get(&one.from)?;
        let record = records.of(one)?;
        // A status may be deleted between two statements of a write.
        let status = one.status.map(|id| statuses.get(&id).ok_or(())).transpose().ok()?;
        let facts = NotificationFacts {
            kind: one.kind,
            sender: AccountFacts::of(sender),
            status: status.map(LoadedStatus::facts),
        };
        let is_shown = shows(recipient, &facts, now);
        let status = one.status.and_then(|id| take_or_clone(&mut statuses, &mut uses, id));
        is_shown.then(|| Notification {
            id: one.id,
            kind: one.kind,
            account: Arc::clone(sender),
            status,
            record,
            created_at: one.created_at,
            filtered: one.filtered,
        })
    };
    Ok(stored.iter().filter_map(shown).collect())
}

/// Returns a status, without a copy if this is its last use: most notifications on a page are about
/// different statuses, and a copy takes as long as to render it.
fn take_or_clone(
    statuses: &mut IdMap<StatusId, LoadedStatus>,
    uses: &mut IdMap<StatusId, usize>,
    id: StatusId,
) -> Option<Status> {
    let left = uses.get_mut(&id)?;
    *left = left.saturating_sub(1);
    match *left {
        0 => statuses.remove(&id).map(|loaded| loaded.status),
        _ => statuses.get(&id).map(|loaded| loaded.status.clone()),
    }
}
