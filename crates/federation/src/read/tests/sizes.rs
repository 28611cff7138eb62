//! Limits: what is refused, what is cut, and how long it takes.

use std::time::{Duration, Instant};

use super::*;

#[test]
fn surplus_is_ignored() {
    let tag = |n: usize| json!({"type": "Mention", "href": format!("https://far.example/{n}")});
    let emoji = |n: usize| json!({"type": "Emoji", "name": format!(":e_{n}:"), "icon": {"url": "https://far.example/e"}});
    let picture =
        |n: usize| json!({"type": "Image", "url": format!("https://far.example/{n}.png")});
    let list = |count: usize, of: &dyn Fn(usize) -> Value| (0..count).map(of).collect::<Value>();
    let full =
        object(&json!({"tag": list(1000, &tag), "attachment": list(100, &picture)})).unwrap();
    assert_eq!(
        (full.tags.mentions.len(), full.attachments.len()),
        (limits::TAGS, limits::ATTACHMENTS)
    );
    let emojis = object(&json!({"tag": list(100, &emoji)})).unwrap().tags.emojis;
    assert_eq!(emojis.len(), limits::EMOJIS);

    let field = |n: usize| json!({"type": "PropertyValue", "name": n.to_string(), "value": "x"});
    let alias = |n: usize| json!(format!("https://far.example/{n}"));
    let domain = |n: usize| json!(format!("d{n}.example"));
    let key = |n: usize| json!({"id": format!("{ACTOR}#{n}"), "owner": ACTOR, "publicKeyPem": "x"});
    let actor = actor(&json!({"attachment": list(99, &field), "alsoKnownAs": list(999, &alias),
        "attributionDomains": list(999, &domain), "publicKey": list(99, &key)}));
    let actor = actor.unwrap();
    assert_eq!((actor.fields.len(), actor.keys.len()), (limits::FIELDS, limits::KEYS));
    assert_eq!(actor.also_known_as.len(), limits::ALIASES);
    assert_eq!(actor.attribution_domains.len(), limits::ATTRIBUTION_DOMAINS);

    let page = json!({"@context": CONTEXT, "type": "CollectionPage", "items": list(2000, &alias)});
    let page = READER.collection(page.to_string().as_bytes()).unwrap();
    assert_eq!(page.items.len(), limits::PAGE_ITEMS);
}

#[test]
fn texts_are_cut() {
    let long = "é".repeat(20_000);
    let actor = actor(&json!({"name": long, "summary": format!("<p>{long}</p><p>{long}</p>"),
        "attachment": [{"type": "PropertyValue", "name": long, "value": long}]}));
    let actor = actor.unwrap();
    assert_eq!(actor.name.unwrap().chars().count(), limits::NAME_CHARACTERS);
    assert!(actor.summary.len() <= limits::SUMMARY_BYTES + 4 && actor.summary.ends_with("é</p>"));
    assert_eq!(actor.fields[0].name.chars().count(), limits::FIELD_CHARACTERS);
    assert!((4000..=2 * limits::FIELD_CHARACTERS).contains(&actor.fields[0].value.len()));

    let object =
        object(&json!({"attachment": {"type": "Image", "url": "https://far.example/1.png",
        "name": long}, "summary": long}));
    let object = object.unwrap();
    let description = object.attachments[0].description.as_ref().unwrap();
    assert_eq!(description.chars().count(), limits::DESCRIPTION_CHARACTERS);
    assert_eq!(object.warning.unwrap().len(), limits::SUMMARY_BYTES);
    let report = activity(&json!({"type": "Flag", "object": ACTOR, "content": long})).unwrap();
    let Action::Flag { comment, .. } = report.action else { panic!() };
    assert_eq!(comment.chars().count(), limits::COMMENT_CHARACTERS);
}

#[test]
fn long_content_ends_at_an_element_with_a_link() {
    let paragraph = format!("<p>{}</p>", "x".repeat(990));
    let object = object(&json!({"content": paragraph.repeat(500), "url": "https://far.example/p"}));
    let content = object.unwrap().content;
    assert!(content.len() < limits::CONTENT_BYTES + 200, "{}", content.len());
    assert!(content.ends_with("x</p><p><a href=\"https://far.example/p\" rel=\"nofollow noopener\">https://far.example/p</a></p>"));
    assert_eq!(clean::sanitise(&content), content);
}

