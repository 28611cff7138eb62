//! Operators of the search for statuses, and texts that look like some.

use std::time::Duration;

use serde_json::json;

use super::{indexable, search, texts};
use crate::support::{TestApp, User, id, pictures::png};

async fn set_up(app: &TestApp) -> (User, User) {
    let (alice, bob) = (indexable(app, "alice").await, indexable(app, "bob").await);
    let media = alice.upload_media(png(9, 9), "").await;
    alice.publish_as(json!({ "status": "finch picture", "media_ids": [media["id"]] })).await;
    let poll = json!({ "options": ["a", "b"], "expires_in": 3600 });
    alice.publish_as(json!({ "status": "finch poll", "poll": poll })).await;
    alice.publish_as(json!({ "status": "finch https://a.example/x", "language": "de" })).await;
    let root =
        alice.publish_as(json!({ "status": "finch warned", "spoiler_text": "careful" })).await;
    bob.reply(&root, "finch reply").await;
    (alice, bob)
}

api_tests! {
    async fn operators_narrow_the_search(app: &TestApp) {
        let (alice, bob) = set_up(app).await;
        let all = ["finch reply", "finch warned", "finch https://a.example/x", "finch poll", "finch picture"];
        let reader = app.user("reader").await;
        let domain = app.domain();
        for (q, expected) in [
            ("finch".to_owned(), vec![0, 1, 2, 3, 4]),
            ("finch has:media".to_owned(), vec![4]),
            ("finch has:image".to_owned(), vec![4]),
            ("finch -has:media".to_owned(), vec![0, 1, 2, 3]),
            ("finch has:video".to_owned(), vec![]),
            ("finch has:audio".to_owned(), vec![]),
            ("finch has:poll".to_owned(), vec![3]),
            ("finch has:link".to_owned(), vec![2]),
            ("finch has:embed".to_owned(), vec![]),
            ("finch is:reply".to_owned(), vec![0]),
            ("finch -is:reply -has:link".to_owned(), vec![1, 3, 4]),
            ("finch is:sensitive".to_owned(), vec![1]),
            ("finch language:de".to_owned(), vec![2]),
            ("finch from:bob".to_owned(), vec![0]),
            ("finch from:@BOB".to_owned(), vec![0]),
            (format!("finch from:@bob@{domain}"), vec![0]),
            ("finch -from:alice".to_owned(), vec![0]),
            ("finch from:alice from:bob".to_owned(), vec![]),
            ("finch from:nobody".to_owned(), vec![]),
            ("finch from:@nobody@nowhere.example".to_owned(), vec![]),
            ("from:nobody x".to_owned(), vec![]),
            ("from:bob".to_owned(), vec![0]),
            ("finch -from:nobody is:reply".to_owned(), vec![0]),
            ("finch in:public is:reply".to_owned(), vec![0]),
            ("finch in:library".to_owned(), vec![]),
            ("finch -reply -poll".to_owned(), vec![1, 2, 4]),
            ("\"finch reply\"".to_owned(), vec![0]),
            ("\"reply finch\"".to_owned(), vec![]),
            ("finch -\"finch reply\" has:poll".to_owned(), vec![3]),
        ] {
            let expected: Vec<&str> = expected.into_iter().map(|place: usize| all[place]).collect();
            assert_eq!(texts(&reader, &q).await, expected, "{q}");
        }
        assert_eq!(texts(&bob, "finch from:me").await, ["finch reply"]);
        assert_eq!(texts(&bob, "finch in:library").await, ["finch reply"]);
        assert_eq!(texts(&alice, "from:me has:poll").await, ["finch poll"]);
    }

    async fn days_limit_the_time(app: &TestApp) {
        let alice = indexable(app, "alice").await;
        alice.publish("siskin today").await;
        let today = app.app().now();
        let date = |days: i64| {
            let time = siskin_entities::Timestamp::from_unix_ms(today.unix_ms() + days * 86_400_000);
            siskin_entities::time::Date(time).to_string()
        };
        for (operator, days, found) in [
            ("during", 0, true), ("during", -1, false), ("during", 1, false),
            ("before", 0, false), ("before", 1, true),
            ("after", 0, false), ("after", -1, true),
            ("-during", 0, false), ("-during", -1, true),
            ("-before", 0, true), ("-before", 1, false),
            ("-after", 0, true), ("-after", -1, false),
        ] {
            let q = format!("siskin {operator}:{}", date(days));
            assert_eq!(!texts(&alice, &q).await.is_empty(), found, "{q}");
        }
    }

    async fn days_divide_older_and_newer_statuses(app: &TestApp) {
        let alice = indexable(app, "alice").await;
        let mut days = Vec::new();
        for number in 0..3 {
            alice.publish(&format!("siskin {number}")).await;
            days.push(siskin_entities::time::Date(app.app().now()).to_string());
            app.advance(Duration::from_hours(48));
        }
        for (q, expected) in [
            (format!("before:{}", days[1]), vec![0]),
            (format!("siskin before:{}", days[2]), vec![1, 0]),
            (format!("during:{}", days[0]), vec![0]),
            (format!("siskin during:{}", days[1]), vec![1]),
            (format!("siskin after:{}", days[1]), vec![2]),
            (format!("siskin after:{} before:{}", days[0], days[2]), vec![1]),
            (format!("siskin -before:{}", days[1]), vec![2, 1]),
            (format!("siskin -after:{}", days[0]), vec![0]),
            ("siskin before:9999-12-31".to_owned(), vec![2, 1, 0]),
            ("siskin after:9999-12-30".to_owned(), vec![]),
            ("siskin before:2000-01-01".to_owned(), vec![]),
            ("siskin during:2000-01-01".to_owned(), vec![]),
            ("siskin before:0001-01-01".to_owned(), vec![]),
        ] {
            let expected = expected.into_iter().map(|number: i32| format!("siskin {number}"));
            assert_eq!(texts(&alice, &q).await, expected.collect::<Vec<_>>(), "{q}");
        }
    }

    // Everything else is text. Nothing is an error, and nothing finds what does not contain it.
    async fn odd_texts_are_plain_text(app: &TestApp) {
        let alice = indexable(app, "alice").await;
        alice.publish("plain AND simple").await;
        alice.publish("near the NOT sign").await;
        for (q, expected) in [
            ("AND", vec!["plain AND simple"]),
            ("plain AND simple", vec!["plain AND simple"]),
            ("plain OR simple", vec![]),
            ("NOT", vec!["near the NOT sign"]),
            ("NEAR(the)", vec!["near the NOT sign"]),
            ("plain*", vec!["plain AND simple"]),
            ("pla*", vec![]),
            ("^plain", vec!["plain AND simple"]),
            ("terms:plain", vec![]),
            ("(plain) & !simple | sign", vec![]),
            ("\"plain", vec!["plain AND simple"]),
            ("-", vec![]),
            ("\"", vec![]),
            ("\"\"", vec![]),
            ("@@", vec![]),
            ("%", vec![]),
            ("_", vec![]),
            ("*", vec![]),
            ("'; --", vec![]),
            ("'; DROP TABLE statuses; --", vec![]),
            ("\\", vec![]),
            ("=any", vec![]),
            ("=public", vec![]),
            ("has:everything", vec![]),
            ("before:today", vec![]),
            ("language:", vec![]),
            ("from:", vec![]),
            ("🎉", vec![]),
        ] {
            assert_eq!(texts(&alice, q).await, expected, "{q:?}");
        }
        // NUL is refused in every parameter.
        search(&alice, &[("q", "plain\0simple")]).await.expect(400);
        let long = "plain ".repeat(83);
        assert_eq!(texts(&alice, &long).await, ["plain AND simple"]);
        assert_eq!(texts(&alice, &"plain ".repeat(90)).await, [""; 0]);
        let bracket = "(\"".repeat(200);
        assert_eq!(texts(&alice, &bracket).await, [""; 0]);
    }

    async fn limits_hold_for_statuses(app: &TestApp) {
        let alice = indexable(app, "alice").await;
        for number in 0..7 {
            alice.publish(&format!("linnet {number}")).await;
        }
        app.app().change_setting("max_search_results".into(), "5".into()).await.unwrap();
        for (limit, shown) in [("3", 3), ("100000", 5), ("", 5), ("0", 0), ("abc", 0)] {
            let query = [("q", "linnet"), ("limit", limit)];
            let found = search(&alice, &query).await.ok();
            assert_eq!(found["statuses"].as_array().unwrap().len(), shown, "{limit}");
        }
        let negative = [("q", "linnet"), ("type", "statuses"), ("offset", "-1")];
        search(&alice, &negative).await.expect(400);
        let newest = search(&alice, &[("q", "linnet"), ("limit", "1")]).await.ok();
        assert!(!id(&newest["statuses"][0]).is_empty());
    }
}
