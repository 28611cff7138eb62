//! Attachments: receives and stores uploads. A job produces the files that are shown. The uploader
//! may wait for it.

use std::time::Duration;

use siskin_entities::{MediaAttachment, MediaKind, MediaStage};
use siskin_ids::{AccountId, MediaId};
use siskin_media::Error as MediaError;
use siskin_persistence::media::{Finished, NewPreview};
use siskin_services::{
    Error, Result,
    attachments::{self, ProcessFilm, ProcessMedia, Received, Said},
    media::not_kept,
};
use tempfile::TempPath;
use tokio::time::{Instant, sleep};

use crate::{App, Finish, JobHandler, Lane, media::is_settled, nothing_to_store};

/// Maximum time that an upload request waits for the processing.
const PATIENCE: Duration = Duration::from_secs(10);
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Upload for an attachment, as the client sent it.
#[derive(Debug)]
pub struct Upload {
    /// File in the staging directory of the storage.
    pub file: TempPath,
    /// Custom thumbnail, also in the staging directory.
    pub thumbnail: Option<TempPath>,
    pub said: Said,
    /// Whether to wait even for slow processing (video and audio).
    pub patient: bool,
}

impl App {
    /// Stores an upload and waits a while for its processing. The returned attachment may still be
    /// unprocessed.
    ///
    /// # Errors
    /// [`Error::Invalid`] for unusable files; nothing is stored then.
    pub async fn upload(&self, account: AccountId, upload: Upload) -> Result<MediaAttachment> {
        let Upload { file, thumbnail, said, patient } = upload;
        let turn = self.inner.upload_turns.wait(account).await;
        let received = self.receive(file, thumbnail).await?;
        drop(turn);
        let kind = received.kind;
        let media = self.write_received(account, received, said).await?;
        if patient || kind == MediaKind::Image {
            self.await_media(account, media).await
        } else {
            self.read(move |conn| attachments::find(conn, account, media)).await
        }
    }

    async fn receive(&self, file: TempPath, thumbnail: Option<TempPath>) -> Result<Received> {
        let preview = match thumbnail {
            None => None,
            Some(thumbnail) => Some(self.keep_thumbnail(thumbnail).await?),
        };
        match self.media().receive(file).await {
            Ok((source, kind)) => Ok(Received { kind, source, preview }),
            Err(error) => {
                self.media().discard(preview.map(|preview| preview.file)).await;
                Err(not_kept("File", error))
            }
        }
    }

    async fn keep_thumbnail(&self, thumbnail: TempPath) -> Result<NewPreview> {
        let kept = self.media().keep_preview(thumbnail, None).await;
        kept.map(new_preview).map_err(|error| not_kept("Thumbnail", error))
    }

    async fn write_received(
        &self,
        account: AccountId,
        received: Received,
        said: Said,
    ) -> Result<MediaId> {
        let preview = received.preview.as_ref().map(|preview| preview.file.clone());
        let files: Vec<String> =
            [Some(received.source.clone()), preview].into_iter().flatten().collect();
        let written =
            self.write(move |tx| attachments::receive(tx, account, &received, &said)).await;
        if let Err(error) = &written
            && is_settled(error)
        {
            self.media().discard(files).await;
        }
        written
    }

    /// Polls the attachment until it is processed or `PATIENCE` runs out.
    async fn await_media(&self, account: AccountId, media: MediaId) -> Result<MediaAttachment> {
        let (start, mut pause) = (Instant::now(), FIRST_LOOK);
        loop {
            sleep(pause).await;
            let found = self.read(move |conn| attachments::find(conn, account, media)).await?;
            match &found.stage {
                MediaStage::Waiting if start.elapsed() < PATIENCE => {
                    pause = (pause * 2).min(LONGEST_PAUSE);
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
        said: Said,
        thumbnail: Option<TempPath>,
    ) -> Result<MediaAttachment> {
        let now = self.read(move |conn| attachments::find(conn, account, media)).await?;
        let turn = self.inner.upload_turns.wait(account).await;
        let preview = match (now.kind, thumbnail) {
            _ if now.status.is_some() => None,
            (MediaKind::Image, _) => self.preview_around(&now, &said).await?,
            (_, Some(thumbnail)) => Some(self.keep_thumbnail(thumbnail).await?),
            (_, None) => None,
        };
        drop(turn);
        let file = preview.as_ref().map(|preview| preview.file.clone());
        let changed = self
            .write(move |tx| attachments::change(tx, account, media, &said, preview.as_ref()))
            .await;
        if let Err(error) = &changed
            && is_settled(error)
        {
            self.media().discard(file).await;
        }
        changed
    }

    /// Makes a new preview of a picture if its focal point changes. Returns `None` otherwise.
    async fn preview_around(
        &self,
        now: &MediaAttachment,
        said: &Said,
    ) -> Result<Option<NewPreview>> {
        let moved = said.focus().filter(|focus| Some(*focus) != now.focus);
        let (Some(focus), Some(file)) = (moved, &now.file) else { return Ok(None) };
        let kept = self.media().preview_of(file, Some(focus)).await;
        kept.map(|kept| Some(new_preview(kept))).map_err(|error| not_kept("File", error))
    }
}

fn new_preview(kept: siskin_media::KeptPreview) -> NewPreview {
    NewPreview { file: kept.file, size: kept.size, blurhash: kept.blurhash }
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

/// Runs [`ProcessFilm`].
#[derive(Debug, Clone, Copy)]
pub struct FilmProcessor;

impl JobHandler for FilmProcessor {
    type Job = ProcessFilm;

    const LANE: Lane = Lane::Films;

    async fn run(&self, app: &App, job: ProcessFilm) -> Result<Finish> {
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
        return Ok(Box::new(move |tx| attachments::process_later(tx, account, media, kind)));
    }
    match make(app, &upload).await {
        Ok(made) => Ok(Box::new(move |tx| attachments::processed(tx, &upload, &made))),
        Err(MediaError::Refused(why)) => {
            Ok(Box::new(move |tx| attachments::unusable(tx, media, &why.to_string())))
        }
        Err(error) => Err(not_kept("File", error)),
    }
}

async fn make(app: &App, upload: &MediaAttachment) -> siskin_media::Result<Finished> {
    let source = upload.source.as_deref().unwrap_or_default();
    let kept = app.media().make(source, upload.kind, upload.focus).await?;
    let (preview, blurhash) =
        kept.preview.map_or((None, None), |preview| (Some(preview.file), preview.blurhash));
    Ok(Finished { kind: kept.kind, file: kept.file, preview, blurhash, meta: kept.meta })
}
