//! Exact documents, with the order of their members.

use siskin_entities::{Focus, media::PixelSize};

use super::*;
use crate::{
    policies::{Grant, InteractionPolicy, Rule},
    read::ActivityKind,
};

const AS: &str = r#""@context":"https://www.w3.org/ns/activitystreams""#;
/// Contexts of activities to everyone.
const SIGNED: &str = r#""@context":["https://www.w3.org/ns/activitystreams","https://w3id.org/security/v1","https://w3id.org/security/data-integrity/v2"]"#;

#[test]
fn activities_have_the_shapes_of_the_network() {
    let target = "https://town.example/users/a/collections/featured";
    let request = FollowRequest { id: Some("https://far.example/1"), actor: BOB };
    let like = Original { kind: ActivityKind::Like, id: "https://town.example/2", object: STATUS };
    let head = |kind: &str| {
        format!(
            r#"{{{AS},"id":"https://town.example/activities/1","type":"{kind}","actor":"{ALICE}","#
        )
    };
    for (action, kind, rest) in [
        (Action::Follow(BOB), "Follow", format!(r#""object":"{BOB}"}}"#)),
        (Action::Like(STATUS), "Like", format!(r#""object":"{STATUS}"}}"#)),
        (Action::Block(BOB), "Block", format!(r#""object":"{BOB}"}}"#)),
        (Action::DeleteActor, "Delete", format!(r#""object":"{ALICE}"}}"#)),
        (
            Action::Accept(request),
            "Accept",
            format!(
                r#""object":{{"id":"https://far.example/1","type":"Follow","actor":"{BOB}","object":"{ALICE}"}}}}"#
            ),
        ),
        (
            Action::Reject(FollowRequest { id: None, ..request }),
            "Reject",
            format!(r#""object":{{"type":"Follow","actor":"{BOB}","object":"{ALICE}"}}}}"#),
        ),
        (
            Action::Undo(like),
            "Undo",
            format!(
                r#""object":{{"id":"https://town.example/2","type":"Like","actor":"{ALICE}","object":"{STATUS}"}}}}"#
            ),
        ),
        (
            Action::Add { object: Addition::Status(STATUS), target },
            "Add",
            format!(r#""target":"{target}","object":"{STATUS}"}}"#),
        ),
        (
            Action::Remove { object: Addition::Status(STATUS), target },
            "Remove",
            format!(r#""target":"{target}","object":"{STATUS}"}}"#),
        ),
        (
            Action::Flag { objects: &[BOB], comment: "spam" },
            "Flag",
            format!(r#""content":"spam","object":["{BOB}"]}}"#),
        ),
    ] {
        assert_eq!(text(activity(&silent(action)).unwrap()), head(kind) + &rest);
    }
}

#[test]
fn activities_to_everyone_name_what_is_appended_to_them() {
    let addressed =
        format!(r#""published":"2026-11-27T08:00:00Z","to":["{PUBLIC}"],"cc":["{FOLLOWERS}"]"#);
    let head = |kind: &str| {
        format!(
            r#"{{{SIGNED},"id":"https://town.example/activities/1","type":"{kind}","actor":"{ALICE}",{addressed}"#
        )
    };
    assert_eq!(
        text(activity(&to_everyone(Action::Announce(STATUS))).unwrap()),
        format!(r#"{},"object":"{STATUS}"}}"#, head("Announce"))
    );
    assert_eq!(
        text(activity(&to_everyone(Action::Delete(STATUS))).unwrap()),
        format!(r#"{},"object":{{"id":"{STATUS}","type":"Tombstone"}}}}"#, head("Delete"))
    );
}

#[test]
fn a_vote_is_a_note_with_a_name() {
    let vote =
        Vote { id: "https://town.example/3", option: "Tea", poll: "https://far.example/polls/1" };
    let written = activity(&Activity { to: &[BOB], ..silent(Action::Vote(vote)) }).unwrap();
    let expected = format!(
        r#"{{{AS},"id":"https://town.example/activities/1","type":"Create","actor":"{ALICE}","to":["{BOB}"],"object":{{"id":"https://town.example/3","type":"Note","name":"Tea","attributedTo":"{ALICE}","inReplyTo":"https://far.example/polls/1","to":["{BOB}"]}}}}"#
    );
    assert_eq!(text(written), expected);
}

#[test]
fn a_short_note_has_no_empty_members() {
    let note = Note { to: &[FOLLOWERS], content: "<p>Hi</p>", ..Note::new(STATUS, ALICE, NOW) };
    let expected = format!(
        r#"{{"@context":["https://www.w3.org/ns/activitystreams",{{"sensitive":"as:sensitive"}}],"id":"{STATUS}","type":"Note","attributedTo":"{ALICE}","published":"2026-11-27T08:00:00Z","to":["{FOLLOWERS}"],"sensitive":false,"content":"<p>Hi</p>"}}"#
    );
    assert_eq!(text(super::note(&note).unwrap()), expected);
}

/// Returns the members of a document in their order, without its context.
fn members(document: Vec<u8>) -> Vec<String> {
    let value: serde_json::Value = serde_json::from_slice(&document).unwrap();
    let text = text(document);
    let depth = |at: usize| {
        let count = |brackets: [char; 2]| text[..at].matches(brackets).count();
        count(['{', '[']) - count(['}', ']'])
    };
    let place = |name: &String| {
        let begin = format!("\"{name}\":");
        let mut places = text.match_indices(&begin).map(|(at, _)| at);
        places.find(|at| depth(*at) == 1).unwrap()
    };
    let names = value.as_object().unwrap().keys().filter(|name| *name != "@context");
    let mut names: Vec<(usize, &String)> = names.map(|name| (place(name), name)).collect();
    names.sort();
    names.into_iter().map(|(_, name)| format!("{name}: {}", value[name])).collect()
}

pub(super) fn full_note() -> Note<'static> {
    let policy = InteractionPolicy {
        can_quote: Some(Rule { automatic: vec![Grant::Public], manual: Vec::new() }),
        can_reply: Some(Rule {
            automatic: vec![Grant::Id(uri(FOLLOWERS))],
            manual: vec![Grant::Public],
        }),
        ..InteractionPolicy::default()
    };
    let picture =
        Picture { url: "https://town.example/e.png", media_type: "image/png", description: "" };
    let emoji = Emoji {
        id: "https://town.example/emojis/1",
        shortcode: "cat",
        updated: Some(NOW),
        picture,
    };
    let tags = [
        Tag::Mention { href: BOB, name: "@b@far.example" },
        Tag::Hashtag { href: "https://town.example/tags/x", name: "X" },
        Tag::Emoji(emoji),
    ];
    let attachment = Attachment {
        media_type: "video/mp4",
        url: "https://town.example/v.mp4",
        description: "a cat",
        blurhash: Some("LEHV6nWB2yk8pyo0adR*.7kCMdnj"),
        focus: Some(Focus::from_millionths(0, -250_000)),
        size: Some(PixelSize { width: 640, height: 480 }),
        duration: Some(3500),
        preview: Some("https://town.example/v.png"),
    };
    let replies = Replies {
        id: "https://town.example/1/replies",
        items: &["https://town.example/2"],
        next: Some("https://town.example/1/replies?page=2"),
    };
    let options = &[PollOption { name: "Tea", votes: 2 }, PollOption { name: "Coffee", votes: 0 }];
    let poll = Poll {
        options,
        is_multiple: true,
        ends_at: Some(NOW),
        closed_at: Some(NOW),
        voters: Some(2),
    };
    Note {
        updated: Some(Timestamp::from_unix_ms(NOW.unix_ms() + 5)),
        url: "https://town.example/@a/1",
        to: &[PUBLIC],
        cc: &[FOLLOWERS, BOB],
        in_reply_to: Some("https://far.example/notes/1"),
        warning: "cw",
        content: "<p>Hallo</p>",
        language: Some("de"),
        source: Some(Source { content: "Hallo", media_type: "text/markdown" }),
        context: Some("https://town.example/contexts/1"),
        conversation: Some("tag:town.example,2026:1"),
        attachments: leak_all(vec![attachment]),
        preview_link: Some("https://news.example/1"),
        tags: leak_all(tags.to_vec()),
        replies: Some(replies),
        likes: Some(Total { id: "https://town.example/1/likes", count: 3 }),
        shares: Some(Total { id: "https://town.example/1/shares", count: 0 }),
        policy: Some(leak(policy)),
        quote: Some(Quote {
            id: "https://far.example/notes/2",
            authorization: Some("https://far.example/stamps/2"),
        }),
        poll: Some(poll),
        ..Note::new(STATUS, ALICE, NOW)
    }
}

#[test]
fn a_note_with_everything_keeps_the_order_of_its_members() {
    let expected = [
        r#"id: "https://town.example/users/a/statuses/1""#,
        r#"type: "Question""#,
        r#"attributedTo: "https://town.example/users/a""#,
        r#"published: "2026-11-27T08:00:00Z""#,
        r#"updated: "2026-11-27T08:00:00.005Z""#,
        r#"url: "https://town.example/@a/1""#,
        r#"to: ["https://www.w3.org/ns/activitystreams#Public"]"#,
        r#"cc: ["https://town.example/users/a/followers","https://far.example/users/b"]"#,
        r#"inReplyTo: "https://far.example/notes/1""#,
        r#"summary: "cw""#,
        "sensitive: true",
        r#"content: "<p>Hallo</p>""#,
        r#"contentMap: {"de":"<p>Hallo</p>"}"#,
        r#"source: {"content":"Hallo","mediaType":"text/markdown"}"#,
        r#"context: "https://town.example/contexts/1""#,
        r#"conversation: "tag:town.example,2026:1""#,
        r#"attachment: [{"blurhash":"LEHV6nWB2yk8pyo0adR*.7kCMdnj","duration":"PT3.5S","focalPoint":[0.0,-0.25],"height":480,"icon":{"type":"Image","url":"https://town.example/v.png"},"mediaType":"video/mp4","name":"a cat","type":"Document","url":"https://town.example/v.mp4","width":640},{"href":"https://news.example/1","type":"Link"}]"#,
        r##"tag: [{"href":"https://far.example/users/b","name":"@b@far.example","type":"Mention"},{"href":"https://town.example/tags/x","name":"#X","type":"Hashtag"},{"icon":{"mediaType":"image/png","type":"Image","url":"https://town.example/e.png"},"id":"https://town.example/emojis/1","name":":cat:","type":"Emoji","updated":"2026-11-27T08:00:00Z"}]"##,
        r#"replies: {"first":{"items":["https://town.example/2"],"next":"https://town.example/1/replies?page=2","partOf":"https://town.example/1/replies","type":"CollectionPage"},"id":"https://town.example/1/replies","type":"Collection"}"#,
        r#"likes: {"id":"https://town.example/1/likes","totalItems":3,"type":"Collection"}"#,
        r#"shares: {"id":"https://town.example/1/shares","totalItems":0,"type":"Collection"}"#,
        r#"interactionPolicy: {"canQuote":{"automaticApproval":["https://www.w3.org/ns/activitystreams#Public"]},"canReply":{"automaticApproval":["https://town.example/users/a/followers"],"manualApproval":["https://www.w3.org/ns/activitystreams#Public"]}}"#,
        r#"quote: "https://far.example/notes/2""#,
        r#"_misskey_quote: "https://far.example/notes/2""#,
        r#"quoteUri: "https://far.example/notes/2""#,
        r#"quoteUrl: "https://far.example/notes/2""#,
        r#"quoteAuthorization: "https://far.example/stamps/2""#,
        r#"anyOf: [{"name":"Tea","replies":{"totalItems":2,"type":"Collection"},"type":"Note"},{"name":"Coffee","replies":{"totalItems":0,"type":"Collection"},"type":"Note"}]"#,
        r#"endTime: "2026-11-27T08:00:00Z""#,
        r#"closed: "2026-11-27T08:00:00Z""#,
        "votersCount: 2",
    ];
    assert_eq!(members(note(&full_note()).unwrap()), expected);
}

pub(super) fn full_actor() -> Actor<'static> {
    let handle = Handle::parse("a@town.example").unwrap();
    let picture = Picture {
        url: "https://town.example/a.png",
        media_type: "image/png",
        description: "a bird",
    };
    Actor {
        handle: Some(leak(handle)),
        name: "Alice",
        summary: "<p>Hi</p>",
        url: "https://town.example/@a",
        created: Some(NOW),
        outbox: "https://town.example/users/a/outbox",
        followers: FOLLOWERS,
        following: "https://town.example/users/a/following",
        featured: "https://town.example/users/a/collections/featured",
        featured_tags: "https://town.example/users/a/collections/tags",
        shared_inbox: "https://town.example/inbox",
        is_discoverable: true,
        rsa_key: Some(RsaKey { id: "https://town.example/users/a#main-key", pem: "PEM" }),
        multikeys: &[Multikey {
            id: "https://town.example/users/a#ed25519-key",
            multibase: "z6Mk",
        }],
        icon: Some(picture),
        image: Some(Picture { media_type: "", description: "", ..picture }),
        fields: &[ProfileField { name: "Site", value: "x" }],
        tags: &[Tag::Hashtag { href: "https://town.example/tags/x", name: "X" }],
        also_known_as: &["https://old.example/users/a"],
        moved_to: Some("https://new.example/users/a"),
        attribution_domains: &["blog.example"],
        ..Actor::new(ALICE, ActorKind::Person, "a", "https://town.example/users/a/inbox")
    }
}

#[test]
fn an_actor_keeps_the_order_of_its_members() {
    let actor = full_actor();
    let expected = [
        r#"id: "https://town.example/users/a""#,
        r#"type: "Person""#,
        r#"webfinger: "a@town.example""#,
        r#"preferredUsername: "a""#,
        r#"name: "Alice""#,
        r#"summary: "<p>Hi</p>""#,
        r#"url: "https://town.example/@a""#,
        r#"published: "2026-11-27T00:00:00Z""#,
        r#"inbox: "https://town.example/users/a/inbox""#,
        r#"outbox: "https://town.example/users/a/outbox""#,
        r#"followers: "https://town.example/users/a/followers""#,
        r#"following: "https://town.example/users/a/following""#,
        r#"featured: "https://town.example/users/a/collections/featured""#,
        r#"featuredTags: "https://town.example/users/a/collections/tags""#,
        r#"endpoints: {"sharedInbox":"https://town.example/inbox"}"#,
        "manuallyApprovesFollowers: false",
        "discoverable: true",
        "indexable: false",
        "memorial: false",
        r#"publicKey: {"id":"https://town.example/users/a#main-key","owner":"https://town.example/users/a","publicKeyPem":"PEM"}"#,
        r#"assertionMethod: [{"controller":"https://town.example/users/a","id":"https://town.example/users/a#ed25519-key","publicKeyMultibase":"z6Mk","type":"Multikey"}]"#,
        r#"icon: {"mediaType":"image/png","summary":"a bird","type":"Image","url":"https://town.example/a.png"}"#,
        r#"image: {"type":"Image","url":"https://town.example/a.png"}"#,
        r#"attachment: [{"name":"Site","type":"PropertyValue","value":"x"}]"#,
        r##"tag: [{"href":"https://town.example/tags/x","name":"#X","type":"Hashtag"}]"##,
        r#"alsoKnownAs: ["https://old.example/users/a"]"#,
        r#"movedTo: "https://new.example/users/a""#,
        r#"attributionDomains: ["blog.example"]"#,
        r#"generator: {"implements":[{"href":"https://datatracker.ietf.org/doc/html/rfc9421","name":"RFC-9421"}],"type":"Application"}"#,
    ];
    let written = super::actor(&actor).unwrap();
    assert!(text(written.clone()).starts_with(r#"{"@context":["https://www.w3.org/ns/activitystreams","https://w3id.org/security/v1","https://www.w3.org/ns/cid/v1",{"toot":"#));
    assert_eq!(members(written), expected);
    let suspended = members(super::actor(&Actor { is_suspended: true, ..actor }).unwrap());
    assert!(suspended.contains(&"suspended: true".to_owned()));
    assert!(!suspended.iter().any(|line| line.starts_with("name") || line.starts_with("summary")));
}

#[test]
fn collections_and_other_documents_have_their_shapes() {
    let id = "https://town.example/users/a/followers";
    let hidden = Collection { total_items: Some(3), ..Collection::new(id, Order::Ordered) };
    assert_eq!(
        text(collection(&hidden)),
        format!(r#"{{{AS},"id":"{id}","type":"OrderedCollection","totalItems":3}}"#)
    );
    let empty = Collection { items: Some(&[]), ..Collection::new(id, Order::Unordered) };
    assert_eq!(
        text(collection(&empty)),
        format!(r#"{{{AS},"id":"{id}","type":"Collection","items":[]}}"#)
    );
    let items = [Item::Id(BOB)];
    let page = Page {
        id: "https://town.example/f?page=2",
        order: Order::Ordered,
        part_of: id,
        next: None,
        prev: Some("https://town.example/f?page=1"),
        items: &items,
    };
    assert_eq!(
        text(super::page(&page)),
        format!(
            r#"{{{AS},"id":"https://town.example/f?page=2","type":"OrderedCollectionPage","partOf":"{id}","prev":"https://town.example/f?page=1","orderedItems":["{BOB}"]}}"#
        )
    );
    assert_eq!(
        text(tombstone(STATUS, "Note", Some(NOW))),
        format!(
            r#"{{{AS},"id":"{STATUS}","type":"Tombstone","formerType":"Note","deleted":"2026-11-27T08:00:00Z"}}"#
        )
    );
    assert_eq!(
        text(tombstone(STATUS, "", None)),
        format!(r#"{{{AS},"id":"{STATUS}","type":"Tombstone"}}"#)
    );
}

#[test]
fn answers_about_accounts_and_servers_have_their_shapes() {
    let handle = Handle::parse("a@town.example").unwrap();
    let jrd = Jrd {
        handle: &handle,
        actor: ALICE,
        page: "https://town.example/@a",
        avatar: None,
        subscribe: "https://town.example/i?uri={uri}",
        templates: &[],
    };
    let expected = format!(
        r#"{{"subject":"acct:a@town.example","aliases":["https://town.example/@a","{ALICE}"],"links":[{{"rel":"http://webfinger.net/rel/profile-page","type":"text/html","href":"https://town.example/@a"}},{{"rel":"self","type":"application/activity+json","href":"{ALICE}"}},{{"rel":"http://ostatus.org/schema/1.0/subscribe","template":"https://town.example/i?uri={{uri}}"}}]}}"#
    );
    assert_eq!(text(super::jrd(&jrd)), expected);
    let bare = text(super::jrd(&Jrd { page: "", subscribe: "", ..jrd }));
    assert!(!bare.contains("profile-page") && !bare.contains("subscribe"), "{bare}");
    let info = NodeInfo {
        software: "siskin",
        version: "0.1.0",
        repository: "https://a.example/siskin",
        homepage: "",
        usage: Usage::default(),
        has_open_registrations: false,
        name: "Town",
        description: "",
    };
    assert_eq!(
        text(node_info(&info, NodeInfoVersion::V2_1)),
        r#"{"version":"2.1","software":{"name":"siskin","version":"0.1.0","repository":"https://a.example/siskin"},"protocols":["activitypub"],"services":{"inbound":[],"outbound":[]},"usage":{"users":{}},"openRegistrations":false,"metadata":{"nodeName":"Town"}}"#
    );
    assert!(!text(node_info(&info, NodeInfoVersion::V2_0)).contains("repository"));
    assert!(NodeInfoVersion::V2_0.content_type().contains("/2.0#"));
}
