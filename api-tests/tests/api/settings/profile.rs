//! `/settings/profile`: the public profile.

use siskin_test_support::builders::PASSWORD;

use crate::{
    oauth::{hidden_fields, sign_in},
    support::{Client, Response, pictures::png},
};

const PAGE: &str = "/settings/profile";

async fn remove(browser: &Client, slot: &str) -> Response {
    let action = format!("{PAGE}/{slot}/remove");
    let form = hidden_fields(&browser.get(PAGE).await.text(), &action);
    browser.form(&action, &form).await
}

api_tests! {
    async fn current_pictures_are_shown_and_can_be_removed(app: &TestApp) {
        let (alice, browser) = (app.user("alice").await, app.browser());
        sign_in(&browser, "alice", PASSWORD).await;
        let page = browser.get(PAGE).await.text();
        for slot in ["avatar", "header"] {
            assert!(page.contains(&format!("/{slot}s/original/missing.png")), "{page}");
            assert!(!page.contains(&format!("{PAGE}/{slot}/remove")), "{page}");
        }
        for (slot, other) in [("avatar", "header"), ("header", "avatar")] {
            let account = alice.upload(slot, png(20, 20)).await.ok();
            alice.upload(other, png(20, 20)).await.ok();
            let address = account[slot].as_str().unwrap().to_owned();
            assert!(browser.get(PAGE).await.text().contains(&address));
            let response = remove(&browser, slot).await;
            assert_eq!(response.status, 302, "{response:?}");
            let page = browser.get(response.header("location").unwrap()).await.text();
            assert!(page.contains(&format!("Your {slot} was removed")), "{page}");
            assert!(!page.contains(&address), "{page}");
            let account = alice.credentials().await.ok();
            assert!(account[slot].as_str().unwrap().ends_with("missing.png"), "{account}");
            assert!(!account[other].as_str().unwrap().ends_with("missing.png"), "{account}");
        }
    }

    async fn errors_name_the_fields_as_the_page_does(app: &TestApp) {
        app.user("alice").await;
        let browser = app.browser();
        sign_in(&browser, "alice", PASSWORD).await;
        let mut form = hidden_fields(&browser.get(PAGE).await.text(), PAGE);
        let typed = [("display_name", "x".repeat(31)), ("note", "x".repeat(501))];
        form.extend(typed.map(|(name, value)| (name.to_owned(), value)));
        let refused = browser.form(PAGE, &form).await;
        assert_eq!(refused.status, 422, "{refused:?}");
        for words in ["Display name is too long", "About you is too long"] {
            assert!(refused.text().contains(words), "{words}: {refused:?}");
        }
    }

    async fn removing_a_picture_needs_a_csrf_token(app: &TestApp) {
        let (alice, browser) = (app.user("alice").await, app.browser());
        alice.upload("avatar", png(20, 20)).await.ok();
        let action = format!("{PAGE}/avatar/remove");
        let nothing: [(&str, &str); 0] = [];
        assert_eq!(browser.form(&action, &nothing).await.status, 403);
        sign_in(&browser, "alice", PASSWORD).await;
        assert_eq!(browser.form(&action, &nothing).await.status, 403);
        let account = alice.credentials().await.ok();
        assert!(!account["avatar"].as_str().unwrap().ends_with("missing.png"), "{account}");
    }
}
