//! Tests that clients can read the entities: each sample is read back unchanged, also with unknown
//! fields, and so are the entities of other servers and older versions.

use std::{collections::BTreeMap, fmt::Debug, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use siskin_entities::{
    Account, AccountState, FilterContext, FilterSet, InstanceFacts, Marker, Markers,
    NotificationKind, Relationship, StatusBody, StatusEdit, Suggestion, SuggestionSource, Tag,
    ViewerState,
    filters::{FilterAction, FilterContexts, Keywords, LegacyFilter, Preview},
};
use siskin_ids::{AccountId, AnnouncementId, ApplicationId, RoleId, StatusId};
use siskin_wire::{
    account, announcement, application, card, context, conversation, discovery, emoji, empty,
    error, filter, filter_preview, health, instance,
    instance_domain::{self, Comments},
    instance_text, instance_v1, invite, language, list, marker, media, notification,
    oauth::{self, Grants},
    oembed::{self, EmbedSize},
    poll, preferences, profile, push, relationship, rule, scheduled,
    search::Search,
    sign_up_block, source, status, status_edit,
    streaming::{Command, StreamError},
    suggestion, tag, translation, trend,
};

use crate::{
    announcements, instance_domains,
    samples::{self, NOW, json, urls},
    sign_up_blocks,
};

/// Checks that the value is read back from its JSON, with and without unknown fields.
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_string(value).expect("entities are JSON");
    let read: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(read, *value);
    let mut extended = json(value);
    add_unknown_fields(&mut extended);
    let read: T = serde_json::from_value(extended).expect("unknown fields are ignored");
    assert_eq!(read, *value);
}

fn add_unknown_fields(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(add_unknown_fields),
        Value::Object(fields) => {
            // The details of an error are a map, in which every field is known.
            for (_, field) in fields.iter_mut().filter(|(name, _)| *name != "details") {
                add_unknown_fields(field);
            }
            fields.insert("of_a_later_version".to_owned(), json!({ "x": [null, 1.5] }));
        }
        _ => {}
    }
}

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("the entity is readable")
}

#[test]
fn accounts_are_read_back() {
    let state = AccountState { suspended: true, silenced: true, reachable: true };
    let frozen = samples::alice_with(|snapshot| {
        snapshot.state = state;
        snapshot.memorial = true;
    });
    let moved = Account { moved: Some(Arc::new(samples::bob())), ..samples::alice() };
    for account in [samples::alice(), samples::bob(), frozen, moved] {
        round_trip(&account::render(&account, &urls()));
        round_trip(&profile::render(&account, &urls()));
    }
    for until in [None, Some(NOW)] {
        round_trip(&account::render_muted(&samples::bob(), until, &urls()));
    }
    round_trip(&account::render_own(&samples::alice(), &samples::credentials(), &urls()));
    round_trip(&account::render_role(None));
    round_trip(&account::render_role(Some(&samples::role())));
    round_trip(&account::FamiliarFollowers {
        id: AccountId::new(7),
        accounts: vec![account::render(&samples::bob(), &urls())],
    });
    round_trip(&relationship::render(&Relationship {
        languages: Some(vec!["en".to_owned()]),
        muting_expires_at: Some(NOW),
        ..Relationship::none(AccountId::new(7))
    }));
    let sources = vec![SuggestionSource::Featured, SuggestionSource::FriendsOfFriends];
    let suggested = Suggestion { account: Arc::new(samples::bob()), sources };
    round_trip(&suggestion::render(&suggested, &urls()));
}

#[test]
fn statuses_are_read_back() {
    let edited = samples::body_with(|snapshot| snapshot.edited_at = Some(NOW));
    let asking = StatusBody { poll: Some(samples::poll()), ..samples::body() };
    let playing = samples::body_with(|snapshot| snapshot.card = Some(samples::playing_card()));
    let remote = samples::remote_body(|snapshot| snapshot.application = None);
    let local = samples::body_with(|snapshot| snapshot.application = None);
    let unmarked = StatusBody { viewer: Some(ViewerState::default()), ..samples::body() };
    let mut statuses = vec![samples::status(), samples::reblog()];
    let quoting = StatusBody { quote: Some(samples::quote()), ..samples::body() };
    let bodies = [edited, asking, playing, remote, local, unmarked, quoting];
    statuses.extend(bodies.map(siskin_entities::Status::new));
    for one in &statuses {
        round_trip(&status::render(one, &urls(), NOW));
        round_trip(&status::render_deleted(one, &urls(), NOW));
        round_trip(&source::render(one));
    }
    round_trip(&context::render(&statuses, &statuses, &urls(), NOW));
    round_trip(&Search {
        accounts: vec![account::render(&samples::bob(), &urls())],
        statuses: status::render_all(&statuses, &urls(), NOW),
        hashtags: vec![tag::render(&samples::tag(), &urls())],
    });
    round_trip(&conversation::render(&samples::conversation(), &urls(), NOW));
    for kind in NotificationKind::ALL {
        round_trip(&notification::render(&samples::notification(kind), &urls(), NOW));
    }
    let version = |poll_options| StatusEdit {
        account: Arc::new(samples::alice()),
        content: "<p>was</p>".to_owned(),
        spoiler_text: "cw".to_owned(),
        sensitive: true,
        poll_options,
        attachments: vec![samples::picture()],
        emojis: vec![samples::emoji("cat")],
        quote: Some(samples::quote()),
        created_at: NOW,
    };
    let versions = [version(None), version(Some(vec!["yes".to_owned()]))];
    let written = status_edit::write_all(&versions, &urls());
    let versions: Vec<status_edit::StatusEdit> = serde_json::from_slice(&written).unwrap();
    assert_eq!(serde_json::to_vec(&versions).unwrap(), written);
    round_trip(&versions);
}

