//! Links by which a page says whose it is.

use std::cell::RefCell;

use html5ever::{
    Attribute, local_name,
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::RawKind,
    },
};
use url::Url;

/// Where the page's links with `rel="me"` lead (`a` and `link`), in order. `page` is the address
/// that relative links start from, unless the page names another (`base`).
#[must_use]
pub fn links_to_me(html: &str, page: &Url) -> Vec<Url> {
    let sink = Links { base: RefCell::new(None), found: RefCell::default() };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    // Scripts are not run, so the tokenizer stops nowhere but at the end.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let Links { base, found } = tokenizer.sink;
    let base = base.into_inner().and_then(|base| page.join(&base).ok());
    let base = base.as_ref().unwrap_or(page);
    found.into_inner().iter().filter_map(|link| base.join(link.trim()).ok()).collect()
}

/// Takes tags as they come, without building a tree: a page may nest as deep as it likes.
struct Links {
    base: RefCell<Option<String>>,
    found: RefCell<Vec<String>>,
}

impl Links {
    fn look_at(&self, tag: &Tag) {
        let Some(target) = attribute(&tag.attrs, &local_name!("href")) else { return };
        if tag.name == local_name!("base") {
            self.base.borrow_mut().get_or_insert_with(|| target.to_owned());
        } else if matches!(tag.name, local_name!("a") | local_name!("link")) && is_me(tag) {
            self.found.borrow_mut().push(target.to_owned());
        }
    }
}

fn is_me(tag: &Tag) -> bool {
    attribute(&tag.attrs, &local_name!("rel"))
        .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("me")))
}

fn attribute<'a>(attributes: &'a [Attribute], name: &html5ever::LocalName) -> Option<&'a str> {
    attributes.iter().find(|found| found.name.local == *name).map(|found| &*found.value)
}

impl TokenSink for Links {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        self.look_at(&tag);
        // Where text may look like tags and is none.
        match tag.name {
            local_name!("title") | local_name!("textarea") => {
                TokenSinkResult::RawData(RawKind::Rcdata)
            }
            local_name!("style")
            | local_name!("xmp")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes") => TokenSinkResult::RawData(RawKind::Rawtext),
            local_name!("script") => TokenSinkResult::RawData(RawKind::ScriptData),
            local_name!("plaintext") => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(html: &str) -> Vec<String> {
        let page = Url::parse("https://home.example/about/me").unwrap();
        links_to_me(html, &page).into_iter().map(String::from).collect()
    }

    #[test]
    fn links_with_the_word_me_are_found_wherever_they_stand() {
        let html = r#"<!doctype html><html><head>
            <link rel="me" href="https://one.example/@ann">
            <link rel="stylesheet" href="https://not.example/">
            <body><p><a href=https://two.example/@ann rel='nofollow ME noopener'>x</a>
            <A REL=me HREF="//three.example/@ann?a=1&amp;b=2">y</A>
            <a rel="me" href=" /@ann ">z</a> <a rel="menu" href="https://not.example/">n</a>
            <a rel="me">nowhere</a> <area rel="me" href="https://not.example/">"#;
        assert_eq!(
            links(html),
            [
                "https://one.example/@ann",
                "https://two.example/@ann",
                "https://three.example/@ann?a=1&b=2",
                "https://home.example/@ann",
            ]
        );
    }

    #[test]
    fn what_only_looks_like_a_link_is_none() {
        let link = r#"<a rel="me" href="https://not.example/">"#;
        for html in [
            format!("<!-- {link} -->"),
            format!("<script>{link}</script>"),
            format!("<style>{link}</style>"),
            format!("<textarea>{link}</textarea>"),
            format!("<title>{link}</title>"),
            format!("<iframe>{link}</iframe>"),
            format!("<img alt='{link}'>"),
            link.replace('<', "&lt;"),
            "</a rel=me href=https://not.example/>".to_owned(),
        ] {
            assert_eq!(links(&html), Vec::<String>::new(), "{html}");
        }
        assert_eq!(links(&format!("<script>1</script>{link}")).len(), 1);
    }

    #[test]
    fn a_page_may_name_another_place_to_start_from() {
        let html = r#"<base href="https://elsewhere.example/a/"><a rel=me href=b>x</a>"#;
        assert_eq!(links(html), ["https://elsewhere.example/a/b"]);
    }

    #[test]
    fn depth_and_damage_do_no_harm() {
        let deep = "<div>".repeat(200_000) + "<a rel=me href=/x>";
        assert_eq!(links(&deep), ["https://home.example/x"]);
        assert_eq!(links("<a rel=me href=\""), Vec::<String>::new());
        assert_eq!(links("\u{0}<a rel=me href='http://['>"), Vec::<String>::new());
    }
}
