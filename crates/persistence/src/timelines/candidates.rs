//! Candidates of home and list timelines, from the [feed](crate::feeds) or by a search of the
//! statuses.

use diesel::{
    prelude::*,
    sql_types::{Bool, SmallInt},
};
use siskin_entities::{
    Cursor, PageRequest, RepliesPolicy, Visibility,
    feed::{Feed, FeedStage},
};
use siskin_ids::{AccountId, ListId, StatusId};

use super::Candidate;
use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    feeds::State,
    fixed::fixed,
    page::{cut_rows, newest_first},
    schema::{
        account_stats, feed_entries, follows, list_accounts, lists, mentions, statuses,
        statuses_tags, tag_follows,
    },
    statuses::row_exists,
};

/// Maximum number of accounts, and of their statuses together, that count as few.
const FEW_ACCOUNTS: usize = 200;
const FEW_STATUSES: i64 = 3000;

/// Loads candidates of a timeline, newest first: the rows of its feed if it is ready, and by a
/// search below the feed. `state` is the state of the feed in the same database snapshot.
pub fn feed_candidates(
    conn: &mut Conn,
    feed: Feed,
    state: Option<State>,
    request: PageRequest,
) -> Result<Vec<Candidate>> {
    let floor = state.filter(|state| state.stage == FeedStage::Ready).map(|state| state.floor);
    let Some(floor) = floor.filter(|floor| !begins_below(*floor, request.cursor)) else {
        return search(conn, feed, request);
    };
    // An edit of an old status adds an entry below the floor.
    let query = feed_entries::table
        .filter(feed_entries::feed_id.eq(feed.id()))
        .filter(feed_entries::status_id.ge(floor))
        .select((feed_entries::status_id, feed_entries::reblog_of_id, feed_entries::account_id));
    let rows: Vec<Candidate> = cut_rows!(conn, query, feed_entries::status_id, request)?;
    let mut found = newest_first(rows, request);
    if let Some(rest) = rest(&found, floor, request) {
        found.extend(search(conn, feed, rest)?);
    }
    Ok(found)
}

/// Returns `true` if a page with this cursor begins below the feed.
fn begins_below(floor: i64, cursor: Cursor) -> bool {
    let above_page = cursor.max.is_some_and(|max| max <= floor);
    cursor.min.is_some_and(|min| min < floor.saturating_sub(1)) || above_page
}

/// Returns the request for the candidates below the feed. Returns `None` if the feed has enough.
fn rest(found: &[Candidate], floor: i64, request: PageRequest) -> Option<PageRequest> {
    let limit = request.limit - i64::try_from(found.len()).unwrap_or(i64::MAX);
    let Cursor { since, min, .. } = request.cursor;
    let ends_above = floor == 0 || min.is_some() || since.is_some_and(|since| since >= floor);
    let cursor = Cursor { max: Some(floor), since, min: None };
    (limit > 0 && !ends_above).then_some(PageRequest { cursor, limit })
}

/// Searches candidates of a timeline among all statuses, newest first.
pub fn search(conn: &mut Conn, feed: Feed, request: PageRequest) -> Result<Vec<Candidate>> {
    match feed {
        Feed::Home(viewer) => search_home(conn, viewer, request),
        Feed::List(owner, list) => search_list(conn, owner, list, request),
    }
}

/// Searches each of `$ranges` for candidates that `$condition` allows, and cuts them to the page.
macro_rules! search_ranges {
    ($conn:expr, $ranges:expr, $request:expr, $condition:expr) => {{
        let request: PageRequest = $request;
        let mut rows: Vec<Candidate> = Vec::new();
        for range in $ranges.each() {
            let query = statuses::table.filter($condition).select((
                statuses::id,
                statuses::reblog_of_id,
                statuses::account_id,
            ));
            let found: Vec<Candidate> = match range {
                Range::Authors(authors) => {
                    let query = query.filter(statuses::account_id.equals_any(authors));
                    cut_rows!($conn, query, statuses::id, request)?
                }
                Range::Statuses(ids) => {
                    let query = query.filter(statuses::id.equals_any(ids));
                    cut_rows!($conn, query, statuses::id, request)?
                }
                Range::All => cut_rows!($conn, query, statuses::id, request)?,
            };
            rows.extend(found);
        }
        newest_first(merge(rows, request, |candidate| candidate.id), request)
    }};
}

