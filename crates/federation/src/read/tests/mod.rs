//! Shapes of documents: what attackers send, what programs write in their own ways, and random
//! documents. Documents as real programs write them are in `tests/peers`.

mod answers;
mod chance;
mod shapes;
mod sizes;
mod texts;

use serde_json::{Value, json};

use super::*;
use crate::address::Uri;

const CONTEXT: &str = "https://www.w3.org/ns/activitystreams";
const ACTOR: &str = "https://far.example/users/a";
const NOTE: &str = "https://far.example/notes/1";
const READER: Reader = Reader::new(Schemes::Https);

/// Returns an object with the members of another one in addition, or instead.
fn with(mut base: Value, more: &Value) -> Value {
    let members = base.as_object_mut().unwrap();
    for (name, value) in more.as_object().unwrap() {
        members.insert(name.clone(), value.clone());
    }
    base
}

fn note_json(more: &Value) -> Value {
    let note = json!({"@context": CONTEXT, "id": NOTE, "type": "Note", "attributedTo": ACTOR,
        "content": "<p>x</p>", "to": "as:Public"});
    with(note, more)
}

fn actor_json(more: &Value) -> Value {
    let actor = json!({"@context": CONTEXT, "id": ACTOR, "type": "Person",
        "preferredUsername": "a", "inbox": "https://far.example/users/a/inbox"});
    with(actor, more)
}

fn activity_json(more: &Value) -> Value {
    let activity = json!({"@context": CONTEXT, "id": "https://far.example/activities/1",
        "type": "Create", "actor": ACTOR, "object": NOTE});
    with(activity, more)
}

fn object(more: &Value) -> Result<Object, ReadError> {
    READER.object(note_json(more).to_string().as_bytes())
}

fn actor(more: &Value) -> Result<Actor, ReadError> {
    READER.actor(actor_json(more).to_string().as_bytes())
}

fn activity(more: &Value) -> Result<Activity, ReadError> {
    READER.activity(activity_json(more).to_string().as_bytes())
}

/// Reads bytes as every kind of document. Fuzz targets do the same.
fn everything(bytes: &[u8]) {
    drop(READER.document(bytes));
    drop(READER.activity(bytes));
    drop(READER.envelope(bytes));
    drop(READER.key_document(bytes));
    drop(READER.jrd(bytes));
    drop(READER.host_meta(bytes));
    drop(READER.node_info_index(bytes));
    drop(READER.node_info(bytes));
}
