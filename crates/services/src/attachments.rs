//! Media attachments. An upload waits for processing, a job makes the files that are shown, and a
//! status attaches it. Attachments without a status are deleted after a day.
//!
//! The crates `media` and `app` decode pictures and store files. This module decides who owns an
//! attachment and which operations are allowed.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{Focus, MediaAttachment, MediaKind, MediaStage};
use siskin_ids::{AccountId, MediaId, ScheduledStatusId};
use siskin_persistence::{
    Conn, Tx,
    media::{self as rows, Changes, Finished, NewMedia, NewPreview},
};
use siskin_policy::limits;
use siskin_text::TextLimit;

use crate::{
    Error, Result,
    jobs::{self, Job, TakesTurns},
    media::discard_files,
};

/// How long an upload waits for a status. An attachment also stays this long after its status was
/// deleted, so that the status can be rewritten.
pub const UNATTACHED_TTL: Duration = Duration::from_secs(24 * 3600);
/// Number of attachments that are deleted in one transaction, so that other writers get their turn.
const SWEEP_BATCH: i64 = 50;

/// Metadata that the owner sets; `None` keeps the current value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MediaMetadata {
    description: Option<String>,
    focus: Option<Focus>,
}

impl MediaMetadata {
    /// Checks the parameters. An empty focus counts as not given.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a description that is too long, and for an invalid focal point.
    pub fn prepare(description: Option<String>, focus: Option<&str>) -> Result<Self> {
        let description = description.map(|text| text.trim().to_owned());
        let most = limits::MAX_MEDIA_DESCRIPTION_CHARS;
        if description.as_ref().is_some_and(|text| !TextLimit::of(most).fits_code_points(text)) {
            return Err(Error::validation(format!(
                "Description is too long (maximum is {most} characters)"
            )));
        }
        let focus = focus.map(str::trim).filter(|focus| !focus.is_empty());
        let focus = focus.map(str::parse::<Focus>).transpose();
        let focus = focus.map_err(|error| Error::validation(format!("Focus {error}")))?;
        Ok(Self { description, focus })
    }

    /// Returns the focal point, if one was given.
    #[must_use]
    pub const fn focus(&self) -> Option<Focus> {
        self.focus
    }
}

/// Uploaded and stored file.
#[derive(Debug, Clone)]
pub struct Received {
    /// Apparent kind of the file.
    pub kind: MediaKind,
    pub source: String,
    /// Custom thumbnail that was uploaded with it.
    pub preview: Option<NewPreview>,
}

/// Job that processes an uploaded picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessMedia {
    pub media: MediaId,
}

impl Job for ProcessMedia {
    const KIND: &'static str = "media.process";
}

impl TakesTurns for ProcessMedia {
    const PACE: Duration = Duration::from_secs(5);
}

/// Job that processes a video, an animation or an audio file. Pictures do not wait for these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessVideo {
    pub media: MediaId,
}

impl Job for ProcessVideo {
    const KIND: &'static str = "media.process_film";
}

impl TakesTurns for ProcessVideo {
    const PACE: Duration = Duration::from_secs(300);
}

/// Enqueues the processing of an upload, in the owner's turn.
///
/// # Errors
/// Storage errors only.
pub fn enqueue_processing(
    tx: &mut Tx<'_>,
    account: AccountId,
    media: MediaId,
    kind: MediaKind,
) -> Result<()> {
    if kind == MediaKind::Image {
        jobs::enqueue_in_turn(tx, &ProcessMedia { media }, account, None)?;
    } else {
        jobs::enqueue_in_turn(tx, &ProcessVideo { media }, account, None)?;
    }
    Ok(())
}

