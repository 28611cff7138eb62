//! Keeps uploads.

use std::{path::PathBuf, sync::Arc};

use siskin_entities::Picture;
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{Encoded, Error, FileName, Folder, Kept, Purpose, Result, Storage, process};

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
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| Error::GivenUp)?;
        let worked = spawn_blocking(move || {
            let kept = process(upload.as_ref(), purpose);
            drop(turn);
            kept
        });
        self.store(worked.await.map_err(|_| Error::GivenUp)??).await
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
