//! Translated statuses: the language pairs that a service supports ([`Languages`]) and the
//! translated content ([`Translation`]).
//!
//! This module does not know which service translates or how it is called.

use std::collections::{BTreeMap, BTreeSet};

use siskin_ids::{MediaId, PollId};

/// Language code for "undetermined" (ISO 639-2).
pub const UNDETERMINED: &str = "und";

/// Alternative codes under which services know the languages of statuses.
const ALIASES: &[(&str, &str)] =
    &[("zh-CN", "zh-Hans"), ("zh-TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("no", "nb"), ("nb", "no")];

/// Translation of a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    /// Translated content as sanitised HTML.
    pub content: String,
    /// Translated content warning; empty if there is none.
    pub spoiler_text: String,
    /// Translated options; `None` if there is no poll.
    pub poll: Option<TranslatedPoll>,
    /// Translated descriptions of the attachments that have one.
    pub descriptions: Vec<(MediaId, String)>,
    /// Source language, if known.
    pub source: Option<String>,
    /// Target language.
    pub target: String,
    /// Name of the translation service.
    pub provider: String,
}

/// Translated options of a poll, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranslatedPoll {
    /// Id of the poll.
    pub id: PollId,
    /// Translated titles of the options.
    pub options: Vec<String>,
}

/// Language pair that a service translates, spelled as the service spells it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LanguagePair {
    /// `None` if the service detects the language.
    pub source: Option<String>,
    /// Target language.
    pub target: String,
}

/// Language pairs that a service supports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Languages {
    targets: BTreeMap<String, BTreeSet<String>>,
}

impl Languages {
    /// Builds the table of source languages with their target languages. Codes are normalised to
    /// one spelling. A language is never its own target.
    ///
    /// The service is assumed to detect unknown languages by itself. Hence [`UNDETERMINED`] can be
    /// translated into all known targets.
    pub fn new<T: IntoIterator<Item = String>>(
        pairs: impl IntoIterator<Item = (String, T)>,
    ) -> Self {
        let mut languages = Self::default();
        for (source, targets) in pairs {
            let source = normalise_code(&source);
            for target in targets.into_iter().map(|target| normalise_code(&target)) {
                if is_translation(&source, &target) {
                    let of = |source: &str| source.to_owned();
                    languages.targets.entry(of(&source)).or_default().insert(target.clone());
                    languages.targets.entry(of(UNDETERMINED)).or_default().insert(target);
                }
            }
        }
        languages
    }

    /// Returns each source language with its targets, sorted by code. [`UNDETERMINED`] stands for
    /// statuses without a language.
    pub fn by_source(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &str>)> {
        let entries = self.targets.iter();
        entries.map(|(source, targets)| (source.as_str(), targets.iter().map(String::as_str)))
    }

    /// Returns the pair with which a status in `source` can be translated into `target`. Exact
    /// codes are preferred to the same languages without a region or with another one. Returns
    /// `None` if the service does not support the pair.
    #[must_use]
    pub fn pair(&self, source: Option<&str>, target: &str) -> Option<LanguagePair> {
        let source = source.map(str::to_owned).unwrap_or_else(|| UNDETERMINED.to_owned());
        let known = candidates(&source).into_iter().find(|code| self.targets.contains_key(code))?;
        let targets = &self.targets[&known];
        let exact = candidates(target).into_iter().find(|code| targets.contains(code));
        let near =
            || targets.iter().find(|code| base(code) == base(&normalise_code(target))).cloned();
        let target = exact.or_else(near).filter(|target| is_translation(&source, target))?;
        Some(LanguagePair { source: Some(known).filter(|code| code != UNDETERMINED), target })
    }
}

/// Normalises a code to the spelling of BCP 47: language in lower case, script capitalised, region
/// in upper case, separated by hyphens.
fn normalise_code(code: &str) -> String {
    let mut parts = code.trim().split(['-', '_']);
    let mut normalised = parts.next().unwrap_or_default().to_lowercase();
    for part in parts {
        normalised.push('-');
        if part.chars().count() == 4 {
            let mut letters = part.chars();
            normalised.extend(letters.next().into_iter().flat_map(char::to_uppercase));
            normalised.push_str(&letters.as_str().to_lowercase());
        } else {
            normalised.push_str(&part.to_uppercase());
        }
    }
    normalised
}

