//! Tests of `siskin migrate` and `siskin doctor`.

use std::time::Duration;

use siskin_entities::{
    NotificationKind, StatusDraft, StatusSource,
    feed::{Feed, FeedStage},
};
use siskin_ids::ScheduledStatusId;
use siskin_persistence::{
    Error, Store, StoreOptions, accounts, feeds,
    notifications::{self, Cause},
    scheduled::{self, NewScheduled},
};
use siskin_test_support::{TestDatabase, both_engines, builders};

use crate::program::Program;

both_engines! {
    fn migrate_check_lists_pending_migrations_and_migrate_runs_them(database: &TestDatabase) {
        let empty = TestDatabase::empty(database.engine());
        let program = Program::on(&empty);
        let output = program.output(&["migrate", "--check"]);
        assert_eq!(output.status.code(), Some(1));
        // There is no SQLite file yet, and the check must not create one.
        let is_missing = empty.url().starts_with("sqlite");
        let printed = if is_missing { output.stderr } else { output.stdout };
        let expected_text = if is_missing { "siskin: there is no database at" } else { "pending: 0001" };
        assert!(String::from_utf8(printed).unwrap().starts_with(expected_text));
        assert!(program.run(&["migrate"]).starts_with("migrated: 0001"));
        assert_eq!(program.json(&["migrate", "--check", "--json"])["pending"], serde_json::json!([]));
    }

    fn wrong_counters_are_found_and_repaired(database: &TestDatabase) {
        let program = Program::on(database);
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
        let store = Store::open(&StoreOptions::new(database.url())).unwrap();
        store
            .write(|tx| {
                let alice = builders::local_account(tx, "alice", "http://a.example")?;
                let bob = builders::local_account(tx, "bob", "http://a.example")?;
                builders::uncounted_follow(tx, alice, bob)
            })
            .unwrap();
        drop(store);
        let output = program.output(&["doctor"]);
        assert_eq!(output.status.code(), Some(1));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("followers_count") && printed.ends_with("2 findings\n"), "{printed}");
        let fixed = program.json(&["doctor", "--fix", "--json"]);
        assert_eq!(fixed["counters"][0]["counted"], 1);
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
    }

    fn scheduled_statuses_without_a_job_are_found_and_enqueued_again(database: &TestDatabase) {
        let program = Program::on(database);
        let store = Store::open(&StoreOptions::new(database.url())).unwrap();
        let lost = store
            .write(|tx| {
                let account = builders::local_account(tx, "alice", "http://a.example")?;
                let id = ScheduledStatusId::new(tx.next_id());
                let new = NewScheduled {
                    id,
                    account,
                    at: tx.now().after(Duration::from_secs(3600)),
                    draft: &StatusDraft {
                        source: StatusSource::new("Later"),
                        ..StatusDraft::default()
                    },
                    application: None,
                };
                scheduled::insert(tx, &new)?;
                Ok::<_, Error>(id)
            })
            .unwrap();
        drop(store);
        let output = program.output(&["doctor"]);
        assert_eq!(output.status.code(), Some(1));
        let printed = String::from_utf8(output.stdout).unwrap();
        let expected = format!("no job will publish the scheduled status {lost}\n1 finding\n");
        assert_eq!(printed, expected);
        let fixed = program.json(&["doctor", "--fix", "--json"]);
        assert_eq!(fixed["forgotten"][0]["scheduled_status"], lost.to_string());
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
    }

    fn filtered_notifications_without_a_request_are_found_and_repaired(database: &TestDatabase) {
        let program = Program::on(database);
        let store = Store::open(&StoreOptions::new(database.url())).unwrap();
        let (alice, bob) = store
            .write(|tx| {
                let alice = builders::local_account(tx, "alice", "http://a.example")?;
                let bob = builders::local_account(tx, "bob", "http://a.example")?;
                let follow = Cause::new(bob, NotificationKind::Follow, None);
                notifications::insert(tx, follow, &[(alice, true)])?;
                Ok::<_, Error>((alice, bob))
            })
            .unwrap();
        drop(store);
        let output = program.output(&["doctor"]);
        assert_eq!(output.status.code(), Some(1));
        let printed = String::from_utf8(output.stdout).unwrap();
        let expected =
            format!("filtered notifications of {alice} by {bob} have no request\n1 finding\n");
        assert_eq!(printed, expected);
        let fixed = program.json(&["doctor", "--fix", "--json"]);
        assert_eq!(fixed["requests"][0]["account"], alice.to_string());
        assert_eq!(fixed["requests"][0]["from"], bob.to_string());
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
    }

    fn unindexed_names_are_found_and_indexed(database: &TestDatabase) {
        let program = Program::on(database);
        let store = Store::open(&StoreOptions::new(database.url())).unwrap();
        let alice = store
            .write(|tx| {
                let alice = builders::local_account(tx, "alice", "http://a.example")?;
                builders::local_account(tx, "bob", "http://a.example")?;
                builders::unindex(tx, alice)?;
                Ok::<_, Error>(alice)
            })
            .unwrap();
        drop(store);
        let output = program.output(&["doctor"]);
        assert_eq!(output.status.code(), Some(1));
        let printed = String::from_utf8(output.stdout).unwrap();
        let expected = format!("the search index lacks names of the account {alice}\n1 finding\n");
        assert_eq!(printed, expected);
        let fixed = program.json(&["doctor", "--fix", "--json"]);
        assert_eq!(fixed["misindexed"][0]["account"], alice.to_string());
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
    }
    fn incomplete_feeds_are_found_and_discarded(database: &TestDatabase) {
        let program = Program::on(database);
        program.run(&["demo", "--accounts", "5", "--statuses", "40", "--follows", "2"]);
        let store = Store::open(&StoreOptions::new(database.url())).unwrap();
        let owner = store.read(|conn| accounts::find_by_handle(conn, "demo", None)).unwrap();
        let feed = Feed::Home(owner.unwrap().id);
        store.write(move |tx| feeds::begin(tx, feed, FeedStage::Building)).unwrap();
        let built = store.read(move |conn| feeds::build(conn, feed)).unwrap().unwrap();
        assert!(store.write(move |tx| feeds::store(tx, feed, &built)).unwrap());
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
        store.write(move |tx| builders::delete_feed_entry(tx, feed.id())).unwrap();
        drop(store);
        let output = program.output(&["doctor"]);
        assert_eq!(output.status.code(), Some(1));
        let printed = String::from_utf8(output.stdout).unwrap();
        let owner = feed.account();
        let expected = format!(
            "stored entries of the home timeline of {owner} are missing\n1 finding\n"
        );
        assert_eq!(printed, expected);
        let fixed = program.json(&["doctor", "--fix", "--json"]);
        assert_eq!(fixed["feeds"][0]["feed"], owner.to_string());
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
    }
}
