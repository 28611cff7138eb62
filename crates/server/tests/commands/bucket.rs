//! Tests of the commands with uploaded files in an S3 bucket.

use std::{fs::File, process::Stdio};

use siskin_test_support::{Engine, S3Server, TestDatabase, both_engines};

use crate::{pictures::png, program::Program};

/// Builds the program with its files in a new bucket.
fn program(database: &TestDatabase, server: &S3Server) -> Program {
    Program::on(database)
        .with("SISKIN_S3_BUCKET", &server.new_bucket())
        .with("SISKIN_S3_ENDPOINT", &server.endpoint())
        .with("SISKIN_S3_ACCESS_KEY_ID", "id")
        .with("SISKIN_S3_SECRET_ACCESS_KEY", "the secret")
        .with("SISKIN_S3_PREFIX", "media")
}

fn import_an_emoji(program: &Program, options: &[&str]) {
    let archive = program.folder.path().join("emojis.tar");
    let mut tar = tar::Builder::new(File::create(&archive).unwrap());
    let (content, mut header) = (png(20, 20), tar::Header::new_gnu());
    header.set_size(content.len().try_into().unwrap());
    tar.append_data(&mut header, "cat.png", &content[..]).unwrap();
    tar.finish().unwrap();
    let import = ["emojis", "import", archive.to_str().unwrap()];
    program.run(&[options, &import].concat());
}

/// Returns `true` if the media folder has no files: the staging directory is there, and empty.
fn has_no_files(program: &Program) -> bool {
    let output = std::process::Command::new("find")
        .arg(program.folder.path().join("media"))
        .args(["-type", "f"])
        .output()
        .unwrap();
    output.stdout.is_empty()
}

both_engines! {
    fn bucket_files_are_backed_up_and_restored_to_folder_or_bucket(database: &TestDatabase) {
        let Some(server) = S3Server::find() else { return };
        let first = program(database, server);
        import_an_emoji(&first, &[]);
        assert_eq!(first.run(&["doctor"]), "No problems found\n");
        assert!(has_no_files(&first));
        let archive = first.folder.path().join("backup.tar.gz");
        let archive = archive.to_str().unwrap();
        assert_eq!(first.json(&["backup", archive, "--json"])["media"], 1);
        for in_bucket in [true, false] {
            let empty = TestDatabase::empty(database.engine());
            let other = if in_bucket { program(&empty, server) } else { Program::on(&empty) };
            other.run(&["restore", archive]);
            assert_eq!(other.run(&["doctor"]), "No problems found\n");
            assert_eq!(has_no_files(&other), in_bucket);
            let used = TestDatabase::empty(database.engine());
            let again = first.output(&["restore", archive, "--database", used.url()]);
            let printed = String::from_utf8(again.stderr).unwrap();
            assert!(printed.contains("not empty"), "{printed}");
        }
    }

    fn the_files_move_to_the_bucket_and_back(database: &TestDatabase) {
        let Some(server) = S3Server::find() else { return };
        let moved = program(database, server);
        let at_home = ["--s3-bucket", ""];
        import_an_emoji(&moved, &at_home);
        assert!(!has_no_files(&moved));
        let printed = moved.run(&["media", "copy-to-bucket"]);
        assert_eq!(printed, "1 copied, 0 already present\n");
        assert_eq!(moved.run(&["media", "copy-to-bucket"]), "0 copied, 1 already present\n");
        assert_eq!(moved.run(&["doctor"]), "No problems found\n");
        std::fs::remove_dir_all(moved.folder.path().join("media")).unwrap();
        assert!(moved.run(&["doctor"]).starts_with("No problems found"));
        assert!(!moved.output(&[&at_home[..], &["doctor"]].concat()).status.success());
        assert_eq!(moved.run(&["media", "copy-to-folder"]), "1 copied, 0 already present\n");
        assert_eq!(moved.run(&[&at_home[..], &["doctor"]].concat()), "No problems found\n");
        let refused = moved.refused(&[&at_home[..], &["media", "copy-to-bucket"]].concat());
        assert!(refused.contains("SISKIN_S3_BUCKET"), "{refused}");
    }
}

#[test]
fn a_server_with_an_unusable_bucket_does_not_start() {
    let Some(server) = S3Server::find() else { return };
    let database = TestDatabase::new(Engine::Sqlite);
    let refused = |program: Program| {
        let mut command = program.command(&["serve", "--bind", "127.0.0.1:0"]);
        let output = command.stdout(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(!printed.contains("the secret"), "{printed}");
        printed
    };
    let printed = refused(program(&database, server).with("SISKIN_S3_BUCKET", "nobodys"));
    assert!(
        printed.contains("cannot use the S3 bucket nobodys: the bucket does not exist"),
        "{printed}"
    );
    let printed = refused(program(&database, server).with("SISKIN_S3_SECRET_ACCESS_KEY", ""));
    assert!(printed.contains("SISKIN_S3_SECRET_ACCESS_KEY"), "{printed}");
    let printed =
        refused(program(&database, server).with("SISKIN_S3_ENDPOINT", "http://127.0.0.1:9"));
    assert!(printed.contains("cannot use"), "{printed}");
}
