//! Files in a local folder: `ab/abcdef….png`, one folder for each beginning of a name.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use tempfile::TempPath;

use crate::{Answer, FileName, Listed, Local, Storage};

/// After this long nobody is still writing it.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder as a [`Storage`]. Clones share it.
#[derive(Debug, Clone)]
pub struct Folder {
    root: Arc<Path>,
}

impl Folder {
    /// The folder inside of it for what is being written, so that no file is seen before it is
    /// whole.
    pub const UNFINISHED: &str = "unfinished";

    /// The folder at `root`, which is made once something is stored.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into().into() }
    }

    /// Where a file lies inside the folder, with `/` between the parts.
    #[must_use]
    pub fn place(name: &FileName) -> String {
        format!("{}/{name}", &name.as_str()[..2])
    }

    /// Removes what was being written when a program died.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn sweep(&self) -> io::Result<()> {
        for entry in entries(&self.root.join(Self::UNFINISHED))? {
            let path = entry?.path();
            let age = fs::metadata(&path)?.modified()?.elapsed().unwrap_or_default();
            if age > ABANDONED {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    fn path(&self, name: &FileName) -> PathBuf {
        self.root.join(Self::place(name))
    }

    fn write_now(&self, name: &FileName, content: &[u8]) -> io::Result<()> {
        let draft = self.root.join(Self::UNFINISHED).join(name.as_str());
        let target = self.path(name);
        for path in [&draft, &target] {
            self.make_folder_of(path)?;
        }
        let written = write_whole(&draft, content).and_then(|()| fs::rename(&draft, &target));
        if written.is_err() {
            // Its own failure would hide the first one.
            drop(fs::remove_file(&draft));
        }
        written?;
        keep_entries(target.parent())
    }

    /// The file is already on the right disk: only its place changes.
    fn adopt_now(&self, name: &FileName, from: TempPath) -> io::Result<()> {
        let target = self.path(name);
        self.make_folder_of(&target)?;
        File::open(&from)?.sync_all()?;
        from.persist(&target).map_err(|error| error.error)?;
        keep_entries(target.parent())
    }

    fn make_folder_of(&self, path: &Path) -> io::Result<()> {
        let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) else { return Ok(()) };
        fs::create_dir_all(folder)?;
        keep_entries(Some(&self.root))
    }

    fn list_now(&self) -> io::Result<Vec<Listed>> {
        let mut found = Vec::new();
        for folder in entries(&self.root)? {
            let folder = folder?;
            if folder.file_name() == Self::UNFINISHED || !folder.file_type()?.is_dir() {
                continue;
            }
            for entry in entries(&folder.path())? {
                found.extend(listed(&entry?));
            }
        }
        Ok(found)
    }

    /// One hop to a blocking thread.
    fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(Self) -> io::Result<T> + Send + 'static,
    ) -> Answer<'static, T> {
        let folder = self.clone();
        Box::pin(async move {
            tokio::task::spawn_blocking(move || work(folder)).await.map_err(io::Error::other)?
        })
    }
}

impl Storage for Folder {
    fn write<'a>(&'a self, name: &'a FileName, content: Vec<u8>) -> Answer<'a, ()> {
        let name = name.clone();
        self.blocking(move |folder| folder.write_now(&name, &content))
    }

    fn adopt<'a>(&'a self, name: &'a FileName, from: TempPath) -> Answer<'a, ()> {
        let name = name.clone();
        self.blocking(move |folder| folder.adopt_now(&name, from))
    }

    fn desk(&self) -> io::Result<PathBuf> {
        let desk = self.root.join(Self::UNFINISHED);
        fs::create_dir_all(&desk)?;
        Ok(desk)
    }

    fn local<'a>(&'a self, name: &'a FileName) -> Answer<'a, Local> {
        let path = self.path(name);
        self.blocking(move |_| {
            fs::metadata(&path)?;
            Ok(Local::Itself(path))
        })
    }

