//! Members of a wrong kind, and documents that mean several things.

use super::*;

#[test]
fn a_member_of_a_wrong_kind_is_absent_unless_it_is_needed() {
    let wrong = json!({"name": 5, "summary": [], "sensitive": "perhaps", "published": 1, "url": 7,
        "tag": "x", "attachment": {"type": 3}, "inReplyTo": 9, "replies": true, "likes": "x",
        "contentMap": [], "language": 3, "source": "x", "interactionPolicy": "public", "updated": {},
        "quote": {"x": 1}, "context": [[]], "conversation": 3, "to": [3, null, {}], "cc": false});
    let object = object(&wrong).unwrap();
    assert_eq!(object.content, "<p>x</p>");
    assert_eq!((object.url, object.in_reply_to, object.published), (None, None, None));
    assert_eq!((object.audience, object.tags), (Default::default(), Tags::default()));
    assert!(object.attachments.is_empty() && object.policy.is_none() && object.quote.is_none());
}

#[test]
fn members_that_are_needed_refuse_a_document() {
    use ReadError::{Invalid, Missing, UnknownType};
    for (more, error) in [
        (json!({"id": null}), Missing(Member::Id)),
        (json!({"id": 7}), Invalid(Member::Id)),
        (json!({"id": ["https://far.example/notes/1"]}), Invalid(Member::Id)),
        (json!({"id": {"id": NOTE}}), Invalid(Member::Id)),
        (json!({"id": "http://far.example/notes/1"}), Invalid(Member::Id)),
        (json!({"id": "tag:far.example,2026:1"}), Invalid(Member::Id)),
        (json!({"id": ""}), Invalid(Member::Id)),
        (json!({"type": null}), Missing(Member::Type)),
        (json!({"type": [7]}), Missing(Member::Type)),
        (json!({"type": "Thing", "content": ""}), UnknownType),
        (json!({"type": "Thing", "content": 7}), UnknownType),
    ] {
        assert_eq!(object(&more).map(drop), Err(error), "{more}");
    }
    for (more, error) in [
        (json!({"inbox": null}), Missing(Member::Inbox)),
        (json!({"inbox": "http://far.example/inbox"}), Invalid(Member::Inbox)),
        (
            json!({"inbox": ["https://far.example/1", "https://far.example/2"]}),
            Invalid(Member::Inbox),
        ),
        (json!({"inbox": "https://far.example/\r\ninbox"}), Invalid(Member::Inbox)),
        (json!({"preferredUsername": "a b"}), Invalid(Member::PreferredUsername)),
        (json!({"preferredUsername": "a@b"}), Invalid(Member::PreferredUsername)),
        (json!({"preferredUsername": "a\u{200B}"}), Invalid(Member::PreferredUsername)),
        (json!({"preferredUsername": "\u{202E}a"}), Invalid(Member::PreferredUsername)),
        (json!({"preferredUsername": ""}), Invalid(Member::PreferredUsername)),
    ] {
        assert_eq!(actor(&more).map(drop), Err(error), "{more}");
    }
    for (more, error) in [
        (json!({"actor": null}), Missing(Member::Actor)),
        (json!({"actor": [ACTOR, "https://far.example/users/b"]}), Invalid(Member::Actor)),
        (json!({"actor": 7}), Invalid(Member::Actor)),
        (json!({"object": null}), Missing(Member::Object)),
        (json!({"object": [NOTE, 7]}), Invalid(Member::Object)),
        (json!({"object": 7}), Invalid(Member::Object)),
        (json!({"type": "Update", "object": [NOTE, ACTOR]}), Invalid(Member::Object)),
        (json!({"type": "Add"}), Missing(Member::Target)),
        (json!({"type": "Flag", "object": [7]}), Missing(Member::Object)),
        (json!({"type": []}), Missing(Member::Type)),
    ] {
        assert_eq!(activity(&more).map(drop), Err(error), "{more}");
    }
}

#[test]
fn the_first_known_type_counts() {
    for (types, kind) in [
        (json!(["Thing", "Note", "Article"]), ObjectKind::Note),
        (json!("Article"), ObjectKind::Article),
        (json!("Review"), ObjectKind::Other("Review".to_owned())),
    ] {
        assert_eq!(object(&json!({"type": types})).unwrap().kind, kind);
    }
    // A note with the members of an actor is still a note.
    let both =
        note_json(&json!({"type": ["Note", "Person"], "inbox": "https://far.example/inbox"}));
    let document = READER.document(both.to_string().as_bytes()).unwrap();
    assert!(matches!(document, Document::Object(_)));
    assert_eq!(READER.actor(both.to_string().as_bytes()).map(drop), Err(ReadError::UnknownType));
}

