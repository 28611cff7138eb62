//! Stores what was fetched from a page.

use diesel::prelude::*;
use siskin_entities::{PreviewCard, Timestamp};
use siskin_ids::{PreviewCardId, StatusId};

use crate::{
    Result, Tx,
    equals_any::IdExpression as _,
    schema::{preview_cards, status_cards, statuses},
    snapshots::raise_generation,
};

/// Stores the metadata of a page. Its image was fetched from `image_source`. The caller
/// [raises](raise_statuses) the version of the statuses that show it, and deletes the file of the
/// previous image.
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

/// Schedules the next fetch: the first status with this link after `when` triggers it.
pub fn schedule_fetch(tx: &mut Tx<'_>, id: PreviewCardId, when: Timestamp) -> Result<()> {
    diesel::update(preview_cards::table.find(id))
        .set(preview_cards::look_after.eq(when.unix_ms()))
        .execute(&mut **tx)?;
    Ok(())
}

/// Raises the version of up to `limit` statuses that show a preview, and returns them in the order
/// of their ids. Starts after `after`.
///
/// If the first call leaves statuses over, it raises the generation too, so that no cached snapshot
/// of the remaining statuses is used.
pub fn raise_statuses(
    tx: &mut Tx<'_>,
    id: PreviewCardId,
    after: Option<StatusId>,
    limit: i64,
) -> Result<Vec<StatusId>> {
    let found: Vec<StatusId> = status_cards::table
        .filter(status_cards::card_id.eq(id))
        .filter(status_cards::status_id.gt(after.unwrap_or(StatusId::new(0))))
        .order(status_cards::status_id)
        .limit(limit)
        .select(status_cards::status_id)
        .load(&mut **tx)?;
    diesel::update(statuses::table.filter(statuses::id.equals_any(&found)))
        .set(statuses::version.eq(statuses::version + 1))
        .execute(&mut **tx)?;
    let is_full = i64::try_from(found.len()).is_ok_and(|count| count == limit);
    if is_full && after.is_none() {
        raise_generation(tx)?;
    }
    Ok(found)
}
