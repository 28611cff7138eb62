//! Documents in the shape of 22 programs of the network, written for these tests, and what is read
//! of them.
//!
//! Each file has the documents of one program. `reads` lists everything that is read of a document,
//! one fact a line; what is absent is not listed. If a test fails, it prints the lines as they are
//! now.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod show;

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use show::Shown;

fn files() -> Vec<PathBuf> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/peers");
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|it| it == "json")).collect();
    files.sort();
    files
}

fn documents(peer: &Value) -> &[Value] {
    peer["documents"].as_array().unwrap()
}

#[test]
fn everything_that_a_document_says_is_read() {
    let files = files();
    assert!(files.len() >= 20, "{} files", files.len());
    let mut faults = String::new();
    for path in files {
        let peer: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for document in documents(&peer) {
            let shown = json!(Shown::of(document).lines());
            if document["reads"] != shown {
                let lines = serde_json::to_string_pretty(&shown).unwrap();
                faults += &format!("{}: {}: {lines}\n", path.display(), document["what"]);
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn no_beginning_of_a_document_makes_it_panic() {
    for path in files() {
        let peer: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for document in documents(&peer) {
            let bytes = document["body"].to_string().into_bytes();
            for end in (0..bytes.len()).step_by(7) {
                show::read_as_everything(&bytes[..end]);
            }
            show::read_as_everything(&bytes);
        }
    }
}

#[test]
fn a_document_without_one_of_its_members_makes_nothing_panic() {
    let others =
        [json!(null), json!(7), json!("x"), json!([]), json!({}), json!([{"id": 7}]), json!(true)];
    for path in files() {
        let peer: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for document in documents(&peer) {
            let members = document["body"].as_object().unwrap();
            for name in members.keys() {
                for other in &others {
                    let mut changed = members.clone();
                    changed.insert(name.clone(), other.clone());
                    show::read_as_everything(json!(changed).to_string().as_bytes());
                }
            }
        }
    }
}
