//! Keeps uploads.

use std::{fs, path::PathBuf, sync::Arc};

use siskin_entities::{Focus, MediaKind, MediaMeta, Picture};
use tempfile::TempPath;
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{
    Encoded, Error, FileName, FileType, Folder, Format, Kept, KeptAttachment, KeptPreview, Purpose,
    Refusal, Result, Storage, Tools,
    attachment::{self, Preview},
    desk,
    film::{self, Container, Film, still},
    process,
};

/// Pictures that are worked on at the same time; each may take some hundred megabytes.
const TURNS: usize = 2;
/// The same for what plays.
const FILMS: usize = 1;

/// The files of an instance. Clones share them.
#[derive(Debug, Clone)]
pub struct Media {
    storage: Arc<dyn Storage>,
    turns: Arc<Semaphore>,
    tools: Option<Arc<Tools>>,
    films: Arc<Semaphore>,
}

impl Media {
    /// Files in this storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self {
            storage,
            turns: Arc::new(Semaphore::new(TURNS)),
            tools: None,
            films: Arc::new(Semaphore::new(FILMS)),
        }
    }

    /// The same with programs for what plays; without them, pictures alone can be attached.
    #[must_use]
    pub fn with_tools(self, tools: Option<Tools>) -> Self {
        Self { tools: tools.map(Arc::new), ..self }
    }

    /// The types of what can be attached to a status, as they stand in a `Content-Type`.
    pub fn accepted_types(&self) -> impl Iterator<Item = &'static str> + use<> {
        let tools = self.tools.is_some();
        let with_tools =
            move |types: &'static [&'static str]| types.iter().copied().filter(move |_| tools);
        let pictures = Format::ALL.into_iter().map(Format::media_type);
        pictures.chain(with_tools(still::TYPES)).chain(with_tools(Container::TYPES))
    }

    /// Files in a local folder.
    #[must_use]
    pub fn in_folder(root: impl Into<PathBuf>) -> Self {
        Self::new(Arc::new(Folder::at(root)))
    }

    /// Where the files lie.
    #[must_use]
    pub fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// Makes of an upload what its purpose asks for, and stores that. Whoever calls must see to it
    /// that a row names the files, or [`Media::discard`] them.
    ///
    /// # Errors
    /// [`Error::Refused`] with words for whoever sent it; else a fault of ours.
    pub async fn keep(
        &self,
        upload: impl AsRef<[u8]> + Send + 'static,
        purpose: Purpose,
    ) -> Result<Picture> {
        purpose.admit(upload.as_ref())?;
        let kept = self.in_turn(&self.turns, move || process(upload.as_ref(), purpose)).await?;
        self.store(kept).await
    }

    /// Takes over a file from the storage's desk that is to be attached to a status: what it is is
    /// worked out later. Answers the name under which it waits, and what it seems to be.
    ///
    /// # Errors
    /// [`Error::Refused`] where its beginning shows that it cannot be used; else a fault of ours.
    pub async fn receive(&self, upload: TempPath) -> Result<(String, MediaKind)> {
        let tools = self.tools.clone();
        let examined = spawn_blocking(move || {
            attachment::examine(&upload, tools.as_deref()).map(|kind| (upload, kind))
        });
        let (upload, kind) = examined.await.map_err(|_| Error::GivenUp)??;
        let name = FileName::random(FileType::Upload);
        self.storage.adopt(&name, upload).await?;
        Ok((name.to_string(), kind))
    }

    /// Makes of an upload that was [received](Media::receive) what is shown, and a preview: of a
    /// picture, around its focal point. The upload stays.
    ///
    /// # Errors
    /// As [`Media::keep`].
    pub async fn make(
        &self,
        upload: &str,
        kind: MediaKind,
        focus: Option<Focus>,
    ) -> Result<KeptAttachment> {
        let upload = self.local(upload).await?;
        let (tools, desk) = (self.tools.clone(), self.storage.desk()?);
        if kind == MediaKind::Image {
            let work = move || attachment::image_at(upload.path(), focus, tools.as_deref(), &desk);
            let image = self.in_turn(&self.turns, work).await?;
            return self.store_image(image).await;
        }
        let tools = tools.ok_or(Refusal::PicturesOnly)?;
        let work = move || match kind {
            MediaKind::Gifv => film::gifv(&tools, upload.path(), &desk),
            _ => film::play(&tools, upload.path(), &desk),
        };
        let film = self.in_turn(&self.films, work).await?;
        self.store_film(film).await
    }

    async fn store_image(&self, image: attachment::Image) -> Result<KeptAttachment> {
        let file = self.store_one(image.encoded).await?;
        let meta = MediaMeta { original: Some(image.size), ..MediaMeta::default() };
        self.with_preview(MediaKind::Image, file, Some(image.preview), meta).await
    }

    async fn store_film(&self, film: Film) -> Result<KeptAttachment> {
        let file = FileName::random(film.file_type);
        self.storage.adopt(&file, film.file).await?;
        let meta = MediaMeta {
            original: film.size,
            small: None,
            playing: Some(film.playing),
            colors: film.colors,
        };
        self.with_preview(film.kind, file.to_string(), film.preview, meta).await
    }

    async fn with_preview(
        &self,
        kind: MediaKind,
        file: String,
        preview: Option<Preview>,
        meta: MediaMeta,
    ) -> Result<KeptAttachment> {
        let Some(preview) = preview else {
            return Ok(KeptAttachment { kind, file, preview: None, meta });
        };
        match self.store_preview(preview).await {
            Ok(preview) => {
                let meta = MediaMeta { small: Some(preview.size), ..meta };
                Ok(KeptAttachment { kind, file, preview: Some(preview), meta })
            }
            Err(error) => {
                self.discard([file]).await;
                Err(error)
            }
        }
    }

    /// Makes of a file on the desk the preview of something.
    ///
    /// # Errors
    /// As [`Media::keep`].
    pub async fn keep_preview(
        &self,
        upload: TempPath,
        focus: Option<Focus>,
    ) -> Result<KeptPreview> {
        let work = move || attachment::preview(&fs::read(&upload)?, focus);
        let preview = self.in_turn(&self.turns, work).await?;
        self.store_preview(preview).await
    }

    /// Makes of a picture that was fetched the picture of a link preview.
    ///
    /// # Errors
    /// As [`Media::keep`].
    pub async fn keep_card_image(&self, picture: Vec<u8>) -> Result<KeptPreview> {
        let preview = self.in_turn(&self.turns, move || attachment::card(&picture)).await?;
        self.store_preview(preview).await
    }

    /// Makes of a stored picture a preview of it around the focal point.
    ///
    /// # Errors
    /// As [`Media::keep`].
    pub async fn preview_of(&self, file: &str, focus: Option<Focus>) -> Result<KeptPreview> {
        let file = self.local(file).await?;
        let work = move || attachment::preview(&fs::read(file.path())?, focus);
        let preview = self.in_turn(&self.turns, work).await?;
        self.store_preview(preview).await
    }

    async fn local(&self, file: &str) -> Result<crate::Local> {
        let name: FileName = file.parse().map_err(std::io::Error::other)?;
        Ok(self.storage.local(&name).await?)
    }

    async fn store_preview(&self, preview: Preview) -> Result<KeptPreview> {
        let file = self.store_one(preview.encoded).await?;
        Ok(KeptPreview { file, size: preview.size, blurhash: preview.blurhash })
    }

    /// Work for a blocking thread, after waiting for a turn.
    async fn in_turn<T: Send + 'static>(
        &self,
        turns: &Arc<Semaphore>,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = Arc::clone(turns).acquire_owned().await.map_err(|_| Error::GivenUp)?;
        let worked = spawn_blocking(move || {
            let result = work();
            drop(turn);
            result
        });
        worked.await.map_err(|_| Error::GivenUp)?
    }

    async fn store(&self, kept: Kept) -> Result<Picture> {
        let file = self.store_one(kept.main).await?;
        let still = match kept.still {
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

    /// Removes files that nothing names. What cannot be removed stays, which the log tells.
    pub async fn discard(&self, files: impl IntoIterator<Item = String>) {
        for file in files {
            if let Err(error) = self.delete(&file).await {
                log::warn!("a file that nothing needs was not removed: file={file} error={error}");
            }
        }
    }

    /// Removes from the desk what nobody is writing any more, and counts it.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn sweep_desk(&self) -> Result<usize> {
        let desk = self.storage.desk()?;
        let swept = spawn_blocking(move || desk::sweep_desk(&desk));
        Ok(swept.await.map_err(|_| Error::GivenUp)??)
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn delete(&self, file: &str) -> Result<()> {
        // What is no name is no file.
        let Ok(name) = file.parse() else { return Ok(()) };
        Ok(self.storage.delete(&name).await?)
    }
}
