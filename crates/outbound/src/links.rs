//! Links with which a page states its owner.

use url::Url;

use crate::html::{self, Piece, attribute, has_word};

/// Returns the targets of the page's links with `rel="me"` (`a` and `link`), in order. `page` is
/// the base of relative links, unless the page declares another one (`base`).
#[must_use]
pub fn links_to_me(html: &str, page: &Url) -> Vec<Url> {
    let (mut base, mut found) = (None, Vec::new());
    html::read(html, |piece| {
        let Piece::Start(tag) = piece else { return };
        let Some(target) = attribute(tag, "href") else { return };
        match tag.name.as_str() {
            "base" if base.is_none() => base = Some(target.to_owned()),
            "a" | "link" if has_word(tag, "rel", "me") => found.push(target.to_owned()),
            _ => {}
        }
    });
    let base = base.and_then(|base| page.join(&base).ok());
    let base = base.as_ref().unwrap_or(page);
    found.iter().filter_map(|link| base.join(link.trim()).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(html: &str) -> Vec<String> {
        let page = Url::parse("https://home.example/about/me").unwrap();
        links_to_me(html, &page).into_iter().map(String::from).collect()
    }

    #[test]
    fn links_with_rel_me_are_found_anywhere() {
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
    fn text_that_looks_like_a_link_is_ignored() {
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
    fn relative_links_use_the_base_of_the_page() {
        let html = r#"<base href="https://elsewhere.example/a/"><a rel=me href=b>x</a>"#;
        assert_eq!(links(html), ["https://elsewhere.example/a/b"]);
    }

    #[test]
    fn deep_and_damaged_pages_are_parsed() {
        let deep = "<div>".repeat(200_000) + "<a rel=me href=/x>";
        assert_eq!(links(&deep), ["https://home.example/x"]);
        assert_eq!(links("<a rel=me href=\""), Vec::<String>::new());
        assert_eq!(links("\u{0}<a rel=me href='http://['>"), Vec::<String>::new());
    }
}
