//! Reads the graph of a document.

use std::ops::RangeInclusive;

use serde_json::{Map, Number, Value};

use super::{
    LinkedDataError,
    canonical::{Node, Quad},
    context::{Coercion, Container, Contexts, Term},
};

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
/// Largest whole number that every processor reads exactly.
const MAX_INTEGER: u64 = 1 << 53;
/// Size of other numbers. JavaScript has an exponent in smaller and larger ones, and some
/// processors then take them for whole numbers.
const RANGE: RangeInclusive<f64> = 1e-6..=1e15;

/// Returns the statements of a document.
pub(super) fn quads(document: &Map<String, Value>) -> Result<Vec<Quad>, LinkedDataError> {
    let context = document.get("@context");
    let contexts = Contexts::read(context)?;
    let mut graph = Graph { context, blanks: 0, quads: Vec::new() };
    graph.node(document, &contexts, None)?;
    graph.quads.sort();
    graph.quads.dedup();
    Ok(graph.quads)
}

struct Graph<'d> {
    /// Context of the document. A part may repeat it, as proofs do.
    context: Option<&'d Value>,
    /// Number of parts without id.
    blanks: usize,
    quads: Vec<Quad>,
}

impl Graph<'_> {
    fn blank(&mut self) -> Node {
        self.blanks += 1;
        Node::Blank(self.blanks - 1)
    }

    fn add(&mut self, subject: &Node, predicate: String, object: Node, graph: Option<&Node>) {
        let (subject, graph) = (subject.clone(), graph.cloned());
        self.quads.push(Quad { subject, predicate, object, graph });
    }

    /// Adds the statements of an object, and returns what stands for it. `contexts` are those
    /// without the terms of its types.
    fn node(
        &mut self,
        object: &Map<String, Value>,
        contexts: &Contexts,
        graph: Option<&Node>,
    ) -> Result<Node, LinkedDataError> {
        let subject = match object.get("id") {
            None => self.blank(),
            Some(Value::String(id)) => Node::Text(address(id, contexts)?),
            Some(_) => return Err(LinkedDataError::Value("id".to_owned())),
        };
        let mut inner = contexts.clone();
        for name in types(object)? {
            let unknown = || LinkedDataError::UnknownTerm(name.to_owned());
            let term = contexts.get(name).ok_or_else(unknown)?;
            if let Some(scope) = term.scope {
                inner = inner.with(scope);
            }
            let kind = Node::Text(address(&term.address, contexts)?);
            self.add(&subject, bracketed(&format!("{RDF}type")), kind, graph);
        }
        for (name, value) in object {
            match name.as_str() {
                "id" | "type" => (),
                "@context" if Some(value) == self.context => (),
                "@context" => return Err(LinkedDataError::Context(value.to_string())),
                name => self.property(&subject, name, value, (contexts, &inner), graph)?,
            }
        }
        Ok(subject)
    }

    /// Adds the statements of a member. The first contexts hold for objects in it, the second for
    /// the member itself.
    fn property(
        &mut self,
        subject: &Node,
        name: &str,
        value: &Value,
        (outer, contexts): (&Contexts, &Contexts),
        graph: Option<&Node>,
    ) -> Result<(), LinkedDataError> {
        let unknown = || LinkedDataError::UnknownTerm(name.to_owned());
        let term = contexts.get(name).ok_or_else(unknown)?;
        let predicate = address(&term.address, contexts)?;
        if term.container == Container::Language {
            for text in by_language(value).ok_or_else(|| LinkedDataError::Value(name.to_owned()))? {
                self.add(subject, predicate.clone(), Node::Text(text), graph);
            }
            return Ok(());
        }
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        let mut objects = Vec::new();
        for value in values.iter().filter(|value| !value.is_null()) {
            objects.push(match (term.container, value) {
                (Container::Graph, Value::Object(object)) => {
                    let name = self.blank();
                    self.node(object, outer, Some(&name))?;
                    name
                }
                (_, Value::Object(object)) if term.scope.is_none() => {
                    self.node(object, outer, graph)?
                }
                _ => {
                    let text = literal(term, value, contexts);
                    Node::Text(text.map_err(|error| error.within(name))?)
                }
            });
        }
        if term.container == Container::List && !value.is_null() {
            objects = vec![self.list(objects, graph)];
        }
        for object in objects {
            self.add(subject, predicate.clone(), object, graph);
        }
        Ok(())
    }

    /// Adds the statements of a list, and returns its first node.
    fn list(&mut self, items: Vec<Node>, graph: Option<&Node>) -> Node {
        let mut rest = Node::Text(bracketed(&format!("{RDF}nil")));
        for item in items.into_iter().rev() {
            let node = self.blank();
            self.add(&node, bracketed(&format!("{RDF}first")), item, graph);
            self.add(&node, bracketed(&format!("{RDF}rest")), rest, graph);
            rest = node;
        }
        rest
    }
}

