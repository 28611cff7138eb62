//! Author and voters are notified of the end of a poll once, in chunks, with any number of workers.

use std::time::Duration;

use siskin_app::{App, Handlers, in_transaction};
use siskin_entities::{NotificationKind, Settings, polls::PollRequest};
use siskin_ids::{AccountId, StatusId};
use siskin_services::{
    polls::{self, NOTIFY_BATCH},
    statuses::{self, Draft, SourceParams},
};
use siskin_test_support::{Engine, TestDatabase, both_engines, builders, standing};

use crate::support::{TestClock, open, run, until};

/// One more than are notified in one transaction.
const VOTERS: usize = NOTIFY_BATCH + 1;

fn instance(database: &TestDatabase, clock: &TestClock) -> App {
    open(database, clock, Handlers::new().with(in_transaction(polls::end)))
}

/// Creates a poll that is open for an hour and has votes of all other accounts. Returns its author
/// and status.
async fn new_poll(app: &App) -> (AccountId, StatusId) {
    let instance = app.instance().clone();
    let write = app.write(move |tx| {
        let author = builders::local_account(tx, "alice", instance.urls.base())?;
        let new_poll = PollRequest {
            options: vec!["yes".to_owned(), "no".to_owned()],
            expires_in: Some(3600),
            ..PollRequest::default()
        };
        let poll = Some(polls::prepare(&instance, &new_poll)?);
        let draft = Draft { source: SourceParams::new("Well?"), poll, ..Draft::default() };
        let prepared = statuses::prepare(&Settings::default(), draft)?;
        let id = statuses::apply(tx, &instance, author, &prepared)?;
        let status = statuses::find(tx, Some(author), id)?;
        let poll = status.body.poll.as_ref().expect("it asks something").id;
        for number in 0..VOTERS {
            let name = format!("voter{number}");
            let voter = builders::local_account(tx, &name, instance.urls.base())?;
            polls::vote(tx, voter, poll, &[(number % 2).to_string()])?;
        }
        Ok((author, id))
    });
    write.await.unwrap()
}

/// Returns the notified accounts, sorted by id.
fn notified(app: &App, status: StatusId) -> Vec<AccountId> {
    let notified =
        app.store().write(move |tx| standing::notified(tx, status, NotificationKind::Poll));
    let mut notified = notified.unwrap();
    notified.sort_unstable();
    notified
}

fn assert_each_notified_once(notified: &[AccountId], author: AccountId) {
    assert_eq!(notified.len(), VOTERS + 1);
    assert!(notified.contains(&author) && notified.windows(2).all(|two| two[0] != two[1]));
}

both_engines! {
    fn many_voters_are_notified_in_batches(database: &TestDatabase) {
        run(async {
            let clock = TestClock::new();
            let app = instance(database, &clock);
            let (author, status) = new_poll(&app).await;
            clock.forward(Duration::from_hours(1));
            app.drain_jobs().await.unwrap();
            assert_each_notified_once(&notified(&app, status), author);
        });
    }
}

#[test]
fn two_processes_notify_each_voter_once() {
    Engine::Postgres.on_fresh_database(|database| {
        run(async {
            let clock = TestClock::new();
            let (one, two) = (instance(database, &clock), instance(database, &clock));
            let (author, status) = new_poll(&one).await;
            one.start(4);
            two.start(4);
            clock.forward(Duration::from_hours(1));
            until(|| notified(&one, status).len() > VOTERS).await;
            one.drain_jobs().await.unwrap();
            assert_each_notified_once(&notified(&two, status), author);
            one.shutdown().await;
            two.shutdown().await;
        });
    });
}
