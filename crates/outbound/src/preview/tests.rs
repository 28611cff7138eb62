use proptest::prelude::*;
use siskin_entities::{CardKind, PreviewCard, Timestamp};

use super::{OEmbed, Page, Preview, Url, compose::compose};

const HERE: &str = "https://news.example/2026/birds?from=feed";

fn preview_with(html: &str, oembed: Option<&str>) -> Option<Preview> {
    let url = Url::parse(HERE).unwrap();
    let page = Page::read(html, &url);
    let endpoint = Url::parse("https://tube.example/oembed").unwrap();
    compose(&page, oembed.and_then(|json| OEmbed::read(json.as_bytes(), &endpoint)))
}

fn preview(html: &str) -> Preview {
    preview_with(html, None).unwrap()
}

fn image(html: &str) -> Option<String> {
    preview(&format!("<title>x</title>{html}")).image.map(String::from)
}

#[test]
fn open_graph_fills_the_whole_preview() {
    let preview = preview(
        r#"<!doctype html><html lang="de-AT"><head><title>Not this</title>
        <meta property="og:title" content=" Zeisige &amp; Finken
          im &quot;Winter&quot; "><meta property="og:title" content="second">
        <meta property="og:description" content="Was sie &lt;b&gt;fressen&lt;/b&gt;">
        <meta property="og:type" content="article"><meta property="og:site_name" content="News">
        <meta property="og:url" content="/2026/birds">
        <meta property="og:image" content="/birds.jpg">
        <meta property="article:author" content="https://news.example/ann">
        <meta name="author" content="Ann">
        <meta property="article:published_time" content="2026-11-27T09:00:00+01:00">"#,
    );
    let expected = PreviewCard {
        url: "https://news.example/2026/birds".to_owned(),
        kind: CardKind::Link,
        title: "Zeisige & Finken im \"Winter\"".to_owned(),
        description: "Was sie <b>fressen</b>".to_owned(),
        author_name: "Ann".to_owned(),
        author_url: "https://news.example/ann".to_owned(),
        provider_name: "News".to_owned(),
        is_article: true,
        published_at: Some(Timestamp::from_unix_ms(1_795_766_400_000)),
        ..PreviewCard::default()
    };
    assert_eq!(preview.card, expected);
    assert_eq!(preview.image.unwrap().as_str(), "https://news.example/birds.jpg");
}

#[test]
fn twitter_names_and_plain_html_are_fallbacks() {
    let twitter = preview(
        "<meta name=twitter:title content=T><meta name='Twitter:Description' content=D>
         <meta name=twitter:image content=//cdn.example/i.png>",
    );
    assert_eq!((twitter.card.title.as_str(), twitter.card.description.as_str()), ("T", "D"));
    assert_eq!(twitter.image.unwrap().as_str(), "https://cdn.example/i.png");
    let plain = preview(
        "<svg><style><title>no</title></style></svg><title>Tom &amp;\n Jerry</title>
         <meta name=description content='About them'><link rel=image_src href=i.gif>
         <title>later</title><link rel=canonical href=/tom>",
    );
    assert_eq!(plain.card.title, "Tom & Jerry");
    assert_eq!(plain.card.description, "About them");
    assert_eq!(plain.card.url, "https://news.example/tom");
    assert_eq!(plain.image.unwrap().as_str(), "https://news.example/2026/i.gif");
    assert_eq!((plain.card.is_article, plain.card.published_at), (false, None));
}

#[test]
fn a_page_without_a_title_has_no_preview() {
    for html in ["", "words", "<title> \n</title>", "<!-- <title>x</title> -->", "<script><title>x"]
    {
        assert_eq!(preview_with(html, None), None, "{html}");
    }
}

#[test]
fn a_page_can_name_only_urls_of_its_own_host() {
    for (html, url) in [
        ("<link rel=canonical href=https://bank.example/>", HERE),
        ("<meta property=og:url content=https://bank.example/>", HERE),
        ("<meta property=og:url content=javascript:alert(1)>", HERE),
        ("<link rel=canonical href=http://news.example/a>", "http://news.example/a"),
        ("<link rel=canonical href=/>", HERE),
        ("<link rel=canonical href=https://news.example>", HERE),
        ("<link rel=canonical href=/><meta property=og:url content=/b>", "https://news.example/b"),
        ("<link rel=canonical href=/?p=7>", "https://news.example/?p=7"),
        (
            "<link rel=canonical href=https://x.example/><meta property=og:url content=/b>",
            "https://news.example/b",
        ),
    ] {
        assert_eq!(preview(&format!("<title>x</title>{html}")).card.url, url, "{html}");
    }
}

