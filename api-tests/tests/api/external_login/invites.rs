//! Invites of people who sign up after a sign-in at a provider.

use serde_json::Value;
use siskin_test_support::both_engines;

use super::assert_page;
use crate::support::{
    Client, TestApp, User, id,
    providers::{Provider, SIGN_UP, with_provider},
};

const INVITES: &str = "/api/v1/invites";
const LOST: &str = "This invite is no longer valid";

/// Signs a person in at the provider who was invited, and returns the browser with the form, and the
/// invite.
async fn invited(app: &TestApp, provider: &Provider, owner: &User, name: &str) -> (Client, Value) {
    let invite = owner.form(INVITES, &[("max_uses", "1")]).await.ok();
    provider.sign_in_as(name);
    let browser = app.browser();
    let code = invite["code"].as_str().unwrap();
    let start = format!("/auth/external/main?invite_code={code}");
    let back = browser.sign_in_by(provider, &start).await;
    assert!(back.header("location").unwrap().ends_with(SIGN_UP), "{back:?}");
    (browser, invite)
}

async fn revoke(owner: &User, invite: &Value) {
    owner.delete(&format!("{INVITES}/{}", id(invite))).await.ok();
}

/// Returns the main part of a page.
fn main_part(page: &str) -> &str {
    page.split_once("<main").unwrap().1.split_once("</main>").unwrap().0
}

both_engines! {
    fn an_invite_that_is_lost_meanwhile_is_named_before_the_account_is_created(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let owner = app.staff("owner", "Owner").await;
            for (mode, name, words, sent) in [
                ("approval", "ann", "the staff decides then.", 200),
                ("open", "bob", "You can sign up without it.", 302),
                ("external", "cat", "You can sign up without it.", 302),
            ] {
                app.store_setting("registrations", mode).await;
                let (browser, invite) = invited(app, provider, &owner, name).await;
                let page = browser.get(SIGN_UP).await;
                assert_page(&page, 200, "name=\"invite_code\"");
                assert!(!page.text().contains(LOST) && !page.text().contains("id=\"reason\""), "{page:?}");
                revoke(&owner, &invite).await;
                let typed = format!("{name}_b");
                let refused = browser.send_sign_up(&page, &[("username", &typed)]).await;
                assert_page(&refused, 403, words);
                let text = refused.text();
                assert_eq!(text.matches(LOST).count(), 1, "{mode}: {text}");
                assert_eq!(text.contains("id=\"reason\""), mode == "approval", "{mode}: {text}");
                assert!(text.contains(&format!("value=\"{typed}\"")), "{mode}: {text}");
                assert!(text.contains("required checked") && !text.contains("name=\"invite_code\""), "{mode}: {text}");
                assert!(!app.has_user(&typed).await && !app.is_linked(provider, name).await);
                // The person goes on without it.
                let values = [("username", &*typed), ("reason", "Birds")];
                assert_eq!(browser.send_sign_up(&refused, &values).await.status, sent, "{mode}");
                assert!(app.has_user(&typed).await, "{mode}");
            }
            let waiting = owner.get("/api/v2/admin/accounts?username=ann_b").await.ok();
            assert_eq!(waiting[0]["invite_request"], "Birds", "{waiting}");
        });
    }

    fn a_page_about_a_lost_invite_leads_on(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let owner = app.staff("owner", "Owner").await;
            app.store_setting("registrations", "none").await;
            let (browser, invite) = invited(app, provider, &owner, "ann").await;
            let page = browser.get(SIGN_UP).await;
            revoke(&owner, &invite).await;
            let refused = browser.send_sign_up(&page, &[("username", "ann")]).await;
            assert_page(&refused, 403, LOST);
            let late = browser.get(SIGN_UP).await;
            assert_page(&late, 200, LOST);
            for page in [refused.text(), late.text()] {
                let main = main_part(&page);
                assert_eq!(main.matches(LOST).count(), 1, "{main}");
                assert!(main.contains("href=\"/\"") && !main.contains("<form"), "{main}");
            }
            assert!(!app.has_user("ann").await);
        });
    }

    fn a_form_uses_no_other_invite_than_its_own(database: &TestDatabase) {
        with_provider(database, async |app, provider| {
            let owner = app.staff("owner", "Owner").await;
            app.store_setting("registrations", "open").await;
            let (browser, _) = invited(app, provider, &owner, "ann").await;
            let (_, other) = invited(app, provider, &owner, "bob").await;
            let values = [("username", "ann"), ("invite_code", other["code"].as_str().unwrap())];
            assert_eq!(browser.finish_sign_up(&values).await.status, 302);
            let invites = owner.get(INVITES).await.ok();
            assert!(invites.as_array().unwrap().iter().all(|invite| invite["uses"] == 0), "{invites}");
        });
    }
}
