//! Number of SQL statements for a document: it does not depend on what the document contains.

use serde_json::json;
use siskin_test_support::both_engines;

use crate::support::{TestApp, federation::document_of, pictures::png, run};

/// More than a short list has, and fewer than a page holds.
const ROWS: usize = 12;

both_engines! {
    fn long_documents_need_as_many_statements_as_short_ones(database: &TestDatabase) {
        run(
            database,
            |config| config.count_statements = true,
            async |app: &TestApp| {
                app.federate().await;
                let (short, long) = (app.user("short").await, app.user("long").await);
                let mut roots = Vec::new();
                for (owner, rows) in [(&short, 1), (&long, ROWS)] {
                    let root = owner.publish("Hello #birds").await;
                    for number in 0..rows {
                        let fan = app.user(&format!("{}{number}", owner.username)).await;
                        app.follow(&fan, owner).await;
                        app.follow(owner, &fan).await;
                        fan.act("favourite", &root).await;
                        let text = format!("@{} #nest{number}", fan.username);
                        owner.reply(&root, &text).await;
                        fan.reply(&root, &format!("@{} and #birds", owner.username)).await;
                        let media = owner.upload_media(png(9, 9), "A bird").await;
                        let picture = json!({ "status": text, "media_ids": [media["id"]] });
                        owner.publish_as(picture).await;
                        if number < 5 {
                            owner.feature(&format!("tag{number}")).await;
                            owner.act("pin", &owner.publish("Pinned").await).await;
                        }
                    }
                    roots.push(root);
                }
                app.app().drain_jobs().await.unwrap();
                let cost = async |path: &str| {
                    // The first request makes keys and fills the caches.
                    assert_eq!(app.anonymous().document(path).await.status, 200, "{path}");
                    drop(app.app().store().take_counted());
                    assert_eq!(app.anonymous().document(path).await.status, 200, "{path}");
                    let counted = app.app().store().take_counted();
                    let of_request =
                        counted.iter().filter(|cost| cost.at.file().contains("federation"));
                    of_request.map(|cost| cost.statements).sum::<u32>()
                };
                for name in [
                    "",
                    "/outbox",
                    "/outbox?page=true",
                    "/followers?page=true",
                    "/following?page=true",
                    "/collections/featured",
                    "/collections/tags",
                ] {
                    let of_short = cost(&format!("/users/short{name}")).await;
                    assert_eq!(cost(&format!("/users/long{name}")).await, of_short, "{name}");
                    assert!((1..20).contains(&of_short), "{name}: {of_short}");
                }
                for name in ["", "/activity", "/replies?page=true", "/likes", "/shares"] {
                    let [of_short, of_long] = [
                        cost(&format!("{}{name}", document_of(&roots[0]))).await,
                        cost(&format!("{}{name}", document_of(&roots[1]))).await,
                    ];
                    assert_eq!(of_long, of_short, "{name}");
                    assert!((1..20).contains(&of_short), "{name}: {of_short}");
                }
            },
        );
    }
}
