//! Familiar followers: followers of an account that the viewer follows too.

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
        .inner_join(theirs.on(theirs.field(follows::account_id).eq(familiar)))
        .filter(follows::account_id.eq(viewer))
        .filter(theirs.field(follows::target_account_id).among(targets))
        .filter(is_shown_to!(viewer, account: familiar))
        .filter(wants_to_see!(viewer, now, account: familiar))
        .order(theirs.field(follows::id).desc())
        .select((theirs.field(follows::target_account_id), familiar))
        .load(conn)?)
}
