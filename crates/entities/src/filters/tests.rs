//! Tests of each rule by which filters match.

mod against_naive;
mod samples;

use std::{sync::Arc, time::Duration};

use siskin_ids::{AccountId, MediaId, PollId, StatusId};

use self::samples::{NOW, account, body, filter, naming, status, with_head};
use super::*;
use crate::{
    MediaAttachment, MediaKind, MediaMeta, MediaStage, Status, StatusBody,
    notification::{Notification, NotificationKind},
    polls::{Poll, PollOption},
};

/// Returns the keywords that a filter with these keywords finds in a status with this content.
fn found(keywords: &[(&str, bool)], content: &str) -> Vec<String> {
    let set = FilterSet::compile(&[filter(1, keywords)]).unwrap();
    let mut results = set.results(FilterContext::Home, NOW, &status(content));
    results.pop().map_or_else(Vec::new, |result| result.keyword_matches)
}

#[test]
fn matching_ignores_case_and_returns_the_original_text() {
    for whole_word in [true, false] {
        assert_eq!(found(&[("hello", whole_word)], "<p>HeLLo there</p>"), ["HeLLo"]);
        assert_eq!(found(&[("STRASSE", whole_word)], "<p>Die Straße</p>"), ["Straße"]);
        assert_eq!(found(&[("οδος", whole_word)], "<p>ΟΔΟΣ</p>"), ["ΟΔΟΣ"]);
    }
}

#[test]
fn whole_word_keywords_need_word_boundaries_only_beside_word_characters() {
    let words = [("test", false), ("cat", true), ("#bread", true), ("c++", true)];
    for (text, is_found) in [
        ("Test0", true),
        ("category", false),
        ("I like #bread", true),
        ("#breadbin", false),
        ("c++ rocks", true),
        ("c++11", true),
        ("abc++", false),
        ("a cat.", true),
        ("cat_", false),
        ("cat\u{301}", false),
        ("cat²", true),
        ("x#bread", true),
    ] {
        assert_eq!(!found(&words, text).is_empty(), is_found, "{text}");
    }
}

#[test]
fn special_characters_match_literally() {
    let odd = [("[x", false), ("a.b(", false), (".*", false), ("$100", false), ("\\", false)];
    assert!(found(&odd, "axb(").is_empty());
    assert!(found(&odd, "anything").is_empty());
    assert_eq!(found(&odd, "see a.b( and [X"), ["[X", "a.b("]);
    assert_eq!(found(&odd, "$100 \\ .*"), [".*", "$100", "\\"]);
}

#[test]
fn markup_is_neither_matched_nor_a_word_boundary() {
    let mention = r#"<p>hello <span class="h-card"><a href="x">@<span>bob</span></a></span></p>"#;
    assert!(found(&[("span", false), ("href", false)], mention).is_empty());
    assert_eq!(found(&[("@bob", true)], mention), ["@bob"]);
    assert_eq!(found(&[("foo bar", true)], "<p><strong>foo</strong> bar</p>"), ["foo bar"]);
    assert!(found(&[("foo bar", false)], "<p>foo #<span>bar</span></p>").is_empty());
    assert_eq!(found(&[("a < b & c", false)], "<p>a &lt; b &amp; c</p>"), ["a < b & c"]);
}

#[test]
fn white_space_matches_literally() {
    assert!(found(&[("foo bar", false)], "<p>foo  bar</p>").is_empty());
    assert!(found(&[("foo bar", false)], "<p>foo<br>bar</p>").is_empty());
    assert!(found(&[("foobar", false)], "<p>foo</p><p>bar</p>").is_empty());
    assert_eq!(found(&[("foo\nbar", false)], "<p>foo<br>bar</p>"), ["foo\nbar"]);
    assert!(found(&[(" cat", false)], "<p>cat</p>").is_empty());
    assert_eq!(found(&[(" cat", true)], "<p>a cat</p>"), [" cat"]);
}

