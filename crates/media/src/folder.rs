//! Storage in a local folder: `ab/abcdef….png`, with a subfolder per first byte of the names.

use std::{
    fs::{self, File, Permissions},
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use tempfile::TempPath;

use crate::{
    FileName, Listed, Local, Place, Storage, StorageFuture,
    staging_dir::{self, entries, none_if_missing},
};

/// [`Storage`] in a local folder. Clones share it.
#[derive(Debug, Clone)]
pub struct Folder {
    root: Arc<Path>,
}

impl Folder {
    /// Returns the storage at `root`. The folder is created when something is stored first.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into().into() }
    }

    fn path(&self, name: &FileName) -> PathBuf {
        self.root.join(name.path())
    }

    fn write_blocking(&self, name: &FileName, content: &[u8]) -> io::Result<()> {
        let draft = self.root.join(staging_dir::NAME).join(name.as_str());
        let target = self.path(name);
        for path in [&draft, &target] {
            self.create_parent(path)?;
        }
        let written = write_whole(&draft, content).and_then(|()| fs::rename(&draft, &target));
        if written.is_err() {
            // An error of this call would hide the first error.
            drop(fs::remove_file(&draft));
        }
        written?;
        sync_folder(target.parent())
    }

    /// Moves a file into place. The staging directory is on the same disk, so nothing is copied.
    fn adopt_blocking(&self, name: &FileName, from: TempPath) -> io::Result<()> {
        let target = self.path(name);
        self.create_parent(&target)?;
        let file = File::open(&from)?;
        file.set_permissions(Permissions::from_mode(staging_dir::FILE))?;
        file.sync_all()?;
        from.persist(&target).map_err(|error| error.error)?;
        sync_folder(target.parent())
    }

    fn create_parent(&self, path: &Path) -> io::Result<()> {
        let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) else { return Ok(()) };
        staging_dir::create_folder(folder)?;
        sync_folder(Some(&self.root))
    }

    fn list_blocking(&self, prefix: u8) -> io::Result<Vec<Listed>> {
        let folder = self.root.join(format!("{prefix:02x}"));
        let mut found = Vec::new();
        for entry in entries(&folder)? {
            found.extend(listed(&entry?));
        }
        Ok(found)
    }

    /// Runs work on a blocking thread.
    fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(Self) -> io::Result<T> + Send + 'static,
    ) -> StorageFuture<'static, T> {
        let folder = self.clone();
        Box::pin(async move {
            tokio::task::spawn_blocking(move || work(folder)).await.map_err(io::Error::other)?
        })
    }
}

impl Storage for Folder {
    fn write<'a>(&'a self, name: &'a FileName, content: Vec<u8>) -> StorageFuture<'a, ()> {
        let name = name.clone();
        self.blocking(move |folder| folder.write_blocking(&name, &content))
    }

    fn adopt<'a>(&'a self, name: &'a FileName, from: TempPath) -> StorageFuture<'a, ()> {
        let name = name.clone();
        self.blocking(move |folder| folder.adopt_blocking(&name, from))
    }

