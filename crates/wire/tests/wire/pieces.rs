//! Pieces put together are the bytes of the serde structs, whatever the views hold.

use std::sync::Arc;

use proptest::{collection::vec, option, prelude::*};
use serde::Serialize;
use siskin_entities::{
    Account, AccountState, ContentType, Conversation, Field, Notification, NotificationKind,
    Picture, Poll, Status, StatusBody, Timestamp, ViewerState, Visibility,
    filters::{FilterAction, FilterContexts, FilterHead, FilterResult},
    polls::{PollOption, PollViewer},
    status::{Mention, StatusApplication, StatusCounts, StatusTag},
};
use siskin_ids::{AccountId, FilterId, NotificationId, PollId, StatusId};
use siskin_wire::{
    account, context, conversation, notification,
    pieces::{self, Unkept},
    status,
};

use crate::samples::{self, NOW, urls};

fn bytes(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("entities are JSON")
}

fn written(write: impl FnOnce(&mut Vec<u8>, &Unkept<'_>)) -> String {
    let (mut out, urls) = (Vec::new(), urls());
    write(&mut out, &Unkept { urls: &urls, now: NOW });
    String::from_utf8(out).expect("JSON is UTF-8")
}

fn any_time() -> impl Strategy<Value = Timestamp> {
    (0..4_000_000_000_000_i64).prop_map(Timestamp::from_unix_ms)
}

fn any_fields() -> impl Strategy<Value = Vec<Field>> {
    let field = (any::<[String; 3]>(), option::of(any_time())).prop_map(|(texts, verified_at)| {
        let [name, value, value_html] = texts;
        Field { name, value, value_html, verified_at }
    });
    vec(field, 0..3)
}

fn any_account() -> impl Strategy<Value = Account> {
    let numbers = (any::<[i64; 4]>(), any_time(), option::of(any_time()));
    let texts = (any::<[String; 6]>(), any::<[Option<String>; 4]>(), any_fields());
    let flags = (any::<[bool; 9]>(), any::<Option<bool>>());
    (numbers, texts, flags).prop_map(|(numbers, texts, flags)| {
        let ([id, statuses_count, followers_count, following_count], created_at, last) = numbers;
        let ([username, display_name, note, note_html, uri, color], optional, fields) = texts;
        let [domain, avatar, header, url] = optional;
        let picture = |file: Option<String>| file.map(|file| Picture { file, still: None });
        let ([locked, bot, indexable, hide, memorial, suspended, silenced, staff, shown], listed) =
            flags;
        let role = siskin_entities::Role { highlighted: shown, color, ..samples::role() };
        Account {
            id: AccountId::new(id),
            username,
            domain,
            display_name,
            note,
            note_html,
            fields,
            avatar: picture(avatar),
            header: picture(header),
            locked,
            bot,
            discoverable: listed,
            indexable,
            hide_collections: hide,
            memorial,
            uri,
            url,
            state: AccountState { suspended, silenced, reachable: true },
            created_at,
            last_status_at: last,
            statuses_count,
            followers_count,
            following_count,
            role: staff.then_some(role),
            ..samples::alice()
        }
    })
}

fn any_mentions() -> impl Strategy<Value = Vec<Mention>> {
    let mention = (any::<i64>(), any::<[String; 3]>()).prop_map(|(id, [username, acct, url])| {
        Mention { account_id: AccountId::new(id), username, acct, url }
    });
    vec(mention, 0..3)
}

fn any_tags() -> impl Strategy<Value = Vec<StatusTag>> {
    vec(any::<String>().prop_map(|name| StatusTag { name }), 0..3)
}

fn any_application() -> impl Strategy<Value = Option<StatusApplication>> {
    let application = any::<(String, Option<String>)>()
        .prop_map(|(name, website)| StatusApplication { name, website });
    option::of(application)
}

fn any_viewer() -> impl Strategy<Value = Option<ViewerState>> {
    let marks = any::<([bool; 4], Option<bool>)>();
    let viewer = (marks, vec(any_result(), 0..3)).prop_map(|((marks, pinned), filtered)| {
        let [favourited, reblogged, bookmarked, muted] = marks;
        ViewerState { favourited, reblogged, bookmarked, muted, pinned, filtered }
    });
    option::of(viewer)
}

fn any_result() -> impl Strategy<Value = FilterResult> {
    let head = (any::<(i64, String, i16, i16)>(), option::of(any_time()));
    let head = head.prop_map(|((id, title, contexts, action), expires_at)| FilterHead {
        id: FilterId::new(id),
        title,
        contexts: FilterContexts::from_number(contexts),
        action: FilterAction::from_number(action),
        expires_at,
    });
    let matches = (vec(any::<String>(), 0..3), vec(any::<i64>(), 0..3));
    (head, matches).prop_map(|(head, (keyword_matches, statuses))| FilterResult {
        filter: Arc::new(head),
        keyword_matches,
        status_matches: statuses.into_iter().map(StatusId::new).collect(),
    })
}

fn any_poll() -> impl Strategy<Value = Option<Poll>> {
    let options = vec((any::<String>(), 0..1000_i64), 0..5);
    let viewer = option::of((any::<bool>(), vec(0..4_usize, 0..3)));
    let poll = (any::<(i64, [bool; 3])>(), options, option::of(any_time()), viewer).prop_map(
        |((id, [multiple, hide_totals, closed]), options, expires_at, viewer)| Poll {
            id: PollId::new(id),
            options: options
                .into_iter()
                .map(|(title, votes)| PollOption { title, votes })
                .collect(),
            multiple,
            hide_totals,
            expires_at,
            closed,
            voters: id,
            emojis: vec![samples::emoji("cat"); usize::from(multiple)],
            viewer: viewer.map(|(is_author, chosen)| PollViewer { is_author, chosen }),
        },
    );
    option::of(poll)
}

fn any_body() -> impl Strategy<Value = StatusBody> {
    let numbers = (any::<[i64; 4]>(), any::<[Option<i64>; 2]>(), any_time());
    let texts = (any::<[String; 4]>(), any::<[Option<String>; 2]>());
    let parts = (any_mentions(), any_tags(), any_application(), any_viewer(), any_poll());
    let state = (proptest::sample::select(&Visibility::ALL), any::<bool>(), option::of(any_time()));
    (any_account(), numbers, texts, parts, state).prop_map(
        |(account, numbers, texts, parts, state)| {
            let ([id, replies, reblogs, favourites], [answers, answered], created_at) = numbers;
            let ([uri, text, content, spoiler_text], [url, language]) = texts;
            let (mentions, tags, application, viewer, poll) = parts;
            let (visibility, sensitive, edited_at) = state;
            StatusBody {
                id: StatusId::new(id),
                account: Arc::new(account),
                uri,
                url,
                text,
                content_type: ContentType::Plain,
                content,
                spoiler_text,
                visibility,
                sensitive,
                language,
                in_reply_to_id: answers.map(StatusId::new),
                in_reply_to_account_id: answered.map(AccountId::new),
                conversation_id: StatusId::new(id),
                mentions,
                tags,
                attachments: vec![samples::video(); usize::from(sensitive)],
                emojis: vec![samples::emoji("cat"); usize::from(sensitive)],
                application,
                poll,
                card: sensitive.then(samples::card),
                counts: StatusCounts { replies, reblogs, favourites },
                viewer,
                created_at,
                edited_at,
                version: 1,
            }
        },
    )
}

fn any_status() -> impl Strategy<Value = Status> {
    (any_body(), option::of(any_body()))
        .prop_map(|(body, reblog)| Status { body, reblog: reblog.map(Box::new) })
}

fn any_notification() -> impl Strategy<Value = Notification> {
    let kind = proptest::sample::select(&NotificationKind::ALL);
    (any::<i64>(), kind, any_account(), option::of(any_status()), any_time()).prop_map(
        |(id, kind, account, status, created_at)| Notification {
            id: NotificationId::new(id),
            kind,
            account: Arc::new(account),
            status,
            created_at,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_account(account in any_account()) {
        prop_assert_eq!(
            written(|out, unkept| pieces::write_account(out, &account, unkept)),
            bytes(&account::render(&account, &urls()))
        );
    }

    #[test]
    fn a_status(status in any_status()) {
        prop_assert_eq!(
            written(|out, unkept| pieces::write_status(out, &status, unkept)),
            bytes(&status::render(&status, &urls(), NOW))
        );
    }

    #[test]
    fn a_notification(notification in any_notification()) {
        prop_assert_eq!(
            written(|out, unkept| pieces::write_notification(out, &notification, unkept)),
            bytes(&notification::render(&notification, &urls(), NOW))
        );
    }

    #[test]
    fn a_thread(above in vec(any_status(), 0..2), below in vec(any_status(), 0..3)) {
        prop_assert_eq!(
            written(|out, unkept| pieces::write_context(out, &above, &below, unkept)),
            bytes(&context::render(&above, &below, &urls(), NOW))
        );
    }
}

#[test]
fn lists_of_any_length() {
    for length in 0..3 {
        let accounts = vec![samples::bob(); length];
        let rendered: Vec<_> =
            accounts.iter().map(|account| account::render(account, &urls())).collect();
        assert_eq!(
            written(|out, unkept| pieces::write_accounts(out, &accounts, unkept)),
            bytes(&rendered)
        );
        let news = vec![samples::notification(NotificationKind::Reblog); length];
        let rendered: Vec<_> =
            news.iter().map(|one| notification::render(one, &urls(), NOW)).collect();
        assert_eq!(
            written(|out, unkept| pieces::write_notifications(out, &news, unkept)),
            bytes(&rendered)
        );
    }
}

#[test]
fn conversations_with_and_without_a_last_status() {
    let silent = Conversation { last_status: None, ..samples::conversation() };
    let alone = Conversation { accounts: Vec::new(), unread: false, ..samples::conversation() };
    let all = [samples::conversation(), silent, alone];
    let rendered: Vec<_> = all.iter().map(|one| conversation::render(one, &urls(), NOW)).collect();
    assert_eq!(
        written(|out, unkept| pieces::write_conversations(out, &all, unkept)),
        bytes(&rendered)
    );
}

/// A keeper of pieces need only look at an id and a version.
#[test]
fn a_kept_piece_stays_true_while_the_version_does() {
    let before = samples::alice();
    let after = Account { statuses_count: 999, last_status_at: None, ..samples::alice() };
    assert_eq!(pieces::author_core(&before, &urls()), pieces::author_core(&after, &urls()));
    let liked = StatusBody {
        counts: StatusCounts::default(),
        viewer: None,
        account: Arc::new(after),
        ..samples::body()
    };
    assert_eq!(
        pieces::status_core(&samples::body(), &urls()),
        pieces::status_core(&liked, &urls())
    );
}
