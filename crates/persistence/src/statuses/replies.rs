//! Direct replies to a status. A separate function checks their visibility.

use diesel::prelude::*;
use siskin_entities::Visibility;
use siskin_ids::{AccountId, StatusId};

use crate::{Conn, Result, schema::statuses};

/// A direct reply to a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply {
    pub id: StatusId,
    /// The author of the reply.
    pub account: AccountId,
    pub visibility: Visibility,
}

/// Loads the first `limit` direct replies to a status with ids above `after`, in the order of the
/// ids and in any visibility. Those that are being deleted count as direct.
pub fn replies(
    conn: &mut Conn,
    parent: StatusId,
    after: StatusId,
    limit: i64,
) -> Result<Vec<Reply>> {
    let rows: Vec<(StatusId, AccountId, i16)> = statuses::table
        .filter(statuses::in_reply_to_id.eq(parent))
        .filter(statuses::id.gt(after))
        .order(statuses::id)
        .limit(limit)
        .select((statuses::id, statuses::account_id, statuses::visibility))
        .load(conn)?;
    let reply = |(id, account, visibility)| Reply {
        id,
        account,
        visibility: Visibility::from_number(visibility),
    };
    Ok(rows.into_iter().map(reply).collect())
}
