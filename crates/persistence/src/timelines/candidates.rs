//! Decides where home and list timelines search for statuses. [`super::rules`] decides which of
//! them a timeline shows.

use diesel::prelude::*;
use siskin_entities::PageRequest;
use siskin_ids::{AccountId, ListId, StatusId};

use crate::{
    Conn, Result,
    schema::{account_stats, follows, list_accounts, statuses_tags, tag_follows},
};

/// Statuses that a timeline has to search.
pub(super) enum Candidates {
    /// Few candidates: find all, then sort.
    Few { authors: Vec<AccountId>, statuses: Vec<StatusId> },
    /// Many candidates: scan backwards in time until the page is full.
    Many,
}

/// The range of one statement.
#[derive(Clone, Copy)]
pub(super) enum SearchRange<'c> {
    Authors(&'c [AccountId]),
    Statuses(&'c [StatusId]),
    All,
}

/// Maximum number of accounts, and of their statuses together, that count as few.
const FEW_ACCOUNTS: usize = 200;
const FEW_STATUSES: i64 = 3000;

impl Candidates {
    /// Returns the candidates of home: statuses of followed accounts, of `viewer`, and with
    /// followed hashtags.
    pub(super) fn of_home(conn: &mut Conn, viewer: AccountId) -> Result<Self> {
        let followed: Vec<(AccountId, Option<i64>)> = follows::table
            .left_join(
                account_stats::table.on(account_stats::account_id.eq(follows::target_account_id)),
            )
            .filter(follows::account_id.eq(viewer))
            .select((follows::target_account_id, account_stats::statuses_count.nullable()))
            .limit(FEW_ACCOUNTS as i64 + 1)
            .load(conn)?;
        let tagged: Vec<StatusId> = statuses_tags::table
            .inner_join(tag_follows::table.on(tag_follows::tag_id.eq(statuses_tags::tag_id)))
            .filter(tag_follows::account_id.eq(viewer))
            .select(statuses_tags::status_id)
            .limit(FEW_STATUSES + 1)
            .load(conn)?;
        Ok(Self::by(followed, Some(viewer), tagged))
    }

    /// Returns the candidates of a list: statuses of its members.
    pub(super) fn of_list(conn: &mut Conn, list: ListId) -> Result<Self> {
        let members: Vec<(AccountId, Option<i64>)> = list_accounts::table
            .left_join(
                account_stats::table.on(account_stats::account_id.eq(list_accounts::account_id)),
            )
            .filter(list_accounts::list_id.eq(list))
            .select((list_accounts::account_id, account_stats::statuses_count.nullable()))
            .limit(FEW_ACCOUNTS as i64 + 1)
            .load(conn)?;
        Ok(Self::by(members, None, Vec::new()))
    }

    fn by(
        authors: Vec<(AccountId, Option<i64>)>,
        viewer: Option<AccountId>,
        statuses: Vec<StatusId>,
    ) -> Self {
        let written: i64 = authors.iter().filter_map(|(_, count)| *count).sum();
        let tagged = i64::try_from(statuses.len()).unwrap_or(i64::MAX);
        if authors.len() > FEW_ACCOUNTS || written.saturating_add(tagged) > FEW_STATUSES {
            return Self::Many;
        }
        Self::Few {
            authors: authors.into_iter().map(|(id, _)| id).chain(viewer).collect(),
            statuses,
        }
    }

    /// Returns the ranges to search. Each needs one statement.
    pub(super) fn ranges(&self) -> impl Iterator<Item = SearchRange<'_>> {
        let [first, second] = match self {
            Self::Few { authors, statuses } => {
                let statuses = (!statuses.is_empty()).then_some(SearchRange::Statuses(statuses));
                [Some(SearchRange::Authors(authors)), statuses]
            }
            Self::Many => [Some(SearchRange::All), None],
        };
        first.into_iter().chain(second)
    }
}

/// Merges the rows that were cut to the page in each range, in the order of a cut.
pub(super) fn merge<T: Copy>(
    mut rows: Vec<T>,
    request: PageRequest,
    id: impl Fn(&T) -> StatusId,
) -> Vec<T> {
    rows.sort_unstable_by_key(&id);
    rows.dedup_by_key(|row| id(row));
    if request.cursor.min.is_none() {
        rows.reverse();
    }
    rows.truncate(usize::try_from(request.limit).unwrap_or(0));
    rows
}

/// Searches each range of `$candidates` for entries that `$condition` allows, and cuts them to the
/// page.
macro_rules! search_ranges {
    ($conn:expr, $candidates:expr, $request:expr, $condition:expr) => {{
        use $crate::equals_any::IdExpression as _;
        let request: siskin_entities::PageRequest = $request;
        let mut rows: Vec<Entry> = Vec::new();
        for range in $candidates.ranges() {
            let query =
                with_reblogged!().filter($condition).select((statuses::id, statuses::reblog_of_id));
            let found: Vec<Entry> = match range {
                SearchRange::Authors(authors) => {
                    let query = query.filter(statuses::account_id.equals_any(authors));
                    cut_rows!($conn, query, statuses::id, request)?
                }
                SearchRange::Statuses(ids) => {
                    let query = query.filter(statuses::id.equals_any(ids));
                    cut_rows!($conn, query, statuses::id, request)?
                }
                SearchRange::All => cut_rows!($conn, query, statuses::id, request)?,
            };
            rows.extend(found);
        }
        page(merge(rows, request, |entry| entry.id), request, |entry| entry.id.get())
    }};
}

pub(super) use search_ranges;
