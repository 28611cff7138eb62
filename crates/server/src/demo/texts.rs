//! Generated texts: random sentences in several scripts.

use rand::{Rng, rngs::StdRng};

use super::network::one_of;

/// A language with its texts.
#[derive(Debug)]
pub struct Language {
    pub code: &'static str,
    /// Separator between sentences.
    gap: &'static str,
    names: &'static [&'static str],
    sentences: &'static [&'static str],
    tags: &'static [&'static str],
    /// Text of a content warning.
    pub warning: &'static str,
}

const LANGUAGES: &[Language] = &[
    Language {
        code: "en",
        gap: " ",
        names: &["Robin Field", "Wren Marsh", "Jay Alder", "Martin Brook", "Linnet Hale"],
        sentences: &[
            "A siskin sat on the feeder this morning and would not leave.",
            "The 7:40 is late again, but the sunrise over the canal made up for it.",
            "I finally understood borrow checking while washing the dishes.",
            "Does anyone have a good recipe for pickled beetroot?",
            "The library has put out chairs in the garden, go and read there.",
            "My grandmother's clock runs backwards since the move.",
            "Wrote three lines today and deleted four.",
            "If you see a red kite over the old mill, please tell me.",
            "The tea went cold, and the bug is still there.",
            "Small servers make good neighbours.",
        ],
        tags: &["birds", "TeaTime", "rustlang", "gardening", "TrainWatch", "smallweb"],
        warning: "food",
    },
    Language {
        code: "de",
        gap: " ",
        names: &["Zeisig Müller", "Änne Groß", "Jörg Weiß", "Käthe Süß"],
        sentences: &[
            "Heute früh saß ein Erlenzeisig am Futterhaus und blieb.",
            "Der Zug fährt heute ausnahmsweise pünktlich.",
            "Wer hat ein gutes Rezept für Grünkohl?",
            "Über Nacht hat es gefroren, die Straße glänzt.",
            "Ich habe drei Zeilen geschrieben und vier gelöscht.",
            "Im Hinterhof blüht schon wieder die Zaubernuss.",
            "Kleine Server sind gute Nachbarn.",
            "Der Kaffee ist kalt, der Fehler noch da.",
        ],
        tags: &["Vögel", "Straßenbahn", "Garten", "Kaffeepause"],
        warning: "Essen",
    },
    Language {
        code: "fr",
        gap: " ",
        names: &["Élodie Chêne", "Noël Févier", "Agnès Prés"],
        sentences: &[
            "Un tarin s'est posé sur le rebord de la fenêtre ce matin.",
            "Le train de 7 h 40 est encore en retard.",
            "Quelqu'un a une recette de soupe à l'oignon ?",
            "J'ai écrit trois lignes et j'en ai effacé quatre.",
            "La bibliothèque a sorti des chaises dans le jardin.",
            "Il a gelé cette nuit, la rivière fume.",
            "Le thé a refroidi, le bogue est toujours là.",
        ],
        tags: &["oiseaux", "théière", "jardinage", "forêt"],
        warning: "nourriture",
    },
    Language {
        code: "es",
        gap: " ",
        names: &["Íñigo Peña", "Begoña Núñez", "Julián Águila"],
        sentences: &[
            "Esta mañana un jilguero cantaba en el balcón.",
            "El tren llega tarde, pero amanece precioso.",
            "¿Alguien sabe hacer pan sin amasar?",
            "He escrito tres líneas y he borrado cuatro.",
            "En el patio ya florece el almendro.",
            "¡Qué frío hace hoy junto al río!",
        ],
        tags: &["pájaros", "mañanas", "panadería", "otoño"],
        warning: "comida",
    },
    Language {
        code: "ja",
        gap: "",
        names: &["鈴木 小鳥", "たなか ひわ", "サトウ カワラ", "森 みどり"],
        sentences: &[
            "今朝、庭にマヒワが来ました。",
            "電車がまた遅れています。",
            "おいしい味噌汁の作り方を教えてください。",
            "三行書いて、四行消した。",
            "図書館の窓から富士山が見えます。",
            "お茶が冷めてしまいました。",
            "小さなサーバーが好きです。",
        ],
        tags: &["野鳥", "お茶の時間", "ｶﾒﾗ散歩", "読書"],
        warning: "食べ物",
    },
    Language {
        code: "zh",
        gap: "",
        names: &["林小雀", "陈黄雀", "王晓鸣"],
        sentences: &[
            "今天早上窗台上来了一只黄雀。",
            "火车又晚点了,不过日出很美。",
            "谁有好吃的豆腐做法?",
            "写了三行,删了四行。",
            "院子里的梅花开了。",
            "茶凉了,错误还在。",
        ],
        tags: &["观鸟", "喝茶", "编程", "散步"],
        warning: "食物",
    },
    Language {
        code: "ko",
        gap: " ",
        names: &["김검은방울", "박새미", "이솔"],
        sentences: &[
            "오늘 아침 창가에 검은방울새가 앉았다.",
            "기차가 또 늦는다.",
            "맛있는 김치찌개 만드는 법 아시는 분?",
            "세 줄 쓰고 네 줄 지웠다.",
            "도서관 앞에 은행잎이 가득하다.",
        ],
        tags: &["새관찰", "아침", "독서"],
        warning: "음식",
    },
    Language {
        code: "ru",
        gap: " ",
        names: &["Чиж Ёлкин", "Алёна Соловьёва", "Юрий Щеглов"],
        sentences: &[
            "Сегодня утром на подоконник прилетел чиж.",
            "Поезд опять опаздывает.",
            "Кто знает хороший рецепт борща?",
            "Написал три строки и стёр четыре.",
            "В саду уже цветёт сирень.",
            "Чай остыл, а ошибка осталась.",
        ],
        tags: &["птицы", "чай", "ёлка", "чтение"],
        warning: "еда",
    },
    Language {
        code: "el",
        gap: " ",
        names: &["Λευτέρης Σπίνος", "Ελένη Καρδερίνα"],
        sentences: &[
            "Σήμερα το πρωί ένα λούγαρο κάθισε στο παράθυρο.",
            "Το τρένο άργησε πάλι.",
            "Ποιος ξέρει μια καλή συνταγή για φασολάδα;",
            "Έγραψα τρεις γραμμές και έσβησα τέσσερις.",
            "Η θάλασσα είναι ήσυχη απόψε.",
        ],
        tags: &["πουλιά", "θάλασσα", "καφές"],
        warning: "φαγητό",
    },
    Language {
        code: "ar",
        gap: " ",
        names: &["سلمى حسون", "طارق البلبل"],
        sentences: &[
            "جاء عصفور صغير إلى النافذة هذا الصباح.",
            "تأخر القطار مرة أخرى.",
            "من يعرف وصفة جيدة لحساء العدس؟",
            "كتبت ثلاثة أسطر ومحوت أربعة.",
            "القهوة بردت والخطأ ما زال هنا.",
        ],
        tags: &["طيور", "قهوة", "قراءة"],
        warning: "طعام",
    },
    Language {
        code: "hi",
        gap: " ",
        names: &["मीना चिड़िया", "अर्जुन वन"],
        sentences: &[
            "आज सुबह खिड़की पर एक चिड़िया आई।",
            "रेलगाड़ी फिर देर से चल रही है।",
            "दाल की अच्छी विधि कौन बताएगा?",
            "तीन पंक्तियाँ लिखीं और चार मिटा दीं।",
            "चाय ठंडी हो गई।",
        ],
        tags: &["पक्षी", "चाय", "किताबें"],
        warning: "भोजन",
    },
];

