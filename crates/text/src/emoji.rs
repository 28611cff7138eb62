//! Emojis of Unicode: tells whether a text is exactly one. Follows the grammar of UTS #51, so that
//! emojis of later versions of Unicode need no list here.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

/// Joins emojis to one.
const JOINER: char = '\u{200D}';
/// Requests the colourful form of a character.
const EMOJI_PRESENTATION: char = '\u{FE0F}';
/// Draws the frame of a keycap around a digit.
const KEYCAP: char = '\u{20E3}';
/// Begins the flag of a part of a country.
const BLACK_FLAG: char = '\u{1F3F4}';
/// Maximum number of emojis that a sequence joins: a family of four.
const MAX_JOINED: usize = 4;

/// Flags of parts of countries.
const SUBDIVISIONS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// Codes of the countries and regions that have a flag.
const REGIONS: &str = "\
    AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ \
    BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CP CQ CR CU CV CW CX CY CZ DE DG DJ \
    DK DM DO DZ EA EC EE EG EH ER ES ET EU FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP \
    GQ GR GS GT GU GW GY HK HM HN HR HT HU IC ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH \
    KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO \
    MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL \
    PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV \
    SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM UN US UY UZ VA VC VE VG \
    VI VN VU WF WS XK YE YT ZA ZM ZW";

/// Returns `true` if the text is exactly one emoji of Unicode: a single character, a keycap, a
/// flag, or several emojis that are joined to one. Takes it with or without the selector of its
/// colourful form, because keyboards leave that out.
///
/// ```
/// use siskin_text::is_emoji;
///
/// assert!(is_emoji("🐦") && is_emoji("👩🏽‍🚀") && is_emoji("🇩🇪") && is_emoji("❤"));
/// assert!(!is_emoji("🐦🐦") && !is_emoji("7") && !is_emoji("bird") && !is_emoji(""));
/// ```
#[must_use]
pub fn is_emoji(text: &str) -> bool {
    is_flag(text) || is_keycap(text) || is_joined(text)
}

/// A flag of two regional indicators, or the black flag with the tags of a part of a country.
fn is_flag(text: &str) -> bool {
    let Some(tags) = text.strip_prefix(BLACK_FLAG) else {
        let code: Option<String> = text.chars().map(letter_of_region).collect();
        return code.is_some_and(|code| code.len() == 2 && REGIONS.split(' ').any(|it| it == code));
    };
    let Some(tags) = tags.strip_suffix('\u{E007F}') else { return false };
    let code: Option<String> = tags.chars().map(letter_of_tag).collect();
    code.is_some_and(|code| SUBDIVISIONS.contains(&&*code))
}

/// Returns the letter of a regional indicator.
fn letter_of_region(c: char) -> Option<char> {
    shifted(c, '\u{1F1E6}'..='\u{1F1FF}', 'A')
}

/// Returns the letter of a tag character.
fn letter_of_tag(c: char) -> Option<char> {
    shifted(c, '\u{E0061}'..='\u{E007A}', 'a')
}

/// Returns the character at the place of `c` in `range`, counted from `first`.
fn shifted(c: char, range: std::ops::RangeInclusive<char>, first: char) -> Option<char> {
    range
        .contains(&c)
        .then(|| u32::from(c) - u32::from(*range.start()) + u32::from(first))
        .and_then(char::from_u32)
}

fn is_keycap(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(|c: char| c.is_ascii_digit() || matches!(c, '#' | '*'))
    else {
        return false;
    };
    rest.trim_start_matches(EMOJI_PRESENTATION) == KEYCAP.encode_utf8(&mut [0; 4])
        && rest.chars().count() <= 2
}

fn is_joined(text: &str) -> bool {
    text.split(JOINER).all(is_single) && text.split(JOINER).count() <= MAX_JOINED
}

/// An emoji of one character, perhaps with a skin tone or the selector of its colourful form.
fn is_single(text: &str) -> bool {
    let mut characters = text.chars();
    let Some(base) = characters.next().filter(|base| is_base(*base)) else { return false };
    match characters.next() {
        None => true,
        Some(EMOJI_PRESENTATION) => characters.next().is_none(),
        Some(tone) => is_tone(tone) && TAKES_TONE.contains(base) && characters.next().is_none(),
    }
}

