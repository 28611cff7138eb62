//! Activities in the name of others.

use std::time::Duration;

use super::*;

fn note(id: &str, author: &Value) -> Value {
    json!({"id": id, "type": "Note", "content": "x", "attributedTo": author})
}

/// Returns the verdict about the only object of an activity by Mallory.
fn verdict(kind: &str, object: &Value) -> Belongs {
    let activity = activity(json!({"id": "https://evil.example/1", "type": kind, "actor": MALLORY,
        "object": object, "target": MALLORY}));
    use crate::read::Action;
    let object = match &activity.action {
        Action::Create { objects } => &objects[0],
        Action::Update { object }
        | Action::Delete { object }
        | Action::Undo { object }
        | Action::Announce { object }
        | Action::Add { object, .. }
        | Action::Remove { object, .. }
        | Action::Accept { object, .. } => object,
        other => panic!("{other:?}"),
    };
    object_belongs(&activity, object)
}

#[test]
fn only_the_owner_of_the_key_speaks() {
    for (owner, speaks) in [
        (MALLORY, Speaks::ForItsActor),
        // Another account of the same server (CVE-2025-54888).
        (BOB, Speaks::Hint),
        (ALICE, Speaks::Hint),
        ("https://evil.example/users/Mallory", Speaks::Hint),
        ("https://EVIL.example/users/mallory", Speaks::Hint),
        ("https://evil.example/users/mallory#main-key", Speaks::Hint),
    ] {
        let activity = activity(json!({"type": "Follow", "actor": MALLORY, "object": ALICE}));
        assert_eq!(activity_speaks(&uri(owner), &activity), speaks, "{owner}");
    }
}

#[test]
fn an_activity_cannot_take_the_id_of_another() {
    for (id, kind, expected) in [
        (json!("https://evil.example/1"), "Create", Ok(())),
        // It would suppress the genuine activity (GHSA-4qhx).
        (json!("https://town.example/1"), "Create", Err(Refusal::ForeignActivityId)),
        (json!("https://evil.example:8443/1"), "Create", Err(Refusal::ForeignActivityId)),
        (json!("https://sub.evil.example/1"), "Like", Err(Refusal::ForeignActivityId)),
        (json!(null), "Create", Err(Refusal::ActivityWithoutId)),
        (json!(null), "Announce", Err(Refusal::ActivityWithoutId)),
        (json!(null), "Delete", Err(Refusal::ActivityWithoutId)),
        (json!(null), "Flag", Err(Refusal::ActivityWithoutId)),
        (json!(null), "Follow", Ok(())),
        (json!(null), "Accept", Ok(())),
        (json!(null), "Reject", Ok(())),
        (json!(null), "Like", Ok(())),
        (json!(null), "EmojiReact", Ok(())),
        (json!(null), "Undo", Ok(())),
    ] {
        let activity = activity(json!({"id": id, "type": kind, "actor": MALLORY, "object": ALICE}));
        assert_eq!(activity_id_counts(&activity), expected, "{kind} {id}");
    }
}

#[test]
fn a_copy_counts_only_from_its_author() {
    let own = "https://evil.example/notes/1";
    let foreign = "https://town.example/notes/1";
    let fetch = |id: &str| Belongs::Fetch(uri(id));
    for kind in ["Create", "Update", "Announce", "Add"] {
        for (object, expected) in [
            (note(own, &json!(MALLORY)), Belongs::Copy),
            (note(own, &json!([BOB, MALLORY])), Belongs::Copy),
            (
                note(
                    own,
                    &json!([{"type": "Group", "id": BOB}, {"type": "Person", "id": MALLORY}]),
                ),
                Belongs::Copy,
            ),
            // Attribution to another.
            (note(own, &json!(ALICE)), fetch(own)),
            (note(own, &json!(BOB)), fetch(own)),
            (note(own, &json!([MALLORY, ALICE])), fetch(own)),
            (note(own, &json!(null)), fetch(own)),
            // The id of another origin.
            (note(foreign, &json!(MALLORY)), fetch(foreign)),
            (note(foreign, &json!(ALICE)), fetch(foreign)),
            (
                note("https://evil.example:8443/notes/1", &json!(MALLORY)),
                fetch("https://evil.example:8443/notes/1"),
            ),
            (json!(foreign), fetch(foreign)),
            (json!(own), fetch(own)),
            (json!({"id": own, "type": "Thing"}), Belongs::Refused(Refusal::UnknownObject)),
        ] {
            assert_eq!(verdict(kind, &object), expected, "{kind} {object}");
        }
    }
}

