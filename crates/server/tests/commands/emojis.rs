//! Tests of `siskin emojis …`.

use std::{
    fs::File,
    io::{Cursor, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use serde_json::json;
use siskin_test_support::both_engines;

use crate::{pictures::png, program::Program};

/// Returns the files of an archive: pictures, and files that emoji pickers and operating systems
/// add.
fn members() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("cats/blob_cat.png", png(40, 20)),
        ("cats/Cat2.webp", png(10, 10)),
        ("cats/no-name.png", png(10, 10)),
        ("cats/page.png", b"<html>".to_vec()),
        ("cats/large.png", vec![0; 300 << 10]),
        ("cats/.DS_Store", vec![0; 10]),
        ("__MACOSX/cats/._blob_cat.png", vec![0; 10]),
    ]
}

fn zip(folder: &Path) -> PathBuf {
    let path = folder.join("cats.zip");
    let mut archive = zip::ZipWriter::new(File::create(&path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    archive.add_directory("cats", options).unwrap();
    for (name, content) in members() {
        archive.start_file(name, options).unwrap();
        archive.write_all(&content).unwrap();
    }
    archive.finish().unwrap();
    path
}

fn tar(out: impl Write) {
    let mut archive = tar::Builder::new(out);
    for (name, content) in members() {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len().try_into().unwrap());
        archive.append_data(&mut header, name, Cursor::new(content)).unwrap();
    }
    archive.finish().unwrap();
}

both_engines! {
    fn pictures_are_imported_from_every_archive_format(database: &TestDatabase) {
        let program = Program::on(database);
        let folder = program.folder.path();
        let (plain, packed) = (folder.join("cats.tar"), folder.join("cats.tar.gz"));
        tar(File::create(&plain).unwrap());
        tar(GzEncoder::new(File::create(&packed).unwrap(), Compression::fast()));
        let archives = [zip(folder), plain, packed].map(|path| path.to_str().unwrap().to_owned());
        for (round, archive) in archives.iter().enumerate() {
            let mut import = vec!["--json", "emojis", "import", archive, "--category", "Cats"];
            if round > 0 {
                import.push("--overwrite");
            }
            let outcome = program.json(&import);
            let (new, other) = if round == 0 { ("added", "replaced") } else { ("replaced", "added") };
            assert_eq!(outcome[new], json!(["blob_cat", "Cat2"]), "{archive}");
            assert_eq!(outcome[other], json!([]));
            let refused = outcome["refused"].as_array().unwrap();
            let files: Vec<_> = refused.iter().map(|one| one["file"].as_str().unwrap()).collect();
            assert_eq!(files, ["cats/no-name.png", "cats/page.png", "cats/large.png"]);
            assert!(refused[2]["why"].as_str().unwrap().contains("262144 bytes"), "{refused:?}");
        }
        let again = program.json(&["--json", "emojis", "import", &archives[0]]);
        assert_eq!(again["kept"], json!(["blob_cat", "Cat2"]));
    }

    fn emojis_are_listed_and_removed(database: &TestDatabase) {
        let program = Program::on(database);
        assert_eq!(program.run(&["emojis", "list"]), "");
        let archive = zip(program.folder.path());
        let archive = archive.to_str().unwrap();
        let printed = program.run(&["emojis", "import", archive, "--category", "Cats", "--unlisted"]);
        assert!(printed.starts_with("2 added: blob_cat, Cat2\n"), "{printed}");
        let listed = program.run(&["emojis", "list"]);
        assert_eq!(listed, ":blob_cat: Cats (unlisted)\n:Cat2: Cats (unlisted)\n");
        let shown = program.json(&["emojis", "list", "--json"]);
        assert_eq!((&shown[0]["shortcode"], &shown[0]["visible_in_picker"]), (&json!("blob_cat"), &json!(false)));
        // Deletes either all of them or none.
        assert!(program.refused(&["emojis", "delete", "Cat2", "dog"]).contains("dog"));
        assert_eq!(program.run(&["emojis", "list"]), listed);
        assert_eq!(program.run(&["emojis", "delete", "Cat2"]), "Deleted: Cat2\n");
        program.json(&["emojis", "delete", "blob_cat", "--json"]);
        assert_eq!(program.json(&["emojis", "list", "--json"]), json!([]));
    }

    fn an_archive_without_a_picture_fails(database: &TestDatabase) {
        let program = Program::on(database);
        let path = program.folder.path().join("nothing.tar");
        for (members, expected_text) in [
            (&[][..], "the archive is empty"),
            (&[("notes.txt", "hello"), ("page.png", "<html>")], "no usable image"),
        ] {
            let mut archive = tar::Builder::new(File::create(&path).unwrap());
            for (name, content) in members {
                let mut header = tar::Header::new_gnu();
                header.set_size(content.len().try_into().unwrap());
                archive.append_data(&mut header, name, content.as_bytes()).unwrap();
            }
            archive.finish().unwrap();
            let printed = program.refused(&["emojis", "import", path.to_str().unwrap()]);
            assert!(printed.contains(expected_text), "{printed}");
        }
    }

    fn import_refuses_other_files(database: &TestDatabase) {
        let program = Program::on(database);
        let file = program.folder.path().join("file");
        for content in [&b""[..], b"hello", b"PK\x03\x04", b"\x1f\x8b\x08"] {
            std::fs::write(&file, content).unwrap();
            let printed = program.refused(&["emojis", "import", file.to_str().unwrap()]);
            assert!(printed.contains("the archive"), "{content:?}: {printed}");
        }
    }
}
