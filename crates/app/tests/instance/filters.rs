//! The cache of filters of an instance.

use std::time::Duration;

use siskin_app::{App, Handlers};
use siskin_ids::AccountId;
use siskin_persistence::{Store, Tx};
use siskin_services::{
    Result,
    filters::{self, FilterDraft, NewFilter},
};
use siskin_test_support::{both_engines, builders};

use crate::support::{TestClock, command, open, run};

fn new() -> NewFilter {
    let draft = FilterDraft {
        title: Some("Words".to_owned()),
        contexts: Some(vec!["home".to_owned()]),
        ..FilterDraft::default()
    };
    filters::prepare_new(draft).unwrap()
}

fn account(store: &Store) -> AccountId {
    store.write(|tx| builders::local_account(tx, "alice", "http://localhost:3000")).unwrap()
}

async fn has_filters(app: &App, owner: AccountId) -> bool {
    !app.filters(Some(owner)).await.unwrap().is_empty()
}

/// Creates a filter if there is none; deletes it otherwise.
fn toggle(tx: &mut Tx<'_>, owner: AccountId) -> Result<()> {
    let existing = filters::list(tx, owner)?;
    match existing.first() {
        None => filters::create(tx, owner, &new()).map(drop),
        Some(filter) => filters::remove(tx, owner, &filter.head.id.to_string()),
    }
}

both_engines! {
    fn changed_filters_apply_immediately(database: &TestDatabase) {
        run(async {
            // Without background tasks no events are received.
            let app = open(database, &TestClock::new(), Handlers::new());
            let owner = account(app.store());
            for is_there in [true, false, true] {
                assert_eq!(has_filters(&app, owner).await, !is_there);
                app.change_filters(owner, toggle).await.unwrap();
                assert_eq!(has_filters(&app, owner).await, is_there);
            }
            assert!(app.filters(None).await.unwrap().is_empty());
        });
    }

    fn filters_loaded_before_a_change_are_not_cached(database: &TestDatabase) {
        run(async {
            let app = open(database, &TestClock::new(), Handlers::new());
            let owner = account(app.store());
            for round in 0..100 {
                let (read, changed) =
                    tokio::join!(app.filters(Some(owner)), app.change_filters(owner, toggle));
                read.unwrap();
                changed.unwrap();
                assert_eq!(has_filters(&app, owner).await, round % 2 == 0, "{round}");
            }
        });
    }

    fn filter_changes_of_another_process_arrive(database: &TestDatabase) {
        run(async {
            let app = open(database, &TestClock::new(), Handlers::new());
            let owner = account(app.store());
            app.start(0);
            assert!(!has_filters(&app, owner).await);
            command(database).write(move |tx| toggle(tx, owner)).unwrap();
            let mut waited = 0;
            while !has_filters(&app, owner).await {
                assert!(waited < 2000, "timed out");
                waited += 1;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            app.shutdown().await;
        });
    }
}
