//! Announcements with their reactions.

use serde_json::{Value, json};
use siskin_entities::{
    Announcement, AnnouncementReaction, ShownAnnouncement,
    announcement::{LinkedStatus, Period},
    status::{Mention, StatusTag},
};
use siskin_ids::{AccountId, AnnouncementId, StatusId};
use siskin_wire::announcement;

use crate::samples::{self, NOW, json, urls};

fn reaction(name: &str, me: Option<bool>) -> AnnouncementReaction {
    let emoji = (name == "cat").then(|| samples::emoji("cat"));
    AnnouncementReaction { name: name.to_owned(), count: 2, me, emoji }
}

/// Returns an announcement with all fields filled in, as a viewer gets it or for all of them.
pub fn sample(read: Option<bool>) -> ShownAnnouncement {
    ShownAnnouncement {
        announcement: Announcement {
            id: AnnouncementId::new(7),
            text: "Tea :cat:".to_owned(),
            period: Period::of_days(NOW, NOW),
            scheduled_at: None,
            published_at: Some(NOW),
            created_at: NOW,
            updated_at: NOW,
        },
        content: "<p>Tea :cat:</p>".to_owned(),
        mentions: vec![Mention {
            account_id: AccountId::new(1),
            username: "alice".to_owned(),
            acct: "alice".to_owned(),
            url: String::new(),
        }],
        statuses: vec![LinkedStatus { id: StatusId::new(9), username: "alice".to_owned() }],
        tags: vec![StatusTag { name: "tea".to_owned() }],
        emojis: vec![samples::emoji("cat")],
        reactions: vec![reaction("cat", read), reaction("🐦", read)],
        read,
    }
}

#[test]
fn an_announcement_is_rendered_for_its_viewer() {
    let cat = json!({
        "shortcode": "cat", "category": "Cats & birds", "visible_in_picker": true,
        "url": "https://example.com/media/c.gif", "static_url": "https://example.com/media/d.png",
    });
    assert_eq!(
        json(&announcement::render(&sample(Some(true)), &urls())),
        json!({
            "id": "7",
            "content": "<p>Tea :cat:</p>",
            "starts_at": "2026-11-27T00:00:00.000Z",
            "ends_at": "2026-11-27T23:59:59.999Z",
            "all_day": true,
            "published_at": "2026-11-27T08:00:00.123Z",
            "updated_at": "2026-11-27T08:00:00.123Z",
            "read": true,
            "mentions": [{
                "id": "1", "username": "alice", "acct": "alice",
                "url": "https://example.com/@alice",
            }],
            "statuses": [{ "id": "9", "url": "https://example.com/@alice/9" }],
            "tags": [{ "name": "tea", "url": "https://example.com/tags/tea" }],
            "emojis": [cat],
            "reactions": [
                {
                    "name": "cat", "count": 2, "me": true,
                    "url": "https://example.com/media/c.gif",
                    "static_url": "https://example.com/media/d.png",
                },
                { "name": "🐦", "count": 2, "me": true },
            ],
        })
    );
}

#[test]
fn without_a_viewer_the_fields_of_a_viewer_are_absent() {
    let mut shown = sample(None);
    shown.announcement.period = None;
    let rendered = json(&announcement::render(&shown, &urls()));
    assert_eq!(rendered.get("read"), None);
    assert!(rendered["reactions"].as_array().unwrap().iter().all(|one| one.get("me").is_none()));
    for time in ["starts_at", "ends_at"] {
        assert_eq!(rendered.get(time), Some(&Value::Null));
    }
    assert_eq!(rendered["all_day"], false);
}
