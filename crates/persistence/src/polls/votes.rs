//! Votes and their counters. `poll_options.votes_count` counts the votes of an option.
//! `polls.voters_count` counts the voters, each once. Both change in the transaction of the votes,
//! with the poll locked.

use diesel::prelude::*;
use siskin_entities::{Poll, polls::Ballot};
use siskin_ids::{AccountId, PollId};

use super::lock;
use crate::{
    Result, Tx,
    conn::each,
    equals_any::TextExpression as _,
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
    if voted_before { Ok(()) } else { count_voter(tx, poll.id, 1) }
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
    count_voter(tx, poll, -1)
}

/// Adds `by` to the counters of these options. `by` is -1 for deleted votes.
fn count(tx: &mut Tx<'_>, poll: PollId, titles: &[&str], by: i64) -> Result<()> {
    let chosen = poll_options::table
        .filter(poll_options::poll_id.eq(poll))
        .filter(poll_options::title.equals_any_text(titles));
    diesel::update(chosen)
        .set(poll_options::votes_count.eq(poll_options::votes_count + by))
        .execute(&mut **tx)?;
    Ok(())
}

fn count_voter(tx: &mut Tx<'_>, poll: PollId, by: i64) -> Result<()> {
    diesel::update(polls::table.find(poll))
        .set(polls::voters_count.eq(polls::voters_count + by))
        .execute(&mut **tx)?;
    Ok(())
}
