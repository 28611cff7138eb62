//! Targets of replies, favourites, bookmarks and reblogs. The target is the status with the
//! content, even if the request names a reblog of it.

use diesel::prelude::*;
use siskin_entities::Visibility;
use siskin_ids::{AccountId, StatusId};

use super::{Parent, is_present, may_see, reblogged, viewer_id};
use crate::{Conn, Result, schema::statuses};

/// A status as the target of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub id: StatusId,
    /// The author.
    pub account: AccountId,
    pub conversation: StatusId,
    pub visibility: Visibility,
}

impl Target {
    /// Returns the status as the parent of a reply.
    #[must_use]
    pub const fn as_parent(&self) -> Parent {
        Parent { id: self.id, account: self.account, conversation: self.conversation }
    }
}

type Row = (StatusId, AccountId, StatusId, i16);

fn target((own, original): (Row, Option<Row>)) -> Target {
    let (id, account, conversation, visibility) = original.unwrap_or(own);
    Target { id, account, conversation, visibility: Visibility::from_number(visibility) }
}

macro_rules! targets {
    () => {
        statuses::table
            .left_join(
                reblogged.on(statuses::reblog_of_id.eq(reblogged.field(statuses::id).nullable())),
            )
            .select((
                (
                    statuses::id,
                    statuses::account_id,
                    statuses::conversation_id,
                    statuses::visibility,
                ),
                (
                    reblogged.field(statuses::id),
                    reblogged.field(statuses::account_id),
                    reblogged.field(statuses::conversation_id),
                    reblogged.field(statuses::visibility),
                )
                    .nullable(),
            ))
    };
}

/// Finds the target for `id`. The status and the reblog, if the request names one, must be visible
/// to `viewer`.
pub fn find_target(
    conn: &mut Conn,
    id: StatusId,
    viewer: Option<AccountId>,
) -> Result<Option<Target>> {
    let viewer_id = viewer_id(viewer);
    let original_is_visible = reblogged.field(statuses::id).is_null().or(may_see!(
        viewer_id,
        id: reblogged.field(statuses::id),
        account: reblogged.field(statuses::account_id),
        visibility: reblogged.field(statuses::visibility)
    ));
    let row: Option<(Row, Option<Row>)> = targets!()
        .filter(statuses::id.eq(id))
        .filter(may_see!(
            viewer_id,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .filter(original_is_visible)
        .first(conn)
        .optional()?;
    Ok(row.map(target))
}

/// Finds the target for `id` regardless of visibility. Undoing an action needs this.
pub fn locate(conn: &mut Conn, id: StatusId) -> Result<Option<Target>> {
    let original_is_present = reblogged
        .field(statuses::id)
        .is_null()
        .or(is_present!(visibility: reblogged.field(statuses::visibility)));
    let row: Option<(Row, Option<Row>)> = targets!()
        .filter(statuses::id.eq(id))
        .filter(is_present!(visibility: statuses::visibility))
        .filter(original_is_present)
        .first(conn)
        .optional()?;
    Ok(row.map(target))
}
