//! Uploaded files on disk: on the routes that accept files, they are written while they arrive. No
//! more than one piece of a file is ever in memory.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use actix_web::{
    HttpRequest,
    web::{Bytes, BytesMut},
};
use tempfile::{NamedTempFile, TempPath};
use tokio::task::spawn_blocking;

use super::{Error, Limits};

/// Number of bytes that are collected before they are written.
const CHUNK_BYTES: usize = 256 << 10;

/// Decides which requests may have files, and where these go; give one to the application as
/// `app_data`. The function gets the limits that apply otherwise. If it returns `None`, a file is
/// refused before it is read.
#[derive(Debug, Clone, Copy)]
pub struct UploadPolicy(pub fn(&HttpRequest, Limits) -> Option<io::Result<UploadTarget>>);

/// The staging directory for files, and the size limits of files and their request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadTarget {
    pub folder: PathBuf,
    pub limits: Limits,
}

impl UploadPolicy {
    pub(super) fn target(
        self,
        request: &HttpRequest,
        usual: Limits,
    ) -> Option<Result<UploadTarget, Error>> {
        let target = (self.0)(request, usual)?;
        Some(target.map_err(|error| no_room(&error)))
    }
}

fn no_room(error: &io::Error) -> Error {
    log::error!("an upload cannot be stored: {error}");
    Error::NoRoom
}

/// An uploaded file on disk, not examined yet: name and type are claims of the client. It is
/// deleted with the request unless it is [taken](StoredFile::take).
#[derive(Debug, Clone)]
pub struct StoredFile {
    /// File name as sent. It may look like a path. For display only.
    pub name: String,
    /// Media type that the client claims.
    pub content_type: Option<String>,
    path: Arc<Mutex<Option<TempPath>>>,
}

impl StoredFile {
    pub(super) fn new(name: String, content_type: Option<String>, draft: Draft) -> Self {
        let path = Arc::new(Mutex::new(Some(draft.file.into_temp_path())));
        Self { name, content_type, path }
    }

    /// Reads the file into memory.
    ///
    /// # Errors
    /// [`Error::NoRoom`] if it was taken, or cannot be read.
    pub async fn read(&self) -> Result<Bytes, Error> {
        let path = self.location().ok_or(Error::NoRoom)?;
        let file = Arc::clone(&self.path);
        blocking(move || {
            let content = fs::read(path).map(Bytes::from);
            // The file must not be deleted before it is read.
            drop(file);
            content
        })
        .await
    }

    fn location(&self) -> Option<PathBuf> {
        let path = self.path.lock().unwrap_or_else(PoisonError::into_inner);
        path.as_ref().map(|path| path.to_path_buf())
    }

    /// Takes the file itself. Returns `None` if it was taken before.
    #[must_use]
    pub fn take(&self) -> Option<TempPath> {
        self.path.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Two values are equal if they are the same file.
impl PartialEq for StoredFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.path, &other.path)
    }
}

/// A file that is being written. It is deleted if it is not finished.
#[derive(Debug)]
pub(super) struct Draft {
    file: NamedTempFile,
    buffer: BytesMut,
    bytes: usize,
}

impl Draft {
    pub(super) async fn begin(staging_dir: &Path) -> Result<Self, Error> {
        let staging_dir = staging_dir.to_owned();
        let file = blocking(move || NamedTempFile::new_in(staging_dir)).await?;
        Ok(Self { file, buffer: BytesMut::new(), bytes: 0 })
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends a chunk to the file, which may have at most `limit` bytes.
    pub(super) async fn add(&mut self, chunk: Bytes, limit: usize) -> Result<(), Error> {
        if chunk.len() > limit - self.bytes {
            return Err(Error::TooLarge { limit });
        }
        self.bytes += chunk.len();
        self.buffer.extend_from_slice(&chunk);
        if self.buffer.len() >= CHUNK_BYTES { self.write().await } else { Ok(()) }
    }

    pub(super) async fn finish(mut self) -> Result<Self, Error> {
        self.write().await?;
        Ok(self)
    }

    async fn write(&mut self) -> Result<(), Error> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let buffer = self.buffer.split().freeze();
        let mut file = self.file.as_file().try_clone().map_err(|error| no_room(&error))?;
        blocking(move || file.write_all(&buffer)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Error> {
    let done = spawn_blocking(work).await.map_err(io::Error::other);
    done.flatten().map_err(|error| no_room(&error))
}
