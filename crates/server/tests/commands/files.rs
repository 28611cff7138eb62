//! Tests of `doctor` and `backup` with uploaded files.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use siskin_test_support::{TestDatabase, both_engines};

use crate::{pictures::png, program::Program};

/// Creates an instance with one emoji.
fn instance(database: &TestDatabase) -> Program {
    let program = Program::on(database);
    import_an_emoji(&program);
    program
}

/// Imports a picture as the emoji `cat`.
pub fn import_an_emoji(program: &Program) {
    let archive = program.folder.path().join("emojis.tar");
    let mut tar = tar::Builder::new(File::create(&archive).unwrap());
    let (content, mut header) = (png(20, 20), tar::Header::new_gnu());
    header.set_size(content.len().try_into().unwrap());
    tar.append_data(&mut header, "cat.png", &content[..]).unwrap();
    tar.finish().unwrap();
    program.run(&["emojis", "import", archive.to_str().unwrap()]);
}

/// Returns the path of the only emoji's file.
fn file(program: &Program) -> PathBuf {
    let name = program.json(&["emojis", "list", "--json"])[0]["file"].as_str().unwrap().to_owned();
    program.folder.path().join("media").join(&name[..2]).join(name)
}

fn backdate(path: &Path) {
    let long_ago = SystemTime::now() - Duration::from_hours(48);
    File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
}

both_engines! {
    fn doctor_finds_missing_and_orphaned_files(database: &TestDatabase) {
        let program = instance(database);
        backdate(&file(&program));
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
        let stray = program.folder.path().join(format!("media/aa/{}.png", "a".repeat(32)));
        fs::create_dir_all(stray.parent().unwrap()).unwrap();
        fs::write(&stray, "x").unwrap();
        // A recent file may be an upload in progress.
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
        backdate(&stray);
        let output = program.output(&["doctor"]);
        assert_eq!(output.status.code(), Some(1));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("is not referenced\n"), "{printed}");
        assert!(program.run(&["doctor", "--fix"]).ends_with("(fixed)\n1 finding\n"));
        assert!(!stray.exists());
        fs::remove_file(file(&program)).unwrap();
        let output = program.output(&["doctor", "--fix"]);
        assert_eq!(output.status.code(), Some(1));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("is missing"), "{printed}");
    }

    fn discarded_files_are_no_finding_and_not_backed_up(database: &TestDatabase) {
        let program = instance(database);
        let file = file(&program);
        backdate(&file);
        let archive = |name: &str| program.folder.path().join(name).to_str().unwrap().to_owned();
        let media = |name: &str| program.json(&["backup", &archive(name), "--json"])["media"].clone();
        assert_eq!(media("before.tar.gz"), 1);
        program.run(&["emojis", "delete", "cat"]);
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
        assert!(file.exists());
        assert_eq!(media("after.tar.gz"), 0);
    }

    fn a_backup_without_the_uploaded_files_is_refused(database: &TestDatabase) {
        let program = instance(database);
        let archive = program.folder.path().join("backup.tar.gz");
        let elsewhere = program.folder.path().join("elsewhere");
        let arguments =
            ["backup", archive.to_str().unwrap(), "--media", elsewhere.to_str().unwrap()];
        let refused = program.refused(&arguments);
        assert!(refused.contains("--media") && refused.contains("elsewhere"), "{refused}");
        assert!(!archive.exists());
        // A backup with some of the files is better than none.
        let first = file(&program);
        let other = program.folder.path().join("more.tar");
        let mut tar = tar::Builder::new(File::create(&other).unwrap());
        let (content, mut header) = (png(21, 21), tar::Header::new_gnu());
        header.set_size(content.len().try_into().unwrap());
        tar.append_data(&mut header, "dog.png", &content[..]).unwrap();
        tar.finish().unwrap();
        program.run(&["emojis", "import", other.to_str().unwrap()]);
        fs::remove_file(first).unwrap();
        let output = program.output(&["backup", archive.to_str().unwrap()]);
        assert!(output.status.success(), "{output:?}");
        let warned = String::from_utf8(output.stderr).unwrap();
        assert!(warned.contains("1 of the 2 uploaded files") && warned.contains("doctor"), "{warned}");
        assert!(archive.exists());
    }

    fn a_restored_instance_has_its_files(database: &TestDatabase) {
        let program = instance(database);
        let archive = program.folder.path().join("backup.tar.gz");
        program.run(&["backup", archive.to_str().unwrap()]);
        let other = TestDatabase::empty(database.engine());
        let other = Program::on(&other);
        other.run(&["restore", archive.to_str().unwrap()]);
        assert_eq!(other.run(&["emojis", "list"]), ":cat: (no category)\n");
        assert_eq!(fs::read(file(&other)).unwrap(), fs::read(file(&program)).unwrap());
        assert_eq!(other.run(&["doctor"]), "No problems found\n");
    }
}
