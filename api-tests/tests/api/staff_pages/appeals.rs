//! `/admin/appeals`: appeals and the decisions about them.

use serde_json::json;

use super::{SCRIPT, assert_escaped, followed, posted_fields, staff_in_browser};
use crate::support::{User, id};

const PAGE: &str = "/admin/appeals";

/// Appeals against the latest strike with this text.
async fn appeal(user: &User, text: &str) {
    let strike = user.strikes().await.remove(0);
    user.json(&format!("/api/v1/strikes/{}/appeal", id(&strike)), json!({ "text": text }))
        .await
        .ok();
}

/// Returns the path of the first form on a page that ends like this.
fn form_to(page: &str, ending: &str) -> String {
    let mut actions = page.split("action=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    actions.find(|action| action.ends_with(ending)).unwrap_or_else(|| panic!("{page}")).to_owned()
}

api_tests! {
    async fn appeals_are_approved_and_rejected(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        for (decision, other, notice, silenced) in [
            ("approve", "reject", "The appeal was approved", false),
            ("reject", "approve", "The appeal was rejected", true),
        ] {
            mo.act_against(&bob, json!({ "type": "silence", "text": "Too loud" })).await;
            appeal(&bob, "It was satire.").await;
            let page = browser.get(PAGE).await.text();
            for part in ["@bob", "@mo", "It was satire.", "Too loud", "Limited"] {
                assert!(page.contains(part), "{part}: {page}");
            }
            let (path, refused) = (form_to(&page, decision), form_to(&page, other));
            let fields = posted_fields(&page, &path);
            let shown = followed(&browser, &browser.form(&path, &fields).await).await;
            assert!(shown.contains(notice) && !shown.contains("It was satire."), "{shown}");
            let again = browser.form(&refused, &fields).await;
            assert_eq!(again.status, 403);
            assert!(again.text().contains("This appeal was already decided."), "{}", again.text());
            let account = mo.admin_account(&bob).await;
            assert_eq!(account["silenced"], silenced);
        }
        for state in ["approved", "rejected"] {
            let page = browser.get(&format!("{PAGE}?state={state}")).await.text();
            assert_eq!(page.matches("It was satire.").count(), 1, "{state}: {page}");
            assert!(!page.contains("/approve\"") && page.contains("by <a href="), "{page}");
        }
    }

    async fn deleted_posts_are_not_said_to_be_back(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        let status = bob.publish("Rude").await;
        mo.act_on_status(&status, json!({ "type": "delete" })).await.ok();
        appeal(&bob, "It was satire.").await;
        let page = browser.get(PAGE).await.text();
        let path = form_to(&page, "approve");
        let shown = browser.form(&path, &posted_fields(&page, &path)).await;
        let shown = followed(&browser, &shown).await;
        let words = "The strike no longer counts. The deleted posts cannot be restored.";
        assert!(shown.contains(words) && !shown.contains("taken back"), "{shown}");
    }

    async fn what_people_wrote_is_escaped(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        mo.act_against(&bob, json!({ "type": "none", "text": SCRIPT })).await;
        appeal(&bob, SCRIPT).await;
        let page = browser.get(PAGE).await.text();
        assert!(page.contains("&#60;script&#62;"), "{page}");
        assert_escaped(&page);
        assert_escaped(&browser.get(&format!("{PAGE}?state={SCRIPT}&done={SCRIPT}")).await.text());
    }
}
