//! Migrations that convert stored rows.

use std::time::Duration;

use siskin_entities::{ContentType, StatusDraft, StatusSource, Visibility, polls::Definition};
use siskin_ids::{AccountId, ScheduledStatusId, StatusId};
use siskin_persistence::{Conn, scheduled};
use siskin_test_support::{Engine, TestDatabase, both_engines, builders};

use crate::open;

/// Brings the empty table back to its columns before migration 0037.
const OLD_COLUMNS: &str = "
    ALTER TABLE scheduled_statuses ADD COLUMN text TEXT NOT NULL DEFAULT '';
    ALTER TABLE scheduled_statuses ADD COLUMN spoiler_text TEXT NOT NULL DEFAULT '';
    ALTER TABLE scheduled_statuses ADD COLUMN content_type SMALLINT NOT NULL DEFAULT 0;
    ALTER TABLE scheduled_statuses ADD COLUMN visibility SMALLINT NOT NULL DEFAULT 3;
    ALTER TABLE scheduled_statuses ADD COLUMN sensitive BOOLEAN NOT NULL DEFAULT FALSE;
    ALTER TABLE scheduled_statuses ADD COLUMN language TEXT;
    ALTER TABLE scheduled_statuses ADD COLUMN in_reply_to_id BIGINT;
    ALTER TABLE scheduled_statuses ADD COLUMN poll TEXT;
    ALTER TABLE scheduled_statuses ADD COLUMN allowed_mentions TEXT;
    ALTER TABLE scheduled_statuses DROP COLUMN draft;";

/// Returns the statements of migration 0037.
fn scheduled_drafts(database: &TestDatabase) -> &'static str {
    match database.engine() {
        Engine::Sqlite => {
            include_str!("../../../../migrations/sqlite/0037_scheduled_drafts/up.sql")
        }
        Engine::Postgres => {
            include_str!("../../../../migrations/postgres/0037_scheduled_drafts/up.sql")
        }
    }
}

/// Rows before migration 0037 and the drafts that they mean. `text` is a literal of both engines.
fn old_rows() -> Vec<(&'static str, StatusDraft)> {
    let options = vec!["\"yes\"".to_owned(), "it's\n\\no".to_owned()];
    let odd = "\"a\"\n'b'\t\\c\u{1}\u{1F426}{}";
    vec![
        (
            "'x', '', 0, 0, FALSE, NULL, NULL, NULL, NULL",
            StatusDraft { source: StatusSource::new("x"), ..StatusDraft::default() },
        ),
        (
            "'\"a\"\n''b''\t\\c\u{1}\u{1F426}{}', '[\"1\"]', 1, 3, TRUE, 'en', NULL, NULL, '[]'",
            StatusDraft {
                source: StatusSource {
                    spoiler_text: "[\"1\"]".to_owned(),
                    content_type: ContentType::Markdown,
                    sensitive: true,
                    language: Some("en".to_owned()),
                    ..StatusSource::new(odd)
                },
                visibility: Visibility::Direct,
                allowed_mentions: Some(Vec::new()),
                ..StatusDraft::default()
            },
        ),
        (
            "'', 'null', 2, 2, FALSE, 'null', 9223372036854775807, NULL, \
             '[\"1\",\"9007199254740993\"]'",
            StatusDraft {
                source: StatusSource {
                    spoiler_text: "null".to_owned(),
                    content_type: ContentType::Html,
                    language: Some("null".to_owned()),
                    ..StatusSource::default()
                },
                visibility: Visibility::Private,
                in_reply_to: Some(StatusId::new(i64::MAX)),
                allowed_mentions: Some(vec![
                    AccountId::new(1),
                    AccountId::new(9_007_199_254_740_993),
                ]),
                ..StatusDraft::default()
            },
        ),
        (
            "'1', '2', 0, 1, TRUE, 'de', 7, '{\"options\":[\"\\\"yes\\\"\",\"it''s\\n\\\\no\"],\
             \"expires_in\":300,\"multiple\":true,\"hide_totals\":false}', NULL",
            StatusDraft {
                source: StatusSource {
                    spoiler_text: "2".to_owned(),
                    sensitive: true,
                    language: Some("de".to_owned()),
                    ..StatusSource::new("1")
                },
                visibility: Visibility::Unlisted,
                in_reply_to: Some(StatusId::new(7)),
                poll: Some(Definition::new_unchecked(
                    options,
                    Duration::from_secs(300),
                    true,
                    false,
                )),
                ..StatusDraft::default()
            },
        ),
    ]
}

both_engines! {
    fn scheduled_statuses_keep_their_draft(database: &TestDatabase) {
        let store = open(database);
        let account = store
            .write(|tx| builders::local_account(tx, "alice", "http://a.example"))
            .unwrap();
        drop(store);
        database.execute(OLD_COLUMNS);
        let rows = old_rows();
        for (id, (row, _)) in (1..).zip(&rows) {
            database.execute(&format!(
                "INSERT INTO scheduled_statuses (id, account_id, scheduled_at, created_at, text, \
                 spoiler_text, content_type, visibility, sensitive, language, in_reply_to_id, \
                 poll, allowed_mentions) VALUES ({id}, {account}, {id}000, 5, {row})"
            ));
        }
        database.execute(scheduled_drafts(database));
        let mut conn = Conn::open(database.url()).unwrap();
        for (id, (_, draft)) in (1..).zip(&rows) {
            let found = scheduled::find(&mut conn, ScheduledStatusId::new(id)).unwrap().unwrap();
            assert_eq!(&found.draft, draft);
            assert_eq!((found.account, found.at.unix_ms()), (account, 1000 * id));
        }
    }
}
