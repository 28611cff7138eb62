//! Hashtag timelines.

use diesel::{dsl::not, prelude::*};
use siskin_entities::{Page, PageRequest, Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId, TagId};

use super::{Narrowing, Origin, candidates::merged, public::is_narrow_enough};
use crate::{
    Conn, Result,
    among::IdExpression as _,
    media::has_media,
    page::{cut_rows, page},
    schema::{accounts, statuses, statuses_tags},
    statuses::{AtStake, finds, is_listed, may_see, reader, wants_to_see},
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
    pub narrowing: Narrowing,
}

diesel::alias!(statuses_tags as listed: Listed);

/// Selects the hashtags of the current status that are among `$tags`.
macro_rules! those_among {
    ($tags:expr) => {
        statuses_tags::table
            .filter(statuses_tags::status_id.eq(statuses::id))
            .filter(statuses_tags::tag_id.among($tags.to_vec()))
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
    let asked = Asked { reader: reader(viewer), now, request };
    let stakes = AtStake::of(conn, asked.reader, now)?;
    let mut ids = Vec::new();
    for tag in &timeline.any {
        ids.extend(asked.with_tag(conn, stakes, *tag, timeline)?);
    }
    Ok(page(merged(ids, request, |id| *id), request, |id| id.get()))
}

/// The viewer, the time and the requested page.
struct Asked {
    reader: AccountId,
    now: Timestamp,
    request: PageRequest,
}

impl Asked {
    /// Returns the page's candidates among the statuses with one hashtag.
    fn with_tag(
        &self,
        conn: &mut Conn,
        stakes: AtStake,
        tag: TagId,
        timeline: &TagTimeline,
    ) -> Result<Vec<StatusId>> {
        let (reader, now) = (self.reader, self.now);
        let order = listed.field(statuses_tags::status_id);
        let query = statuses::table
            .inner_join(listed.on(order.eq(statuses::id)))
            .filter(listed.field(statuses_tags::tag_id).eq(tag))
            .filter(statuses::visibility.eq(Visibility::Public.number()))
            .filter(statuses::reblog_of_id.is_null())
            .filter(may_see!(
                reader,
                at: stakes,
                id: statuses::id,
                account: statuses::account_id,
                visibility: statuses::visibility
            ))
            .filter(wants_to_see!(reader, now, at: stakes, account: statuses::account_id))
            .filter(is_listed!(reader, at: stakes, account: statuses::account_id))
            .filter(is_narrow_enough!(timeline.narrowing))
            .select(statuses::id);
        if timeline.all.is_empty() && timeline.none.is_empty() {
            return Ok(cut_rows!(conn, query, order, self.request)?);
        }
        let mut query = query.into_boxed();
        for tag in &timeline.all {
            query = query.filter(finds!(those_among!([*tag])));
        }
        if !timeline.none.is_empty() {
            query = query.filter(not(finds!(those_among!(timeline.none))));
        }
        Ok(cut_rows!(conn, query, order, self.request)?)
    }
}