#[test]
fn what_would_become_something_else_is_refused() {
    let name = |length: usize| actor(&json!({"preferredUsername": "x".repeat(length)})).map(drop);
    assert_eq!(name(2048), Ok(()));
    assert_eq!(name(2049), Err(ReadError::TooLong(Member::PreferredUsername)));

    let question = |options: usize| {
        let options: Vec<Value> = (0..options).map(|n| json!({"name": n.to_string()})).collect();
        json!({"type": "Question", "oneOf": options})
    };
    let poll = object(&question(500)).unwrap().poll.unwrap();
    assert_eq!(poll.options.len(), limits::POLL_OPTIONS);
    let refused = Err(ReadError::TooLong(Member::Options));
    assert_eq!(object(&question(501)).map(drop), refused);
    // A copy that is refused is not replaced by its id.
    let create = activity(&json!({"object": note_json(&question(501))})).map(drop);
    assert_eq!(create, refused);

    let id = |length: usize| format!("https://far.example/{}", "x".repeat(length - 20));
    assert!(object(&json!({"id": id(2048)})).is_ok());
    assert_eq!(object(&json!({"id": id(2049)})).map(drop), Err(ReadError::Invalid(Member::Id)));
}

#[test]
fn large_documents_are_refused_before_they_are_read() {
    use JsonError::{TooDeep, TooLarge, TooManyValues};
    let read = |more: &Value| object(more).map(drop);
    assert_eq!(read(&json!({"x": "y".repeat(MAX_BYTES)})), Err(TooLarge.into()));
    assert_eq!(read(&json!({"x": vec![0; 20_000]})), Err(TooManyValues.into()));
    let mentions = vec![json!({"type": "Mention", "href": ACTOR}); 100_000];
    assert_eq!(read(&json!({"tag": mentions[..10_000]})), Err(TooManyValues.into()));
    assert_eq!(read(&json!({"tag": mentions})), Err(TooLarge.into()));
    let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(read(&json!({"x": deep})), Err(TooDeep.into()));
    let large = vec![b' '; limits::WEBFINGER_BYTES + 1];
    assert_eq!(READER.jrd(&large), Err(TooLarge.into()));
    assert_eq!(READER.host_meta(&large), Err(TooLarge.into()));
    assert_eq!(READER.node_info(&large), Err(TooLarge.into()));
}

/// Texts that are slow to read for some programs. Larger ones are cut first.
fn slow_texts() -> Vec<String> {
    let pieces = [
        "x",
        "é",
        "<",
        ">",
        "&",
        "&amp;",
        "<p>",
        "</p>",
        "<b>",
        "<a href='https://a.example/'>x",
        "<!--",
        "<script>",
        "<title>",
        "<svg><math>",
        "<ul><li>",
        "<blockquote>",
        "#tag ",
        "#",
        "@a@b.example ",
        "@",
        "https://a.example/ ",
        "\u{202E}",
        "\u{301}",
        "\n",
        "[a](b)",
        "**",
        "`",
        "> ",
        "- ",
        "![",
        "<br>",
        ".",
        "<table><tr><td>",
        "&#x3C;",
        "\u{200B}",
        "www.",
        "a.b.",
    ];
    pieces.iter().map(|piece| piece.repeat(60_000 / piece.len())).collect()
}

#[test]
fn no_text_takes_long() {
    let mut slowest = (Duration::ZERO, String::new());
    for text in slow_texts() {
        for more in [
            json!({"content": text}),
            json!({"content": text, "mediaType": "text/markdown"}),
            json!({"content": text, "mediaType": "text/plain", "type": "Article"}),
            json!({"summary": text, "name": text}),
            json!({"summary": text, "name": text, "type": "Event", "content": null, "location": text}),
        ] {
            let bytes = note_json(&more).to_string();
            let start = Instant::now();
            drop(READER.document(bytes.as_bytes()));
            let beginning: String = text.chars().take(20).collect();
            slowest = slowest.max((start.elapsed(), beginning));
        }
    }
    // Without optimisation; an optimised build takes a fraction of it.
    assert!(slowest.0 < Duration::from_secs(4), "{slowest:?}");
}
