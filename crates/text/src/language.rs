//! Languages of texts: codes, English names, and detection of the language of a text.

mod table;

pub use table::LANGUAGES;

#[cfg(feature = "language")]
use crate::token::Token;
#[cfg(feature = "language")]
use whatlang::{Info, Script};

/// Language that a status can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language {
    /// Stored and displayed code: ISO 639-1 if it exists, else ISO 639-3, or one of the four
    /// regional codes of Chinese (`zh-TW`).
    pub code: &'static str,
    /// Other codes of the language that clients may send.
    aliases: &'static [&'static str],
    /// English name.
    pub name: &'static str,
}

/// Returns the stored code of a language. Accepts codes in any case, of ISO 639-1, 639-2 or 639-3,
/// with or without a region or script (`EN`, `deu`, `en_US`).
///
/// Regions are dropped, so that a filter for `pt` also matches statuses posted as `pt-BR`. The
/// variants of Chinese stay, because they differ in writing (`zh-CN`, `zh-HK`, `zh-TW`, `zh-YUE`).
/// Returns `None` for unknown languages.
///
/// ```
/// use siskin_text::language::normalise;
///
/// assert_eq!(normalise("pt-BR"), Some("pt"));
/// assert_eq!(normalise("zh_tw"), Some("zh-TW"));
/// assert_eq!(normalise("xx"), None);
/// ```
pub fn normalise(code: &str) -> Option<&'static str> {
    let code = code.trim();
    let language = code.split(['-', '_']).next().unwrap_or_default();
    find(&code.replace('_', "-")).or_else(|| find(language))
}

fn find(code: &str) -> Option<&'static str> {
    let is_match = |known: &&str| known.eq_ignore_ascii_case(code);
    let mut languages = LANGUAGES.iter();
    let found = languages.find(|l| is_match(&l.code) || l.aliases.iter().any(&is_match));
    found.map(|language| language.code)
}

/// Number of bytes used for detection; more text does not improve the result.
#[cfg(feature = "language")]
const SAMPLE_LENGTH: usize = 4000;

/// Minimum confidence of a detection, from 0 to 1.
#[cfg(feature = "language")]
const CONFIDENCE: f64 = 0.5;

/// Detects the language of a text from its plain words. Names, hashtags, links and code are
/// ignored, because they say little about the language.
///
/// Returns `None` if the text is too short or the confidence is too low. A wrong language hides a
/// status from users who filter by language; a missing language does not.
///
/// ```
/// use siskin_text::{language::detect, parse};
///
/// let text = "Das Wetter war die ganze Woche schön, und wir waren #schwimmen";
/// assert_eq!(detect(&parse(text)), Some("de"));
/// assert_eq!(detect(&parse("ok")), None);
/// ```
#[cfg(feature = "language")]
pub fn detect(tokens: &[Token]) -> Option<&'static str> {
    let sample = sample(tokens);
    let info = whatlang::detect(&sample)?;
    let letters = sample.chars().filter(|c| c.is_alphabetic()).count();
    let trusted = info.confidence() >= CONFIDENCE && letters >= letters_needed(&info);
    trusted.then(|| find(info.lang().code())).flatten()
}

/// Returns the beginning of the plain text.
#[cfg(feature = "language")]
fn sample(tokens: &[Token]) -> String {
    let mut sample = String::new();
    for token in tokens {
        match token {
            Token::Text(text) => sample.push_str(text),
            _ => sample.push(' '),
        }
        if sample.len() >= SAMPLE_LENGTH {
            sample.truncate(sample.floor_char_boundary(SAMPLE_LENGTH));
            break;
        }
    }
    sample
}

/// Returns the number of letters that a detection needs: few if only one language uses the script,
/// more if many languages share it.
#[cfg(feature = "language")]
fn letters_needed(info: &Info) -> usize {
    match info.script() {
        Script::Latin | Script::Cyrillic | Script::Arabic | Script::Devanagari | Script::Hebrew => {
            20
        }
        Script::Mandarin => 6,
        _ => 3,
    }
}

#[cfg(test)]
#[cfg(feature = "language")]
mod tests {
    use super::*;
    use crate::parse;
    use std::collections::HashSet;

    fn detected(text: &str) -> Option<&'static str> {
        detect(&parse(text))
    }

    #[test]
    fn the_language_of_longer_texts_is_detected() {
        for (text, code) in [
            ("The weather has been lovely all week and we went swimming every day.", "en"),
            ("Das Wetter war die ganze Woche schön und wir sind jeden Tag geschwommen.", "de"),
            ("Il a fait beau toute la semaine et nous avons nagé tous les jours.", "fr"),
            ("Hizo buen tiempo toda la semana y nadamos todos los días en el lago.", "es"),
            ("Всю неделю стояла прекрасная погода, и мы каждый день купались.", "ru"),
            ("今週はずっと天気が良くて、毎日泳ぎに行きました。", "ja"),
            ("这个星期天气一直很好，我们每天都去游泳。", "zh"),
            ("이번 주 내내 날씨가 좋아서 매일 수영을 했어요.", "ko"),
            ("Ο καιρός ήταν υπέροχος όλη την εβδομάδα.", "el"),
            ("สัปดาห์นี้อากาศดีมาก", "th"),
        ] {
            assert_eq!(detected(text), Some(code), "{text}");
        }
    }

    #[test]
    fn little_or_unclear_text_has_no_language() {
        for text in [
            "",
            "ok",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "lol",
            "123 456",
            "😀😀😀",
            "https://example.com/das-ist-ein-deutscher-link",
            "@bob #wetter",
        ] {
            assert_eq!(detected(text), None, "{text}");
        }
    }

    #[test]
    fn codes_are_normalised() {
        for (sent, stored) in [
            ("en", "en"),
            ("EN", "en"),
            ("eng", "en"),
            ("en-GB", "en"),
            ("en_US", "en"),
            ("deu", "de"),
            ("ger", "de"),
            ("pt-BR", "pt"),
            ("zh", "zh"),
            ("zh-CN", "zh-CN"),
            ("zh_tw", "zh-TW"),
            ("ZH-HK", "zh-HK"),
            ("zh-Hans", "zh"),
            ("yue", "zh-YUE"),
            ("cmn", "zh"),
            ("iw", "he"),
            ("in", "id"),
            ("sr-Latn", "sr"),
            ("ast", "ast"),
            (" de ", "de"),
        ] {
            assert_eq!(normalise(sent), Some(stored), "{sent}");
        }
        for sent in ["", " ", "-", "x", "xx", "english", "e n", "und", "zxx", "en\0"] {
            assert_eq!(normalise(sent), None, "{sent}");
        }
    }

    #[test]
    fn codes_are_unique_and_sorted() {
        assert!(LANGUAGES.is_sorted_by(|a, b| a.code < b.code));
        let mut seen = HashSet::new();
        for language in LANGUAGES {
            assert!(!language.name.is_empty());
            assert_eq!(normalise(language.code), Some(language.code));
            for code in language.aliases.iter().chain([&language.code]) {
                assert!(seen.insert(*code), "{code}");
            }
        }
    }

    #[test]
    fn every_language_that_can_be_detected_has_a_code() {
        for lang in whatlang::Lang::all() {
            assert!(find(lang.code()).is_some_and(|code| code.len() == 2), "{lang:?}");
        }
    }
}