const EMOJIS: &[&str] = &["🐦", "🍵", "🌲", "🚂", "☔", "📚", "👩‍🌾", "🏳️‍🌈", "❄️", "🥐"];
const LINKS: &[&str] = &[
    "https://example.com/birds/siskin",
    "https://example.org/timetable?line=7&from=mill",
    "https://example.net/wiki/Erlenzeisig",
];
const SYLLABLES: &[&str] = &[
    "ba", "chi", "do", "fe", "gu", "ha", "jo", "ki", "lu", "ma", "ne", "pi", "ro", "su", "ti",
    "vo", "wa", "ze",
];

/// Draws a language: the first ones are most likely.
pub fn language(random: &mut StdRng) -> &'static Language {
    let last = random.random_range(1..=LANGUAGES.len());
    &LANGUAGES[random.random_range(0..last)]
}

/// Returns a user name that is unique for the number.
pub fn username(random: &mut StdRng, number: usize) -> String {
    if number == 0 {
        return "demo".to_owned();
    }
    let syllables: String = (0..3).map(|_| one_of(random, SYLLABLES)).collect();
    format!("{syllables}_{number}")
}

/// Draws a display name. Some are equal to the user name.
pub fn display_name(random: &mut StdRng, language: &Language, username: &str) -> String {
    match random.random_range(0..10) {
        0 => username.to_owned(),
        1 => format!("{} {}", one_of(random, language.names), one_of(random, EMOJIS)),
        _ => one_of(random, language.names).to_owned(),
    }
}