#[test]
fn an_actor_changes_only_itself() {
    let profile = |id: &str| json!({"id": id, "type": "Person", "preferredUsername": "x", "inbox": format!("{id}/inbox")});
    assert_eq!(verdict("Update", &profile(MALLORY)), Belongs::Copy);
    for id in [BOB, ALICE] {
        assert_eq!(verdict("Update", &profile(id)), Belongs::Fetch(uri(id)));
    }
}

#[test]
fn deletions_of_others_are_asked_about_at_their_origin() {
    let own = "https://evil.example/notes/1";
    let foreign = "https://town.example/notes/1";
    for (id, expected) in [
        (own, Belongs::Id(uri(own))),
        (foreign, Belongs::Fetch(uri(foreign))),
        (ALICE, Belongs::Fetch(uri(ALICE))),
    ] {
        for object in [json!(id), json!({"id": id, "type": "Tombstone"}), note(id, &json!(MALLORY))]
        {
            assert_eq!(verdict("Delete", &object), expected, "{object}");
        }
    }
    let nameless = json!({"type": "Tombstone", "id": 7});
    let delete = json!({"@context": CONTEXT, "id": "https://evil.example/1", "type": "Delete",
        "actor": MALLORY, "object": nameless});
    assert!(READER.activity(delete.to_string().as_bytes()).is_err());
}

#[test]
fn only_the_own_activities_are_taken_back() {
    let like =
        |id: Value, by: &str| json!({"id": id, "type": "Like", "actor": by, "object": ALICE});
    let refused = |refusal| Belongs::Refused(refusal);
    for (object, expected) in [
        (like(json!("https://evil.example/likes/1"), MALLORY), Belongs::Copy),
        (like(json!(null), MALLORY), Belongs::Copy),
        (like(json!("https://evil.example/likes/1"), BOB), refused(Refusal::NotTheOwner)),
        (like(json!("https://town.example/likes/1"), ALICE), refused(Refusal::NotTheOwner)),
        (like(json!("https://town.example/likes/1"), MALLORY), refused(Refusal::ForeignObject)),
        (json!("https://evil.example/likes/1"), Belongs::Id(uri("https://evil.example/likes/1"))),
        (json!("https://town.example/likes/1"), refused(Refusal::ForeignObject)),
    ] {
        assert_eq!(verdict("Undo", &object), expected, "{object}");
    }
    let undo = activity(
        json!({"id": "https://evil.example/2", "type": "Undo", "actor": MALLORY, "object": "https://evil.example/likes/1"}),
    );
    assert_eq!(undo_counts(&undo, &uri(MALLORY)), Ok(()));
    assert_eq!(undo_counts(&undo, &uri(BOB)), Err(Refusal::NotTheOwner));
}

#[test]
fn an_announced_activity_is_refused() {
    let create = json!({"id": "https://evil.example/2", "type": "Create", "actor": MALLORY, "object": "https://evil.example/notes/1"});
    let announce =
        json!({"id": "https://evil.example/3", "type": "Announce", "actor": BOB, "object": ALICE});
    for inner in [create, announce] {
        assert_eq!(verdict("Announce", &inner), Belongs::Refused(Refusal::AnnouncedActivity));
    }
    assert_eq!(verdict("Accept", &json!(ALICE)), Belongs::Refused(Refusal::NotTheOwner));
}

