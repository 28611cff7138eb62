//! What is written is read with the same values.

use proptest::prelude::*;
use siskin_text::{Classes, Hashtag, html_to_text, language, sanitise};

use super::{
    strategies::{address, any_actor, any_note},
    *,
};
use crate::{
    read::{self, ActivityKind, KeyMaterial, PageLink, Subject},
    rules,
};

fn optional(address: &str) -> Option<Uri> {
    (!address.is_empty()).then(|| uri(address))
}

fn clean(html: &str) -> String {
    sanitise(html, Classes::Kept)
}

fn picture(picture: Picture<'_>) -> read::RemotePicture {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    read::RemotePicture {
        url: uri(picture.url),
        media_type: text(picture.media_type),
        description: text(picture.description),
    }
}

/// Compares tags. Hashtags in the text follow those of the tags.
fn check_tags(written: &[Tag<'_>], read: &read::Tags) -> Result<(), TestCaseError> {
    let (mut mentions, mut hashtags, mut emojis) = (Vec::new(), Vec::new(), Vec::new());
    for tag in written {
        match tag {
            Tag::Mention { href, name } => {
                mentions.push(read::MentionTag { href: uri(href), name: (*name).to_owned() });
            }
            Tag::Hashtag { name, .. } => hashtags.extend(Hashtag::parse(name)),
            Tag::Emoji(emoji) => emojis.push(read::EmojiTag {
                id: Some(uri(emoji.id)),
                shortcode: emoji.shortcode.to_owned(),
                picture: picture(emoji.picture),
                updated: emoji.updated,
            }),
        }
    }
    prop_assert_eq!(&read.mentions, &mentions);
    prop_assert!(read.hashtags.starts_with(&hashtags));
    prop_assert_eq!(&read.emojis, &emojis);
    Ok(())
}

fn check_attachment(
    written: &Attachment<'_>,
    read: &read::Attachment,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(read.url.as_str(), written.url);
    prop_assert_eq!(read.media_type.as_deref(), Some(written.media_type));
    prop_assert_eq!(read.description.as_deref().unwrap_or_default(), written.description);
    prop_assert_eq!(read.blurhash.as_deref(), written.blurhash);
    prop_assert_eq!((read.focus, read.size), (written.focus, written.size));
    prop_assert_eq!(read.duration, written.duration);
    prop_assert_eq!(read.preview.as_ref().map(|it| it.url.as_str()), written.preview);
    Ok(())
}

fn check_poll(written: &Poll<'_>, read: &read::RemotePoll) -> Result<(), TestCaseError> {
    let options: Vec<_> = read.options.iter().map(|it| (it.name.as_str(), it.votes)).collect();
    let expected: Vec<_> = written.options.iter().map(|it| (it.name, it.votes)).collect();
    prop_assert_eq!(options, expected);
    prop_assert_eq!((read.is_multiple, read.ends_at), (written.is_multiple, written.ends_at));
    prop_assert_eq!(read.voters, written.voters);
    Ok(())
}

fn check_note(written: &Note<'_>, read: &read::Object) -> Result<(), TestCaseError> {
    prop_assert_eq!(read.id.as_str(), written.id);
    prop_assert_eq!(read.author().map(Uri::as_str), Some(written.author));
    prop_assert_eq!((read.published, read.updated), (Some(written.published), written.updated));
    prop_assert_eq!(&read.url, &optional(written.url));
    prop_assert_eq!(read.in_reply_to.as_ref().map(Uri::as_str), written.in_reply_to);
    prop_assert_eq!(read.warning.as_deref().unwrap_or_default(), written.warning);
    prop_assert_eq!(read.is_sensitive, written.is_sensitive || !written.warning.is_empty());
    prop_assert_eq!(&read.content, &clean(written.content));
    prop_assert_eq!(html_to_text(&read.content), html_to_text(&clean(written.content)));
    let language = written.language.filter(|_| !written.content.is_empty());
    prop_assert_eq!(read.language, language.and_then(language::normalise));
    let source = read.source.as_ref().map(|it| (it.content.as_str(), it.media_type.as_str()));
    prop_assert_eq!(source, written.source.map(|it| (it.content, it.media_type)));
    prop_assert_eq!(read.context.as_ref().map(Uri::as_str), written.context);
    prop_assert_eq!(read.conversation.as_deref(), written.conversation);
    prop_assert_eq!(read.attachments.len(), written.attachments.len());
    for (written, read) in written.attachments.iter().zip(&read.attachments) {
        check_attachment(written, read)?;
    }
    prop_assert_eq!(read.preview_link.as_ref().map(Uri::as_str), written.preview_link);
    check_tags(written.tags, &read.tags)?;
    prop_assert_eq!(read.replies.as_ref().map(Uri::as_str), written.replies.map(|it| it.id));
    prop_assert_eq!(read.like_count, written.likes.map(|it| it.count));
    prop_assert_eq!(read.share_count, written.shares.map(|it| it.count));
    let policy = written.policy.filter(|it| **it != crate::policies::InteractionPolicy::default());
    prop_assert_eq!(read.policy.as_ref(), policy);
    prop_assert_eq!(read.quote.as_ref().map(Uri::as_str), written.quote.map(|it| it.id));
    let stamp = written.quote.and_then(|it| it.authorization);
    prop_assert_eq!(read.quote_authorization.as_ref().map(Uri::as_str), stamp);
    prop_assert_eq!(read.poll.is_some(), written.poll.is_some());
    if let (Some(written), Some(read)) = (&written.poll, &read.poll) {
        check_poll(written, read)?;
    }
    prop_assert_eq!(read.vote(), None);
    Ok(())
}

fn check_actor(written: &Actor<'_>, read: &read::Actor) -> Result<(), TestCaseError> {
    prop_assert_eq!((read.id.as_str(), read.kind), (written.id, written.kind));
    prop_assert_eq!(read.webfinger.as_ref(), written.handle);
    prop_assert_eq!(&read.username, written.username);
    prop_assert_eq!(read.name.as_deref().unwrap_or_default(), written.name);
    prop_assert_eq!(&read.summary, &clean(written.summary));
    prop_assert_eq!(&read.url, &optional(written.url));
    prop_assert_eq!(read.published, written.created.map(Timestamp::midnight));
    prop_assert_eq!(read.inbox.as_str(), written.inbox);
    prop_assert_eq!(&read.shared_inbox, &optional(written.shared_inbox));
    prop_assert_eq!(&read.outbox, &optional(written.outbox));
    prop_assert_eq!(&read.followers, &optional(written.followers));
    prop_assert_eq!(&read.following, &optional(written.following));
    prop_assert_eq!(&read.featured, &optional(written.featured));
    prop_assert_eq!(&read.featured_tags, &optional(written.featured_tags));
    prop_assert_eq!(
        [read.is_locked, read.is_discoverable, read.is_indexable, read.is_memorial],
        [written.is_locked, written.is_discoverable, written.is_indexable, written.is_memorial]
    );
    prop_assert_eq!(&read.icon, &written.icon.map(picture));
    prop_assert_eq!(&read.image, &written.image.map(picture));
    let fields: Vec<_> = read.fields.iter().map(|it| (&*it.name, it.value.clone())).collect();
    let value = |value: &str| {
        let html = clean(value);
        html.trim_start_matches("<p>").trim_end_matches("</p>").to_owned()
    };
    let expected: Vec<_> = written.fields.iter().map(|it| (it.name, value(it.value))).collect();
    prop_assert_eq!(fields, expected);
    check_tags(written.tags, &read.tags)?;
    let also: Vec<&str> = read.also_known_as.iter().map(Uri::as_str).collect();
    prop_assert_eq!(also, written.also_known_as);
    prop_assert_eq!(read.moved_to.as_ref().map(Uri::as_str), written.moved_to);
    let domains: Vec<&str> = read.attribution_domains.iter().map(AsRef::as_ref).collect();
    prop_assert_eq!(domains, written.attribution_domains);
    prop_assert!(read.implements_rfc9421());
    let keys = usize::from(written.rsa_key.is_some()) + written.multikeys.len();
    prop_assert_eq!(read.keys.len(), keys);
    for key in &read.keys {
        prop_assert_eq!(&key.owner, &read.id);
        let right = match &key.material {
            KeyMaterial::Pem(pem) => {
                written.rsa_key.map(|it| (it.id, it.pem)) == Some((key.id.as_str(), pem))
            }
            KeyMaterial::Multibase(text) => {
                written.multikeys.iter().any(|it| (it.id, it.multibase) == (key.id.as_str(), text))
            }
        };
        prop_assert!(right, "{:?}", key);
    }
    Ok(())
}

fn read_activity(activity: &Activity<'_>) -> read::Activity {
    let read = READER.activity(&super::activity(activity).unwrap()).unwrap();
    assert_eq!(read.id.as_ref().map(Uri::as_str), Some(activity.id));
    assert_eq!(read.actor.as_str(), activity.actor);
    assert_eq!(read.published, activity.published);
    assert_eq!(read.action.kind(), activity.action.kind());
    assert_eq!(read.audience.public.is_some(), activity.is_public());
    for id in activity.to.iter().chain(activity.cc).filter(|id| **id != PUBLIC) {
        assert!(read.audience.addresses(&uri(id)), "{id}");
    }
    assert_eq!(rules::activity_id_counts(&read), Ok(()));
    read
}

proptest! {
    #[test]
    fn statuses_are_read_back((visibility, written) in any_note()) {
        let read = READER.object(&note(&written).unwrap()).unwrap();
        check_note(&written, &read)?;
        prop_assert_eq!(read.visibility(Some(&uri(FOLLOWERS))), visibility);
        for action in [Action::Create(leak(written)), Action::Update(leak(written))] {
            let activity = Activity { to: written.to, cc: written.cc, ..to_everyone(action) };
            let read = read_activity(&activity);
            let object = match &read.action {
                read::Action::Create { objects } => &objects[0],
                read::Action::Update { object } => object,
                other => panic!("{other:?}"),
            };
            prop_assert_eq!(rules::object_belongs(&read, object), rules::Belongs::Copy);
            let Subject::Object(object) = object else { panic!("{object:?}") };
            check_note(&written, object)?;
        }
    }

    #[test]
    fn actors_are_read_back(written in any_actor()) {
        let read = READER.actor(&actor(&written).unwrap()).unwrap();
        check_actor(&written, &read)?;
        prop_assert!(!read.is_suspended);
        let update = read_activity(&to_everyone(Action::UpdateActor(leak(written))));
        let read::Action::Update { object: Subject::Actor(read) } = &update.action else {
            panic!("{update:?}")
        };
        check_actor(&written, read)?;
    }

    #[test]
    fn a_suspended_actor_shows_no_texts(written in any_actor()) {
        let bytes = actor(&Actor { is_suspended: true, ..written }).unwrap();
        let shown = READER.actor(&bytes).unwrap();
        prop_assert!(shown.is_suspended);
        let (name, summary, fields, tags) = ("", "", &[][..], &[][..]);
        let empty = Actor { name, summary, fields, tags, icon: None, image: None, ..written };
        check_actor(&empty, &shown)?;
    }

    #[test]
    fn pages_are_read_back(
        notes in prop::collection::vec(any_note(), 0..4),
        is_ordered in any::<bool>(),
        total in 0..=read::limits::COUNT,
        next in prop::option::of(address()),
    ) {
        let order = if is_ordered { Order::Ordered } else { Order::Unordered };
        let items: Vec<Item<'_>> = notes.iter().flat_map(|(_, note)| {
            let announce = to_everyone(Action::Announce(note.id));
            [Item::Note(note), Item::Id(note.id), Item::Activity(leak(announce))]
        }).collect();
        let (id, part_of) = ("https://town.example/c?page=1", "https://town.example/c");
        let page = Page { id, order, part_of, next, prev: None, items: &items };
        let read = READER.collection(&super::page(&page)).unwrap();
        prop_assert!(read.is_page && !read.is_hidden);
        prop_assert_eq!(read.next, next.map(|it| PageLink::Uri(uri(it))));
        prop_assert_eq!(read.part_of, Some(uri(part_of)));
        prop_assert_eq!(read.items.len(), items.len());
        for ((_, note), read) in notes.iter().zip(read.items.chunks(3)) {
            let Subject::Object(object) = &read[0] else { panic!("{:?}", read[0]) };
            check_note(note, object)?;
            prop_assert_eq!(read[1].id(), Some(&uri(note.id)));
            let Subject::Activity(announce) = &read[2] else { panic!("{:?}", read[2]) };
            prop_assert_eq!(announce.action.kind(), ActivityKind::Announce);
        }
        let empty = Collection::new(part_of, order);
        let collection = Collection { total_items: Some(total), first: next, ..empty };
        let read = READER.collection(&super::collection(&collection)).unwrap();
        prop_assert_eq!((read.total_items, read.is_hidden), (Some(total), next.is_none()));
    }

    #[test]
    fn answers_about_accounts_are_read_back(
        name in "[a-z][a-z0-9_.]{0,9}[a-z]",
        (actor, page) in (address(), address()),
        avatar in prop::option::of(address()),
    ) {
        let handle = Handle::parse(&format!("{name}@town.example")).unwrap();
        let avatar = avatar.map(|url| Picture { url, media_type: "image/png", description: "" });
        let template = "https://town.example/i?u={object}";
        let templates = [JrdTemplate { rel: "https://w3id.org/fep/3b86/Follow", template }];
        let subscribe = "https://town.example/authorize_interaction?uri={uri}";
        let jrd = Jrd { handle: &handle, actor, page, avatar, subscribe, templates: &templates };
        let read = READER.jrd(&super::jrd(&jrd)).unwrap();
        prop_assert_eq!(read.handle(), Some(handle));
        prop_assert_eq!(read.actor(), Some(&uri(actor)));
        prop_assert_eq!(read.page(), Some(&uri(page)));
        prop_assert_eq!(read.subscribe_template(), Some(subscribe));
        prop_assert_eq!(read.links.len(), 4 + usize::from(avatar.is_some()));
    }
}

