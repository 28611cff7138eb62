//! Texts: HTML, titles, content warnings, languages and names.

use siskin_entities::Timestamp;

use super::*;

fn content(more: &Value) -> String {
    object(more).unwrap().content
}

#[test]
fn html_is_sanitised_wherever_it_comes() {
    for (html, clean) in [
        ("<p>a</p><script>alert(1)</script>", "<p>a</p>"),
        ("<img src=x onerror=alert(1)>", ""),
        ("<a href='javascript:x'>b</a>", "<p>b</p>"),
        ("<p style='position:fixed' onclick=x>c</p>", "<p>c</p>"),
        ("<style>*{display:none}</style>d", "<p>d</p>"),
        ("<math><mi>e</mi></math>", "<p>e</p>"),
        ("<svg><script>x</script></svg>f", "<p>f</p>"),
        ("<iframe src='https://a.example'></iframe>g", "<p>g</p>"),
        ("<h1>h</h1>", "<p><strong>h</strong></p>"),
        ("</div></body></html>i", "<p>i</p>"),
        ("<!-- j", ""),
        ("k\0\u{1}", "<p>k\u{1}</p>"),
    ] {
        assert_eq!(content(&json!({"content": html})), clean, "{html}");
        assert_eq!(actor(&json!({"summary": html})).unwrap().summary, clean, "{html}");
        let field = json!({"type": "PropertyValue", "name": "n", "value": html});
        let value = actor(&json!({"attachment": [field]})).unwrap().fields[0].value.clone();
        assert!(!value.contains("script") && !value.contains("style"), "{value}");
    }
}

#[test]
fn marks_of_mentions_and_links_stay() {
    let mention = r#"<span class="h-card"><a href="https://far.example/@b" class="u-url mention" rel="nofollow noopener">@<span>b</span></a></span>"#;
    let html = format!("<p>{mention} <span class=\"invisible\">x</span></p>");
    assert_eq!(content(&json!({"content": html})), html);
}

#[test]
fn only_a_quote_has_a_paragraph_that_filters_skip() {
    let html = "<p class=\"quote-inline\">RE: x #a</p><p>y #b</p>";
    let names = |more: &Value| -> Vec<String> {
        object(more).unwrap().tags.hashtags.into_iter().map(|tag| tag.name).collect()
    };
    let quote = json!({"content": html, "quote": "https://a.example/1"});
    assert_eq!((content(&quote).as_str(), names(&quote)), (html, vec!["b".to_owned()]));
    let none = json!({"content": html});
    assert_eq!(content(&none), "<p>RE: x #a</p><p>y #b</p>");
    assert_eq!(names(&none), ["a", "b"]);
}

#[test]
fn plain_texts_stay_texts() {
    let html = "<b>x</b> &amp;\r\ny";
    let actor = actor(&json!({"name": html})).unwrap();
    assert_eq!(actor.name.as_deref(), Some("<b>x</b> &amp;  y"));
    let object = object(&json!({"summary": html})).unwrap();
    assert_eq!(object.warning.as_deref(), Some("<b>x</b> &amp;\ny"));
    for name in ["", " ", "\u{200B}", "\u{3164}\n", "\0"] {
        assert_eq!(self::actor(&json!({"name": name})).unwrap().name, None);
    }
}

#[test]
fn a_content_warning_hides_media() {
    for (more, warning, is_sensitive) in [
        (json!({"summary": "cw"}), Some("cw"), true),
        (json!({"summary": "cw", "sensitive": false}), Some("cw"), true),
        (json!({"summary": "\u{200B}"}), None, false),
        (json!({"summary": ""}), None, false),
        (json!({"sensitive": true}), None, true),
        (json!({"sensitive": null}), None, false),
        (json!({"summary": null, "summaryMap": {"en": "cw"}}), Some("cw"), true),
        // The summary of a text with a title is a part of the text.
        (json!({"summary": "s", "type": "Article"}), None, false),
    ] {
        let object = object(&more).unwrap();
        assert_eq!(
            (object.warning.as_deref(), object.is_sensitive),
            (warning, is_sensitive),
            "{more}"
        );
    }
}

const LINK: &str = "<p><a href=\"https://far.example/notes/1\" rel=\"nofollow noopener\">https://far.example/notes/1</a></p>";

