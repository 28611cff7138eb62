//! Search in many scripts gives the same results on both engines.

use super::{indexable, texts};

/// A text, queries that find it, and queries that do not.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    // Latin with diacritics
    (
        "Grüße AUS Łódź, Tiếng Việt",
        &["grüße", "aus", "lodz", "ŁÓDŹ", "tieng", "\"tiếng việt\"", "GRÜẞE"],
        &["gru", "loda", "\"aus grüße\"", "viet lodz -aus"],
    ),
    // Cyrillic
    ("Привет, большой мир", &["привет", "ПРИВЕТ МИР", "\"большой мир\""], &["приве", "мира"]),
    // Greek
    ("Η ΟΔΟΣ είναι μεγάλη", &["οδος", "οδοσ", "ΜΕΓΆΛΗ"], &["οδ", "μεγαλος"]),
    // Arabic
    (
        "مَرْحَبًا بالعالم الجديد",
        &["مرحبا", "مَرْحَبًا", "بالعالم -x", "\"بالعالم الجديد\""],
        &["مرح", "جديد"],
    ),
    // Hebrew
    ("שָׁלוֹם עולם", &["שלום", "שָׁלוֹם", "עולם שלום"], &["של", "עולמות"]),
    // Devanagari
    ("नमस्ते दुनिया, हिन्दी भाषा", &["नमस्ते", "हिन्दी", "\"हिन्दी भाषा\""], &["नम", "हिन्द"]),
    // Thai
    ("ฉันรักภาษาไทยมาก", &["ไทย", "ภาษาไทย", "รัก", "ก", "ฉันรักภาษาไทยมาก"], &["ไทยรัก", "จีน"]),
    // Japanese
    (
        "東京タワーへ行きました",
        &["東", "東京", "タワー", "東京タワー", "ﾀﾜｰ", "行きました", "京タ"],
        &["京東", "大阪", "東京行き"],
    ),
    // Chinese
    (
        "我喜欢学习中文，也喜欢唱歌",
        &["学习", "中文", "我", "喜欢学习中文", "喜欢 唱歌"],
        &["文中", "学中", "日"],
    ),
    // Korean
    (
        "학교에서 한국어를 배웠어요",
        &["학교", "한국어", "한국어를", "학", "학교 한국어"],
        &["교학", "중국어"],
    ),
    // Tamil
    ("வணக்கம் உலகம்", &["வணக்கம்", "உலகம் வணக்கம்"], &["வண", "உலக"]),
    // Georgian
    ("გამარჯობა მსოფლიო", &["გამარჯობა", "\"გამარჯობა მსოფლიო\""], &["გამარ", "მსოფლ"]),
    // Armenian
    ("Բարեւ աշխարհ", &["բարեւ", "ԱՇԽԱՐՀ"], &["բար"]),
    // Khmer and Lao
    ("ខ្ញុំស្រឡាញ់ភាសាខ្មែរ", &["ភាសា", "ខ្មែរ"], &["ភាសារ"]),
    ("ສະບາຍດີຊາວໂລກ", &["ສະບາຍດີ", "ໂລກ"], &["ໂລກຊາວ"]),
    // Scripts without spaces beside others, and full-width forms
    (
        "iPhone15を買った ＡＢＣ",
        &["iphone15", "を", "買った", "abc", "iphone15を"],
        &["iphone", "買う"],
    ),
];

api_tests! {
    async fn each_script_has_its_hits_and_its_misses(app: &TestApp) {
        let (alice, bob) = (indexable(app, "alice").await, app.user("bob").await);
        for (text, ..) in CASES {
            alice.publish(text).await;
        }
        for (text, hits, misses) in CASES {
            for q in *hits {
                let found = texts(&bob, q).await;
                assert!(found.iter().any(|found| found == text), "{q} should find {text}");
            }
            for q in *misses {
                let found = texts(&bob, q).await;
                assert!(found.iter().all(|found| found != text), "{q} should not find {text}");
            }
        }
    }
}