#[test]
fn every_text_of_a_status_is_searched() {
    let mut full = body(7, "<p>content</p>");
    full.snapshot_mut().source.spoiler_text = "warning".to_owned();
    let options = vec![PollOption { title: "option".to_owned(), votes: 0 }];
    full.poll = Some(Poll {
        id: PollId::new(1),
        options,
        multiple: false,
        hide_totals: false,
        expires_at: None,
        closed: false,
        voters: 0,
        emojis: Vec::new(),
        viewer: None,
    });
    full.snapshot_mut().attachments = vec![MediaAttachment {
        id: MediaId::new(1),
        account: AccountId::new(1),
        status: None,
        scheduled: None,
        kind: MediaKind::Image,
        stage: MediaStage::Ready,
        file: None,
        preview: None,
        source: None,
        description: "picture".to_owned(),
        blurhash: None,
        meta: MediaMeta::default(),
        focus: None,
    }];
    let read: Vec<_> = texts(&full).map(|(part, text)| (part, text.into_owned())).collect();
    let expected = [
        (Part::SpoilerText, "warning".to_owned()),
        (Part::Content, "content".to_owned()),
        (Part::PollOption(0), "option".to_owned()),
        (Part::Description(0), "picture".to_owned()),
    ];
    assert_eq!(read, expected);
    for (_, word) in expected {
        let set = FilterSet::compile(&[filter(1, &[(&word, true)])]).unwrap();
        let reblog = Status { body: body(8, ""), reblog: Some(Box::new(full.clone())) };
        assert_eq!(set.results(FilterContext::Home, NOW, &reblog)[0].keyword_matches, [word]);
    }
    // The spelling is that of the first occurrence in reading order.
    let set = FilterSet::compile(&[filter(1, &[("bird", true)])]).unwrap();
    let first = |body: &StatusBody| {
        let status = Status::new(body.clone());
        set.results(FilterContext::Home, NOW, &status)[0].keyword_matches.clone()
    };
    full.snapshot_mut().attachments[0].description = "BIRD".to_owned();
    full.poll.as_mut().unwrap().options[0].title = "bird".to_owned();
    assert_eq!(first(&full), ["bird"]);
    full.snapshot_mut().content = "<p>Bird</p>".to_owned();
    assert_eq!(first(&full), ["Bird"]);
}

#[test]
fn an_empty_keyword_matches_nothing_and_uses_no_memory() {
    let long = "ab".repeat(5_000);
    let keywords = Keywords::compile([("", false), (&*long, false), ("", true), ("a", true)]);
    let keywords = keywords.unwrap();
    assert_eq!(keywords.len(), 4);
    assert_eq!(keywords.spans("x a", usize::MAX), [Span { keyword: 3, range: 2..3 }]);
    // If the empty keyword were a pattern, the automaton would list it at every state, millions of
    // times.
    assert!(keywords.memory() < 1 << 20, "{}", keywords.memory());
    let none = Keywords::compile([("", false)]).unwrap();
    assert_eq!((none.len(), none.spans("x", usize::MAX)), (1, Vec::new()));
}

#[test]
fn a_filter_applies_in_its_contexts_and_until_it_ends() {
    let one = |context| [context].into_iter().collect::<FilterContexts>();
    let filters = FilterContext::ALL.map(|context| {
        let id = i64::from(context as i16) + 1;
        with_head(filter(id, &[("x", false)]), |head| head.contexts = one(context))
    });
    let set = FilterSet::compile(&filters).unwrap();
    for context in FilterContext::ALL {
        let results = set.results(context, NOW, &status("x"));
        assert_eq!(results.len(), 1, "{context:?}");
        assert!(results[0].filter.contexts.contains(context));
    }
    let ends = with_head(filter(1, &[("x", false)]), |head| head.expires_at = Some(NOW));
    let set = FilterSet::compile(&[ends]).unwrap();
    let last = NOW.before(Duration::from_millis(1));
    assert_eq!(set.results(FilterContext::Home, last, &status("x")).len(), 1);
    assert!(set.results(FilterContext::Home, NOW, &status("x")).is_empty());
}

#[test]
fn filters_match_independently_and_hiding_ones_come_first() {
    let hides = with_head(filter(3, &[("b", false)]), |head| head.action = FilterAction::Hide);
    let filters = [filter(1, &[("a", false), ("b", false)]), filter(2, &[("c", false)]), hides];
    let results =
        FilterSet::compile(&filters).unwrap().results(FilterContext::Home, NOW, &status("A b"));
    let found_by_filter: Vec<_> =
        results.iter().map(|result| (result.filter.id.get(), &result.keyword_matches)).collect();
    assert_eq!(
        found_by_filter,
        [(3, &vec!["b".to_owned()]), (1, &vec!["A".to_owned(), "b".to_owned()])]
    );
}

#[test]
fn filters_that_only_blur_media_come_last() {
    let acts = |id, action| with_head(filter(id, &[("b", false)]), |head| head.action = action);
    let filters = [
        acts(1, FilterAction::Blur),
        acts(2, FilterAction::Warn),
        acts(3, FilterAction::Hide),
        acts(4, FilterAction::Blur),
    ];
    let results =
        FilterSet::compile(&filters).unwrap().results(FilterContext::Home, NOW, &status("b"));
    let order: Vec<_> = results.iter().map(|result| result.filter.id.get()).collect();
    assert_eq!(order, [3, 2, 1, 4]);
}

#[test]
fn a_status_matches_by_its_id_and_so_does_its_reblog() {
    let set = FilterSet::compile(&[naming(filter(1, &[("x", false)]), &[7])]).unwrap();
    let own = set.results(FilterContext::Home, NOW, &status("y"));
    assert_eq!(own[0].status_matches, [StatusId::new(7)]);
    assert!(own[0].keyword_matches.is_empty());
    let inner = Box::new(body(7, "y"));
    let marked =
        set.mark(FilterContext::Home, NOW, vec![Status { body: body(9, ""), reblog: Some(inner) }]);
    let filtered = |body: &StatusBody| body.viewer.clone().unwrap().filtered;
    assert_eq!(filtered(&marked[0].body)[0].status_matches, [StatusId::new(7)]);
    assert_eq!(filtered(marked[0].reblog.as_ref().unwrap()), filtered(&marked[0].body));
}

