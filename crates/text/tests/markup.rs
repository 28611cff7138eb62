//! Tests of Markdown and HTML input.

use siskin_text::{
    Classes,
    ContentType::{self, Html, Markdown},
    Handle, Hashtag, Links, MentionLink, count, hashtags, html_to_text, language, mentions,
    parse_as, render, render_document,
};

fn sanitise(html: &str) -> String {
    siskin_text::sanitise(html, Classes::Dropped)
}

/// Server on which only `bob` and `_a_` exist.
struct Town;

impl Links for Town {
    fn mention(&self, handle: &Handle) -> Option<MentionLink> {
        let shown = handle.username.clone();
        let is_known = handle.domain.is_none() && ["bob", "_a_"].contains(&shown.as_str());
        is_known.then(|| MentionLink { url: format!("https://t.example/@{shown}"), shown })
    }

    fn hashtag(&self, hashtag: &Hashtag) -> String {
        format!("https://t.example/tags/{}", hashtag.name)
    }
}

const BOB: &str = r#"<span class="h-card"><a href="https://t.example/@bob" class="u-url mention">@<span>bob</span></a></span>"#;

fn tag(name: &str) -> String {
    let folded = name.to_lowercase();
    format!(
        "<a href=\"https://t.example/tags/{folded}\" class=\"mention hashtag\" rel=\"tag\">#<span>{name}</span></a>"
    )
}

fn link(address: &str) -> String {
    format!(
        "<a href=\"https://{address}\" rel=\"nofollow noopener\"><span class=\"invisible\">https://</span><span>{address}</span><span class=\"invisible\"></span></a>"
    )
}

fn shown(text: &str, kind: ContentType) -> String {
    render(&parse_as(text, kind), &Town)
}

fn markdown(text: &str) -> String {
    shown(text, Markdown)
}

fn html(text: &str) -> String {
    shown(text, Html)
}

