//! Statistics for staff: days, totals, rankings, and what does not count.

use diesel::{connection::SimpleConnection, prelude::*};
use siskin_entities::{DayRange, Frequency, MeasureKey, Timestamp, usage::FileKind};
use siskin_ids::{AccountId, StatusId, TagId, TokenId, first_id_at};
use siskin_persistence::{
    measures::{self, InstanceRows, TagCount},
    schema::active_days,
    space, tokens,
};
use siskin_test_support::both_engines;

use crate::world::{NOW, World};

const DAY: i64 = 86_400_000;

/// The day of the tests.
fn today() -> Timestamp {
    NOW.midnight()
}

/// Noon of the day that is this many days ago.
fn noon(days_ago: i64) -> i64 {
    today().unix_ms() - days_ago * DAY + DAY / 2
}

/// Midnight of the day that is this many days ago.
fn midnight(days_ago: i64) -> Timestamp {
    Timestamp::from_unix_ms(today().unix_ms() - days_ago * DAY)
}

/// The last days, with today.
fn last(days: i64) -> DayRange {
    DayRange::of(midnight(days - 1), NOW, 366).unwrap()
}

/// Sorted by day.
fn sorted(mut counts: measures::DayCounts) -> measures::DayCounts {
    counts.sort_unstable();
    counts
}

impl World {
    fn sql(&self, statement: String) {
        self.write(move |tx| Ok(tx.batch_execute(&statement)?));
    }

    /// Inserts an account of that day, of this server or of another one.
    fn account_of(&self, name: &str, domain: Option<&str>, days_ago: i64) -> AccountId {
        let at = noon(days_ago);
        let id = self.write(move |tx| Ok(first_id_at(at) | (tx.next_id() & 0xffff)));
        let host = domain.unwrap_or("siskin.test");
        let domain = domain.map_or("NULL".to_owned(), |domain| format!("'{domain}'"));
        self.sql(format!(
            "INSERT INTO accounts (id, username, username_key, domain, uri, created_at, updated_at)
             VALUES ({id}, '{name}', '{name}', {domain}, 'http://{host}/{name}', {at}, {at});
             INSERT INTO account_stats (account_id) VALUES ({id});"
        ));
        AccountId::new(id)
    }

    /// Inserts a user that signed up on that day.
    fn user_of(&self, name: &str, days_ago: i64) -> AccountId {
        let id = self.account_of(name, None, days_ago);
        let at = noon(days_ago);
        self.sql(format!(
            "INSERT INTO users (account_id, email, email_key, password_hash, created_at, updated_at)
             VALUES ({id}, '{name}@x', '{name}@x', '', {at}, {at});"
        ));
        id
    }

    fn active(&self, account: AccountId, days_ago: &[i64]) {
        for days in days_ago {
            let day = midnight(*days).unix_ms();
            self.write(move |tx| {
                let row = (active_days::day.eq(day), active_days::account_id.eq(account));
                Ok(diesel::insert_into(active_days::table).values(row).execute(&mut **tx)?)
            });
        }
    }

    /// Inserts a status of that day. `more` are pairs of columns and values.
    fn status_of(&self, author: AccountId, days_ago: i64, more: &[(&str, String)]) -> StatusId {
        let at = noon(days_ago);
        let id = self.write(move |tx| Ok(first_id_at(at) | (tx.next_id() & 0xffff)));
        let columns: String = more.iter().map(|(column, _)| format!(", {column}")).collect();
        let values: String = more.iter().map(|(_, value)| format!(", {value}")).collect();
        let visibility =
            if columns.contains("visibility") { ("", "") } else { (", visibility", ", 0") };
        self.sql(format!(
            "INSERT INTO statuses (id, account_id, uri, conversation_id, created_at{columns}{})
             VALUES ({id}, {author}, 'u{id}', {id}, {at}{values}{});
             UPDATE account_stats SET statuses_count = statuses_count + 1
             WHERE account_id = {author};",
            visibility.0, visibility.1
        ));
        StatusId::new(id)
    }

