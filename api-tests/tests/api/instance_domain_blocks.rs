//! `/api/v1/instance/domain_blocks`: blocked servers, as far as the settings show them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Client, TestApp, id};

const LIST: &str = "/api/v1/instance/domain_blocks";
const BLOCKS: &str = "/api/v1/admin/domain_blocks";

async fn set(app: &TestApp, key: &str, value: &str) {
    let (key, value) = (format!("domain_blocks.{key}"), value.to_owned());
    app.app().change_setting(key, value).await.unwrap();
}

async fn block(staff: &Client, parameters: Value) -> Value {
    staff.json(BLOCKS, parameters).await.ok()
}

fn domains(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|block| block["domain"].as_str().unwrap()).collect()
}

api_tests! {
    async fn the_list_is_hidden_by_default(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        block(&admin, json!({ "domain": "far.example" })).await;
        for viewer in [&app.anonymous(), &admin.client, &app.application("read").await] {
            let response = viewer.get(LIST).await;
            assert_eq!((response.status, response.body.len()), (404, 0));
        }
        app.with_token("garbage").get(LIST).await.expect(401);
    }

    async fn the_setting_decides_who_sees_the_list(app: &TestApp) {
        let (admin, alice) = (app.staff("ada", "Admin").await, app.user("alice").await);
        let application = app.application("read").await;
        let narrow = app.user_with_scopes(&alice, "push").await;
        block(&admin, json!({ "domain": "far.example" })).await;
        app.ask_for_approval().await;
        let waiting = app.signs_up("wes").await;
        set(app, "visibility", "users").await;
        app.anonymous().get(LIST).await.expect(401);
        application.get(LIST).await.expect(401);
        waiting.get(LIST).await.expect(403);
        for viewer in [&alice.client, &narrow, &admin.client] {
            assert_eq!(domains(&viewer.get(LIST).await.ok()), ["far.example"]);
        }
        set(app, "visibility", "all").await;
        for viewer in [&app.anonymous(), &application, &alice.client] {
            assert_eq!(domains(&viewer.get(LIST).await.ok()), ["far.example"]);
        }
        waiting.get(LIST).await.expect(403);
        set(app, "visibility", "disabled").await;
        assert_eq!(alice.get(LIST).await.status, 404);
        let key = "domain_blocks.visibility".to_owned();
        assert!(app.app().change_setting(key, "some".to_owned()).await.is_err());
    }

    async fn comments_are_shown_to_those_that_the_setting_names(app: &TestApp) {
        let (admin, alice) = (app.staff("ada", "Admin").await, app.user("alice").await);
        set(app, "visibility", "all").await;
        let far = json!({
            "domain": "far.example", "public_comment": "Spam", "private_comment": "Secret",
        });
        let far = block(&admin, far).await;
        block(&admin, json!({ "domain": "near.example" })).await;
        let bare = json!({
            "domain": "far.example", "digest": far["digest"], "severity": "silence",
        });
        let mut commented = bare.clone();
        commented["comment"] = json!("Spam");
        for (reasons, anonymous, user) in
            [("disabled", &bare, &bare), ("users", &bare, &commented), ("all", &commented, &commented)]
        {
            set(app, "reasons", reasons).await;
            assert_eq!(&app.anonymous().get(LIST).await.ok()[0], anonymous, "{reasons}");
            let shown = alice.get(LIST).await;
            assert_eq!(&shown.ok()[0], user, "{reasons}");
            assert_eq!(shown.ok()[1].get("comment"), None);
            assert!(!shown.text().contains("Secret"));
        }
    }

    async fn suspended_domains_come_first_and_those_without_effect_are_left_out(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        set(app, "visibility", "all").await;
        for (domain, severity) in [
            ("c.example", "silence"),
            ("z.example", "suspend"),
            ("m.example", "noop"),
            ("a.example", "silence"),
            ("b.example", "suspend"),
        ] {
            block(&admin, json!({ "domain": domain, "severity": severity })).await;
        }
        let shown = app.anonymous().get(LIST).await.ok();
        assert_eq!(domains(&shown), ["b.example", "z.example", "a.example", "c.example"]);
        let severities: Vec<&Value> =
            shown.as_array().unwrap().iter().map(|block| &block["severity"]).collect();
        assert_eq!(severities, ["suspend", "suspend", "silence", "silence"]);
    }

    async fn an_obfuscated_domain_shows_its_ends(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        set(app, "visibility", "all").await;
        let far = json!({ "domain": "bad.example", "obfuscate": true, "severity": "suspend" });
        let far = block(&admin, far).await;
        assert_eq!(far["domain"], "bad.example");
        let shown = app.anonymous().get(LIST).await.ok();
        assert_eq!(shown, json!([{
            "domain": "bad.*****le", "digest": far["digest"], "severity": "suspend",
        }]));
    }

    async fn each_change_is_shown_at_once(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        set(app, "visibility", "all").await;
        let shown = async || app.anonymous().get(LIST).await.ok();
        assert_eq!(shown().await, json!([]));
        let far = block(&admin, json!({ "domain": "far.example" })).await;
        assert_eq!(domains(&shown().await), ["far.example"]);
        let path = format!("{BLOCKS}/{}", id(&far));
        let change = admin.request(Method::PUT, &path).json(&json!({ "severity": "suspend" }));
        admin.send(change).await.ok();
        assert_eq!(shown().await[0]["severity"], "suspend");
        let list = json!({ "data": "near.example,suspend" });
        admin.json(&format!("{BLOCKS}/import"), list).await.ok();
        assert_eq!(domains(&shown().await), ["far.example", "near.example"]);
        admin.delete(&path).await.ok();
        assert_eq!(domains(&shown().await), ["near.example"]);
    }
}
