//! Translates API error messages.
//!
//! Errors are written in English where they arise. English is also the default for clients that do
//! not ask for another language by the parameter `lang` or by `Accept-Language`: clients compare
//! some of the messages. The translations are in `languages/`, one file for each language. Each
//! line has a sentence in English and its translation with a tab between them, `{n}` for numbers,
//! and a colon at the end if something follows. A sentence without translation stays English. Pages
//! have texts of their own.

use std::{borrow::Cow, cell::Cell, collections::HashMap, sync::LazyLock};

use actix_web::http::header::HeaderMap;

use crate::languages;

tokio::task_local! {
    static CURRENT: Cell<Wording>;
}

/// Parameter by which clients choose a language.
pub(crate) const PARAMETER: &str = "lang";

const NUMBER: &str = "{n}";

static CATALOGUES: LazyLock<[Catalogue; 1]> =
    LazyLock::new(|| [Catalogue::read("de", include_str!("../languages/de.tsv"))]);

/// The translations into one language, by the English sentence.
struct Catalogue {
    code: &'static str,
    sentences: HashMap<&'static str, &'static str>,
}

/// The language of the response to a request.
#[derive(Clone, Copy)]
pub(crate) struct Wording(Option<&'static Catalogue>);

impl Wording {
    /// Returns the language that a request asks for before its body is read: that of the query
    /// parameter `lang`, or else the most preferred available language of its headers, or else
    /// English.
    pub(crate) fn of(query: &str, headers: &HeaderMap) -> Self {
        let mut query = form_urlencoded::parse(query.as_bytes());
        let lang = query.find(|(name, _)| name == PARAMETER).and_then(|(_, code)| Self::by(&code));
        let mut accepted = languages::accepted(headers).into_iter();
        lang.or_else(|| accepted.find_map(Self::by)).unwrap_or(Self(None))
    }

    /// Returns the language with this code, with or without a region. `None` if it is not
    /// available.
    fn by(code: &str) -> Option<Self> {
        let base = code.trim().split(['-', '_']).next()?;
        let is_it = |catalogue: &&Catalogue| catalogue.code.eq_ignore_ascii_case(base);
        let catalogue = CATALOGUES.iter().find(is_it);
        (catalogue.is_some() || base.eq_ignore_ascii_case("en")).then_some(Self(catalogue))
    }

    /// Returns the language of the current request; English outside of any.
    fn current() -> Self {
        CURRENT.try_with(Cell::get).unwrap_or(Self(None))
    }

    /// Makes this the current language while `future` runs.
    pub(crate) fn during<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(Cell::new(self), future)
    }

    /// Makes this the current language while `body` runs.
    pub(crate) fn now<T>(self, body: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(Cell::new(self), body)
    }

    fn translate(self, english: &str) -> Cow<'_, str> {
        let translated = self.0.and_then(|catalogue| catalogue.translate(english));
        translated.map_or(Cow::Borrowed(english), Cow::Owned)
    }
}

/// Translates an error message into the language of the current request.
pub(crate) fn translated(english: &str) -> Cow<'_, str> {
    Wording::current().translate(english)
}

/// Sets the language of the current request, which its body asks for. An unavailable language
/// changes nothing.
pub(crate) fn set_current_language(code: &str) {
    if let Some(wording) = Wording::by(code) {
        // Outside of a request there is no response to translate.
        let _ = CURRENT.try_with(|current| current.set(wording));
    }
}

impl Catalogue {
    fn read(code: &'static str, lines: &'static str) -> Self {
        let sentences = lines.lines().filter_map(|line| line.split_once('\t')).collect();
        Self { code, sentences }
    }

    fn translate(&self, english: &str) -> Option<String> {
        self.sentence(english).or_else(|| self.list(english))
    }

    /// Translates one sentence with its numbers.
    fn sentence(&self, english: &str) -> Option<String> {
        let (key, numbers) = without_numbers(english);
        let mut numbers = numbers.into_iter();
        let mut pieces = self.sentences.get(key.as_str())?.split(NUMBER);
        let mut translated = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            translated.push_str(numbers.next()?);
            translated.push_str(piece);
        }
        Some(translated)
    }

    /// Translates a list after a colon: error texts separated by commas. Unknown ones stay English.
    fn list(&self, english: &str) -> Option<String> {
        let (kind, faults) = english.split_once(": ")?;
        let kind = self.sentences.get(format!("{kind}:").as_str())?;
        let faults = faults.split(", ");
        let faults = faults.map(|fault| self.sentence(fault).unwrap_or_else(|| fault.to_owned()));
        Some(format!("{kind} {}", faults.collect::<Vec<_>>().join(", ")))
    }
}

