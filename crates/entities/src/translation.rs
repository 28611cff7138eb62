//! Statuses in other languages: between which ones a service translates ([`Languages`]), and what
//! a translated status is ([`Translation`]).
//!
//! Who translates, and how it is asked, is not known here.

use std::collections::{BTreeMap, BTreeSet};

use siskin_ids::{MediaId, PollId};

/// The code of a language that nobody named (ISO 639-2).
pub const UNDETERMINED: &str = "und";

/// Other codes by which services know what statuses are in, or are asked for in.
const ALIASES: &[(&str, &str)] =
    &[("zh-CN", "zh-Hans"), ("zh-TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("no", "nb"), ("nb", "no")];

/// A status in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    /// Sanitised HTML.
    pub content: String,
    pub spoiler_text: String,
    pub poll: Option<TranslatedPoll>,
    /// The attachments that have a description, with it.
    pub descriptions: Vec<(MediaId, String)>,
    /// The language that it was translated from, as far as that is known.
    pub source: Option<String>,
    /// The language that it is in now.
    pub target: String,
    /// Who translated it.
    pub provider: String,
}

/// The options of a poll, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranslatedPoll {
    pub id: PollId,
    pub options: Vec<String>,
}

/// Two languages between which a service translates, as it spells them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LanguagePair {
    /// None where the service finds out.
    pub source: Option<String>,
    pub target: String,
}

/// Between which languages a service translates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Languages {
    targets: BTreeMap<String, BTreeSet<String>>,
}

impl Languages {
    /// Each language that can be translated, with those that it can be translated into. Codes are
    /// brought to one spelling, and no language is its own translation.
    ///
    /// The service is taken to find out by itself what nobody named, and to translate that into
    /// all that it knows.
    pub fn new<T: IntoIterator<Item = String>>(
        pairs: impl IntoIterator<Item = (String, T)>,
    ) -> Self {
        let mut languages = Self::default();
        for (source, targets) in pairs {
            let source = spelling(&source);
            for target in targets.into_iter().map(|target| spelling(&target)) {
                if is_translation(&source, &target) {
                    let of = |source: &str| source.to_owned();
                    languages.targets.entry(of(&source)).or_default().insert(target.clone());
                    languages.targets.entry(of(UNDETERMINED)).or_default().insert(target);
                }
            }
        }
        languages
    }

    /// Each language with those that it can be translated into, in the order of their codes;
    /// [`UNDETERMINED`] is what a status can be in that names no language.
    pub fn by_source(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &str>)> {
        let entries = self.targets.iter();
        entries.map(|(source, targets)| (source.as_str(), targets.iter().map(String::as_str)))
    }

    /// How a status in `source` can be had in `target`: by these very codes, or by those of the
    /// same languages without a region or with another one. None where it cannot.
    #[must_use]
    pub fn pair(&self, source: Option<&str>, target: &str) -> Option<LanguagePair> {
        let source = source.map(str::to_owned).unwrap_or_else(|| UNDETERMINED.to_owned());
        let known = candidates(&source).into_iter().find(|code| self.targets.contains_key(code))?;
        let targets = &self.targets[&known];
        let exact = candidates(target).into_iter().find(|code| targets.contains(code));
        let near = || targets.iter().find(|code| base(code) == base(&spelling(target))).cloned();
        let target = exact.or_else(near).filter(|target| is_translation(&source, target))?;
        Some(LanguagePair { source: Some(known).filter(|code| code != UNDETERMINED), target })
    }
}

/// The spelling of BCP 47: the language in lower case, a script with a capital, a region in upper
/// case, hyphens between them.
fn spelling(code: &str) -> String {
    let mut parts = code.trim().split(['-', '_']);
    let mut spelt = parts.next().unwrap_or_default().to_lowercase();
    for part in parts {
        spelt.push('-');
        if part.chars().count() == 4 {
            let mut letters = part.chars();
            spelt.extend(letters.next().into_iter().flat_map(char::to_uppercase));
            spelt.push_str(&letters.as_str().to_lowercase());
        } else {
            spelt.push_str(&part.to_uppercase());
        }
    }
    spelt
}

/// The codes under which a service may know a language, the best first.
fn candidates(code: &str) -> Vec<String> {
    let code = spelling(code);
    let aliases = ALIASES.iter().filter(|(from, _)| *from == code).map(|(_, to)| (*to).to_owned());
    let mut candidates = vec![code.clone()];
    candidates.extend(aliases);
    candidates.push(base(&code).to_owned());
    candidates
}

/// The language alone.
fn base(code: &str) -> &str {
    code.split('-').next().unwrap_or_default()
}

/// Another region is no other language, except that Chinese is written in two ways.
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

    fn told(source: Option<&str>, target: &str) -> Option<(Option<String>, String)> {
        Some((source.map(str::to_owned), target.to_owned()))
    }

    #[test]
    fn codes_of_all_spellings_find_each_other() {
        assert_eq!(pair("en", "de"), told(Some("en"), "de"));
        assert_eq!(pair("DE", "EN"), told(Some("de"), "en"));
        assert_eq!(pair("de", "en-us"), told(Some("de"), "en-US"));
        assert_eq!(pair("de", "en-AU"), told(Some("de"), "en"));
        assert_eq!(pair("no", "de"), told(Some("nb"), "de"));
        assert_eq!(pair("de", "zh-TW"), told(Some("de"), "zh-Hant"));
        assert_eq!(pair("de", "zh"), told(Some("de"), "zh-Hans"));
        assert_eq!(pair("zh-CN", "zh-TW"), told(Some("zh"), "zh-Hant"));
    }

    #[test]
    fn what_is_not_offered_is_no_pair() {
        for (source, target) in
            [("en", "en"), ("en", "en-GB"), ("de", "fr"), ("fr", "de"), ("nb", "en"), ("en", "")]
        {
            assert_eq!(pair(source, target), None, "{source} {target}");
        }
    }

    #[test]
    fn what_names_no_language_goes_into_all() {
        assert_eq!(pair("", "de"), told(None, "de"));
        assert_eq!(pair("", "nb"), told(None, "nb"));
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
