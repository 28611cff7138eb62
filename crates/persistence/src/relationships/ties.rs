//! Loads the relationship between two accounts for the state machine in `entities`, and saves its
//! changes. Callers lock the accounts first.

use diesel::prelude::*;
use siskin_entities::relationship::Ties;
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx, schema::follow_requests};

use super::{follows, marks};

/// Loads the relationship between `actor` and `other` from the side of `actor`.
pub fn ties(tx: &mut Tx<'_>, actor: AccountId, other: AccountId) -> Result<Ties> {
    let now = tx.now();
    Ok(Ties {
        following: follows::following(tx, actor, other)?,
        followed_by: follows::following(tx, other, actor)?,
        blocking: marks::is_blocking(tx, actor, other)?,
        muting: marks::mute(tx, actor, other, now)?,
        endorsing: marks::is_endorsing(tx, actor, other)?,
        endorsed_by: marks::is_endorsing(tx, other, actor)?,
        note: marks::note(tx, actor, other)?,
    })
}

/// Returns the accounts of the oldest `limit` pending follow requests to `target`.
pub fn requests_to(conn: &mut Conn, target: AccountId, limit: i64) -> Result<Vec<AccountId>> {
    Ok(follow_requests::table
        .filter(follow_requests::target_account_id.eq(target))
        .order(follow_requests::id)
        .limit(limit)
        .select(follow_requests::account_id)
        .load(conn)?)
}

/// Writes the differences between two states of the relationship of `actor` and `other`.
pub fn save(
    tx: &mut Tx<'_>,
    actor: AccountId,
    other: AccountId,
    before: &Ties,
    after: &Ties,
) -> Result<()> {
    follows::save_following(tx, actor, other, &before.following, &after.following)?;
    follows::save_following(tx, other, actor, &before.followed_by, &after.followed_by)?;
    if before.blocking != after.blocking {
        marks::set_block(tx, actor, other, after.blocking)?;
    }
    if before.muting != after.muting {
        marks::set_mute(tx, actor, other, before.muting, after.muting)?;
    }
    if before.endorsing != after.endorsing {
        marks::set_endorsement(tx, actor, other, after.endorsing)?;
    }
    if before.endorsed_by != after.endorsed_by {
        marks::set_endorsement(tx, other, actor, after.endorsed_by)?;
    }
    if before.note != after.note {
        marks::set_note(tx, actor, other, &after.note)?;
    }
    Ok(())
}
