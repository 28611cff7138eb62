//! `docs/security.md`: the classes are complete, and the tests that it names exist.

use std::{fs, path::PathBuf};

const CLASSES: usize = 25;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn page() -> String {
    fs::read_to_string(root().join("docs/security.md")).unwrap()
}

/// Returns the items of all lists, each in one line.
fn items(section: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in section.lines() {
        match (line.strip_prefix("- "), line.strip_prefix("  ")) {
            (Some(first), _) => items.push(first.to_owned()),
            (None, Some(more)) => items.last_mut().unwrap().push_str(more),
            (None, None) => {}
        }
    }
    items
}

/// Returns the texts between backticks.
fn names(item: &str) -> Vec<&str> {
    item.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_class_has_tests_and_every_named_test_exists() {
    let page = page();
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert_eq!(sections.len(), CLASSES);
    for (number, section) in (1..).zip(sections) {
        assert!(section.starts_with(&format!("{number}. ")), "{section:.40}");
        let items = items(section);
        assert!(!items.is_empty(), "no tests in section {number}");
        for item in &items {
            let names = names(item);
            let [path, tests @ ..] = &names[..] else { panic!("no path in {item}") };
            assert!(!tests.is_empty(), "no test in {item}");
            let path = path
                .strip_prefix("api/")
                .map_or_else(|| (*path).to_owned(), |below| format!("api-tests/tests/api/{below}"));
            let source = fs::read_to_string(root().join(&path));
            let source = source.unwrap_or_else(|error| panic!("{path}: {error}"));
            for test in tests {
                assert!(source.contains(&format!("fn {test}(")), "{path} has no {test}");
            }
        }
    }
}
