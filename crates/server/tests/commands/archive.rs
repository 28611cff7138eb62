//! Tests of `siskin backup` and `siskin restore`.

use std::{fs, fs::File, os::unix::fs::PermissionsExt, path::Path};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde_json::Value;
use siskin_test_support::{Engine, TestDatabase, both_engines};

use crate::program::Program;

/// Paths of the two media files of [`instance`].
const PICTURE: &str = "ab/abcdefabcdefabcdefabcdefabcdefab.png";
const EMPTY: &str = "cd/cdefabcdefabcdefabcdefabcdefabcd.upload";

/// Creates an instance with some rows and two media files.
fn instance(database: &TestDatabase) -> Program {
    let program = Program::on(database);
    program.run(&["accounts", "create", "alice", "--email", "alice@example.com"]);
    program.run(&["accounts", "create", "bob", "--email", "b@example.com", "--role", "Owner"]);
    program.run(&["tokens", "create", "--account", "alice"]);
    program.run(&["rules", "add", "Quote \" backslash \\ emoji 🐦"]);
    program.run(&["settings", "set", "site_title", "日本"]);
    let media = program.folder.path().join("media");
    for (path, content) in [(PICTURE, &[0, 159, 146, 150][..]), (EMPTY, b"")] {
        fs::create_dir_all(media.join(path).parent().unwrap()).unwrap();
        fs::write(media.join(path), content).unwrap();
    }
    // Other files in the folder are not part of the instance.
    fs::write(media.join("ab/README"), "mine").unwrap();
    program
}

fn backup(program: &Program) -> String {
    let file = program.folder.path().join("backup.tar.gz");
    program.run(&["backup", file.to_str().unwrap()]);
    file.to_str().unwrap().to_owned()
}

fn manifest(file: &str) -> Value {
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(file).unwrap()));
    let first = archive.entries().unwrap().next().unwrap().unwrap();
    let mut manifest: Value = serde_json::from_reader(first).unwrap();
    manifest.as_object_mut().unwrap().remove("created_at");
    manifest
}

/// Writes a copy of the archive in which `change` changes one file. `None` leaves the file out.
fn tampered(file: &str, path: &str, change: impl Fn(Vec<u8>) -> Option<Vec<u8>>) -> String {
    let target = format!("{file}.tampered");
    let mut written =
        tar::Builder::new(GzEncoder::new(File::create(&target).unwrap(), Compression::fast()));
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(file).unwrap()));
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut content).unwrap();
        let content = if name == path { change(content) } else { Some(content) };
        let Some(content) = content else { continue };
        let mut header = entry.header().clone();
        header.set_size(content.len().try_into().unwrap());
        written.append_data(&mut header, &name, &content[..]).unwrap();
    }
    written.into_inner().unwrap().finish().unwrap();
    target
}

both_engines! {
    fn archives_restore_into_either_engine(database: &TestDatabase) {
        let first = instance(database);
        let original = backup(&first);
        let mode = fs::metadata(&original).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let mut archive = original.clone();
        for engine in [Engine::Postgres, Engine::Sqlite, database.engine()] {
            if engine.is_available() {
                let empty = TestDatabase::empty(engine);
                let next = Program::on(&empty);
                next.run(&["restore", &archive]);
                assert_eq!(next.run(&["doctor"]), "No problems found\n");
                assert_eq!(next.run(&["settings", "get", "site_title"]), "日本\n");
                let media = next.folder.path().join("media");
                assert_eq!(fs::read(media.join(PICTURE)).unwrap(), [0, 159, 146, 150]);
                let copy = backup(&next);
                assert_eq!(manifest(&copy), manifest(&original));
                archive = format!("{original}.{engine:?}");
                fs::copy(copy, &archive).unwrap();
            }
        }
    }

    fn restore_refuses_a_database_in_use(database: &TestDatabase) {
        let program = instance(database);
        let archive = backup(&program);
        assert!(program.refused(&["restore", &archive]).contains("not empty"));
        assert_eq!(program.run(&["settings", "get", "site_title"]), "日本\n");
        assert!(program.refused(&["backup", &archive]).contains("already exists"));
    }

    fn restore_refuses_a_folder_with_files(database: &TestDatabase) {
        let program = instance(database);
        let archive = backup(&program);
        let other = TestDatabase::new(database.engine());
        let other = Program::on(&other);
        let file = other.folder.path().join("media").join(PICTURE);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "mine").unwrap();
        assert!(other.refused(&["restore", &archive]).contains("not empty"));
        assert_eq!(fs::read(&file).unwrap(), b"mine");
    }

    fn a_damaged_archive_is_refused_without_changes(database: &TestDatabase) {
        let program = instance(database);
        let archive = backup(&program);
        let other = TestDatabase::new(database.engine());
        let other = Program::on(&other);
        let refused = |archive: &str, expected_text: &str| {
            let printed = other.refused(&["restore", archive]);
            assert!(printed.contains(expected_text), "{printed}");
            assert!(!Path::new(&other.folder.path().join("media").join(EMPTY)).exists());
            assert_eq!(other.run(&["settings", "get", "site_title"]), "Siskin\n");
        };
        let upper = |content: Vec<u8>| Some(content.to_ascii_uppercase());
        refused(&tampered(&archive, "tables/accounts.jsonl", upper), "damaged");
        refused(&tampered(&archive, &format!("media/{PICTURE}"), |_| Some(vec![1])), "damaged");
        refused(&tampered(&archive, "tables/users.jsonl", |_| None), "missing");
        refused(&tampered(&archive, "manifest.json", |_| None), "not a backup");
        let newer = |content: Vec<u8>| {
            let manifest = String::from_utf8(content).unwrap();
            Some(manifest.replace("\"schema\": \"0", "\"schema\": \"9").into_bytes())
        };
        refused(&tampered(&archive, "manifest.json", newer), "then upgrade");
        let half = fs::read(&archive).unwrap();
        fs::write(&archive, &half[..half.len() / 2]).unwrap();
        refused(&archive, "");
    }
}
