use proptest::prelude::*;
use siskin_ids::{AccountId, MediaId, StatusId};

use super::{Condition, Period, Property, SearchScope, StatusQuery};
use crate::{
    Account, AccountSnapshot, MediaAttachment, MediaKind, MediaMeta, MediaStage, StatusBody,
    StatusSnapshot, Timestamp,
};

const NOON: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);

fn status(html: &str) -> StatusBody {
    let author = Account::new(AccountSnapshot::new(AccountId::new(7), "alice", NOON));
    let snapshot = StatusSnapshot::new(StatusId::new(8), &author, html, NOON);
    StatusBody::new(snapshot, author)
}

fn words(query: &StatusQuery) -> Vec<(String, bool)> {
    let text = |words: &[siskin_text::SearchWord]| {
        words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    query.phrases.iter().map(|one| (text(&one.of), one.is_negated)).collect()
}

#[test]
fn words_and_phrases_are_split_at_white_space_and_quotes() {
    let query =
        StatusQuery::parse("one  -two \"three four\" -\u{201C}five six\u{201D}don't \"open x");
    let expected = [
        ("one", false),
        ("two", true),
        ("three four", false),
        ("five six", true),
        ("don t", false),
        ("open x", false),
    ];
    assert_eq!(words(&query), expected.map(|(text, negated)| (text.to_owned(), negated)));
}

#[test]
fn operators_become_conditions() {
    let query = StatusQuery::parse(
        "from:@Bob@far.example -from:me HAS:Image -is:sensitive is:reply language:de in:library",
    );
    let authors: Vec<_> =
        query.authors.iter().map(|one| (one.of.as_str(), one.is_negated)).collect();
    assert_eq!(authors, [("@Bob@far.example", false), ("me", true)]);
    assert_eq!(
        query.properties,
        [
            Condition { of: Property::Image, is_negated: false },
            Condition { of: Property::Sensitive, is_negated: true },
            Condition { of: Property::Reply, is_negated: false },
        ]
    );
    assert_eq!(query.languages[0].of, "de");
    assert_eq!(query.scope, SearchScope::Library);
    assert!(query.phrases.is_empty());
    assert_eq!(StatusQuery::parse("-in:library x").scope, SearchScope::Public);
    assert_eq!(StatusQuery::parse("-in:public x").scope, SearchScope::Library);
}

#[test]
fn what_is_no_operator_is_text() {
    for (text, expected) in [
        ("has:cats", "has cats"),
        ("is:image", "is image"),
        ("from:", "from"),
        ("before:yesterday", "before yesterday"),
        ("before:2026-02-30", "before 2026 02 30"),
        ("before:2026-1-1", "before 2026 1 1"),
        ("in:here", "in here"),
        ("language:klingonese", "language klingonese"),
        ("cat:dog", "cat dog"),
        ("\"from:me\"", "from me"),
        ("AND(OR*NEAR/2)^", "and or near 2"),
        ("'; DROP", "drop"),
    ] {
        let query = StatusQuery::parse(text);
        assert_eq!(words(&query).into_iter().map(|(text, _)| text).collect::<Vec<_>>(), [expected]);
    }
}

#[test]
fn texts_without_words_are_empty_queries() {
    for text in ["", " ", "\"", "\"\"", "-", "--", "@@", "%", "_", "\0", "* ^ : ( )", "🎉"] {
        assert!(StatusQuery::parse(text).is_empty(), "{text}");
    }
    assert!(!StatusQuery::parse("from:me").is_empty());
}

#[test]
fn days_limit_the_time_of_publication() {
    let day = |text: &str| StatusQuery::parse(text).period();
    let begin = NOON.midnight();
    let end = Timestamp::from_unix_ms(begin.unix_ms() + 86_400_000);
    let date = "2026-11-27";
    assert_eq!(day(&format!("during:{date}")), Period { from: begin, until: end });
    assert_eq!(day(&format!("before:{date}")).until, begin);
    assert_eq!(day(&format!("after:{date}")).from, end);
    assert_eq!(day(&format!("-before:{date}")).from, begin);
    assert_eq!(day(&format!("-after:{date}")).until, end);
    let today = status("<p>x</p>");
    for (operator, expected) in [
        ("during", true),
        ("before", false),
        ("after", false),
        ("-during", false),
        ("-before", true),
        ("-after", true),
    ] {
        let query = StatusQuery::parse(&format!("{operator}:{date}"));
        assert_eq!(query.matches(&today), expected, "{operator}");
    }
}

#[test]
fn a_phrase_must_be_in_one_text() {
    let mut body = status("<p>The <b>qui</b>ck brown</p><p>fox&amp;hound</p>");
    body.snapshot_mut().source.spoiler_text = "Fables".to_owned();
    body.snapshot_mut().attachments.push(MediaAttachment {
        id: MediaId::new(1),
        account: AccountId::new(7),
        status: None,
        scheduled: None,
        kind: MediaKind::Image,
        stage: MediaStage::Ready,
        source: None,
        file: None,
        preview: None,
        description: "A picture".to_owned(),
        focus: None,
        blurhash: None,
        meta: MediaMeta::default(),
    });
    for (query, expected) in [
        ("quick", true),
        ("\"quick brown\"", true),
        ("fox hound fables PICTURE", true),
        ("qui", false),
        ("\"fables the\"", false),
        ("-fox", false),
        ("quick -\"fox brown\"", true),
        ("has:image has:media -has:video -has:poll", true),
        ("has:link", false),
        ("has:audio", false),
    ] {
        assert_eq!(StatusQuery::parse(query).matches(&body), expected, "{query}");
    }
    let link = status("<p><a href=\"https://a.example/@b\" class=\"u-url mention\">@b</a></p>");
    assert!(!StatusQuery::parse("has:link").matches(&link));
    let link = status("<p><a href=\"https://a.example/\" rel=\"nofollow\">a</a></p>");
    assert!(StatusQuery::parse("has:link").matches(&link));
}

proptest! {
    #[test]
    fn every_text_is_a_query_of_bounded_size(text in any::<String>()) {
        let query = StatusQuery::parse(&text);
        let conditions = query.phrases.len() + query.authors.len() + query.properties.len()
            + query.languages.len() + query.periods.len();
        prop_assert!(conditions <= 32);
        prop_assert!(query.phrases.iter().all(|one| !one.of.is_empty()));
    }

    // A status is found by any of its words, and by no negated one.
    #[test]
    fn a_status_is_found_by_its_words(text in "[a-zäöü東京]{1,6}( [a-zäöü東京]{1,6}){0,4}") {
        let body = status(&format!("<p>{text}</p>"));
        for word in text.split(' ') {
            prop_assert!(StatusQuery::parse(word).matches(&body), "{word}");
            let without = format!("-{word}");
            prop_assert!(!StatusQuery::parse(&without).matches(&body), "{word}");
        }
        let phrase = format!("\"{text}\"");
        prop_assert!(StatusQuery::parse(&phrase).matches(&body));
    }
}