#[test]
fn titles_and_links_frame_a_text() {
    for (more, expected) in [
        (
            json!({"type": "Article", "name": "T<b>", "content": "<p>c</p>", "summary": "s"}),
            format!("<p><strong>T&lt;b&gt;</strong></p><p>c</p>{LINK}"),
        ),
        (
            json!({"type": "Article", "name": "T", "content": "", "summary": "<i>s</i>"}),
            format!("<p><strong>T</strong></p><p><i>s</i></p>{LINK}"),
        ),
        (json!({"type": "Video", "name": null, "content": "<p>c"}), format!("<p>c</p>{LINK}")),
        // An element that is left open in one part hides nothing of the next.
        (
            json!({"type": "Page", "name": "T", "content": "<p>c<script>"}),
            format!("<p><strong>T</strong></p><p>c</p>{LINK}"),
        ),
        (json!({"name": "T"}), "<p><strong>T</strong></p><p>x</p>".to_owned()),
        (
            json!({"type": "Question", "name": "T", "content": null}),
            "<p><strong>T</strong></p>".to_owned(),
        ),
        (
            json!({"type": "Event", "name": "T", "content": null, "startTime": "2026-12-01T18:00:00Z", "location": "<b>"}),
            format!("<p><strong>T</strong></p><p>2026-12-01 18:00 UTC<br />&lt;b&gt;</p>{LINK}"),
        ),
    ] {
        assert_eq!(content(&more), expected, "{more}");
    }
}

#[test]
fn a_long_article_begins_with_its_summary() {
    let long = format!("<p>{}</p>", "x ".repeat(3000));
    let article = json!({"type": "Article", "content": long, "summary": "s"});
    assert!(content(&article).starts_with(&format!("<p>s</p>{LINK}<p>x x")));
    let preview = json!({"type": "Article", "content": long, "preview": {"content": "<p>p</p>"}});
    assert!(content(&preview).starts_with(&format!("<p>p</p>{LINK}<p>x x")));
    let alone = json!({"type": "Article", "content": long});
    assert!(content(&alone).starts_with("<p>x x") && content(&alone).ends_with(LINK));
}

#[test]
fn other_formats_are_rendered() {
    let markdown = json!({"mediaType": "text/markdown", "content": "**a** <script>x</script>"});
    assert_eq!(content(&markdown), "<p><strong>a</strong></p>");
    let plain = json!({"mediaType": "text/plain", "content": "<b>\na\n\nb"});
    assert_eq!(content(&plain), "<p>&lt;b&gt;<br />a</p><p>b</p>");
}

#[test]
fn the_language_is_said_and_never_guessed() {
    for (more, language) in [
        (json!({"contentMap": {"de": "<p>x</p>", "en": "<p>y</p>"}}), Some("de")),
        (json!({"content": null, "contentMap": {"pt-BR": "<p>y</p>"}}), Some("pt")),
        (json!({"contentMap": {"de": "<p>other</p>"}}), None),
        (json!({"language": {"identifier": "en", "name": "English"}}), Some("en")),
        (json!({"language": "ja"}), Some("ja")),
        (json!({"language": {"identifier": "und"}}), None),
        (json!({"language": "<b>"}), None),
        (json!({"@context": [CONTEXT, {"@language": "de"}]}), None),
    ] {
        assert_eq!(object(&more).unwrap().language, language, "{more}");
    }
    let mapped = json!({"content": null, "contentMap": {"de": "<p>y</p>"}});
    assert_eq!(content(&mapped), "<p>y</p>");
}

#[test]
fn hashtags_are_those_of_tags_and_of_the_text() {
    let object = object(
        &json!({"content": "<p>#Two <a href='https://a.example/#x'>#<span>one</span></a></p>",
        "tag": [{"type": "Hashtag", "name": "#ONE"}, {"type": "Hashtag", "name": "three"},
            {"type": "Hashtag", "name": "#no tag"}, {"type": "Hashtag", "name": "#123"}]}),
    );
    let names: Vec<String> =
        object.unwrap().tags.hashtags.into_iter().map(|it| it.display).collect();
    assert_eq!(names, ["ONE", "three", "Two"]);
}