#[test]
fn short_activities_are_read_back() {
    let target = "https://town.example/users/a/collections/featured";
    let request = FollowRequest { id: Some("https://far.example/follows/1"), actor: BOB };
    for action in [
        Action::Delete(STATUS),
        Action::DeleteActor,
        Action::Follow(BOB),
        Action::Accept(request),
        Action::Reject(FollowRequest { id: None, ..request }),
        Action::Like(STATUS),
        Action::Announce(STATUS),
        Action::Block(BOB),
        Action::Add { object: Addition::Status(STATUS), target },
        Action::Remove {
            object: Addition::Hashtag { href: "https://town.example/tags/x", name: "X" },
            target,
        },
    ] {
        let (silent, public) =
            (read_activity(&silent(action)), read_activity(&to_everyone(action)));
        assert_eq!(silent.action, public.action);
    }
}

#[test]
fn undone_and_answered_activities_are_embedded() {
    for kind in
        [ActivityKind::Follow, ActivityKind::Like, ActivityKind::Announce, ActivityKind::Block]
    {
        let id = "https://town.example/users/a#likes/1";
        let read = read_activity(&silent(Action::Undo(Original { kind, id, object: BOB })));
        let read::Action::Undo { object: Subject::Activity(original) } = &read.action else {
            panic!("{read:?}")
        };
        assert_eq!((original.action.kind(), original.actor.as_str()), (kind, ALICE));
        assert_eq!(original.id, Some(uri(id)));
        assert_eq!(rules::undo_counts(&read, &original.actor), Ok(()));
    }
    let read = read_activity(&silent(Action::Accept(FollowRequest { id: None, actor: BOB })));
    let read::Action::Accept { object: Subject::Activity(follow), .. } = &read.action else {
        panic!("{read:?}")
    };
    assert_eq!((follow.id.as_ref(), follow.actor.as_str()), (None, BOB));
    assert_eq!(follow.action, read::Action::Follow { object: uri(ALICE) });
}

