//! Tests that rendering from pieces gives the bytes of the serde structs for all views.

use std::sync::Arc;

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde::Serialize;
use siskin_entities::{
    Account, AccountSnapshot, AccountState, Conversation, Field, GroupKey, GroupedNotifications,
    Notification, NotificationGroup, NotificationKind, Page, Picture, Poll, Quote, QuoteApproval,
    QuotePermission, QuotePolicy, QuoteState, Status, StatusBody, StatusEdit, StatusSnapshot,
    StatusSource, Timestamp, ViewerState, Visibility,
    filters::{FilterAction, FilterContexts, FilterHead, FilterResult},
    polls::{PollOption, PollViewer},
    status::{Mention, StatusApplication, StatusCounts, StatusTag},
};
use siskin_ids::{AccountId, FilterId, NotificationId, PollId, StatusId};
use siskin_wire::{
    account,
    budget::{Budget, Keep},
    context, conversation, notification,
    notification_group::{self, ExpandAccounts},
    pieces::{self, Pieces},
    search::{self, Search},
    status, status_edit, tag,
};

use crate::samples::{self, NOW, urls};

fn bytes(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("entities are JSON")
}

fn written(write: impl FnOnce(&mut Vec<u8>, &Pieces<'_>)) -> String {
    let (mut out, urls) = (Vec::new(), urls());
    write(&mut out, &Pieces { urls: &urls, now: NOW });
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
        let snapshot = AccountSnapshot {
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
            sensitized: memorial,
            created_at,
            role: staff.then_some(role),
            ..AccountSnapshot::clone(&samples::alice().snapshot)
        };
        Account {
            snapshot: Arc::new(snapshot.into()),
            moved: None,
            last_status_at: last,
            statuses_count,
            followers_count,
            following_count,
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
    let state = (select(&Visibility::ALL), any::<bool>(), option::of(any_time()));
    (any_account(), numbers, texts, parts, state).prop_map(
        |(account, numbers, texts, parts, state)| {
            let ([id, replies, reblogs, favourites], [answers, answered], created_at) = numbers;
            let ([uri, text, content, spoiler_text], [url, language]) = texts;
            let (mentions, tags, application, viewer, poll) = parts;
            let (visibility, sensitive, edited_at) = state;
            let snapshot = StatusSnapshot {
                id: StatusId::new(id),
                uri,
                url,
                is_local: account.is_local(),
                username: account.username.clone(),
                source: StatusSource {
                    spoiler_text,
                    sensitive,
                    language,
                    ..StatusSource::new(text)
                },
                content,
                visibility,
                mentions,
                former_mentions: Vec::new(),
                tags,
                attachments: vec![samples::video(); usize::from(sensitive)],
                emojis: vec![samples::emoji("cat"); usize::from(sensitive)],
                application,
                has_poll: poll.is_some(),
                card: sensitive.then(samples::card),
                created_at,
                edited_at,
            };
            StatusBody {
                snapshot: Arc::new(snapshot.into()),
                account: Arc::new(account),
                in_reply_to_id: answers.map(StatusId::new),
                in_reply_to_account_id: answered.map(AccountId::new),
                conversation_id: StatusId::new(id),
                poll,
                counts: StatusCounts { replies, reblogs, favourites, quotes: replies / 2 },
                quote: None,
                quote_approval: QuoteApproval::default(),
                viewer,
            }
        },
    )
}

/// Returns any status with its quote, which may contain another one.
fn any_quoting() -> impl Strategy<Value = StatusBody> {
    let state = select(&QuoteState::ALL);
    let approval = (select(&QuotePolicy::ALL), select(&QuotePermission::ALL));
    // On the heap, because the strategies are large.
    let body = || any_body().boxed();
    let bodies = (body(), option::of(body()), option::of(body()));
    (bodies, option::of(state), approval).prop_map(|((body, quoted, inner), state, approval)| {
        let quote = |status: Option<StatusBody>| {
            state.map(|state| Quote { state, status: status.map(Box::new) })
        };
        let quoted = quoted.map(|quoted| StatusBody { quote: quote(inner), ..quoted });
        let (policy, viewer) = approval;
        let quote_approval = QuoteApproval { policy, viewer };
        StatusBody { quote: quote(quoted), quote_approval, ..body }
    })
}

fn any_status() -> impl Strategy<Value = Status> {
    (any_quoting().boxed(), option::of(any_quoting().boxed()))
        .prop_map(|(body, reblog)| Status { body, reblog: reblog.map(Box::new) })
}

fn any_notification() -> impl Strategy<Value = Notification> {
    let kind = select(&NotificationKind::ALL);
    (any::<i64>(), kind, any_account(), option::of(any_status()), any_time()).prop_map(
        |(id, kind, account, status, created_at)| Notification {
            id: NotificationId::new(id),
            kind,
            account: Arc::new(account),
            status,
            record: samples::notification(kind).record,
            created_at,
            filtered: false,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_account(account in any_account()) {
        prop_assert_eq!(
            written(|out, with| pieces::write_account(out, &account, with)),
            bytes(&account::render(&account, &urls()))
        );
    }

    #[test]
    fn a_status(status in any_status()) {
        prop_assert_eq!(
            written(|out, with| pieces::write_status(out, &status, with)),
            bytes(&status::render(&status, &urls(), NOW))
        );
    }

    #[test]
    fn a_notification(notification in any_notification()) {
        prop_assert_eq!(
            written(|out, with| pieces::write_notification(out, &notification, with)),
            bytes(&notification::render(&notification, &urls(), NOW))
        );
    }

    #[test]
    fn a_thread(above in vec(any_status(), 0..2), below in vec(any_status(), 0..3)) {
        prop_assert_eq!(
            written(|out, with| pieces::write_context(out, &above, &below, with)),
            bytes(&context::render(&above, &below, &urls(), NOW))
        );
    }
}

/// Groups of which some share their samples and their status, with what they refer to.
fn any_groups() -> impl Strategy<Value = GroupedNotifications> {
    let shape = (any::<i64>(), 0..5_usize, vec(0..3_usize, 0..4), 0..3_usize, any_time());
    let parts = (vec(any_account(), 3), vec(any_status(), 2), vec(shape, 0..4));
    parts.prop_map(|(accounts, statuses, shapes)| {
        let group = |(id, kind, samples, status, newest_at): (i64, usize, Vec<usize>, usize, _)| {
            let kinds = [
                NotificationKind::Favourite,
                NotificationKind::Follow,
                NotificationKind::Mention,
                NotificationKind::ModerationWarning,
                NotificationKind::AdminReport,
            ];
            let (id, kind) = (NotificationId::new(id), kinds[kind]);
            let status = statuses.get(status).map(|status: &Status| status.body.id);
            NotificationGroup {
                key: GroupKey::of(id, kind, status),
                kind,
                count: 7,
                newest: id,
                oldest: id,
                newest_at,
                samples: samples.iter().map(|place| accounts[*place].id).collect(),
                status,
                record: samples::notification(kind).record,
            }
        };
        let groups: Vec<_> = shapes.into_iter().map(group).collect();
        let mut named: Vec<Arc<Account>> = Vec::new();
        for id in groups.iter().flat_map(|group| &group.samples) {
            if named.iter().all(|account| account.id != *id) {
                let account = accounts.iter().find(|account| account.id == *id).expect("a sample");
                named.push(Arc::new(account.clone()));
            }
        }
        let is_named =
            |status: &Status| groups.iter().any(|one| one.status == Some(status.body.id));
        let statuses = statuses.iter().filter(|status| is_named(status)).cloned().collect();
        let groups = Page::of(groups, 40, |group| group.newest.get());
        GroupedNotifications { groups, accounts: named, statuses }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn groups_of_notifications(grouped in any_groups(), is_partial in any::<bool>()) {
        let expand =
            if is_partial { ExpandAccounts::PartialAvatars } else { ExpandAccounts::Full };
        let write = |out: &mut Vec<u8>, with: &Pieces<'_>| {
            let range = notification_group::write(out, &grouped, expand, Budget::FIRST, with);
            assert_eq!(range, 0..grouped.groups.items.len());
        };
        prop_assert_eq!(
            written(write),
            bytes(&notification_group::render(&grouped, expand, &urls(), NOW))
        );
    }

    /// A response that would be too large has fewer groups, and only what these refer to.
    #[test]
    fn groups_beyond_the_budget_are_left_out(grouped in any_groups(), keep_last in any::<bool>()) {
        let keep = if keep_last { Keep::Last } else { Keep::First };
        let mut range = 0..0;
        let shown = written(|out, with| {
            let budget = Budget { bytes: 1, keep };
            range = notification_group::write(out, &grouped, ExpandAccounts::Full, budget, with);
        });
        let all = &grouped.groups.items;
        prop_assert!(!range.is_empty() || all.is_empty(), "at least one group");
        let kept_end = if keep_last { range.end == all.len() } else { range.start == 0 };
        prop_assert!(kept_end, "{:?}", range);
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let kept = &all[range];
        prop_assert_eq!(shown["notification_groups"].as_array().unwrap().len(), kept.len());
        let mut samples: Vec<_> = kept.iter().flat_map(|group| &group.samples).collect();
        samples.sort_unstable();
        samples.dedup();
        prop_assert_eq!(shown["accounts"].as_array().unwrap().len(), samples.len());
    }
}

#[test]
fn lists_of_any_length() {
    for length in 0..3 {
        let bob = Arc::new(samples::bob());
        let accounts = vec![bob; length];
        let rendered: Vec<_> =
            accounts.iter().map(|account| account::render(account, &urls())).collect();
        assert_eq!(
            written(|out, with| {
                let _ = pieces::write_accounts(out, &accounts, Budget::FIRST, with);
            }),
            bytes(&rendered)
        );
        let news = vec![samples::notification(NotificationKind::Reblog); length];
        let rendered: Vec<_> =
            news.iter().map(|one| notification::render(one, &urls(), NOW)).collect();
        assert_eq!(
            written(|out, with| {
                let _ = pieces::write_notifications(out, &news, Budget::FIRST, with);
            }),
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
        written(|out, with| {
            let _ = pieces::write_conversations(out, &all, Budget::FIRST, with);
        }),
        bytes(&rendered)
    );
}

/// Renders twice, because the second rendering uses the cache that the first one filled.
#[test]
fn cached_json_is_the_same_for_the_next_viewer() {
    let before = StatusBody { viewer: None, ..samples::body() };
    let mut after = samples::body();
    after.snapshot = Arc::clone(&before.snapshot);
    after.counts = StatusCounts::default();
    for body in [before, after] {
        let status = Status { body, reblog: None };
        assert_eq!(
            written(|out, with| pieces::write_status(out, &status, with)),
            bytes(&status::render(&status, &urls(), NOW))
        );
    }
}

#[test]
fn a_changed_snapshot_is_rendered_again() {
    let mut body = samples::body();
    let status = Status { body: body.clone(), reblog: None };
    let before = written(|out, with| pieces::write_status(out, &status, with));
    body.snapshot_mut().content = "<p>other words</p>".to_owned();
    let status = Status { body, reblog: None };
    let after = written(|out, with| pieces::write_status(out, &status, with));
    assert_ne!(before, after);
    assert_eq!(after, bytes(&status::render(&status, &urls(), NOW)));
}

#[test]
fn a_long_history_keeps_the_original_and_the_newest_versions() {
    let version = |number: usize| StatusEdit {
        account: Arc::new(samples::bob()),
        content: format!("<p>{number} {}</p>", "x".repeat(1000)),
        spoiler_text: String::new(),
        sensitive: false,
        poll_options: None,
        attachments: Vec::new(),
        emojis: Vec::new(),
        quote: None,
        created_at: NOW,
    };
    let versions: Vec<StatusEdit> = (0..10).map(version).collect();
    let shown = |of: &[StatusEdit], bytes| -> Vec<String> {
        let written = status_edit::write_within(of, bytes, &urls());
        assert!(written.len() <= bytes || of.len() < 3, "{} bytes", written.len());
        let read: Vec<serde_json::Value> = serde_json::from_slice(&written).unwrap();
        read.iter().map(|one| one["content"].as_str().unwrap()[3..4].to_owned()).collect()
    };
    let one = status_edit::write_within(&versions[..1], 0, &urls()).len();
    assert_eq!(shown(&versions, one * 4 + 4), ["0", "7", "8", "9"]);
    assert_eq!(shown(&versions, one * 11).len(), 10);
    assert_eq!(shown(&versions[..1], 0), ["0"]);
    assert_eq!(shown(&versions[..2], 0), ["0", "1"]);
    assert_eq!(shown(&[], 2), Vec::<String>::new());
}

#[test]
fn a_page_is_cut_to_the_budget() {
    let statuses = vec![Status { body: samples::body(), reblog: None }; 5];
    let one = written(|out, with| pieces::write_status(out, &statuses[0], with)).len();
    for (keep, range) in [(Keep::First, 0..3), (Keep::Last, 2..5)] {
        let budget = Budget { bytes: 3 * one + 4, keep };
        let mut written_range = 0..0;
        let text = written(|out, with| {
            written_range = pieces::write_statuses(out, &statuses, budget, with);
        });
        assert_eq!((written_range, text.len()), (range, 3 * one + 4));
    }
}

#[test]
fn a_search_is_written_like_its_struct() {
    let found = vec![Arc::new(samples::bob()), Arc::new(samples::alice())];
    let accounts = found.iter().map(|found| account::render(found, &urls())).collect();
    let tags = [samples::tag()];
    let statuses = [samples::status()];
    let rendered = Search {
        accounts,
        statuses: statuses.iter().map(|one| status::render(one, &urls(), NOW)).collect(),
        hashtags: tags.iter().map(|one| tag::render(one, &urls())).collect(),
    };
    let found = written(|out, with| *out = search::write(&found, &statuses, &tags, with));
    assert_eq!(found, bytes(&rendered));
}
