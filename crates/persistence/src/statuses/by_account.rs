//! The statuses of a profile.

use diesel::{prelude::*, sql_types::Bool};
use siskin_entities::{Cursor, Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, StatusId, TagId};

use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    fixed::fixed,
    media::has_media,
    page::{cut_rows, page},
    schema::{statuses, statuses_tags},
    statuses::{
        Entry, RelationFlags, may_see, neither_blocks_nor_mutes, pins, reblogged, row_exists,
        viewer_id,
    },
};

/// Filter for the statuses of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProfileFilter {
    /// Leaves out replies to other accounts. Statuses with mentions and replies to the own statuses
    /// stay.
    pub exclude_replies: bool,
    pub exclude_reblogs: bool,
    /// Only statuses that the account pinned, the last pinned first.
    pub pinned: bool,
    /// Only statuses with attachments.
    pub only_media: bool,
    /// Only statuses with this hashtag.
    pub tagged: Option<TagId>,
}

/// `true` if the current status matches the filter, except for hashtags.
macro_rules! matches_filter {
    ($filter:expr) => {{
        let ProfileFilter { exclude_replies, exclude_reblogs, only_media, .. } = $filter;
        let is_self_reply = fixed!(Bool, "statuses.in_reply_to_account_id = statuses.account_id");
        (!exclude_replies)
            .into_sql::<Bool>()
            .or(statuses::in_reply_to_id.is_null())
            .or(is_self_reply)
            .and((!exclude_reblogs).into_sql::<Bool>().or(statuses::reblog_of_id.is_null()))
            .and((!only_media).into_sql::<Bool>().or(has_media!(statuses::id)))
    }};
}

/// Loads a page of the statuses and reblogs of an account that are visible to the viewer. Leaves
/// out reblogs of accounts that the viewer blocks or mutes.
pub fn by_account(
    conn: &mut Conn,
    account: AccountId,
    viewer: Option<AccountId>,
    filter: ProfileFilter,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Entry>> {
    let viewer_id = viewer_id(viewer);
    let flags = RelationFlags::of(conn, viewer_id, now)?;
    let is_original = reblogged.field(statuses::id).is_null();
    let query = statuses::table
        .left_join(
            reblogged.on(statuses::reblog_of_id.eq(reblogged.field(statuses::id).nullable())),
        )
        .filter(statuses::account_id.eq(account))
        .filter(may_see!(
            viewer_id,
            at: flags,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .filter(
            is_original.or(may_see!(
                viewer_id,
                at: flags,
                id: reblogged.field(statuses::id),
                account: reblogged.field(statuses::account_id),
                visibility: reblogged.field(statuses::visibility)
            )
            .and(neither_blocks_nor_mutes!(
                viewer_id,
                now,
                at: flags,
                account: reblogged.field(statuses::account_id)
            ))),
        )
        .filter(matches_filter!(filter))
        .select((statuses::id, statuses::reblog_of_id));
    let tagged = |tag: TagId| {
        row_exists!(
            statuses_tags::table
                .filter(statuses_tags::status_id.eq(statuses::id))
                .filter(statuses_tags::tag_id.eq(tag)),
        )
    };
    if filter.pinned {
        let pins = pins::of_account(conn, account)?;
        let query = query.filter(statuses::id.equals_any(&pins));
        let entries: Vec<Entry> = match filter.tagged {
            None => query.load(conn)?,
            Some(tag) => query.filter(tagged(tag)).load(conn)?,
        };
        return Ok(page_of_pins(&pins, entries, request));
    }
    let entries: Vec<Entry> = match filter.tagged {
        None => cut_rows!(conn, query, statuses::id, request)?,
        Some(tag) => cut_rows!(conn, query.filter(tagged(tag)), statuses::id, request)?,
    };
    Ok(page(entries, request, |entry| entry.id.get()))
}

/// Cuts a page out of the pinned statuses, in the order of `pins`. A cursor that is not a pin is
/// compared by its id.
fn page_of_pins(pins: &[StatusId], mut entries: Vec<Entry>, request: PageRequest) -> Page<Entry> {
    let index_of = |id: i64| pins.iter().position(|pin| pin.get() == id);
    let is_after = |entry: &Entry, cursor: i64| match index_of(cursor) {
        Some(cursor) => index_of(entry.id.get()) > Some(cursor),
        None => entry.id.get() < cursor,
    };
    let Cursor { max, min, since } = request.cursor;
    entries.sort_by_key(|entry| index_of(entry.id.get()));
    if let Some(max) = max {
        entries.retain(|entry| is_after(entry, max));
    }
    if let Some(above) = min.or(since) {
        entries.retain(|entry| entry.id.get() != above && !is_after(entry, above));
    }
    let most = usize::try_from(request.limit).unwrap_or_default();
    if min.is_some() {
        entries.drain(..entries.len().saturating_sub(most));
    }
    entries.truncate(most);
    Page::of(entries, request.limit, |entry| entry.id.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_paged_in_pin_order() {
        let pins = [5, 9, 1, 7].map(StatusId::new);
        let read = |max, min, since, limit| {
            let entries = [1, 5, 7, 9].map(|id| Entry { id: StatusId::new(id), reblog_of: None });
            let request = PageRequest { cursor: Cursor { max, min, since }, limit };
            let page = page_of_pins(&pins, entries.to_vec(), request);
            page.items.iter().map(|entry| entry.id.get()).collect::<Vec<_>>()
        };
        assert_eq!(read(None, None, None, 20), [5, 9, 1, 7]);
        assert_eq!(read(None, None, None, 2), [5, 9]);
        assert_eq!(read(Some(9), None, None, 20), [1, 7]);
        assert_eq!(read(None, None, Some(1), 1), [5]);
        assert_eq!(read(None, Some(1), None, 1), [9]);
        assert_eq!(read(Some(6), None, None, 20), [5, 1]);
    }
}
