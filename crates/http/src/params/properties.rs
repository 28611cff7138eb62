//! Property tests: query, form, multipart and JSON are equivalent. Values that are written in one
//! encoding are read from all.

use futures_util::{FutureExt as _, stream};
use proptest::{
    collection::{btree_map, vec},
    option,
    prelude::*,
};
use serde::{Deserialize, Serialize};

use super::{Error, Limits, Map, Params, Value, json, multipart, urlencoded};

const BOUNDARY: &str = "the-boundary-of-parts";

/// Returns the key-value pairs of a form with the same tree.
fn pairs(root: &Map) -> Vec<(String, String)> {
    fn add(key: String, value: &Value, pairs: &mut Vec<(String, String)>) {
        match value {
            Value::Text(text) => pairs.push((key, text.clone())),
            Value::List(list) => list.iter().for_each(|v| add(format!("{key}[]"), v, pairs)),
            Value::Map(map) => map.iter().for_each(|(k, v)| add(format!("{key}[{k}]"), v, pairs)),
            other => panic!("a form cannot represent {other:?}"),
        }
    }
    let mut pairs = Vec::new();
    root.iter().for_each(|(name, value)| add(name.clone(), value, &mut pairs));
    pairs
}

fn from_form(pairs: &[(String, String)]) -> Result<Params, Error> {
    let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    urlencoded::read(form.as_bytes(), Limits::default()).map(Params::from)
}

/// Builds a query with unescaped brackets and letters, as many clients send it.
fn from_bare_query(pairs: &[(String, String)]) -> Result<Params, Error> {
    let value = |value: &str| form_urlencoded::byte_serialize(value.as_bytes()).collect::<String>();
    let pairs: Vec<_> = pairs.iter().map(|(k, v)| format!("{k}={}", value(v))).collect();
    Params::from_query(&pairs.join("&"))
}

fn from_multipart(pairs: &[(String, String)], chunk: usize) -> Result<Params, Error> {
    let mut body = Vec::new();
    for (key, value) in pairs {
        let head =
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{key}\"\r\n\r\n");
        body.extend([head.as_bytes(), value.as_bytes(), b"\r\n"].concat());
    }
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    let chunks: Vec<_> = body.chunks(chunk).map(|c| Ok(c.to_vec().into())).collect();
    multipart::read_uncounted(stream::iter(chunks), BOUNDARY.to_owned(), Limits::default(), None)
        .now_or_never()
        .unwrap()
        .map(Params::from)
}

fn from_json(value: &serde_json::Value) -> Result<Params, Error> {
    json::read(value.to_string().as_bytes(), Limits::default()).map(Params::from)
}

fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Text(text) => text.as_str().into(),
        Value::List(list) => list.iter().map(to_json).collect(),
        Value::Map(map) => map.iter().map(|(k, v)| (k.clone(), to_json(v))).collect(),
        other => panic!("not generated: {other:?}"),
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[^\\x00]{0,6}", "[a-c0-9=&%+\\[\\]\r\n\"-]{0,8}"]
}

