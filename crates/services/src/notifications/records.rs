//! Records other than statuses that notifications are about.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use siskin_entities::{NotificationKind, NotificationRecord};
use siskin_ids::{AccountId, StrikeId};
use siskin_persistence::{Conn, notifications::StoredNotification, strikes};

use crate::{Result, moderation::sign_ups, reports::VisibleReports};

/// The records of some notifications.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// By the kind of the notification and the id of the record.
    found: HashMap<(NotificationKind, i64), NotificationRecord>,
    /// Reports, which not every recipient may see.
    reports: VisibleReports,
    /// Members of staff that decide about sign-ups. Others do not learn of them any more.
    deciding: HashSet<AccountId>,
}

impl Records {
    /// Loads the records that these notifications are about. Runs statements only for the kinds
    /// that occur.
    pub(super) fn load(conn: &mut Conn, stored: &[StoredNotification]) -> Result<Self> {
        let mut found = HashMap::new();
        let warning = NotificationKind::ModerationWarning;
        let warnings: Vec<StrikeId> = ids(stored, warning).map(StrikeId::new).collect();
        if !warnings.is_empty() {
            for (id, strike) in strikes::load(conn, &warnings)? {
                let record = NotificationRecord::Strike(Arc::clone(&strike));
                found.insert((warning, id.get()), record);
            }
        }
        let mut deciding = HashSet::new();
        if stored.iter().any(|one| one.kind == NotificationKind::AdminSignUp) {
            deciding.extend(sign_ups::deciding_staff(conn)?);
        }
        Ok(Self { found, reports: VisibleReports::load(conn, stored)?, deciding })
    }

    /// Returns the record of a notification; an inner `None` if it needs none. Returns `None` if
    /// the record is gone or hidden from the recipient, so that the notification cannot be shown.
    pub(super) fn of(&self, one: &StoredNotification) -> Option<Option<NotificationRecord>> {
        match (one.kind, one.record) {
            (NotificationKind::AdminReport, _) => {
                self.reports.of(one).map(NotificationRecord::Report).map(Some)
            }
            (NotificationKind::AdminSignUp, _) => {
                self.deciding.contains(&one.recipient).then_some(None)
            }
            (_, None) => Some(None),
            (kind, Some(id)) => self.found.get(&(kind, id)).cloned().map(Some),
        }
    }
}

/// Returns the ids of the records of all notifications of a kind.
fn ids(stored: &[StoredNotification], kind: NotificationKind) -> impl Iterator<Item = i64> {
    stored.iter().filter(move |one| one.kind == kind).filter_map(|one| one.record)
}
