//! Search of the sources for forbidden crate names. A re-export could hide a crate from the check
//! of the dependency graph. Comments and string literals are ignored.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    floors::{CONFINED, Confined, Scope},
    metadata::Package,
    tokenizer::tokens,
};

/// Crate that only its own sources, tests in `tests/` folders, and the crates of tests and
/// benchmarks may use.
const TEST_SUPPORT: &str = "siskin_test_support";

/// Returns all forbidden names in the sources of `package`, as sentences.
///
/// # Errors
/// Returns an error if a source file or folder cannot be read.
pub fn violations(package: &Package) -> io::Result<Vec<String>> {
    let root = package.manifest_path.parent().unwrap_or(Path::new("."));
    let mut found = Vec::new();
    for file in rust_files(root)? {
        let text = fs::read_to_string(&file)?;
        let path = file.strip_prefix(root).unwrap_or(&file);
        found.extend(violations_in(package, path, &text));
    }
    Ok(found)
}

fn violations_in(package: &Package, path: &Path, text: &str) -> Vec<String> {
    tokens(text)
        .filter(|(_, token)| is_misplaced(package.floor_name(), path, token))
        .map(|(line, token)| format!("{}: {}:{line} uses {token}", package.name, path.display()))
        .collect()
}

fn is_misplaced(floor_name: &str, path: &Path, token: &str) -> bool {
    if token == TEST_SUPPORT {
        // A unit test would contain its crate twice: as the tested crate and through
        // `test-support`.
        let is_free = matches!(floor_name, "test-support" | "api-tests" | "bench");
        return path.starts_with("src") && !is_free;
    }
    CONFINED
        .iter()
        // Unit tests are in the same files as the code, so names allowed only for tests are not
        // checked here.
        .filter(|rule| rule.scope == Scope::BuiltOrTested)
        .filter(|rule| {
            !rule.users.allow_always(floor_name) && !rule.users.allow_behind_feature(floor_name)
        })
        .any(|rule| matches_family(rule, token))
}

fn matches_family(rule: &Confined, token: &str) -> bool {
    rule.covers(token) || rule.covers(&token.replace('_', "-"))
}

fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(package: &str, path: &str, text: &str) -> Vec<String> {
        let package = Package {
            id: package.into(),
            name: package.into(),
            manifest_path: "Cargo.toml".into(),
            dependencies: Vec::new(),
            features: std::collections::BTreeMap::new(),
        };
        violations_in(&package, Path::new(path), text)
    }

    #[test]
    fn a_re_exported_crate_is_found_with_its_line() {
        let text = "//! diesel is fine here\nuse siskin_persistence::diesel::prelude;\n";
        let expected = ["siskin-services: src/lib.rs:2 uses diesel"];
        assert_eq!(found("siskin-services", "src/lib.rs", text), expected);
    }

    #[test]
    fn families_are_confined_to_their_crates() {
        assert_eq!(found("siskin-app", "src/lib.rs", "fn f(r: actix_web::R) {}").len(), 1);
        assert_eq!(found("siskin-app", "tests/a.rs", "actix_rt::spawn(f)").len(), 1);
        assert_eq!(found("siskin-text", "build.rs", "openssl_sys::init()").len(), 1);
        assert_eq!(found("siskin-http", "src/lib.rs", "actix_web::get").len(), 0);
        assert_eq!(found("siskin-ids", "src/lib.rs", "diesel::AsExpression").len(), 0);
    }

    #[test]
    fn test_support_is_for_the_tests_folder() {
        let text = "use siskin_test_support::TestDatabase;";
        assert_eq!(found("siskin-persistence", "src/lane/tests.rs", text).len(), 1);
        assert_eq!(found("siskin-persistence", "tests/lane.rs", text).len(), 0);
        assert_eq!(found("siskin-bench", "src/world.rs", text).len(), 0);
    }

    #[test]
    fn sources_are_read_from_the_folder_of_the_manifest() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("src/deep")).unwrap();
        fs::write(folder.path().join("src/deep/mod.rs"), "use diesel::prelude::*;").unwrap();
        fs::write(folder.path().join("src/notes.txt"), "use diesel::prelude::*;").unwrap();
        let package = Package {
            id: String::new(),
            name: "siskin-wire".into(),
            manifest_path: folder.path().join("Cargo.toml"),
            dependencies: Vec::new(),
            features: std::collections::BTreeMap::new(),
        };
        let expected = ["siskin-wire: src/deep/mod.rs:1 uses diesel"];
        assert_eq!(violations(&package).unwrap(), expected);
    }
}