#[test]
fn a_front_page_can_name_its_own_url() {
    let url = Url::parse("https://news.example/#top").unwrap();
    let page = Page::read("<title>x</title><link rel=canonical href=/>", &url);
    assert_eq!(compose(&page, None).unwrap().card.url, "https://news.example/");
}

#[test]
fn html_entities_are_resolved_exactly_once() {
    let json = r#"{"type":"link","title":"Tom &amp; &#39;Jerry&#x27; &eacute; &amp;lt; <b>",
        "author_name":"Ann &lt;3","provider_name":"Q&amp;A"}"#;
    let card = preview_with("", Some(json)).unwrap().card;
    assert_eq!(card.title, "Tom & 'Jerry' é &lt; <b>");
    assert_eq!((card.author_name.as_str(), card.provider_name.as_str()), ("Ann <3", "Q&A"));
    let card = preview(
        "<meta property=og:title content='Tom &amp; &amp;lt; &lt;b&gt;'>
         <meta property=og:site_name content='Q&amp;A'>
         <meta property=og:description content='&#39;x&#39; &amp;amp;'>",
    )
    .card;
    assert_eq!((card.title.as_str(), card.provider_name.as_str()), ("Tom & &lt; <b>", "Q&A"));
    assert_eq!(card.description, "'x' &amp;");
}

#[test]
fn only_web_urls_are_accepted_as_pictures() {
    let tag = |content: &str| format!("<meta property=og:image content='{content}'>");
    assert_eq!(image(&tag("data:image/png;base64,AAAA")), None);
    assert_eq!(image(&tag("javascript:alert(1)")), None);
    assert_eq!(image(&tag("http://[")), None);
    let next = tag("http://[") + "<meta name=twitter:image content=/t.png>";
    assert_eq!(image(&next).as_deref(), Some("https://news.example/t.png"));
}

#[test]
fn a_video_is_embedded_by_the_url_of_its_frame() {
    let json = r#"{"type":"video","version":"1.0","title":"A siskin","author_name":"Ann",
        "author_url":"/@ann","provider_name":"Tube","provider_url":"https://tube.example",
        "width":640,"height":"360","thumbnail_url":"https://tube.example/t.jpg",
        "html":"<script>alert(1)</script><iframe onload='alert(1)' src='https://tube.example/e/1?a=1&amp;b=2'></iframe>"}"#;
    let preview =
        preview_with("<title>x</title><meta name=description content=D>", Some(json)).unwrap();
    let card = preview.card;
    assert_eq!(card.kind, CardKind::Video);
    assert_eq!(card.embed_url, "https://tube.example/e/1?a=1&b=2");
    assert_eq!((card.width, card.height), (640, 360));
    assert_eq!((card.title.as_str(), card.description.as_str()), ("A siskin", "D"));
    assert_eq!(card.author_url, "https://tube.example/@ann");
    assert_eq!(card.provider_url, "https://tube.example/");
    assert_eq!(preview.image.unwrap().as_str(), "https://tube.example/t.jpg");
    for html in ["<iframe src='http://tube.example/e'>", "<iframe src='javascript:x'>", "<b>", ""] {
        let json = serde_json::json!({ "type": "video", "title": "V", "html": html }).to_string();
        let card = preview_with("", Some(&json)).unwrap().card;
        assert_eq!((card.kind, card.embed_url.as_str()), (CardKind::Link, ""), "{html}");
    }
}

#[test]
fn a_photo_is_its_own_picture_and_rich_content_is_a_link() {
    let photo = r#"{"type":"photo","url":"/p.jpg","width":3000,"height":2000,"title":null}"#;
    let preview = preview_with("", Some(photo)).unwrap();
    assert_eq!((preview.card.kind, preview.card.title.as_str()), (CardKind::Photo, ""));
    assert_eq!(preview.card.embed_url, "https://tube.example/p.jpg");
    assert_eq!(preview.image.unwrap().as_str(), "https://tube.example/p.jpg");
    let rich = r#"{"type":"rich","title":"R","html":"<iframe src='https://x.example/'></iframe>"}"#;
    let card = preview_with("<title>x</title>", Some(rich)).unwrap().card;
    assert_eq!(
        (card.kind, card.title.as_str(), card.embed_url.as_str()),
        (CardKind::Link, "R", "")
    );
    let damaged = preview_with("<title>x</title>", Some("{\"type\":\"video\"")).unwrap();
    assert_eq!(damaged.card.title, "x");
}

