//! Statuses that are too large are shortened.

use super::*;
use crate::read::{self, Subject};

fn html(bytes: usize) -> &'static str {
    leak("<p>Ein Absatz mit \"Wörtern\".</p>".repeat(bytes / 32)).as_str()
}

fn base(content: &'static str) -> Note<'static> {
    let replies = Replies {
        id: "https://town.example/1/replies",
        items: &["https://town.example/2"],
        next: None,
    };
    Note {
        url: "https://town.example/@a/1",
        to: &[PUBLIC],
        content,
        language: Some("de"),
        replies: Some(replies),
        source: Some(Source { content, media_type: "text/html" }),
        ..Note::new(STATUS, ALICE, NOW)
    }
}

#[test]
fn parts_are_left_out_in_order() {
    for (bytes, source, replies, language, is_whole) in [
        (10_000, true, true, true, true),
        (20_000, false, true, true, true),
        (40_000, false, false, false, true),
        (80_000, false, false, false, false),
    ] {
        let note = leak(base(html(bytes)));
        for document in
            [super::note(note).unwrap(), activity(&to_everyone(Action::Create(note))).unwrap()]
        {
            assert!(document.len() <= MAX_DOCUMENT_BYTES, "{bytes}: {}", document.len());
            let written = text(document.clone());
            assert_eq!(written.contains("\"source\""), source, "{bytes}");
            assert_eq!(written.contains("\"CollectionPage\""), replies, "{bytes}");
            assert!(written.contains("https://town.example/1/replies"));
            assert_eq!(written.contains("\"contentMap\""), language, "{bytes}");
            let object = match READER.document(&document).unwrap() {
                read::Document::Object(object) => object,
                read::Document::Activity(activity) => match activity.action {
                    read::Action::Create { mut objects } => match objects.remove(0) {
                        Subject::Object(object) => object,
                        other => panic!("{other:?}"),
                    },
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            };
            assert_eq!(object.content.len() >= note.content.len(), is_whole, "{bytes}");
            if !is_whole {
                assert!(object.content.ends_with(">https://town.example/@a/1</a></p>"));
            }
        }
    }
}

#[test]
fn too_many_mentions_are_an_error() {
    let ids: Vec<String> = (0..1000).map(|n| format!("https://far.example/users/{n}")).collect();
    let tags: Vec<Tag<'_>> =
        ids.iter().map(|href| Tag::Mention { href, name: "@b@far.example" }).collect();
    let note = Note { tags: &tags, ..base("<p>x</p>") };
    assert_eq!(super::note(&note), Err(TooLarge));
    assert_eq!(TooLarge.reason(), "write_too_large");
}

#[test]
fn a_page_that_is_too_large_has_ids_at_its_end() {
    let note = Note { source: None, ..base(html(60_000)) };
    let items = [Item::Note(&note); 40];
    let page = Page {
        id: "https://town.example/c?page=1",
        order: Order::Unordered,
        part_of: "https://town.example/c",
        next: None,
        prev: None,
        items: &items,
    };
    let bytes = super::page(&page);
    assert!(bytes.len() < 600_000);
    let read = READER.collection(&bytes).unwrap();
    assert_eq!(read.items.len(), 40);
    assert!(matches!((&read.items[0], &read.items[39]), (Subject::Object(_), Subject::Id(_))));
}