/// `true` if the current status is no reblog, or the follow (`follows`) shows reblogs.
macro_rules! follow_shows {
    () => {
        statuses::reblog_of_id.is_null().or(follows::show_reblogs.eq(true))
    };
}

/// `true` if the current status is no reply, or a reply to its author or to `$viewer`.
macro_rules! is_no_reply_to_others {
    ($viewer:expr) => {{
        let parent_author = statuses::in_reply_to_account_id.assume_not_null();
        statuses::in_reply_to_id
            .is_null()
            .or(parent_author.eq(statuses::account_id))
            .or(parent_author.eq($viewer))
    }};
}

/// `true` if the current status is not direct, or mentions `$viewer`.
macro_rules! is_not_for_others {
    ($viewer:expr) => {
        statuses::visibility.ne(Visibility::Direct.number()).or(row_exists!(
            mentions::table
                .filter(mentions::status_id.eq(statuses::id))
                .filter(mentions::account_id.eq($viewer)),
        ))
    };
}

/// `true` if `$viewer` follows the author of the current status's parent.
macro_rules! follows_parent_author {
    ($viewer:expr) => {
        row_exists!(
            parent_follows.filter(parent_follows.field(follows::account_id).eq($viewer)).filter(
                parent_follows
                    .field(follows::target_account_id)
                    .eq(statuses::in_reply_to_account_id.assume_not_null()),
            ),
        )
    };
}

diesel::alias!(
    follows as parent_follows: ParentFollows,
    list_accounts as parent_members: ParentMembers,
);

/// Searches statuses and reblogs of `viewer` and of followed accounts, without replies to accounts
/// that the viewer does not follow, and public statuses with a followed hashtag.
fn search_home(conn: &mut Conn, viewer: AccountId, request: PageRequest) -> Result<Vec<Candidate>> {
    let ranges = Ranges::of_home(conn, viewer)?;
    let is_public = || statuses::visibility.eq(fixed!(SmallInt, "0"));
    Ok(search_ranges!(conn, ranges, request, {
        let by_followed = row_exists!(
            follows::table
                .filter(follows::account_id.eq(viewer))
                .filter(follows::target_account_id.eq(statuses::account_id))
                .filter(follow_shows!()),
        );
        let has_followed_tag = row_exists!(
            statuses_tags::table
                .inner_join(tag_follows::table.on(tag_follows::tag_id.eq(statuses_tags::tag_id)))
                .filter(statuses_tags::status_id.eq(statuses::id))
                .filter(tag_follows::account_id.eq(viewer)),
        );
        let by_tag = is_public().and(statuses::reblog_of_id.is_null()).and(has_followed_tag);
        let is_included = is_no_reply_to_others!(viewer).or(follows_parent_author!(viewer));
        let by_followed = by_followed.and(is_included).and(is_not_for_others!(viewer));
        statuses::account_id.eq(viewer).or(by_followed).or(by_tag)
    }))
}

