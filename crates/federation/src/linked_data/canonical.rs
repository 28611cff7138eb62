//! Names the nodes without id of a graph in the same way, whatever their order (URDNA2015, RDF
//! Dataset Canonicalization 1.0, 4).
//!
//! Names of functions are those of the standard. The work is limited: our documents have few parts
//! that differ only by what they belong to.

use std::collections::{BTreeMap, HashMap};

use super::{LinkedDataError, hash};

/// Maximum number of orders of similar nodes that are tried. Our documents need a few for each poll
/// option or list.
const MAX_WORK: usize = 20_000;
/// Maximum number of similar nodes that belong to each other in a row.
const MAX_DEPTH: usize = 64;

/// Subject, object or graph of a statement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    /// A node without id.
    Blank(usize),
    /// What N-Quads write.
    Text(String),
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Quad {
    pub(super) subject: Node,
    /// What N-Quads write.
    pub(super) predicate: String,
    pub(super) object: Node,
    /// `None` for the graph of the document.
    pub(super) graph: Option<Node>,
}

impl Quad {
    /// Returns the nodes with their positions, as they are hashed.
    fn nodes(&self) -> impl Iterator<Item = (&'static str, &Node)> {
        let both = [("s", &self.subject), ("o", &self.object)];
        both.into_iter().chain(self.graph.as_ref().map(|graph| ("g", graph)))
    }

    /// Returns the nodes without id, with their positions.
    fn blanks(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.nodes().filter_map(|(position, node)| match node {
            Node::Blank(blank) => Some((position, *blank)),
            Node::Text(_) => None,
        })
    }

    /// Returns the line of N-Quads, with `name` for nodes without id.
    fn line(&self, name: impl Fn(usize) -> String) -> String {
        let text = |node: &Node| match node {
            Node::Blank(blank) => name(*blank),
            Node::Text(text) => text.clone(),
        };
        let (subject, object) = (text(&self.subject), text(&self.object));
        let graph = self.graph.as_ref().map(|graph| format!(" {}", text(graph)));
        format!("{subject} {} {object}{} .\n", self.predicate, graph.unwrap_or_default())
    }
}

/// Gives names to nodes, in the order in which they are asked for.
#[derive(Debug, Clone)]
struct Issuer {
    prefix: &'static str,
    names: HashMap<usize, String>,
    order: Vec<usize>,
}

impl Issuer {
    fn new(prefix: &'static str) -> Self {
        Self { prefix, names: HashMap::new(), order: Vec::new() }
    }

    fn get(&self, blank: usize) -> Option<&str> {
        self.names.get(&blank).map(String::as_str)
    }

    fn issue(&mut self, blank: usize) -> String {
        if let Some(name) = self.get(blank) {
            return name.to_owned();
        }
        let name = format!("{}{}", self.prefix, self.order.len());
        self.order.push(blank);
        self.names.insert(blank, name.clone());
        name
    }
}

struct Canonicaliser<'q> {
    /// Statements about each node without id.
    quads_of: BTreeMap<usize, Vec<&'q Quad>>,
    first_degree: HashMap<usize, String>,
    issuer: Issuer,
    work: usize,
    depth: usize,
}

/// Returns the canonical N-Quads of a graph. No statement is there twice.
pub(super) fn canonical(quads: &[Quad]) -> Result<String, LinkedDataError> {
    let mut quads_of: BTreeMap<usize, Vec<&Quad>> = BTreeMap::new();
    for quad in quads {
        for (_, blank) in quad.blanks() {
            let about = quads_of.entry(blank).or_default();
            // A statement may name a node twice.
            if about.last().is_none_or(|last| *last != quad) {
                about.push(quad);
            }
        }
    }
    let first_degree = quads_of.iter().map(|(blank, quads)| (*blank, first_degree(*blank, quads)));
    let first_degree = first_degree.collect();
    let issuer = Issuer::new("_:c14n");
    let mut canonicaliser = Canonicaliser { quads_of, first_degree, issuer, work: 0, depth: 0 };
    canonicaliser.issue_all()?;
    if canonicaliser.work > MAX_WORK {
        return Err(LinkedDataError::TooComplex);
    }
    let issuer = canonicaliser.issuer;
    let name = |blank| issuer.get(blank).unwrap_or_default().to_owned();
    let mut lines: Vec<String> = quads.iter().map(|quad| quad.line(name)).collect();
    lines.sort();
    Ok(lines.concat())
}

/// Hash First Degree Quads.
fn first_degree(blank: usize, quads: &[&Quad]) -> String {
    let name = |other| if other == blank { "_:a".to_owned() } else { "_:z".to_owned() };
    let mut lines: Vec<String> = quads.iter().map(|quad| quad.line(name)).collect();
    lines.sort();
    hash(&lines.concat())
}

