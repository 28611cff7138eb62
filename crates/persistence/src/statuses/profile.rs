//! The statuses of a profile.

use diesel::{prelude::*, sql_types::Bool};
use siskin_entities::{PageRequest, ViewerRelations, Visibility};
use siskin_ids::{AccountId, TagId};

use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    fixed::fixed,
    media::has_media,
    page::{cut_rows, newest_first},
    schema::{mentions, statuses, statuses_tags},
    statuses::{pins, row_exists, viewer_id},
    timelines::Candidate,
};

/// Filter for the statuses of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProfileFilter {
    /// Leaves out replies to other accounts. Statuses with mentions and replies to the own statuses
    /// stay.
    pub exclude_replies: bool,
    pub exclude_reblogs: bool,
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

/// `true` if the current status has the hashtag.
macro_rules! has_tag {
    ($tag:expr) => {
        row_exists!(
            statuses_tags::table
                .filter(statuses_tags::status_id.eq(statuses::id))
                .filter(statuses_tags::tag_id.eq($tag)),
        )
    };
}

/// Loads the statuses and reblogs of an account that match the filter, the newest first: candidates
/// for its profile. Leaves out statuses that the viewer cannot see because of their visibility: an
/// account may have long runs of them.
pub fn profile_candidates(
    conn: &mut Conn,
    account: AccountId,
    viewer: &ViewerRelations,
    filter: ProfileFilter,
    request: PageRequest,
) -> Result<Vec<Candidate>> {
    let widest = if viewer.is_viewer(account) {
        Visibility::Direct
    } else if viewer.follows(account) {
        Visibility::Private
    } else {
        Visibility::Unlisted
    };
    let mentioned = row_exists!(
        mentions::table
            .filter(mentions::status_id.eq(statuses::id))
            .filter(mentions::account_id.eq(viewer_id(viewer.viewer()))),
    );
    let query = statuses::table
        .filter(statuses::account_id.eq(account))
        .filter(statuses::visibility.le(widest.number()).or(mentioned))
        .filter(matches_filter!(filter))
        .select((statuses::id, statuses::reblog_of_id, statuses::account_id));
    let rows: Vec<Candidate> = match filter.tagged {
        None => cut_rows!(conn, query, statuses::id, request)?,
        Some(tag) => cut_rows!(conn, query.filter(has_tag!(tag)), statuses::id, request)?,
    };
    Ok(newest_first(rows, request))
}

/// Loads the statuses that an account pinned and that match the filter, the last pinned first.
pub fn pinned_candidates(
    conn: &mut Conn,
    account: AccountId,
    filter: ProfileFilter,
) -> Result<Vec<Candidate>> {
    let pins = pins::of_account(conn, account)?;
    let query = statuses::table
        .filter(statuses::account_id.eq(account))
        .filter(statuses::id.equals_any(&pins))
        .filter(matches_filter!(filter))
        .select((statuses::id, statuses::reblog_of_id, statuses::account_id));
    let mut rows: Vec<Candidate> = match filter.tagged {
        None => query.load(conn)?,
        Some(tag) => query.filter(has_tag!(tag)).load(conn)?,
    };
    rows.sort_by_key(|row| pins.iter().position(|pin| *pin == row.id));
    Ok(rows)
}
