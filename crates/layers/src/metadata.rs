//! Subset of the output of `cargo metadata` that the checks read.

use std::{collections::BTreeMap, path::PathBuf};

use serde::Deserialize;

/// Workspace with all its dependencies.
#[derive(Debug, Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    pub workspace_members: Vec<String>,
    pub resolve: Resolve,
}

/// Crate of the workspace or foreign crate, as declared in its manifest.
#[derive(Debug, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub manifest_path: PathBuf,
    pub dependencies: Vec<Dependency>,
    pub features: BTreeMap<String, Vec<String>>,
}

/// Declared dependency.
#[derive(Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    pub rename: Option<String>,
    pub kind: Option<Kind>,
    pub optional: bool,
}

/// Kind of a dependency; absent in the JSON for normal dependencies.
#[derive(Debug, Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Build,
    Dev,
}

/// Dependency graph, resolved with default features.
#[derive(Debug, Deserialize)]
pub struct Resolve {
    pub nodes: Vec<Node>,
}

/// Package in the graph.
#[derive(Debug, Deserialize)]
pub struct Node {
    pub id: String,
    pub deps: Vec<Edge>,
}

/// Edge of the graph.
#[derive(Debug, Deserialize)]
pub struct Edge {
    pub pkg: String,
    pub dep_kinds: Vec<EdgeKind>,
}

/// One kind of an edge.
#[derive(Debug, Deserialize)]
pub struct EdgeKind {
    pub kind: Option<Kind>,
}

impl Metadata {
    /// Returns the crates of the workspace, sorted by name.
    pub fn ours(&self) -> Vec<&Package> {
        let mut ours: Vec<_> =
            self.packages.iter().filter(|p| self.workspace_members.contains(&p.id)).collect();
        ours.sort_by(|a, b| a.name.cmp(&b.name));
        ours
    }
}

impl Package {
    /// Returns the crate's name in the layer plan, without the prefix of the project.
    pub fn floor_name(&self) -> &str {
        self.name.strip_prefix("siskin-").unwrap_or(&self.name)
    }

    /// Returns `true` if the default features enable the optional dependency `dependency`.
    pub fn enables_by_default(&self, dependency: &Dependency) -> bool {
        let name = dependency.rename.as_deref().unwrap_or(&dependency.name);
        let mut queue = vec!["default"];
        let mut seen = Vec::new();
        while let Some(feature) = queue.pop() {
            let names_it = feature.strip_prefix("dep:").unwrap_or(feature) == name
                || feature.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
            if names_it {
                return true;
            }
            if !seen.contains(&feature) {
                seen.push(feature);
                queue.extend(self.features.get(feature).into_iter().flatten().map(String::as_str));
            }
        }
        false
    }
}
