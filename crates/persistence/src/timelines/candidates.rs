//! Where a timeline of a reader's own looks for its statuses: which of them it shows is for
//! [`super::shown`] to say.

use diesel::prelude::*;
use siskin_entities::PageRequest;
use siskin_ids::{AccountId, ListId, StatusId};

use crate::{
    Conn, Result,
    schema::{account_stats, follows, list_accounts, statuses_tags, tag_follows},
};

/// The statuses among which a timeline's are.
pub(super) enum Candidates {
    /// There are few: they are found, then sorted.
    Few { authors: Vec<AccountId>, statuses: Vec<StatusId> },
    /// There are many: back in time until the page is full.
    Many,
}

/// What one statement looks at.
#[derive(Clone, Copy)]
pub(super) enum Place<'c> {
    By(&'c [AccountId]),
    Among(&'c [StatusId]),
    Everywhere,
}

/// Up to so many accounts, with so many statuses together, are few.
const FEW_ACCOUNTS: usize = 200;
const FEW_STATUSES: i64 = 3000;

impl Candidates {
    /// Of those whom `reader` follows, of themselves, and with the hashtags that they follow.
    pub(super) fn of_home(conn: &mut Conn, reader: AccountId) -> Result<Self> {
        let followed: Vec<(AccountId, Option<i64>)> = follows::table
            .left_join(
                account_stats::table.on(account_stats::account_id.eq(follows::target_account_id)),
            )
            .filter(follows::account_id.eq(reader))
            .select((follows::target_account_id, account_stats::statuses_count.nullable()))
            .limit(FEW_ACCOUNTS as i64 + 1)
            .load(conn)?;
        let tagged: Vec<StatusId> = statuses_tags::table
            .inner_join(tag_follows::table.on(tag_follows::tag_id.eq(statuses_tags::tag_id)))
            .filter(tag_follows::account_id.eq(reader))
            .select(statuses_tags::status_id)
            .limit(FEW_STATUSES + 1)
            .load(conn)?;
        Ok(Self::by(followed, Some(reader), tagged))
    }

    /// Of the members of a list.
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
        reader: Option<AccountId>,
        statuses: Vec<StatusId>,
    ) -> Self {
        let written: i64 = authors.iter().filter_map(|(_, count)| *count).sum();
        let tagged = i64::try_from(statuses.len()).unwrap_or(i64::MAX);
        if authors.len() > FEW_ACCOUNTS || written.saturating_add(tagged) > FEW_STATUSES {
            return Self::Many;
        }
        Self::Few {
            authors: authors.into_iter().map(|(id, _)| id).chain(reader).collect(),
            statuses,
        }
    }

    /// What to look at, one statement each.
    pub(super) fn places(&self) -> impl Iterator<Item = Place<'_>> {
        let [first, second] = match self {
            Self::Few { authors, statuses } => {
                let statuses = (!statuses.is_empty()).then_some(Place::Among(statuses));
                [Some(Place::By(authors)), statuses]
            }
            Self::Many => [Some(Place::Everywhere), None],
        };
        first.into_iter().chain(second)
    }
}

/// The rows of a page out of those that were cut to it in each place, in the order of a cut.
pub(super) fn merged<T: Copy>(
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

/// Looks in each place of `$candidates` for what `$shown` allows, and cuts it to the page.
macro_rules! found_in {
    ($conn:expr, $candidates:expr, $request:expr, $shown:expr) => {{
        use $crate::among::IdExpression as _;
        let request: siskin_entities::PageRequest = $request;
        let mut rows: Vec<Entry> = Vec::new();
        for place in $candidates.places() {
            let query =
                with_reblogged!().filter($shown).select((statuses::id, statuses::reblog_of_id));
            let found: Vec<Entry> = match place {
                Place::By(authors) => {
                    let query = query.filter(statuses::account_id.among(authors));
                    cut_rows!($conn, query, statuses::id, request)?
                }
                Place::Among(ids) => {
                    let query = query.filter(statuses::id.among(ids));
                    cut_rows!($conn, query, statuses::id, request)?
                }
                Place::Everywhere => cut_rows!($conn, query, statuses::id, request)?,
            };
            rows.extend(found);
        }
        page(merged(rows, request, |entry| entry.id), request, |entry| entry.id.get())
    }};
}

pub(super) use found_in;
