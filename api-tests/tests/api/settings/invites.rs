//! `/settings/invites`.

use serde_json::json;
use siskin_test_support::builders::PASSWORD;

use crate::{
    oauth::{hidden_fields, sign_in, signed_in},
    support::{Client, Response, TestApp, id},
};

const PAGE: &str = "/settings/invites";

/// Returns a browser of a member of staff who may invite, with its API client.
async fn inviter(app: &TestApp) -> (Client, Client) {
    let boss = app.staff("boss", "Owner").await;
    let browser = app.browser();
    sign_in(&browser, "boss", PASSWORD).await;
    (browser, boss.client)
}

async fn create(browser: &Client, values: &[(&str, &str)]) -> Response {
    let mut form = hidden_fields(&browser.get(PAGE).await.text(), PAGE);
    form.extend(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    browser.form(PAGE, &form).await
}

api_tests! {
    async fn only_people_who_may_invite_see_the_page(app: &TestApp) {
        assert_eq!(app.browser().get(PAGE).await.status, 302);
        let (browser, boss) = inviter(app).await;
        let ann = signed_in(app, "ann").await;
        assert_eq!(ann.get(PAGE).await.status, 404);
        let link = format!("href=\"{PAGE}\"");
        assert!(!ann.get("/settings/profile").await.text().contains(&link));
        assert!(browser.get("/settings/profile").await.text().contains(&link));
        for client in [&ann, &app.browser()] {
            assert_eq!(client.form(PAGE, &[("max_uses", "1")]).await.status, 403);
        }
        // If everyone may invite, the page and its link are there for everyone.
        let all = json!({ "permissions": "65536" });
        boss.put_json("/api/v1/admin/roles/-99", all).await.ok();
        assert_eq!(ann.get(PAGE).await.status, 200);
        assert!(ann.get("/settings/profile").await.text().contains(&link));
    }

    async fn an_invite_is_created_listed_and_revoked(app: &TestApp) {
        let (browser, boss) = inviter(app).await;
        assert!(browser.get(PAGE).await.text().contains("There are none"));
        let values = [
            ("max_uses", "3"), ("expires_in", "3600"), ("autofollow", "1"), ("comment", "For <b>Ann</b>"),
        ];
        let created = create(&browser, &values).await;
        assert_eq!(created.status, 303, "{}", created.text());
        let location = created.header("location").unwrap().strip_prefix(app.base_url()).unwrap();
        let page = browser.get(location).await.text();
        let invite = boss.get("/api/v1/invites").await.ok()[0].clone();
        assert_eq!((&invite["max_uses"], &invite["autofollow"]), (&json!(3), &json!(true)));
        for part in [invite["url"].as_str().unwrap(), "Used 0 of 3 times", "For &#60;b&#62;Ann", "role=\"status\""] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(create(&browser, &[("expires_in", "")]).await.status, 303);
        let action = format!("{PAGE}/{}/revoke", id(&invite));
        let form = hidden_fields(&browser.get(PAGE).await.text(), &action);
        assert_eq!(browser.form(&action, &form).await.status, 303);
        let left = boss.get("/api/v1/invites").await.ok();
        assert_eq!(left.as_array().unwrap().len(), 1);
        assert_eq!((&left[0]["max_uses"], &left[0]["expires_at"]), (&json!(null), &json!(null)));
        assert_eq!(browser.form(&action, &form).await.status, 404);
    }

    async fn wrong_values_are_shown_at_their_fields(app: &TestApp) {
        let (browser, boss) = inviter(app).await;
        let long = "x".repeat(421);
        for (field, value, label) in [
            ("max_uses", "0", "Number of people must"), ("max_uses", "many", "Number of people must"),
            ("expires_in", "-5", "Expires must"), ("comment", long.as_str(), "Comment for yourself is"),
        ] {
            let other = if field == "comment" { ("max_uses", "7") } else { ("comment", "typed before") };
            let refused = create(&browser, &[(field, value), other]).await;
            assert_eq!(refused.status, 422, "{field}: {}", refused.text());
            let page = refused.text();
            let problem = format!("id=\"{field}_problem\">{label}");
            assert!(page.contains(&problem) && page.contains(&format!("value=\"{}\"", other.1)), "{page}");
        }
        assert_eq!(boss.get("/api/v1/invites").await.ok(), json!([]));
    }
}