impl Canonicaliser<'_> {
    /// Canonicalization Algorithm, steps 3 to 5.
    fn issue_all(&mut self) -> Result<(), LinkedDataError> {
        let mut by_hash: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for blank in self.quads_of.keys() {
            let hash = self.first_degree.get(blank).cloned().unwrap_or_default();
            by_hash.entry(hash).or_default().push(*blank);
        }
        for blanks in by_hash.values() {
            if let [only] = blanks.as_slice() {
                self.issuer.issue(*only);
            }
        }
        for blanks in by_hash.into_values() {
            let mut results = Vec::new();
            for blank in blanks {
                if self.issuer.get(blank).is_none() {
                    let mut issuer = Issuer::new("_:b");
                    issuer.issue(blank);
                    results.push(self.n_degree(blank, issuer)?);
                }
            }
            results.sort_by(|(a, _), (b, _)| a.cmp(b));
            for blank in results.into_iter().flat_map(|(_, issuer)| issuer.order) {
                self.issuer.issue(blank);
            }
        }
        Ok(())
    }

    /// Hash Related Blank Node.
    fn related(&self, quad: &Quad, issuer: &Issuer, position: &str, blank: usize) -> String {
        let predicate = if position == "g" { "" } else { &quad.predicate };
        let name = self.issuer.get(blank).or_else(|| issuer.get(blank));
        let name = name.or_else(|| self.first_degree.get(&blank).map(String::as_str));
        hash(&[position, predicate, name.unwrap_or_default()].concat())
    }

    /// Hash N-Degree Quads.
    fn n_degree(
        &mut self,
        blank: usize,
        mut issuer: Issuer,
    ) -> Result<(String, Issuer), LinkedDataError> {
        self.depth += 1;
        if self.work > MAX_WORK || self.depth > MAX_DEPTH {
            return Err(LinkedDataError::TooComplex);
        }
        let mut related: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for quad in self.quads_of.get(&blank).into_iter().flatten() {
            for (position, other) in quad.blanks().filter(|(_, other)| *other != blank) {
                let hash = self.related(quad, &issuer, position, other);
                related.entry(hash).or_default().push(other);
            }
        }
        let mut data = String::new();
        for (hash, mut blanks) in related {
            data.push_str(&hash);
            blanks.sort_unstable();
            let mut chosen: Option<(String, Issuer)> = None;
            loop {
                let best = chosen.as_ref().map(|(path, _)| path.clone());
                if let Some(better) = self.path(&blanks, issuer.clone(), best.as_deref())? {
                    chosen = Some(better);
                }
                if self.work > MAX_WORK || !next_permutation(&mut blanks) {
                    break;
                }
            }
            if let Some((path, chosen)) = chosen {
                data.push_str(&path);
                issuer = chosen;
            }
        }
        self.depth -= 1;
        Ok((hash(&data), issuer))
    }

    /// Returns the path of one order of similar nodes, if it is before the best so far.
    fn path(
        &mut self,
        blanks: &[usize],
        mut issuer: Issuer,
        best: Option<&str>,
    ) -> Result<Option<(String, Issuer)>, LinkedDataError> {
        self.work += 1;
        let is_worse =
            |path: &str| best.is_some_and(|best| path.len() >= best.len() && path > best);
        let (mut path, mut unnamed) = (String::new(), Vec::new());
        for blank in blanks {
            if let Some(name) = self.issuer.get(*blank) {
                path.push_str(name);
            } else {
                if issuer.get(*blank).is_none() {
                    unnamed.push(*blank);
                }
                path.push_str(&issuer.issue(*blank));
            }
            if is_worse(&path) {
                return Ok(None);
            }
        }
        for blank in unnamed {
            let (hash, after) = self.n_degree(blank, issuer.clone())?;
            path.push_str(&issuer.issue(blank));
            path.push_str(&format!("<{hash}>"));
            issuer = after;
            if is_worse(&path) {
                return Ok(None);
            }
        }
        let is_better = best.is_none_or(|best| path.as_str() < best);
        Ok(is_better.then_some((path, issuer)))
    }
}

/// Brings items into their next order. Returns `false` after the last one.
fn next_permutation(items: &mut [usize]) -> bool {
    let is_rising = |pair: &[usize]| matches!(pair, [a, b] if a < b);
    let Some(at) = items.windows(2).rposition(is_rising) else { return false };
    let Some((head, tail)) = items.split_at_mut_checked(at + 1) else { return false };
    let Some(pivot) = head.last_mut() else { return false };
    // The tail falls, so the last larger one is the smallest larger one.
    if let Some(next) = tail.iter_mut().rev().find(|item| **item > *pivot) {
        std::mem::swap(pivot, next);
    }
    tail.reverse();
    true
}
