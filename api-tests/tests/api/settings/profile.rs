//! `/settings/profile`: the public profile.

use siskin_test_support::builders::PASSWORD;

use crate::{
    oauth::{hidden_fields, sign_in},
    support::{Client, Response, pictures::png},
};

const PAGE: &str = "/settings/profile";

async fn remove(browser: &Client, place: &str) -> Response {
    let action = format!("{PAGE}/{place}/remove");
    let form = hidden_fields(&browser.get(PAGE).await.text(), &action);
    browser.form(&action, &form).await
}

api_tests! {
    async fn the_present_pictures_are_shown_and_can_be_removed(app: &TestApp) {
        let (alice, browser) = (app.user("alice").await, app.browser());
        sign_in(&browser, "alice", PASSWORD).await;
        let page = browser.get(PAGE).await.text();
        for place in ["avatar", "header"] {
            assert!(page.contains(&format!("/{place}s/original/missing.png")), "{page}");
            assert!(!page.contains(&format!("{PAGE}/{place}/remove")), "{page}");
        }
        for (place, other) in [("avatar", "header"), ("header", "avatar")] {
            let account = alice.upload(place, png(20, 20)).await.ok();
            alice.upload(other, png(20, 20)).await.ok();
            let address = account[place].as_str().unwrap().to_owned();
            assert!(browser.get(PAGE).await.text().contains(&address));
            let answer = remove(&browser, place).await;
            assert_eq!(answer.status, 302, "{answer:?}");
            let page = browser.get(answer.header("location").unwrap()).await.text();
            assert!(page.contains(&format!("Your {place} is removed")), "{page}");
            assert!(!page.contains(&address), "{page}");
            let account = alice.credentials().await.ok();
            assert!(account[place].as_str().unwrap().ends_with("missing.png"), "{account}");
            assert!(!account[other].as_str().unwrap().ends_with("missing.png"), "{account}");
        }
    }

    async fn a_picture_is_removed_by_a_form_of_ours_alone(app: &TestApp) {
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
