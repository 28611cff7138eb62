//! Tests of the permissions of files that the program writes.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use siskin_test_support::{Engine, TestDatabase};
use tempfile::TempDir;

use crate::{files::import_an_emoji, program::Program};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Collects a folder and everything below it.
fn walk(path: PathBuf, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(&path).unwrap() {
            walk(entry.unwrap().path(), found);
        }
    }
    found.push(path);
}

#[test]
fn files_of_an_instance_are_readable_by_its_owner_only() {
    let home = TempDir::new().unwrap();
    let data = home.path().join("srv/data");
    let mut program = Program::at(&format!("sqlite://{}/siskin.sqlite3", data.display()));
    program = program.with("SISKIN_MEDIA_DIR", data.join("media").to_str().unwrap());
    let server = program.serve();
    import_an_emoji(&program);
    let mut found = Vec::new();
    walk(home.path().join("srv"), &mut found);
    let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
    for end in ["sqlite3", "-wal", "-shm", "-serve.lock", "-open.lock", ".png", "unfinished"] {
        assert!(names.iter().any(|name| name.ends_with(end)), "{end}: {names:?}");
    }
    for path in &found {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(path), expected, "{}", path.display());
    }
    server.kill();
    assert!(!program.log().contains("other users of this machine can read"), "{}", program.log());
    let archive = home.path().join("backup.tar.gz");
    program.run(&["backup", archive.to_str().unwrap()]);
    assert_eq!(mode(&archive), 0o600);
    let restored = home.path().join("restored");
    let url = format!("sqlite://{}/siskin.sqlite3", restored.display());
    let media = restored.join("media");
    let restore = ["restore", archive.to_str().unwrap(), "--database", &url, "--media"];
    program.run(&[&restore[..], &[media.to_str().unwrap()]].concat());
    let mut found = Vec::new();
    walk(restored, &mut found);
    for path in &found {
        assert_eq!(mode(path) & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn the_log_names_folders_that_others_can_access() {
    let database = TestDatabase::new(Engine::Sqlite);
    let program = Program::on(&database);
    let media = program.folder.path().join("media");
    fs::create_dir(&media).unwrap();
    let data = database.url().strip_prefix("sqlite://").unwrap();
    let data = Path::new(data).parent().unwrap();
    for folder in [data, &media] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    program.serve().kill();
    for folder in [data, &media] {
        let advice = format!("`chmod 700 {}`", folder.display());
        assert!(program.log().contains(&advice), "{}", program.log());
    }
}
