//! What looking at a page has brought.

use std::time::Duration;

use diesel::prelude::*;
use siskin_entities::{PreviewCard, Timestamp};
use siskin_ids::{PreviewCardId, StatusId};

use crate::{
    Result, Tx,
    among::IdExpression as _,
    cores::raise_generation,
    events::Happened,
    schema::{preview_cards, status_cards, statuses},
};

/// Writes what is shown of a page, whose picture was fetched from `image_source`. Statuses that show
/// it are for the caller to [raise](raise_statuses), and the file of a picture that it had before is
/// for the caller to discard.
pub fn store(
    tx: &mut Tx<'_>,
    id: PreviewCardId,
    card: &PreviewCard,
    image_source: Option<&str>,
) -> Result<()> {
    let image = card.image.as_ref();
    diesel::update(preview_cards::table.find(id))
        .set((
            preview_cards::shown.eq(true),
            preview_cards::url.eq(&card.url),
            preview_cards::kind.eq(card.kind.number()),
            preview_cards::title.eq(&card.title),
            preview_cards::description.eq(&card.description),
            preview_cards::author_name.eq(&card.author_name),
            preview_cards::author_url.eq(&card.author_url),
            preview_cards::provider_name.eq(&card.provider_name),
            preview_cards::provider_url.eq(&card.provider_url),
            preview_cards::embed_url.eq(&card.embed_url),
            preview_cards::width.eq(i32::try_from(card.width).unwrap_or(0)),
            preview_cards::height.eq(i32::try_from(card.height).unwrap_or(0)),
            preview_cards::image_source.eq(image.and(image_source)),
            preview_cards::image_file.eq(image.map(|image| &image.file)),
            preview_cards::blurhash.eq(image.and_then(|image| image.blurhash.as_ref())),
            preview_cards::is_article.eq(card.is_article),
            preview_cards::published_at.eq(card.published_at.map(Timestamp::unix_ms)),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Has the first status with this link after `when` be told that the page is to be looked at again.
pub fn look_again_after(tx: &mut Tx<'_>, id: PreviewCardId, when: Timestamp) -> Result<()> {
    diesel::update(preview_cards::table.find(id))
        .set(preview_cards::look_after.eq(when.unix_ms()))
        .execute(&mut **tx)?;
    Ok(())
}

/// Statuses of the last hour may be on somebody's screen.
const ON_SCREEN: Duration = Duration::from_secs(3600);

/// Raises the version of the statuses that show a preview: of up to `limit` of them after one, by
/// id; streams hear of those of the last hour. Returns the last one where there may be more: then what
/// the others show is not to be taken from what is kept either, from the first call on.
pub fn raise_statuses(
    tx: &mut Tx<'_>,
    id: PreviewCardId,
    after: Option<StatusId>,
    limit: i64,
) -> Result<Option<StatusId>> {
    let found: Vec<StatusId> = status_cards::table
        .filter(status_cards::card_id.eq(id))
        .filter(status_cards::status_id.gt(after.unwrap_or(StatusId::new(0))))
        .order(status_cards::status_id)
        .limit(limit)
        .select(status_cards::status_id)
        .load(&mut **tx)?;
    diesel::update(statuses::table.filter(statuses::id.among(&found)))
        .set(statuses::version.eq(statuses::version + 1))
        .execute(&mut **tx)?;
    let young = StatusId::new(tx.now().before(ON_SCREEN).unix_ms() << 16);
    for id in found.iter().filter(|id| **id >= young) {
        Happened::StatusEdited(*id).write(tx)?;
    }
    let is_full = i64::try_from(found.len()).is_ok_and(|count| count == limit);
    if is_full && after.is_none() {
        raise_generation(tx)?;
    }
    Ok(found.last().copied().filter(|_| is_full))
}
