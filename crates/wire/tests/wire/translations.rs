//! Tests of translated statuses.

use serde_json::json;
use siskin_entities::Translation;
use siskin_wire::translation;

use crate::samples::{self, json};

#[test]
fn a_translation_has_all_texts_and_its_provider() {
    assert_eq!(
        json(&translation::render(&samples::translation())),
        json!({
            "content": "<p>Hallo</p>",
            "spoiler_text": "Oh",
            "language": "de",
            "poll": { "id": "41", "options": [{ "title": "ja" }] },
            "media_attachments": [{ "id": "51", "description": "Eine Katze" }],
            "detected_source_language": "en",
            "provider": "LibreTranslate",
        })
    );
}

#[test]
fn missing_parts_of_a_translation_are_null_or_empty() {
    let bare = Translation {
        poll: None,
        descriptions: Vec::new(),
        source: None,
        ..samples::translation()
    };
    let bare = json(&translation::render(&bare));
    assert_eq!((&bare["poll"], &bare["media_attachments"]), (&json!(null), &json!([])));
    assert_eq!(bare["detected_source_language"], "und");
}

#[test]
fn languages_are_grouped_by_source() {
    assert_eq!(
        json(&translation::render_languages(&samples::languages())),
        json!({ "en": ["de", "fr"], "und": ["de", "fr"] })
    );
}