#[test]
fn emojis_need_a_shortcode_and_a_picture() {
    let emoji = |more: &Value| {
        let emoji =
            json!({"type": "Emoji", "name": ":cat:", "icon": {"url": "https://far.example/c.png"}});
        json!({"tag": with(emoji, more)})
    };
    for (more, shortcode) in [
        (json!({}), Some("cat")),
        (json!({"name": "cat"}), Some("cat")),
        (json!({"icon": "https://far.example/c.png"}), Some("cat")),
        (json!({"name": ":c:"}), None),
        (json!({"name": ":c-t:"}), None),
        (json!({"name": "\"><b>"}), None),
        (json!({"icon": null}), None),
        (json!({"icon": {"url": "http://far.example/c.png"}}), None),
        (json!({"icon": {"url": "javascript:x"}}), None),
    ] {
        let emojis = object(&emoji(&more)).unwrap().tags.emojis;
        assert_eq!(emojis.first().map(|it| it.shortcode.as_str()), shortcode, "{more}");
    }
}

#[test]
fn attachments_are_of_the_kind_that_their_type_says() {
    for (attachment, kind) in [
        (
            json!({"type": "Document", "mediaType": "image/png", "url": "https://a.example/1"}),
            "image",
        ),
        (json!({"type": "Video", "url": "https://a.example/1"}), "video"),
        (json!({"type": "Document", "url": "https://a.example/1"}), "unknown"),
        (
            json!({"type": "Document", "url": [{"href": "https://a.example/p", "mediaType": "text/html"},
            {"href": "https://a.example/1", "mediaType": "audio/ogg"}]}),
            "audio",
        ),
        (
            json!({"type": "Image", "href": "https://a.example/1", "mediaType": "IMAGE/PNG; x=y"}),
            "image",
        ),
    ] {
        let read = object(&json!({"attachment": attachment})).unwrap().attachments;
        assert_eq!((read[0].kind.as_str(), read[0].url.as_str()), (kind, "https://a.example/1"));
    }
    for attachment in [
        json!({"type": "Document", "url": "data:image/png;base64,AAAA"}),
        json!({"type": "Document"}),
        json!({"type": "PropertyValue", "url": "https://a.example/1"}),
        json!("https://a.example/1"),
    ] {
        assert!(object(&json!({"attachment": attachment})).unwrap().attachments.is_empty());
    }
}

#[test]
fn a_focal_point_is_two_numbers_in_range() {
    let focus = |point: Value| {
        let image = json!({"type": "Image", "url": "https://a.example/1", "focalPoint": point});
        object(&json!({"attachment": image})).unwrap().attachments[0].focus
    };
    assert_eq!(
        focus(json!([0.5, -1])).map(siskin_entities::Focus::millionths),
        Some((500_000, -1_000_000))
    );
    for point in [
        json!([2, 0]),
        json!([0]),
        json!([0, 0, 0]),
        json!(["0", "0"]),
        json!(0),
        json!([0, -1.01]),
    ] {
        assert_eq!(focus(point), None);
    }
}

#[test]
fn times_of_the_future_are_those_of_arrival() {
    let arrival = Timestamp::from_unix_ms(1_795_766_400_000);
    for (published, shown, may_be_news) in [
        (json!("2026-11-01T00:00:00Z"), "2026-11-01T00:00:00.000Z", true),
        (json!("2099-01-01T00:00:00Z"), "2026-11-27T08:00:00.000Z", true),
        (json!(null), "2026-11-27T08:00:00.000Z", true),
        (json!("yesterday"), "2026-11-27T08:00:00.000Z", true),
        (json!("1999-01-01T00:00:00Z"), "1999-01-01T00:00:00.000Z", false),
    ] {
        let object = object(&json!({"published": published})).unwrap();
        assert_eq!(object.published_at(arrival).to_string(), shown);
        assert_eq!(object.may_be_news(), may_be_news);
    }
}

#[test]
fn a_vote_has_a_name_and_no_content() {
    let poll = "https://town.example/polls/1";
    let vote = |more: &Value| {
        let vote = json!({"content": null, "name": " Yes &amp; no", "inReplyTo": poll});
        object(&with(vote, more)).unwrap().vote().map(|it| it.option.to_owned())
    };
    assert_eq!(vote(&json!({})).as_deref(), Some(" Yes &amp; no"));
    assert_eq!(vote(&json!({"content": ""})).as_deref(), Some(" Yes &amp; no"));
    for more in [
        json!({"content": "x"}),
        json!({"name": null}),
        json!({"inReplyTo": null}),
        json!({"type": "Page"}),
    ] {
        assert_eq!(vote(&more), None, "{more}");
    }
}
