//! Expired rows and their deletion.

use std::collections::BTreeSet;

use diesel::connection::SimpleConnection;
use siskin_entities::Timestamp;
use siskin_persistence::{
    Result, Store, Tx, files,
    stale::{self, Stale},
};
use siskin_test_support::{both_engines, builders};

use crate::open;

/// Inserts five rows of a kind, with the times of 1 to 5 milliseconds.
fn insert(store: &Store, stale: Stale) {
    store
        .write(move |tx| -> Result<()> {
            for at in 1..=5 {
                tx.batch_execute(&row(stale, at))?;
            }
            Ok(())
        })
        .unwrap();
}

fn row(stale: Stale, at: i64) -> String {
    let row = match stale {
        Stale::Events => format!("events VALUES ({at}, {at}, 'test', '', {at})"),
        Stale::FormerRelations => format!("former_ties VALUES (0, 1, {at}, 1, {at})"),
        Stale::IdempotencyKeys => format!("idempotency_keys VALUES (1, '{at}', 1, {at})"),
        Stale::AuthorizationCodes => format!(
            "authorization_codes (code_hash, application_id, account_id, redirect_uri, scopes, \
             expires_at) VALUES ('{at}', 1, 1, '', '', {at})"
        ),
        Stale::Sessions => format!(
            "web_sessions (id, token_hash, account_id, user_agent, ip, created_at, last_used_at) \
             VALUES ({at}, '{at}', 1, '', '', 0, {at})"
        ),
        Stale::ApplicationTokens => format!(
            "access_tokens (id, token_hash, application_id, scopes, created_at, last_used_at) \
             VALUES ({at}, '{at}', 1, '', 0, {at})"
        ),
        Stale::Applications => format!(
            "applications (id, name, client_id, client_secret_hash, redirect_uris, scopes, \
             created_at) VALUES (1{at}, '', '{at}', '', '', '', {at})"
        ),
        Stale::DeadJobs => format!(
            "jobs (id, kind, payload, run_at, dead_at, created_at) \
             VALUES ({at}, 'test', '', 0, {at}, 0)"
        ),
        Stale::ActiveDays => format!("active_days VALUES ({at}, 1)"),
        Stale::Expired(table) => expired_row(table.name, at),
    };
    format!("INSERT INTO {row}")
}

fn expired_row(table: &str, at: i64) -> String {
    match table {
        "email_domain_block_days" => {
            format!("email_domain_block_days VALUES (1, {at}, 1, 1, {at})")
        }
        "email_domain_block_sources" => {
            format!("email_domain_block_sources VALUES (1, {at}, 'x', {at})")
        }
        "exports" => {
            format!("exports VALUES ({at}, 1, 0, 0, 0, NULL, {at}, 0, 'posts', 0, 0, 0, 0)")
        }
        "mailed_links" => format!("mailed_links VALUES ('{at}', 1, 'email', 'a@b', {at}, 0, NULL)"),
        "mutes" => format!(
            "mutes (id, account_id, target_account_id, created_at, expires_at) \
             VALUES ({at}, 1, {at}, 0, {at})"
        ),
        "pending_sign_ins" => format!("pending_sign_ins VALUES ('{at}', 1, 0, {at}, NULL)"),
        "spent_budgets" => format!("spent_budgets VALUES ('{at}', 1, {at})"),
        "translations" => format!("translations VALUES ('{at}', '', NULL, {at})"),
        table => panic!("this test needs a row of {table}"),
    }
}

/// Inserts the accounts 1 to 5 and the application 1.
fn people(tx: &mut Tx<'_>) -> Result<()> {
    for number in 1..=5 {
        let account = builders::local_account(tx, &format!("p{number}"), "http://x.example")?;
        tx.batch_execute(&format!(
            "UPDATE accounts SET avatar_file = 'a{number}' WHERE id = {account}"
        ))?;
    }
    Ok(())
}

both_engines! {
    fn expired_rows_are_deleted_in_batches_and_others_stay(database: &TestDatabase) {
        let store = open(database);
        let before = Timestamp::from_unix_ms(4);
        let remove = |stale, most| store.write(move |tx| stale::remove(tx, stale, before, most)).unwrap();
        let any = |stale, before| store.read(|conn| stale::any(conn, stale, before)).unwrap();
        store.write(accounts_by_number).unwrap();
        for stale in Stale::all() {
            assert!(!any(stale, before), "{stale:?}");
            insert(&store, stale);
            assert!(any(stale, before) && !any(stale, Timestamp::from_unix_ms(1)), "{stale:?}");
            assert_eq!(remove(stale, 2), 2, "{stale:?}");
            assert!(any(stale, before), "{stale:?}");
            assert_eq!((remove(stale, 2), remove(stale, 2)), (1, 0), "{stale:?}");
            assert!(!any(stale, before) && any(stale, Timestamp::from_unix_ms(5)), "{stale:?}");
        }
    }

    fn an_application_in_use_is_not_deleted(database: &TestDatabase) {
        let store = open(database);
        store.write(accounts_by_number).unwrap();
        let used = [
            "access_tokens (id, token_hash, application_id, account_id, scopes, created_at) \
             VALUES (1, 'x', 1, 1, '', 0)",
            "authorization_codes (code_hash, application_id, account_id, redirect_uri, scopes, \
             expires_at) VALUES ('x', 1, 1, '', '', 0)",
            "users (account_id, email, email_key, password_hash, created_by_application_id, \
             created_at, updated_at) VALUES (1, 'a@b', 'a@b', '', 1, 0, 0)",
        ];
        let unused = |store: &Store| {
            store.read(|conn| stale::any(conn, Stale::Applications, Timestamp::from_unix_ms(9)))
        };
        assert!(unused(&store).unwrap());
        for row in used {
            let insert = format!("INSERT INTO {row}");
            store.write(move |tx| -> Result<()> { Ok(tx.batch_execute(&insert)?) }).unwrap();
            assert!(!unused(&store).unwrap(), "{row}");
            let table = row.split(' ').next().unwrap();
            let delete = format!("DELETE FROM {table}");
            store.write(move |tx| -> Result<()> { Ok(tx.batch_execute(&delete)?) }).unwrap();
            assert!(unused(&store).unwrap(), "{row}");
        }
    }

    fn referenced_files_are_found(database: &TestDatabase) {
        let store = open(database);
        store.write(people).unwrap();
        let named = store
            .read(|conn| files::referenced_of(conn, &["a2".to_owned(), "a9".to_owned()]))
            .unwrap();
        assert_eq!(named, BTreeSet::from(["a2".to_owned()]));
        assert_eq!(store.read(files::named).unwrap().len(), 5);
    }
}

/// Inserts the accounts 1 to 5 and the application 1, without rows that depend on them.
fn accounts_by_number(tx: &mut Tx<'_>) -> Result<()> {
    people(tx)?;
    let ids: Vec<String> = (1..=5)
        .map(|number| format!("UPDATE accounts SET id = {number} WHERE username = 'p{number}';"))
        .collect();
    // Only these dependent rows refer to the accounts.
    for table in ["account_terms", "account_stats", "users"] {
        tx.batch_execute(&format!("DELETE FROM {table}"))?;
    }
    tx.batch_execute(&ids.concat())?;
    tx.batch_execute(
        "INSERT INTO applications (id, name, client_id, client_secret_hash, redirect_uris, scopes, \
         created_at) VALUES (1, 'x', 'x', '', '', '', 0)",
    )?;
    Ok(())
}
