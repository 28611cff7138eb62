//! Votes and their counters. `poll_options.votes_count` counts the votes of an option.
//! `polls.voters_count` counts the voters, each once. Both change in the transaction of the votes,
//! with the poll locked.

use std::collections::BTreeMap;

use diesel::prelude::*;
use siskin_entities::{Poll, polls::Ballot};
use siskin_ids::{AccountId, PollId, StatusId};

use super::lock;
use crate::{
    Result, Tx,
    conn::each,
    equals_any::{IdExpression as _, TextExpression as _},
    schema::{poll_options, poll_votes, polls},
};

/// Inserts and counts a ballot for `poll`. The poll is locked and was loaded for this account.
pub fn vote(tx: &mut Tx<'_>, poll: &Poll, account: AccountId, ballot: &Ballot) -> Result<()> {
    let titles: Vec<&str> = ballot.titles(poll).collect();
    let now = tx.now().unix_ms();
    let row = |title: &&str| {
        (
            poll_votes::poll_id.eq(poll.id),
            poll_votes::account_id.eq(account),
            poll_votes::option_title.eq((*title).to_owned()),
            poll_votes::created_at.eq(now),
        )
    };
    let rows: Vec<_> = titles.iter().map(row).collect();
    each!(&mut **tx, conn => diesel::insert_into(poll_votes::table).values(rows).execute(conn))?;
    let voted_before = poll.viewer.as_ref().is_some_and(|viewer| !viewer.chosen.is_empty());
    count(tx, poll.id, &titles, 1)?;
    if voted_before { Ok(()) } else { count_voters(tx, poll.id, 1) }
}

/// Deletes the votes of an account in at most `limit` polls and decrements the counters. Returns
/// `false` if the account has no votes.
pub(crate) fn remove_votes(tx: &mut Tx<'_>, account: AccountId, limit: i64) -> Result<bool> {
    let found: Vec<PollId> = poll_votes::table
        .filter(poll_votes::account_id.eq(account))
        .distinct()
        .order(poll_votes::poll_id)
        .limit(limit)
        .select(poll_votes::poll_id)
        .load(&mut **tx)?;
    for poll in &found {
        remove_from(tx, *poll, account)?;
    }
    Ok(!found.is_empty())
}

/// Deletes the votes of at most `limit` accounts in the poll of a status and decrements the
/// counters. Returns the number of accounts, 0 if the status has no poll.
pub(crate) fn remove_voters(tx: &mut Tx<'_>, status: StatusId, limit: usize) -> Result<usize> {
    let of_status = polls::table.filter(polls::status_id.eq(status)).select(polls::id);
    let Some(poll) = of_status.first::<PollId>(&mut **tx).optional()? else { return Ok(0) };
    if !lock(tx, poll)? {
        return Ok(0);
    }
    let of_poll = poll_votes::table.filter(poll_votes::poll_id.eq(poll));
    let voters: Vec<AccountId> = of_poll
        .distinct()
        .order(poll_votes::account_id)
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .select(poll_votes::account_id)
        .load(&mut **tx)?;
    let theirs = of_poll.filter(poll_votes::account_id.equals_any(&voters));
    let votes: Vec<String> = theirs.select(poll_votes::option_title).load(&mut **tx)?;
    let theirs = of_poll.filter(poll_votes::account_id.equals_any(&voters));
    diesel::delete(theirs).execute(&mut **tx)?;
    let mut by_title = BTreeMap::<&str, i64>::new();
    for title in &votes {
        *by_title.entry(title).or_default() += 1;
    }
    for (title, votes) in by_title {
        count(tx, poll, &[title], -votes)?;
    }
    count_voters(tx, poll, -i64::try_from(voters.len()).unwrap_or(i64::MAX))?;
    Ok(voters.len())
}

fn remove_from(tx: &mut Tx<'_>, poll: PollId, account: AccountId) -> Result<()> {
    if !lock(tx, poll)? {
        return Ok(());
    }
    let own = poll_votes::table
        .filter(poll_votes::poll_id.eq(poll))
        .filter(poll_votes::account_id.eq(account));
    let titles: Vec<String> = own.select(poll_votes::option_title).load(&mut **tx)?;
    // Another edit may have reset the poll in the meantime.
    if titles.is_empty() {
        return Ok(());
    }
    diesel::delete(own).execute(&mut **tx)?;
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    count(tx, poll, &titles, -1)?;
    count_voters(tx, poll, -1)
}

/// Adds `by` to the counters of these options. `by` is negative for deleted votes.
fn count(tx: &mut Tx<'_>, poll: PollId, titles: &[&str], by: i64) -> Result<()> {
    let chosen = poll_options::table
        .filter(poll_options::poll_id.eq(poll))
        .filter(poll_options::title.equals_any_text(titles));
    diesel::update(chosen)
        .set(poll_options::votes_count.eq(poll_options::votes_count + by))
        .execute(&mut **tx)?;
    Ok(())
}

fn count_voters(tx: &mut Tx<'_>, poll: PollId, by: i64) -> Result<()> {
    diesel::update(polls::table.find(poll))
        .set(polls::voters_count.eq(polls::voters_count + by))
        .execute(&mut **tx)?;
    Ok(())
}