impl LinkedDataError {
    /// Names the member in which a value is not supported.
    fn within(self, name: &str) -> Self {
        match self {
            Self::Value(_) => Self::Value(name.to_owned()),
            other => other,
        }
    }
}

/// Returns the names of the types of an object.
fn types(object: &Map<String, Value>) -> Result<Vec<&str>, LinkedDataError> {
    let types = match object.get("type") {
        None => &[],
        Some(Value::Array(types)) => types.as_slice(),
        Some(name) => std::slice::from_ref(name),
    };
    let names: Option<Vec<&str>> = types.iter().map(Value::as_str).collect();
    names.ok_or_else(|| LinkedDataError::Value("type".to_owned()))
}

fn bracketed(address: &str) -> String {
    format!("<{address}>")
}

/// Returns an absolute address in brackets.
fn address(text: &str, contexts: &Contexts) -> Result<String, LinkedDataError> {
    let refused = || LinkedDataError::Address(text.to_owned());
    let (scheme, rest) = text.split_once(':').ok_or_else(refused)?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    // Processors would take it for a prefix, some of them only.
    let is_prefix = !rest.starts_with("//") && contexts.get(scheme).is_some();
    let is_allowed = |c: char| c > ' ' && c != '\u{7F}' && !r#"<>"{}|\^`"#.contains(c);
    if is_scheme && !is_prefix && text.chars().all(is_allowed) {
        Ok(bracketed(text))
    } else {
        Err(refused())
    }
}

/// Returns a value that is no object, as N-Quads have it.
fn literal(term: &Term, value: &Value, contexts: &Contexts) -> Result<String, LinkedDataError> {
    let refused = || LinkedDataError::Value(String::new());
    match (&term.coercion, value) {
        (Coercion::Id, Value::String(text)) => address(text, contexts),
        (Coercion::Vocabulary, Value::String(name)) => {
            let scoped = term.scope.map(|scope| contexts.with(scope));
            let meaning = scoped.as_ref().unwrap_or(contexts).get(name);
            let meaning = meaning.ok_or_else(|| LinkedDataError::UnknownTerm(name.clone()))?;
            address(&meaning.address, contexts)
        }
        (Coercion::Id | Coercion::Vocabulary, _) => Err(refused()),
        (Coercion::None, Value::String(text)) => Ok(quoted(text)),
        (coercion, value) => {
            let (text, own) = match value {
                Value::String(text) => (quoted(text), "string"),
                Value::Bool(flag) => (quoted(&flag.to_string()), "boolean"),
                Value::Number(number) => written(number).ok_or_else(refused)?,
                _ => return Err(refused()),
            };
            match coercion {
                Coercion::Datatype(datatype) => {
                    // They are written in another way with a type that is not their own.
                    let is_double = own == "double" || datatype.ends_with("#double");
                    if value.is_number() && is_double && *datatype != format!("{XSD}float") {
                        return Err(refused());
                    }
                    Ok(format!("{text}^^{}", bracketed(datatype)))
                }
                _ => Ok(format!("{text}^^{}", bracketed(&format!("{XSD}{own}")))),
            }
        }
    }
}

/// Returns the canonical text of a number in quotes, and its type. Returns `None` for numbers that
/// processors write differently.
fn written(number: &Number) -> Option<(String, &'static str)> {
    if let Some(whole) = number.as_i64() {
        let is_exact = whole.unsigned_abs() <= MAX_INTEGER;
        return is_exact.then(|| (quoted(&whole.to_string()), "integer"));
    }
    let value = number.as_f64().filter(|value| *value == 0.0 || RANGE.contains(&value.abs()))?;
    if value.fract() == 0.0 {
        // Without the sign of a negative zero.
        return Some((quoted(&format!("{:.0}", value + 0.0)), "integer"));
    }
    let scientific = format!("{value:.15e}");
    let (mantissa, exponent) = scientific.split_once('e')?;
    let (whole, fraction) = mantissa.split_once('.')?;
    let fraction = match fraction.trim_end_matches('0') {
        "" => "0",
        fraction => fraction,
    };
    Some((quoted(&format!("{whole}.{fraction}E{exponent}")), "double"))
}

/// Returns a text in quotes, with the escapes of canonical N-Quads (RDF Dataset Canonicalization
/// 1.0, 5).
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{C}' => quoted.push_str("\\f"),
            '\0'..='\u{1F}' | '\u{7F}' => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns the texts of a map by languages.
fn by_language(value: &Value) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    for (language, value) in value.as_object()? {
        let is_part = |part: &str| {
            (1..=8).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_alphanumeric())
        };
        if !language.split('-').all(is_part) {
            return None;
        }
        // Processors write languages in lower case.
        let language = language.to_ascii_lowercase();
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        for value in values.iter().filter(|value| !value.is_null()) {
            texts.push(format!("{}@{language}", quoted(value.as_str()?)));
        }
    }
    Some(texts)
}