/// Inserts an upload and enqueues its processing.
///
/// # Errors
/// Storage errors only.
pub fn receive(
    tx: &mut Tx<'_>,
    account: AccountId,
    received: &Received,
    metadata: &MediaMetadata,
) -> Result<MediaId> {
    let new = NewMedia {
        account,
        kind: received.kind,
        source: &received.source,
        preview: received.preview.as_ref(),
        description: metadata.description.as_deref().unwrap_or_default(),
        focus: metadata.focus.filter(|_| received.kind.has_focus()),
    };
    let media = rows::insert(tx, &new)?;
    enqueue_processing(tx, account, media, received.kind)?;
    Ok(media)
}

/// Returns an upload that waits for processing. Returns `None` if it is already processed or
/// deleted.
///
/// # Errors
/// Storage errors only.
pub fn waiting(conn: &mut Conn, media: MediaId) -> Result<Option<MediaAttachment>> {
    Ok(rows::find(conn, media)?.filter(|found| found.stage == MediaStage::Waiting))
}

/// Stores the result of processing `upload`, which is the row as it was at the start. Enqueues the
/// deletion of files that are no longer needed. If the focal point of a picture changed meanwhile,
/// enqueues the processing again.
///
/// # Errors
/// Storage errors only.
pub fn finish_processing(
    tx: &mut Tx<'_>,
    upload: &MediaAttachment,
    finished: &Finished,
) -> Result<()> {
    let now = rows::take(tx, upload.id)?.filter(|now| now.stage == MediaStage::Waiting);
    let new_files = [Some(finished.file.clone()), finished.preview.clone()].into_iter().flatten();
    let Some(now) = now else {
        return discard_files(tx, new_files);
    };
    // Video and audio do not depend on the focal point, and their preview has the name that was
    // announced.
    if now.focus != upload.focus && now.kind == MediaKind::Image {
        discard_files(tx, new_files)?;
        return enqueue_processing(tx, upload.account, upload.id, upload.kind);
    }
    let mut finished = finished.clone();
    let mut unused: Vec<String> = now.source.into_iter().collect();
    if now.preview.is_some() && finished.kind != MediaKind::Image {
        unused.extend(std::mem::replace(&mut finished.preview, now.preview));
        finished.blurhash = now.blurhash;
        finished.meta.small = now.meta.small;
    } else {
        unused.extend(now.preview);
    }
    rows::finish(tx, upload.id, &finished)?;
    discard_files(tx, unused)
}

/// Stores the reason why an upload is unusable.
///
/// # Errors
/// Storage errors only.
pub fn fail_processing(tx: &mut Tx<'_>, media: MediaId, why: &str) -> Result<()> {
    let now = rows::take(tx, media)?.filter(|now| now.stage == MediaStage::Waiting);
    let Some(now) = now else { return Ok(()) };
    rows::fail(tx, media, why)?;
    discard_files(tx, now.source)
}

/// Returns an attachment of `account`.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist, or belongs to another account.
pub fn find(conn: &mut Conn, account: AccountId, media: MediaId) -> Result<MediaAttachment> {
    let found = rows::find(conn, media)?.filter(|found| found.account == account);
    found.ok_or(Error::NotFound)
}

/// Returns an attachment of `account` that belongs to no status.
///
/// # Errors
/// As [`find`]; also [`Error::NotFound`] if it belongs to a status.
pub fn find_unattached(
    conn: &mut Conn,
    account: AccountId,
    media: MediaId,
) -> Result<MediaAttachment> {
    let found = find(conn, account, media)?;
    if found.status.is_some() { Err(Error::NotFound) } else { Ok(found) }
}

