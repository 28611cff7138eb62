//! The timeline of a link: public statuses with the link.

use diesel::prelude::*;
use siskin_entities::{PageRequest, Visibility};
use siskin_ids::PreviewCardId;

use super::{
    Candidate, Origin, TimelineFilter, candidates::merge, public::matches_timeline_filter,
};
use crate::{
    Conn, Result,
    media::has_media,
    page::{cut_rows, newest_first},
    schema::{accounts, status_cards, statuses},
    statuses::row_exists,
};

/// Loads candidates of the timeline of a page, newest first: public statuses that link to one of its
/// previews and match the filter, without reblogs. Runs one statement for each preview.
pub fn link(
    conn: &mut Conn,
    cards: &[PreviewCardId],
    filter: TimelineFilter,
    request: PageRequest,
) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for card in cards {
        let query = statuses::table
            .inner_join(status_cards::table.on(status_cards::status_id.eq(statuses::id)))
            .filter(status_cards::card_id.eq(*card))
            .filter(statuses::visibility.eq(Visibility::Public.number()))
            .filter(statuses::reblog_of_id.is_null())
            .filter(matches_timeline_filter!(filter))
            .select((statuses::id, statuses::reblog_of_id, statuses::account_id));
        let rows: Vec<Candidate> = cut_rows!(conn, query, status_cards::status_id, request)?;
        found.extend(rows);
    }
    Ok(newest_first(merge(found, request, |candidate| candidate.id), request))
}