/// Replaces each number of a sentence by a mark. Returns the result and the numbers.
fn without_numbers(sentence: &str) -> (String, Vec<&str>) {
    let (mut key, mut numbers, mut rest) = (String::new(), Vec::new(), sentence);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        let (number, after) = from.split_at(end);
        key.push_str(before);
        key.push_str(NUMBER);
        numbers.push(number);
        rest = after;
    }
    key.push_str(rest);
    (key, numbers)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use actix_web::http::header::{ACCEPT_LANGUAGE, HeaderValue};

    use super::*;

    fn translate(accepted: &'static str, english: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(accepted));
        Wording::of("a=b", &headers).translate(english).into_owned()
    }

    #[test]
    fn the_most_preferred_language_is_used() {
        let (english, german) = ("Record not found", "Datensatz nicht gefunden");
        for accepted in ["de", "DE-at", "xx, de;q=0.5", "en;q=0.1, de", "fr, de;q=0.3, en;q=0.2"] {
            assert_eq!(translate(accepted, english), german, "{accepted}");
        }
        for accepted in ["en", "", "fr", "*", "en-GB, de;q=0.9", "de;q=0", "de;q=0.2, en;q=0.3"] {
            assert_eq!(translate(accepted, english), english, "{accepted}");
        }
    }

    #[test]
    fn the_parameter_overrides_the_header_if_its_language_is_available() {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("de"));
        let of = |query| Wording::of(query, &headers).translate("Record not found").into_owned();
        assert_eq!(of("lang=en"), "Record not found");
        for query in ["lang=de_AT", "lang=xx", "lang="] {
            assert_eq!(of(query), "Datensatz nicht gefunden", "{query}");
        }
    }

    #[test]
    fn the_body_can_select_the_language() {
        let english = Wording(None);
        english.now(|| {
            assert_eq!(translated("Too many requests"), "Too many requests");
            set_current_language("xx");
            assert_eq!(translated("Too many requests"), "Too many requests");
            set_current_language("de");
            assert_eq!(translated("Too many requests"), "Zu viele Anfragen");
        });
        set_current_language("de");
        assert_eq!(translated("Too many requests"), "Too many requests");
    }

    #[test]
    fn numbers_and_lists_of_errors_are_translated() {
        for (english, german) in [
            (
                "Validation failed: Text character limit of 500 exceeded",
                "Gültigkeitsprüfung fehlgeschlagen: Text ist länger als 500 Zeichen",
            ),
            (
                "Validation failed: Text can't be blank, Visibility is not included in the list",
                "Gültigkeitsprüfung fehlgeschlagen: Text darf nicht leer sein, \
                 Sichtbarkeit ist kein gültiger Wert",
            ),
            (
                "Validation failed: Something new",
                "Gültigkeitsprüfung fehlgeschlagen: Something new",
            ),
            ("Missing parameter: id", "Fehlender Parameter: id"),
            ("Something new: at all", "Something new: at all"),
            ("Something new 12", "Something new 12"),
        ] {
            assert_eq!(translate("de", english), german);
        }
    }

    #[test]
    fn every_line_is_a_sentence_with_its_translation() {
        for line in include_str!("../languages/de.tsv").lines() {
            let (english, other) = line.split_once('\t').unwrap();
            let has = |mark: &str| english.matches(mark).count() == other.matches(mark).count();
            assert!(has(NUMBER) && !other.contains('\t') && english != other, "{line}");
            assert_eq!(english.ends_with(':'), other.ends_with(':'), "{line}");
        }
        let lines = include_str!("../languages/de.tsv").lines().count();
        assert_eq!(CATALOGUES[0].sentences.len(), lines, "a sentence is listed twice");
    }

    /// Collects all source files below the crates.
    fn sources(folder: &Path, found: &mut String) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                sources(&entry.path(), found);
            } else if entry.path().extension().is_some_and(|kind| kind == "rs") {
                found.push_str(&fs::read_to_string(entry.path()).unwrap());
            }
        }
    }

    #[test]
    fn every_translated_sentence_is_still_used() {
        let mut translated = String::new();
        for name in ["http", "services", "policy", "entities", "app"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
            sources(&folder, &mut translated);
        }
        for english in CATALOGUES[0].sentences.keys() {
            let parts = english.split(NUMBER);
            let longest = parts.max_by_key(|part| part.len()).unwrap();
            assert!(translated.contains(longest), "no source file contains {english:?}");
        }
    }
}