/// Generates trees that a form can express as well as JSON: texts, maps, lists of texts, and lists
/// of maps. Each of these maps has the name `a`, which sorts first, so that each begins with it.
fn any_tree() -> impl Strategy<Value = Map> {
    let name = || "[b-e]{1,2}";
    let text = || any_text().prop_map(Value::Text);
    let value = text().prop_recursive(4, 40, 4, move |inner| {
        let map = btree_map(name(), inner.clone(), 1..4);
        let element = (text(), btree_map(name(), inner, 0..3)).prop_map(|(first, mut element)| {
            element.insert("a".to_owned(), first);
            Value::Map(element)
        });
        prop_oneof![
            map.prop_map(Value::Map),
            vec(text(), 1..4).prop_map(Value::List),
            vec(element, 1..4).prop_map(Value::List),
        ]
    });
    btree_map(name(), value, 0..5)
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Visibility {
    Public,
    Private,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Keyword {
    keyword: String,
    whole_word: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Poll {
    options: Vec<String>,
    expires_in: i64,
    multiple: Option<bool>,
}

/// A form with every type that routes use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Anything {
    status: Option<String>,
    sensitive: Option<bool>,
    limit: Option<u32>,
    visibility: Option<Visibility>,
    focus: Option<f64>,
    #[serde(default)]
    media_ids: Vec<u64>,
    poll: Option<Poll>,
    #[serde(default)]
    keywords_attributes: Vec<Keyword>,
}

fn anything() -> impl Strategy<Value = Anything> {
    let visibility = prop_oneof![Just(Visibility::Public), Just(Visibility::Private)];
    let keyword = (any_text(), option::of(any::<bool>()))
        .prop_map(|(keyword, whole_word)| Keyword { keyword, whole_word });
    let poll = (vec(any_text(), 1..4), any::<i64>(), option::of(any::<bool>()))
        .prop_map(|(options, expires_in, multiple)| Poll { options, expires_in, multiple });
    (
        option::of(any_text()),
        option::of(any::<bool>()),
        option::of(any::<u32>()),
        option::of(visibility),
        // The JSON parser is off by one bit for some floats with many digits.
        option::of((-64..=64).prop_map(|n| f64::from(n) / 64.0)),
        vec(any::<u64>(), 0..4),
        option::of(poll),
        vec(keyword, 0..4),
    )
        .prop_map(|fields| {
            let (status, sensitive, limit, visibility, focus, media_ids, poll, keywords) = fields;
            Anything {
                status,
                sensitive,
                limit,
                visibility,
                focus,
                media_ids,
                poll,
                keywords_attributes: keywords,
            }
        })
}

/// Returns the JSON document as a form writes it: texts, and absent names instead of `null`.
fn texts(value: &serde_json::Value) -> Option<Value> {
    Some(match value {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(value) => Value::Text(value.to_string()),
        serde_json::Value::Number(number) => Value::Text(number.to_string()),
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Array(list) => Value::List(list.iter().filter_map(texts).collect()),
        serde_json::Value::Object(map) => {
            Value::Map(map.iter().filter_map(|(k, v)| Some((k.clone(), texts(v)?))).collect())
        }
    })
}

/// Converts lists to maps by index, the other way to write lists in a form.
fn indexed(value: Value) -> Value {
    match value {
        Value::List(list) => Value::Map(
            list.into_iter().enumerate().map(|(i, v)| (i.to_string(), indexed(v))).collect(),
        ),
        Value::Map(map) => Value::Map(map.into_iter().map(|(k, v)| (k, indexed(v))).collect()),
        scalar => scalar,
    }
}

fn root(value: Value) -> Map {
    match value {
        Value::Map(root) => root,
        other => panic!("no root: {other:?}"),
    }
}

proptest! {
    #[test]
    fn a_tree_is_the_same_in_four_encodings(tree in any_tree(), chunk in 1..40usize) {
        let pairs = pairs(&tree);
        let expected = Ok(Params::from(tree.clone()));
        prop_assert_eq!(&from_form(&pairs), &expected);
        prop_assert_eq!(&from_bare_query(&pairs), &expected);
        prop_assert_eq!(&from_multipart(&pairs, chunk), &expected);
        prop_assert_eq!(&from_json(&to_json(&Value::Map(tree))), &expected);
    }

    #[test]
    fn a_struct_is_the_same_in_four_encodings(sent in anything(), chunk in 1..40usize) {
        let document = serde_json::to_value(&sent).unwrap();
        let tree = texts(&document).unwrap();
        let by_index = pairs(&root(indexed(tree.clone())));
        let pairs = pairs(&root(tree.clone()));
        for params in [
            from_json(&document),
            from_json(&to_json(&tree)),
            from_form(&pairs),
            from_bare_query(&pairs),
            from_multipart(&pairs, chunk),
            from_form(&by_index),
        ] {
            prop_assert_eq!(params.unwrap().decode::<Anything>(), Ok(sent.clone()));
        }
    }

    #[test]
    fn any_tree_is_decoded_or_refused(tree in any_tree()) {
        let names = ["status", "sensitive", "limit", "visibility", "media_ids", "poll", "keywords_attributes"];
        let tree: Map = tree.into_values().zip(names).map(|(v, name)| (name.to_owned(), v)).collect();
        let decoded = Params::from(tree).decode::<Anything>();
        let is_expected = matches!(decoded, Ok(_) | Err(Error::Missing { .. } | Error::Invalid { .. }));
        prop_assert!(is_expected, "{decoded:?}");
    }
}
