//! The HTML part of emails, made from their text.

use siskin_text::escape;

/// Converts the text of an email to HTML. Paragraphs are separated by empty lines. An address alone
/// in a paragraph becomes a link, and lines that begin with `>` a quotation.
pub(super) fn of_text(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(str::trim).filter(|text| !text.is_empty());
    let body: String = paragraphs.map(paragraph).collect();
    format!("<!DOCTYPE html>\n<html><body>\n{body}</body></html>\n")
}

fn paragraph(text: &str) -> String {
    let is_link = text.starts_with("https://") || text.starts_with("http://");
    if is_link && !text.contains(char::is_whitespace) {
        let address = escape(text);
        return format!("<p><a href=\"{address}\">{address}</a></p>\n");
    }
    let lines = text.lines();
    let quoted: Option<Vec<&str>> =
        lines.map(|line| line.strip_prefix("> ").or_else(|| (line == ">").then_some(""))).collect();
    match quoted {
        Some(lines) => format!("<blockquote>{}</blockquote>\n", lines_of(lines.into_iter())),
        None => format!("<p>{}</p>\n", lines_of(text.lines())),
    }
}

fn lines_of<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    lines.map(escape).collect::<Vec<_>>().join("<br>\n")
}

/// Returns a text as a quotation in plain text. One or more empty lines between paragraphs become
/// one line with `>`.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted: Vec<String> = Vec::new();
    let mut is_apart = false;
    for line in text.lines() {
        if line.trim().is_empty() {
            is_apart = !quoted.is_empty();
            continue;
        }
        if is_apart {
            quoted.push(">".to_owned());
        }
        quoted.push(format!("> {line}"));
        is_apart = false;
    }
    quoted.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_links_and_quotations_are_converted() {
        let text =
            "Hello @ann,\n\n> 1 < 2\n> & so on\n\nhttps://a.example/?a=1&b=2\n\ntwo\nlines\n";
        let expected = "<p>Hello @ann,</p>\n\
            <blockquote>1 &lt; 2<br>\n&amp; so on</blockquote>\n\
            <p><a href=\"https://a.example/?a=1&amp;b=2\">https://a.example/?a=1&amp;b=2</a></p>\n\
            <p>two<br>\nlines</p>\n";
        assert!(of_text(text).contains(expected), "{}", of_text(text));
    }

    #[test]
    fn quoted_texts_stay_in_one_paragraph() {
        let text = "\n \na\n\n\n b\n<script>\n\n";
        assert_eq!(quoted(text), "> a\n>\n>  b\n> <script>");
        let html = "<blockquote>a<br>\n<br>\n b<br>\n&lt;script&gt;</blockquote>";
        assert!(of_text(&quoted(text)).contains(html), "{}", of_text(&quoted(text)));
        assert_eq!(quoted(" \n\n"), "");
        assert!(!of_text(&quoted("<script>")).contains("<script>"));
    }
}
