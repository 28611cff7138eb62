//! Folding of text for comparison; the only implementation.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Folds a text for comparison. Two texts are considered the same if their folded forms are equal.
///
/// Compatibility forms are resolved (NFKC: full-width letters, half-width katakana, ligatures),
/// letters become lower case, and Latin letters lose their diacritics. Marks of all other scripts
/// stay, because they distinguish words there (a voiced kana is another sound). The function is
/// idempotent.
pub fn fold(text: &str) -> String {
    without_latin_marks(text.nfkd().flat_map(char::to_lowercase)).nfc().collect()
}

/// Drops the combining marks that follow a Latin letter. Expects decomposed lower-case text.
fn without_latin_marks(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    let mut after_latin = false;
    text.filter_map(move |c| {
        if is_combining_mark(c) {
            return (!after_latin).then_some(c);
        }
        after_latin = is_latin(c);
        Some(plain_letter(c))
    })
}

/// Maps a lower-case letter with a stroke or special shape, which Unicode does not decompose, to
/// the plain letter that people type instead. Maps the final sigma to the normal one.
fn plain_letter(c: char) -> char {
    match c {
        'đ' | 'ð' => 'd',
        'ħ' => 'h',
        'ı' => 'i',
        'ĸ' => 'k',
        'ł' => 'l',
        'ŋ' => 'n',
        'ø' => 'o',
        'ŧ' => 't',
        'ς' => 'σ',
        other => other,
    }
}

/// Returns `true` for letters of the Latin script, in any block (after decomposition most are
/// ASCII).
pub(crate) fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic()
        || (c.is_alphabetic()
            && matches!(c,
                '\u{C0}'..='\u{24F}' // Latin-1 letters, Extended-A and -B
                | '\u{250}'..='\u{2AF}' // IPA extensions
                | '\u{1D00}'..='\u{1D25}' // phonetic small capitals
                | '\u{1D6B}'..='\u{1D9A}' // phonetic letters
                | '\u{1E00}'..='\u{1EFF}' // Extended Additional
                | '\u{2C60}'..='\u{2C7F}' // Extended-C
                | '\u{A722}'..='\u{A7FF}' // Extended-D
                | '\u{AB30}'..='\u{AB64}')) // Extended-E
}

#[cfg(test)]
mod tests {
    use super::fold;
    use proptest::prelude::*;

    #[test]
    fn case_is_folded_in_every_script() {
        assert_eq!(fold("SynthWave"), "synthwave");
        assert_eq!(fold("ПРИВЕТ"), "привет");
        assert_eq!(fold("ΟΔΟΣ"), fold("οδος"));
        assert_eq!(fold("İstanbul"), "istanbul");
    }

    #[test]
    fn latin_letters_lose_their_diacritics() {
        assert_eq!(fold("BLÅHAJ"), "blahaj");
        assert_eq!(fold("Ärger"), fold("ÄRGER"));
        assert_eq!(fold("a\u{308}rger"), fold("ärger"));
        assert_eq!(fold("RyūowaŚroda"), "ryuowasroda");
        assert_eq!(fold("Tiếng Việt"), "tieng viet");
        assert_eq!(fold("Łódź Øresund Đà"), "lodz oresund da");
    }

    #[test]
    fn other_scripts_keep_their_marks() {
        assert_eq!(fold("ガ"), "ガ");
        assert_ne!(fold("が"), fold("か"));
        assert_ne!(fold("й"), fold("и"));
        assert_eq!(fold("हिन्दी"), "हिन्दी");
        assert_ne!(fold("ά"), fold("α"));
    }

    #[test]
    fn compatibility_forms_and_widths_are_folded() {
        assert_eq!(fold("ｓｙｎｔｈｗａｖｅ"), "synthwave");
        assert_eq!(fold("ｶﾞﾝﾀﾞﾑ"), "ガンダム");
        assert_eq!(fold("ﬁn"), "fin");
        assert_eq!(fold("２０２６"), "2026");
    }

    #[test]
    fn sharp_s_is_a_distinct_letter() {
        assert_eq!(fold("GRÜẞE"), fold("grüße"));
        assert_ne!(fold("Maße"), fold("Masse"));
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC*") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn folding_any_text_is_idempotent(text in any::<String>()) {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn upper_and_lower_case_fold_alike(text in "[a-zà-öù-žа-яα-ρτ-ω]*") {
            prop_assert_eq!(fold(&text.to_uppercase()), fold(&text));
        }
    }
}
