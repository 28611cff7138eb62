//! Contexts: what terms mean.

use std::{collections::HashMap, rc::Rc};

use serde_json::{Map, Value};

use super::{
    LinkedDataError,
    vocabulary::{Group, known},
};

/// Maximum number of prefixes that refer to each other.
const MAX_PREFIXES: usize = 4;

/// How the values of a term are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Coercion {
    /// As texts, numbers or truth values.
    None,
    /// As addresses.
    Id,
    /// As terms.
    Vocabulary,
    /// As texts of this type.
    Datatype(String),
}

/// How the values of a term are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// Not at all.
    None,
    /// In an ordered list.
    List,
    /// By language.
    Language,
    /// Each in a graph of its own.
    Graph,
}

/// Meaning of a term.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) address: String,
    pub(super) coercion: Coercion,
    pub(super) container: Container,
    /// Further terms: for a type in nodes of the type, for a member in its values.
    pub(super) scope: Option<&'static Context>,
}

/// Terms that a context defines.
#[derive(Debug, Clone, Default)]
pub(super) struct Context(HashMap<String, Term>);

impl Term {
    /// Builds a term from how its values are read: empty, a keyword or the address of a type.
    fn new(address: String, reading: &str) -> Self {
        let (coercion, container) = match reading {
            "" => (Coercion::None, Container::None),
            "@id" => (Coercion::Id, Container::None),
            "@vocab" => (Coercion::Vocabulary, Container::None),
            "@list" => (Coercion::Id, Container::List),
            "@language" => (Coercion::None, Container::Language),
            "@graph" => (Coercion::Id, Container::Graph),
            datatype => (Coercion::Datatype(datatype.to_owned()), Container::None),
        };
        Self { address, coercion, container, scope: None }
    }
}

impl Context {
    /// Builds a published context.
    pub(super) fn of(groups: &[&[Group]]) -> Self {
        let groups = groups.iter().copied().flatten();
        let terms = groups.flat_map(|(vocabulary, reading, names)| {
            names.split(' ').map(move |name| {
                let (name, rest) = name.split_once('=').unwrap_or((name, name));
                (name.to_owned(), Term::new(format!("{vocabulary}{rest}"), reading))
            })
        });
        Self(terms.collect())
    }

    /// Adds further terms to a term.
    pub(super) fn scoped(mut self, term: &str, scope: &'static Self) -> Self {
        if let Some(term) = self.0.get_mut(term) {
            term.scope = Some(scope);
        }
        self
    }
}

/// Contexts of a document. A later one overrides an earlier one.
#[derive(Debug, Clone, Default)]
pub(super) struct Contexts(Vec<Layer>);

#[derive(Debug, Clone)]
enum Layer {
    Published(&'static Context),
    /// The document brings it along.
    Inline(Rc<Context>),
}

impl Contexts {
    /// Returns the contexts that a document names.
    ///
    /// # Errors
    /// Returns [`LinkedDataError::Context`] for unknown ones and for other forms.
    pub(super) fn read(context: Option<&Value>) -> Result<Self, LinkedDataError> {
        let named = match context {
            Some(Value::Array(contexts)) => contexts.as_slice(),
            Some(context) => std::slice::from_ref(context),
            None => &[],
        };
        let mut contexts = Self::default();
        for context in named {
            let unknown = || LinkedDataError::Context(context.to_string());
            let layer = match context {
                Value::String(address) => Layer::Published(known(address).ok_or_else(unknown)?),
                Value::Object(terms) => Layer::Inline(Rc::new(inline(terms, &contexts)?)),
                _ => return Err(unknown()),
            };
            contexts.0.push(layer);
        }
        Ok(contexts)
    }

    /// Returns the meaning of a term.
    pub(super) fn get(&self, name: &str) -> Option<&Term> {
        self.0.iter().rev().find_map(|layer| match layer {
            Layer::Published(context) => context.0.get(name),
            Layer::Inline(context) => context.0.get(name),
        })
    }

    /// Returns the contexts with one more.
    pub(super) fn with(&self, context: &'static Context) -> Self {
        let mut contexts = self.clone();
        contexts.0.push(Layer::Published(context));
        contexts
    }
}

/// Returns the context that a document brings along.
fn inline(terms: &Map<String, Value>, before: &Contexts) -> Result<Context, LinkedDataError> {
    let defined = terms.iter().map(|(name, definition)| {
        let refused = || LinkedDataError::Context(name.clone());
        if name.starts_with('@') || matches!(name.as_str(), "id" | "type") {
            return Err(refused());
        }
        let term = definition_of(definition).ok_or_else(refused)?;
        let absolute = |text: &str| absolute(text, terms, before, MAX_PREFIXES).ok_or_else(refused);
        let coercion = match term.coercion {
            Coercion::Datatype(datatype) => Coercion::Datatype(absolute(&datatype)?),
            other => other,
        };
        Ok((name.clone(), Term { address: absolute(&term.address)?, coercion, ..term }))
    });
    defined.collect::<Result<_, _>>().map(Context)
}

/// Returns the meaning of a term as it is written, with prefixes.
fn definition_of(definition: &Value) -> Option<Term> {
    let members = match definition {
        Value::String(address) => return Some(Term::new(address.clone(), "")),
        Value::Object(members) => members,
        _ => return None,
    };
    let is_known = |key: &String| matches!(key.as_str(), "@id" | "@type" | "@container");
    if !members.keys().all(is_known) || !members.values().all(Value::is_string) {
        return None;
    }
    let text = |name| members.get(name).and_then(Value::as_str);
    let mut term = Term::new(text("@id")?.to_owned(), text("@type").unwrap_or_default());
    term.container = match text("@container") {
        None | Some("@set") => Container::None,
        Some("@list") => Container::List,
        Some("@language") => Container::Language,
        Some(_) => return None,
    };
    Some(term)
}

/// Returns the address that a text with a prefix stands for.
fn absolute(
    text: &str,
    terms: &Map<String, Value>,
    before: &Contexts,
    depth: usize,
) -> Option<String> {
    let (prefix, rest) = text.split_once(':')?;
    if rest.starts_with("//") {
        return Some(text.to_owned());
    }
    let address = match terms.get(prefix) {
        Some(definition) => {
            let inner = definition_of(definition)?.address;
            absolute(&inner, terms, before, depth.checked_sub(1)?)?
        }
        None => before.get(prefix)?.address.clone(),
    };
    Some(address + rest)
}
