//! Builds well-formed HTML structure from elements and text that arrive in any order.
//!
//! - Text is inside a paragraph, an item or a preformatted block. If there is none, a paragraph
//!   begins.
//! - A block ends the paragraph before it, and a list contains only items.
//! - Redundant closing tags are ignored. Unclosed elements end with the text or with their parent.
//!   Empty elements are dropped, except items.
//! - White space collapses to one blank and is dropped at the edges of a block, except in
//!   preformatted text.

use super::label::{Label, missing_host};
use crate::{characters::LITERAL, element::Element, parse::read_text, token::Token};

/// Maximum nesting depth. Deeper elements are dropped and their text is kept. Clients show nothing
/// useful at such depths, and a bound keeps the work linear.
const MAX_DEPTH: usize = 24;

/// Which of the mentions, hashtags and bare links in a text become tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    #[cfg_attr(
        not(feature = "markdown"),
        expect(dead_code, reason = "only `parse_as` recognises names in markup")
    )]
    Recognised,
    /// The text is a document: only its links become tokens, and it keeps its headings.
    #[cfg_attr(
        not(feature = "markdown"),
        expect(dead_code, reason = "only `render_document` reads documents")
    )]
    LinksOfDocument,
    /// The text is final: its author's server already linked them.
    AsText,
}

#[derive(Debug)]
pub(super) struct Builder {
    names: Names,
    tokens: Vec<Token>,
    open: Vec<Element>,
    /// Pending text, until an element begins or ends.
    run: String,
    /// Last character before `run` on the same line; `None` at the start of a line.
    before: Option<char>,
    /// Pending white space, which becomes a blank if more text follows on the line.
    blank: bool,
}

impl Builder {
    pub(super) fn new(names: Names) -> Self {
        Self {
            names,
            tokens: Vec::new(),
            open: Vec::new(),
            run: String::new(),
            before: None,
            blank: false,
        }
    }

    pub(super) fn finish(mut self) -> Vec<Token> {
        self.close_above(0);
        self.flush();
        self.tokens
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.is_verbatim() {
            self.verbatim(text);
        } else {
            text.chars().for_each(|c| self.character(c));
        }
    }

    fn character(&mut self, c: char) {
        if c == '\0' {
            return;
        }
        if is_white_space(c) {
            self.blank |= self.last().is_some_and(|last| last != ' ');
            return;
        }
        self.begin_text();
        self.write_blank();
        self.run.push(c);
    }

    /// Returns the last character on this line.
    fn last(&self) -> Option<char> {
        self.run.chars().next_back().or(self.before)
    }

    fn write_blank(&mut self) {
        if std::mem::take(&mut self.blank) {
            self.run.push(' ');
        }
    }

    fn verbatim(&mut self, text: &str) {
        // The first line break in a preformatted block belongs to the tag.
        let text = if self.begins_pre() { text.trim_start_matches(['\n', '\r']) } else { text };
        self.write_blank();
        self.run.extend(text.chars().filter(|c| !matches!(c, '\r' | '\0')));
    }

    /// Returns `true` at the begin of a preformatted block, or of the code in it.
    fn begins_pre(&self) -> bool {
        let [pre, code] = [Element::Preformatted, Element::Code].map(Token::Open);
        let begins = self.tokens.last() == Some(&pre) || self.tokens.ends_with(&[pre, code]);
        begins && self.run.is_empty() && self.open.contains(&Element::Preformatted)
    }

    pub(super) fn line_break(&mut self) {
        if self.is_verbatim() {
            if !self.begins_pre() {
                self.run.push('\n');
            }
        } else if self.last().is_some() || self.has_line() {
            self.blank = false;
            self.flush();
            self.before = None;
            self.tokens.push(Token::LineBreak);
        }
    }

    /// Returns `true` if the open block already has content, so that an empty line is wanted there.
    fn has_line(&self) -> bool {
        self.tokens.last() == Some(&Token::LineBreak)
    }

    /// Ends an open paragraph.
    pub(super) fn boundary(&mut self) {
        self.close_to_flow();
    }

    pub(super) fn open(&mut self, element: Element) {
        if matches!(element, Element::Item { .. }) {
            return self.open_item(element);
        }
        if element.is_block() {
            self.close_to_flow();
            if self.has_room() {
                self.require_item();
                self.push(element);
            }
            return;
        }
        if matches!(element, Element::Link { .. }) {
            self.close("a");
        }
        if self.has_room() {
            self.begin_text();
            self.write_blank();
            self.push(element);
        }
    }

    /// Opens a heading. In a document, it keeps its rank below the title of the page. Elsewhere it
    /// is a bold paragraph.
    pub(super) fn open_heading(&mut self, level: u8) {
        match self.heading(level) {
            Some(heading) => self.open(heading),
            None => {
                self.open(Element::Paragraph);
                self.open(Element::Strong);
            }
        }
    }

    pub(super) fn close_heading(&mut self, level: u8) {
        let closed = self.heading(level).unwrap_or(Element::Paragraph);
        self.close(closed.name());
    }

    /// Returns the element of a heading, if the text keeps its headings.
    fn heading(&self, level: u8) -> Option<Element> {
        let is_kept = matches!(self.names, Names::LinksOfDocument);
        is_kept.then(|| Element::Heading { level: level.saturating_add(1).clamp(2, 6) })
    }

    fn open_item(&mut self, item: Element) {
        let Some(list) = self.open.iter().rposition(Element::is_list) else {
            return self.close_to_flow();
        };
        self.close_above(list + 1);
        if self.has_room() {
            self.push(item);
        }
    }

