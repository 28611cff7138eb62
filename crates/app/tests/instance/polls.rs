//! Author and voters are notified of the end of a poll once, in chunks, with any number of workers.

use std::time::Duration;

use siskin_app::{App, Handlers, in_transaction};
use siskin_entities::{NotificationKind, Settings, polls::Asked};
use siskin_ids::{AccountId, StatusId};
use siskin_services::{
    polls::{self, TOLD_AT_ONCE},
    statuses::{self, Draft},
};
use siskin_test_support::{Engine, TestDatabase, both_engines, builders, standing};

use crate::support::{Hands, open, run, until};

/// One more than are notified in one transaction.
const VOTERS: usize = TOLD_AT_ONCE + 1;

fn instance(database: &TestDatabase, clock: &Hands) -> App {
    open(database, clock, Handlers::new().with(in_transaction(polls::end)))
}

/// Creates a poll that is open for an hour and has votes of all other accounts. Returns its author
/// and status.
async fn asked(app: &App) -> (AccountId, StatusId) {
    let instance = app.instance().clone();
    let write = app.write(move |tx| {
        let author = builders::local_account(tx, "alice", instance.urls.base())?;
        let asked = Asked {
            options: vec!["yes".to_owned(), "no".to_owned()],
            expires_in: Some(3600),
            ..Asked::default()
        };
        let poll = Some(polls::prepare(&instance, &asked)?);
        let draft = Draft { text: "Well?".to_owned(), poll, ..Draft::default() };
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
fn told(app: &App, status: StatusId) -> Vec<AccountId> {
    let told = app.store().write(move |tx| standing::told(tx, status, NotificationKind::Poll));
    let mut told = told.unwrap();
    told.sort_unstable();
    told
}

fn assert_everybody_once(told: &[AccountId], author: AccountId) {
    assert_eq!(told.len(), VOTERS + 1);
    assert!(told.contains(&author) && told.windows(2).all(|two| two[0] != two[1]));
}

both_engines! {
    fn many_voters_are_told_in_parts(database: &TestDatabase) {
        run(async {
            let clock = Hands::new();
            let app = instance(database, &clock);
            let (author, status) = asked(&app).await;
            clock.forward(Duration::from_hours(1));
            app.drain_jobs().await.unwrap();
            assert_everybody_once(&told(&app, status), author);
        });
    }
}

#[test]
fn two_processes_tell_everybody_once() {
    Engine::Postgres.on_fresh_database(|database| {
        run(async {
            let clock = Hands::new();
            let (one, two) = (instance(database, &clock), instance(database, &clock));
            let (author, status) = asked(&one).await;
            one.start(4);
            two.start(4);
            clock.forward(Duration::from_hours(1));
            until(|| told(&one, status).len() > VOTERS).await;
            one.drain_jobs().await.unwrap();
            assert_everybody_once(&told(&two, status), author);
            one.shutdown().await;
            two.shutdown().await;
        });
    });
}
