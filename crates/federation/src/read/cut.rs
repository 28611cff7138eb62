//! Cutting of HTML that is too long.

/// Elements without content in sanitised HTML.
const VOID: &str = "br";

/// Returns the beginning of sanitised HTML, at most `limit` bytes plus the closing tags. It ends
/// after the last block that fits; if not even one fits, it ends inside the first one, and its
/// elements are closed.
pub(crate) fn beginning(html: &str, limit: usize) -> String {
    if html.len() <= limit {
        return html.to_owned();
    }
    let scan = scan(html, limit);
    let end = if scan.after_block > 0 { scan.after_block } else { scan.in_text };
    let mut cut = html.get(..end).unwrap_or_default().to_owned();
    if scan.after_block == 0 {
        for name in scan.open.iter().rev() {
            cut.push_str("</");
            cut.push_str(name);
            cut.push('>');
        }
    }
    cut
}

/// What lies in the first bytes of HTML.
struct Scan<'h> {
    /// End of the last complete block; 0 if there is none.
    after_block: usize,
    /// Last place where the HTML may end in a text.
    in_text: usize,
    /// Elements that are open there.
    open: Vec<&'h str>,
}

fn scan(html: &str, limit: usize) -> Scan<'_> {
    let mut scan = Scan { after_block: 0, in_text: 0, open: Vec::new() };
    let mut at = 0;
    while let Some(start) = html.get(at..).and_then(|rest| rest.find('<')).map(|it| at + it) {
        let length = html.get(start..).and_then(|rest| rest.find('>')).map(|it| it + 1);
        let end = start + length.unwrap_or(html.len());
        if end > limit {
            break;
        }
        scan.read_tag(html.get(start..end).unwrap_or_default());
        at = end;
        scan.in_text = end;
        if scan.open.is_empty() {
            scan.after_block = end;
        }
    }
    let next_tag = html.get(at..).and_then(|rest| rest.find('<')).map_or(html.len(), |it| at + it);
    scan.in_text = at + text_length(html, at, next_tag.min(limit));
    scan
}

impl<'h> Scan<'h> {
    fn read_tag(&mut self, tag: &'h str) {
        let inner = tag.trim_start_matches('<').trim_end_matches('>');
        let name = inner.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if inner.starts_with('/') {
            self.open.pop();
        } else if name != VOID {
            self.open.push(name);
        }
    }
}

/// Returns the length of the text between two places, without a character or an entity that the
/// second one cuts apart.
fn text_length(html: &str, from: usize, to: usize) -> usize {
    let text = html.get(from..html.floor_char_boundary(to)).unwrap_or_default();
    match text.rfind('&') {
        Some(entity) if !text.get(entity..).is_some_and(|it| it.contains(';')) => entity,
        _ => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::beginning;

    #[test]
    fn html_ends_after_the_last_block_that_fits() {
        for (html, limit, cut) in [
            ("<p>a</p><p>b</p>", 16, "<p>a</p><p>b</p>"),
            ("<p>a</p><p>b</p>", 15, "<p>a</p>"),
            ("<ul><li>a</li></ul><p>b</p>", 26, "<ul><li>a</li></ul>"),
            ("<p>abcdef</p>", 8, "<p>abcde</p>"),
            ("<p>a<br />b</p>", 12, "<p>a<br />b</p>"),
            ("<p><b>abc</b></p>", 8, "<p><b>ab</b></p>"),
            ("<p>a&amp;b</p>", 6, "<p>a</p>"),
            ("<p>aé</p>", 5, "<p>a</p>"),
        ] {
            assert_eq!(beginning(html, limit), cut, "{html} {limit}");
        }
    }

    proptest! {
        #[test]
        fn what_is_cut_is_sanitised_html(html in "(<p>|</p>|<b>|</b>|<ul><li>|<blockquote>|<br>|&amp;|é|word |<a href='https://a.example/'>|</a>){0,60}", limit in 0usize..200) {
            let html = crate::read::clean::sanitise(&html);
            let cut = beginning(&html, limit);
            prop_assert!(cut.len() <= limit.max(3) + 24 * "</blockquote>".len());
            prop_assert!(cut.matches("</").count() == cut.matches('<').count() - cut.matches("</").count() - cut.matches("<br").count());
        }

        #[test]
        fn no_text_makes_it_panic(html in ".{0,60}", limit in 0usize..80) {
            let _ = beginning(&html, limit);
        }
    }
}
