//! Tests of the sanitiser with the HTML of other servers.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use siskin_text::{Classes, html_to_text, sanitise};

fn kept(html: &str) -> String {
    sanitise(html, Classes::Kept)
}

/// Returns a link as it is rendered.
fn link(href: &str, classes: &str, label: &str) -> String {
    let classes = match classes {
        "" => String::new(),
        classes => format!(" class=\"{classes}\""),
    };
    format!("<a href=\"{href}\"{classes} rel=\"nofollow noopener\">{label}</a>")
}

#[test]
fn the_marks_of_other_servers_stay() {
    let mention = link("https://far.example/@bob", "u-url mention", "@<span>bob</span>");
    let hashtag = link("https://far.example/tags/a", "mention hashtag", "#<span>a</span>");
    let address = link(
        "https://www.a.example/b/c",
        "",
        "<span class=\"invisible\">https://www.</span><span class=\"ellipsis\">a.example/b</span>\
         <span class=\"invisible\">/c</span>",
    );
    for (html, expected) in [
        (
            // Mastodon
            r#"<p><span class="h-card" translate="no"><a href="https://far.example/@bob" class="u-url mention" rel="x" target="_blank">@<span>bob</span></a></span> hi</p>"#,
            format!("<p><span class=\"h-card\">{mention}</span> hi</p>"),
        ),
        (
            r#"<p><a href="https://far.example/tags/a" class="mention hashtag" rel="tag">#<span>a</span></a></p>"#,
            format!("<p>{hashtag}</p>"),
        ),
        (
            r#"<p><a href="https://www.a.example/b/c" rel="nofollow" title="x"><span class="invisible">https://www.</span><span class="ellipsis">a.example/b</span><span class="invisible">/c</span></a></p>"#,
            format!("<p>{address}</p>"),
        ),
        (
            r#"<p class="quote-inline big">RE: x</p><p class="big">y</p>"#,
            "<p class=\"quote-inline\">RE: x</p><p>y</p>".to_owned(),
        ),
        (
            // Misskey
            r#"<p><span>Hi<br>there</span><span class="quote-inline"><br><br>RE: x</span></p>"#,
            "<p><span>Hi<br />there</span><span class=\"quote-inline\"><br /><br />RE: x</span></p>"
                .to_owned(),
        ),
        ("<h2 class='h-x'>a</h2>", "<p><strong>a</strong></p>".to_owned()),
        ("<ul class='h-feed'><li class='h-entry'>a</ul>", "<ul><li>a</li></ul>".to_owned()),
        ("<span class='x'>a</span>", "<p><span>a</span></p>".to_owned()),
        ("<span class='invisible'></span>", String::new()),
        ("<span class='h-card'><p>a</p></span>", "<p>a</p>".to_owned()),
        ("<p><span class='h-card'>a<p>b</span>", "<p><span class=\"h-card\">a</span></p><p>b</p>".to_owned()),
    ] {
        assert_eq!(kept(html), expected, "{html}");
        assert_eq!(kept(&expected), expected);
    }
    let html = r#"<p class="quote-inline"><span class="h-card">a</span></p>"#;
    assert_eq!(sanitise(html, Classes::Dropped), "<p>a</p>");
}

#[test]
fn the_text_of_a_quote_link_is_not_text_of_the_author() {
    assert_eq!(html_to_text(&kept("<p class='quote-inline'>RE: x</p><p>y</p>")), "y");
}

#[test]
fn links_have_few_schemes_and_the_attributes_of_the_house() {
    for href in ["http://a.example", "https://a.example/", "gemini://a.example", "xmpp:a@b.example"]
    {
        let html = format!("<a class=x rel='opener me' target=_top ping=/ href='{href}'>b</a>");
        assert_eq!(kept(&html), format!("<p>{}</p>", link(href, "", "b")));
    }
    for href in [
        "javascript:alert(1)",
        " jav&#x09;ascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "&#14;javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://a.example/x",
        "intent://a.example",
        "mailto:a@b.example",
        "tel:1",
        "//a.example",
        "/settings",
        "?x",
        "https://",
    ] {
        assert_eq!(kept(&format!("<a class=mention href='{href}'>b</a>")), "<p>b</p>", "{href}");
    }
}

#[test]
fn labels_with_marks_do_not_claim_another_host() {
    let evil = |classes: &str, label: &str| {
        kept(&format!("<a class=\"{classes}\" href=\"https://evil.example/x\">{label}</a>"))
    };
    for label in [
        "bank.example",
        "<span class=\"invisible\">https://evil.example/</span>bank.example",
        "bank<span class=\"invisible\">.evil</span>.example",
        "bank.example<span class=\"invisible\"> [evil.example]</span>",
        "<span class=\"ellipsis\">bank.example/login</span>",
        "@admin@bank.example",
    ] {
        let html = evil("mention", label);
        assert!(html.ends_with(" [evil.example]</a></p>"), "{html}");
        assert_eq!(kept(&html), html);
    }
    // Only mentions are names without a host.
    assert!(evil("", "@<span>admin</span>").contains("[evil.example]"));
    assert!(!evil("u-url mention", "@<span>admin</span>").contains("[evil.example]"));
}

