//! Attachments: receives and stores uploads. A job produces the files that are shown. The uploader
//! may wait for it.

use std::time::Duration;

use siskin_entities::{MediaAttachment, MediaKind, MediaStage};
use siskin_ids::{AccountId, MediaId};
use siskin_media::Error as MediaError;
use siskin_persistence::media::{Finished, NewPreview};
use siskin_services::{
    Error, Result,
    attachments::{self, MediaMetadata, ProcessMedia, ProcessVideo, Received},
    media::upload_error,
};
use tempfile::TempPath;
use tokio::time::{Instant, sleep};

use crate::{App, Finish, JobHandler, Lane, media::is_rolled_back, nothing_to_store};

/// Maximum time that an upload request waits for the processing.
const MAX_WAIT: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const MAX_PAUSE: Duration = Duration::from_millis(250);

/// Upload for an attachment, as the client sent it.
#[derive(Debug)]
pub struct Upload {
    /// File in the staging directory of the storage.
    pub file: TempPath,
    /// Custom thumbnail, also in the staging directory.
    pub thumbnail: Option<TempPath>,
    pub metadata: MediaMetadata,
    /// Whether to wait even for slow processing (video and audio).
    pub wait_for_slow: bool,
}

impl App {
    /// Stores an upload and waits a while for its processing. The returned attachment may still be
    /// unprocessed.
    ///
    /// # Errors
    /// [`Error::Invalid`] for unusable files; nothing is stored then.
    pub async fn upload(&self, account: AccountId, upload: Upload) -> Result<MediaAttachment> {
        let Upload { file, thumbnail, metadata, wait_for_slow } = upload;
        let turn = self.inner.upload_turns.wait(account).await;
        let received = self.receive(file, thumbnail).await?;
        drop(turn);
        let kind = received.kind;
        let media = self.write_received(account, received, metadata).await?;
        if wait_for_slow || kind == MediaKind::Image {
            self.await_media(account, media).await
        } else {
            self.read(move |conn| attachments::find(conn, account, media)).await
        }
    }

    async fn receive(&self, file: TempPath, thumbnail: Option<TempPath>) -> Result<Received> {
        let preview = match thumbnail {
            None => None,
            Some(thumbnail) => Some(self.store_thumbnail(thumbnail).await?),
        };
        match self.media().receive(file).await {
            Ok((source, kind)) => Ok(Received { kind, source, preview }),
            Err(error) => {
                self.media().discard(preview.map(|preview| preview.file)).await;
                Err(upload_error("File", error))
            }
        }
    }

    async fn store_thumbnail(&self, thumbnail: TempPath) -> Result<NewPreview> {
        let stored = self.media().store_custom_preview(thumbnail, None).await;
        stored.map(new_preview).map_err(|error| upload_error("Thumbnail", error))
    }

    async fn write_received(
        &self,
        account: AccountId,
        received: Received,
        metadata: MediaMetadata,
    ) -> Result<MediaId> {
        let preview = received.preview.as_ref().map(|preview| preview.file.clone());
        let files: Vec<String> =
            [Some(received.source.clone()), preview].into_iter().flatten().collect();
        let written =
            self.write(move |tx| attachments::receive(tx, account, &received, &metadata)).await;
        if let Err(error) = &written
            && is_rolled_back(error)
        {
            self.media().discard(files).await;
        }
        written
    }

    /// Polls the attachment until it is processed or `MAX_WAIT` runs out.
    async fn await_media(&self, account: AccountId, media: MediaId) -> Result<MediaAttachment> {
        let (start, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            sleep(pause).await;
            let found = self.read(move |conn| attachments::find(conn, account, media)).await?;
            match &found.stage {
                MediaStage::Waiting if start.elapsed() < MAX_WAIT => {
                    pause = (pause * 2).min(MAX_PAUSE);
                }
                MediaStage::Waiting | MediaStage::Ready => return Ok(found),
                MediaStage::Failed(why) => {
                    let why = Error::validation(format!("File {why}"));
                    self.write(move |tx| attachments::delete(tx, account, media)).await?;
                    return Err(why);
                }
            }
        }
    }

