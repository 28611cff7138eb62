//! Parser of queries for statuses. Every text is a query: what is no operator is a word.

use std::time::Duration;

use siskin_text::{language, search_words};

use super::{Condition, Period, Property, SearchScope, StatusQuery};
use crate::time::{Date, Timestamp};

/// Maximum number of conditions. Further ones are ignored, so that a query has a bounded cost.
const MAX_CONDITIONS: usize = 32;
const DAY: Duration = Duration::from_hours(24);

impl StatusQuery {
    /// Parses a query: words, quoted phrases, and the operators `from:`, `before:`, `after:`,
    /// `during:` (days like `2026-11-27`, in UTC), `has:`, `is:`, `in:` and `language:`. A `-`
    /// before any of them negates it. A word with an unknown operator or value is searched as text.
    ///
    /// ```
    /// use siskin_entities::search::{Property, StatusQuery};
    ///
    /// let query = StatusQuery::parse("\"new moon\" has:image -from:me");
    /// assert_eq!(query.phrases[0].of.len(), 2);
    /// assert_eq!(query.properties[0].of, Property::Image);
    /// assert!(query.authors[0].is_negated);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut query = Self::default();
        for Part { text, is_quoted, is_negated } in parts(text).take(MAX_CONDITIONS) {
            if is_quoted || !query.add_operator(text, is_negated) {
                let of = search_words(text);
                if !of.is_empty() {
                    query.phrases.push(Condition { of, is_negated });
                }
            }
        }
        query
    }

    /// Adds the condition of an operator. Returns `false` if the text is none.
    fn add_operator(&mut self, text: &str, is_negated: bool) -> bool {
        let Some((name, value)) = text.split_once(':') else { return false };
        let value = value.trim_matches(QUOTES);
        match name.to_ascii_lowercase().as_str() {
            "from" if !value.is_empty() => {
                self.authors.push(Condition { of: value.to_owned(), is_negated });
            }
            "before" | "after" | "during" => {
                let Some(day) = day(value) else { return false };
                let next = day.after(DAY);
                let of = match name.to_ascii_lowercase().as_str() {
                    "before" => Period { until: day, ..Period::ALWAYS },
                    "after" => Period { from: next, ..Period::ALWAYS },
                    _ => Period { from: day, until: next },
                };
                self.periods.push(Condition { of, is_negated });
            }
            kind @ ("has" | "is") => {
                let property = Property::from_name(&value.to_ascii_lowercase());
                let Some(of) = property.filter(|one| one.is_state() == (kind == "is")) else {
                    return false;
                };
                self.properties.push(Condition { of, is_negated });
            }
            "in" => {
                let scope = SearchScope::from_name(&value.to_ascii_lowercase());
                let Some(scope) = scope else { return false };
                self.scope = match (scope, is_negated) {
                    (scope, false) => scope,
                    (SearchScope::Library, true) => SearchScope::Public,
                    (SearchScope::Public, true) => SearchScope::Library,
                    (SearchScope::All, true) => return false,
                };
            }
            "language" => {
                let Some(code) = language::normalise(value) else { return false };
                self.languages.push(Condition { of: code.to_owned(), is_negated });
            }
            _ => return false,
        }
        true
    }
}

/// Quotation marks that begin and end a phrase. Keyboards of phones replace the first one by the
/// others.
const QUOTES: [char; 6] = ['"', '\u{201C}', '\u{201D}', '\u{201E}', '\u{AB}', '\u{BB}'];

/// A word or phrase of a query.
struct Part<'t> {
    text: &'t str,
    is_quoted: bool,
    is_negated: bool,
}

/// Splits a query at white space, except inside quotation marks. A phrase without an end goes to
/// the end of the text.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let unsigned = rest.strip_prefix('-');
        let is_negated = unsigned.is_some();
        let begin = unsigned.unwrap_or(rest);
        if let Some(phrase) = begin.strip_prefix(QUOTES) {
            let (text, after) = phrase.split_once(QUOTES).unwrap_or((phrase, ""));
            rest = after;
            return Some(Part { text, is_quoted: true, is_negated });
        }
        let end = begin.find(char::is_whitespace).unwrap_or(begin.len());
        let (text, after) = begin.split_at(end);
        rest = after;
        Some(Part { text, is_quoted: false, is_negated })
    })
}

/// Parses a day like `2026-11-27`. Returns the midnight that begins it, in UTC.
fn day(text: &str) -> Option<Timestamp> {
    let mut parts = text.split('-');
    let mut number = |length: usize| {
        let digits = parts.next()?;
        let is_number = digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse::<i64>().ok()).flatten()
    };
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    let is_whole = parts.next().is_none();
    is_whole.then(|| Date::of_parts(year, month, day)).flatten().map(|date| date.0)
}