    fn size<'a>(&'a self, name: &'a FileName) -> Answer<'a, Option<u64>> {
        let path = self.path(name);
        self.blocking(move |_| match fs::metadata(path) {
            Ok(found) => Ok(found.is_file().then_some(found.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn read<'a>(&'a self, name: &'a FileName, range: Range<u64>) -> Answer<'a, Vec<u8>> {
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

    fn delete<'a>(&'a self, name: &'a FileName) -> Answer<'a, ()> {
        let path = self.path(name);
        self.blocking(move |_| match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
    }

    fn list(&self) -> Answer<'_, Vec<Listed>> {
        self.blocking(|folder| folder.list_now())
    }
}

fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Puts the names in a folder on disk.
fn keep_entries(folder: Option<&Path>) -> io::Result<()> {
    folder.map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// What is in a folder; nothing where it is missing.
fn entries(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>>> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(Some(entries).into_iter().flatten()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None.into_iter().flatten()),
        Err(error) => Err(error),
    }
}

/// None for what this program did not put there, and for what goes at this moment.
fn listed(entry: &fs::DirEntry) -> Option<Listed> {
    let name = entry.file_name().to_str()?.parse().ok()?;
    let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
    Some(Listed { name, modified: found.modified().unwrap_or(SystemTime::UNIX_EPOCH) })
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
    fn a_file_is_there_until_it_is_removed() {
        let folder = TempDir::new().unwrap();
        let storage = Folder::at(folder.path().join("media"));
        let name = FileName::random(Format::Png);
        run(async {
            assert_eq!(storage.list().await.unwrap(), []);
            assert_eq!(storage.size(&name).await.unwrap(), None);
            storage.write(&name, b"0123456789".to_vec()).await.unwrap();
            assert_eq!(storage.size(&name).await.unwrap(), Some(10));
            assert_eq!(storage.read(&name, 2..5).await.unwrap(), b"234");
            assert!(storage.read(&name, 5..11).await.is_err());
            let listed = storage.list().await.unwrap();
            assert!(listed.len() == 1 && listed[0].name == name, "{listed:?}");
            storage.delete(&name).await.unwrap();
            storage.delete(&name).await.unwrap();
            assert_eq!(storage.size(&name).await.unwrap(), None);
        });
    }

    #[test]
    fn a_file_that_was_written_elsewhere_is_taken_over() {
        let folder = TempDir::new().unwrap();
        let storage = Folder::at(folder.path().join("media"));
        let name = FileName::random(Format::Png);
        run(async {
            let desk = storage.desk().unwrap();
            let draft = tempfile::NamedTempFile::new_in(&desk).unwrap();
            fs::write(draft.path(), "0123456789").unwrap();
            assert!(storage.local(&name).await.is_err());
            storage.adopt(&name, draft.into_temp_path()).await.unwrap();
            assert_eq!(storage.size(&name).await.unwrap(), Some(10));
            let local = storage.local(&name).await.unwrap();
            assert_eq!(fs::read(local.path()).unwrap(), b"0123456789");
            assert_eq!(fs::read_dir(desk).unwrap().count(), 0);
        });
    }

    #[test]
    fn what_is_unfinished_or_foreign_is_not_seen() {
        let folder = TempDir::new().unwrap();
        let storage = Folder::at(folder.path());
        let name = FileName::random(Format::Png);
        for place in ["unfinished", "ab"] {
            fs::create_dir(folder.path().join(place)).unwrap();
        }
        fs::write(folder.path().join("unfinished").join(name.as_str()), "x").unwrap();
        fs::write(folder.path().join("ab/index.html"), "x").unwrap();
        fs::write(folder.path().join("README"), "x").unwrap();
        assert_eq!(run(storage.list()).unwrap(), []);
        storage.sweep().unwrap();
        assert!(folder.path().join("unfinished").join(name.as_str()).exists());
        let old = SystemTime::now() - 2 * ABANDONED;
        let draft = File::options()
            .write(true)
            .open(folder.path().join("unfinished").join(name.as_str()))
            .unwrap();
        draft.set_modified(old).unwrap();
        storage.sweep().unwrap();
        assert!(!folder.path().join("unfinished").join(name.as_str()).exists());
    }

    #[test]
    fn a_folder_that_cannot_be_written_leaves_nothing() {
        let folder = TempDir::new().unwrap();
        let storage = Folder::at(folder.path());
        let name = FileName::random(Format::Png);
        fs::create_dir_all(folder.path().join(Folder::place(&name))).unwrap();
        assert!(run(storage.write(&name, vec![1])).is_err());
        assert_eq!(fs::read_dir(folder.path().join(Folder::UNFINISHED)).unwrap().count(), 0);
    }
}
