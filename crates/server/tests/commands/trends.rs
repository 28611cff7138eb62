//! Tests of `siskin trends …`.

use std::time::Duration;

use serde_json::json;
use siskin_ids::{StatusId, TagId};
use siskin_persistence::{
    Result, Store, StoreOptions, Tx, cards,
    tags::{self, TypedTag},
    trends,
};
use siskin_test_support::{TestDatabase, both_engines, builders, standing};

use crate::program::Program;

const ARTICLE: &str = "https://www.news.example/birds";
const BASE: &str = "http://127.0.0.1:3000";

/// Lets fifteen accounts publish a hashtag and a link.
fn fill(database: &TestDatabase) {
    let store = Store::open(&StoreOptions::new(database.url())).unwrap();
    store.write(publish_all).unwrap();
}

/// Lets a status trend, and returns its id.
fn fill_status(database: &TestDatabase) -> String {
    let store = Store::open(&StoreOptions::new(database.url())).unwrap();
    store.write(publish_one).unwrap().to_string()
}

fn tag(tx: &mut Tx<'_>) -> Result<TagId> {
    let tag = TypedTag { name: "siskin".to_owned(), display_name: "siskin".to_owned() };
    Ok(tags::find_or_insert(tx, &[tag])?[0])
}

fn publish_one(tx: &mut Tx<'_>) -> Result<StatusId> {
    let (tag, author) = (tag(tx)?, builders::local_account(tx, "author", BASE)?);
    let id = builders::tagged_status(tx, author, tag)?;
    trends::replace_statuses(tx, &[(id, 16.0)])?;
    Ok(id)
}

fn publish_all(tx: &mut Tx<'_>) -> Result<()> {
    let tag = tag(tx)?;
    for number in 0..15 {
        let account = builders::local_account(tx, &format!("crowd{number}"), BASE)?;
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

    fn the_operator_reviews_a_status(database: &TestDatabase) {
        let id = &fill_status(database);
        let program = Program::on(database);
        let listed = || program.run(&["trends", "list"]);
        assert_eq!(listed(), format!("status {id} 16.0 unreviewed\n"));
        for (command, review) in
            [("approve", "approved"), ("reset", "unreviewed"), ("reject", "rejected")]
        {
            let done = program.run(&["trends", command, "status", id]);
            assert_eq!(done, format!("The status {id} is {review}\n"));
            assert_eq!(listed(), format!("status {id} 16.0 {review}\n"));
            let done = program.json(&["trends", command, "status", id, "--json"]);
            assert_eq!(done, json!({ "kind": "status", "name": id, "review": review }));
        }
        let listed = program.json(&["trends", "list", "--json"]);
        assert_eq!(listed[0]["review"], "rejected");
    }

    fn a_decision_is_removed_again(database: &TestDatabase) {
        fill(database);
        let program = Program::on(database);
        program.run(&["trends", "refresh"]);
        for (kind, name) in [("tag", "siskin"), ("link", ARTICLE), ("publisher", "news.example")] {
            program.run(&["trends", "approve", kind, name]);
            let done = program.run(&["trends", "reset", kind, name]);
            assert_eq!(done, format!("The {kind} {name} is unreviewed\n"));
        }
        let unreviewed =
            format!("tag siskin 196.0 unreviewed\nlink {ARTICLE} 196.0 unreviewed\n");
        assert_eq!(program.run(&["trends", "list"]), unreviewed);
    }

    fn the_list_says_what_may_trend(database: &TestDatabase) {
        fill(database);
        let program = Program::on(database);
        program.run(&["trends", "refresh"]);
        program.run(&["trends", "approve", "publisher", "news.example"]);
        let may_trend = || {
            let listed = program.json(&["trends", "list", "--json"]);
            let listed = listed.as_array().unwrap().iter();
            let fields = listed.map(|entry| json!([entry["kind"], entry["may_trend"]]));
            fields.collect::<Vec<_>>()
        };
        let publisher = json!(["publisher", null]);
        assert_eq!(may_trend(), [json!(["tag", false]), json!(["link", true]), publisher.clone()]);
        program.run(&["trends", "reject", "link", ARTICLE]);
        program.run(&["settings", "set", "trends.by_default", "true"]);
        assert_eq!(may_trend(), [json!(["tag", true]), json!(["link", false]), publisher]);
    }

    // Without a decision about a link, that about its publisher applies.
    fn the_operator_rejects_a_publisher(database: &TestDatabase) {
        fill(database);
        let program = Program::on(database);
        program.run(&["settings", "set", "trends.by_default", "true"]);
        program.run(&["trends", "refresh"]);
        let link = format!("link {ARTICLE} 196.0 unreviewed");
        let has = |line: &str| program.run(&["trends", "list"]).lines().any(|found| found == line);
        assert!(has(&format!("{link}, may trend")));
        let done = program.run(&["trends", "reject", "publisher", "News.example"]);
        assert_eq!(done, "The publisher News.example is rejected\n");
        assert!(has("publisher news.example rejected"));
        assert!(has(&link));
        program.run(&["trends", "override", ARTICLE, "approved"]);
        assert!(has(&format!("link {ARTICLE} 196.0 approved")));
        let done = program.json(&["trends", "reject", "publisher", "other.example", "--json"]);
        let expected = json!({ "kind": "publisher", "name": "other.example", "review": "rejected" });
        assert_eq!(done, expected);
    }

    fn unknown_entries_are_refused(database: &TestDatabase) {
        let program = Program::on(database);
        for (kind, name) in [
            ("tag", "unheard"), ("tag", "100%"), ("link", ARTICLE), ("link", "x"),
            ("status", "1"), ("status", "x"),
        ] {
            let refused = program.refused(&["trends", "approve", kind, name]);
            assert!(refused.contains("There is no"), "{kind} {name}: {refused}");
        }
        assert!(program.refused(&["trends", "approve", "account", "alice"]).contains("publisher"));
    }

    // A decision about a name that no link has would never take effect.
    fn a_publisher_is_a_domain(database: &TestDatabase) {
        let program = Program::on(database);
        for name in ["127.0.0.1:5180", "*", "bad domain!", "not a domain", "https://news.example"] {
            let refused = program.refused(&["trends", "reject", "publisher", name]);
            assert!(refused.contains(&format!("{name:?} is not a domain")), "{refused}");
        }
        program.run(&["trends", "reject", "publisher", "Example.ORG."]);
        assert_eq!(program.run(&["trends", "list"]), "publisher example.org rejected\n");
    }
}