#[test]
fn ids_may_be_embedded() {
    let object = object(&json!({"attributedTo": [{"type": "Person", "id": ACTOR}],
        "inReplyTo": {"type": "Note", "id": "https://town.example/1"},
        "replies": {"type": "Collection", "id": "https://far.example/r", "totalItems": 1e300},
        "likes": {"totalItems": -1}, "shares": {"totalItems": 99_999_999_999_u64}}));
    let object = object.unwrap();
    assert_eq!(object.author().unwrap().as_str(), ACTOR);
    assert_eq!(object.in_reply_to.unwrap().as_str(), "https://town.example/1");
    assert_eq!(object.replies.unwrap().as_str(), "https://far.example/r");
    assert_eq!((object.reply_count, object.like_count), (None, None));
    assert_eq!(object.share_count, Some(1 << 31));
}

#[test]
fn a_copy_that_lacks_something_counts_as_its_id() {
    for copy in [
        json!({"id": NOTE, "type": "Follow"}),
        json!({"id": NOTE, "type": "Person"}),
        json!({"id": NOTE}),
        json!({"id": NOTE, "type": "Announce", "actor": 7}),
    ] {
        let read = activity(&json!({"type": "Undo", "object": copy})).unwrap();
        let Action::Undo { object } = read.action else { panic!() };
        assert!(matches!(&object, Subject::Id(id) if id.as_str() == NOTE), "{object:?}");
    }
    let copy = json!({"type": "Follow"});
    let read = activity(&json!({"type": "Undo", "object": copy})).map(drop);
    assert_eq!(read, Err(ReadError::Invalid(Member::Object)));
}

#[test]
fn activities_contain_each_other_only_as_groups_need_it() {
    let nest = |levels: usize| {
        let inner = json!({"type": "Like", "id": NOTE, "actor": ACTOR, "object": NOTE});
        (1..levels).fold(
            inner,
            |inner, _| json!({"type": "Announce", "id": NOTE, "actor": ACTOR, "object": inner}),
        )
    };
    let read = |levels| activity(&nest(levels)).map(drop);
    assert_eq!(read(3), Ok(()));
    assert_eq!(read(4), Err(ReadError::Nested));
    assert_eq!(read(20), Err(ReadError::Nested));
}

#[test]
fn activities_of_other_types_are_counted_by_their_name() {
    for (kind, name) in [("Dislike", "Dislike"), ("View", "View"), ("A\r\nB", "A  B")] {
        let read = activity(&json!({"type": kind, "object": {"type": "Thing"}})).unwrap();
        assert_eq!(read.action, Action::Other(name.to_owned()));
    }
    let long = activity(&json!({"type": "x".repeat(1000)})).unwrap();
    assert!(matches!(long.action, Action::Other(name) if name.len() == 64));
    let document = activity_json(&json!({"type": "Listen"})).to_string();
    assert!(matches!(READER.document(document.as_bytes()), Ok(Document::Activity(_))));
}

#[test]
fn the_envelope_is_what_the_activity_says() {
    let read = |more: &Value| READER.envelope(activity_json(more).to_string().as_bytes());
    let own =
        read(&json!({"type": "Delete", "object": {"id": ACTOR, "type": "Tombstone"}})).unwrap();
    assert!(own.is_about_its_actor());
    assert!(!read(&json!({"type": "Delete"})).unwrap().is_about_its_actor());
    assert!(!read(&json!({"type": "Follow", "object": ACTOR})).unwrap().is_about_its_actor());
    let votes = read(&json!({"object": [NOTE, ACTOR]})).unwrap();
    assert_eq!((votes.kind, votes.object), (ActivityKind::Create, None));
    assert_eq!(read(&json!({"actor": 7})), Err(ReadError::Invalid(Member::Actor)));
}

#[test]
fn shared_inboxes_of_strangers_are_ignored() {
    for (more, expected) in [
        (
            json!({"endpoints": {"sharedInbox": "https://far.example/in"}}),
            Some("https://far.example/in"),
        ),
        (json!({"sharedInbox": "https://far.example/in"}), Some("https://far.example/in")),
        (json!({"endpoints": {"sharedInbox": "https://victim.example/in"}}), None),
        (json!({"endpoints": {"sharedInbox": "https://far.example:8443/in"}}), None),
        (json!({"endpoints": {"sharedInbox": "http://far.example/in"}}), None),
        (json!({"endpoints": "https://far.example/in"}), None),
    ] {
        let actor = actor(&more).unwrap();
        assert_eq!(actor.shared_inbox.as_ref().map(Uri::as_str), expected, "{more}");
        let own = expected.unwrap_or("https://far.example/users/a/inbox");
        assert_eq!(actor.delivery_inbox().as_str(), own);
    }
}