/// Changes the metadata of an attachment, and its preview if a new one is given, which is already
/// stored.
///
/// # Errors
/// As [`find`]; [`Error::Invalid`] if it belongs to a status.
pub fn change(
    tx: &mut Tx<'_>,
    account: AccountId,
    media: MediaId,
    metadata: &MediaMetadata,
    preview: Option<&NewPreview>,
) -> Result<MediaAttachment> {
    let mut changed = take_unattached(tx, account, media)?;
    if let Some(description) = &metadata.description {
        changed.description.clone_from(description);
    }
    if changed.kind.has_focus() {
        changed.focus = metadata.focus.or(changed.focus);
    }
    let mut unused = None;
    if let Some(preview) = preview {
        unused = changed.preview.replace(preview.file.clone());
        changed.blurhash.clone_from(&preview.blurhash);
        changed.meta.small = Some(preview.size);
    }
    let written = Changes {
        description: &changed.description,
        focus: changed.focus,
        preview: changed.preview.as_deref(),
        blurhash: changed.blurhash.as_deref(),
        meta: &changed.meta,
    };
    rows::update(tx, media, &written)?;
    discard_files(tx, unused)?;
    Ok(changed)
}

/// Deletes an attachment.
///
/// # Errors
/// As [`change`], and [`Error::Invalid`] if a scheduled status uses it.
pub fn delete(tx: &mut Tx<'_>, account: AccountId, media: MediaId) -> Result<()> {
    let removed = take_unattached(tx, account, media)?;
    if removed.scheduled.is_some() {
        return Err(Error::validation("Media belongs to a scheduled status and cannot be deleted"));
    }
    rows::delete(tx, media)?;
    discard_files(tx, removed.into_files())
}

fn take_unattached(tx: &mut Tx<'_>, account: AccountId, media: MediaId) -> Result<MediaAttachment> {
    let found = rows::take(tx, media)?.filter(|found| found.account == account);
    let found = found.ok_or(Error::NotFound)?;
    if found.status.is_some() {
        return Err(Error::validation("Media belongs to a status already and cannot be changed"));
    }
    Ok(found)
}

/// Parses ids of attachments, without duplicates.
///
/// # Errors
/// [`Error::Invalid`] for more ids than a status may have, and for invalid ids.
pub(crate) fn media_ids(ids: &[String]) -> Result<Vec<MediaId>> {
    let mut media_ids = Vec::new();
    for text in ids.iter().filter(|text| !text.is_empty()) {
        let id = text.parse::<MediaId>().map_err(|_| not_found(text))?;
        if !media_ids.contains(&id) {
            media_ids.push(id);
        }
    }
    let most = limits::MAX_MEDIA_ATTACHMENTS;
    if media_ids.len() > most {
        return Err(Error::validation(format!("At most {most} files can be attached to a status")));
    }
    Ok(media_ids)
}

/// Checks that a status can attach these now, and locks them until the end of the transaction. An
/// attachment of a scheduled status is allowed only if `reserved_by` is that status.
///
/// # Errors
/// [`Error::Invalid`] for attachments that do not exist, belong to another account, are attached or
/// used by a scheduled status, or are not processed.
pub(crate) fn require_ready(
    tx: &mut Tx<'_>,
    account: AccountId,
    ids: &[MediaId],
    reserved_by: Option<ScheduledStatusId>,
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let found = rows::take_for_status(tx, account, ids, reserved_by)?;
    if found.len() > 1 && found.iter().any(|media| media.kind != MediaKind::Image) {
        return Err(Error::invalid(MIXED_KINDS));
    }
    for id in ids {
        let media = found.iter().find(|media| media.id == *id);
        match media.map(|media| &media.stage) {
            None => return Err(not_found(&id.to_string())),
            Some(MediaStage::Ready) => {}
            Some(MediaStage::Waiting) => {
                return Err(Error::validation(format!(
                    "Media {id} is still being processed: try again in a moment"
                )));
            }
            Some(MediaStage::Failed(why)) => {
                return Err(Error::validation(format!(
                    "Media {id} cannot be attached: the file {why}"
                )));
            }
        }
    }
    Ok(())
}

/// A status has either pictures or one video, animation or audio file.
const MIXED_KINDS: &str = "Cannot attach a video to a post that already contains images";

fn not_found(id: &str) -> Error {
    let id = if id.len() > 20 { "" } else { id };
    Error::validation(format!("Media {id} was not found or is attached to another status"))
}

