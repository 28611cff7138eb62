//! The statuses on a profile.

use diesel::{prelude::*, sql_types::Bool};
use siskin_entities::{Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, TagId};

use crate::{
    Conn, Result,
    fixed::fixed,
    media::has_media,
    page::{cut_rows, page},
    schema::{status_pins, statuses, statuses_tags},
    statuses::{AtStake, Entry, finds, may_see, reader, reblogged, wants_to_see},
};

/// Which statuses of an account are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProfileFilter {
    /// Leaves out replies to others; statuses that merely name someone and replies to oneself
    /// stay.
    pub exclude_replies: bool,
    pub exclude_reblogs: bool,
    /// Only statuses that the account pinned.
    pub pinned: bool,
    /// Only statuses with attachments.
    pub only_media: bool,
    /// Only statuses with this hashtag.
    pub tagged: Option<TagId>,
}

/// True where the filter lets the status at hand through, whatever its hashtags.
macro_rules! is_asked_for {
    ($account:expr, $filter:expr) => {{
        let ProfileFilter { exclude_replies, exclude_reblogs, pinned, only_media, .. } = $filter;
        let to_oneself = fixed!(Bool, "statuses.in_reply_to_account_id = statuses.account_id");
        let is_pinned = finds!(
            status_pins::table
                .filter(status_pins::account_id.eq($account))
                .filter(status_pins::status_id.eq(statuses::id)),
        );
        (!exclude_replies)
            .into_sql::<Bool>()
            .or(statuses::in_reply_to_id.is_null())
            .or(to_oneself)
            .and((!exclude_reblogs).into_sql::<Bool>().or(statuses::reblog_of_id.is_null()))
            .and((!pinned).into_sql::<Bool>().or(is_pinned))
            .and((!only_media).into_sql::<Bool>().or(has_media!(statuses::id)))
    }};
}

/// A page of what an account wrote and reblogged, as far as the viewer may see it. Reblogs of
/// those whom the viewer blocked or muted are left out.
pub fn by_account(
    conn: &mut Conn,
    account: AccountId,
    viewer: Option<AccountId>,
    filter: ProfileFilter,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Entry>> {
    let reader = reader(viewer);
    let stakes = AtStake::of(conn, reader, now)?;
    let is_own_words = reblogged.field(statuses::id).is_null();
    let query = statuses::table
        .left_join(
            reblogged.on(statuses::reblog_of_id.eq(reblogged.field(statuses::id).nullable())),
        )
        .filter(statuses::account_id.eq(account))
        .filter(may_see!(
            reader,
            at: stakes,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .filter(
            is_own_words.or(may_see!(
                reader,
                at: stakes,
                id: reblogged.field(statuses::id),
                account: reblogged.field(statuses::account_id),
                visibility: reblogged.field(statuses::visibility)
            )
            .and(wants_to_see!(
                reader,
                now,
                at: stakes,
                account: reblogged.field(statuses::account_id)
            ))),
        )
        .filter(is_asked_for!(account, filter))
        .select((statuses::id, statuses::reblog_of_id));
    let entries: Vec<Entry> = match filter.tagged {
        None => cut_rows!(conn, query, statuses::id, request)?,
        Some(tag) => {
            let tagged = statuses_tags::table
                .filter(statuses_tags::status_id.eq(statuses::id))
                .filter(statuses_tags::tag_id.eq(tag));
            cut_rows!(conn, query.filter(finds!(tagged)), statuses::id, request)?
        }
    };
    Ok(page(entries, request, |entry| entry.id.get()))
}