#[test]
fn the_author_of_a_fetched_object_is_of_its_origin() {
    let person = |id: &str| json!({"type": "Person", "id": id});
    let group = |id: &str| json!({"type": "Group", "id": id});
    for (authors, expected) in [
        (json!(MALLORY), Ok(MALLORY)),
        (json!([group(BOB), person(MALLORY)]), Ok(MALLORY)),
        (json!([BOB, MALLORY]), Ok(BOB)),
        (json!(ALICE), Err(Refusal::ForeignAuthor)),
        (json!([MALLORY, ALICE]), Err(Refusal::ForeignAuthor)),
        (json!([]), Err(Refusal::ForeignAuthor)),
    ] {
        let object = object(note("https://evil.example/notes/1", &authors));
        assert_eq!(author_of(&object).map(Uri::as_str), expected);
    }
}

#[test]
fn what_others_pass_on_is_believed_by_a_fresh_proof_of_its_actor() {
    let now = Timestamp::from_unix_ms(1_795_766_400_000);
    let hours = |hours| now.before(Duration::from_hours(hours));
    let (alice, mallory) = (uri(ALICE), uri(MALLORY));
    let foreign = "https://town.example/notes/1";
    let fetch = Hint::Fetch(uri(foreign));
    for kind in ["Create", "Update", "Delete"] {
        for (owner, created, expected) in [
            (Some(&alice), hours(1), Hint::Believed),
            (Some(&alice), hours(7 * 24), Hint::Believed),
            (Some(&alice), hours(7 * 24 + 1), fetch.clone()),
            (Some(&alice), now.after(Duration::from_hours(2)), fetch.clone()),
            // A proof by the key of another account.
            (Some(&mallory), hours(1), fetch.clone()),
            (None, hours(1), fetch.clone()),
        ] {
            let activity = activity(
                json!({"id": "https://town.example/1", "type": kind, "actor": ALICE, "object": foreign}),
            );
            let proof = owner.map(|key_owner| VerifiedProof { key_owner, created });
            assert_eq!(hint_counts(&activity, proof, now), expected, "{kind}");
        }
    }
    // Replayed after they were taken back, they would count again.
    for kind in ["Like", "Announce", "Follow", "Undo", "Accept", "Block", "Move", "Flag", "View"] {
        let activity = activity(
            json!({"id": "https://town.example/1", "type": kind, "actor": ALICE, "object": foreign, "target": foreign}),
        );
        let proof = VerifiedProof { key_owner: &alice, created: now };
        assert_eq!(
            hint_counts(&activity, Some(proof), now),
            Hint::Dropped(Refusal::SecondHand),
            "{kind}"
        );
    }
}

#[test]
fn an_answer_is_to_a_request_that_was_sent() {
    let (id, follower, target) = (uri("https://town.example/follows/1"), uri(ALICE), uri(BOB));
    let sent = SentFollow { id: &id, follower: &follower, target: &target };
    let follow = |id: &str, by: &str, of: &str| json!({"id": id, "type": "Follow", "actor": by, "object": of});
    for (by, object, expected) in [
        (BOB, json!(id.as_str()), Ok(())),
        (BOB, follow(id.as_str(), ALICE, BOB), Ok(())),
        (BOB, follow("https://evil.example/other", ALICE, BOB), Ok(())),
        (MALLORY, json!(id.as_str()), Err(Refusal::NotTheOwner)),
        (MALLORY, follow(id.as_str(), ALICE, BOB), Err(Refusal::NotTheOwner)),
        (BOB, follow(id.as_str(), ALICE, MALLORY), Err(Refusal::NeverSent)),
        (BOB, follow(id.as_str(), MALLORY, BOB), Err(Refusal::NeverSent)),
        (BOB, json!("https://town.example/follows/2"), Err(Refusal::NeverSent)),
        (
            BOB,
            json!({"id": id.as_str(), "type": "Like", "actor": ALICE, "object": BOB}),
            Err(Refusal::NeverSent),
        ),
    ] {
        for kind in ["Accept", "Reject"] {
            let answer = activity(
                json!({"id": "https://evil.example/1", "type": kind, "actor": by, "object": object}),
            );
            assert_eq!(answer_counts(&answer, &sent), expected, "{kind} {by} {object}");
        }
    }
    let undo = activity(json!({"type": "Undo", "actor": BOB, "object": id.as_str()}));
    assert_eq!(answer_counts(&undo, &sent), Err(Refusal::NeverSent));
}

