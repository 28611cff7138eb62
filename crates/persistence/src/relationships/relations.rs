//! Loads the relationship between two accounts for the state machine in `entities`, and saves its
//! changes. Callers lock the accounts first.

use diesel::prelude::*;
use siskin_entities::relationship::Relations;
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx, schema::follow_requests};

use super::{follows, one_sided};

/// Loads the relationship between `actor` and `other` from the side of `actor`.
pub fn relations(tx: &mut Tx<'_>, actor: AccountId, other: AccountId) -> Result<Relations> {
    let now = tx.now();
    Ok(Relations {
        following: follows::following(tx, actor, other)?,
        followed_by: follows::following(tx, other, actor)?,
        blocking: one_sided::is_blocking(tx, actor, other)?,
        muting: one_sided::mute(tx, actor, other, now)?,
        endorsing: one_sided::is_endorsing(tx, actor, other)?,
        endorsed_by: one_sided::is_endorsing(tx, other, actor)?,
        note: one_sided::note(tx, actor, other)?,
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
    before: &Relations,
    after: &Relations,
) -> Result<()> {
    follows::save_following(tx, actor, other, &before.following, &after.following)?;
    follows::save_following(tx, other, actor, &before.followed_by, &after.followed_by)?;
    if before.blocking != after.blocking {
        one_sided::set_block(tx, actor, other, after.blocking)?;
    }
    if before.muting != after.muting {
        one_sided::set_mute(tx, actor, other, before.muting, after.muting)?;
    }
    if before.endorsing != after.endorsing {
        one_sided::set_endorsement(tx, actor, other, after.endorsing)?;
    }
    if before.endorsed_by != after.endorsed_by {
        one_sided::set_endorsement(tx, other, actor, after.endorsed_by)?;
    }
    if before.note != after.note {
        one_sided::set_note(tx, actor, other, &after.note)?;
    }
    Ok(())
}
