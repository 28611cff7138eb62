//! Hashtags in `/api/v2/search`.

use serde_json::{Value, json};

use super::search;
use crate::support::{Client, id};

async fn names(client: &Client, query: &[(&str, &str)]) -> Vec<String> {
    let found = search(client, &[query, &[("type", "hashtags")]].concat()).await.ok();
    let name = |tag: &Value| tag["name"].as_str().unwrap().to_owned();
    found["hashtags"].as_array().unwrap().iter().map(name).collect()
}

async fn named(client: &Client, q: &str) -> Vec<String> {
    names(client, &[("q", q)]).await
}

api_tests! {
    async fn hashtags_are_found_by_the_beginning_of_their_names(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.publish("#birdsong #Birds #BLÅHAJ #東京 #東京都 #24birds #snake_case").await;
        bob.publish("#birdwatching").await;
        alice.publish("#birdwatching").await;
        let client = app.anonymous();
        for (q, expected) in [
            ("bird", vec!["birdwatching", "birds", "birdsong"]),
            ("#bird", vec!["birdwatching", "birds", "birdsong"]),
            ("BIRDS", vec!["birds", "birdsong"]),
            ("＃birds", vec!["birds", "birdsong"]),
            ("blå", vec!["blahaj"]),
            ("blahaj", vec!["blahaj"]),
            ("東", vec!["東京", "東京都"]),
            ("東京都", vec!["東京都"]),
            ("24", vec!["24birds"]),
            ("snake_", vec!["snake_case"]),
            ("ird", vec![]),
            ("bird song", vec![]),
            ("b%", vec![]),
            ("b_rd", vec![]),
            ("%", vec![]),
            ("#", vec![]),
            ("", vec![]),
            ("unknown", vec![]),
        ] {
            assert_eq!(named(&client, q).await, expected, "{q:?}");
        }
        let address = format!("{}/tags/birds", app.base_url());
        assert_eq!(named(&client, &address).await, ["birds"]);
        let accounts = search(&client, &[("q", "#alice")]).await.ok();
        assert_eq!(accounts["accounts"], json!([]));
    }

    // The whole Tag entity is returned, with the relation of the viewer.
    async fn a_hashtag_finds_statuses_only_on_request(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.publish("#tea is ready").await;
        for (q, kind, expected) in [
            ("#tea", "", [1, 0]),
            (" #tea ", "", [1, 0]),
            ("#tea", "statuses", [0, 1]),
            ("#tea ready", "", [0, 1]),
            ("tea", "", [1, 1]),
        ] {
            let found = search(&alice, &[("q", q), ("type", kind)]).await.ok();
            let count = |list: &str| found[list].as_array().unwrap().len();
            assert_eq!([count("hashtags"), count("statuses")], expected, "{q} {kind}");
        }
    }

    async fn results_are_complete_entities(app: &TestApp) {
        let alice = app.user("alice").await;
        alice.publish("#wren").await;
        alice.post("/api/v1/tags/wren/follow").await.ok();
        let tag = &search(&alice, &[("q", "wren")]).await.ok()["hashtags"][0];
        assert_eq!(*tag, alice.get("/api/v1/tags/wren").await.ok());
        assert_eq!(tag["following"], true);
        assert_eq!(tag["history"][0]["uses"], "1");
        let tag = &search(&app.anonymous(), &[("q", "wren")]).await.ok()["hashtags"][0];
        assert_eq!(tag["following"], Value::Null);
    }

    async fn pages_list_each_hashtag_once(app: &TestApp) {
        let alice = app.user("alice").await;
        for number in 10..35 {
            alice.publish(&format!("#owl{number}")).await;
        }
        let client = app.anonymous();
        let mut walked = Vec::new();
        for offset in ["0", "10", "20", "30"] {
            walked.extend(names(&client, &[("q", "owl"), ("limit", "10"), ("offset", offset)]).await);
        }
        assert_eq!(walked, (10..35).map(|number| format!("owl{number}")).collect::<Vec<_>>());
        assert_eq!(names(&client, &[("q", "owl"), ("limit", "100000")]).await.len(), 25);
        assert_eq!(names(&client, &[("q", "owl"), ("limit", "0")]).await.len(), 0);
    }

    // By default, only rejected hashtags are left out. A client that suggests hashtags asks for
    // approved ones, and for the one that is typed completely.
    async fn unreviewed_hashtags_are_left_out_on_request(app: &TestApp) {
        let (alice, staff) = (app.user("alice").await, app.moderator("mod").await);
        alice.publish("#robin #robinet #robinia #robins").await;
        for (name, action) in [("robins", "approve"), ("robinet", "reject")] {
            let tag = id(&alice.get(&format!("/api/v1/tags/{name}")).await.ok());
            staff.post(&format!("/api/v1/admin/trends/tags/{tag}/{action}")).await.ok();
        }
        alice.post("/api/v1/tags/robinet/follow").await.ok();
        let rejected = format!("{}/tags/robinet", app.base_url());
        for (q, found, reviewed) in [
            ("robi", vec!["robin", "robinia", "robins"], vec!["robins"]),
            ("robin", vec!["robin", "robinia", "robins"], vec!["robin", "robins"]),
            ("#Robinia", vec!["robinia"], vec!["robinia"]),
            ("robins", vec!["robins"], vec!["robins"]),
            ("robinet", vec![], vec![]),
            (&rejected, vec![], vec![]),
        ] {
            for client in [&alice.client, &app.anonymous()] {
                assert_eq!(named(client, q).await, found, "{q}");
                for (exclude, expected) in [("false", &found), ("true", &reviewed)] {
                    let query = [("q", q), ("exclude_unreviewed", exclude)];
                    assert_eq!(names(client, &query).await, *expected, "{q} {exclude}");
                }
            }
        }
    }

    async fn the_operator_limits_the_number_of_results(app: &TestApp) {
        let text: String = (10..55).map(|number| format!("#owl{number} ")).collect();
        app.user("alice").await.publish(&text).await;
        let client = app.anonymous();
        let numbers = async |limits: [&str; 4]| {
            let mut numbers = Vec::new();
            for limit in limits {
                numbers.push(names(&client, &[("q", "owl"), ("limit", limit)]).await.len());
            }
            numbers
        };
        assert_eq!(numbers(["", "3", "40", "100"]).await, [20, 3, 40, 40]);
        let setting = "max_search_results".to_owned();
        app.app().change_setting(setting, "5".to_owned()).await.unwrap();
        assert_eq!(numbers(["", "3", "6", "100"]).await, [5, 3, 5, 5]);
        assert_eq!(numbers(["abc", "0", "-0", "1e1"]).await, [0; 4]);
        let far_below = "-99999999999999999999";
        for (name, value) in [("limit", "-1"), ("offset", "-1"), ("limit", far_below)] {
            let query = [("q", "owl"), ("type", "hashtags"), (name, value)];
            let refused = search(&client, &query).await;
            let error = format!("{name} must not be negative");
            assert_eq!(refused.expect(400), json!({ "error": error }), "{value}");
        }
    }

    // A hashtag of private statuses only is found by those who follow it.
    async fn hashtags_of_private_statuses_stay_hidden(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&bob, &alice).await;
        for visibility in ["private", "direct"] {
            alice.publish_as(json!({ "status": "@bob #plan", "visibility": visibility })).await;
        }
        for client in [&alice.client, &bob.client, &app.anonymous()] {
            for q in ["plan", "#plan", "pla"] {
                assert_eq!(named(client, q).await, [""; 0]);
            }
        }
        bob.post("/api/v1/tags/plan/follow").await.ok();
        assert_eq!(named(&bob, "pla").await, ["plan"]);
        assert_eq!(named(&alice, "pla").await, [""; 0]);
        alice.publish_as(json!({ "status": "#plan", "visibility": "unlisted" })).await;
        assert_eq!(named(&app.anonymous(), "pla").await, ["plan"]);
    }
}
