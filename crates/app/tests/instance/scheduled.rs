//! Scheduled statuses are published once, with any number of workers.

use std::time::Duration;

use siskin_app::{App, Handlers, ScheduledPublisher};
use siskin_entities::{PageRequest, Settings};
use siskin_ids::AccountId;
use siskin_persistence::{jobs as job_rows, scheduled};
use siskin_services::{
    Result,
    jobs::{self, Job as _},
    statuses::{self, Draft, Post, ProfileRequest, PublishScheduled, SourceParams},
};
use siskin_test_support::{Engine, TestDatabase, both_engines, builders};

use crate::support::{TestClock, open, run, until};

const MANY: usize = 25;

fn instance(database: &TestDatabase, clock: &TestClock) -> App {
    open(database, clock, Handlers::new().with(ScheduledPublisher))
}

/// Creates an account with `count` statuses that are due in an hour.
async fn author(app: &App, count: usize) -> AccountId {
    let instance = app.instance().clone();
    let write = app.write(move |tx| {
        let author = builders::local_account(tx, "alice", instance.urls.base())?;
        let at = tx.now().after(Duration::from_hours(1));
        for number in 0..count {
            let draft = Draft { source: SourceParams::new(number.to_string()), ..Draft::default() };
            let prepared = statuses::prepare(&Settings::default(), draft)?;
            statuses::post(tx, &instance, author, &Post::new(prepared, Some(at), None))?;
        }
        Ok(author)
    });
    write.await.unwrap()
}

/// Returns the texts that `author` published, in order.
fn published(app: &App, author: AccountId) -> Vec<String> {
    let (request, now) = (ProfileRequest::default(), app.now());
    let newest = PageRequest::newest(100);
    let read = |conn: &mut _| statuses::of_account(conn, None, author, &request, now, newest);
    let page = app.store().read(read).unwrap();
    let texts = page.items.iter().map(|status| status.body.source.text.clone());
    let mut texts: Vec<String> = texts.collect();
    texts.sort_by_key(|text| text.parse::<usize>().unwrap());
    texts
}

fn remaining(app: &App, author: AccountId) -> i64 {
    app.store().read(|conn| scheduled::count(conn, author)).unwrap()
}

fn all() -> Vec<String> {
    (0..MANY).map(|number| number.to_string()).collect()
}

both_engines! {
    fn several_workers_publish_each_once(database: &TestDatabase) {
        run(async {
            let clock = TestClock::new();
            let app = instance(database, &clock);
            let author = author(&app, MANY).await;
            app.start(4);
            clock.forward(Duration::from_hours(1));
            until(|| remaining(&app, author) == 0).await;
            app.drain_jobs().await.unwrap();
            assert_eq!(published(&app, author), all());
            app.shutdown().await;
        });
    }

    fn an_expired_claim_does_not_publish_again(database: &TestDatabase) {
        run(async {
            let clock = TestClock::new();
            let app = instance(database, &clock);
            let author = author(&app, 1).await;
            clock.forward(Duration::from_hours(1));
            let claim = || app.store().write(|tx| -> Result<_> {
                Ok(job_rows::claim(tx, &[PublishScheduled::KIND], |_| Duration::from_secs(60))?)
            });
            let slow = claim().unwrap().unwrap();
            clock.forward(Duration::from_secs(61));
            let quick = claim().unwrap().unwrap();
            let finish = |claim: job_rows::Claim| {
                let (instance, job) = (app.instance().clone(), jobs::read(&claim.payload).unwrap());
                app.store().write(move |tx| -> Result<()> {
                    statuses::publish_scheduled(tx, &instance, &job)?;
                    Ok(job_rows::complete(tx, &claim)?)
                })
            };
            finish(quick).unwrap();
            assert!(finish(slow).is_err());
            assert_eq!(published(&app, author), ["0"]);
        });
    }
}

#[test]
fn two_processes_publish_each_once() {
    Engine::Postgres.on_fresh_database(|database| {
        run(async {
            let clock = TestClock::new();
            let (one, two) = (instance(database, &clock), instance(database, &clock));
            let author = author(&one, MANY).await;
            one.start(4);
            two.start(4);
            clock.forward(Duration::from_hours(1));
            until(|| remaining(&one, author) == 0).await;
            one.drain_jobs().await.unwrap();
            assert_eq!(published(&two, author), all());
            one.shutdown().await;
            two.shutdown().await;
        });
    });
}