#[test]
fn parts_of_statuses_are_read_back() {
    for media in [samples::picture(), samples::waiting(), samples::video(), samples::recording()] {
        round_trip(&media::render(&media, &urls()));
    }
    let secret = siskin_entities::Poll { hide_totals: true, viewer: None, ..samples::poll() };
    for poll in [samples::poll(), secret] {
        round_trip(&poll::render(&poll, &urls(), NOW));
    }
    for preview in [samples::card(), samples::playing_card()] {
        round_trip(&card::render(&preview, &urls()));
    }
    for waits in [samples::scheduled(), samples::scheduled_poll()] {
        round_trip(&scheduled::render(&waits, &urls()));
    }
    round_trip(&emoji::render_all(&[samples::emoji("cat")], &urls()));
    round_trip(&tag::render(&samples::tag(), &urls()));
    round_trip(&tag::render_for_staff(&samples::reviewed_tag(), &urls()));
    round_trip(&trend::render(&samples::trending_link(), &urls()));
    round_trip(&trend::render_for_staff(&samples::trending_link(), &urls()));
    round_trip(&tag::render(&Tag::unused("rust", NOW, false), &urls()));
    round_trip(&tag::render_featured(&samples::featured_tag(), &samples::alice(), &urls()));
    round_trip(&translation::render(&samples::translation()));
    let languages = samples::languages();
    let languages = serde_json::to_string(&translation::render_languages(&languages)).unwrap();
    let languages: BTreeMap<String, Vec<String>> = serde_json::from_str(&languages).unwrap();
    assert_eq!(languages["en"], ["de", "fr"]);
    for height in [None, Some(300)] {
        let size = EmbedSize { width: 400, height };
        let frame = "https://a.example/@alice/1/embed";
        round_trip(&oembed::render(&samples::body(), "Alice".to_owned(), frame, size, &urls()));
    }
}

#[test]
fn filters_are_read_back() {
    let filter = samples::filter();
    round_trip(&filter::render(&filter));
    round_trip(&filter::render_keyword(&filter.keywords[0]));
    round_trip(&filter::render_status(&filter.statuses[0]));
    round_trip(&filter::render_result(&samples::filter_result()));
    let legacy = LegacyFilter { head: filter.head, keyword: filter.keywords[0].clone() };
    round_trip(&filter::render_v1(&legacy));
    let keywords = Keywords::compile([("careful", false)]).unwrap();
    let preview = Preview::of(&keywords, vec![samples::status()], 10);
    let words = ["careful".to_owned()];
    round_trip(&filter_preview::render(&preview, &words, &urls(), NOW));
}

#[test]
fn announcements_are_read_back() {
    for read in [None, Some(true)] {
        let shown = announcements::sample(read);
        round_trip(&announcement::render(&shown, &urls()));
    }
    round_trip(&announcement::ReactionEvent {
        name: "🐦".to_owned(),
        count: 2,
        announcement_id: AnnouncementId::new(7),
    });
}

#[test]
fn domain_blocks_and_allows_are_read_back() {
    for comment in [None, Some("Spam")] {
        round_trip(&instance_domain::render_block(&instance_domains::block(comment)));
        let shown = instance_domains::shown(comment);
        round_trip(&instance_domain::render_shown(&shown, Comments::Shown));
        let conflict = comment.map(|_| instance_domains::block(comment));
        round_trip(&instance_domain::render_preview(&instance_domains::preview(conflict)));
    }
    round_trip(&instance_domain::render_allow(&instance_domains::allow()));
    round_trip(&instance_domain::render_conflict("No", &instance_domains::block(None)));
    round_trip(&instance_domain::render_import(&instance_domains::import(), str::to_owned));
}

