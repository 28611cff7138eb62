//! Inserts and updates attachments.

use diesel::prelude::*;
use siskin_entities::{Focus, MediaKind, MediaMeta, media::PixelSize};
use siskin_ids::{AccountId, MediaId};

use super::{FAILED, READY, WAITING, stored};
use crate::{Result, Tx, schema::media_attachments};

/// An upload to be processed.
#[derive(Debug, Clone)]
pub struct NewMedia<'a> {
    pub account: AccountId,
    /// The kind that the upload appears to be.
    pub kind: MediaKind,
    pub source: &'a str,
    /// The thumbnail that was uploaded with it, if any.
    pub preview: Option<&'a NewPreview>,
    pub description: &'a str,
    pub focus: Option<Focus>,
}

/// A thumbnail of an attachment that is already in storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPreview {
    pub file: String,
    pub size: PixelSize,
    pub blurhash: Option<String>,
}

/// Result of processing an upload.
#[derive(Debug, Clone)]
pub struct Finished {
    pub kind: MediaKind,
    pub file: String,
    pub preview: Option<String>,
    pub blurhash: Option<String>,
    pub meta: MediaMeta,
}

/// New values of an attachment's editable parts.
#[derive(Debug, Clone)]
pub struct Changes<'a> {
    pub description: &'a str,
    pub focus: Option<Focus>,
    pub preview: Option<&'a str>,
    pub blurhash: Option<&'a str>,
    pub meta: &'a MediaMeta,
}

/// Inserts an attachment that waits for processing and belongs to no status.
pub fn insert(tx: &mut Tx<'_>, new: &NewMedia<'_>) -> Result<MediaId> {
    let id = MediaId::new(tx.next_id());
    let now = tx.now().unix_ms();
    let small = new.preview.map(|preview| preview.size);
    let focus = new.focus.map(Focus::millionths);
    diesel::insert_into(media_attachments::table)
        .values((
            media_attachments::id.eq(id),
            media_attachments::account_id.eq(new.account),
            media_attachments::kind.eq(new.kind.number()),
            media_attachments::source_file.eq(new.source),
            media_attachments::preview_file.eq(new.preview.map(|preview| &preview.file)),
            media_attachments::blurhash
                .eq(new.preview.and_then(|preview| preview.blurhash.as_ref())),
            media_attachments::description.eq(new.description),
            media_attachments::focus_x.eq(focus.map(|(x, _)| x)),
            media_attachments::focus_y.eq(focus.map(|(_, y)| y)),
            media_attachments::meta.eq(stored(&MediaMeta { small, ..MediaMeta::default() })),
            media_attachments::unattached_at.eq(now),
            media_attachments::created_at.eq(now),
        ))
        .execute(&mut **tx)?;
    Ok(id)
}

/// Stores the result of processing. The row does not refer to the uploaded file any more.
pub fn finish(tx: &mut Tx<'_>, id: MediaId, finished: &Finished) -> Result<()> {
    diesel::update(media_attachments::table.find(id))
        .filter(media_attachments::stage.eq(WAITING))
        .set((
            media_attachments::stage.eq(READY),
            media_attachments::kind.eq(finished.kind.number()),
            media_attachments::source_file.eq(None::<&str>),
            media_attachments::file.eq(&finished.file),
            media_attachments::preview_file.eq(&finished.preview),
            media_attachments::blurhash.eq(&finished.blurhash),
            media_attachments::meta.eq(stored(&finished.meta)),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Stores the reason why an upload cannot be used. The row does not refer to the uploaded file any
/// more.
pub fn fail(tx: &mut Tx<'_>, id: MediaId, why: &str) -> Result<()> {
    diesel::update(media_attachments::table.find(id))
        .filter(media_attachments::stage.eq(WAITING))
        .set((
            media_attachments::stage.eq(FAILED),
            media_attachments::failure.eq(why),
            media_attachments::source_file.eq(None::<&str>),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Updates the parts that the owner can edit.
pub fn update(tx: &mut Tx<'_>, id: MediaId, changes: &Changes<'_>) -> Result<()> {
    let focus = changes.focus.map(Focus::millionths);
    diesel::update(media_attachments::table.find(id))
        .set((
            media_attachments::description.eq(changes.description),
            media_attachments::focus_x.eq(focus.map(|(x, _)| x)),
            media_attachments::focus_y.eq(focus.map(|(_, y)| y)),
            media_attachments::preview_file.eq(changes.preview),
            media_attachments::blurhash.eq(changes.blurhash),
            media_attachments::meta.eq(stored(changes.meta)),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes an attachment. The caller deletes its files.
pub fn delete(tx: &mut Tx<'_>, id: MediaId) -> Result<()> {
    diesel::delete(media_attachments::table.find(id)).execute(&mut **tx)?;
    Ok(())
}