    fn place(&self) -> Place<'_> {
        Place::Folder(&self.root)
    }

    fn staging_dir(&self) -> io::Result<PathBuf> {
        let staging_dir = self.root.join(staging_dir::NAME);
        staging_dir::create_folder(&staging_dir)?;
        Ok(staging_dir)
    }

    fn local<'a>(&'a self, name: &'a FileName) -> StorageFuture<'a, Local> {
        let path = self.path(name);
        self.blocking(move |_| {
            fs::metadata(&path)?;
            Ok(Local::Itself(path))
        })
    }

    fn size<'a>(&'a self, name: &'a FileName) -> StorageFuture<'a, Option<u64>> {
        let path = self.path(name);
        self.blocking(move |_| {
            let found = none_if_missing(fs::metadata(path))?;
            Ok(found.filter(fs::Metadata::is_file).map(|found| found.len()))
        })
    }

    fn read<'a>(&'a self, name: &'a FileName, range: Range<u64>) -> StorageFuture<'a, Vec<u8>> {
        let path = self.path(name);
        self.blocking(move |_| {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(range.start))?;
            let length = range.end.saturating_sub(range.start);
            let mut content = vec![0; usize::try_from(length).map_err(io::Error::other)?];
            file.read_exact(&mut content)?;
            Ok(content)
        })
    }

    fn delete<'a>(&'a self, name: &'a FileName) -> StorageFuture<'a, ()> {
        let path = self.path(name);
        self.blocking(move |_| none_if_missing(fs::remove_file(path)).map(drop))
    }

    fn list_prefix(&self, with: u8) -> StorageFuture<'_, Vec<Listed>> {
        self.blocking(move |folder| folder.list_blocking(with))
    }

    fn list(&self) -> StorageFuture<'_, Vec<Listed>> {
        self.blocking(|folder| {
            let mut found = Vec::new();
            for prefix in 0..=u8::MAX {
                found.append(&mut folder.list_blocking(prefix)?);
            }
            Ok(found)
        })
    }

    fn free_bytes(&self) -> StorageFuture<'_, Option<u64>> {
        self.blocking(|folder| {
            // The folder is created when something is stored first.
            let exists = folder.root.ancestors().find(|path| path.is_dir());
            let Some(exists) = exists else { return Ok(None) };
            let disk = rustix::fs::statvfs(exists)?;
            Ok(Some(disk.f_bavail.saturating_mul(disk.f_frsize)))
        })
    }
}

fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(staging_dir::FILE)
        .open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Syncs the directory entries of a folder to disk.
fn sync_folder(folder: Option<&Path>) -> io::Result<()> {
    folder.map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Returns `None` for foreign files, and for files that are being deleted concurrently.
fn listed(entry: &fs::DirEntry) -> Option<Listed> {
    let name = entry.file_name().to_str()?.parse().ok()?;
    let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
    let modified = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    Some(Listed { name, modified, bytes: found.len() })
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::Format;

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    #[test]
    fn unfinished_and_foreign_files_are_not_listed() {
        let folder = TempDir::new().unwrap();
        let storage = Folder::at(folder.path());
        let name = FileName::random(Format::Png);
        for path in ["unfinished", "ab"] {
            fs::create_dir(folder.path().join(path)).unwrap();
        }
        fs::write(folder.path().join("unfinished").join(name.as_str()), "x").unwrap();
        fs::write(folder.path().join("ab/index.html"), "x").unwrap();
        fs::write(folder.path().join("README"), "x").unwrap();
        assert_eq!(run(storage.list()).unwrap(), []);
    }

    #[test]
    fn files_and_folders_are_readable_by_their_owner_only() {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("new/media");
        let storage = Folder::at(&root);
        let (written, adopted) = (FileName::random(Format::Png), FileName::random(Format::Png));
        run(storage.write(&written, vec![1])).unwrap();
        let draft = tempfile::NamedTempFile::new_in(storage.staging_dir().unwrap()).unwrap();
        draft.as_file().set_permissions(Permissions::from_mode(0o644)).unwrap();
        run(storage.adopt(&adopted, draft.into_temp_path())).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for name in [written, adopted] {
            let path = root.join(name.path());
            assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        }
        for made in [root.join(staging_dir::NAME), root.clone(), folder.path().join("new")] {
            assert_eq!(mode(&made), 0o700, "{}", made.display());
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_leaves_nothing() {
        let folder = TempDir::new().unwrap();
        let storage = Folder::at(folder.path());
        let name = FileName::random(Format::Png);
        fs::create_dir_all(folder.path().join(name.path())).unwrap();
        assert!(run(storage.write(&name, vec![1])).is_err());
        assert_eq!(fs::read_dir(storage.staging_dir().unwrap()).unwrap().count(), 0);
    }
}
