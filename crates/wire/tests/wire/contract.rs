//! Checks every entity against the machine-readable description of the REST interface.

use std::sync::Arc;

use serde_json::Value;
use siskin_contract::Contract;
use siskin_entities::{
    Account, AccountState, InstanceFacts, Marker, Markers, NotificationKind, Poll, Relationship,
    ScheduledStatus, ShownText, StatusBody, StatusEdit, Suggestion, SuggestionSource, Tag,
    filters::LegacyFilter,
};
use siskin_ids::{AccountId, AnnouncementId};
use siskin_wire::{
    account, announcement, application, card, context, conversation, emoji, error, filter, health,
    instance, instance_text, instance_v1, list, marker, media, notification,
    oauth::{self, Grants},
    oembed::{self, EmbedSize},
    poll, preferences, profile, push, relationship, rule, scheduled,
    search::Search,
    status, status_edit, suggestion, tag, translation, trend,
};

use crate::{
    announcements, instance_domains,
    samples::{self, NOW, json, urls},
    sign_up_blocks,
};

/// Colours of a recording: clients read them although the contract does not contain them.
pub const READ_ALL_THE_SAME: &str = ".meta.colors: not in the schema";

#[test]
fn every_entity_matches_the_api_contract() {
    let contract = Contract::get();
    let faults: Vec<String> = people()
        .into_iter()
        .chain(statuses())
        .chain(sign_in())
        .chain(the_rest())
        .chain(instance_domains::rendered())
        .chain(sign_up_blocks::rendered())
        .flat_map(|(entity, value)| contract.faults_of_entity(entity, &value))
        .filter(|fault| !fault.ends_with(READ_ALL_THE_SAME))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

fn people() -> Vec<(&'static str, Value)> {
    let state = AccountState { suspended: true, silenced: true, reachable: true };
    let frozen = samples::alice_with(|snapshot| {
        snapshot.state = state;
        snapshot.memorial = true;
    });
    let moved = Account { moved: Some(Arc::new(samples::bob())), ..samples::alice() };
    let sources = vec![SuggestionSource::Featured, SuggestionSource::FriendsOfFriends];
    let suggested = Suggestion { account: Arc::new(samples::bob()), sources };
    let own = account::render_own(&samples::alice(), &samples::credentials(), &urls());
    let relationship = Relationship {
        languages: Some(vec!["en".to_owned()]),
        muting_expires_at: Some(NOW),
        ..Relationship::none(AccountId::new(7))
    };
    let familiar = account::FamiliarFollowers {
        id: AccountId::new(7),
        accounts: vec![account::render(&samples::bob(), &urls())],
    };
    vec![
        ("MutedAccount", json(&account::render_muted(&samples::bob(), None, &urls()))),
        ("MutedAccount", json(&account::render_muted(&samples::bob(), Some(NOW), &urls()))),
        ("FamiliarFollowers", json(&familiar)),
        ("Account", json(&account::render(&samples::alice(), &urls()))),
        ("Account", json(&account::render(&samples::bob(), &urls()))),
        ("Account", json(&account::render(&frozen, &urls()))),
        ("Account", json(&account::render(&moved, &urls()))),
        ("CredentialAccount", json(&own)),
        ("CustomEmoji", json(&emoji::render_all(&[samples::emoji("cat")], &urls())[0])),
        ("Profile", json(&profile::render(&samples::alice(), &urls()))),
        ("Profile", json(&profile::render(&samples::bob(), &urls()))),
        ("Suggestion", json(&suggestion::render(&suggested, &urls()))),
        ("Role", json(&account::render_role(None))),
        ("Role", json(&account::render_role(Some(&samples::role())))),
        ("Relationship", json(&relationship::render(&relationship))),
        ("Relationship", json(&relationship::render(&Relationship::none(AccountId::new(7))))),
    ]
}

fn statuses() -> Vec<(&'static str, Value)> {
    let edited = samples::body_with(|snapshot| snapshot.edited_at = Some(NOW));
    let edited = siskin_entities::Status { body: edited, reblog: None };
    let asking = StatusBody { poll: Some(samples::poll()), ..samples::body() };
    let asking = siskin_entities::Status { body: asking, reblog: None };
    let playing = samples::body_with(|snapshot| snapshot.card = Some(samples::playing_card()));
    let playing = siskin_entities::Status { body: playing, reblog: None };
    let quoting = StatusBody { quote: Some(samples::quote()), ..samples::body() };
    let quoting = siskin_entities::Status::new(quoting);
    let statuses = [samples::status(), samples::reblog(), edited, asking, playing, quoting];
    let found = Search {
        accounts: vec![account::render(&samples::bob(), &urls())],
        statuses: status::render_all(&statuses, &urls(), NOW),
        hashtags: vec![tag::render(&samples::tag(), &urls())],
    };
    let frame = "https://a.example/@alice/1/embed";
    let embedded = |height| {
        let size = EmbedSize { width: 400, height };
        json(&oembed::render(&samples::body(), "Alice".to_owned(), frame, size, &urls()))
    };
    let shown = |waits: &ScheduledStatus| json(&scheduled::render(waits, &urls()));
    let filter = samples::filter();
    let legacy = LegacyFilter { head: filter.head, keyword: filter.keywords[0].clone() };
    let mut rendered = vec![
        ("ScheduledStatus", shown(&samples::scheduled())),
        ("ScheduledStatus", shown(&samples::scheduled_poll())),
        ("OEmbed", embedded(None)),
        ("OEmbed", embedded(Some(300))),
        ("DeletedStatus", json(&status::render_deleted(&samples::status(), &urls(), NOW))),
        ("DeletedStatus", json(&status::render_deleted(&samples::reblog(), &urls(), NOW))),
        ("Context", json(&context::render(&statuses, &statuses, &urls(), NOW))),
        ("Search", json(&found)),
        ("Search", json(&Search::default())),
        ("Filter", json(&filter::render(&samples::filter()))),
        ("FilterKeyword", json(&filter::render_keyword(&samples::filter().keywords[0]))),
        ("FilterStatus", json(&filter::render_status(&samples::filter().statuses[0]))),
        ("FilterResult", json(&filter::render_result(&samples::filter_result()))),
        ("V1Filter", json(&filter::render_v1(&legacy))),
        ("Tag", json(&tag::render(&samples::tag(), &urls()))),
        ("AdminTag", json(&tag::render_for_staff(&samples::reviewed_tag(), &urls()))),
        ("TrendsLink", json(&trend::render(&samples::trending_link(), &urls()))),
        ("Tag", json(&tag::render(&Tag::unused("rust", NOW, true), &urls()))),
        (
            "FeaturedTag",
            json(&tag::render_featured(&samples::featured_tag(), &samples::alice(), &urls())),
        ),
        ("List", json(&list::render(&samples::list()))),
        ("Conversation", json(&conversation::render(&samples::conversation(), &urls(), NOW))),
        ("MediaAttachment", json(&media::render(&samples::picture(), &urls()))),
        ("MediaAttachment", json(&media::render(&samples::waiting(), &urls()))),
        ("MediaAttachment", json(&media::render(&samples::video(), &urls()))),
        ("MediaAttachment", json(&media::render(&samples::recording(), &urls()))),
    ];
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
    let versions = [version(None), version(Some(vec!["yes".to_owned(), "no".to_owned()]))];
    let written = status_edit::write_all(&versions, &urls());
    let written: Vec<Value> = serde_json::from_slice(&written).expect("the versions are JSON");
    rendered.extend(written.into_iter().map(|version| ("StatusEdit", version)));
    rendered.extend(statuses.map(|one| ("Status", json(&status::render(&one, &urls(), NOW)))));
    let secret = Poll { hide_totals: true, viewer: None, expires_at: None, ..samples::poll() };
    let polls = [samples::poll(), secret];
    let cards = [samples::card(), samples::playing_card()];
    rendered.extend(cards.map(|one| ("PreviewCard", json(&card::render(&one, &urls())))));
    rendered.extend(polls.map(|one| ("Poll", json(&poll::render(&one, &urls(), NOW)))));
    rendered.extend(NotificationKind::ALL.map(|kind| {
        let notification = samples::notification(kind);
        ("Notification", json(&notification::render(&notification, &urls(), NOW)))
    }));
    rendered
}

fn sign_in() -> Vec<(&'static str, Value)> {
    let client = samples::application();
    let scopes = ["read", "write", "follow", "push", "profile", "admin:read"];
    vec![
        ("Application", json(&application::render(&client, "BKey"))),
        ("CredentialApplication", json(&application::render_registered(&client, "secret", "BKey"))),
        ("Token", json(&oauth::render_token("abc", "read write", NOW))),
        (
            "OAuthServerMetadata",
            json(&oauth::render_metadata(scopes, Grants::WithoutPassword, &urls())),
        ),
        ("OAuthUserInfo", json(&oauth::render_user_info(&samples::alice(), &urls()))),
    ]
}

fn the_rest() -> Vec<(&'static str, Value)> {
    let facts = samples::instance();
    let picture = Some(samples::instance_picture());
    let with_picture = InstanceFacts { picture, ..samples::instance() };
    let here = Marker { last_read_id: 7_001, version: 2, updated_at: NOW };
    let announcement = |read| json(&announcement::render(&announcements::sample(read), &urls()));
    let reaction = announcement::ReactionEvent {
        name: "🐦".to_owned(),
        count: 2,
        announcement_id: AnnouncementId::new(7),
    };
    let markers = Markers { home: Some(here), notifications: Some(here) };
    let fault = error::Fault { code: error::FaultCode::Taken, description: "is taken".to_owned() };
    vec![
        ("Instance", json(&instance::render(&facts, &urls()))),
        ("Instance", json(&instance::render(&with_picture, &urls()))),
        ("V1Instance", json(&instance_v1::render(&facts, &urls()))),
        ("V1Instance", json(&instance_v1::render(&with_picture, &urls()))),
        ("ExtendedDescription", json(&instance_text::render_description(&samples::text()))),
        ("ExtendedDescription", json(&instance_text::render_description(&ShownText::default()))),
        ("PrivacyPolicy", json(&instance_text::render_policy(&samples::text()))),
        ("TermsOfService", json(&instance_text::render_terms(&samples::terms()))),
        ("InstanceActivity", json(&instance_text::render_activity(&[samples::week()])[0])),
        ("Translation", json(&translation::render(&samples::translation()))),
        ("TranslationLanguages", json(&translation::render_languages(&samples::languages()))),
        ("Rule", json(&rule::render_all(&facts.rules)[0])),
        ("Markers", json(&marker::render(&markers))),
        ("Markers", json(&marker::render(&Markers::default()))),
        ("Preferences", json(&preferences::render(&samples::credentials()))),
        ("Error", json(&error::plain("Record not found"))),
        ("Error", json(&error::described("invalid_grant", "The code was used before"))),
        ("ValidationError", json(&error::invalid("No", [("username".to_owned(), fault)]))),
        ("WebPushSubscription", json(&push::render(&samples::push_subscription(), "BKey"))),
        ("Health", json(&health::up())),
        ("Announcement", announcement(Some(false))),
        ("Announcement", announcement(None)),
        ("AnnouncementReactionEvent", json(&reaction)),
    ]
}