#[test]
fn sign_up_blocks_and_invites_are_read_back() {
    round_trip(&sign_up_block::render_email_domain(&sign_up_blocks::email_domain_block()));
    round_trip(&sign_up_block::render_canonical_email(&sign_up_blocks::canonical_email_block()));
    for expires_at in [None, Some(NOW)] {
        round_trip(&sign_up_block::render_ip(&sign_up_blocks::ip_block(expires_at)));
        let invite = sign_up_blocks::invite(expires_at.map(|_| 5), expires_at);
        round_trip(&invite::render(&invite, &urls()));
    }
}

#[test]
fn the_rest_is_read_back() {
    let facts = samples::instance();
    round_trip(&instance::render(&facts, &urls()));
    let picture = Some(samples::instance_picture());
    let with_picture = InstanceFacts { picture, ..samples::instance() };
    round_trip(&instance::render(&with_picture, &urls()));
    round_trip(&instance_v1::render(&facts, &urls()));
    round_trip(&instance_text::render_description(&samples::text()));
    round_trip(&instance_text::render_policy(&samples::text()));
    round_trip(&instance_text::render_terms(&samples::terms()));
    round_trip(&instance_text::render_activity(&[samples::week()]));
    round_trip(&instance_text::render_source(&samples::source_text()));
    round_trip(&rule::render_all(&facts.rules));
    let here = Marker { last_read_id: 7_001, version: 2, updated_at: NOW };
    round_trip(&marker::render(&Markers { home: Some(here), notifications: None }));
    round_trip(&preferences::render(&samples::credentials()));
    round_trip(&list::render(&samples::list()));
    round_trip(&language::render_all([("en", "English")].into_iter()));
    round_trip(&push::render(&samples::push_subscription(), "BKey"));
    round_trip(&push::render_message(&samples::push_message()));
    round_trip(&health::up());
    round_trip(&empty::Empty {});
    round_trip(&StreamError { error: "No such stream".into(), status: 404 });
    round_trip(&Command {
        kind: "subscribe".to_owned(),
        stream: "list".to_owned(),
        list: Some("7".to_owned()),
        ..Command::default()
    });
    round_trip(&error::plain("Record not found"));
    round_trip(&error::described("invalid_grant", "The code was used before"));
    let fault = error::Fault { code: error::FaultCode::Taken, description: "taken".to_owned() };
    round_trip(&error::invalid("No", [("username".to_owned(), fault)]));
    round_trip(&error::unexpected_accounts("No", &[Arc::new(samples::bob())], &urls()));
    let client = samples::application();
    round_trip(&application::render(&client, "BKey"));
    round_trip(&application::render_registered(&client, "secret", "BKey"));
    round_trip(&oauth::render_token("abc", "read write", NOW));
    round_trip(&oauth::render_metadata(["read"], Grants::WithPassword, &urls()));
    round_trip(&oauth::render_user_info(&samples::alice(), &urls()));
    round_trip(&discovery::render_web_finger(&samples::alice(), &urls()));
}

/// A status as a server of 2019 sends it, which lacks many present fields.
fn old_status() -> Value {
    json!({
        "id": "103270115826048975",
        "created_at": "2019-12-08T03:48:33.901Z",
        "in_reply_to_id": null,
        "in_reply_to_account_id": null,
        "sensitive": false,
        "spoiler_text": "",
        "visibility": "public",
        "language": "en",
        "uri": "https://old.example/users/ann/statuses/1",
        "url": "https://old.example/@ann/1",
        "replies_count": 5,
        "reblogs_count": 6,
        "favourites_count": 11,
        "favourited": false,
        "reblogged": false,
        "muted": false,
        "bookmarked": false,
        "content": "<p>Hello</p>",
        "reblog": null,
        "application": { "name": "Web", "website": null },
        "account": old_account(),
        "media_attachments": [],
        "mentions": [],
        "tags": [],
        "emojis": [],
        "card": { "url": "https://x.example/", "title": "X", "type": "link", "image": null },
        "poll": {
            "id": "34830",
            "expires_at": "2019-12-05T04:05:08.302Z",
            "expired": true,
            "multiple": false,
            "votes_count": 10,
            "voters_count": null,
            "voted": true,
            "options": [{ "title": "a", "votes_count": 10 }],
        },
    })
}

/// The author of such a status.
fn old_account() -> Value {
    json!({
        "id": "1",
        "username": "ann",
        "acct": "ann",
        "display_name": "Ann",
        "locked": false,
        "bot": false,
        "discoverable": null,
        "group": false,
        "created_at": "2016-03-16T14:34:26.392Z",
        "note": "<p>Hi</p>",
        "url": "https://old.example/@ann",
        "avatar": "https://old.example/a.png",
        "avatar_static": "https://old.example/a.png",
        "header": "https://old.example/h.png",
        "header_static": "https://old.example/h.png",
        "followers_count": 3,
        "following_count": 4,
        "statuses_count": 5,
        "last_status_at": "2019-12-08",
        "emojis": [],
        "fields": [],
    })
}

