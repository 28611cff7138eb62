//! Tests of the checker with graphs that have one violation each.

use serde_json::{Value, json};

use super::*;

/// Builder of a workspace. Entries of `uses` are (from, kind, to), with the kind `needs` (compiled
/// in), `builds` (build script) or `tests`.
struct Workspace {
    features: Vec<(&'static str, Value)>,
    optional: Vec<(&'static str, &'static str)>,
    uses: Vec<(&'static str, &'static str, &'static str)>,
    also: Vec<&'static str>,
}

fn workspace(uses: &[(&'static str, &'static str, &'static str)]) -> Workspace {
    Workspace { features: vec![], optional: vec![], uses: uses.to_vec(), also: vec![] }
}

impl Workspace {
    fn violations(&self) -> Vec<String> {
        let metadata = self.metadata();
        violations(&serde_json::from_value(metadata).unwrap())
    }

    fn metadata(&self) -> Value {
        let names: BTreeSet<&str> = self
            .uses
            .iter()
            .flat_map(|(from, _, to)| [*from, *to])
            .chain(self.also.iter().copied())
            .collect();
        json!({
            "packages": names.iter().map(|name| self.package(name)).collect::<Vec<_>>(),
            "workspace_members":
                names.iter().filter(|name| name.starts_with("siskin-")).collect::<Vec<_>>(),
            "resolve": { "nodes": names.iter().map(|name| self.node(name)).collect::<Vec<_>>() },
        })
    }

    fn package(&self, name: &str) -> Value {
        let dependencies: Vec<Value> = self
            .uses
            .iter()
            .filter(|(from, _, _)| *from == name)
            .map(|(from, kind, to)| {
                let optional = self.optional.contains(&(from, to));
                json!({ "name": to, "rename": null, "kind": kind_of(kind), "optional": optional })
            })
            .collect();
        let features = self.features.iter().find(|(of, _)| *of == name).map(|(_, f)| f.clone());
        json!({
            "id": name,
            "name": name,
            "manifest_path": format!("/house/{name}/Cargo.toml"),
            "dependencies": dependencies,
            "features": features.unwrap_or_else(|| json!({})),
        })
    }

    fn node(&self, name: &str) -> Value {
        let deps: Vec<Value> = self
            .uses
            .iter()
            .filter(|(from, _, _)| *from == name)
            .map(|(_, kind, to)| json!({ "pkg": to, "dep_kinds": [{ "kind": kind_of(kind) }] }))
            .collect();
        json!({ "id": name, "deps": deps })
    }
}

fn kind_of(text: &str) -> Value {
    match text {
        "needs" => Value::Null,
        "builds" => json!("build"),
        "tests" => json!("dev"),
        other => panic!("unknown kind {other}"),
    }
}

#[test]
fn downward_dependencies_are_allowed() {
    let workspace = workspace(&[
        ("siskin-persistence", "needs", "siskin-ids"),
        ("siskin-wire", "needs", "siskin-entities"),
        ("siskin-http", "needs", "siskin-app"),
        ("siskin-persistence", "tests", "siskin-test-support"),
        ("siskin-persistence", "needs", "diesel"),
        ("siskin-http", "needs", "actix-web"),
        ("siskin-wire", "needs", "serde_json"),
    ]);
    assert_eq!(workspace.violations(), Vec::<String>::new());
}

#[test]
fn upward_dependencies_of_every_kind_are_violations() {
    for kind in ["needs", "builds", "tests"] {
        let workspace = workspace(&[("siskin-policy", kind, "siskin-persistence")]);
        assert_eq!(workspace.violations(), ["siskin-policy must not use siskin-persistence"]);
    }
}

#[test]
fn disallowed_dependencies_between_layers_are_violations() {
    for (from, to) in [
        ("siskin-wire", "siskin-policy"),
        ("siskin-services", "siskin-wire"),
        ("siskin-ids", "siskin-text"),
        ("siskin-app", "siskin-http"),
    ] {
        let workspace = workspace(&[(from, "needs", to)]);
        assert_eq!(workspace.violations(), [format!("{from} must not use {to}")]);
    }
}

#[test]
fn test_support_is_for_tests_of_crates_that_know_the_database() {
    let built_in = workspace(&[("siskin-services", "needs", "siskin-test-support")]);
    assert_eq!(built_in.violations(), ["siskin-services must not use siskin-test-support"]);
    let too_low = workspace(&[("siskin-text", "tests", "siskin-test-support")]);
    assert_eq!(too_low.violations(), ["siskin-text must not use siskin-test-support"]);
}

#[test]
fn a_crate_without_a_row_is_a_violation() {
    let workspace = workspace(&[("siskin-attic", "needs", "siskin-ids")]);
    assert_eq!(workspace.violations(), ["siskin-attic has no row in crates/layers/src/floors.rs"]);
}

#[test]
fn only_its_crates_use_diesel() {
    for kind in ["needs", "builds", "tests"] {
        for library in ["diesel", "diesel_migrations"] {
            let workspace = workspace(&[("siskin-services", kind, library)]);
            assert_eq!(workspace.violations(), ["siskin-services must not depend on diesel"]);
        }
    }
}

#[test]
fn only_its_crates_use_actix() {
    for library in ["actix-web", "actix-rt", "actix"] {
        let workspace = workspace(&[("siskin-app", "needs", library)]);
        assert_eq!(workspace.violations(), ["siskin-app must not depend on actix"]);
    }
}

#[test]
fn confined_crates_are_found_behind_foreign_crates() {
    let workspace = workspace(&[
        ("siskin-services", "needs", "pool"),
        ("pool", "needs", "glue"),
        ("glue", "needs", "diesel"),
    ]);
    let path = "siskin-services must not reach diesel: pool -> glue -> diesel";
    assert_eq!(workspace.violations(), [path]);
}

#[test]
fn dependencies_through_workspace_crates_do_not_count() {
    let workspace = workspace(&[
        ("siskin-services", "needs", "siskin-persistence"),
        ("siskin-persistence", "needs", "diesel"),
    ]);
    assert_eq!(workspace.violations(), Vec::<String>::new());
}

#[test]
fn pure_crates_may_use_json_in_tests_only() {
    for name in ["siskin-ids", "siskin-text", "siskin-entities", "siskin-policy"] {
        let built = workspace(&[(name, "needs", "serde_json")]);
        assert_eq!(built.violations(), [format!("{name} must not depend on serde_json")]);
        let tested = workspace(&[(name, "tests", "serde_json")]);
        assert_eq!(tested.violations(), Vec::<String>::new());
    }
}

#[test]
fn ids_may_have_the_database_library_behind_a_feature_only() {
    let mut workspace = workspace(&[("siskin-ids", "needs", "diesel")]);
    let refused = ["siskin-ids must not depend on diesel"];
    assert_eq!(workspace.violations(), refused, "not optional");

    workspace.optional = vec![("siskin-ids", "diesel")];
    workspace.features = vec![("siskin-ids", json!({ "diesel": ["dep:diesel"] }))];
    assert_eq!(workspace.violations(), Vec::<String>::new());

    for default in [["diesel"], ["dep:diesel"], ["diesel/sqlite"]] {
        workspace.features =
            vec![("siskin-ids", json!({ "diesel": ["dep:diesel"], "default": default }))];
        assert_eq!(workspace.violations(), refused, "on by default: {default:?}");
    }
}

#[test]
fn optional_dependencies_are_allowed_for_listed_crates_only() {
    let mut workspace = workspace(&[("siskin-text", "needs", "diesel")]);
    workspace.optional = vec![("siskin-text", "diesel")];
    assert_eq!(workspace.violations(), ["siskin-text must not depend on diesel"]);
}

#[test]
fn openssl_is_found_anywhere_in_the_graph() {
    let workspace = workspace(&[
        ("siskin-persistence", "needs", "pq-sys"),
        ("pq-sys", "builds", "pq-src"),
        ("pq-src", "needs", "openssl-sys"),
    ]);
    let path = "siskin-persistence must not reach openssl-sys: pq-sys -> pq-src -> openssl-sys";
    assert_eq!(workspace.violations(), [path]);
}

#[test]
fn dev_dependencies_of_foreign_crates_do_not_count() {
    let workspace = workspace(&[("siskin-services", "needs", "pool"), ("pool", "tests", "diesel")]);
    assert_eq!(workspace.violations(), Vec::<String>::new());
}
