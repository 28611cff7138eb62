//! Where files lie.

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

/// What a [`Storage`] will say.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// A file that lies in a storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: FileName,
    /// When it was written.
    pub modified: SystemTime,
}

/// A stored file as one of the local disk, for as long as this value lives.
#[derive(Debug)]
pub enum Local {
    /// The very file, which is not to be changed.
    Itself(PathBuf),
    /// A copy, which goes with the value.
    Copy(TempPath),
}

impl Local {
    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Itself(path) => path,
            Self::Copy(path) => path,
        }
    }
}

/// A place for files. They are written once, whole, and never change.
pub trait Storage: Debug + Send + Sync {
    /// Stores a file. When the answer is there, the file is there also after a failure of power;
    /// before, nobody sees a part of it.
    fn write<'a>(&'a self, name: &'a FileName, content: Vec<u8>) -> Answer<'a, ()>;

    /// Stores a file that lies in [`Storage::desk`]; like `write`, whatever its size. The file on the
    /// desk is gone then.
    fn adopt<'a>(&'a self, name: &'a FileName, from: TempPath) -> Answer<'a, ()>;

    /// A local folder for files that are being written, which is there.
    ///
    /// # Errors
    /// Those of the file system.
    fn desk(&self) -> io::Result<PathBuf>;

    /// A file, which must be there, for programs that read files of the local disk.
    fn local<'a>(&'a self, name: &'a FileName) -> Answer<'a, Local>;

    /// How many bytes a file has; None where there is none of this name.
    fn size<'a>(&'a self, name: &'a FileName) -> Answer<'a, Option<u64>>;

    /// These bytes of a file, which must be there.
    fn read<'a>(&'a self, name: &'a FileName, range: Range<u64>) -> Answer<'a, Vec<u8>>;

    /// Removes a file, if it is there.
    fn delete<'a>(&'a self, name: &'a FileName) -> Answer<'a, ()>;

    /// The files whose names begin with this byte, in no order: about one in 256 of all.
    fn list_beginning(&self, with: u8) -> Answer<'_, Vec<Listed>>;

    /// All files, in no order.
    fn list(&self) -> Answer<'_, Vec<Listed>>;

    /// How many bytes are well read at a time.
    fn piece(&self) -> u64 {
        256 << 10
    }
}

/// Whether files can be stored, found, read and removed: one is.
///
/// # Errors
/// What cannot be done.
pub async fn check(storage: &dyn Storage) -> io::Result<()> {
    let (name, content) = (FileName::random(FileType::Upload), b"Can this be stored?");
    storage.write(&name, content.to_vec()).await?;
    let length = content.len() as u64;
    let read = match storage.size(&name).await? {
        Some(size) if size == length => storage.read(&name, 0..length).await,
        _ => Err(io::Error::other("what was stored is not there")),
    };
    storage.delete(&name).await?;
    match read? == content {
        true => storage.list_beginning(0).await.map(drop),
        false => Err(io::Error::other("what was stored is another content now")),
    }
}
