//! Familiar followers: followers of an account that the viewer follows too.

use diesel::prelude::*;
use siskin_ids::AccountId;

use crate::{Conn, Result, equals_any::IdExpression as _, schema::follows};

diesel::alias!(follows as target_follows: TargetFollows);

/// Loads the familiar followers of each of `targets`: pairs of a target and a follower that
/// `viewer` follows. The newest follow of a target comes first. The caller checks whether a target
/// shows its followers at all, and whether the viewer sees the followers.
pub fn familiar_followers(
    conn: &mut Conn,
    viewer: AccountId,
    targets: &[AccountId],
) -> Result<Vec<(AccountId, AccountId)>> {
    let familiar = follows::target_account_id;
    Ok(follows::table
        .inner_join(target_follows.on(target_follows.field(follows::account_id).eq(familiar)))
        .filter(follows::account_id.eq(viewer))
        .filter(target_follows.field(follows::target_account_id).equals_any(targets))
        .order(target_follows.field(follows::id).desc())
        .select((target_follows.field(follows::target_account_id), familiar))
        .load(conn)?)
}