#[test]
fn markdown_renders_as_common_mark() {
    for (typed, expected) in [
        ("**foo** bar", "<p><strong>foo</strong> bar</p>"),
        ("*a* _b_ ~~c~~ `d`", "<p><em>a</em> <em>b</em> <del>c</del> <code>d</code></p>"),
        ("# One\ntwo", "<p><strong>One</strong></p><p>two</p>"),
        ("a\nb\r\nc\n\nd", "<p>a<br />b<br />c</p><p>d</p>"),
        ("> a\n> b\n\nc", "<blockquote><p>a<br />b</p></blockquote><p>c</p>"),
        ("- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
        ("3. a\n4. b", "<ol start=\"3\"><li>a</li><li>b</li></ol>"),
        ("- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
        (
            "```rust\nlet a = \"<b>\";\n\n  b\n```",
            "<pre><code>let a = &quot;&lt;b&gt;&quot;;\n\n  b\n</code></pre>",
        ),
        ("    indented\n    code", "<pre><code>indented\ncode</code></pre>"),
        ("a\n\n---\n\nb", "<p>a</p><p>b</p>"),
        ("1 < 2 & 3 > 2 &amp; \\*x\\*", "<p>1 &lt; 2 &amp; 3 &gt; 2 &amp; *x*</p>"),
        ("", ""),
        (" \n\n \n", ""),
        ("[a](javascript:alert(1)) [b](/local) [c](data:x)", "<p>a b c</p>"),
    ] {
        assert_eq!(markdown(typed), expected, "{typed}");
    }
}

#[test]
fn links_and_pictures_of_markdown_are_links() {
    let expected =
        "<p><a href=\"https://a.example/b\" rel=\"nofollow noopener\">a <em>b</em> #c</a></p>";
    assert_eq!(markdown("[a *b* #c](https://a.example/b \"title\")"), expected);
    // A mention in the label of a link could be a fake.
    let named = expected.replace("#c", "@bob [a.example]");
    assert_eq!(markdown("[a *b* @bob](https://a.example/b)"), named);
    assert_eq!(
        markdown("![a cat](https://a.example/cat.png)"),
        "<p><a href=\"https://a.example/cat.png\" rel=\"nofollow noopener\">a cat</a></p>"
    );
    assert_eq!(
        markdown("<https://a.example/_b_>"),
        "<p><a href=\"https://a.example/_b_\" rel=\"nofollow noopener\">https://a.example/_b_</a></p>"
    );
}

#[test]
fn html_is_reduced_to_supported_elements() {
    for (typed, expected) in [
        ("<p>a <b>b</b> <i>c</i> <u>d</u></p>", "<p>a <b>b</b> <i>c</i> <u>d</u></p>"),
        ("plain & <em>simple</em>", "<p>plain &amp; <em>simple</em></p>"),
        ("a\nb  c<br>d<br/>e", "<p>a b c<br />d<br />e</p>"),
        (
            "<h2 style='x'>T</h2><div>a<div>b</div></div>",
            "<p><strong>T</strong></p><p>a</p><p>b</p>",
        ),
        (
            "<ol start=3 reversed><li value='7'>a<li>b</ol>",
            "<ol start=\"3\" reversed=\"reversed\"><li value=\"7\">a</li><li>b</li></ol>",
        ),
        ("<ul>a<p>b</p></ul><li>c</li>", "<ul><li>a<p>b</p></li></ul><p>c</p>"),
        ("<pre>\n a\n  <b>b</b></pre>", "<pre> a\n  <b>b</b></pre>"),
        ("<blockquote>a</blockquote>b", "<blockquote><p>a</p></blockquote><p>b</p>"),
        ("<p>a<p>b<ul><li>c</ul>", "<p>a</p><p>b</p><ul><li>c</li></ul>"),
        ("<b><i>a</b>b</i></u>", "<p><b><i>a</i></b>b</p>"),
        ("<s>a</s><strike>b</strike>", "<p><del>a</del><del>b</del></p>"),
        ("&eacute;&lt;&#x1F600;&nbsp;", "<p>é&lt;😀\u{A0}</p>"),
        ("<img src=x onerror=alert(1) alt='a <cat>'><svg onload=x>", "<p>a &lt;cat&gt;</p>"),
        ("a<script>alert('</p>')</script>b<style>p{}</style>", "<p>ab</p>"),
        ("<!-- a -->b<!doctype html>", "<p>b</p>"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "<p>a b</p><p>c</p>"),
        ("<p></p><p> <br> </p><b></b>", ""),
        ("a<script>b", "<p>a</p>"),
        ("a<b", "<p>a</p>"),
        ("<span class='invisible evil'>a</span><span>b</span>", "<p>ab</p>"),
    ] {
        assert_eq!(html(typed), expected, "{typed}");
    }
}

#[test]
fn html_links_need_an_allowed_scheme_and_host() {
    let to = |href: &str| format!("<p><a href=\"{href}\" rel=\"nofollow noopener\">x</a></p>");
    for (href, expected) in [
        ("https://a.example/?b&amp;c", to("https://a.example/?b&amp;c")),
        (" HTTPS://A.example/B ", to("https://a.example/B")),
        ("https://bücher.example/", to("https://xn--bcher-kva.example/")),
        ("https://♥.ws", to("https://xn--g6h.ws")),
        ("ipfs://QmX/Y", to("ipfs://QmX/Y")),
        ("https://a.example%2eb.example/", "<p>x</p>".to_owned()),
        ("https://a.example:0/", "<p>x</p>".to_owned()),
        ("ht&#10;tps://a.example", to("https://a.example")),
        ("xmpp:a@b.example", to("xmpp:a@b.example")),
        ("java&#10;script:alert(1)", "<p>x</p>".to_owned()),
        ("&#1;javascript:alert(1)", "<p>x</p>".to_owned()),
        ("vbscript:x", "<p>x</p>".to_owned()),
        ("//a.example", "<p>x</p>".to_owned()),
        ("/a", "<p>x</p>".to_owned()),
        ("#a", "<p>x</p>".to_owned()),
        ("https:", "<p>x</p>".to_owned()),
        ("https:/ /a.example", "<p>x</p>".to_owned()),
        ("https://bank.example@evil.example/", "<p>x</p>".to_owned()),
        ("https://a.example:99999/", "<p>x</p>".to_owned()),
        ("https://[::1]:3000/", to("https://[::1]:3000/")),
        ("mailto:a@b.example", "<p>x</p>".to_owned()),
    ] {
        assert_eq!(
            html(&format!("<a href=\"{href}\" onclick=\"y\" target=z>x</a>")),
            expected,
            "{href}"
        );
    }
}

#[test]
fn names_are_recognised_in_every_format() {
    assert_eq!(
        markdown("**@bob** #Rust\nhttps://a.example"),
        format!("<p><strong>{BOB}</strong> {}<br />{}</p>", tag("Rust"), link("a.example"))
    );
    assert_eq!(
        html("<b>@bob</b> #Rust<br>https://a.example"),
        format!("<p><b>{BOB}</b> {}<br />{}</p>", tag("Rust"), link("a.example"))
    );
    // The word continues across the start of the emphasis.
    assert_eq!(html("a<b>@bob</b>"), "<p>a<b>@bob</b></p>");
    assert_eq!(html("a<br>@bob"), format!("<p>a<br />{BOB}</p>"));
}

#[test]
fn nothing_is_recognised_in_code() {
    for (typed, kind) in [
        ("`@bob #tag https://a.example`", Markdown),
        ("```\n@bob #tag https://a.example\n```", Markdown),
        ("<code>@bob #tag https://a.example</code>", Html),
        ("<pre>@bob #tag <b>https://a.example</b></pre>", Html),
    ] {
        let tokens = parse_as(typed, kind);
        assert!(mentions(&tokens).is_empty() && hashtags(&tokens).is_empty(), "{typed}");
        assert!(!render(&tokens, &Town).contains("<a"), "{typed}");
        assert!(html_to_text(&render(&tokens, &Town)).contains("@bob #tag https://a.example"));
    }
}

#[test]
fn names_in_markdown_are_read_before_emphasis() {
    assert_eq!(
        markdown("https://a.example/_b_/*c"),
        format!("<p>{}</p>", link("a.example/_b_/*c"))
    );
    assert_eq!(
        markdown("@_a_ and #__x__ and `https://a.example/_b_`"),
        format!(
            "<p>{} and {} and <code>https://a.example/_b_</code></p>",
            BOB.replace("bob", "_a_"),
            tag("__x__")
        )
    );
    assert_eq!(
        markdown("[l](https://a.example/_b_) *https://b.example/~~c*"),
        format!(
            "<p><a href=\"https://a.example/_b_\" rel=\"nofollow noopener\">l</a> <em>{}</em></p>",
            link("b.example/~~c")
        )
    );
}

#[test]
fn escaped_marks_in_markdown_are_text() {
    for (typed, expected) in [
        ("\\@bob \\#tag", "<p>@bob #tag</p>".to_owned()),
        ("a \\@bob, *\\#tag*", "<p>a @bob, <em>#tag</em></p>".to_owned()),
        (
            "https\\://a.example http:\\//b.example",
            "<p>https://a.example http://b.example</p>".to_owned(),
        ),
        ("\\\\@bob", format!("<p>\\{BOB}</p>")),
        ("`\\@bob`", "<p><code>\\@bob</code></p>".to_owned()),
        ("https://a.example/\\_b\\_", format!("<p>{}</p>", link("a.example/_b_"))),
        ("\\# no heading", "<p># no heading</p>".to_owned()),
        ("\u{FDD0}@bob", format!("<p>{BOB}</p>")),
    ] {
        assert_eq!(markdown(typed), expected, "{typed}");
    }
    assert!(mentions(&parse_as("\\@bob", Markdown)).is_empty());
    assert!(hashtags(&parse_as("\\#tag", Markdown)).is_empty());
}

#[test]
fn trailing_underscores_of_a_name_close_an_open_emphasis() {
    let em = |inner: &str| format!("<p><em>{inner}</em></p>");
    for (typed, expected) in [
        ("_#tag_", em(&tag("tag"))),
        ("_@bob_", em(BOB)),
        ("_thanks @bob_", em(&format!("thanks {BOB}"))),
        ("__see #tag__", format!("<p><strong>see {}</strong></p>", tag("tag"))),
        ("*#tag_*", em(&tag("tag_"))),
        ("_https://a.example/b_", em(&link("a.example/b"))),
        ("_a #b_c_", em(&format!("a {}", tag("b_c")))),
        ("#tag_ #b_", format!("<p>{} {}</p>", tag("tag_"), tag("b_"))),
        ("#_tag_", format!("<p>{}</p>", tag("_tag_"))),
    ] {
        assert_eq!(markdown(typed), expected, "{typed}");
    }
    assert_eq!(hashtags(&parse_as("_#tag_", Markdown))[0].name, "tag");
}

#[test]
fn misleading_link_labels_show_the_real_host() {
    let to = |label: &str| {
        format!("<p><a href=\"https://evil.example/x\" rel=\"nofollow noopener\">{label}</a></p>")
    };
    for (label, shown) in [
        ("a cat", "a cat"),
        ("evil.example", "evil.example"),
        ("https://bank.example", "https://bank.example [evil.example]"),
        ("bank.example<br>", "bank.example [evil.example]"),
        ("<b>bank</b>.example", "<b>bank</b>.example [evil.example]"),
        (
            "<span class=\"invisible\">https://evil.example/</span>bank.example",
            "https://evil.example/bank.example",
        ),
        ("@<span>admin</span>", "@admin [evil.example]"),
        ("<img alt=bank.example>", "bank.example [evil.example]"),
    ] {
        for kind in [Html, Markdown] {
            let typed =
                format!("<a class=\"u-url mention\" href=\"https://evil.example/x\">{label}</a>");
            let rendered = shown_without_break(&typed, kind);
            assert_eq!(rendered, to(shown), "{label}");
            assert_eq!(sanitise(&rendered), rendered, "{label}");
            assert_eq!(sanitise(&typed).replace("<br />", " "), to(shown), "{label}");
        }
    }
    assert_eq!(
        markdown("[bank.example](https://evil.example/x)"),
        to("bank.example [evil.example]")
    );
    let typed = "<pre><a href=\"https://evil.example/x\">bank.example </a></pre>";
    assert_eq!(sanitise(&sanitise(typed)), sanitise(typed));
}

fn shown_without_break(typed: &str, kind: ContentType) -> String {
    shown(typed, kind).replace("<br /> ", " ").replace("<br />", " ")
}

#[test]
fn html_in_markdown_is_read_as_html() {
    assert_eq!(
        markdown("a <u>b</u> <script>x</script>\n\n<div>**c** @bob</div>"),
        format!("<p>a <u>b</u></p><p>**c** {BOB}</p>")
    );
    assert_eq!(markdown("<!--"), "");
}

#[test]
fn a_text_counts_as_it_was_typed() {
    // Counting ignores the content type: markup counts as characters, and a link counts as in any
    // text.
    assert_eq!(
        count("**a** https://a.example/very/long/address @bob@b.example", ""),
        5 + 1 + 23 + 5
    );
    assert_eq!(count("<b>a</b>", ""), 8);
}

#[test]
fn code_is_ignored_in_language_detection() {
    let text = "**Das Wetter** war die ganze Woche _schön_ und wir sind jeden Tag geschwommen.\n\n```\nthe quick brown fox jumps over the lazy dog and then again the other dog\n```";
    assert_eq!(language::detect(&parse_as(text, Markdown)), Some("de"));
}

#[test]
fn depth_is_bounded() {
    for (open, kind) in
        [("<blockquote>", Html), ("<b>", Html), ("> ", Markdown), ("<ul><li>", Html)]
    {
        let shown = shown(&format!("{}x", open.repeat(1000)), kind);
        assert!(shown.contains('x') && deepest(&shown) < 30, "{open}: {shown}");
    }
}

/// Returns the maximum nesting depth of elements.
fn deepest(html: &str) -> usize {
    let (mut depth, mut deepest) = (0, 0);
    for tag in html.split('<').skip(1) {
        depth = if tag.starts_with('/') { depth - 1 } else { depth + 1 };
        deepest = deepest.max(depth);
    }
    deepest
}

#[test]
fn rendered_html_passes_the_sanitiser() {
    for (typed, kind) in [
        ("Hi @bob #a\n\nhttps://a.example/b & <c>", ContentType::Plain),
        ("# Hi\n- a\n- *b* `c`\n\n> d\n\n```\ne\n```", Markdown),
        ("<ol reversed><li value=3>a</ol><p>b<br><br>c</p>", Html),
    ] {
        let once = shown(typed, kind);
        let without_rel = |html: &str| {
            html.replace(" rel=\"tag\"", "")
                .replace(" class=\"u-url mention\"", "")
                .replace(" class=\"mention hashtag\"", "")
                .replace("<span class=\"h-card\">", "")
                .replace("<span class=\"invisible\">", "")
                // A mention of another author could be a fake.
                .replace("@bob [t.example]", "@bob")
                .replace(" rel=\"nofollow noopener\"", "")
                .replace("<span>", "")
                .replace("<span class=\"invisible\"></span>", "")
                .replace("</span>", "")
        };
        assert_eq!(without_rel(&sanitise(&once)), without_rel(&once));
        // Other servers keep the classes.
        let without_rel = |html: &str| {
            let html = html.replace(" rel=\"tag\"", "").replace(" rel=\"nofollow noopener\"", "");
            html.replace("<span class=\"invisible\"></span>", "")
        };
        let kept = siskin_text::sanitise(&once, Classes::Kept);
        assert_eq!(without_rel(&kept), without_rel(&once));
        assert_eq!(sanitise(&sanitise(&once)), sanitise(&once));
    }
}

#[test]
fn documents_keep_their_headings_and_join_their_lines() {
    for (typed, expected) in [
        ("# One\n\nTwo\nlines", "<h2>One</h2><p>Two lines</p>"),
        ("Title\n=====\n\n###### Deep", "<h2>Title</h2><h6>Deep</h6>"),
        ("## A *b* `c`", "<h3>A <em>b</em> <code>c</code></h3>"),
        ("- a\n- b\n\n> c", "<ul><li>a</li><li>b</li></ul><blockquote><p>c</p></blockquote>"),
        ("a  \nb", "<p>a<br />b</p>"),
        ("@bob and #tag, C#1", "<p>@bob and #tag, C#1</p>"),
        ("<h1>T</h1>a<h4>U</h4>", "<h2>T</h2><p>a</p><h5>U</h5>"),
        ("# a\n\n#\n\n# ", "<h2>a</h2>"),
        ("", ""),
    ] {
        assert_eq!(render_document(typed), expected, "{typed}");
    }
    let linked = render_document("See https://a.example/b_c_d.");
    assert_eq!(linked, format!("<p>See {}.</p>", link("a.example/b_c_d")));
    let labelled = render_document("[us](https://a.example)");
    assert_eq!(labelled, "<p><a href=\"https://a.example\" rel=\"nofollow noopener\">us</a></p>");
    // Other texts have no headings.
    assert_eq!(html("<h2>a</h2>b"), "<p><strong>a</strong></p><p>b</p>");
    assert_eq!(sanitise("<h2>a</h2>"), "<p><strong>a</strong></p>");
}

#[test]
fn documents_contain_no_active_html() {
    for typed in [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "<h2 onclick=alert(1) style=\"x\">a</h2>",
        "[a](javascript:alert(1))",
        "![a](data:text/html,x)",
        "<a href=\"java&#10;script:alert(1)\">a</a>",
        "<iframe src=\"https://a.example\"></iframe>",
        "<form action=\"https://a.example\"><input name=a></form>",
        "# <style>*{}</style>",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    ] {
        let html = render_document(typed);
        for forbidden in [
            "<script", "<img", "<svg", "<iframe", "<form", "<input", "<math", " onerror",
            " onclick", "style=", "href",
        ] {
            assert!(!html.to_lowercase().contains(forbidden), "{typed}: {html}");
        }
    }
}
