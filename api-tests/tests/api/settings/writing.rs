//! `/settings/writing`: defaults for new statuses.

use serde_json::json;
use siskin_test_support::builders::PASSWORD;

use crate::{
    oauth::{hidden_fields, sign_in},
    support::{Client, Response},
};

const PAGE: &str = "/settings/writing";

async fn choose(browser: &Client, content_type: &str, privacy: &str) -> Response {
    let page = browser.get(PAGE).await.text();
    let mut form = hidden_fields(&page, PAGE);
    form.push(("content_type".to_owned(), content_type.to_owned()));
    form.push(("privacy".to_owned(), privacy.to_owned()));
    browser.form(PAGE, &form).await
}

api_tests! {
    async fn the_default_content_type_applies_to_all_applications(app: &TestApp) {
        let (alice, browser) = (app.user("alice").await, app.browser());
        assert_eq!(browser.get(PAGE).await.status, 302);
        sign_in(&browser, "alice", PASSWORD).await;
        assert!(browser.get(PAGE).await.text().contains(r#"value="text/plain" selected"#));
        assert_eq!(choose(&browser, "text/markdown", "unlisted").await.status, 302);
        assert!(browser.get(PAGE).await.text().contains(r#"value="text/markdown" selected"#));

        let status = alice.publish("**hello**").await;
        assert_eq!(status["content"], "<p><strong>hello</strong></p>");
        assert_eq!(status["visibility"], "unlisted");
        let plain = json!({ "status": "**hello**", "content_type": "text/plain" });
        assert_eq!(alice.publish_as(plain).await["content"], "<p>**hello**</p>");
        let nothing = alice.json("/api/v1/statuses", json!({ "status": "<!-- x -->" })).await;
        assert_eq!(nothing.expect(422)["error"], "Validation failed: Text can't be blank");
    }

    async fn invalid_choices_are_refused_with_a_message(app: &TestApp) {
        let (alice, browser) = (app.user("alice").await, app.browser());
        sign_in(&browser, "alice", PASSWORD).await;
        let refused = choose(&browser, "text/rtf", "public").await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("Format of my posts is not included in the list"));
        assert_eq!(choose(&browser, "text/html", "direct").await.status, 422);
        assert_eq!(alice.publish("<b>x</b>").await["content"], "<p>&lt;b&gt;x&lt;/b&gt;</p>");
    }
}
