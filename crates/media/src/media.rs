//! Processing and storing of uploads.

use std::{fs, path::PathBuf, sync::Arc};

use siskin_entities::{Focus, MediaKind, MediaMeta, Picture};
use tempfile::TempPath;
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{
    Encoded, Error, FileName, FileType, Folder, Format, Processed, Purpose, Refusal, Result,
    Storage, StoredAttachment, StoredPreview, Tools,
    attachment::{self, DetectedKind, Preview},
    instance_picture, process, staging_dir,
    video::{self, Video, samples},
};

/// Maximum number of images processed at the same time; each may take some hundred megabytes.
pub const PICTURES_AT_ONCE: usize = 2;
/// Maximum number of videos and recordings processed at the same time.
pub const VIDEOS_AT_ONCE: usize = 1;
/// Maximum number of uploads that FFmpeg probes at the same time.
const PROBES_AT_ONCE: usize = 1;

/// Media files of an instance. Clones share them.
#[derive(Debug, Clone)]
pub struct Media {
    storage: Arc<dyn Storage>,
    permits: Arc<Semaphore>,
    tools: Option<Arc<Tools>>,
    /// Version of FFmpeg, if it was probed.
    tools_version: Option<Arc<str>>,
    /// Media types that `tools` can read in addition to images.
    types: Arc<[&'static str]>,
    videos: Arc<Semaphore>,
    probes: Arc<Semaphore>,
}

impl Media {
    /// Creates the value for files in this storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self {
            storage,
            permits: Arc::new(Semaphore::new(PICTURES_AT_ONCE)),
            tools: None,
            tools_version: None,
            types: Arc::default(),
            videos: Arc::new(Semaphore::new(VIDEOS_AT_ONCE)),
            probes: Arc::new(Semaphore::new(PROBES_AT_ONCE)),
        }
    }

    /// Adds the programs for video and audio. Without them, only images can be attached.
    #[must_use]
    pub fn with_tools(self, tools: Option<Tools>) -> Self {
        let types = tools.as_ref().map(|_| samples::all_types()).unwrap_or_default();
        Self { tools: tools.map(Arc::new), types: types.into(), ..self }
    }

    /// Adds the programs like [`Media::with_tools`], and announces only the types that they can
    /// read.
    ///
    /// # Errors
    /// Returns errors of the local folder.
    pub async fn with_probed_tools(self, tools: Option<Tools>) -> Result<Self> {
        let media = self.with_tools(tools);
        let Some(tools) = media.tools.clone() else { return Ok(media) };
        let staging_dir = media.storage.staging_dir()?;
        let probed = spawn_blocking(move || {
            samples::readable_types(&tools, &staging_dir).map(|types| (types, tools.version()))
        });
        let (types, version) = probed.await.map_err(|_| Error::GivenUp)??;
        let missing: Vec<_> =
            media.types.iter().copied().filter(|known| !types.contains(known)).collect();
        if !missing.is_empty() {
            log::warn!("the installed ffmpeg cannot read: {}", missing.join(", "));
        }
        Ok(Self { types: types.into(), tools_version: version.map(Arc::from), ..media })
    }

    /// Returns the version of FFmpeg. `None` if it is not installed or was not probed.
    #[must_use]
    pub fn tools_version(&self) -> Option<&str> {
        self.tools_version.as_deref()
    }

    /// Returns the media types that can be attached to a status.
    pub fn accepted_types(&self) -> impl Iterator<Item = &'static str> + use<> {
        let pictures = Format::ALL.into_iter().map(Format::media_type);
        pictures.chain(self.types.to_vec())
    }

    /// Creates the value for files in a local folder.
    #[must_use]
    pub fn in_folder(root: impl Into<PathBuf>) -> Self {
        Self::new(Arc::new(Folder::at(root)))
    }

    /// Returns the storage of the files.
    #[must_use]
    pub fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// Processes an upload for its purpose and stores the result. The caller must store a row with
    /// the file names, or delete the files with [`Media::discard`].
    ///
    /// # Errors
    /// Returns [`Error::Refused`] with a message for the uploader; other errors are internal.
    pub async fn store_picture(
        &self,
        upload: impl AsRef<[u8]> + Send + 'static,
        purpose: Purpose,
    ) -> Result<Picture> {
        purpose.admit(upload.as_ref())?;
        let processed =
            self.in_turn(&self.permits, move || process(upload.as_ref(), purpose)).await?;
        self.store(processed).await
    }

    /// Takes over a file from the staging directory that will be attached to a status. Processing
    /// happens later. Returns the name of the stored upload and its likely kind.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if its beginning shows that it cannot be used; other errors are
    /// internal.
    pub async fn receive(&self, upload: TempPath) -> Result<(String, MediaKind)> {
        let tools = self.tools.clone();
        let detection = spawn_blocking(move || {
            attachment::detected_kind(&upload, tools.as_deref())
                .map(|detected_kind| (upload, detected_kind))
        });
        let (upload, detected_kind) = detection.await.map_err(|_| Error::GivenUp)??;
        let (upload, kind) = match detected_kind {
            DetectedKind::Picture => (upload, MediaKind::Image),
            DetectedKind::MaybeAnimated(format) => {
                let work = move || {
                    attachment::classify_picture(&upload, format).map(|kind| (upload, kind))
                };
                self.in_turn(&self.permits, work).await?
            }
            DetectedKind::Playable => {
                let tools = self.tools.clone().ok_or(Refusal::PicturesOnly)?;
                let work = move || video::kind_of(&tools, &upload).map(|kind| (upload, kind));
                self.in_turn(&self.probes, work).await?
            }
        };
        let name = FileName::random(FileType::Upload);
        self.storage.adopt(&name, upload).await?;
        Ok((name.to_string(), kind))
    }

    /// Processes an upload that was [received](Media::receive): creates the file to display and a
    /// preview. The preview of an image is cropped around the focal point. The upload itself is not
    /// deleted.
    ///
    /// # Errors
    /// Returns the same errors as [`Media::store_picture`].
    pub async fn process_upload(
        &self,
        upload: &str,
        kind: MediaKind,
        focus: Option<Focus>,
    ) -> Result<StoredAttachment> {
        let source: FileName = upload.parse().map_err(std::io::Error::other)?;
        let upload = self.storage.local(&source).await?;
        let (tools, staging_dir) = (self.tools.clone(), self.storage.staging_dir()?);
        if kind == MediaKind::Image {
            let work =
                move || attachment::image_at(upload.path(), focus, tools.as_deref(), &staging_dir);
            let image = self.in_turn(&self.permits, work).await?;
            return self.store_image(image).await;
        }
        let tools = tools.ok_or(Refusal::PicturesOnly)?;
        let work = move || match kind {
            MediaKind::Gifv => attachment::gifv_at(upload.path(), &tools, &staging_dir),
            _ => video::transcode(&tools, upload.path(), &staging_dir),
        };
        let video = self.in_turn(&self.videos, work).await?;
        self.store_video(video, &source).await
    }

    async fn store_image(&self, image: attachment::Image) -> Result<StoredAttachment> {
        let file = self.store_one(image.encoded).await?;
        let meta = MediaMeta { original: Some(image.size), ..MediaMeta::default() };
        self.with_preview(MediaKind::Image, file, Some((None, image.preview)), meta).await
    }

    /// Stores a video or recording. The preview has the digits of the upload, so that its name is
    /// known before it exists (`MediaAttachment::coming_preview`).
    async fn store_video(&self, video: Video, source: &FileName) -> Result<StoredAttachment> {
        let file = FileName::random(video.file_type);
        self.storage.adopt(&file, video.file).await?;
        let meta = MediaMeta {
            original: video.size,
            small: None,
            playing: Some(video.playing),
            colors: video.colors,
        };
        let preview = video.preview.map(|preview| {
            let is_announced =
                preview.encoded.format == Format::Png && video.kind != MediaKind::Audio;
            (is_announced.then(|| source.with_type(Format::Png)), preview)
        });
        self.with_preview(video.kind, file.to_string(), preview, meta).await
    }

    async fn with_preview(
        &self,
        kind: MediaKind,
        file: String,
        preview: Option<(Option<FileName>, Preview)>,
        meta: MediaMeta,
    ) -> Result<StoredAttachment> {
        let Some((name, preview)) = preview else {
            return Ok(StoredAttachment { kind, file, preview: None, meta });
        };
        match self.store_preview_as(name, preview).await {
            Ok(preview) => {
                let meta = MediaMeta { small: Some(preview.size), ..meta };
                Ok(StoredAttachment { kind, file, preview: Some(preview), meta })
            }
            Err(error) => {
                self.discard([file]).await;
                Err(error)
            }
        }
    }

    /// Creates a preview from a file in the staging directory.
    ///
    /// # Errors
    /// Returns the same errors as [`Media::store_picture`].
    pub async fn store_custom_preview(
        &self,
        upload: TempPath,
        focus: Option<Focus>,
    ) -> Result<StoredPreview> {
        let work = move || attachment::preview(&fs::read(&upload)?, focus);
        let preview = self.in_turn(&self.permits, work).await?;
        self.store_preview(preview).await
    }

    /// Creates the image of a link preview from a fetched image.
    ///
    /// # Errors
    /// Returns the same errors as [`Media::store_picture`].
    pub async fn store_card_image(&self, picture: Vec<u8>) -> Result<StoredPreview> {
        let preview = self.in_turn(&self.permits, move || attachment::card(&picture)).await?;
        self.store_preview(preview).await
    }

    /// Creates all versions of the picture of the instance from an upload.
    ///
    /// # Errors
    /// Returns the same errors as [`Media::store_picture`]. Nothing stays stored then.
    pub async fn store_instance_picture(
        &self,
        upload: impl AsRef<[u8]> + Send + 'static,
    ) -> Result<Vec<StoredPreview>> {
        let work = move || instance_picture::versions(upload.as_ref());
        let versions = self.in_turn(&self.permits, work).await?;
        let mut stored = Vec::with_capacity(versions.len());
        for version in versions {
            match self.store_preview(version).await {
                Ok(version) => stored.push(version),
                Err(error) => {
                    self.discard(stored.into_iter().map(|version| version.file)).await;
                    return Err(error);
                }
            }
        }
        Ok(stored)
    }

    /// Creates a preview of a stored image, cropped around the focal point.
    ///
    /// # Errors
    /// Returns the same errors as [`Media::store_picture`].
    pub async fn preview_of(&self, file: &str, focus: Option<Focus>) -> Result<StoredPreview> {
        let file = self.local(file).await?;
        let work = move || attachment::preview(&fs::read(file.path())?, focus);
        let preview = self.in_turn(&self.permits, work).await?;
        self.store_preview(preview).await
    }

    async fn local(&self, file: &str) -> Result<crate::Local> {
        let name: FileName = file.parse().map_err(std::io::Error::other)?;
        Ok(self.storage.local(&name).await?)
    }

    async fn store_preview(&self, preview: Preview) -> Result<StoredPreview> {
        self.store_preview_as(None, preview).await
    }

    /// Stores a preview under an announced name, or under a random one.
    async fn store_preview_as(
        &self,
        name: Option<FileName>,
        preview: Preview,
    ) -> Result<StoredPreview> {
        let name = name.unwrap_or_else(|| FileName::random(preview.encoded.format));
        self.storage.write(&name, preview.encoded.content).await?;
        Ok(StoredPreview { file: name.to_string(), size: preview.size, blurhash: preview.blurhash })
    }

    /// Runs work on a blocking thread after it acquires a permit.
    async fn in_turn<T: Send + 'static>(
        &self,
        permits: &Arc<Semaphore>,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = Arc::clone(permits).acquire_owned().await.map_err(|_| Error::GivenUp)?;
        let result = spawn_blocking(move || {
            let result = work();
            drop(turn);
            result
        });
        result.await.map_err(|_| Error::GivenUp)?
    }

    async fn store(&self, processed: Processed) -> Result<Picture> {
        let file = self.store_one(processed.main).await?;
        let still = match processed.still {
            None => Ok(None),
            Some(still) => self.store_one(still).await.map(Some),
        };
        match still {
            Ok(still) => Ok(Picture { file, still }),
            Err(error) => {
                self.discard([file]).await;
                Err(error)
            }
        }
    }

    async fn store_one(&self, encoded: Encoded) -> Result<String> {
        let name = FileName::random(encoded.format);
        self.storage.write(&name, encoded.content).await?;
        Ok(name.to_string())
    }

    /// Deletes files that nothing refers to. Files that cannot be deleted stay and are logged.
    pub async fn discard(&self, files: impl IntoIterator<Item = String>) {
        for file in files {
            if let Err(error) = self.delete(&file).await {
                log::warn!("cannot remove an unneeded file: file={file} error={error}");
            }
        }
    }

    /// Deletes abandoned files from the staging directory and returns their number.
    ///
    /// # Errors
    /// Returns errors of the storage.
    pub async fn sweep_staging_dir(&self) -> Result<usize> {
        let staging_dir = self.storage.staging_dir()?;
        let swept = spawn_blocking(move || staging_dir::sweep_staging_dir(&staging_dir));
        Ok(swept.await.map_err(|_| Error::GivenUp)??)
    }

    /// Deletes a file, if it exists.
    ///
    /// # Errors
    /// Returns errors of the storage.
    pub async fn delete(&self, file: &str) -> Result<()> {
        // A text that is not a valid name cannot be a stored file.
        let Ok(name) = file.parse() else { return Ok(()) };
        Ok(self.storage.delete(&name).await?)
    }
}