#[test]
fn an_actor_without_a_name_is_named_by_its_id() {
    for (id, name) in [
        ("https://far.example/users/b", Ok("b")),
        ("https://far.example/@b/", Ok("b")),
        ("https://far.example/?author=1", Err(ReadError::Invalid(Member::PreferredUsername))),
    ] {
        let read = actor(&json!({"id": id, "preferredUsername": null}));
        assert_eq!(read.as_ref().map(|it| it.username.as_str()).map_err(|it| *it), name, "{id}");
    }
}

#[test]
fn handles_that_are_none_are_not_claimed() {
    for (webfinger, claimed) in [
        (json!("b@town.example"), "b@town.example"),
        (json!("@b@town.example"), "b@town.example"),
        (json!("b@town.example/x"), "a@far.example"),
        (json!("b"), "a@far.example"),
        (json!(7), "a@far.example"),
    ] {
        let actor = actor(&json!({"webfinger": webfinger})).unwrap();
        assert_eq!(actor.claimed_handle().unwrap().to_string(), claimed);
        assert_eq!(actor.own_handle().unwrap().to_string(), "a@far.example");
    }
}

#[test]
fn pages_have_http_and_nothing_else() {
    let link = |media_type: &str, href: &str| json!({"mediaType": media_type, "href": href});
    for (url, page) in [
        (json!("http://far.example/p"), Some("http://far.example/p")),
        (json!(["https://far.example/p", "https://far.example/q"]), Some("https://far.example/p")),
        (
            json!([
                link("video/mp4", "https://far.example/v"),
                link("text/html; charset=utf-8", "https://far.example/p")
            ]),
            Some("https://far.example/p"),
        ),
        (json!({"href": "https://far.example/p"}), Some("https://far.example/p")),
        (json!(link("video/mp4", "https://far.example/v")), None),
        (json!("javascript:alert(1)"), None),
        (json!("data:text/html,x"), None),
        (json!(["ftp://far.example", "https://far.example/p"]), Some("https://far.example/p")),
        (json!("https://far.example/\u{202E}p"), None),
    ] {
        let object = object(&json!({"url": url})).unwrap();
        assert_eq!(object.url.as_ref().map(Uri::as_str), page, "{url}");
    }
}

#[test]
fn keys_need_an_owner_and_a_text() {
    let key = |more: &Value| {
        with(json!({"id": format!("{ACTOR}#k"), "owner": ACTOR, "publicKeyPem": "x"}), more)
    };
    for (key, count) in [
        (key(&json!({})), 1),
        (key(&json!({"owner": null, "controller": ACTOR})), 1),
        (key(&json!({"owner": null})), 0),
        (key(&json!({"id": null})), 0),
        (key(&json!({"publicKeyPem": null})), 0),
        (key(&json!({"publicKeyPem": "x".repeat(8193)})), 0),
        (json!(format!("{ACTOR}#k")), 0),
    ] {
        assert_eq!(actor(&json!({"publicKey": key})).unwrap().keys.len(), count, "{key}");
        let document = json!({"@context": "https://w3id.org/security/v1", "publicKey": key});
        let read = READER.key_document(document.to_string().as_bytes());
        assert_eq!(read.map_or(0, |it| it.keys.len()), count);
    }
    let alone = with(key(&json!({})), &json!({"@context": "https://w3id.org/security/v1"}));
    let document = READER.key_document(alone.to_string().as_bytes()).unwrap();
    assert_eq!(document.id.as_ref(), Some(&document.keys[0].id));
}

#[test]
fn arrays_may_stand_for_everything_but_the_id() {
    let object = object(
        &json!({"type": ["Note"], "content": ["<p>y</p>", 7], "url": [["x"], "https://far.example/p"],
        "attributedTo": [ACTOR], "inReplyTo": ["https://town.example/1"], "published": ["2026-11-01T00:00:00Z"],
        "sensitive": [true], "summary": ["cw"], "tag": [[]], "likes": [{"totalItems": [3]}]}),
    );
    let object = object.unwrap();
    assert_eq!((object.content.as_str(), object.warning.as_deref()), ("<p>y</p>", Some("cw")));
    assert_eq!(object.url.unwrap().as_str(), "https://far.example/p");
    assert_eq!((object.like_count, object.published.is_some()), (Some(3), true));
    let actor = actor(
        &json!({"inbox": ["https://far.example/in"], "preferredUsername": ["b"], "name": ["B"],
        "endpoints": [{"sharedInbox": ["https://far.example/all"]}]}),
    );
    let actor = actor.unwrap();
    assert_eq!((actor.username.as_str(), actor.inbox.as_str()), ("b", "https://far.example/in"));
    let follow =
        activity(&json!({"type": ["Follow"], "actor": [ACTOR], "object": [NOTE]})).unwrap();
    assert!(matches!(follow.action, Action::Follow { .. }));
}
