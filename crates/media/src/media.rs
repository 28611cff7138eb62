//! Keeps uploads.

use std::{fs, path::PathBuf, sync::Arc};

use siskin_entities::{Focus, MediaKind, Picture};
use tempfile::TempPath;
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{
    Encoded, Error, FileName, FileType, Folder, Kept, KeptImage, KeptPreview, Purpose, Result,
    Storage,
    attachment::{self, Preview},
    process,
};

/// Pictures that are worked on at the same time; each may take some hundred megabytes.
const TURNS: usize = 2;

/// The files of an instance. Clones share them.
#[derive(Debug, Clone)]
pub struct Media {
    storage: Arc<dyn Storage>,
    turns: Arc<Semaphore>,
}

impl Media {
    /// Files in this storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage, turns: Arc::new(Semaphore::new(TURNS)) }
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
        let kept = self.in_turn(move || process(upload.as_ref(), purpose)).await?;
        self.store(kept).await
    }

    /// Takes over a file from the storage's desk that is to be attached to a status: what it is is
    /// worked out later. Answers the name under which it waits, and what it seems to be.
    ///
    /// # Errors
    /// [`Error::Refused`] where its beginning shows that it cannot be used; else a fault of ours.
    pub async fn receive(&self, upload: TempPath) -> Result<(String, MediaKind)> {
        let examined =
            spawn_blocking(move || attachment::examine(&upload).map(|kind| (upload, kind)));
        let (upload, kind) = examined.await.map_err(|_| Error::GivenUp)??;
        let name = FileName::random(FileType::Upload);
        self.storage.adopt(&name, upload).await?;
        Ok((name.to_string(), kind))
    }

    /// Makes of an upload that was [received](Media::receive) the picture that is shown, and its
    /// preview around the focal point. The upload stays.
    ///
    /// # Errors
    /// As [`Media::keep`].
    pub async fn keep_image(&self, upload: &str, focus: Option<Focus>) -> Result<KeptImage> {
        let upload = self.local(upload).await?;
        let image =
            self.in_turn(move || attachment::image(&fs::read(upload.path())?, focus)).await?;
        let file = self.store_one(image.encoded).await?;
        match self.store_preview(image.preview).await {
            Ok(preview) => Ok(KeptImage { file, size: image.size, preview }),
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
        let preview = self.in_turn(work).await?;
        self.store_preview(preview).await
    }

    /// Makes of a stored picture a preview of it around the focal point.
    ///
    /// # Errors
    /// As [`Media::keep`].
    pub async fn preview_of(&self, file: &str, focus: Option<Focus>) -> Result<KeptPreview> {
        let file = self.local(file).await?;
        let work = move || attachment::preview(&fs::read(file.path())?, focus);
        let preview = self.in_turn(work).await?;
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
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| Error::GivenUp)?;
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