/// Metadata of one attachment in an edit of a status; `None` keeps the current value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MediaAttributes {
    pub id: String,
    pub description: Option<String>,
    pub focus: Option<String>,
}

/// Checks that an edit of a status does not change its attachments. Clients send back the
/// attachments that they received.
///
/// # Errors
/// [`Error::Invalid`] if the edit changes them.
pub(crate) fn require_same(
    now: &[MediaAttachment],
    ids: Option<&[String]>,
    attributes: &[MediaAttributes],
) -> Result<()> {
    let same_ids = ids.is_none_or(|ids| {
        ids.len() == now.len() && now.iter().zip(ids).all(|(media, id)| media.id.to_string() == *id)
    });
    let is_same = |sent: &MediaAttributes| {
        now.iter().find(|media| media.id.to_string() == sent.id).is_some_and(|media| {
            let focus = sent.focus.as_deref().filter(|focus| !focus.is_empty());
            let description = sent.description.as_deref().map(str::trim);
            description.is_none_or(|text| text == media.description)
                && focus
                    .is_none_or(|focus| focus.parse() == Ok(media.focus.unwrap_or(Focus::MIDDLE)))
        })
    };
    if same_ids && attributes.iter().all(is_same) {
        Ok(())
    } else {
        Err(Error::validation("Media attachments of a post cannot be changed"))
    }
}

/// Job that deletes attachments that have belonged to no status for a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepMedia {}

impl Job for SweepMedia {
    const KIND: &'static str = "media.sweep";
}

/// Enqueues a [`SweepMedia`] job if there is anything to delete.
///
/// # Errors
/// Storage errors only.
pub fn enqueue_sweep(tx: &mut Tx<'_>) -> Result<()> {
    let before = tx.now().before(UNATTACHED_TTL);
    if rows::any_unattached(tx, before)? {
        jobs::enqueue(tx, &SweepMedia {})?;
    }
    Ok(())
}

/// Runs one step of [`SweepMedia`], and enqueues another job for the rest.
///
/// # Errors
/// Storage errors only.
pub fn sweep(tx: &mut Tx<'_>, _: &SweepMedia) -> Result<()> {
    let before = tx.now().before(UNATTACHED_TTL);
    let removed = rows::sweep(tx, before, SWEEP_BATCH)?;
    discard_files(tx, removed.into_iter().flat_map(MediaAttachment::into_files))?;
    enqueue_sweep(tx)
}

/// Deletes some attachments of an account. Returns `false` if there was nothing left.
pub(crate) fn remove_some_of(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let removed = rows::remove_of(tx, account, SWEEP_BATCH)?;
    let some = !removed.is_empty();
    discard_files(tx, removed.into_iter().flat_map(MediaAttachment::into_files))?;
    Ok(some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attachment_metadata_is_checked() {
        let long = "é".repeat(1500);
        assert!(MediaMetadata::prepare(Some(long.clone()), Some("0,0")).is_ok());
        let longer = MediaMetadata::prepare(Some(long + "x"), None).unwrap_err().to_string();
        assert!(longer.contains("maximum is 1500"), "{longer}");
        assert_eq!(MediaMetadata::prepare(None, Some(" ")).unwrap(), MediaMetadata::default());
        let beyond = MediaMetadata::prepare(None, Some("2,0")).unwrap_err().to_string();
        assert!(beyond.starts_with("Validation failed: Focus must be"), "{beyond}");
    }

    #[test]
    fn attachment_ids_are_unique_and_limited() {
        let media_ids = |ids: &[&str]| {
            media_ids(&ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>())
                .map(|ids| ids.into_iter().map(MediaId::get).collect::<Vec<_>>())
        };
        assert_eq!(media_ids(&["3", "1", "3", "", "2"]).unwrap(), [3, 1, 2]);
        assert!(media_ids(&["1", "2", "3", "4", "5"]).is_err());
        assert!(media_ids(&["abc"]).is_err());
    }
}