/// Draws this number of sentences, which are unrelated.
pub fn sentences(random: &mut StdRng, language: &Language, number: usize) -> String {
    let chosen: Vec<&str> = (0..number).map(|_| one_of(random, language.sentences)).collect();
    chosen.join(language.gap)
}

/// Draws a hashtag of the language, without `#`.
pub fn tag(random: &mut StdRng, language: &Language) -> &'static str {
    one_of(random, language.tags)
}

/// Adds hashtags, a link or an emoji to some texts.
pub fn decorate(random: &mut StdRng, language: &Language, text: &mut String) {
    if random.random_bool(0.15) {
        text.push(' ');
        text.push_str(one_of(random, EMOJIS));
    }
    if random.random_bool(0.08) {
        text.push_str("\n\n");
        text.push_str(one_of(random, LINKS));
    }
    if random.random_bool(0.3) {
        for _ in 0..random.random_range(1..=2) {
            text.push_str(" #");
            text.push_str(one_of(random, language.tags));
        }
    }
}

/// A text of one word or less.
pub fn word(random: &mut StdRng, language: &Language) -> String {
    match random.random_range(0..3) {
        0 => one_of(random, EMOJIS).to_owned(),
        1 => format!("#{}", one_of(random, language.tags)),
        _ => format!("{} {}", one_of(random, EMOJIS), one_of(random, EMOJIS)),
    }
}

/// Puts sentences before a text, as paragraphs, up to about `max_chars` characters.
pub fn lengthen(random: &mut StdRng, language: &Language, text: &mut String, max_chars: usize) {
    loop {
        let number = random.random_range(1..=2);
        let paragraph = sentences(random, language, number);
        if text.chars().count() + paragraph.chars().count() + 2 > max_chars {
            return;
        }
        *text = format!("{paragraph}\n\n{text}");
    }
}

/// Draws two to four different options for a poll.
pub fn choices(random: &mut StdRng, language: &Language) -> Vec<String> {
    let first = random.random_range(0..language.tags.len());
    let number = random.random_range(2..=4.min(language.tags.len()));
    let tags = language.tags.iter().cycle().skip(first).take(number);
    tags.map(|tag| (*tag).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use siskin_text::language;

    use super::*;

    #[test]
    fn every_language_is_known_and_has_sentences() {
        for language in LANGUAGES {
            assert_eq!(language::normalise(language.code), Some(language.code));
            assert!(!language.names.is_empty() && !language.tags.is_empty());
            assert!(language.sentences.len() >= 5);
            assert!(language.sentences.iter().all(|sentence| sentence.chars().count() < 100));
        }
    }
}
