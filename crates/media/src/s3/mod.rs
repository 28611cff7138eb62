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

use self::failure::{failed, lacks_bucket};
pub use self::options::S3Options;
use crate::{Answer, FileName, Listed, Local, Storage, desk};

/// Size of an uploaded piece in memory, in bytes; S3 requires at least 5 MiB.
const PIECE: u64 = 8 << 20;
/// Number of bytes requested at a time.
const READ: u64 = 2 << 20;
/// Cache header for deployments in which another server serves the bucket. Names are never reused.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// [`Storage`] in a bucket. Clones share it.
#[derive(Debug, Clone)]
pub struct S3 {
    bucket: AmazonS3,
    prefix: Path,
    desk: Arc<LocalPath>,
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
            prefix: options.prefix()?,
            desk: local.join(desk::NAME).into(),
        })
    }

    fn path(&self, name: &FileName) -> Path {
        self.prefix.parts().chain(Path::from(name.place()).parts()).collect()
    }

    /// Returns the file name for an object path, or `None` for foreign objects.
    fn name_at(&self, path: &Path) -> Option<FileName> {
        let parts: Vec<_> = path.prefix_match(&self.prefix)?.collect();
        let place: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        FileName::at(&place.join("/"))
    }

    async fn put(&self, name: &FileName, content: Vec<u8>) -> io::Result<()> {
        let options = PutOptions { attributes: attributes(name), ..PutOptions::default() };
        let put = self.bucket.put_opts(&self.path(name), content.into(), options).await;
        put.map(drop).map_err(failed)
    }

    /// Uploads in pieces. Readers see the file only after the last piece is uploaded and confirmed.
    async fn put_in_pieces(
        &self,
        name: &FileName,
        content: impl Read + Send + 'static,
    ) -> io::Result<()> {
        let options =
            PutMultipartOptions { attributes: attributes(name), ..PutMultipartOptions::default() };
        let upload = self.bucket.put_multipart_opts(&self.path(name), options).await;
        let mut upload = upload.map_err(failed)?;
        let done = match send_pieces(&mut *upload, content).await {
            Ok(()) => upload.complete().await.map(drop).map_err(failed),
            Err(error) => Err(error),
        };
        if done.is_err() {
            // An error of this call would hide the first error.
            drop(upload.abort().await);
        }
        done
    }

    async fn put_file(&self, name: &FileName, from: TempPath) -> io::Result<()> {
        let (mut file, bytes) = on_disk(move || {
            let file = File::open(&from)?;
            let bytes = file.metadata()?.len();
            Ok(((file, from), bytes))
        })
        .await?;
        if bytes > PIECE {
            self.put_in_pieces(name, file.0).await?;
            return on_disk(move || file.1.close()).await;
        }
        let content = on_disk(move || {
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
        let content = self.bucket.get_range(&self.path(name), range).await.map_err(failed)?;
        if content.len() as u64 == wanted { Ok(content.into()) } else { Err(cut_short()) }
    }

    async fn bytes(&self, name: &FileName) -> io::Result<Option<u64>> {
        match self.bucket.head(&self.path(name)).await {
            Ok(found) => Ok(Some(found.size)),
            Err(object_store::Error::NotFound { .. }) => self.bytes_of_missing(name).await,
            Err(error) => Err(failed(error)),
        }
    }

    /// Requests the object to tell a missing file from a missing bucket. A `HEAD` response has no
    /// body and cannot tell.
    async fn bytes_of_missing(&self, name: &FileName) -> io::Result<Option<u64>> {
        match self.bucket.get(&self.path(name)).await {
            Ok(found) => Ok(Some(found.meta.size)),
            Err(error) if lacks_bucket(&error) => Err(failed(error)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    async fn copy(&self, name: &FileName) -> io::Result<Local> {
        let bytes = self.bytes(name).await?.ok_or(io::ErrorKind::NotFound)?;
        let desk = self.desk()?;
        let mut file = on_disk(move || NamedTempFile::new_in(desk)).await?;
        let mut at = 0;
        while at < bytes {
            let next = bytes.min(at + PIECE);
            let piece = self.get(name, at..next).await?;
            file = on_disk(move || file.write_all(&piece).map(|()| file)).await?;
            at = next;
        }
        Ok(Local::Copy(file.into_temp_path()))
    }

    /// Lists a folder, page by page.
    async fn find(&self, folder: Path) -> io::Result<Vec<Listed>> {
        let found = self.bucket.list(Some(&folder)).try_filter_map(async |found| {
            let name = self.name_at(&found.location);
            Ok(name.map(|name| Listed { name, modified: found.last_modified.into() }))
        });
        found.try_collect().await.map_err(failed)
    }

    async fn remove(&self, name: &FileName) -> io::Result<()> {
        match self.bucket.delete(&self.path(name)).await {
            Ok(()) => Ok(()),
            Err(error) if lacks_bucket(&error) => Err(failed(error)),
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }
}

impl Storage for S3 {
    fn write<'a>(&'a self, name: &'a FileName, content: Vec<u8>) -> Answer<'a, ()> {
        Box::pin(async move {
            if content.len() as u64 > PIECE {
                self.put_in_pieces(name, Cursor::new(content)).await
            } else {
                self.put(name, content).await
            }
        })
    }

    fn adopt<'a>(&'a self, name: &'a FileName, from: TempPath) -> Answer<'a, ()> {
        Box::pin(self.put_file(name, from))
    }

    fn desk(&self) -> io::Result<PathBuf> {
        desk::make_folder(&self.desk)?;
        Ok(self.desk.to_path_buf())
    }

    fn local<'a>(&'a self, name: &'a FileName) -> Answer<'a, Local> {
        Box::pin(self.copy(name))
    }

    fn size<'a>(&'a self, name: &'a FileName) -> Answer<'a, Option<u64>> {
        Box::pin(self.bytes(name))
    }

    fn read<'a>(&'a self, name: &'a FileName, range: Range<u64>) -> Answer<'a, Vec<u8>> {
        Box::pin(self.get(name, range))
    }

    fn delete<'a>(&'a self, name: &'a FileName) -> Answer<'a, ()> {
        Box::pin(self.remove(name))
    }

    fn list_beginning(&self, with: u8) -> Answer<'_, Vec<Listed>> {
        Box::pin(self.find(self.prefix.clone().join(format!("{with:02x}"))))
    }

    fn list(&self) -> Answer<'_, Vec<Listed>> {
        Box::pin(self.find(self.prefix.clone()))
    }

    fn piece(&self) -> u64 {
        READ
    }
}

/// Returns the object attributes for other servers that serve the bucket.
fn attributes(name: &FileName) -> Attributes {
    let media_type = name.file_type().media_type();
    Attributes::from_iter([
        (Attribute::ContentType, media_type.unwrap_or("application/octet-stream")),
        (Attribute::CacheControl, FOR_EVER),
    ])
}

async fn send_pieces(
    upload: &mut dyn MultipartUpload,
    mut content: impl Read + Send + 'static,
) -> io::Result<()> {
    loop {
        let (piece, rest) = on_disk(move || {
            let mut piece = Vec::new();
            content.by_ref().take(PIECE).read_to_end(&mut piece)?;
            Ok((piece, content))
        })
        .await?;
        if piece.is_empty() {
            return Ok(());
        }
        upload.put_part(piece.into()).await.map_err(failed)?;
        content = rest;
    }
}

fn cut_short() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file in the bucket is too short")
}

/// Runs work on a blocking thread.
async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other)?
}
