//! Tests of the checker with graphs that have one violation each.

use serde_json::{Value, json};

use super::*;

/// Builder of a workspace. Entries of `uses` are (from, kind, to), with the kind `needs` (compiled
/// in), `builds` (build script) or `tests`.
struct House {
    features: Vec<(&'static str, Value)>,
    optional: Vec<(&'static str, &'static str)>,
    uses: Vec<(&'static str, &'static str, &'static str)>,
    also: Vec<&'static str>,
}

fn house(uses: &[(&'static str, &'static str, &'static str)]) -> House {
    House { features: vec![], optional: vec![], uses: uses.to_vec(), also: vec![] }
}

impl House {
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

fn kind_of(word: &str) -> Value {
    match word {
        "needs" => Value::Null,
        "builds" => json!("build"),
        "tests" => json!("dev"),
        other => panic!("unknown kind {other}"),
    }
}

#[test]
fn arrows_that_point_down_are_allowed() {
    let house = house(&[
        ("siskin-persistence", "needs", "siskin-ids"),
        ("siskin-wire", "needs", "siskin-entities"),
        ("siskin-http", "needs", "siskin-app"),
        ("siskin-persistence", "tests", "siskin-test-support"),
        ("siskin-persistence", "needs", "diesel"),
        ("siskin-http", "needs", "actix-web"),
        ("siskin-wire", "needs", "serde_json"),
    ]);
    assert_eq!(house.violations(), Vec::<String>::new());
}

#[test]
fn an_upward_arrow_is_found_whatever_it_is_for() {
    for kind in ["needs", "builds", "tests"] {
        let house = house(&[("siskin-policy", kind, "siskin-persistence")]);
        assert_eq!(house.violations(), ["siskin-policy must not use siskin-persistence"]);
    }
}

#[test]
fn an_arrow_between_floors_that_must_not_meet_is_found() {
    for (from, to) in [
        ("siskin-wire", "siskin-policy"),
        ("siskin-services", "siskin-wire"),
        ("siskin-ids", "siskin-text"),
        ("siskin-app", "siskin-http"),
    ] {
        let house = house(&[(from, "needs", to)]);
        assert_eq!(house.violations(), [format!("{from} must not use {to}")]);
    }
}

#[test]
fn test_support_is_for_tests_of_crates_that_know_the_database() {
    let built_in = house(&[("siskin-services", "needs", "siskin-test-support")]);
    assert_eq!(built_in.violations(), ["siskin-services must not use siskin-test-support"]);
    let too_low = house(&[("siskin-text", "tests", "siskin-test-support")]);
    assert_eq!(too_low.violations(), ["siskin-text must not use siskin-test-support"]);
}

#[test]
fn a_crate_without_a_row_is_found() {
    let house = house(&[("siskin-attic", "needs", "siskin-ids")]);
    assert_eq!(house.violations(), ["siskin-attic has no row in crates/layers/src/floors.rs"]);
}

#[test]
fn the_database_library_stays_in_its_place() {
    for kind in ["needs", "builds", "tests"] {
        for library in ["diesel", "diesel_migrations"] {
            let house = house(&[("siskin-services", kind, library)]);
            assert_eq!(house.violations(), ["siskin-services must not depend on diesel"]);
        }
    }
}

#[test]
fn the_web_framework_stays_in_its_place() {
    for library in ["actix-web", "actix-rt", "actix"] {
        let house = house(&[("siskin-app", "needs", library)]);
        assert_eq!(house.violations(), ["siskin-app must not depend on actix"]);
    }
}

#[test]
fn a_confined_crate_is_found_behind_foreign_ones() {
    let house = house(&[
        ("siskin-services", "needs", "pool"),
        ("pool", "needs", "glue"),
        ("glue", "needs", "diesel"),
    ]);
    let path = "siskin-services must not reach diesel: pool -> glue -> diesel";
    assert_eq!(house.violations(), [path]);
}

#[test]
fn what_comes_through_our_own_crate_is_its_use() {
    let house = house(&[
        ("siskin-services", "needs", "siskin-persistence"),
        ("siskin-persistence", "needs", "diesel"),
    ]);
    assert_eq!(house.violations(), Vec::<String>::new());
}

#[test]
fn json_is_kept_out_of_the_pure_crates_but_not_out_of_their_tests() {
    for name in ["siskin-ids", "siskin-text", "siskin-entities", "siskin-policy"] {
        let built = house(&[(name, "needs", "serde_json")]);
        assert_eq!(built.violations(), [format!("{name} must not depend on serde_json")]);
        let tested = house(&[(name, "tests", "serde_json")]);
        assert_eq!(tested.violations(), Vec::<String>::new());
    }
}

#[test]
fn ids_may_have_the_database_library_behind_a_feature_only() {
    let mut house = house(&[("siskin-ids", "needs", "diesel")]);
    let refused = ["siskin-ids must not depend on diesel"];
    assert_eq!(house.violations(), refused, "not optional");

    house.optional = vec![("siskin-ids", "diesel")];
    house.features = vec![("siskin-ids", json!({ "diesel": ["dep:diesel"] }))];
    assert_eq!(house.violations(), Vec::<String>::new());

    for default in [["diesel"], ["dep:diesel"], ["diesel/sqlite"]] {
        house.features =
            vec![("siskin-ids", json!({ "diesel": ["dep:diesel"], "default": default }))];
        assert_eq!(house.violations(), refused, "on by default: {default:?}");
    }
}

#[test]
fn no_optional_dependency_excuses_another_crate() {
    let mut house = house(&[("siskin-text", "needs", "diesel")]);
    house.optional = vec![("siskin-text", "diesel")];
    assert_eq!(house.violations(), ["siskin-text must not depend on diesel"]);
}

#[test]
fn openssl_is_found_anywhere_in_the_tree() {
    let house = house(&[
        ("siskin-persistence", "needs", "pq-sys"),
        ("pq-sys", "builds", "pq-src"),
        ("pq-src", "needs", "openssl-sys"),
    ]);
    let path = "siskin-persistence must not reach openssl-sys: pq-sys -> pq-src -> openssl-sys";
    assert_eq!(house.violations(), [path]);
}

#[test]
fn what_a_foreign_crate_needs_for_its_own_tests_is_not_ours() {
    let house = house(&[("siskin-services", "needs", "pool"), ("pool", "tests", "diesel")]);
    assert_eq!(house.violations(), Vec::<String>::new());
}
