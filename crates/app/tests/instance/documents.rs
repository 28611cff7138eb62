//! Documents for other servers: keys are made when they are needed, and documents are kept.

use futures_util::future::join_all;
use siskin_app::{App, CacheUsage, Handlers};
use siskin_ids::StatusId;
use siskin_services::{
    Error,
    federation::{Document, Found, base, keys},
};
use siskin_test_support::{both_engines, builders::local_account};

use crate::support::{TestClock, open, run};

async fn actor(app: &App) -> Document {
    match app.actor_document("ann".to_owned()).await.unwrap() {
        Found::Document(document) => document,
        gone @ Found::Gone(_) => panic!("{gone:?}"),
    }
}

/// Returns the use of the cache of documents.
async fn usage(app: &App) -> CacheUsage {
    let caches = app.usage().await.unwrap().caches;
    caches.into_iter().find(|(name, _)| *name == "documents").unwrap().1
}

both_engines! {
    fn keys_are_made_once_and_documents_are_kept(database: &TestDatabase) {
        run(async {
            let app = open(database, &TestClock::new(), Handlers::new());
            let ann = app.write(|tx| Ok(local_account(tx, "ann", "http://localhost:3000")?));
            let ann = ann.await.unwrap();
            let documents = join_all((0..4).map(|_| actor(&app))).await;
            assert!(documents.iter().all(|document| *document == documents[0]));
            let keys = app.read(move |conn| keys::load(conn, Some(ann))).await.unwrap().unwrap();
            let text = String::from_utf8(documents[0].bytes.to_vec()).unwrap();
            assert!(text.contains(&keys.ed25519.public), "{text}");
            let before = usage(&app).await;
            assert_eq!(actor(&app).await, documents[0]);
            let after = usage(&app).await;
            assert_eq!((after.hits, after.misses), (before.hits + 1, before.misses));
        });
    }

    fn the_first_document_fixes_the_address_of_the_server(database: &TestDatabase) {
        run(async {
            let app = open(database, &TestClock::new(), Handlers::new());
            app.write(|tx| Ok(local_account(tx, "ann", "http://localhost:3000")?)).await.unwrap();
            let unknown = app.status_document("ann".to_owned(), StatusId::new(1)).await;
            assert!(matches!(unknown, Err(Error::NotFound)));
            assert!(!app.read(base::is_fixed).await.unwrap());
            actor(&app).await;
            assert!(app.read(base::is_fixed).await.unwrap());
            app.instance_document().await.unwrap();
        });
    }
}
