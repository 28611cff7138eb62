//! Fast path of fan-out: decides about most followers of a status without the full rule.
//!
//! The rule of a timeline ([`crate::timelines::rules`]) checks blocks and mutes in both directions
//! for each viewer. For most statuses, one query finds all viewers that can be affected. Only those
//! need the full check. All others get the status if the follow, list or hashtag includes it.

use diesel::{
    dsl::not,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::Visibility;
use siskin_ids::{AccountId, StatusId};

use crate::{
    Conn, Result,
    conn::each,
    equals_any::{list_of, rows_of_list},
    prepared::prepared,
    schema::{accounts, mentions, statuses},
    statuses::{is_active, reblogged, row_exists},
    timelines::rules::with_reblogged,
};

/// Maximum number of viewers that get the full check separately. With more, all viewers get it.
const MAX_CHECKED: i64 = 500;

/// A status for which the fast path applies.
#[derive(Debug)]
pub(super) struct FastPath {
    pub(super) author: AccountId,
    /// Author of the parent status, unless it is the same author.
    pub(super) parent_author: Option<AccountId>,
    /// Whether tag followers get the status too.
    pub(super) for_tag_followers: bool,
    /// Followers that need the full visibility check: they block or mute a participant, are blocked
    /// by an author, or have the author in an exclusive list. May contain accounts that pass the
    /// check.
    pub(super) to_check: Vec<AccountId>,
}

type Facts = (
    (AccountId, i16, Option<StatusId>, Option<AccountId>),
    (Option<StatusId>, Option<AccountId>, Option<i16>),
);

impl FastPath {
    /// Loads the facts of a status. Returns `None` if the fast path does not apply: to direct
    /// statuses, to silenced authors, to replies with an unknown parent author, and if too many
    /// viewers need the full check.
    pub(super) fn find(conn: &mut Conn, status: StatusId) -> Result<Option<Self>> {
        let Some(facts) = facts(conn, status)? else { return Ok(None) };
        let ((author, visibility, parent, author_of_parent), (reblog_of, inner, inner_visibility)) =
            facts;
        let is_open = |visibility: i16| Visibility::from_number(visibility).is_open();
        let is_for_followers = Visibility::from_number(visibility) != Visibility::Direct;
        let is_known = parent.is_none() || author_of_parent.is_some();
        if !is_for_followers || !is_known || inner_visibility.is_some_and(|inner| !is_open(inner)) {
            return Ok(None);
        }
        let authors: Vec<AccountId> = inner.into_iter().chain([author]).collect();
        let mut concerned: Vec<AccountId> = mentions::table
            .filter(mentions::status_id.eq(reblog_of.unwrap_or(status)))
            .filter(mentions::silent.eq(false))
            .select(mentions::account_id)
            .load(conn)?;
        concerned.extend(&authors);
        let to_check = to_check(conn, author, &authors, &concerned)?;
        Ok(to_check.map(|to_check| Self {
            author,
            parent_author: parent
                .and(author_of_parent)
                .filter(|author_of_parent| *author_of_parent != author),
            for_tag_followers: Visibility::from_number(visibility) == Visibility::Public
                && reblog_of.is_none(),
            to_check,
        }))
    }
}

/// Loads the columns for the decision. Returns `None` if an author is not active, or if the author
/// of the status is silenced.
fn facts(conn: &mut Conn, status: StatusId) -> Result<Option<Facts>> {
    let inner = reblogged.field(statuses::account_id);
    let limited = row_exists!(
        accounts::table
            .filter(accounts::id.eq(statuses::account_id))
            .filter(accounts::silenced_at.is_not_null()),
    );
    Ok(with_reblogged!()
        .filter(statuses::id.eq(status))
        .filter(is_active!(account: statuses::account_id))
        .filter(not(limited))
        .filter(reblogged.field(statuses::id).is_null().or(is_active!(account: inner)))
        .select((
            (
                statuses::account_id,
                statuses::visibility,
                statuses::in_reply_to_id,
                statuses::in_reply_to_account_id,
            ),
            (
                statuses::reblog_of_id,
                inner.nullable(),
                reblogged.field(statuses::visibility).nullable(),
            ),
        ))
        .first(conn)
        .optional()?)
}

#[derive(QueryableByName)]
pub(super) struct ViewerRow {
    #[diesel(sql_type = BigInt)]
    pub(super) id: AccountId,
}

/// Selects accounts that block or mute one of the `concerned`, or block their domain.
pub(super) const BLOCKING_OR_MUTING: &str =
    "SELECT blocks.account_id AS id FROM concerned CROSS JOIN blocks
         WHERE blocks.target_account_id = concerned.id
     UNION ALL SELECT mutes.account_id FROM concerned CROSS JOIN mutes
         WHERE mutes.target_account_id = concerned.id
     UNION ALL SELECT account_domain_blocks.account_id
         FROM concerned CROSS JOIN accounts CROSS JOIN account_domain_blocks
         WHERE accounts.id = concerned.id AND account_domain_blocks.domain = accounts.domain";

/// Returns the viewers that need the full check. Returns `None` if there may be more than
/// [`MAX_CHECKED`].
fn to_check(
    conn: &mut Conn,
    author: AccountId,
    authors: &[AccountId],
    concerned: &[AccountId],
) -> Result<Option<Vec<AccountId>>> {
    let (concerned_rows, author_rows) = (rows_of_list(conn, "$1"), rows_of_list(conn, "$2"));
    let query = sql_query(format!(
        "WITH concerned AS ({concerned_rows}), writers AS ({author_rows})
         SELECT id FROM (
             {BLOCKING_OR_MUTING}
             UNION ALL SELECT blocks.target_account_id FROM writers CROSS JOIN blocks
                 WHERE blocks.account_id = writers.id
             UNION ALL SELECT lists.account_id FROM list_accounts CROSS JOIN lists
                 WHERE list_accounts.account_id = $3 AND lists.id = list_accounts.list_id
                 AND lists.exclusive
         ) AS doubted LIMIT $4"
    ))
    .bind::<Text, _>(list_of(concerned))
    .bind::<Text, _>(list_of(authors))
    .bind::<BigInt, _>(author)
    .bind::<BigInt, _>(MAX_CHECKED + 1);
    let found: Vec<ViewerRow> = each!(conn, conn => prepared(query).load(conn))?;
    let is_few = i64::try_from(found.len()).is_ok_and(|count| count <= MAX_CHECKED);
    Ok(is_few.then(|| found.into_iter().map(|viewer| viewer.id).collect()))
}