#[test]
fn a_filter_on_a_reblog_does_not_mark_the_reblogged_status() {
    let set = FilterSet::compile(&[naming(filter(1, &[]), &[9])]).unwrap();
    let reblog = Status { body: body(9, ""), reblog: Some(Box::new(body(7, "y"))) };
    let marked = set.mark(FilterContext::Home, NOW, reblog);
    assert_eq!(marked.body.viewer.as_ref().unwrap().filtered.len(), 1);
    assert!(marked.reblog.as_ref().unwrap().viewer.as_ref().unwrap().filtered.is_empty());
}

#[test]
fn a_status_loaded_without_a_viewer_is_not_marked() {
    let set = FilterSet::compile(&[filter(1, &[("x", false)])]).unwrap();
    let public = Status { body: StatusBody { viewer: None, ..body(7, "x") }, reblog: None };
    assert_eq!(set.mark(FilterContext::Public, NOW, public.clone()).into_inner(), public);
}

#[test]
fn the_status_of_a_notification_is_marked() {
    let set = FilterSet::compile(&[filter(1, &[("x", false)])]).unwrap();
    let notification = Notification {
        id: siskin_ids::NotificationId::new(1),
        kind: NotificationKind::Mention,
        account: Arc::new(account()),
        status: Some(status("x")),
        record: None,
        created_at: NOW,
        filtered: false,
    };
    let marked = set.mark(FilterContext::Notifications, NOW, notification);
    let status = marked.status.as_ref().unwrap();
    assert_eq!(status.body.viewer.as_ref().unwrap().filtered.len(), 1);
}

#[test]
fn parts_of_another_program_match_like_those_of_a_status() {
    let filters = [naming(filter(1, &[("cat", true)]), &[7]), filter(2, &[("dog", false)])];
    let set = FilterSet::compile(&filters).unwrap();
    let results = |texts: &SearchedTexts<'_>| set.results(FilterContext::Home, NOW, texts);
    let none = SearchedTexts::default();
    assert!(results(&none).is_empty());
    let parts = [
        SearchedTexts { spoiler_text: "Cat", ..none.clone() },
        SearchedTexts { html: "<p class=\"dog\">Ca<b>t</b>", ..none.clone() },
        SearchedTexts { text: "<Cat>", ..none.clone() },
        SearchedTexts { poll_options: vec!["", "Cat"], ..none.clone() },
        SearchedTexts { descriptions: vec!["Cat", "cat"], ..none.clone() },
    ];
    for parts in &parts {
        let found = results(parts);
        assert_eq!((found.len(), &found[0].filter), (1, &filters[0].head), "{parts:?}");
        assert!(found[0].keyword_matches.starts_with(&["Cat".into()]), "{parts:?}");
    }
    let listed = results(&SearchedTexts { ids: vec![StatusId::new(7)], text: "x", ..none });
    assert_eq!(listed[0].status_matches, [StatusId::new(7)]);
    assert_eq!(set.results(FilterContext::Home, NOW, "Hot dogs")[0].keyword_matches, ["dog"]);
    assert!(set.results(FilterContext::Home, NOW, "").is_empty());
}

#[test]
fn names_and_numbers_round_trip() {
    for context in FilterContext::ALL {
        assert_eq!(context.as_str().parse(), Ok(context));
        let alone: FilterContexts = [context].into_iter().collect();
        assert_eq!(
            FilterContexts::from_number(alone.number()).iter().collect::<Vec<_>>(),
            [context]
        );
    }
    for action in FilterAction::ALL {
        assert_eq!(action.as_str().parse(), Ok(action));
        assert_eq!(FilterAction::from_number(action.number()), action);
    }
    assert_eq!("nowhere".parse::<FilterContext>(), Err(UnknownContext));
    // Stored numbers never change their meaning.
    assert_eq!(FilterAction::ALL.map(FilterAction::number), [0, 1, 2]);
    assert_eq!("blur".parse::<FilterAction>(), Ok(FilterAction::Blur));
    assert_eq!("shrink".parse::<FilterAction>(), Err(UnknownAction));
    assert_eq!(FilterContexts::from_number(-1), FilterContexts::all());
}

#[test]
fn spans_are_in_order_and_limited() {
    let keywords = Keywords::compile([("aa", false), ("b", true), ("", false)]).unwrap();
    let span = |keyword, range| Span { keyword, range };
    assert_eq!(keywords.spans("aaaa b", 9), [span(0, 0..2), span(0, 2..4), span(1, 5..6)]);
    assert_eq!(keywords.spans("aaaa b", 1), [span(0, 0..2)]);
    assert!(Keywords::compile([]).unwrap().spans("a", 9).is_empty());
}