#[test]
fn a_status_of_an_older_server_is_read() {
    let status: status::Status = read(old_status());
    let (facts, live) = (&status.snapshot.facts, &status.live);
    assert_eq!(facts.created_at.0.to_string(), "2019-12-08T03:48:33.901Z");
    assert_eq!(facts.application.as_ref().unwrap().as_ref().unwrap().name, "Web");
    assert_eq!(live.viewer.as_ref().map(|viewer| viewer.filtered.len()), Some(0));
    assert_eq!(live.account.counts.last_status_at.map(|day| day.midnight().unix_ms()), {
        Some(1_575_763_200_000)
    });
    assert!(live.account.snapshot.show_media && live.account.snapshot.roles.is_none());
    let poll = live.poll.poll.as_ref().unwrap();
    assert_eq!((poll.voters_count, poll.viewer.as_ref().unwrap().voted), (None, true));
    assert_eq!(facts.card.as_ref().unwrap().author_name, "");
}

#[test]
fn unknown_names_are_kept_and_missing_times_refused() {
    let mut value = old_status();
    value["visibility"] = "limited".into();
    let status: status::Status = read(value.clone());
    assert_eq!(status.snapshot.facts.visibility, "limited");
    value["created_at"] = "today".into();
    let error = serde_json::from_value::<status::Status>(value).unwrap_err();
    assert!(error.to_string().contains("a time of RFC 3339"), "{error}");
    let code = |name| read::<error::FaultCode>(Value::from(name));
    assert_eq!(code("ERR_TAKEN"), error::FaultCode::Taken);
    assert_eq!(code("ERR_OF_LATER"), error::FaultCode::Other);
}

#[test]
fn different_types_of_other_servers_are_read() {
    let params = json!({
        "text": "x", "media_ids": null, "sensitive": null, "visibility": null,
        "application_id": 596_551, "in_reply_to_id": null, "poll": null,
    });
    let params: scheduled::Params = read(params);
    assert_eq!(params.application_id, Some(ApplicationId::new(596_551)));
    assert_eq!((params.sensitive, params.media_ids, &*params.visibility), (false, vec![], ""));
    let mut account = old_account();
    account["hide_collections"] = Value::Null;
    account["source"] = json!({ "note": "Hi", "fields": [] });
    let own: account::CredentialAccount = read(account);
    assert_eq!((own.role.id, own.source.note.as_str()), (RoleId::new(-99), "Hi"));
    assert!(!own.account.snapshot.hide_collections);
}

#[test]
fn a_bare_instance_is_read() {
    let bare = json!({ "domain": "old.example", "configuration": { "statuses": {} } });
    let bare: instance::Instance = read(bare);
    assert_eq!((&*bare.domain, bare.configuration.statuses.max_characters), ("old.example", 0));
}

#[test]
fn a_client_filters_the_statuses_that_it_reads() {
    let sent = filter::render(&samples::filter());
    let filters = [sent.to_view()];
    assert_eq!(filters, [samples::filter()]);
    let set = FilterSet::compile(&filters).unwrap();
    let before = filters[0].head.expires_at.unwrap().before(std::time::Duration::from_millis(1));
    let results = |status: &status::Status| set.results(FilterContext::Home, before, status);
    let status = status::render(&samples::reblog(), &urls(), NOW);
    let by_id = results(&status);
    assert_eq!(by_id[0].status_matches, [StatusId::new(7_001)]);
    assert_eq!(by_id[0].keyword_matches, Vec::<String>::new());
    assert_eq!(by_id, set.results(FilterContext::Home, before, &samples::reblog()));
    let body = samples::body_with(|snapshot| {
        snapshot.id = StatusId::new(1);
        snapshot.attachments[0].description = "A Sisk".to_owned();
    });
    let view = siskin_entities::Status::new(StatusBody { poll: Some(samples::poll()), ..body });
    let found = results(&status::render(&view, &urls(), NOW));
    assert_eq!(found[0].keyword_matches, ["Sisk"]);
    assert_eq!(found, set.results(FilterContext::Home, before, &view));
}

#[test]
fn unknown_names_in_filters_are_dropped() {
    let mut sent = filter::render(&samples::filter());
    sent.head.context = vec!["home".into(), "dreams".into()];
    sent.head.filter_action = "blur".into();
    assert_eq!(sent.to_view().head.action, FilterAction::Blur);
    sent.head.filter_action = "shrink".into();
    let head = &sent.to_view().head;
    assert_eq!(head.contexts, [FilterContext::Home].into_iter().collect::<FilterContexts>());
    assert_eq!(head.action, FilterAction::Warn);
}
