//! Familiar followers: followers of an account that the viewer follows too.

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    schema::follows,
    statuses::{is_visible_to, neither_blocks_nor_mutes},
};

diesel::alias!(follows as target_follows: TargetFollows);

/// Loads the familiar followers of each of `targets`: pairs of a target and a follower that
/// `viewer` follows and does not mute or block. The newest follow of a target comes first. The
/// caller checks whether a target shows its followers at all.
pub fn familiar_followers(
    conn: &mut Conn,
    viewer: AccountId,
    targets: &[AccountId],
    now: Timestamp,
) -> Result<Vec<(AccountId, AccountId)>> {
    let familiar = follows::target_account_id;
    Ok(follows::table
        .inner_join(target_follows.on(target_follows.field(follows::account_id).eq(familiar)))
        .filter(follows::account_id.eq(viewer))
        .filter(target_follows.field(follows::target_account_id).equals_any(targets))
        .filter(is_visible_to!(viewer, account: familiar))
        .filter(neither_blocks_nor_mutes!(viewer, now, account: familiar))
        .order(target_follows.field(follows::id).desc())
        .select((target_follows.field(follows::target_account_id), familiar))
        .load(conn)?)
}
