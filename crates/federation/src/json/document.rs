//! Checks that a document says to a JSON-LD processor what it says to this reader.

use serde_json::{Map, Value};

use super::{JsonError, Members, items, parse};

/// Contexts of which a document must name one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contexts {
    /// Of `ActivityStreams`.
    Activities,
    /// Of `ActivityStreams` or of keys.
    Keys,
    /// None: the document is of another format.
    None,
}

const ACTIVITIES: [&str; 3] = [
    "https://www.w3.org/ns/activitystreams",
    "http://www.w3.org/ns/activitystreams",
    "https://www.w3.org/ns/activitystreams#",
];

const KEYS: [&str; 5] = [
    "https://w3id.org/security/v1",
    "https://w3id.org/security/v2",
    "https://w3id.org/security/multikey/v1",
    "https://www.w3.org/ns/cid/v1",
    "https://w3id.org/security/data-integrity/v1",
];

impl Contexts {
    fn contain(self, name: &str) -> bool {
        match self {
            Self::Activities => ACTIVITIES.contains(&name),
            Self::Keys => ACTIVITIES.contains(&name) || KEYS.contains(&name),
            Self::None => true,
        }
    }
}

/// Terms that rules depend on, with the meanings that a context may repeat. Prefixes are among
/// them, because a meaning may be written with them.
const PROTECTED: [(&str, &[&str]); 13] = [
    ("id", &["@id"]),
    ("type", &["@type"]),
    ("actor", &["as:actor", "https://www.w3.org/ns/activitystreams#actor"]),
    ("object", &["as:object", "https://www.w3.org/ns/activitystreams#object"]),
    ("attributedTo", &["as:attributedTo", "https://www.w3.org/ns/activitystreams#attributedTo"]),
    ("to", &["as:to", "https://www.w3.org/ns/activitystreams#to"]),
    ("cc", &["as:cc", "https://www.w3.org/ns/activitystreams#cc"]),
    ("inbox", &["ldp:inbox", "http://www.w3.org/ns/ldp#inbox"]),
    ("publicKey", &["sec:publicKey", "https://w3id.org/security#publicKey"]),
    ("publicKeyPem", &["sec:publicKeyPem", "https://w3id.org/security#publicKeyPem"]),
    ("as", &["https://www.w3.org/ns/activitystreams#"]),
    ("ldp", &["http://www.w3.org/ns/ldp#"]),
    ("sec", &["https://w3id.org/security#"]),
];

/// Keywords by which a document says more than it seems to say.
const FORBIDDEN: [&str; 4] = ["@graph", "@included", "@reverse", "@nest"];

/// Parses a document, and checks its contexts.
///
/// # Errors
/// Returns the reason if it is no JSON within the limits, no object, or of another kind.
pub(crate) fn document(bytes: &[u8], contexts: Contexts) -> Result<Value, JsonError> {
    let value = parse(bytes)?;
    let members = Members::of(&value).ok_or(JsonError::NotAnObject)?;
    if contexts == Contexts::None {
        return Ok(value);
    }
    let named = items(members.get("@context")).filter_map(Value::as_str);
    if !named.into_iter().any(|name| contexts.contain(name)) {
        return Err(JsonError::NoContext);
    }
    check(&value)?;
    Ok(value)
}

/// Checks all members and contexts of a value. Its depth is limited by the parser.
fn check(value: &Value) -> Result<(), JsonError> {
    match value {
        Value::Object(members) => members.iter().try_for_each(|(name, value)| {
            if FORBIDDEN.contains(&name.as_str()) {
                return Err(JsonError::ForbiddenKeyword);
            }
            if name == "@context" { check_context(value) } else { check(value) }
        }),
        Value::Array(values) => values.iter().try_for_each(check),
        _ => Ok(()),
    }
}

/// Checks a context, with the contexts inside of its terms.
fn check_context(context: &Value) -> Result<(), JsonError> {
    match context {
        Value::Array(contexts) => contexts.iter().try_for_each(check_context),
        Value::Object(terms) => check_terms(terms),
        _ => Ok(()),
    }
}

fn check_terms(terms: &Map<String, Value>) -> Result<(), JsonError> {
    for (term, meaning) in terms {
        // A container only groups the values of its own member.
        let is_alias = |text: &str| FORBIDDEN.contains(&text) && term != "@container";
        if FORBIDDEN.contains(&term.as_str()) || meaning.as_str().is_some_and(is_alias) {
            return Err(JsonError::ForbiddenKeyword);
        }
        let protected = PROTECTED.iter().find(|(name, _)| name == term);
        if protected.is_some_and(|(_, meanings)| !repeats(meaning, meanings)) {
            return Err(JsonError::RedefinedTerm);
        }
        check_context(meaning)?;
    }
    Ok(())
}

/// Returns `true` if a definition is one of the meanings that the term has anyway.
fn repeats(definition: &Value, meanings: &[&str]) -> bool {
    let is_meaning = |value: &Value| value.as_str().is_some_and(|text| meanings.contains(&text));
    match definition {
        Value::Object(parts) => {
            parts.get("@id").is_some_and(is_meaning)
                && parts.keys().all(|key| matches!(key.as_str(), "@id" | "@type" | "@protected"))
        }
        other => is_meaning(other),
    }
}
