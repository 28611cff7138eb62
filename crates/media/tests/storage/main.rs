//! Tests that every storage must pass, and tests specific to S3.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod failures;
mod in_bucket;

use std::{
    fs, io,
    path::Path,
    time::{Duration, SystemTime},
};

use siskin_media::{FileName, FileType, Folder, Format, Local, S3, S3Options, Storage, check};
use siskin_test_support::S3Server;
use tempfile::{NamedTempFile, TempDir, TempPath};

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Returns options for a new bucket of the test server, with a prefix.
fn options(server: &S3Server) -> S3Options {
    S3Options {
        bucket: server.new_bucket(),
        endpoint: Some(server.endpoint()),
        access_key_id: "id".to_owned(),
        secret_access_key: "secret".to_owned(),
        prefix: Some("some/where".to_owned()),
        ..S3Options::default()
    }
}

fn on_folder(test: impl AsyncFnOnce(&dyn Storage)) {
    let local = TempDir::new().unwrap();
    run(test(&Folder::at(local.path().join("media"))));
}

fn on_s3(test: impl AsyncFnOnce(&dyn Storage)) {
    let (Some(server), local) = (S3Server::find(), TempDir::new().unwrap()) else { return };
    run(test(&S3::new(&options(server), &local.path().join("media")).unwrap()));
}

/// Turns each function into two tests, which run it on an empty storage of each kind.
macro_rules! both_storages {
    ($( async fn $name:ident($storage:ident: &dyn Storage) $body:block )+) => { $(
        async fn $name($storage: &dyn Storage) $body

        mod $name {
            #[test]
            fn folder() {
                super::on_folder(super::$name);
            }

            #[test]
            fn s3() {
                super::on_s3(super::$name);
            }
        }
    )+ };
}

/// Returns bytes that vary with their position.
fn noise(length: usize) -> Vec<u8> {
    (0..length).map(|at| u8::try_from((at * at / 7 + at / 65_536) % 251).unwrap()).collect()
}

fn in_staging_dir(storage: &dyn Storage, content: &[u8]) -> TempPath {
    let draft = NamedTempFile::new_in(storage.staging_dir().unwrap()).unwrap();
    fs::write(draft.path(), content).unwrap();
    draft.into_temp_path()
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

both_storages! {
    async fn a_file_is_there_until_it_is_removed(storage: &dyn Storage) {
        let name = FileName::random(Format::Png);
        assert_eq!(storage.list().await.unwrap(), []);
        assert_eq!(storage.size(&name).await.unwrap(), None);
        let missing = storage.read(&name, 0..1).await.unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        storage.write(&name, b"0123456789".to_vec()).await.unwrap();
        assert_eq!(storage.size(&name).await.unwrap(), Some(10));
        for (range, part) in [(2..5, "234"), (0..10, "0123456789"), (9..10, "9"), (4..4, "")] {
            assert_eq!(storage.read(&name, range).await.unwrap(), part.as_bytes());
        }
        for beyond in [5..11, 10..11, 20..30] {
            assert!(storage.read(&name, beyond.clone()).await.is_err(), "{beyond:?}");
        }
        storage.delete(&name).await.unwrap();
        storage.delete(&name).await.unwrap();
        assert_eq!(storage.size(&name).await.unwrap(), None);
        assert_eq!(storage.list().await.unwrap(), []);
    }

    async fn an_empty_file_can_be_stored(storage: &dyn Storage) {
        let name = FileName::random(FileType::Upload);
        storage.adopt(&name, in_staging_dir(storage, b"")).await.unwrap();
        assert_eq!(storage.size(&name).await.unwrap(), Some(0));
        let local = storage.local(&name).await.unwrap();
        assert_eq!(fs::read(local.path()).unwrap(), b"");
    }

    async fn a_staged_file_is_moved_into_the_storage(storage: &dyn Storage) {
        let (name, staging_dir) = (FileName::random(Format::Png), storage.staging_dir().unwrap());
        let missing = storage.local(&name).await.unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(is_empty(&staging_dir));
        storage.adopt(&name, in_staging_dir(storage, b"0123456789")).await.unwrap();
        assert!(is_empty(&staging_dir));
        assert_eq!(storage.size(&name).await.unwrap(), Some(10));
        let local = storage.local(&name).await.unwrap();
        assert_eq!(fs::read(local.path()).unwrap(), b"0123456789");
        let copy = matches!(local, Local::Copy(_)).then(|| local.path().to_owned());
        drop(local);
        assert!(copy.is_none_or(|copy| !copy.exists()));
        assert_eq!(storage.size(&name).await.unwrap(), Some(10));
    }

    async fn large_files_are_stored_completely(storage: &dyn Storage) {
        let content = noise((17 << 20) + 3);
        let (film, picture) = (FileName::random(FileType::Mp4), FileName::random(Format::Gif));
        storage.adopt(&film, in_staging_dir(storage, &content)).await.unwrap();
        storage.write(&picture, content[..9 << 20].to_vec()).await.unwrap();
        assert_eq!(storage.size(&film).await.unwrap(), Some(content.len() as u64));
        assert_eq!(storage.size(&picture).await.unwrap(), Some(9 << 20));
        let (start, end) = ((8 << 20) - 5, (16 << 20) + 7);
        let part = storage.read(&film, start as u64..end as u64).await.unwrap();
        assert!(part == content[start..end]);
        for (name, length) in [(&film, content.len()), (&picture, 9 << 20)] {
            let local = storage.local(name).await.unwrap();
            assert!(fs::read(local.path()).unwrap() == content[..length]);
        }
        assert!(is_empty(&storage.staging_dir().unwrap()));
    }

    async fn files_are_listed_all_and_by_prefix(storage: &dyn Storage) {
        let same = |last: u32| format!("ab{last:030x}.png").parse::<FileName>().unwrap();
        let other: FileName = format!("ac{:030x}.jpg", 0).parse().unwrap();
        // More files than fit on one page of the test server.
        let mut names: Vec<FileName> = (0..9).map(same).collect();
        for name in names.iter().chain([&other]) {
            storage.write(name, b"x".to_vec()).await.unwrap();
        }
        let mut listed = storage.list_prefix(0xab).await.unwrap();
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        assert!(listed.iter().map(|file| &file.name).eq(&names));
        let age = SystemTime::now().duration_since(listed[0].modified).unwrap_or_default();
        assert!(age < Duration::from_secs(60), "{age:?}");
        assert_eq!(storage.list_prefix(0xad).await.unwrap(), []);
        let mut all: Vec<_> = storage.list().await.unwrap();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        names.push(other);
        assert!(all.iter().map(|file| &file.name).eq(&names));
    }

    async fn a_working_storage_passes_the_check_and_stays_empty(storage: &dyn Storage) {
        check(storage).await.unwrap();
        assert_eq!(storage.list().await.unwrap(), []);
    }
}
