//! `GET /api/v1/timelines/tag/{hashtag}`.

use serde_json::json;

use crate::support::{id, ids};

const PATH: &str = "/api/v1/timelines/tag";

api_tests! {
    // Variants of a hashtag in case, width and diacritics are one hashtag.
    async fn variants_of_a_hashtag_are_one(app: &TestApp) {
        let alice = app.user("alice").await;
        let wide = alice.publish("#ｓｙｎｔｈｗａｖｅ").await;
        let mixed = alice.publish("#SynthWave").await;
        let shark = alice.publish("#BLÅHAJ").await;
        let half = alice.publish("#ｶﾞﾝﾀﾞﾑ").await;
        let japanese = alice.publish("#日本語").await;
        let polish = alice.publish("#RyżowaŚroda").await;
        for (name, shown) in [
            ("synthwave", ids([&mixed, &wide])),
            ("blahaj", ids([&shark])),
            ("BL%C3%85HAJ", ids([&shark])),
            ("%E3%82%AC%E3%83%B3%E3%83%80%E3%83%A0", ids([&half])),
            ("%23blahaj", ids([&shark])),
            // Hashtags outside of ASCII, percent-encoded.
            ("%E6%97%A5%E6%9C%AC%E8%AA%9E", ids([&japanese])),
            ("Ry%C5%BCowa%C5%9Aroda", ids([&polish])),
            ("Ry%C5%BCowa%C5%9Aroda/", ids([&polish])),
            ("nothing", vec![]),
        ] {
            assert_eq!(app.anonymous().get(&format!("{PATH}/{name}")).await.ids(), shown, "{name}");
        }
        for (status, typed) in [(&wide, "ｓｙｎｔｈｗａｖｅ"), (&mixed, "SynthWave"), (&shark, "BLÅHAJ")] {
            assert!(status["content"].as_str().unwrap().contains(typed), "{status}");
        }
        assert_eq!(shark["tags"][0]["name"], "blahaj");
    }

    // An invalid hashtag name results in 404.
    async fn invalid_hashtags_are_not_found(app: &TestApp) {
        let alice = app.user("alice").await;
        for name in ["100%25", "%ZZ", "%00", "%2F..%2F", "%FF", "123", "a%20b"] {
            let response = app.anonymous().get(&format!("{PATH}/{name}")).await;
            assert_eq!(response.expect(404), json!({ "error": "Record not found" }), "{name}");
        }
        let status = alice.publish("おはぎ #100%").await;
        assert_eq!(alice.get("/api/v1/timelines/home").await.ids(), ids([&status]));
    }

    async fn further_hashtags_widen_and_narrow(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut with = Vec::new();
        for text in ["#a", "#b", "#a #b", "#a #b #c", "#c"] {
            with.push(id(&alice.publish(text).await));
        }
        for (query, shown) in [
            ("", vec![3, 2, 0]),
            ("?any[]=b", vec![3, 2, 1, 0]),
            ("?any[]=B&any[]=c", vec![4, 3, 2, 1, 0]),
            ("?all[]=b", vec![3, 2]),
            ("?all[]=b&all[]=c", vec![3]),
            ("?all[]=unheard", vec![]),
            ("?none[]=c", vec![2, 0]),
            ("?any[]=b&none[]=c&none[]=unheard", vec![2, 1, 0]),
            ("?any[]=%25&any[]=", vec![3, 2, 0]),
            ("?any[]=v&any[]=w&any[]=x&any[]=y&any[]=c", vec![3, 2, 0]),
            ("?local=true", vec![3, 2, 0]),
            ("?remote=true", vec![]),
            ("?only_media=true", vec![]),
        ] {
            let expected: Vec<&String> = shown.into_iter().map(|at: usize| &with[at]).collect();
            let response = app.anonymous().get(&format!("{PATH}/a{query}")).await;
            assert_eq!(response.ids().iter().collect::<Vec<_>>(), expected, "{query}");
        }
    }

    async fn only_public_statuses_of_visible_authors_are_shown(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("#tag").await;
        for visibility in ["unlisted", "private", "direct"] {
            alice.publish_as(json!({ "status": "#tag", "visibility": visibility })).await;
        }
        let reply = bob.reply(&status, "#tag").await;
        bob.act("reblog", &status).await;
        let path = format!("{PATH}/tag");
        assert_eq!(alice.get(&path).await.ids(), ids([&reply, &status]));
        alice.act_on("block", &bob).await;
        assert_eq!(alice.get(&path).await.ids(), ids([&status]));
        assert_eq!(bob.get(&path).await.ids(), ids([&reply]));
    }
}
