//! Tests of `siskin trends …`.

use std::time::Duration;

use siskin_persistence::{
    Result, Store, StoreOptions, Tx, cards,
    tags::{self, TypedTag},
};
use siskin_test_support::{TestDatabase, both_engines, builders, standing};

use crate::program::Program;

const ARTICLE: &str = "https://www.news.example/birds";

/// Lets fifteen accounts publish a hashtag and a link.
fn fill(database: &TestDatabase) {
    let store = Store::open(&StoreOptions::new(database.url())).unwrap();
    store.write(publish_all).unwrap();
}

fn publish_all(tx: &mut Tx<'_>) -> Result<()> {
    let tag = TypedTag { name: "siskin".to_owned(), display_name: "siskin".to_owned() };
    let tag = tags::find_or_insert(tx, &[tag])?[0];
    for number in 0..15 {
        let account =
            builders::local_account(tx, &format!("crowd{number}"), "http://127.0.0.1:3000")?;
        let id = builders::tagged_status(tx, account, tag)?;
        cards::link(tx, id, ARTICLE, Duration::ZERO)?;
    }
    standing::make_article(tx, ARTICLE)
}

both_engines! {
    fn the_operator_reviews_what_trends(database: &TestDatabase) {
        fill(database);
        let program = Program::on(database);
        assert_eq!(program.run(&["trends", "list"]), "");
        let counted = program.run(&["trends", "refresh"]);
        assert_eq!(counted, "1 hashtags, 1 links and 0 statuses have a score\n");
        let listed = program.json(&["trends", "list", "--json"]);
        assert_eq!(listed[0]["name"], "siskin");
        assert_eq!((&listed[0]["kind"], &listed[0]["review"]), (&"tag".into(), &"unreviewed".into()));
        assert_eq!(listed[1]["name"], ARTICLE);

        let done = program.run(&["trends", "approve", "tag", "#Siskin"]);
        assert_eq!(done, "The tag #Siskin is approved\n");
        program.run(&["trends", "approve", "publisher", "News.example"]);
        program.run(&["trends", "override", ARTICLE, "rejected"]);
        let listed = program.run(&["trends", "list"]);
        assert!(listed.contains("tag siskin 196.0 approved"), "{listed}");
        assert!(listed.contains(&format!("link {ARTICLE} 196.0 rejected")), "{listed}");
        assert!(listed.contains("publisher news.example approved"), "{listed}");
        program.run(&["trends", "override", ARTICLE, "none"]);
        let listed = program.run(&["trends", "list"]);
        assert!(listed.contains(&format!("link {ARTICLE} 196.0 unreviewed, may trend")), "{listed}");
        program.run(&["trends", "reject", "link", ARTICLE]);
        let rejected = program.json(&["trends", "reject", "tag", "siskin", "--json"]);
        assert_eq!(rejected["review"], "rejected");
    }

    fn unknown_entries_are_refused(database: &TestDatabase) {
        let program = Program::on(database);
        for (kind, name) in [
            ("tag", "unheard"), ("tag", "100%"), ("link", ARTICLE), ("link", "x"),
            ("status", "1"), ("status", "x"), ("publisher", "not a domain"),
        ] {
            let refused = program.refused(&["trends", "approve", kind, name]);
            assert!(refused.contains("There is no"), "{kind} {name}: {refused}");
        }
        assert!(program.refused(&["trends", "approve", "account", "alice"]).contains("publisher"));
    }
}
