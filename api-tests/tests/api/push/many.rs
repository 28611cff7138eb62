//! Many subscriptions: each client gets each message once, and a slow push service holds up no
//! other. `SISKIN_PUSH_CLIENTS` sets the number of clients (default 200).

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use siskin_entities::{NotificationKind, NotificationType, PushAlerts};
use siskin_ids::AccountId;
use siskin_persistence::{
    Tx,
    notifications::Cause,
    tokens::{self, NewToken},
};
use siskin_server::Config;
use siskin_services::{
    notifications,
    push::{self, Subscriber, SubscriptionRequest, ValidSubscription},
    secrets,
};
use siskin_test_support::{
    both_engines, builders,
    site::{Site, response},
};

use crate::support::{
    TestApp, User,
    push::{PushClient, PushService, status, with_push},
    run,
};

/// Returns the number of accounts, each with one subscription. It is a multiple of ten.
fn clients() -> usize {
    let from_env = env::var("SISKIN_PUSH_CLIENTS").ok().and_then(|number| number.parse().ok());
    from_env.unwrap_or(200_usize).next_multiple_of(10)
}

/// Number of accounts that one transaction creates.
const BATCH: usize = 100;

/// Creates an account with a subscription for each of these endpoints.
async fn subscribe_all(app: &TestApp, endpoints: &[String]) -> Vec<AccountId> {
    let keys = PushClient::new(1).keys();
    let key = |name: &str| keys[name].as_str().unwrap().to_owned();
    let prepare = |endpoint: &String| {
        let request = SubscriptionRequest {
            endpoint: endpoint.clone(),
            p256dh: key("p256dh"),
            auth: key("auth"),
            standard: true,
            alerts: PushAlerts::from([NotificationType::Follow]),
            policy: None,
        };
        push::prepare(app.app().http(), request).unwrap()
    };
    let mut accounts = Vec::new();
    for some in endpoints.chunks(BATCH) {
        let valid: Vec<ValidSubscription> = some.iter().map(prepare).collect();
        let (base_url, first) = (app.base_url().to_owned(), accounts.len());
        let write = move |tx: &mut Tx<'_>| {
            let mut created = Vec::new();
            for (number, valid) in (first..).zip(&valid) {
                let account = builders::local_account(tx, &format!("fan{number}"), &base_url)?;
                let secret = secrets::generate();
                let new = NewToken {
                    hash: &secrets::hash(&secret),
                    application: None,
                    account: Some(account),
                    scopes: "push",
                };
                let token = tokens::insert(tx, &new)?;
                push::subscribe(tx, &Subscriber { account, token, secret }, valid)?;
                created.push(account);
            }
            Ok(created)
        };
        accounts.extend(app.app().write(write).await.unwrap());
    }
    accounts
}

/// Notifies all these accounts that `from` followed them.
async fn notify(app: &TestApp, from: &User, accounts: &[AccountId]) {
    let (from, accounts) = (from.id.parse().unwrap(), accounts.to_vec());
    let cause = Cause::new(from, NotificationKind::Follow, None);
    app.app().write(move |tx| notifications::create(tx, cause, &accounts)).await.unwrap();
}

/// Number of accepted messages by path.
type Accepted = Arc<Mutex<BTreeMap<String, usize>>>;

/// Makes a service slow. It answers 410 for every tenth client, and once 429 with a time for
/// another tenth.
fn behave(service: &PushService, accepted: &Accepted) {
    let (accepted, told) = (Arc::clone(accepted), Mutex::new(BTreeSet::new()));
    service.answer(move |received| {
        thread::sleep(Duration::from_millis(5));
        let path = received.path.clone();
        if path.ends_with('0') {
            return status("410 Gone");
        }
        if path.ends_with('1') && told.lock().unwrap().insert(path.clone()) {
            return response("429 Too Many Requests", &[("retry-after", "600")], b"");
        }
        *accepted.lock().unwrap().entry(path).or_default() += 1;
        status("201 Created")
    });
}

both_engines! {
    fn many_clients_get_each_message_once(database: &TestDatabase) {
        with_push(database, async |app, service| {
            let clients = clients();
            let endpoints: Vec<_> =
                (0..clients).map(|number| service.endpoint(&format!("/{number}"))).collect();
            let accounts = subscribe_all(app, &endpoints).await;
            let accepted = Accepted::default();
            behave(service, &accepted);
            notify(app, &app.user("ann").await, &accounts).await;
            app.settle().await;
            app.advance(Duration::from_mins(11));
            app.settle().await;
            let expected: BTreeMap<_, _> = (0..clients)
                .filter(|number| number % 10 != 0)
                .map(|number| (format!("/{number}"), 1))
                .collect();
            assert_eq!(*accepted.lock().unwrap(), expected);
            // Nothing more is sent to the clients that are gone.
            let gone = || service.received().iter().filter(|one| one.path.ends_with('0')).count();
            assert_eq!(gone(), clients / 10);
            notify(app, &app.user("bob").await, &accounts[..50]).await;
            app.settle().await;
            assert_eq!(gone(), clients / 10);
            let accepted = accepted.lock().unwrap();
            assert_eq!(accepted.values().filter(|count| **count == 2).count(), 45);
        });
    }

    fn a_slow_service_holds_up_no_other(database: &TestDatabase) {
        let slow = Site::start(|_| {
            thread::sleep(Duration::from_millis(200));
            status("201 Created")
        });
        let quick = Site::start_on("127.0.0.2:0".parse().unwrap(), |_| status("201 Created"));
        let addresses = [slow.address(), quick.address()];
        let allow = |config: &mut Config| config.outbound_allow.extend(addresses);
        run(database, allow, async |app: &TestApp| {
            let mut endpoints: Vec<_> =
                (0..60).map(|number| slow.url(&format!("/{number}"))).collect();
            endpoints.push(quick.url("/"));
            let accounts = subscribe_all(app, &endpoints).await;
            notify(app, &app.user("ann").await, &accounts).await;
            let start = Instant::now();
            while quick.received().is_empty() {
                assert!(start.elapsed() < Duration::from_secs(20), "the message does not arrive");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            let before = slow.received().len();
            assert!(before < 40, "{before} messages were sent to the slow service first");
            app.settle().await;
            assert_eq!(slow.received().len(), 60);
        });
    }
}
