use std::sync::Arc;

use serde_json::{Value, json};
use siskin_entities::{
    Account, AccountSnapshot, MediaMeta, MediaStage, Picture as StoredPicture, Poll as PollView,
    PreviewCard, QuoteApproval, StatusSnapshot,
    media::{PixelSize, Playing},
    polls::PollOption as PollOptionView,
    status::StatusTag,
};
use siskin_federation::{
    address::Schemes,
    audience::PUBLIC,
    read::{Document, Reader},
};
use siskin_ids::{MediaId, PollId};

use super::*;

/// 2026-11-27T08:00:00Z.
const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);
const FILE: &str = "0123456789abcdef0123456789abcdef";
const ALICE: &str = "https://town.example/users/alice";
const STATUS: &str = "https://town.example/users/alice/statuses/7";
const BOB: &str = "https://far.example/people/2";

fn urls() -> Urls {
    Urls::new("https://town.example", "town.example", "https://files.town.example")
}

fn account(id: i64, username: &str) -> Arc<Account> {
    Arc::new(Account::new(AccountSnapshot::new(AccountId::new(id), username, NOW)))
}

fn body(visibility: Visibility) -> StatusBody {
    let alice = account(1, "alice");
    let snapshot = StatusSnapshot {
        visibility,
        ..StatusSnapshot::new(StatusId::new(7), &alice, "<p>Hello</p>", NOW)
    };
    StatusBody::new(snapshot, alice)
}

fn mention(id: i64, acct: &str) -> Mention {
    let username = acct.split('@').next().unwrap_or_default().to_owned();
    let (account_id, url) = (AccountId::new(id), String::new());
    Mention { account_id, username, acct: acct.to_owned(), url }
}

fn named() -> NamedIds {
    NamedIds {
        parents: [(StatusId::new(5), "https://far.example/notes/5".to_owned())]
            .into_iter()
            .collect(),
        people: [(AccountId::new(2), BOB.to_owned())].into_iter().collect(),
    }
}

fn note(status: &Status) -> Value {
    let own_replies = [StatusId::new(8)];
    let bytes = write_note(&Texts::of(status, &named(), &urls(), &own_replies, NOW)).unwrap();
    let read = Reader::new(Schemes::Https).document(&bytes).unwrap();
    assert!(matches!(read, Document::Object(_)), "{read:?}");
    serde_json::from_slice(&bytes).unwrap()
}