/// Returns `true` for characters that are an emoji alone. Digits and regional indicators are
/// emojis only in keycaps and flags.
fn is_base(c: char) -> bool {
    EMOJI.contains(c) && !c.is_ascii() && letter_of_region(c).is_none()
}

/// Returns `true` for the skin tones.
const fn is_tone(c: char) -> bool {
    matches!(c, '\u{1F3FB}'..='\u{1F3FF}')
}

static EMOJI: LazyLock<Characters> = LazyLock::new(|| Characters::of(r"\p{Emoji}"));
static TAKES_TONE: LazyLock<Characters> =
    LazyLock::new(|| Characters::of(r"\p{Emoji_Modifier_Base}"));

/// A set of characters, as sorted ranges.
struct Characters(Vec<(char, char)>);

impl Characters {
    /// Returns the characters with a property. They are none if the property is unknown.
    fn of(property: &str) -> Self {
        let parsed = regex_syntax::parse(property).map(regex_syntax::hir::Hir::into_kind);
        let Ok(HirKind::Class(Class::Unicode(class))) = parsed else { return Self(Vec::new()) };
        Self(class.iter().map(|range| (range.start(), range.end())).collect())
    }

    fn contains(&self, c: char) -> bool {
        let place = self.0.partition_point(|(_, end)| *end < c);
        self.0.get(place).is_some_and(|(start, _)| *start <= c)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn single_emojis_are_recognised() {
        for emoji in [
            "🐦",
            "❤",
            "❤\u{FE0F}",
            "©\u{FE0F}",
            "👍🏽",
            "☝🏿",
            "🇩🇪",
            "🇪🇺",
            "1\u{FE0F}\u{20E3}",
            "#\u{20E3}",
            "🏴",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "👩\u{200D}🚀",
            "👩🏽\u{200D}🚀",
            "🏳\u{FE0F}\u{200D}🌈",
            "👩\u{200D}👩\u{200D}👧\u{200D}👦",
            "👩🏻\u{200D}❤\u{FE0F}\u{200D}💋\u{200D}👨🏿",
            "🕵🏻\u{200D}♂\u{FE0F}",
        ] {
            assert!(is_emoji(emoji), "{emoji}");
        }
    }

    #[test]
    fn other_texts_are_no_emoji() {
        for text in [
            "",
            " ",
            "a",
            "7",
            "#",
            "bird",
            "🐦🐦",
            "🐦 ",
            " 🐦",
            "🐦x",
            "🇩",
            "🇩🇪🇩🇪",
            "🇽🇽",
            "🇩a",
            "🐦🏽",
            "👍🏽🏽",
            "👍\u{FE0F}🏽",
            "❤\u{FE0E}",
            "❤\u{FE0F}\u{FE0F}",
            "\u{FE0F}",
            "\u{200D}",
            "👩\u{200D}",
            "\u{200D}👩",
            "👩\u{200D}\u{200D}🚀",
            "1\u{FE0F}",
            "\u{20E3}",
            "12\u{20E3}",
            "1\u{FE0F}\u{FE0F}\u{20E3}",
            "🏴\u{E0067}\u{E007F}",
            "🏴\u{E007F}",
            "👩\u{200D}🇩🇪",
            "👩\u{200D}1",
            "🐦\u{301}",
            "<b>",
            "🐦\0",
        ] {
            assert!(!is_emoji(text), "{text:?}");
        }
        let long = ["👩"; MAX_JOINED + 1].join("\u{200D}");
        assert!(!is_emoji(&long) && !is_emoji(&"🐦".repeat(100_000)));
    }

    proptest! {
        #[test]
        fn an_emoji_is_short_and_followed_by_nothing(
            text in "[🐦👩🏽❤🇩🇪1#\u{FE0F}\u{200D}\u{20E3}x]{0,9}",
        ) {
            if is_emoji(&text) {
                prop_assert!(text.len() <= 64 && crate::graphemes(&text) == 1);
                let doubled = format!("{text}{text}");
                prop_assert!(!is_emoji(&doubled));
            }
        }
    }
}
