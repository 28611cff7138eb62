//! The home timeline: what a person follows, read from the statuses themselves.
//!
//! It is a predicate over today's follows: nothing is stored for it, so it has no end, and a
//! change of follows, mutes or blocks holds for the past too. Which reblogs a page leaves out
//! because their status stands close by is for [`super::pages`] to say.

use diesel::{
    dsl::{not, sql},
    prelude::*,
    sql_types::{BigInt, Bool},
};
use siskin_entities::{Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, StatusId};

use crate::{
    Conn, Result,
    page::{cut, page},
    schema::{account_stats, follows, mentions, statuses},
    statuses::{finds, may_see, reblogged, wants_to_see},
};

/// A line of a home timeline: a status, or a reblog and what it reblogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub(super) struct Entry {
    pub(super) id: StatusId,
    pub(super) reblog_of: Option<StatusId>,
}

/// How the statuses of those whom a person follows are found.
pub(super) enum Sources {
    /// There are few: by author, then sorted.
    Few(Vec<AccountId>),
    /// There are many: back in time until the page is full.
    Many,
}

/// Up to so many accounts, with so many statuses together, are few.
const FEW_ACCOUNTS: usize = 200;
const FEW_STATUSES: i64 = 3000;

impl Sources {
    pub(super) fn of(conn: &mut Conn, reader: AccountId) -> Result<Self> {
        let followed: Vec<(AccountId, Option<i64>)> = follows::table
            .left_join(
                account_stats::table.on(account_stats::account_id.eq(follows::target_account_id)),
            )
            .filter(follows::account_id.eq(reader))
            .select((follows::target_account_id, account_stats::statuses_count.nullable()))
            .limit(FEW_ACCOUNTS as i64 + 1)
            .load(conn)?;
        let statuses: i64 = followed.iter().filter_map(|(_, count)| *count).sum();
        if followed.len() > FEW_ACCOUNTS || statuses > FEW_STATUSES {
            return Ok(Self::Many);
        }
        Ok(Self::Few(followed.into_iter().map(|(id, _)| id).chain([reader]).collect()))
    }
}

/// The language of what is shown is one of those that a follow asks for, or not known.
const IN_LANGUAGES: &str = "(COALESCE(reblogged.language, statuses.language) IS NULL \
    OR ',' || follows.languages || ',' \
        LIKE '%,' || COALESCE(reblogged.language, statuses.language) || ',%')";

/// The reader's own statuses and those of whom they follow, as each follow asks: with or without
/// reblogs, in its languages. Replies to people whom the reader does not follow are left out, and
/// so is what comes from, repeats or names someone whom they blocked or muted.
pub(super) fn entries(
    conn: &mut Conn,
    reader: AccountId,
    sources: &Sources,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Entry>> {
    let as_followed = finds!(
        follows::table
            .filter(follows::account_id.eq(reader))
            .filter(follows::target_account_id.eq(statuses::account_id))
            .filter(statuses::reblog_of_id.is_null().or(follows::show_reblogs.eq(true)))
            .filter(follows::languages.is_null().or(sql::<Bool>(IN_LANGUAGES))),
    );
    let addressee_is_followed = finds!(
        follows::table
            .filter(follows::account_id.eq(reader))
            .filter(follows::target_account_id.nullable().eq(statuses::in_reply_to_account_id)),
    );
    let addressee_is_known =
        sql::<Bool>("statuses.in_reply_to_account_id IN (statuses.account_id, ")
            .bind::<BigInt, _>(reader)
            .sql(")");
    let shown = sql::<BigInt>("COALESCE(statuses.reblog_of_id, statuses.id)");
    let names_unwanted = finds!(
        mentions::table
            .filter(mentions::status_id.eq(shown))
            .filter(not(wants_to_see!(reader, now, account: mentions::account_id))),
    );
    let is_reblog = reblogged.field(statuses::id).is_not_null();
    let query = statuses::table
        .left_join(
            reblogged.on(statuses::reblog_of_id.eq(reblogged.field(statuses::id).nullable())),
        )
        .filter(statuses::account_id.eq(reader).or(as_followed.and(not(names_unwanted))))
        .filter(
            statuses::in_reply_to_id
                .is_null()
                .or(statuses::account_id.eq(reader))
                .or(addressee_is_known)
                .or(addressee_is_followed),
        )
        .filter(may_see!(
            reader,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .filter(wants_to_see!(reader, now, account: statuses::account_id))
        .filter(
            not(is_reblog).or(may_see!(
                reader,
                id: reblogged.field(statuses::id),
                account: reblogged.field(statuses::account_id),
                visibility: reblogged.field(statuses::visibility)
            )
            .and(wants_to_see!(reader, now, account: reblogged.field(statuses::account_id)))),
        )
        .select((statuses::id, statuses::reblog_of_id))
        .into_boxed();
    let query = match sources {
        Sources::Few(authors) => query.filter(statuses::account_id.eq_any(authors)),
        Sources::Many => query,
    };
    let entries: Vec<Entry> = cut!(query, statuses::id, request).load(conn)?;
    Ok(page(entries, request, |entry| entry.id.get()))
}
