//! Check of the dependency graph against the layer plan. It reads no files and starts no programs.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    floors::{CONFINED, Confined, Floor, Scope, floor_of},
    metadata::{Dependency, Kind, Metadata, Node, Package},
};

/// Returns all violations of the plan in the graph, as sentences.
pub fn violations(metadata: &Metadata) -> Vec<String> {
    let graph = Graph::of(metadata);
    let mut found = Vec::new();
    for package in metadata.ours() {
        let Some(floor) = floor_of(package.floor_name()) else {
            found.push(format!("{} has no row in crates/layers/src/floors.rs", package.name));
            continue;
        };
        found.extend(disallowed_dependencies(package, floor, &graph));
        found.extend(CONFINED.iter().filter_map(|rule| misplaced(package, rule, &graph)));
    }
    found
}

fn disallowed_dependencies(package: &Package, floor: &Floor, graph: &Graph<'_>) -> Vec<String> {
    package
        .dependencies
        .iter()
        .filter(|dependency| graph.our_names.contains(dependency.name.as_str()))
        .filter(|dependency| !is_allowed(floor, dependency))
        .map(|dependency| format!("{} must not use {}", package.name, dependency.name))
        .collect()
}

fn is_allowed(floor: &Floor, dependency: &Dependency) -> bool {
    let target = dependency.name.strip_prefix("siskin-").unwrap_or(&dependency.name);
    let for_tests = dependency.kind == Some(Kind::Dev);
    let itself = target == floor.name;
    floor.may_depend_on.contains(&target)
        || (for_tests && (itself || target == "contract"))
        || (for_tests && floor.tested_with_database && target == "test-support")
}

/// Returns the violation message if `package` uses a crate that `rule` confines to other crates.
fn misplaced(package: &Package, rule: &Confined, graph: &Graph<'_>) -> Option<String> {
    let name = package.floor_name();
    if rule.users.allow_always(name) {
        return None;
    }
    let may_be_optional = rule.users.allow_behind_feature(name);
    let declared = package.dependencies.iter().any(|dependency| {
        let behind_feature = dependency.optional && !package.enables_by_default(dependency);
        rule.covers(&dependency.name)
            && rule.scope.includes(dependency.kind)
            && !(may_be_optional && behind_feature)
    });
    if declared {
        return Some(format!("{} must not depend on {}", package.name, rule.family));
    }
    let exempt = if may_be_optional { Some(rule) } else { None };
    let path = graph.foreign_path(package, rule, exempt)?;
    Some(format!("{} must not reach {}: {}", package.name, rule.family, path.join(" -> ")))
}

impl Scope {
    fn includes(self, kind: Option<Kind>) -> bool {
        match self {
            Self::Built => kind != Some(Kind::Dev),
            Self::BuiltOrTested => true,
        }
    }
}

/// Resolved graph, indexed for traversal.
struct Graph<'a> {
    nodes: BTreeMap<&'a str, &'a Node>,
    names: BTreeMap<&'a str, &'a str>,
    ours: BTreeSet<&'a str>,
    our_names: BTreeSet<&'a str>,
}

impl<'a> Graph<'a> {
    fn of(metadata: &'a Metadata) -> Self {
        let ours = metadata.ours();
        Self {
            nodes: metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect(),
            names: metadata.packages.iter().map(|p| (p.id.as_str(), p.name.as_str())).collect(),
            ours: ours.iter().map(|p| p.id.as_str()).collect(),
            our_names: ours.iter().map(|p| p.name.as_str()).collect(),
        }
    }

    /// Returns the names on a path from `package` through foreign crates to a crate that `rule`
    /// covers. Paths that start at a crate covered by `exempt` are skipped.
    fn foreign_path(
        &self,
        package: &Package,
        rule: &Confined,
        exempt: Option<&Confined>,
    ) -> Option<Vec<&'a str>> {
        let mut seen = BTreeSet::new();
        let mut queue: Vec<Vec<&'a str>> = self
            .edges(&package.id, rule.scope)
            .filter(|id| !exempt.is_some_and(|rule| rule.covers(self.name(id))))
            .map(|id| vec![id])
            .collect();
        while let Some(path) = queue.pop() {
            let id = *path.last()?;
            if rule.covers(self.name(id)) {
                return Some(path.into_iter().map(|id| self.name(id)).collect());
            }
            if seen.insert(id) {
                // The tests of a foreign crate are not built.
                queue.extend(
                    self.edges(id, Scope::Built)
                        .map(|next| path.iter().copied().chain([next]).collect()),
                );
            }
        }
        None
    }

    fn edges(&self, id: &str, scope: Scope) -> impl Iterator<Item = &'a str> {
        let edges = self.nodes.get(id).map_or(&[][..], |node| &node.deps);
        edges
            .iter()
            .filter(move |edge| edge.dep_kinds.iter().any(|purpose| scope.includes(purpose.kind)))
            .map(|edge| edge.pkg.as_str())
            .filter(|id| !self.ours.contains(id))
    }

    fn name(&self, id: &str) -> &'a str {
        self.names.get(id).copied().unwrap_or("?")
    }
}

#[cfg(test)]
mod tests;
