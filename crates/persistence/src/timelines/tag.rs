//! Hashtag timelines.

use diesel::{dsl::not, prelude::*};
use siskin_entities::{Page, PageRequest, Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId, TagId};

use super::{Origin, TimelineFilter, candidates::merge, public::matches_timeline_filter};
use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    media::has_media,
    page::{cut_rows, page},
    schema::{accounts, statuses, statuses_tags},
    statuses::{
        RelationFlags, is_listed, may_see, neither_blocks_nor_mutes, row_exists, viewer_id,
    },
};

/// Filter of a hashtag timeline.
#[derive(Debug, Clone, Default)]
pub struct TagTimeline {
    /// Statuses must have at least one of these hashtags.
    pub any: Vec<TagId>,
    /// Statuses must have all of these hashtags.
    pub all: Vec<TagId>,
    /// Statuses must have none of these hashtags.
    pub none: Vec<TagId>,
    pub filter: TimelineFilter,
}

diesel::alias!(statuses_tags as ordered_tags: OrderedTags);

/// Selects the hashtags of the current status that are among `$tags`.
macro_rules! status_tags_in {
    ($tags:expr) => {
        statuses_tags::table
            .filter(statuses_tags::status_id.eq(statuses::id))
            .filter(statuses_tags::tag_id.equals_any($tags.to_vec()))
    };
}

/// Loads a page of public statuses with these hashtags, without reblogs. Silenced authors are
/// visible to their followers only.
///
/// Runs one statement for each of `any`. The first entries of the union are among the first entries
/// of each hashtag.
pub fn tag(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    timeline: &TagTimeline,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<StatusId>> {
    let context = PageContext { viewer_id: viewer_id(viewer), now, request };
    let flags = RelationFlags::of(conn, context.viewer_id, now)?;
    let mut ids = Vec::new();
    for tag in &timeline.any {
        ids.extend(context.with_tag(conn, flags, *tag, timeline)?);
    }
    Ok(page(merge(ids, request, |id| *id), request, |id| id.get()))
}

/// The viewer, the time and the requested page.
struct PageContext {
    viewer_id: AccountId,
    now: Timestamp,
    request: PageRequest,
}

impl PageContext {
    /// Returns the page's candidates among the statuses with one hashtag.
    fn with_tag(
        &self,
        conn: &mut Conn,
        flags: RelationFlags,
        tag: TagId,
        timeline: &TagTimeline,
    ) -> Result<Vec<StatusId>> {
        let (viewer_id, now) = (self.viewer_id, self.now);
        let order = ordered_tags.field(statuses_tags::status_id);
        let query = statuses::table
            .inner_join(ordered_tags.on(order.eq(statuses::id)))
            .filter(ordered_tags.field(statuses_tags::tag_id).eq(tag))
            .filter(statuses::visibility.eq(Visibility::Public.number()))
            .filter(statuses::reblog_of_id.is_null())
            .filter(may_see!(
                viewer_id,
                at: flags,
                id: statuses::id,
                account: statuses::account_id,
                visibility: statuses::visibility
            ))
            .filter(
                neither_blocks_nor_mutes!(viewer_id, now, at: flags, account: statuses::account_id),
            )
            .filter(is_listed!(viewer_id, at: flags, account: statuses::account_id))
            .filter(matches_timeline_filter!(timeline.filter))
            .select(statuses::id);
        if timeline.all.is_empty() && timeline.none.is_empty() {
            return Ok(cut_rows!(conn, query, order, self.request)?);
        }
        let mut query = query.into_boxed();
        for tag in &timeline.all {
            query = query.filter(row_exists!(status_tags_in!([*tag])));
        }
        if !timeline.none.is_empty() {
            query = query.filter(not(row_exists!(status_tags_in!(timeline.none))));
        }
        Ok(cut_rows!(conn, query, order, self.request)?)
    }
}
