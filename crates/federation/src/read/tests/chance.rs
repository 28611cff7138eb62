//! Random documents: nothing panics, and what is read stays within the limits.

use proptest::prelude::*;

use super::*;

const NAMES: [&str; 40] = [
    "@context",
    "id",
    "type",
    "actor",
    "object",
    "target",
    "attributedTo",
    "to",
    "cc",
    "audience",
    "content",
    "contentMap",
    "summary",
    "name",
    "url",
    "href",
    "mediaType",
    "tag",
    "attachment",
    "icon",
    "image",
    "published",
    "inReplyTo",
    "oneOf",
    "anyOf",
    "endTime",
    "closed",
    "replies",
    "totalItems",
    "items",
    "first",
    "next",
    "inbox",
    "endpoints",
    "sharedInbox",
    "publicKey",
    "interactionPolicy",
    "canReply",
    "links",
    "preferredUsername",
];

const TEXTS: [&str; 40] = [
    CONTEXT,
    ACTOR,
    NOTE,
    "as:Public",
    "Create",
    "Update",
    "Delete",
    "Announce",
    "Undo",
    "Like",
    "Add",
    "Flag",
    "Person",
    "Group",
    "Note",
    "Question",
    "Article",
    "Video",
    "Event",
    "Tombstone",
    "Collection",
    "CollectionPage",
    "Mention",
    "Hashtag",
    "Emoji",
    "Link",
    "Image",
    "Document",
    "PropertyValue",
    "text/html",
    "text/markdown",
    "image/png",
    ":cat:",
    "#tag",
    "<p>x</p>",
    "2026-11-01T00:00:00Z",
    "en",
    "",
    "self",
    "acct:a@far.example",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(&TEXTS[..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        8 => text().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        let name = prop::sample::select(&NAMES[..]).prop_map(str::to_owned);
        let members = prop::collection::hash_map(name, inner.clone(), 0..8);
        prop_oneof![
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::from),
            4 => members.prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(&TEXTS[4..22]);
    (value(), kind).prop_map(|(value, kind)| {
        let base = if value.is_object() { value } else { json!({"object": value}) };
        let needed = json!({"@context": CONTEXT, "id": NOTE, "type": kind, "actor": ACTOR});
        with(base, &needed)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_document_makes_it_panic(document in document()) {
        let bytes = document.to_string().into_bytes();
        everything(&bytes);
    }

    #[test]
    fn what_is_read_is_within_the_limits(document in document()) {
        if let Ok(Document::Object(object)) = READER.document(document.to_string().as_bytes()) {
            prop_assert_eq!(&clean::sanitise(&object.content), &object.content);
            prop_assert!(object.attachments.len() <= limits::ATTACHMENTS);
            prop_assert!(object.vote().is_none() || object.content.is_empty());
            prop_assert!(object.is_sensitive || object.warning.is_none());
            prop_assert_eq!(object.id.origin().scheme(), crate::address::Scheme::Https);
        }
    }

    #[test]
    fn the_envelope_agrees_with_the_activity(document in document()) {
        let bytes = document.to_string().into_bytes();
        if let Ok(activity) = READER.activity(&bytes) {
            let envelope = READER.envelope(&bytes).unwrap();
            prop_assert_eq!(envelope.kind, activity.action.kind());
            prop_assert_eq!((envelope.id, envelope.actor), (activity.id, activity.actor));
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        everything(&bytes);
    }

    #[test]
    fn no_xml_makes_it_panic(text in "(<Link |rel=|template=|\"|'|lrdd|\\{uri\\}|https://a.example/|&amp;|=|>|<|é| ){0,30}") {
        everything(text.as_bytes());
    }

    #[test]
    fn no_time_makes_it_panic(text in "[0-9TZtz:+. -]{0,30}|P[0-9DTHMS.]{0,12}") {
        everything(note_json(&json!({"published": text, "attachment": {"type": "Image", "url": NOTE, "duration": text}})).to_string().as_bytes());
    }
}
