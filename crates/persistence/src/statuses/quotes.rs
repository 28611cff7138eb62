//! Quotes of a status. Inserting and deleting works as for any status.

use diesel::prelude::*;
use siskin_entities::{PageRequest, QuotePolicy, QuoteState, Visibility};
use siskin_ids::{AccountId, StatusId};

use super::{
    counters::{self, Reaction},
    is_present,
};
use crate::{
    Conn, Result, Tx,
    page::{cut_rows, newest_first},
    schema::{accounts, statuses},
    timelines::Candidate,
};

/// Finds accepted quotes of a status, the latest first. Whether the viewer sees them is not checked.
pub fn candidates(conn: &mut Conn, of: StatusId, request: PageRequest) -> Result<Vec<Candidate>> {
    let query = statuses::table
        .filter(statuses::quote_of_id.eq(of))
        .filter(statuses::quote_state.eq(QuoteState::Accepted.number()))
        .filter(is_present!(visibility: statuses::visibility))
        .select((statuses::id, statuses::reblog_of_id, statuses::account_id));
    Ok(newest_first(cut_rows!(conn, query, statuses::id, request)?, request))
}

/// Returns the accepted quotes of a status by local accounts, with their authors: at most `limit`,
/// in order of creation, after the quote `after`.
pub fn local(
    conn: &mut Conn,
    of: StatusId,
    after: Option<StatusId>,
    limit: i64,
) -> Result<Vec<(StatusId, AccountId)>> {
    Ok(statuses::table
        .inner_join(accounts::table)
        .filter(statuses::quote_of_id.eq(of))
        .filter(statuses::quote_state.eq(QuoteState::Accepted.number()))
        .filter(is_present!(visibility: statuses::visibility))
        .filter(accounts::domain.is_null())
        .filter(statuses::id.gt(after.unwrap_or(StatusId::new(0))))
        .order(statuses::id)
        .limit(limit)
        .select((statuses::id, statuses::account_id))
        .load(conn)?)
}

/// Revokes an accepted quote of a status, and updates the counter. Returns `false` if there is no
/// such quote.
pub fn revoke(tx: &mut Tx<'_>, of: StatusId, quote: StatusId) -> Result<bool> {
    let accepted = statuses::table
        .filter(statuses::id.eq(quote))
        .filter(statuses::quote_of_id.eq(of))
        .filter(statuses::quote_state.eq(QuoteState::Accepted.number()))
        .filter(is_present!(visibility: statuses::visibility));
    let visibility: Option<i16> = diesel::update(accepted)
        .set(statuses::quote_state.eq(QuoteState::Revoked.number()))
        .returning(statuses::visibility)
        .get_result(&mut **tx)
        .optional()?;
    let Some(visibility) = visibility.map(Visibility::from_number) else { return Ok(false) };
    if counters::counts_as_quote(visibility, QuoteState::Accepted) {
        counters::react(tx, of, Reaction::Quote, -1)?;
    }
    Ok(true)
}

/// Sets who may quote a status. Quotes that exist stay.
pub fn set_policy(tx: &mut Tx<'_>, status: StatusId, policy: QuotePolicy) -> Result<()> {
    diesel::update(statuses::table.filter(statuses::id.eq(status)))
        .set(statuses::quote_policy.eq(policy.number()))
        .execute(&mut **tx)?;
    Ok(())
}

/// Returns the status that a status quotes, in any state. Returns `None` if it quotes none, or if
/// the quoted one was deleted.
pub fn quoted(conn: &mut Conn, quote: StatusId) -> Result<Option<StatusId>> {
    let quoted: Option<Option<StatusId>> = statuses::table
        .filter(statuses::id.eq(quote))
        .filter(is_present!(visibility: statuses::visibility))
        .select(statuses::quote_of_id)
        .first(conn)
        .optional()?;
    Ok(quoted.flatten())
}

/// Returns the author of a status that quotes another one, in any state. Returns `None` if it does
/// not quote it.
pub fn author(conn: &mut Conn, quote: StatusId, of: StatusId) -> Result<Option<AccountId>> {
    Ok(statuses::table
        .filter(statuses::id.eq(quote))
        .filter(statuses::quote_of_id.eq(of))
        .filter(is_present!(visibility: statuses::visibility))
        .select(statuses::account_id)
        .first(conn)
        .optional()?)
}
