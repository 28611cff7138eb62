//! Counters of statuses and of their authors, changed in the transaction of what they count.
//!
//! - An author's `statuses_count` counts statuses and reblogs, direct ones aside;
//!   `last_status_at` is when the last of these was written, and a removal leaves it.
//! - A status's `replies_count` counts replies that are public or unlisted: others must not show
//!   that they exist. `reblogs_count` and `favourites_count` count all of them.

use diesel::{dsl::case_when, prelude::*};
use siskin_entities::Visibility;
use siskin_ids::{AccountId, StatusId};

use crate::{
    Result, Tx, accounts,
    among::IdExpression as _,
    conn::each,
    prepared::prepared_here,
    schema::{account_stats, status_stats},
};

/// What others did with a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reaction {
    Reply,
    Reblog,
    Favourite,
}

/// Whether a status counts among those of its author.
pub(super) fn counts_for_author(visibility: Visibility) -> bool {
    visibility != Visibility::Direct
}

/// Whether a reply counts among those of what it replies to.
pub(super) fn counts_as_reply(visibility: Visibility) -> bool {
    visibility.is_open()
}

/// Adds `by` (which may be negative) to a counter of a status.
pub(super) fn react(tx: &mut Tx<'_>, status: StatusId, reaction: Reaction, by: i64) -> Result<()> {
    let stats = diesel::update(status_stats::table.filter(status_stats::status_id.eq(status)));
    match reaction {
        Reaction::Reply => {
            let counted = status_stats::replies_count.eq(status_stats::replies_count + by);
            each!(&mut **tx, conn => prepared_here!(stats.set(counted)).execute(conn))?
        }
        Reaction::Reblog => {
            let counted = status_stats::reblogs_count.eq(status_stats::reblogs_count + by);
            each!(&mut **tx, conn => prepared_here!(stats.set(counted)).execute(conn))?
        }
        Reaction::Favourite => {
            let counted = status_stats::favourites_count.eq(status_stats::favourites_count + by);
            each!(&mut **tx, conn => prepared_here!(stats.set(counted)).execute(conn))?
        }
    };
    Ok(())
}

/// Counts a status that its author writes now.
pub(super) fn written(tx: &mut Tx<'_>, author: AccountId) -> Result<()> {
    let now = tx.now().unix_ms();
    let row = (
        account_stats::account_id.eq(author),
        account_stats::statuses_count.eq(1),
        account_stats::last_status_at.eq(now),
    );
    // Writes that were begun earlier may come later on PostgreSQL.
    let latest = case_when(account_stats::last_status_at.gt(now), account_stats::last_status_at)
        .otherwise(Some(now));
    let counted = (
        account_stats::statuses_count.eq(account_stats::statuses_count + 1),
        account_stats::last_status_at.eq(latest),
    );
    each!(&mut **tx, conn => prepared_here!(
        diesel::insert_into(account_stats::table)
            .values(row)
            .on_conflict(account_stats::account_id)
            .do_update()
            .set(counted),
    )
    .execute(conn))?;
    Ok(())
}

/// Counts away a status that its author has no longer, and a reblog of each of `rebloggers`.
pub(super) fn removed(
    tx: &mut Tx<'_>,
    rebloggers: &[AccountId],
    author: Option<AccountId>,
) -> Result<()> {
    let all: Vec<AccountId> = rebloggers.iter().copied().chain(author).collect();
    accounts::hold_counts(tx, &all)?;
    for some in [rebloggers, author.as_slice()] {
        diesel::update(account_stats::table.filter(account_stats::account_id.among(some)))
            .set(account_stats::statuses_count.eq(account_stats::statuses_count - 1))
            .execute(&mut **tx)?;
    }
    Ok(())
}