#[test]
fn a_page_can_name_its_player() {
    let player = preview(
        "<title>x</title><meta name=twitter:player content=/embed/1>
         <meta name=twitter:player:width content=480><meta name=twitter:player:height content=270>",
    );
    assert_eq!(player.card.embed_url, "https://news.example/embed/1");
    assert_eq!((player.card.kind, player.card.width), (CardKind::Video, 480));
    let video = |kind: &str| {
        preview(&format!(
            "<title>x</title><meta property=og:video:url content=/embed/2>
             <meta property=og:video:type content={kind}>"
        ))
    };
    assert_eq!(video("text/html").card.kind, CardKind::Video);
    assert_eq!(video("video/mp4").card.kind, CardKind::Link);
}

#[test]
fn several_time_formats_are_parsed() {
    let at = |text: &str| {
        let html =
            format!("<title>x</title><meta property=article:published_time content='{text}'>");
        preview(&html).card.published_at.map(Timestamp::unix_seconds)
    };
    assert_eq!(at("2026-11-27T08:00:00Z"), Some(1_795_766_400));
    assert_eq!(at("2026-11-27T08:00:00.123+00:00"), Some(1_795_766_400));
    assert_eq!(at("20261127T080000Z"), Some(1_795_766_400));
    assert_eq!(at("2026-11-27"), Some(1_795_737_600));
    for other in ["yesterday", "1600-01-01", "2026-13-01T00:00:00Z", ""] {
        assert_eq!(at(other), None, "{other}");
    }
}

/// Checks the guarantees that hold for the preview of any page.
fn assert_invariants(preview: &Preview) {
    let Preview { card, image } = preview;
    for (text, most) in [
        (&card.title, 300),
        (&card.description, 1000),
        (&card.author_name, 100),
        (&card.provider_name, 100),
    ] {
        assert!(text.chars().count() <= most && !text.contains(char::is_control), "{text:?}");
    }
    let image = image.as_ref().map(ToString::to_string).unwrap_or_default();
    for url in [&card.url, &card.author_url, &card.provider_url, &card.embed_url, &image] {
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        assert!(url.is_empty() || (is_web && url.len() <= 2048), "{url}");
        assert!(!url.contains(['"', '<', '>', ' ']), "{url}");
    }
    assert!(!card.url.is_empty());
    assert!(card.kind != CardKind::Video || card.embed_url.starts_with("https://"));
    assert!(card.width <= 10_000 && card.height <= 10_000);
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<title>".to_owned()),
        Just("</title>".to_owned()),
        Just("<meta property='og:url' content='".to_owned()),
        Just("<meta name=twitter:player content=".to_owned()),
        Just("<meta property=og:image content=\"".to_owned()),
        Just("<link rel='canonical alternate' type=application/json+oembed href='".to_owned()),
        Just("<html lang=".to_owned()),
        Just("'>".to_owned()),
        Just("\">".to_owned()),
        Just("https://news.example/".to_owned()),
        Just("javascript:alert(1)".to_owned()),
        Just("data:text/html,<b>".to_owned()),
        Just("&quot;&#x0;&#x202e;&lt;".to_owned()),
        Just("{\"type\":\"video\",\"html\":\"<iframe src=https://a.example/\"\">\"}".to_owned()),
        Just("<script>".to_owned()),
        "x{0,700}",
        "\\PC{0,20}",
        ".{0,20}",
    ]
}

proptest! {
    #[test]
    fn any_page_keeps_the_invariants_of_a_preview(
        html in prop::collection::vec(piece(), 0..30),
        json in prop::collection::vec(piece(), 0..5),
        source in ".{0,60}",
    ) {
        let html = html.concat();
        let sent = serde_json::json!({
            "type": "video", "title": json.concat(), "author_url": source, "url": source,
            "html": format!("<iframe src='{source}'>{}", json.concat()), "width": source,
        });
        for oembed in [None, Some(json.concat()), Some(sent.to_string())] {
            if let Some(preview) = preview_with(&html, oembed.as_deref()) {
                assert_invariants(&preview);
            }
        }
    }
}
