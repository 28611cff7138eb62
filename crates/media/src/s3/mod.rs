//! Storage in a bucket of S3 or of a compatible service: `PREFIX/ab/abcdef….png`, with the same
//! paths as in a [`Folder`](crate::Folder).
//!
//! The bucket does not need public access: this server reads the files and serves them. Large files
//! are transferred in pieces, so that a video is never in memory as a whole.

mod failure;
mod options;

use std::{
    fs::File,
    io::{self, Cursor, Read, Write},
    ops::Range,
    path::{Path as LocalPath, PathBuf},
    sync::Arc,
};

use futures_util::TryStreamExt;
use object_store::{
    Attribute, Attributes, MultipartUpload, ObjectStore, ObjectStoreExt, PutMultipartOptions,
    PutOptions, aws::AmazonS3, path::Path,
};
use tempfile::{NamedTempFile, TempPath};
use tokio::task::spawn_blocking;

use self::failure::{is_bucket_missing, to_io_error};
pub use self::options::S3Options;
use crate::{FileName, Listed, Local, Place, Storage, StorageFuture, staging_dir};

/// Size of an uploaded piece in memory, in bytes; S3 requires at least 5 MiB.
const PART_SIZE: u64 = 8 << 20;
/// Number of bytes requested at a time.
const READ_SIZE: u64 = 2 << 20;
/// Cache header for deployments in which another server serves the bucket. Names are never reused.
const CACHE_CONTROL: &str = "public, max-age=31536000, immutable";

/// [`Storage`] in a bucket. Clones share it.
#[derive(Debug, Clone)]
pub struct S3 {
    bucket: AmazonS3,
    name: Arc<str>,
    prefix: Path,
    staging_dir: Arc<LocalPath>,
}

impl S3 {
    /// Creates the storage for the bucket in `options`. The staging directory is a folder inside
    /// `local`. No request is sent yet; [`check`](crate::check) does that.
    ///
    /// # Errors
    /// Returns an error if an option is invalid.
    pub fn new(options: &S3Options, local: &LocalPath) -> io::Result<Self> {
        Ok(Self {
            bucket: options.bucket()?,
            name: options.bucket.as_str().into(),
            prefix: options.prefix()?,
            staging_dir: local.join(staging_dir::NAME).into(),
        })
    }

    fn path(&self, name: &FileName) -> Path {
        self.prefix.parts().chain(Path::from(name.path()).parts()).collect()
    }

    /// Returns the file name for an object path, or `None` for foreign objects.
    fn name_at(&self, path: &Path) -> Option<FileName> {
        let parts: Vec<_> = path.prefix_match(&self.prefix)?.collect();
        let path: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        FileName::at(&path.join("/"))
    }

    async fn put(&self, name: &FileName, content: Vec<u8>) -> io::Result<()> {
        let options = PutOptions { attributes: attributes(name), ..PutOptions::default() };
        let put = self.bucket.put_opts(&self.path(name), content.into(), options).await;
        put.map(drop).map_err(to_io_error)
    }

    /// Uploads in pieces. Readers see the file only after the last piece is uploaded and confirmed.
    async fn put_multipart(
        &self,
        name: &FileName,
        content: impl Read + Send + 'static,
    ) -> io::Result<()> {
        let options =
            PutMultipartOptions { attributes: attributes(name), ..PutMultipartOptions::default() };
        let upload = self.bucket.put_multipart_opts(&self.path(name), options).await;
        let mut upload = upload.map_err(to_io_error)?;
        let done = match send_parts(&mut *upload, content).await {
            Ok(()) => upload.complete().await.map(drop).map_err(to_io_error),
            Err(error) => Err(error),
        };
        if done.is_err() {
            // An error of this call would hide the first error.
            drop(upload.abort().await);
        }
        done
    }

    async fn put_file(&self, name: &FileName, from: TempPath) -> io::Result<()> {
        let (mut file, bytes) = run_blocking(move || {
            let file = File::open(&from)?;
            let bytes = file.metadata()?.len();
            Ok(((file, from), bytes))
        })
        .await?;
        if bytes > PART_SIZE {
            self.put_multipart(name, file.0).await?;
            return run_blocking(move || file.1.close()).await;
        }
        let content = run_blocking(move || {
            let mut content = Vec::new();
            file.0.read_to_end(&mut content)?;
            file.1.close().map(|()| content)
        });
        self.put(name, content.await?).await
    }

