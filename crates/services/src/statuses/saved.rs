//! Lists of an account's bookmarks and favourites.

use siskin_entities::{Page, PageRequest, Status, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    statuses::{Entry, SavedStatus, bookmarks as bookmark_rows, favourites as favourite_rows},
};
use siskin_policy::timelines::may_see;

use crate::{
    Result,
    pages::{self, ById, Source},
    viewing::Viewing,
};

/// Loads a page of an account's bookmarked statuses, the latest bookmark first. Leaves out statuses
/// that are not visible to the account any more. The cursor consists of the ids of the
/// bookmarks, not of the statuses.
///
/// # Errors
/// Storage errors only. The same holds for [`favourites`].
pub fn bookmarks(
    conn: &mut Conn,
    account: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Status>> {
    saved(conn, account, now, page, bookmark_rows::statuses)
}

/// Loads a page of an account's favourited statuses, the latest favourite first. Leaves out
/// statuses that are not visible to the account any more. The cursor consists of the ids of
/// the favourites, not of the statuses.
pub fn favourites(
    conn: &mut Conn,
    account: AccountId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Status>> {
    saved(conn, account, now, page, favourite_rows::statuses)
}

/// Reads saved statuses of an account, the latest first.
type ReadSaved =
    fn(&mut Conn, AccountId, PageRequest) -> siskin_persistence::Result<Vec<SavedStatus>>;

fn saved(
    conn: &mut Conn,
    account: AccountId,
    now: Timestamp,
    page: PageRequest,
    read: ReadSaved,
) -> Result<Page<Status>> {
    let viewing = Viewing::of(conn, Some(account), now)?;
    pages::build(&mut SavedStatuses { viewing, account, read }, page)
}

struct SavedStatuses<'c> {
    viewing: Viewing<'c>,
    account: AccountId,
    read: ReadSaved,
}

impl pages::Candidate for SavedStatus {
    fn id(&self) -> i64 {
        self.row
    }
}

impl Source for SavedStatuses<'_> {
    type Candidate = SavedStatus;
    type Item = Status;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<SavedStatus>> {
        Ok((self.read)(self.viewing.conn, self.account, request)?)
    }

    fn may_show(&self, _candidate: &SavedStatus) -> bool {
        true
    }

    fn shown(&mut self, saved: &[SavedStatus]) -> Result<ById<Status>> {
        // Reblogs cannot be saved.
        let entry = |one: &SavedStatus| Entry { id: one.status, reblog_of: None };
        let entries: Vec<Entry> = saved.iter().map(entry).collect();
        let mut shown = self.viewing.load(&entries, |viewer, facts, _| may_see(viewer, facts))?;
        let item = |one: &SavedStatus| Some((one.row, shown.remove(&one.status.get())?));
        Ok(saved.iter().filter_map(item).collect())
    }
}
