//! Migrations that convert stored rows.

use std::time::Duration;

use siskin_entities::{ContentType, StatusDraft, StatusSource, Visibility, polls::Definition};
use siskin_ids::{AccountId, ScheduledStatusId, StatusId};
use siskin_persistence::{Conn, Tx, admin_accounts, scheduled, users};
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

/// Returns the statement of migration 0050 that copies the known addresses of users.
fn known_addresses(database: &TestDatabase) -> String {
    let migration = match database.engine() {
        Engine::Sqlite => include_str!("../../../../migrations/sqlite/0050_admin_accounts/up.sql"),
        Engine::Postgres => {
            include_str!("../../../../migrations/postgres/0050_admin_accounts/up.sql")
        }
    };
    let begin = migration.find("INSERT INTO account_ips").unwrap();
    let end = begin + migration[begin..].find(';').unwrap();
    migration[begin..end].to_owned()
}

/// Returns the statement of migration 0069.
fn keys_without_ports(database: &TestDatabase) -> &'static str {
    match database.engine() {
        Engine::Sqlite => {
            include_str!("../../../../migrations/sqlite/0069_email_keys_without_ports/up.sql")
        }
        Engine::Postgres => {
            include_str!("../../../../migrations/postgres/0069_email_keys_without_ports/up.sql")
        }
    }
}

/// Brings the users back to their columns before migration 0072.
const WITHOUT_FOLDED_EMAILS: &str =
    "DROP INDEX users_folded_email; ALTER TABLE users DROP COLUMN folded_email;";

/// Returns the statements of migration 0072.
fn folded_emails(database: &TestDatabase) -> &'static str {
    match database.engine() {
        Engine::Sqlite => include_str!("../../../../migrations/sqlite/0072_folded_emails/up.sql"),
        Engine::Postgres => {
            include_str!("../../../../migrations/postgres/0072_folded_emails/up.sql")
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

    fn known_addresses_of_users_are_copied(database: &TestDatabase) {
        let store = open(database);
        let ips = [
            "192.0.2.1", "0.0.0.0", "255.255.255.255", "::", "::1", "2001:db8::",
            "2001:db8::1:2", "1::8", "1:2:3:4:5:6:7:8", "fe80::1234:5678:9abc:def0",
        ];
        let mut accounts = Vec::new();
        for (number, ip) in ips.into_iter().enumerate() {
            let add = move |tx: &mut Tx<'_>| {
                builders::local_account(tx, &format!("user{number}"), "http://a.example")
            };
            let account = store.write(add).unwrap();
            accounts.push(account);
            database.execute(&format!(
                "UPDATE users SET sign_up_ip = '{ip}', created_at = 5 WHERE account_id = {account}"
            ));
        }
        let [first, second] = accounts[..2] else { unreachable!() };
        // A sign-in from the same address, from another one, and from an unknown one.
        for (id, account, ip) in [(1, first, ips[0]), (2, first, "::2"), (3, second, "")] {
            database.execute(&format!(
                "INSERT INTO web_sessions (id, token_hash, account_id, ip, created_at, last_used_at)
                 VALUES ({id}, 'hash{id}', {account}, '{ip}', {id}0, 99)"
            ));
        }
        database.execute(&known_addresses(database));
        let found = store.read(|conn| admin_accounts::load(conn, &accounts)).unwrap();
        for (account, ip) in accounts.iter().zip(ips) {
            let used = found[account].user.as_ref().unwrap().ips.iter();
            let used: Vec<(String, i64)> =
                used.map(|used| (used.ip.to_string(), used.used_at.unix_ms())).collect();
            let mut expected = vec![(ip.to_owned(), 5)];
            if *account == first {
                expected = vec![("::2".to_owned(), 20), (ip.to_owned(), 10)];
            }
            assert_eq!(used, expected);
        }
    }

    fn email_keys_lose_their_ports_and_stay_unique(database: &TestDatabase) {
        let store = open(database);
        let keys = [
            ("ann@localhost:3000", "ann@localhost"),
            ("bob@mail.example", "bob@mail.example"),
            // These would be the same address.
            ("cem@mail.example", "cem@mail.example"),
            ("cem@mail.example:25", "cem@mail.example:25"),
            ("dan@mail.example:1", "dan@mail.example:1"),
            ("dan@mail.example:2", "dan@mail.example:2"),
        ];
        let mut accounts = Vec::new();
        for (number, (before, _)) in keys.into_iter().enumerate() {
            let add = move |tx: &mut Tx<'_>| {
                builders::local_account(tx, &format!("user{number}"), "http://a.example")
            };
            let account = store.write(add).unwrap();
            accounts.push(account);
            database.execute(&format!(
                "UPDATE users SET email_key = '{before}' WHERE account_id = {account}"
            ));
        }
        database.execute(keys_without_ports(database));
        for (account, (_, after)) in accounts.iter().zip(keys) {
            let found = store.read(|conn| users::find_by_email(conn, after)).unwrap();
            assert_eq!(found.unwrap().account, *account, "{after}");
        }
    }

    fn the_addresses_that_users_typed_are_folded(database: &TestDatabase) {
        let store = open(database);
        let typed = [
            ("Ann@Mail.example", "ann@mail.example"),
            ("ÄRGER@Mail.example", "ärger@mail.example"),
            // Keys with ports were left if two accounts would have had the same.
            ("cem@mail.example:25", "cem@mail.example:25"),
            // Two users who did not get the address.
            ("ANN@mail.example", ""),
            ("ann@Mail.example:25", ""),
        ];
        let mut accounts = Vec::new();
        for number in 0..typed.len() {
            let add = move |tx: &mut Tx<'_>| {
                builders::local_account(tx, &format!("user{number}"), "http://a.example")
            };
            accounts.push(store.write(add).unwrap());
        }
        drop(store);
        database.execute(WITHOUT_FOLDED_EMAILS);
        for (account, (email, key)) in accounts.iter().zip(typed) {
            let key = if key.is_empty() { users::no_email_key(*account) } else { key.to_owned() };
            database.execute(&format!(
                "UPDATE users SET email = '{email}', email_key = '{key}', confirmed_at = NULL
                 WHERE account_id = {account}"
            ));
        }
        database.execute(folded_emails(database));
        let mut conn = Conn::open(database.url()).unwrap();
        let mut found = |key| users::unconfirmed_with_email(&mut conn, key, 9).unwrap();
        assert_eq!(found("ann@mail.example"), [accounts[4], accounts[3], accounts[0]]);
        assert_eq!(found("ärger@mail.example"), [accounts[1]]);
        assert_eq!(found("cem@mail.example"), [accounts[2]]);
    }
}
