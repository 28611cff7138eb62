//! Hashtag timelines.

use diesel::{dsl::not, prelude::*};
use siskin_entities::{PageRequest, Visibility};
use siskin_ids::TagId;

use super::{
    Candidate, Origin, TimelineFilter, candidates::merge, public::matches_timeline_filter,
};
use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    media::has_media,
    page::{cut_rows, newest_first},
    schema::{accounts, statuses, statuses_tags},
    statuses::row_exists,
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

/// Loads candidates of a hashtag timeline, newest first: public statuses with these hashtags that
/// match the filter, without reblogs.
///
/// Runs one statement for each of `any`. The first entries of the union are among the first entries
/// of each hashtag.
pub fn tag(
    conn: &mut Conn,
    timeline: &TagTimeline,
    request: PageRequest,
) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for tag in &timeline.any {
        found.extend(with_tag(conn, *tag, timeline, request)?);
    }
    Ok(newest_first(merge(found, request, |candidate| candidate.id), request))
}

/// Returns the page's candidates among the statuses with one hashtag.
fn with_tag(
    conn: &mut Conn,
    tag: TagId,
    timeline: &TagTimeline,
    request: PageRequest,
) -> Result<Vec<Candidate>> {
    let order = ordered_tags.field(statuses_tags::status_id);
    let query = statuses::table
        .inner_join(ordered_tags.on(order.eq(statuses::id)))
        .filter(ordered_tags.field(statuses_tags::tag_id).eq(tag))
        .filter(statuses::visibility.eq(Visibility::Public.number()))
        .filter(statuses::reblog_of_id.is_null())
        .filter(matches_timeline_filter!(timeline.filter))
        .select((statuses::id, statuses::reblog_of_id, statuses::account_id));
    if timeline.all.is_empty() && timeline.none.is_empty() {
        return Ok(cut_rows!(conn, query, order, request)?);
    }
    let mut query = query.into_boxed();
    for tag in &timeline.all {
        query = query.filter(row_exists!(status_tags_in!([*tag])));
    }
    if !timeline.none.is_empty() {
        query = query.filter(not(row_exists!(status_tags_in!(timeline.none))));
    }
    Ok(cut_rows!(conn, query, order, request)?)
}