    fn favourite_of(&self, account: AccountId, status: StatusId, days_ago: i64) {
        let at = noon(days_ago);
        let id = self.write(move |tx| Ok(first_id_at(at) | (tx.next_id() & 0xffff)));
        self.sql(format!("INSERT INTO favourites VALUES ({id}, {account}, {status}, {at});"));
    }

    fn use_tag(&self, tag: i64, status: StatusId) {
        self.sql(format!("INSERT INTO statuses_tags VALUES ({tag}, {status}, 0);"));
    }

    fn new_tag(&self, tag: i64) -> TagId {
        self.sql(format!(
            "INSERT INTO tags (id, name, display_name, created_at) VALUES ({tag}, 't{tag}', '', 0);"
        ));
        TagId::new(tag)
    }
}

both_engines! {
    fn new_users_are_counted_by_the_day_of_their_id(database: &TestDatabase) {
        let world = World::on(database);
        for (name, days_ago) in [("a", 0), ("b", 0), ("c", 1), ("d", 3), ("e", 4)] {
            world.user_of(name, days_ago);
        }
        world.account_of("far", Some("far.test"), 0);
        let counts = world.read(|conn| measures::new_by_day(conn, last(2)));
        assert_eq!(sorted(counts), [(midnight(3), 1), (midnight(1), 1), (midnight(0), 2)]);
    }

    fn active_users_count_once_in_totals(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.user_of("alice", 20), world.user_of("bob", 20));
        world.active(alice, &[0, 1, 2, 3]);
        world.active(bob, &[1, 5]);
        let by_day = world.read(|conn| measures::active_by_day(conn, last(3)));
        assert_eq!(sorted(by_day), [(midnight(2), 1), (midnight(1), 2), (midnight(0), 1)]);
        assert_eq!(world.read(|conn| measures::active_totals(conn, last(3))), (2, 2));
        assert_eq!(world.read(|conn| measures::active_totals(conn, last(1))), (1, 2));
    }

    fn the_use_of_a_token_is_recorded_once_a_day(database: &TestDatabase) {
        let world = World::on(database);
        let alice = world.person("alice");
        for _ in 0..2 {
            world.write(move |tx| tokens::record_use(tx, TokenId::new(1), Some(alice)));
        }
        let by_day = world.read(|conn| measures::active_by_day(conn, last(1)));
        assert_eq!(by_day, [(today(), 1)]);
        // The account was deleted meanwhile.
        world.write(|tx| tokens::record_use(tx, TokenId::new(1), Some(AccountId::new(99))));
        assert_eq!(world.read(|conn| measures::active_totals(conn, last(1))), (1, 0));
    }

    fn interactions_are_those_of_local_accounts_with_others(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.user_of("alice", 30), world.user_of("bob", 30));
        let zoe = world.account_of("zoe", Some("far.test"), 30);
        let status = world.status_of(bob, 9, &[]);
        let reply = |to: AccountId| {
            vec![("in_reply_to_id", status.to_string()), ("in_reply_to_account_id", to.to_string())]
        };
        let reblog = [("reblog_of_id", status.to_string())];
        world.favourite_of(alice, status, 1);
        world.favourite_of(bob, status, 1);
        world.favourite_of(zoe, status, 1);
        world.status_of(alice, 1, &reply(bob));
        world.status_of(bob, 1, &reply(bob));
        world.status_of(zoe, 1, &reply(bob));
        world.status_of(alice, 0, &reblog);
        world.status_of(bob, 0, &[]);
        let mut removed = reply(bob);
        removed.push(("visibility", "4".to_owned()));
        world.status_of(alice, 0, &removed);
        let counts =
            world.read(|conn| measures::count_interactions(conn, midnight(5), midnight(-1)));
        assert_eq!(sorted(counts), [(midnight(1), 3), (midnight(0), 1)]);
    }

    fn days_are_stored_once_and_the_latest_missing_ones_are_found(database: &TestDatabase) {
        let world = World::on(database);
        let key = MeasureKey::Interactions;
        assert_eq!(world.read(measures::first_day), None);
        world.user_of("alice", 4);
        assert_eq!(world.read(measures::first_day), Some(midnight(4)));
        let missing = |most| {
            let days = (midnight(4), midnight(0));
            world.read(move |conn| measures::uncounted_days(conn, key, days, most))
        };
        assert_eq!(missing(9), [midnight(1), midnight(2), midnight(3), midnight(4)]);
        assert_eq!(missing(1), [midnight(1)]);
        for value in [7, 8] {
            world.write(move |tx| measures::insert_count(tx, key, midnight(2), value));
        }
        assert_eq!(missing(9), [midnight(1), midnight(3), midnight(4)]);
        let stored = world.read(|conn| measures::stored_counts(conn, key, last(2)));
        assert_eq!(stored, [(midnight(2), 7)]);
    }

    fn uses_of_a_hashtag_are_public_and_distinct(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.account_of("alice", None, 30), world.account_of("bob", None, 30));
        let zoe = world.account_of("zoe", Some("far.test"), 30);
        let silenced = world.account_of("silent", None, 30);
        world.sql(format!("UPDATE accounts SET silenced_at = 1 WHERE id = {silenced};"));
        let (tag, other) = (world.new_tag(1), world.new_tag(2));
        let german = [("language", "'de'".to_owned())];
        for (author, days_ago, more) in [
            (alice, 0, &german[..]), (alice, 0, &[]), (bob, 0, &german), (alice, 1, &[]),
            (zoe, 1, &[]), (bob, 3, &[]), (silenced, 0, &[]),
            (bob, 0, &[("visibility", "1".to_owned())]),
            (bob, 0, &[("visibility", "3".to_owned())]),
        ] {
            let status = world.status_of(author, days_ago, more);
            world.use_tag(1, status);
        }
        let counts = |what| {
            let by_day = world.read(move |conn| measures::tag_by_day(conn, tag, what, last(2)));
            let totals = world.read(move |conn| measures::tag_totals(conn, tag, what, last(2)));
            (sorted(by_day).into_iter().map(|(_, value)| value).collect::<Vec<_>>(), totals)
        };
        assert_eq!(counts(TagCount::Uses), (vec![2, 3], (5, 1)));
        assert_eq!(counts(TagCount::Accounts), (vec![2, 2], (3, 1)));
        assert_eq!(counts(TagCount::Servers), (vec![2, 1], (2, 1)));
        let servers = world.read(|conn| measures::tag_servers(conn, tag, last(2), 9));
        assert_eq!(servers, [(String::new(), 4), ("far.test".to_owned(), 1)]);
        let languages = world.read(|conn| measures::tag_languages(conn, tag, last(2), 1));
        assert_eq!(languages, [(String::new(), 3)]);
        assert_eq!(
            world.read(|conn| measures::tag_totals(conn, other, TagCount::Uses, last(2))), (0, 0)
        );
    }

    fn a_server_is_measured_by_the_rows_of_its_accounts(database: &TestDatabase) {
        let world = World::on(database);
        let local = world.user_of("alice", 30);
        let zoe = world.account_of("zoe", Some("far.test"), 2);
        let yan = world.account_of("yan", Some("far.test"), 0);
        world.account_of("xia", Some("other.test"), 0);
        world.status_of(zoe, 1, &[("language", "'pl'".to_owned())]);
        world.status_of(zoe, 0, &[]);
        world.status_of(yan, 0, &[("language", "'pl'".to_owned())]);
        world.follow(local, zoe);
        world.follow(yan, local);
        world.sql(format!(
            "UPDATE account_stats SET followers_count = 1 WHERE account_id = {zoe};"
        ));
        let id = first_id_at(noon(1));
        world.sql(format!(
            "INSERT INTO media_attachments (id, account_id, kind, unattached_at, created_at)
             VALUES ({id}, {zoe}, 1, 0, 0);
             INSERT INTO reports (id, account_id, target_account_id, category, comment, forwarded,
                                  status_ids, created_at, updated_at)
             VALUES ({id}, {local}, {zoe}, 'spam', '', FALSE, '[]', 0, 0);"
        ));
        let of = |rows| {
            let (by_day, total) = world
                .read(move |conn| measures::instance_by_day(conn, "far.test", rows, last(2)));
            (sorted(by_day), total)
        };
        assert_eq!(of(InstanceRows::Accounts), (vec![(today(), 1)], 2));
        assert_eq!(of(InstanceRows::Statuses), (vec![(midnight(1), 1), (today(), 2)], 3));
        assert_eq!(of(InstanceRows::MediaAttachments), (vec![(midnight(1), 1)], 1));
        assert_eq!(of(InstanceRows::Reports), (vec![(midnight(1), 1)], 1));
        assert_eq!(of(InstanceRows::Follows), (vec![(today(), 1)], 1));
        assert_eq!(of(InstanceRows::Followers), (vec![(today(), 1)], 1));
        let accounts = world.read(|conn| measures::instance_accounts(conn, "far.test", 9));
        assert_eq!(accounts, [("zoe".to_owned(), 1), ("yan".to_owned(), 0)]);
        let languages =
            world.read(|conn| measures::instance_languages(conn, "far.test", last(2), 9));
        assert_eq!(languages, [("pl".to_owned(), 2), (String::new(), 1)]);
        let servers = world.read(|conn| measures::servers(conn, last(2), 1000, 9));
        assert_eq!(servers, [("far.test".to_owned(), 3)]);
        assert_eq!(world.read(|conn| measures::servers(conn, last(2), 2, 9))[0].1, 2);
    }

    fn reports_are_counted_when_they_are_opened_and_when_resolved(database: &TestDatabase) {
        let world = World::on(database);
        let (alice, bob) = (world.user_of("alice", 30), world.user_of("bob", 30));
        for (opened, resolved) in [(0, None), (1, Some(0)), (3, Some(1)), (9, Some(3))] {
            let id = first_id_at(noon(opened));
            let resolved = resolved.map_or("NULL".to_owned(), |days| noon(days).to_string());
            world.sql(format!(
                "INSERT INTO reports (id, account_id, target_account_id, category, comment,
                                      forwarded, status_ids, action_taken_at, created_at,
                                      updated_at)
                 VALUES ({id}, {alice}, {bob}, 'spam', '', FALSE, '[]', {resolved}, 0, 0);"
            ));
        }
        let opened = world.read(|conn| measures::opened_by_day(conn, last(2)));
        assert_eq!(sorted(opened), [(midnight(3), 1), (midnight(1), 1), (today(), 1)]);
        let resolved = world.read(|conn| measures::resolved_by_day(conn, last(2)));
        assert_eq!(sorted(resolved), [(midnight(3), 1), (midnight(1), 1), (today(), 1)]);
    }

    fn languages_and_applications_of_users_are_ranked(database: &TestDatabase) {
        let world = World::on(database);
        world.sql(
            "INSERT INTO applications (id, name, client_id, client_secret_hash, redirect_uris, \
             scopes, created_at) VALUES (1, 'Tusk', 'x', '', '', '', 0);"
                .to_owned(),
        );
        for (name, locale, active, application) in [
            ("a", "'de'", 0, "1"), ("b", "'de'", 0, "1"), ("c", "'fr'", 0, "NULL"),
            ("d", "NULL", 0, "1"), ("e", "'fr'", 9, "NULL"), ("f", "'fr'", 9, "NULL"),
        ] {
            let user = world.user_of(name, active);
            world.sql(format!(
                "UPDATE users SET locale = {locale}, last_active_at = {}, \
                 created_by_application_id = {application} WHERE account_id = {user};",
                noon(active)
            ));
        }
        let languages = world.read(|conn| measures::languages(conn, last(2), 9));
        assert_eq!(languages, [("de".to_owned(), 2), ("fr".to_owned(), 1)]);
        let sources = world.read(|conn| measures::sources(conn, last(2), 9));
        assert_eq!(sources, [("Tusk".to_owned(), 3), (String::new(), 1)]);
        assert_eq!(world.read(|conn| measures::sources(conn, last(10), 1)).len(), 1);
    }

    fn users_are_retained_by_period(database: &TestDatabase) {
        let world = World::on(database);
        let (a, b) = (world.user_of("a", 2), world.user_of("b", 2));
        let c = world.user_of("c", 1);
        let before = world.user_of("before", 9);
        world.active(a, &[0, 1, 2]);
        world.active(b, &[0]);
        world.active(c, &[1]);
        world.active(before, &[0]);
        let range = last(3);
        let mut sizes = world.read(|conn| measures::cohort_sizes(conn, Frequency::Day, range));
        sizes.sort_unstable();
        assert_eq!(sizes, [(midnight(2), 2), (midnight(1), 1)]);
        let mut days = world.read(|conn| measures::retained(conn, Frequency::Day, range));
        days.sort_unstable();
        assert_eq!(days, [(0, 0, 1), (0, 1, 1), (0, 2, 2), (1, 1, 1)]);
        // The days of NOW are in one month.
        let months = world.read(|conn| measures::retained(conn, Frequency::Month, range));
        assert_eq!(months, [(0, 0, 3)]);
        let year = last(200);
        let months = world.read(|conn| measures::retained(conn, Frequency::Month, year));
        let last_month = Frequency::Month.periods(year).len() - 1;
        assert_eq!(months, [(last_month, last_month, 4)]);
    }

    fn the_database_knows_its_size(database: &TestDatabase) {
        let world = World::on(database);
        world.person("alice");
        let software = world.read(space::software);
        assert!(["sqlite", "postgresql"].contains(&software.key), "{software:?}");
        assert!(software.version.starts_with(|digit: char| digit.is_ascii_digit()));
        assert!(world.read(space::database_bytes) > 100_000);
        let rows = world.read(space::table_rows);
        let accounts = rows.iter().find(|table| table.name == "accounts").unwrap().rows;
        // PostgreSQL estimates.
        assert!(accounts == 1 || software.key == "postgresql" && accounts >= 0, "{accounts}");
    }

    fn sizes_of_files_are_added_up_by_kind(database: &TestDatabase) {
        let world = World::on(database);
        let files = |kind, files, bytes| siskin_entities::usage::FilesOfKind { kind, files, bytes };
        assert_eq!(world.read(space::unlisted_prefixes).len(), 256);
        world.write(move |tx| {
            space::save_files(tx, 0, &[files(FileKind::Picture, 9, 900)])?;
            let some = [files(FileKind::Picture, 2, 20), files(FileKind::Audio, 1, 5)];
            space::save_files(tx, 0, &some)?;
            space::save_files(tx, 255, &[files(FileKind::Picture, 1, 10)])
        });
        let usage = world.read(space::files);
        assert_eq!(usage.kinds, [files(FileKind::Picture, 3, 30), files(FileKind::Audio, 1, 5)]);
        assert_eq!((usage.bytes(), usage.listed_at), (35, None));
        let unlisted = world.read(space::unlisted_prefixes);
        assert_eq!((unlisted.len(), unlisted[0]), (254, 1));
        world.write(|tx| {
            (1..255).try_for_each(|prefix| space::save_files(tx, prefix, &[]))
        });
        assert_eq!(world.read(space::files).listed_at, Some(NOW));
    }
}