/// Fragments of attacks on sanitisers.
const ATTACKS: &[&str] = &[
    "<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</script>",
    "<script src=//evil.example>",
    "<img src=x onerror=alert(1)>",
    "<img/src=`x`onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href=javascript:alert(1)>x</a></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=x onerror=alert(1)&gt;\">",
    "<math href=javascript:alert(1)>x</math>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<input autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<details open ontoggle=alert(1)>x</details>",
    "<body onload=alert(1)>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=0;url=javascript:alert(1)>",
    "<link rel=stylesheet href=//evil.example>",
    "<style>*{background:url(//evil.example)}</style>",
    "<p style=\"position:fixed\" onclick=alert(1) id=x>y</p>",
    "<span class='\"><img src=x onerror=alert(1)>'>y</span>",
    "<a href='https://a.example/\"onmouseover=\"alert(1)'>x</a>",
    "<a class='mention\" onclick=\"alert(1)' href='https://a.example'>x</a>",
    "<template><script>alert(1)</script></template>",
    "<textarea></textarea><img src=x onerror=alert(1)>",
    "<title></title><img src=x onerror=alert(1)>",
    "<xmp></xmp><img src=x onerror=alert(1)>",
    "<plaintext><img src=x onerror=alert(1)>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?xml <img src=x onerror=alert(1)>?>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<a\0href=javascript:alert(1)>x</a>",
    "<p title=`>` <img src=x onerror=alert(1)>",
];

/// Returns the sanitiser of another maker, with the elements and attributes that may stay.
fn reference() -> ammonia::Builder<'static> {
    let elements = [
        ("p", &["class"][..]),
        ("br", &[]),
        ("span", &["class"]),
        ("a", &["href", "class", "rel"]),
        ("del", &[]),
        ("pre", &[]),
        ("code", &[]),
        ("em", &[]),
        ("strong", &[]),
        ("b", &[]),
        ("i", &[]),
        ("u", &[]),
        ("ul", &[]),
        ("ol", &["start", "reversed"]),
        ("li", &["value"]),
        ("blockquote", &[]),
    ];
    let attributes: HashMap<&str, HashSet<&str>> =
        elements.iter().map(|(name, kept)| (*name, kept.iter().copied().collect())).collect();
    let mut reference = ammonia::Builder::empty();
    let schemes = ["http", "https", "gemini", "xmpp"];
    reference
        .tags(elements.iter().map(|(name, _)| *name).collect())
        .tag_attributes(attributes)
        .url_schemes(schemes.into())
        .link_rel(None);
    reference
}

/// Checks that the result is stable, and that another sanitiser finds nothing to remove.
fn check(html: &str) -> Result<(), TestCaseError> {
    for classes in [Classes::Kept, Classes::Dropped] {
        let clean = sanitise(html, classes);
        prop_assert_eq!(&sanitise(&clean, classes), &clean, "{}", html);
        let again = reference().clean(&clean).to_string();
        prop_assert_eq!(&sanitise(&again, classes), &clean, "{}", again);
        prop_assert_eq!(again.matches('<').count(), clean.matches('<').count(), "{}", again);
        if classes == Classes::Dropped {
            let tags = clean.split('<').skip(1).filter_map(|it| it.split('>').next());
            let has_class = |tag: &str| tag.starts_with("span") || tag.contains(" class=");
            prop_assert!(!tags.into_iter().any(has_class), "{}", clean);
        }
    }
    Ok(())
}

#[test]
fn no_attack_passes() {
    for attack in ATTACKS {
        for html in [
            (*attack).to_owned(),
            format!("<p><span class=\"h-card\">{attack}</span></p>"),
            format!("<ul><li><a href=\"https://a.example\" class=\"mention\">{attack}"),
            format!("<pre><code>{attack}</code></pre>"),
        ] {
            check(&html).unwrap();
            let clean = kept(&html).to_lowercase();
            let tags: Vec<&str> =
                clean.split('<').skip(1).filter_map(|it| it.split('>').next()).collect();
            for tag in tags {
                let is_active = ["script", "onerror", "onload", "onclick", "style", "javascript:"];
                assert!(!is_active.iter().any(|it| tag.contains(it)), "{html}: {clean}");
            }
        }
    }
}

#[test]
fn depth_and_work_are_bounded() {
    for open in [
        "<span class=h-card>",
        "<p class=quote-inline>",
        "<a class=mention href=https://a.example>",
    ] {
        let html = kept(&format!("{}x{}", open.repeat(20_000), "</span>".repeat(20_000)));
        assert!(html.contains('x') && html.len() < 2000, "{open}");
    }
    let labels = "<a href=https://a.example><span class=invisible>b.</span>c.example".repeat(2000);
    check(&labels).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_marks_are_sanitised_once(
        html in "(<p>|</p>|<p class=quote-inline>|<span>|<span class='h-card invisible'>|\
                 <span class=ellipsis>|</span>|<a class='mention u-url' href=https://a.example/>|\
                 <a href='https://b.example'>|</a>|<br>|<pre>|</pre>|<code>|</code>|<ul>|<li>|</ul>|\
                 <blockquote>|</blockquote>|<h1>|</h1>|<b>|</b>|@bob|a\\.example|https://|\
                 \\[b\\.example\\]|&amp;|\n|  |x|é){0,24}"
    ) {
        check(&html)?;
    }

    #[test]
    fn any_text_is_sanitised_once(
        html in "(<|>|\"|'|=|class|span|a |href|/|&#?[a-z0-9]{0,4};?|\\PC){0,40}"
    ) {
        check(&html)?;
    }
}