/// Returns the codes under which a service may know a language, best match first.
fn candidates(code: &str) -> Vec<String> {
    let code = normalise_code(code);
    let aliases = ALIASES.iter().filter(|(from, _)| *from == code).map(|(_, to)| (*to).to_owned());
    let mut candidates = vec![code.clone()];
    candidates.extend(aliases);
    candidates.push(base(&code).to_owned());
    candidates
}

/// Returns the language without script and region.
fn base(code: &str) -> &str {
    code.split('-').next().unwrap_or_default()
}

/// Returns `true` if the codes differ in more than the region. Chinese is an exception, because it
/// has two scripts.
fn is_translation(source: &str, target: &str) -> bool {
    source != target && (base(source) != base(target) || base(source) == "zh")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn languages() -> Languages {
        let of = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>();
        let targets = of(&["EN-GB", "en_us", "DE", "zh-hans", "ZH-HANT", "nb", "en"]);
        Languages::new([
            ("EN".to_owned(), targets.clone()),
            ("de".to_owned(), targets.clone()),
            ("zh".to_owned(), targets),
            ("nb".to_owned(), of(&["de"])),
        ])
    }

    fn pair(source: &str, target: &str) -> Option<(Option<String>, String)> {
        let source = Some(source).filter(|source| !source.is_empty());
        languages().pair(source, target).map(|pair| (pair.source, pair.target))
    }

    fn expected_pair(source: Option<&str>, target: &str) -> Option<(Option<String>, String)> {
        Some((source.map(str::to_owned), target.to_owned()))
    }

    #[test]
    fn differently_spelled_codes_match() {
        assert_eq!(pair("en", "de"), expected_pair(Some("en"), "de"));
        assert_eq!(pair("DE", "EN"), expected_pair(Some("de"), "en"));
        assert_eq!(pair("de", "en-us"), expected_pair(Some("de"), "en-US"));
        assert_eq!(pair("de", "en-AU"), expected_pair(Some("de"), "en"));
        assert_eq!(pair("no", "de"), expected_pair(Some("nb"), "de"));
        assert_eq!(pair("de", "zh-TW"), expected_pair(Some("de"), "zh-Hant"));
        assert_eq!(pair("de", "zh"), expected_pair(Some("de"), "zh-Hans"));
        assert_eq!(pair("zh-CN", "zh-TW"), expected_pair(Some("zh"), "zh-Hant"));
    }

    #[test]
    fn unsupported_pairs_are_none() {
        for (source, target) in
            [("en", "en"), ("en", "en-GB"), ("de", "fr"), ("fr", "de"), ("nb", "en"), ("en", "")]
        {
            assert_eq!(pair(source, target), None, "{source} {target}");
        }
    }

    #[test]
    fn an_undetermined_source_has_every_target() {
        assert_eq!(pair("", "de"), expected_pair(None, "de"));
        assert_eq!(pair("", "nb"), expected_pair(None, "nb"));
        assert_eq!(pair("", "fr"), None);
        assert_eq!(Languages::default().pair(None, "de"), None);
    }

    #[test]
    fn each_language_is_listed_with_its_targets() {
        let listed: Vec<String> = languages()
            .by_source()
            .map(|(source, targets)| format!("{source}: {}", targets.collect::<Vec<_>>().join(" ")))
            .collect();
        assert_eq!(
            listed,
            [
                "de: en en-GB en-US nb zh-Hans zh-Hant",
                "en: de nb zh-Hans zh-Hant",
                "nb: de",
                "und: de en en-GB en-US nb zh-Hans zh-Hant",
                "zh: de en en-GB en-US nb zh-Hans zh-Hant",
            ]
        );
    }
}
