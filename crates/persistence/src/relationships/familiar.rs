//! Followers of an account whom the reader follows.

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{
    Conn, Result,
    among::IdExpression as _,
    schema::follows,
    statuses::{is_shown_to, wants_to_see},
};

diesel::alias!(follows as theirs: Theirs);

/// Who of those whom `viewer` follows and wants to see follows which of `targets`: pairs of a
/// target and its follower, the newest follow of a target first. Whether a target shows its
/// followers at all is asked before.
pub fn familiar_followers(
    conn: &mut Conn,
    viewer: AccountId,
    targets: &[AccountId],
    now: Timestamp,
) -> Result<Vec<(AccountId, AccountId)>> {
    let familiar = follows::target_account_id;
    Ok(follows::table
        .inner_join(theirs.on(theirs.field(follows::account_id).eq(familiar)))
        .filter(follows::account_id.eq(viewer))
        .filter(theirs.field(follows::target_account_id).among(targets))
        .filter(is_shown_to!(viewer, account: familiar))
        .filter(wants_to_see!(viewer, now, account: familiar))
        .order(theirs.field(follows::id).desc())
        .select((theirs.field(follows::target_account_id), familiar))
        .load(conn)?)
}
