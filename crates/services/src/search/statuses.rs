//! Full-text search for statuses.

use siskin_entities::{
    PageRequest, Status, StatusQuery, Timestamp, ViewerRelations,
    search::{Condition, SearchScope},
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, accounts as account_rows,
    search::{self as rows, StatusSearch},
    statuses::{self as status_rows, Entry, LoadedStatus, load_candidates},
    timelines::Candidate,
};
use siskin_policy::timelines::{Found, shows_in_search};
use siskin_text::{Handle, username_key};

use super::Prepared;
use crate::{
    Instance, Result, named,
    pages::{self, ById, Source},
    viewing::Viewing,
};

/// Maximum number of statuses before a page. Each of them has to be loaded, because the viewer may
/// not see all that the index finds. Clients that go further use `max_id`.
const MAX_OFFSET: i64 = 200;

/// Returns the matching statuses, the newest first. Anonymous viewers find none.
pub(super) fn search(
    conn: &mut Conn,
    instance: &Instance,
    viewer: Option<AccountId>,
    prepared: &Prepared,
    now: Timestamp,
) -> Result<Vec<Status>> {
    let Some(account) = viewer.filter(|_| prepared.page.offset <= MAX_OFFSET) else {
        return Ok(Vec::new());
    };
    let query = StatusQuery::parse(&prepared.q);
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let Some(authors) = authors(conn, instance, account, prepared, &query)? else {
        return Ok(Vec::new());
    };
    let viewing = Viewing::of(conn, viewer, now)?;
    let mut found = FoundStatuses { viewing, account, query, authors };
    let page = pages::build(&mut found, prepared.status_page())?;
    let before = usize::try_from(prepared.page.offset).unwrap_or(usize::MAX);
    let mut items = page.items;
    if prepared.cursor.min.is_some() {
        // The page grows upwards from `min_id`, so the entries before it are the oldest.
        items.truncate(items.len().saturating_sub(before));
    } else {
        items.drain(..before.min(items.len()));
    }
    Ok(items)
}

/// Returns the status with this id if it is by the account with this name, and visible to the
/// viewer.
pub(super) fn at_address(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    prepared: &Prepared,
    username: &str,
    id: StatusId,
) -> Result<Vec<Status>> {
    if prepared.page.offset > 0 {
        return Ok(Vec::new());
    }
    let status = status_rows::find_visible(conn, id, viewer)?;
    let is_theirs = |status: &Status| {
        let author = &status.body.account;
        author.is_local() && username_key(&author.username) == username_key(username)
    };
    Ok(status.filter(is_theirs).into_iter().collect())
}

/// Returns the authors that the query and the request name. Returns `None` if no status can be by
/// all of them, because one does not exist.
fn authors(
    conn: &mut Conn,
    instance: &Instance,
    viewer: AccountId,
    prepared: &Prepared,
    query: &StatusQuery,
) -> Result<Option<Vec<Condition<AccountId>>>> {
    let mut authors = Vec::new();
    let given = prepared.account_id.as_deref().map(str::trim).filter(|id| !id.is_empty());
    if let Some(id) = given {
        let Ok(of) = id.parse() else { return Ok(None) };
        authors.push(Condition { of, is_negated: false });
    }
    for Condition { of: typed, is_negated } in &query.authors {
        let account = if typed.eq_ignore_ascii_case("me") {
            Some(viewer)
        } else {
            find_account(conn, instance, typed)?
        };
        match account {
            Some(of) => authors.push(Condition { of, is_negated: *is_negated }),
            None if *is_negated => {}
            None => return Ok(None),
        }
    }
    Ok(Some(authors))
}

fn find_account(conn: &mut Conn, instance: &Instance, typed: &str) -> Result<Option<AccountId>> {
    let Some(handle) = Handle::parse(typed) else { return Ok(None) };
    let (name, domain) = named::key(&handle, &instance.urls);
    let account = account_rows::find_by_handle(conn, &name, domain.as_deref())?;
    Ok(account.map(|account| account.id))
}

/// The statuses that the index finds.
struct FoundStatuses<'c> {
    viewing: Viewing<'c>,
    account: AccountId,
    query: StatusQuery,
    authors: Vec<Condition<AccountId>>,
}

impl Source for FoundStatuses<'_> {
    type Candidate = Candidate;
    type Item = Status;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        let Self { viewing, account, query, authors } = self;
        let search = StatusSearch { query, viewer: *account, authors };
        Ok(rows::candidates(viewing.conn, &search, request)?)
    }

    fn may_show(&self, candidate: &Candidate) -> bool {
        self.viewing.may_show_author(candidate.author)
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<ById<Status>> {
        let Self { viewing, query, account, .. } = self;
        let entries: Vec<Entry> = candidates.iter().map(Candidate::entry).collect();
        let loaded = load_candidates(viewing.conn, &entries, Some(*account))?;
        let shown = loaded.into_iter().filter(|loaded| {
            shows(&viewing.viewer, loaded, query.scope, viewing.now)
                && query.matches(&loaded.status.body)
        });
        Ok(shown.map(|loaded| (loaded.status.body.id.get(), loaded.status)).collect())
    }
}

fn shows(
    viewer: &ViewerRelations,
    loaded: &LoadedStatus,
    scope: SearchScope,
    now: Timestamp,
) -> bool {
    let body = &loaded.status.body;
    let has_reacted = body
        .viewer
        .as_ref()
        .is_some_and(|state| state.favourited || state.bookmarked || state.reblogged);
    let ballot = body.poll.as_ref().and_then(|poll| poll.viewer.as_ref());
    let has_voted = ballot.is_some_and(|ballot| !ballot.chosen.is_empty());
    let found = Found {
        scope,
        is_indexable: body.account.indexable,
        has_interacted: has_reacted || has_voted,
    };
    shows_in_search(viewer, &loaded.facts(), found, now)
}
