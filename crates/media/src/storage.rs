//! Interface of file storages.

use std::{
    fmt::Debug,
    future::Future,
    io,
    ops::Range,
    path::{Path, PathBuf},
    pin::Pin,
    time::SystemTime,
};

use tempfile::TempPath;

use crate::{FileName, FileType};

/// Future result of a [`Storage`] operation.
pub type StorageFuture<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// Entry of a storage listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: FileName,
    /// Time of writing.
    pub modified: SystemTime,
    /// Size in bytes.
    pub bytes: u64,
}

/// Local copy of a stored file, usable as long as this value lives.
#[derive(Debug)]
pub enum Local {
    /// The stored file itself, which must not be changed.
    Itself(PathBuf),
    /// A temporary copy, deleted with the value.
    Copy(TempPath),
}

impl Local {
    /// Returns the local path.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Itself(path) => path,
            Self::Copy(path) => path,
        }
    }
}

/// Where a storage keeps its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'s> {
    /// A folder of this machine.
    Folder(&'s Path),
    /// The bucket with this name.
    Bucket(&'s str),
}

/// Storage of files. Files are written once, as a whole, and never change.
pub trait Storage: Debug + Send + Sync {
    /// Stores a file. Once the call returns, the file survives a power failure. Before that,
    /// readers do not see a partial file.
    fn write<'a>(&'a self, name: &'a FileName, content: Vec<u8>) -> StorageFuture<'a, ()>;

    /// Stores a file of any size from the staging directory [`Storage::staging_dir`], with the
    /// guarantees of `write`. The file is then gone from the staging directory.
    fn adopt<'a>(&'a self, name: &'a FileName, from: TempPath) -> StorageFuture<'a, ()>;

    /// Returns where the files are.
    fn place(&self) -> Place<'_>;

    /// Returns the local staging directory for files in progress. It exists.
    ///
    /// # Errors
    /// Returns errors of the file system.
    fn staging_dir(&self) -> io::Result<PathBuf>;

    /// Makes an existing file available on the local disk, for programs that read local files.
    fn local<'a>(&'a self, name: &'a FileName) -> StorageFuture<'a, Local>;

    /// Returns the size of a file in bytes, or `None` if the file does not exist.
    fn size<'a>(&'a self, name: &'a FileName) -> StorageFuture<'a, Option<u64>>;

    /// Reads a byte range of an existing file.
    fn read<'a>(&'a self, name: &'a FileName, range: Range<u64>) -> StorageFuture<'a, Vec<u8>>;

    /// Deletes a file, if it exists.
    fn delete<'a>(&'a self, name: &'a FileName) -> StorageFuture<'a, ()>;

    /// Lists the files whose names begin with this byte, unordered: about one in 256 files.
    fn list_prefix(&self, with: u8) -> StorageFuture<'_, Vec<Listed>>;

    /// Lists all files, unordered.
    fn list(&self) -> StorageFuture<'_, Vec<Listed>>;

    /// Returns the free bytes of the disk with the files, or `None` if that is unknown, as for a
    /// bucket.
    fn free_bytes(&self) -> StorageFuture<'_, Option<u64>> {
        Box::pin(async { Ok(None) })
    }

    /// Returns the number of bytes that is efficient for one read.
    fn chunk(&self) -> u64 {
        256 << 10
    }
}

/// Checks that files can be stored, found, read and deleted, by doing so with one file.
///
/// # Errors
/// Returns the failed operation.
pub async fn check(storage: &dyn Storage) -> io::Result<()> {
    let (name, content) = (FileName::random(FileType::Upload), b"Can this be stored?");
    storage.write(&name, content.to_vec()).await?;
    let length = content.len() as u64;
    let read = match storage.size(&name).await? {
        Some(size) if size == length => storage.read(&name, 0..length).await,
        _ => Err(io::Error::other("the stored file is missing")),
    };
    storage.delete(&name).await?;
    match read? == content {
        true => storage.list_prefix(0).await.map(drop),
        false => Err(io::Error::other("the stored file has different content")),
    }
}