fn activity(status: &Status) -> Value {
    let bytes = write_activity(&Texts::of(status, &named(), &urls(), &[], NOW)).unwrap();
    let read = Reader::new(Schemes::Https).document(&bytes).unwrap();
    assert!(matches!(read, Document::Activity(_)), "{read:?}");
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn a_status_has_the_ids_and_addresses_of_this_server() {
    let written = note(&Status::new(body(Visibility::Public)));
    for (member, expected) in [
        ("id", json!(STATUS)),
        ("type", json!("Note")),
        ("attributedTo", json!(ALICE)),
        ("published", json!("2026-11-27T08:00:00Z")),
        ("url", json!("https://town.example/@alice/7")),
        ("to", json!([PUBLIC])),
        ("cc", json!(["https://town.example/users/alice/followers"])),
        ("content", json!("<p>Hello</p>")),
        ("sensitive", json!(false)),
        (
            "replies",
            json!({
                "id": "https://town.example/users/alice/statuses/7/replies",
                "type": "Collection",
                "first": {
                    "type": "CollectionPage",
                    "partOf": "https://town.example/users/alice/statuses/7/replies",
                    "next": "https://town.example/users/alice/statuses/7/replies?page=true",
                    "items": ["https://town.example/users/alice/statuses/8"],
                },
            }),
        ),
        (
            "likes",
            json!({
                "id": "https://town.example/users/alice/statuses/7/likes",
                "type": "Collection",
                "totalItems": 0,
            }),
        ),
    ] {
        assert_eq!(written[member], expected, "{member}");
    }
    for member in ["updated", "summary", "inReplyTo", "source", "tag", "attachment", "quote"] {
        assert_eq!(written[member], Value::Null, "{member}");
    }
}

#[test]
fn mentions_hashtags_and_emojis_are_tags() {
    let mut body = body(Visibility::Unlisted);
    let file = format!("{FILE}.png");
    let snapshot = body.snapshot_mut();
    snapshot.mentions = vec![mention(2, "bob@far.example"), mention(3, "carol")];
    snapshot.tags = vec![StatusTag { name: "owls".to_owned() }];
    snapshot.emojis = vec![CustomEmoji {
        shortcode: "cat".to_owned(),
        picture: StoredPicture { file: file.clone(), still: None },
        category: None,
        visible_in_picker: true,
    }];
    let written = note(&Status::new(body));
    let carol = "https://town.example/users/carol";
    assert_eq!(
        written["tag"],
        json!([
            {"type": "Mention", "href": BOB, "name": "@bob@far.example"},
            {"type": "Mention", "href": carol, "name": "@carol@town.example"},
            {"type": "Hashtag", "href": "https://town.example/tags/owls", "name": "#owls"},
            {
                "id": "https://town.example/emojis/cat",
                "type": "Emoji",
                "name": ":cat:",
                "icon": {
                    "type": "Image",
                    "mediaType": "image/png",
                    "url": format!("https://files.town.example/{file}"),
                },
            },
        ])
    );
    assert_eq!(written["to"], json!(["https://town.example/users/alice/followers"]));
    assert_eq!(written["cc"], json!([PUBLIC, BOB, carol]));
}

#[test]
fn a_mentioned_account_that_is_gone_is_left_out() {
    let mut body = body(Visibility::Public);
    body.snapshot_mut().mentions = vec![mention(9, "gone@far.example"), mention(3, "carol")];
    let written = note(&Status::new(body));
    let carol = "https://town.example/users/carol";
    assert_eq!(
        written["tag"],
        json!([{"type": "Mention", "href": carol, "name": "@carol@town.example"}])
    );
    assert_eq!(written["cc"], json!(["https://town.example/users/alice/followers", carol]));
}

#[test]
fn media_are_documents_and_stand_instead_of_a_preview() {
    let medium = MediaAttachment {
        id: MediaId::new(4),
        account: AccountId::new(1),
        status: Some(StatusId::new(7)),
        scheduled: None,
        kind: MediaKind::Video,
        stage: MediaStage::Ready,
        source: None,
        file: Some(format!("{FILE}.mp4")),
        preview: Some(format!("{FILE}.png")),
        description: "an owl".to_owned(),
        focus: None,
        blurhash: None,
        meta: MediaMeta {
            original: Some(PixelSize { width: 640, height: 480 }),
            playing: Some(Playing { duration_us: 3_500_000, ..Playing::default() }),
            ..MediaMeta::default()
        },
    };
    let card = PreviewCard { url: "https://news.example/1".to_owned(), ..PreviewCard::default() };
    let mut body = body(Visibility::Public);
    body.snapshot_mut().card = Some(card);
    let link = json!([{"type": "Link", "href": "https://news.example/1"}]);
    assert_eq!(note(&Status::new(body.clone()))["attachment"], link);
    body.snapshot_mut().attachments = vec![medium];
    assert_eq!(
        note(&Status::new(body))["attachment"],
        json!([{
            "type": "Document",
            "mediaType": "video/mp4",
            "url": format!("https://files.town.example/{FILE}.mp4"),
            "name": "an owl",
            "width": 640,
            "height": 480,
            "duration": "PT3.5S",
            "icon": {"type": "Image", "url": format!("https://files.town.example/{FILE}.png")},
        }])
    );
}

#[test]
fn texts_and_parents_are_those_of_the_view() {
    let mut body = body(Visibility::Public);
    body.in_reply_to_id = Some(StatusId::new(5));
    let source = &mut body.snapshot_mut().source;
    source.text = "Hello".to_owned();
    source.spoiler_text = "greeting".to_owned();
    source.language = Some("en".to_owned());
    let written = note(&Status::new(body.clone()));
    assert_eq!(written["inReplyTo"], json!("https://far.example/notes/5"));
    assert_eq!(written["source"], json!({"content": "Hello", "mediaType": "text/plain"}));
    assert_eq!(written["summary"], json!("greeting"));
    assert_eq!(written["sensitive"], json!(true));
    assert_eq!(written["contentMap"], json!({"en": "<p>Hello</p>"}));
    body.in_reply_to_id = Some(StatusId::new(6));
    assert_eq!(note(&Status::new(body))["inReplyTo"], Value::Null, "the parent is gone");
}

#[test]
fn votes_are_shown_when_they_are_public() {
    let option = |title: &str| PollOptionView { title: title.to_owned(), votes: 2 };
    let poll = PollView {
        hide_totals: true,
        expires_at: Some(NOW.after(std::time::Duration::from_secs(60))),
        voters: 2,
        ..PollView::new(PollId::new(3), vec![option("yes"), option("no")])
    };
    let mut body = body(Visibility::Public);
    body.poll = Some(poll.clone());
    let written = note(&Status::new(body.clone()));
    assert_eq!(written["type"], json!("Question"));
    assert_eq!(written["oneOf"][0]["name"], json!("yes"));
    assert_eq!(written["oneOf"][0]["replies"]["totalItems"], json!(0));
    assert_eq!((&written["votersCount"], &written["closed"]), (&json!(2), &Value::Null));
    body.poll = Some(PollView { expires_at: Some(NOW), multiple: true, ..poll });
    let written = note(&Status::new(body));
    assert_eq!(written["anyOf"][1]["replies"]["totalItems"], json!(2));
    assert_eq!(written["closed"], json!("2026-11-27T08:00:00Z"));
}

#[test]
fn the_policy_says_who_may_quote() {
    let followers = "https://town.example/users/alice/followers";
    for (visibility, policy, admitted) in [
        (Visibility::Public, QuotePolicy::Public, PUBLIC),
        (Visibility::Unlisted, QuotePolicy::Followers, followers),
        (Visibility::Public, QuotePolicy::Nobody, ALICE),
        (Visibility::Private, QuotePolicy::Public, ALICE),
        (Visibility::Direct, QuotePolicy::Public, ALICE),
    ] {
        let mut body = body(visibility);
        body.quote_approval = QuoteApproval { policy, ..QuoteApproval::default() };
        let written = note(&Status::new(body));
        let rule = &written["interactionPolicy"]["canQuote"]["automaticApproval"];
        assert_eq!(rule, &json!([admitted]), "{visibility:?} {policy:?}");
    }
}

#[test]
fn an_activity_publishes_a_status_or_names_a_reblogged_one() {
    let original = body(Visibility::Public);
    let published = activity(&Status::new(original.clone()));
    assert_eq!(published["id"], json!(format!("{STATUS}/activity")));
    assert_eq!((&published["type"], &published["actor"]), (&json!("Create"), &json!(ALICE)));
    assert_eq!(published["object"]["id"], json!(STATUS));
    assert_eq!(published["to"], published["object"]["to"]);
    let dora = account(4, "dora");
    let snapshot = StatusSnapshot {
        visibility: Visibility::Unlisted,
        ..StatusSnapshot::new(StatusId::new(9), &dora, "", NOW)
    };
    let reblog =
        Status { reblog: Some(Box::new(original)), ..Status::new(StatusBody::new(snapshot, dora)) };
    let written = activity(&reblog);
    assert_eq!(written["id"], json!("https://town.example/users/dora/statuses/9/activity"));
    assert_eq!((&written["type"], &written["object"]), (&json!("Announce"), &json!(STATUS)));
    assert_eq!(written["to"], json!(["https://town.example/users/dora/followers"]));
    assert_eq!(written["cc"], json!([PUBLIC, ALICE]));
    assert_eq!(written["tag"], Value::Null);
}

#[test]
fn a_status_with_too_many_mentions_is_shortened() {
    let mut body = body(Visibility::Public);
    body.snapshot_mut().mentions =
        (10..1010).map(|id| mention(id, &format!("somebody{id}"))).collect();
    let written = note(&Status::new(body));
    let tags = written["tag"].as_array().unwrap().len();
    assert!((100..1000).contains(&tags), "{tags}");
    assert_eq!(written["cc"].as_array().unwrap().len(), tags + 1);
    assert_eq!(written["tag"][0]["name"], json!("@somebody10@town.example"));
}