    /// Updates the metadata of an attachment. Makes a new preview if the focal point or the
    /// thumbnail changes.
    ///
    /// # Errors
    /// Those of [`attachments::change`]; [`Error::Invalid`] for a thumbnail that cannot be used.
    pub async fn change_media(
        &self,
        account: AccountId,
        media: MediaId,
        metadata: MediaMetadata,
        thumbnail: Option<TempPath>,
    ) -> Result<MediaAttachment> {
        let now = self.read(move |conn| attachments::find(conn, account, media)).await?;
        let turn = self.inner.upload_turns.wait(account).await;
        let preview = match (now.kind, thumbnail) {
            _ if now.status.is_some() => None,
            (MediaKind::Image, _) => self.preview_around(&now, &metadata).await?,
            (_, Some(thumbnail)) => Some(self.store_thumbnail(thumbnail).await?),
            (_, None) => None,
        };
        drop(turn);
        let file = preview.as_ref().map(|preview| preview.file.clone());
        let changed = self
            .write(move |tx| attachments::change(tx, account, media, &metadata, preview.as_ref()))
            .await;
        if let Err(error) = &changed
            && is_rolled_back(error)
        {
            self.media().discard(file).await;
        }
        changed
    }

    /// Makes a new preview of a picture if its focal point changes. Returns `None` otherwise.
    async fn preview_around(
        &self,
        now: &MediaAttachment,
        metadata: &MediaMetadata,
    ) -> Result<Option<NewPreview>> {
        let moved = metadata.focus().filter(|focus| Some(*focus) != now.focus);
        let (Some(focus), Some(file)) = (moved, &now.file) else { return Ok(None) };
        let stored = self.media().preview_of(file, Some(focus)).await;
        stored.map(|stored| Some(new_preview(stored))).map_err(|error| upload_error("File", error))
    }
}

fn new_preview(stored: siskin_media::StoredPreview) -> NewPreview {
    NewPreview { file: stored.file, size: stored.size, blurhash: stored.blurhash }
}

/// Runs [`ProcessMedia`].
#[derive(Debug, Clone, Copy)]
pub struct PictureProcessor;

impl JobHandler for PictureProcessor {
    type Job = ProcessMedia;

    const LANE: Lane = Lane::Pictures;

    async fn run(&self, app: &App, job: ProcessMedia) -> Result<Finish> {
        process(app, job.media, |kind| kind == MediaKind::Image).await
    }
}

/// Runs [`ProcessVideo`].
#[derive(Debug, Clone, Copy)]
pub struct VideoProcessor;

impl JobHandler for VideoProcessor {
    type Job = ProcessVideo;

    const LANE: Lane = Lane::Videos;

    async fn run(&self, app: &App, job: ProcessVideo) -> Result<Finish> {
        process(app, job.media, |kind| kind != MediaKind::Image).await
    }
}

/// Processes an upload. If it belongs to the other lane, enqueues a job there instead, because
/// earlier versions enqueued all media as one kind of job.
async fn process(
    app: &App,
    media: MediaId,
    belongs_here: impl Fn(MediaKind) -> bool,
) -> Result<Finish> {
    let found = app.read(move |conn| attachments::waiting(conn, media)).await?;
    let Some(upload) = found else { return nothing_to_store() };
    if !belongs_here(upload.kind) {
        let (account, kind) = (upload.account, upload.kind);
        return Ok(Box::new(move |tx| attachments::enqueue_processing(tx, account, media, kind)));
    }
    match process_upload(app, &upload).await {
        Ok(finished) => {
            Ok(Box::new(move |tx| attachments::finish_processing(tx, &upload, &finished)))
        }
        Err(MediaError::Refused(why)) => {
            Ok(Box::new(move |tx| attachments::fail_processing(tx, media, &why.to_string())))
        }
        Err(error) => Err(upload_error("File", error)),
    }
}

async fn process_upload(app: &App, upload: &MediaAttachment) -> siskin_media::Result<Finished> {
    let source = upload.source.as_deref().unwrap_or_default();
    let stored = app.media().process_upload(source, upload.kind, upload.focus).await?;
    let (preview, blurhash) =
        stored.preview.map_or((None, None), |preview| (Some(preview.file), preview.blurhash));
    Ok(Finished { kind: stored.kind, file: stored.file, preview, blurhash, meta: stored.meta })
}
