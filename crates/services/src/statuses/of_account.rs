//! Statuses on a profile.

use siskin_entities::{Cursor, Page, PageRequest, Status, Timestamp};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, PageGuess, accounts,
    statuses::{ProfileFilter, pinned_candidates, profile_candidates},
    tags,
    timelines::Candidate,
};
use siskin_policy::timelines::shows_on_profile;
use siskin_text::Hashtag;

use crate::{
    Error, Result,
    pages::{self, ById, Source},
    viewing::{GuessedPage, Viewing},
};

/// Selection of an account's statuses.
#[derive(Debug, Clone, Default)]
pub struct ProfileRequest {
    /// Excludes replies to other accounts. Statuses that only mention accounts, and replies to the
    /// account itself, stay.
    pub exclude_replies: bool,
    pub exclude_reblogs: bool,
    /// Only statuses with attachments.
    pub only_media: bool,
    /// Only pinned statuses, the last pinned first.
    pub pinned: bool,
    /// Only statuses with this hashtag, in any spelling.
    pub tagged: Option<String>,
}

/// Loads a page of an account's statuses and reblogs, as far as they are visible to the viewer. The
/// page of a suspended account is empty.
///
/// # Errors
/// [`Error::NotFound`] for an account that does not exist or is not reachable.
pub fn of_account(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    account: AccountId,
    request: &ProfileRequest,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Status>> {
    let owner = accounts::find(conn, account)?.filter(|account| account.state.reachable);
    let is_suspended = owner.ok_or(Error::NotFound)?.state.suspended;
    let none = || Page::of(Vec::new(), page.limit, |_: &Status| 0);
    if is_suspended {
        return Ok(none());
    }
    let tagged = match request.tagged.as_deref().map(Hashtag::parse) {
        None => None,
        Some(tag) => match tag.map(|tag| tags::find(conn, &tag.name)).transpose()?.flatten() {
            None => return Ok(none()),
            known => known,
        },
    };
    let filter = ProfileFilter {
        exclude_replies: request.exclude_replies,
        exclude_reblogs: request.exclude_reblogs,
        only_media: request.only_media,
        tagged,
    };
    let mut viewing = Viewing::of(conn, viewer, now)?;
    if !request.pinned {
        return pages::build(&mut Profile { viewing, account, filter }, page);
    }
    let pins = pinned_candidates(viewing.conn, account, filter)?;
    let mut shown = viewing.shown(&pins, shows_on_profile)?;
    let pins: Vec<StatusId> = pins.iter().map(|pin| pin.id).collect();
    let visible = pins.iter().copied().filter(|id| shown.contains_key(&id.get())).collect();
    let page = page_of_pins(&pins, visible, page);
    let statuses = page.items.iter().filter_map(|id| shown.remove(&id.get())).collect();
    Ok(page.with_items(statuses))
}

/// The statuses and reblogs of an account.
struct Profile<'c> {
    viewing: Viewing<'c>,
    account: AccountId,
    filter: ProfileFilter,
}

impl Source for Profile<'_> {
    type Candidate = Candidate;
    type Item = Status;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        let Viewing { conn, viewer, .. } = &mut self.viewing;
        Ok(profile_candidates(conn, self.account, viewer, self.filter, request)?)
    }

    /// A profile also shows statuses of an account that the viewer mutes.
    fn may_show(&self, candidate: &Candidate) -> bool {
        !self.viewing.viewer.is_blocked_by(candidate.author)
    }

    fn hidden_guess(&self) -> PageGuess {
        self.viewing.hidden_guess(GuessedPage::Profile(self.account))
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<ById<Status>> {
        self.viewing.shown(candidates, shows_on_profile)
    }
}

/// Cuts a page out of the visible pinned statuses, in the order of `pins`. A cursor that is not a
/// pin is compared by its id.
fn page_of_pins(
    pins: &[StatusId],
    mut visible: Vec<StatusId>,
    request: PageRequest,
) -> Page<StatusId> {
    let index_of = |id: i64| pins.iter().position(|pin| pin.get() == id);
    let is_after = |id: StatusId, cursor: i64| match index_of(cursor) {
        Some(cursor) => index_of(id.get()) > Some(cursor),
        None => id.get() < cursor,
    };
    let Cursor { max, min, since } = request.cursor;
    if let Some(max) = max {
        visible.retain(|id| is_after(*id, max));
    }
    if let Some(above) = min.or(since) {
        visible.retain(|id| id.get() != above && !is_after(*id, above));
    }
    let most = usize::try_from(request.limit).unwrap_or_default();
    if min.is_some() {
        visible.drain(..visible.len().saturating_sub(most));
    }
    visible.truncate(most);
    Page::of(visible, request.limit, |id| id.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_paged_in_pin_order() {
        let pins = [5, 9, 1, 7].map(StatusId::new);
        let read = |max, min, since, limit| {
            let request = PageRequest { cursor: Cursor { max, min, since }, limit };
            let page = page_of_pins(&pins, pins.to_vec(), request);
            page.items.iter().map(|id| id.get()).collect::<Vec<_>>()
        };
        assert_eq!(read(None, None, None, 20), [5, 9, 1, 7]);
        assert_eq!(read(None, None, None, 2), [5, 9]);
        assert_eq!(read(Some(9), None, None, 20), [1, 7]);
        assert_eq!(read(None, None, Some(1), 1), [5]);
        assert_eq!(read(None, Some(1), None, 1), [9]);
        assert_eq!(read(Some(6), None, None, 20), [5, 1]);
    }
}