#[test]
fn collections_are_changed_by_their_owner() {
    let (featured, tags) = (uri("https://evil.example/f"), uri("https://evil.example/t"));
    let own = OwnCollections { featured: Some(&featured), featured_tags: Some(&tags) };
    for (by, target, expected) in [
        (MALLORY, "https://evil.example/f", Ok(PinnedIn::Featured)),
        (MALLORY, "https://evil.example/t", Ok(PinnedIn::FeaturedTags)),
        (MALLORY, "https://evil.example/shelf", Err(Refusal::UnknownCollection)),
        (MALLORY, "https://town.example/f", Err(Refusal::NotTheOwner)),
        (ALICE, "https://evil.example/f", Err(Refusal::NotTheOwner)),
    ] {
        for kind in ["Add", "Remove"] {
            let change = activity(
                json!({"id": "https://evil.example/1", "type": kind, "actor": by, "object": ALICE, "target": target}),
            );
            assert_eq!(collection_change_counts(&change, own), expected, "{kind} {by} {target}");
        }
    }
    let none = OwnCollections::default();
    let change = activity(
        json!({"type": "Add", "actor": MALLORY, "object": ALICE, "target": "https://evil.example/f"}),
    );
    assert_eq!(collection_change_counts(&change, none), Err(Refusal::UnknownCollection));
}

#[test]
fn a_move_is_agreed_by_both_accounts() {
    let moved = |object: &str, target: &str| {
        let activity =
            activity(json!({"type": "Move", "actor": MALLORY, "object": object, "target": target}));
        move_counts(&activity).map(Uri::to_string)
    };
    assert_eq!(moved(MALLORY, ALICE), Ok(ALICE.to_owned()));
    assert_eq!(moved(ALICE, MALLORY), Err(Refusal::NotTheOwner));
    assert_eq!(moved(BOB, MALLORY), Err(Refusal::NotTheOwner));
    assert_eq!(moved(MALLORY, MALLORY), Err(Refusal::NotTheOwner));
    let target = |aliases: Value| actor(ALICE, json!({"alsoKnownAs": aliases}));
    assert_eq!(alias_counts(&uri(MALLORY), &target(json!(MALLORY))), Ok(()));
    assert_eq!(alias_counts(&uri(MALLORY), &target(json!([BOB, MALLORY]))), Ok(()));
    for aliases in [
        json!([]),
        json!(BOB),
        json!("https://evil.example/users/Mallory"),
        json!("acct:mallory@evil.example"),
    ] {
        assert_eq!(alias_counts(&uri(MALLORY), &target(aliases)), Err(Refusal::NotAnAlias));
    }
}

#[test]
fn pages_name_only_authors_that_allow_it() {
    let author = actor(
        ALICE,
        json!({"attributionDomains": ["blog.example", "x.example:8443", "bad/domain"]}),
    );
    for (page, counts) in [
        ("https://blog.example/1", true),
        ("https://BLOG.example/1", true),
        ("https://x.example:8443/1", true),
        ("https://x.example/1", false),
        ("https://sub.blog.example/1", false),
        ("https://example/1", false),
        ("https://evilblog.example/1", false),
        ("https://town.example/1", false),
    ] {
        assert_eq!(attribution_counts(&author, &uri(page)), counts, "{page}");
    }
    let id = uri("https://evil.example/notes/1");
    assert_eq!(foreign_host(&id, &uri("https://evil.example/p")), None);
    assert_eq!(foreign_host(&id, &uri("https://bank.example/p")).unwrap().as_str(), "bank.example");
}
