//! Every route of the REST interface is part of the contract or an extension that `docs/openapi`
//! describes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use regex::Regex;
use siskin_contract::Contract;

use super::routes;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/openapi");
/// Marks an operation as an extension of the REST interface.
const MARK: &str = "      x-extension: true";
/// Operations of Mastodon that the contract leaves out.
const OF_MASTODON: [&str; 2] =
    ["POST /api/v1/conversations/{}/unread", "PUT /api/v2/notifications/policy"];

/// Returns the operation without the names of its parameters.
fn name(method: &str, path: &str) -> String {
    let nameless = Regex::new(r"\{[^}]*\}").unwrap().replace_all(path, "{}").into_owned();
    format!("{} {nameless}", method.to_uppercase())
}

/// Returns the operations that a description contains, and whether each is marked as an extension.
fn operations_in(description: &str) -> BTreeMap<String, bool> {
    let path_line = Regex::new(r"^  (/[^:]+):$").unwrap();
    let method_line = Regex::new(r"^    (get|post|put|patch|delete):$").unwrap();
    let (mut path, mut operations) = (String::new(), BTreeMap::new());
    let mut lines = description.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(found) = path_line.captures(line) {
            path = found[1].to_owned();
        } else if let Some(found) = method_line.captures(line) {
            operations.insert(name(&found[1], &path), lines.peek() == Some(&MARK));
        }
    }
    operations
}

fn documented() -> BTreeMap<String, bool> {
    let files = fs::read_dir(Path::new(FOLDER)).unwrap().map(|entry| entry.unwrap().path());
    files.flat_map(|file| operations_in(&fs::read_to_string(file).unwrap())).collect()
}

#[test]
fn every_extension_of_the_interface_is_described_and_marked() {
    let documented = documented();
    let known: BTreeSet<String> = Contract::get()
        .operations()
        .map(|operation| {
            let (method, path) = operation.name().split_once(' ').unwrap();
            name(method, path)
        })
        .collect();
    let routes = routes::all().into_iter().filter(|route| route.path.starts_with("/api/"));
    let mut extensions = Vec::new();
    for route in routes {
        let name = name(route.method.as_str(), &route.path);
        if !known.contains(&name) && !OF_MASTODON.contains(&name.as_str()) {
            extensions.push(name);
        }
    }
    assert!(extensions.len() > 30, "{extensions:?}");
    extensions.retain(|name| documented.get(name) != Some(&true));
    assert!(extensions.is_empty(), "not in docs/openapi, or not marked there: {extensions:#?}");
    let unmarked: Vec<&String> =
        documented.iter().filter(|(_, marked)| !**marked).map(|(name, _)| name).collect();
    assert!(unmarked.is_empty(), "add x-extension to {unmarked:#?}");
}

#[test]
fn operations_of_a_description_are_found() {
    let description = "paths:\n  /api/v1/a/{id}:\n    parameters: []\n    get:\n      \
                       x-extension: true\n      summary: A\n    put:\n      summary: B\n";
    let expected = [("GET /api/v1/a/{}".to_owned(), true), ("PUT /api/v1/a/{}".to_owned(), false)];
    assert_eq!(operations_in(description), expected.into());
}