#[test]
fn votes_and_reports_are_read_back() {
    let poll = "https://far.example/polls/1";
    let vote = Vote { id: "https://town.example/users/a#votes/1", option: "  yes & no ", poll };
    let read = read_activity(&Activity { to: &[BOB], ..silent(Action::Vote(vote)) });
    let read::Action::Create { objects } = &read.action else { panic!("{read:?}") };
    let [Subject::Object(object)] = objects.as_slice() else { panic!("{objects:?}") };
    assert_eq!(object.vote(), Some(read::Vote { option: vote.option, poll: &uri(poll) }));
    assert_eq!(object.author(), Some(&uri(ALICE)));
    const REPORTED: [&str; 2] = [BOB, "https://far.example/notes/1"];
    let flag = Action::Flag { objects: &REPORTED, comment: "spam\n& more" };
    let read::Action::Flag { objects: read, comment } = read_activity(&silent(flag)).action else {
        panic!()
    };
    assert_eq!((read, comment.as_str()), (REPORTED.map(uri).to_vec(), "spam\n& more"));
}

#[test]
fn tombstones_host_metadata_and_node_info_are_read_back() {
    let bytes = tombstone(STATUS, "Note", Some(NOW));
    let read::Document::Tombstone(read) = READER.document(&bytes).unwrap() else { panic!() };
    assert_eq!(
        (read.id, read.former_type.as_deref(), read.deleted),
        (uri(STATUS), Some("Note"), Some(NOW))
    );
    let template = "https://town.example/.well-known/webfinger?a=1&resource={uri}";
    for bytes in [host_meta(template), host_meta_json(template)] {
        let address = READER.host_meta(&bytes).unwrap().address("acct:a@b.example", Schemes::Https);
        let expected =
            "https://town.example/.well-known/webfinger?a=1&resource=acct%3Aa%40b.example";
        assert_eq!(address.unwrap().as_str(), expected);
    }
    let addresses = ["https://town.example/nodeinfo/2.0", "https://town.example/nodeinfo/2.1"];
    let index = node_info_index(addresses[0], addresses[1]);
    assert_eq!(READER.node_info_index(&index).unwrap().as_str(), addresses[1]);
    let usage = Usage {
        users: Some(1),
        active_month: Some(2),
        active_half_year: Some(3),
        statuses: Some(4),
    };
    let info = NodeInfo {
        software: "siskin",
        version: "0.1.0",
        repository: "https://a.example/siskin",
        homepage: "",
        usage,
        has_open_registrations: true,
        name: "Town",
        description: "",
    };
    for version in [NodeInfoVersion::V2_0, NodeInfoVersion::V2_1] {
        let read = READER.node_info(&node_info(&info, version)).unwrap();
        assert_eq!(
            (read.software.as_deref(), read.version.as_deref()),
            (Some("siskin"), Some("0.1.0"))
        );
        assert_eq!(
            (read.protocols.as_slice(), read.has_open_registrations),
            (&["activitypub".to_owned()][..], Some(true))
        );
        let read = read.usage;
        assert_eq!(
            [read.users, read.active_month, read.active_half_year, read.statuses],
            [Some(1), Some(2), Some(3), Some(4)]
        );
    }
}

#[test]
fn the_instance_actor_is_read_back() {
    let handle = Handle::parse("town.example@town.example:8443").unwrap();
    let rsa_key = RsaKey {
        id: "https://town.example:8443/actor#main-key",
        pem: "-----BEGIN PUBLIC KEY-----",
    };
    let actor = InstanceActor {
        id: "https://town.example:8443/actor",
        handle: &handle,
        url: "https://town.example:8443/about",
        inbox: "https://town.example:8443/actor/inbox",
        outbox: "",
        shared_inbox: "https://town.example:8443/inbox",
        rsa_key,
        multikeys: &[],
    };
    let read = READER.actor(&instance_actor(&actor)).unwrap();
    assert_eq!((read.kind, read.claimed_handle()), (ActorKind::Application, Ok(handle)));
    assert_eq!((read.username.as_str(), read.is_locked), ("town.example", true));
    assert_eq!(read.own_handle(), read.claimed_handle());
}