    async fn get(&self, name: &FileName, range: Range<u64>) -> io::Result<Vec<u8>> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = range.end - range.start;
        let content = self.bucket.get_range(&self.path(name), range).await.map_err(to_io_error)?;
        if content.len() as u64 == wanted { Ok(content.into()) } else { Err(truncated_error()) }
    }

    async fn bytes(&self, name: &FileName) -> io::Result<Option<u64>> {
        match self.bucket.head(&self.path(name)).await {
            Ok(found) => Ok(Some(found.size)),
            Err(object_store::Error::NotFound { .. }) => self.check_missing(name).await,
            Err(error) => Err(to_io_error(error)),
        }
    }

    /// Requests the object to tell a missing file from a missing bucket. A `HEAD` response has no
    /// body and cannot tell.
    async fn check_missing(&self, name: &FileName) -> io::Result<Option<u64>> {
        match self.bucket.get(&self.path(name)).await {
            Ok(found) => Ok(Some(found.meta.size)),
            Err(error) if is_bucket_missing(&error) => Err(to_io_error(error)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(to_io_error(error)),
        }
    }

    async fn copy(&self, name: &FileName) -> io::Result<Local> {
        let bytes = self.bytes(name).await?.ok_or(io::ErrorKind::NotFound)?;
        let staging_dir = self.staging_dir()?;
        let mut file = run_blocking(move || NamedTempFile::new_in(staging_dir)).await?;
        let mut at = 0;
        while at < bytes {
            let next = bytes.min(at + PART_SIZE);
            let chunk = self.get(name, at..next).await?;
            file = run_blocking(move || file.write_all(&chunk).map(|()| file)).await?;
            at = next;
        }
        Ok(Local::Copy(file.into_temp_path()))
    }

    /// Lists a folder, page by page.
    async fn find(&self, folder: Path) -> io::Result<Vec<Listed>> {
        let found = self.bucket.list(Some(&folder)).try_filter_map(async |found| {
            let name = self.name_at(&found.location);
            let (modified, bytes) = (found.last_modified.into(), found.size);
            Ok(name.map(|name| Listed { name, modified, bytes }))
        });
        found.try_collect().await.map_err(to_io_error)
    }

    async fn remove(&self, name: &FileName) -> io::Result<()> {
        match self.bucket.delete(&self.path(name)).await {
            Ok(()) => Ok(()),
            Err(error) if is_bucket_missing(&error) => Err(to_io_error(error)),
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(to_io_error(error)),
        }
    }
}

impl Storage for S3 {
    fn write<'a>(&'a self, name: &'a FileName, content: Vec<u8>) -> StorageFuture<'a, ()> {
        Box::pin(async move {
            if content.len() as u64 > PART_SIZE {
                self.put_multipart(name, Cursor::new(content)).await
            } else {
                self.put(name, content).await
            }
        })
    }

    fn adopt<'a>(&'a self, name: &'a FileName, from: TempPath) -> StorageFuture<'a, ()> {
        Box::pin(self.put_file(name, from))
    }

    fn place(&self) -> Place<'_> {
        Place::Bucket(&self.name)
    }

    fn staging_dir(&self) -> io::Result<PathBuf> {
        staging_dir::create_folder(&self.staging_dir)?;
        Ok(self.staging_dir.to_path_buf())
    }

    fn local<'a>(&'a self, name: &'a FileName) -> StorageFuture<'a, Local> {
        Box::pin(self.copy(name))
    }

    fn size<'a>(&'a self, name: &'a FileName) -> StorageFuture<'a, Option<u64>> {
        Box::pin(self.bytes(name))
    }

    fn read<'a>(&'a self, name: &'a FileName, range: Range<u64>) -> StorageFuture<'a, Vec<u8>> {
        Box::pin(self.get(name, range))
    }

    fn delete<'a>(&'a self, name: &'a FileName) -> StorageFuture<'a, ()> {
        Box::pin(self.remove(name))
    }

    fn list_prefix(&self, with: u8) -> StorageFuture<'_, Vec<Listed>> {
        Box::pin(self.find(self.prefix.clone().join(format!("{with:02x}"))))
    }

    fn list(&self) -> StorageFuture<'_, Vec<Listed>> {
        Box::pin(self.find(self.prefix.clone()))
    }

    fn chunk(&self) -> u64 {
        READ_SIZE
    }
}

/// Returns the object attributes for other servers that serve the bucket.
fn attributes(name: &FileName) -> Attributes {
    let media_type = name.file_type().media_type();
    Attributes::from_iter([
        (Attribute::ContentType, media_type.unwrap_or("application/octet-stream")),
        (Attribute::CacheControl, CACHE_CONTROL),
    ])
}

async fn send_parts(
    upload: &mut dyn MultipartUpload,
    mut content: impl Read + Send + 'static,
) -> io::Result<()> {
    loop {
        let (chunk, rest) = run_blocking(move || {
            let mut chunk = Vec::new();
            content.by_ref().take(PART_SIZE).read_to_end(&mut chunk)?;
            Ok((chunk, content))
        })
        .await?;
        if chunk.is_empty() {
            return Ok(());
        }
        upload.put_part(chunk.into()).await.map_err(to_io_error)?;
        content = rest;
    }
}

fn truncated_error() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file in the bucket is too short")
}

/// Runs work on a blocking thread.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other)?
}