    /// Closes the innermost element with this tag name and everything inside it. The search for an
    /// inline element stops at its block, for a paragraph at its item or quote, for an item at its
    /// list.
    pub(super) fn close(&mut self, name: &str) {
        let found = self.open.iter().rposition(|element| element.name() == name);
        let Some(at) = found else { return };
        let closed = &self.open[at];
        let is_enclosed = |inner: &Element| match closed {
            Element::Quote | Element::BulletList | Element::NumberedList { .. } => false,
            Element::Item { .. } => inner.is_list(),
            _ if closed.is_block() => inner.is_block(),
            _ => inner.is_block(),
        };
        if !self.open[at + 1..].iter().any(is_enclosed) {
            self.close_above(at);
        }
    }

    fn has_room(&self) -> bool {
        self.open.len() < MAX_DEPTH
    }

    fn is_verbatim(&self) -> bool {
        let innermost = self.open.iter().rev().take_while(|element| !is_flow(element));
        innermost.into_iter().any(|it| matches!(it, Element::Code | Element::Preformatted))
    }

    /// Opens the elements that text needs here.
    fn begin_text(&mut self) {
        self.require_item();
        let block = self.open.iter().rev().find(|element| element.is_block());
        if block.is_none_or(|block| *block == Element::Quote) {
            self.push(Element::Paragraph);
        }
    }

    /// Opens an item if the innermost element is a list, which can only contain items.
    fn require_item(&mut self) {
        if self.open.last().is_some_and(Element::is_list) {
            self.push(Element::Item { value: None });
        }
    }

    /// Closes elements that cannot contain a block.
    fn close_to_flow(&mut self) {
        let flow = self.open.iter().rposition(is_flow).map_or(0, |at| at + 1);
        self.close_above(flow);
        if flow > 0 {
            self.end_block();
        }
    }

    /// Ends the line, so that following content starts on a new line.
    fn end_line(&mut self) {
        self.blank = false;
        self.flush();
        self.before = None;
    }

    fn push(&mut self, element: Element) {
        if element.is_block() {
            self.end_line();
        } else {
            self.flush();
        }
        self.tokens.push(Token::Open(element.clone()));
        self.open.push(element);
    }

    /// Closes elements until only `depth` elements are open.
    fn close_above(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some(element) = self.open.last().cloned() else { return };
            if element.is_block() {
                self.end_block();
            } else if !self.is_verbatim() {
                self.write_blank();
            }
            self.flush();
            if let Element::Link { href, classes } = &element {
                self.show_host(href, classes);
            }
            self.open.pop();
            let is_empty = matches!(self.tokens.last(), Some(Token::Open(_)));
            if is_empty && !matches!(element, Element::Item { .. }) {
                self.tokens.pop();
            } else {
                self.tokens.push(Token::Close);
            }
        }
    }

    /// Appends the real host of a link if the label looks like the address of another host.
    fn show_host(&mut self, href: &str, classes: &str) {
        let begins =
            self.tokens.iter().rposition(|it| matches!(it, Token::Open(Element::Link { .. })));
        let label = self.tokens.get(begins.unwrap_or_default()..).unwrap_or_default();
        let label = Label::of(label, classes);
        if let Some(host) = missing_host(&label, href) {
            let blank = if label.ends_with_blank() { "" } else { " " };
            self.tokens.push(Token::Text(format!("{blank}[{host}]")));
            self.before = Some(']');
        }
    }

    /// Removes white space and line breaks at the end of a block, or before one in an item.
    fn end_block(&mut self) {
        self.end_line();
        loop {
            match self.tokens.last_mut() {
                Some(Token::LineBreak) => drop(self.tokens.pop()),
                Some(Token::Text(text)) => {
                    text.truncate(text.trim_end_matches(' ').len());
                    if !text.is_empty() {
                        return;
                    }
                    self.tokens.pop();
                }
                _ => return,
            }
        }
    }

    fn flush(&mut self) {
        if self.run.is_empty() {
            return;
        }
        let run = std::mem::take(&mut self.run);
        if self.is_verbatim() {
            self.tokens.push(Token::Code(run.clone()));
        } else if self.names == Names::AsText || self.is_in_link() {
            self.tokens.extend(literal_text(run.clone()));
        } else {
            let links_only = matches!(self.names, Names::LinksOfDocument);
            read_text(&run, self.before, |span, token| match token {
                Token::Text(text) => self.tokens.extend(literal_text(text)),
                Token::Mention { .. } | Token::Hashtag(_) if links_only => {
                    self.tokens.extend(literal_text(run[span].to_owned()));
                }
                other => self.tokens.push(other),
            });
        }
        self.before = run.chars().next_back();
    }

    fn is_in_link(&self) -> bool {
        self.open.iter().any(|element| matches!(element, Element::Link { .. }))
    }
}

/// Returns a text token without the escape markers, or `None` if the text is then empty.
fn literal_text(text: String) -> Option<Token> {
    let text = if text.contains(LITERAL) { text.replace(LITERAL, "") } else { text };
    (!text.is_empty()).then_some(Token::Text(text))
}

/// Returns `true` for elements that can contain blocks.
fn is_flow(element: &Element) -> bool {
    element.is_list() || matches!(element, Element::Quote | Element::Item { .. })
}

/// Returns `true` for the white space of HTML.
fn is_white_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{C}')
}
