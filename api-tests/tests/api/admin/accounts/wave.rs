//! A wave of spam: sign-ups from many addresses are found by their network, rejected and restored in
//! bulk. `SISKIN_SIGN_UPS` sets their number (default 100; `make soak` takes 2000).

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    time::Duration,
};

use futures_util::future::join_all;
use serde_json::Value;
use siskin_test_support::{MailSink, both_engines};

use crate::support::{
    Client, Response, TestApp, User, id, sign_ups::lookup, visitors::behind_a_proxy, with_mail_and,
};

const STAFF: &str = "mo@example.com";
/// The network of the wave, and a part of it with seven addresses.
const WAVE: &str = "198.18.0.0/15";
const PART: &str = "198.18.0.0/29";
/// Address of people who have nothing to do with the wave.
const HONEST: &str = "192.0.2.7";
/// Half of the least time between two emails to staff. What the test does takes the other half at
/// most.
const HALF: Duration = Duration::from_mins(5);
/// Maximum number of accounts in one request.
const BULK: usize = 500;
/// Number of sign-ups that are sent at once.
const AT_ONCE: usize = 16;

/// Returns the number of sign-ups.
fn size() -> usize {
    let from_env = env::var("SISKIN_SIGN_UPS").ok().and_then(|number| number.parse().ok());
    from_env.unwrap_or(100_usize).max(100)
}

/// Returns the number of addresses: 300 for 2000 sign-ups.
fn addresses() -> usize {
    size() * 3 / 20
}

fn name(number: usize) -> String {
    format!("spam{number}")
}

/// Returns the number of the address that a sign-up comes from, beginning with 1.
fn address_of(number: usize) -> usize {
    number % addresses() + 1
}

async fn sign_up(client: &Client, number: usize) -> Response {
    let address = address_of(number);
    let address = format!("198.18.{}.{}", address / 250, address % 250);
    let email = format!("{}@spam{}.example", name(number), number % 5);
    client.sign_up_from(&address, &name(number), &email).await
}

/// Lets the wave arrive, and returns the token of the first sign-up.
async fn arrive(client: &Client) -> String {
    let mut token = None;
    let numbers: Vec<usize> = (0..size()).collect();
    for some in numbers.chunks(AT_ONCE) {
        let responses = join_all(some.iter().map(|number| sign_up(client, *number))).await;
        for response in responses {
            let issued = response.ok()["access_token"].as_str().unwrap().to_owned();
            token = token.or(Some(issued));
        }
    }
    token.unwrap()
}

/// Returns all accounts that a list for staff shows, page by page.
async fn listed(staff: &Client, query: &str) -> Vec<Value> {
    let mut next = Some(format!("/api/v2/admin/accounts?{query}&limit=200"));
    let mut accounts = Vec::new();
    while let Some(path) = next {
        let page = staff.get(&path).await;
        accounts.extend(page.ok().as_array().unwrap().iter().cloned());
        next = page.link("next");
    }
    accounts
}

/// Decides about all of them, in requests that are as large as possible. Returns how often each
/// result came.
async fn decide(staff: &Client, action: &str, accounts: &[Value]) -> BTreeMap<String, usize> {
    let ids: Vec<String> = accounts.iter().map(id).collect();
    let mut results = BTreeMap::new();
    for some in ids.chunks(BULK) {
        let some: Vec<&str> = some.iter().map(String::as_str).collect();
        for result in staff.decide_in_bulk(action, &some).await {
            *results.entry(result).or_default() += 1;
        }
    }
    results
}

fn all(result: &str, count: usize) -> BTreeMap<String, usize> {
    BTreeMap::from([(result.to_owned(), count)])
}

/// Returns what a member of staff did to each account, the latest first.
async fn log(staff: &User) -> BTreeMap<String, Vec<String>> {
    let mut next = Some(format!("/api/v1/admin/audit_log?account_id={}&limit=200", staff.id));
    let mut log: BTreeMap<String, Vec<String>> = BTreeMap::new();
    while let Some(path) = next {
        let page = staff.get(&path).await;
        for entry in page.ok().as_array().unwrap() {
            let actions = log.entry(id(&entry["target"])).or_default();
            actions.push(entry["action"].as_str().unwrap().to_owned());
        }
        next = page.link("next");
    }
    log
}

