//! Counters of statuses and authors. They change in the transaction of the counted rows.
//!
//! - `statuses_count` of an author counts statuses and reblogs, except direct ones.
//!   `last_status_at` is the time of the last of these; deleting a status does not change it.
//! - `replies_count` of a status counts public and unlisted replies only, because the count must
//!   not reveal the others. `quotes_count` counts those of them that the author accepted.
//!   `reblogs_count` and `favourites_count` count all.

use diesel::{dsl::case_when, prelude::*};
use siskin_entities::{QuoteState, Visibility};
use siskin_ids::{AccountId, StatusId};

use crate::{
    Result, Tx, accounts,
    conn::each,
    equals_any::IdExpression as _,
    prepared::prepared_here,
    schema::{account_stats, status_stats},
};

/// A reaction of an account to a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reaction {
    Reply,
    Reblog,
    Favourite,
    Quote,
}

/// Returns `true` if the author's counter includes statuses with this visibility.
pub(super) fn counts_for_author(visibility: Visibility) -> bool {
    visibility != Visibility::Direct
}

/// Returns `true` if the parent's counter includes replies with this visibility.
pub(super) fn counts_as_reply(visibility: Visibility) -> bool {
    visibility.is_open()
}

/// Returns `true` if the counter of the quoted status includes quotes with this visibility and
/// state.
pub(super) fn counts_as_quote(visibility: Visibility, state: QuoteState) -> bool {
    visibility.is_open() && state == QuoteState::Accepted
}

/// Adds `by`, which may be negative, to a counter of a status.
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
        Reaction::Quote => {
            let counted = status_stats::quotes_count.eq(status_stats::quotes_count + by);
            each!(&mut **tx, conn => prepared_here!(stats.set(counted)).execute(conn))?
        }
    };
    Ok(())
}

/// Increments the author's status counter for a status written now.
pub(super) fn written(tx: &mut Tx<'_>, author: AccountId) -> Result<()> {
    let now = tx.now().unix_ms();
    let row = (
        account_stats::account_id.eq(author),
        account_stats::statuses_count.eq(1),
        account_stats::last_status_at.eq(now),
    );
    // On PostgreSQL, writes that started earlier may arrive later.
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

/// Decrements the author's status counter, and that of each of `rebloggers`.
pub(super) fn removed(
    tx: &mut Tx<'_>,
    rebloggers: &[AccountId],
    author: Option<AccountId>,
) -> Result<()> {
    let all: Vec<AccountId> = rebloggers.iter().copied().chain(author).collect();
    accounts::lock_counts(tx, &all)?;
    for some in [rebloggers, author.as_slice()] {
        diesel::update(account_stats::table.filter(account_stats::account_id.equals_any(some)))
            .set(account_stats::statuses_count.eq(account_stats::statuses_count - 1))
            .execute(&mut **tx)?;
    }
    Ok(())
}