/// Searches statuses and reblogs of the members of a list, without replies that its policy leaves
/// out.
fn search_list(
    conn: &mut Conn,
    owner: AccountId,
    list: ListId,
    request: PageRequest,
) -> Result<Vec<Candidate>> {
    let policy: Option<i16> =
        lists::table.find(list).select(lists::replies_policy).first(conn).optional()?;
    let Some(policy) = policy.map(RepliesPolicy::from_number) else { return Ok(Vec::new()) };
    let ranges = Ranges::of_list(conn, list)?;
    Ok(search_ranges!(conn, ranges, request, {
        let by_member = row_exists!(
            list_accounts::table
                .inner_join(follows::table.on(follows::id.eq(list_accounts::follow_id)))
                .filter(list_accounts::list_id.eq(list))
                .filter(list_accounts::account_id.eq(statuses::account_id))
                .filter(follow_shows!()),
        );
        let to_followed = (policy == RepliesPolicy::Followed).into_sql::<Bool>();
        let to_members = (policy == RepliesPolicy::List).into_sql::<Bool>();
        let is_reply_to_member = row_exists!(
            parent_members.filter(parent_members.field(list_accounts::list_id).eq(list)).filter(
                parent_members
                    .field(list_accounts::account_id)
                    .eq(statuses::in_reply_to_account_id.assume_not_null()),
            ),
        );
        by_member.and(is_not_for_others!(owner)).and(
            is_no_reply_to_others!(owner)
                .or(to_followed.and(follows_parent_author!(owner)))
                .or(to_members.and(is_reply_to_member)),
        )
    }))
}

/// Where to search.
enum Ranges {
    /// Few candidates: find all, then sort.
    Few { authors: Vec<AccountId>, statuses: Vec<StatusId> },
    /// Many candidates: scan backwards in time until the page is full.
    Many,
}

/// The range of one statement.
#[derive(Clone, Copy)]
enum Range<'c> {
    Authors(&'c [AccountId]),
    Statuses(&'c [StatusId]),
    All,
}

impl Ranges {
    /// Returns the ranges of home: statuses of followed accounts, of `viewer`, and with followed
    /// hashtags.
    fn of_home(conn: &mut Conn, viewer: AccountId) -> Result<Self> {
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

    /// Returns the ranges of a list: statuses of its members.
    fn of_list(conn: &mut Conn, list: ListId) -> Result<Self> {
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

    /// Returns the ranges. Each needs one statement.
    fn each(&self) -> impl Iterator<Item = Range<'_>> {
        let [first, second] = match self {
            Self::Few { authors, statuses } => {
                let statuses = (!statuses.is_empty()).then_some(Range::Statuses(statuses));
                [Some(Range::Authors(authors)), statuses]
            }
            Self::Many => [Some(Range::All), None],
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(max: Option<i64>, since: Option<i64>, min: Option<i64>) -> Cursor {
        Cursor { max, since, min }
    }

    #[test]
    fn a_feed_serves_pages_above_its_floor() {
        for (max, min, below) in [
            (None, None, false),
            (Some(101), None, false),
            (Some(100), None, true),
            (Some(99), None, true),
            (None, Some(99), false),
            (None, Some(98), true),
            (Some(200), Some(150), false),
        ] {
            assert_eq!(begins_below(100, cursor(max, None, min)), below, "{max:?} {min:?}");
            assert!(!begins_below(0, cursor(max, None, min)));
        }
    }

    #[test]
    fn a_short_page_continues_below_the_floor() {
        let candidate =
            |id| Candidate { id: StatusId::new(id), reblog_of: None, author: AccountId::new(1) };
        let found = [102, 100].map(candidate);
        let request = |since, min| PageRequest { cursor: cursor(None, since, min), limit: 4 };
        let below = PageRequest { cursor: cursor(Some(100), None, None), limit: 2 };
        assert_eq!(rest(&found, 100, request(None, None)), Some(below));
        assert_eq!(rest(&found, 0, request(None, None)), None);
        assert_eq!(rest(&found, 100, request(None, Some(99))), None);
        assert_eq!(rest(&found, 100, request(Some(100), None)), None);
        assert!(rest(&found, 100, request(Some(99), None)).is_some());
        assert_eq!(rest(&found, 100, PageRequest { limit: 2, ..request(None, None) }), None);
    }
}