both_engines! {
    fn a_wave_of_spam_is_found_rejected_and_restored(database: &TestDatabase) {
        with_mail_and(database, behind_a_proxy, async |app: &TestApp, sink: &MailSink| {
            let mo = app.staff("mo", "Moderator").await;
            app.ask_for_approval().await;
            let client = app.application("read write").await;
            client.sign_up_from(HONEST, "honest", "honest@example.com").await.ok();
            let token = arrive(&client).await;
            assert_eq!(app.mails(sink, STAFF).await.len(), 1);
            app.advance(HALF);
            assert_eq!(app.mails(sink, STAFF).await.len(), 1);

            let wave = listed(&mo, &format!("ip={WAVE}&status=pending")).await;
            let names: BTreeSet<&str> =
                wave.iter().map(|one| one["username"].as_str().unwrap()).collect();
            let expected: BTreeSet<String> = (0..size()).map(name).collect();
            assert!(names.len() == wave.len() && names.iter().all(|name| expected.contains(*name)));
            assert_eq!(wave.len(), size());
            let of_part = (0..size()).filter(|number| address_of(*number) < 8).count();
            assert_eq!(listed(&mo, &format!("ip={PART}&status=pending")).await.len(), of_part);
            let others = listed(&mo, &format!("ip={HONEST}&status=pending")).await;
            assert_eq!((others.len(), &others[0]["username"]), (1, &Value::from("honest")));

            assert_eq!(decide(&mo, "reject", &wave).await, all("done", size()));
            assert_eq!(decide(&mo, "reject", &wave).await, all("not_found", size()));
            assert_eq!(listed(&mo, "status=pending").await, others);
            assert_eq!(listed(&mo, &format!("status=rejected&ip={WAVE}")).await.len(), size());
            let spammer = app.with_token(&token);
            spammer.get("/api/v1/accounts/verify_credentials").await.expect(401);
            app.anonymous().get(&lookup("spam0")).await.expect(404);

            // Staff have nothing left to decide but the honest sign-up. A job that runs while the
            // clock moves would count as lost, and run again.
            app.app().drain_jobs().await.unwrap();
            app.advance(HALF);
            let mails = app.mails(sink, STAFF).await;
            assert_eq!(mails.len(), 2);
            assert!(mails[1].header("subject").unwrap().contains("1 person waits"), "{mails:?}");
            let sent = sink.mails().into_iter().flat_map(|mail| mail.to);
            let rejected: Vec<String> = sent.filter(|to| to.starts_with("spam")).collect();
            assert_eq!(rejected.iter().collect::<BTreeSet<_>>().len(), size());
            assert_eq!(rejected.len(), size());

            // Names and addresses are free again, and then those of a rejected sign-up are taken.
            let email = "spam0@spam0.example";
            client.sign_up_from(HONEST, "spam0", email).await.ok();
            let mut results = all("done", size() - 1);
            results.insert("taken".to_owned(), 1);
            assert_eq!(decide(&mo, "restore", &wave).await, results);
            let restored = listed(&mo, &format!("ip={WAVE}&status=pending")).await;
            let mut expected = wave;
            expected.retain(|one| one["username"] != "spam0");
            assert!(restored == expected, "the restored sign-ups differ from those before");
            spammer.get("/api/v1/accounts/verify_credentials").await.expect(401);
            let email = "spam1@spam1.example";
            assert_eq!(client.sign_up_from(HONEST, "spam1", email).await.status, 422);

            let log = log(&mo).await;
            assert_eq!(log.len(), size());
            let restored: BTreeSet<String> = restored.iter().map(id).collect();
            for (account, actions) in &log {
                let expected: &[&str] =
                    if restored.contains(account) { &["restore", "reject"] } else { &["reject"] };
                assert_eq!(actions, expected, "{account}");
            }
            app.app().drain_jobs().await.unwrap();
            app.advance(HALF);
            assert_eq!(app.mails(sink, STAFF).await.len(), 2);
        });
    }
}
