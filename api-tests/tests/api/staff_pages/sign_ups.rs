//! `/admin/sign-ups`: pending and rejected sign-ups.

use reqwest::Method;
use serde_json::json;
use siskin_test_support::both_engines;

use super::{SCRIPT, assert_escaped, followed, posted_fields, staff_in_browser, submit};
use crate::support::{
    Client, Response, TestApp, User, run,
    visitors::{behind_a_proxy, newcomer},
};

const PAGE: &str = "/admin/sign-ups";

/// Submits a decision about these accounts.
async fn decide(browser: &Client, page: &str, action: &str, accounts: &[&User]) -> Response {
    let mut fields = vec![("action", action)];
    fields.extend(accounts.iter().map(|account| ("account_ids[]", account.id.as_str())));
    submit(browser, page, PAGE, &fields).await
}

/// Returns `true` if a list shows the account.
fn shows(page: &str, account: &User) -> bool {
    page.contains(&format!("value=\"{}\"", account.id))
}

api_tests! {
    async fn a_sign_up_is_shown_and_approved(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        app.ask_for_approval().await;
        let ann = app.signs_up("ann").await;
        let page = browser.get(PAGE).await.text();
        for part in ["@ann", "ann@example.com", "ann likes birds", "127.0.0.1"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let page = followed(&browser, &decide(&browser, PAGE, "approve", &[&ann]).await).await;
        assert!(page.contains("1 sign-up was approved."), "{page}");
        assert!(!shows(&page, &ann));
        assert_eq!(ann.credentials().await.status, 200);
        assert_eq!(app.audited(&ann).await, ["approve"]);
        // Another member of staff decided before.
        let form = [("action", "approve"), ("account_ids[]", &*ann.id)];
        let bob = app.signs_up("bob").await;
        let again = submit(&browser, PAGE, PAGE, &form).await;
        let page = followed(&browser, &again).await;
        assert!(page.contains("0 sign-ups were approved. 1 sign-up could not be changed."), "{page}");
        assert!(page.contains(">@ann</a>: There was nothing to change"), "{page}");
        assert!(shows(&page, &bob));
        assert_eq!(app.audited(&ann).await, ["approve"]);
    }

    async fn many_are_rejected_after_a_confirmation_and_restored(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        app.ask_for_approval().await;
        let mut people = Vec::new();
        for name in ["ann", "bob", "cem"] {
            people.push(app.signs_up(name).await);
        }
        let [ann, bob, cem] = &people[..] else { panic!() };
        let asked = decide(&browser, PAGE, "reject", &[ann, bob]).await;
        assert_eq!(asked.status, 200);
        let page = asked.text();
        for part in ["Reject 2 sign-ups?", "@ann", "@bob"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("@cem"));
        let unknown = [("action", "reject"), ("account_ids[]", &*ann.id), ("account_ids[]", "7")];
        let with_unknown = submit(&browser, PAGE, PAGE, &unknown).await.text();
        for part in ["Reject 2 sign-ups?", "@ann", "Account 7, which does not exist any more"] {
            assert!(with_unknown.contains(part), "{part}: {with_unknown}");
        }
        assert_eq!(mo.listed_accounts("status=pending").await.len(), 3);

        let mut form = posted_fields(&page, PAGE);
        form.push(("confirmed".to_owned(), "1".to_owned()));
        let page = followed(&browser, &browser.form(PAGE, &form).await).await;
        assert!(page.contains("2 sign-ups were rejected."), "{page}");
        assert!(shows(&page, cem) && !shows(&page, ann));
        assert_eq!(mo.listed_accounts("status=pending").await, std::slice::from_ref(&cem.id));
        assert_eq!(app.audited(ann).await, ["reject"]);

        let rejected = format!("{PAGE}?state=rejected");
        let page = browser.get(&rejected).await.text();
        assert!(shows(&page, ann) && shows(&page, bob) && !shows(&page, cem));
        let page = followed(&browser, &decide(&browser, &rejected, "restore", &[ann]).await).await;
        assert!(page.contains("1 sign-up was restored."), "{page}");
        assert!(shows(&page, bob) && !shows(&page, ann), "the list is still that of the rejected");
        assert!(shows(&browser.get(PAGE).await.text(), ann));
        // One alone needs no confirmation.
        let page = followed(&browser, &decide(&browser, PAGE, "reject", &[cem]).await).await;
        assert!(page.contains("1 sign-up was rejected."), "{page}");
    }

    async fn faults_keep_what_was_chosen(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        app.ask_for_approval().await;
        let ann = app.signs_up("ann").await;
        let filtered = format!("{PAGE}?email=ann");
        let refused = decide(&browser, &filtered, "approve", &[]).await;
        assert_eq!(refused.status, 422);
        let page = refused.text();
        assert!(page.contains("Choose at least one sign-up.") && page.contains("value=\"ann\""), "{page}");
        let refused = decide(&browser, PAGE, "explode", &[&ann]).await;
        assert_eq!(refused.status, 422);
        let chosen = format!("value=\"{}\" aria-label=\"Choose @ann\" checked", ann.id);
        assert!(refused.text().contains(&chosen), "{}", refused.text());
        for query in ["ip=nonsense", "ip=192.0.2.0/99"] {
            let response = browser.get(&format!("{PAGE}?{query}")).await;
            assert_eq!(response.status, 422, "{query}");
            assert!(response.text().contains("role=\"alert\""), "{query}");
        }
        let page = browser.get(&format!("{PAGE}?all=1")).await.text();
        assert!(page.contains(&chosen), "{page}");
    }

    async fn what_people_typed_is_escaped(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        app.ask_for_approval().await;
        let application = app.application("read write").await;
        let form = json!({
            "username": "ann", "email": "ann@example.com", "password": "correct horse",
            "agreement": true, "locale": "en", "reason": SCRIPT,
        });
        application.json("/api/v1/accounts", form).await.ok();
        let page = browser.get(PAGE).await.text();
        assert!(page.contains("&#60;script&#62;"), "{page}");
        assert_escaped(&page);
        let script = [("state", SCRIPT), ("username", SCRIPT), ("email", SCRIPT), ("done", SCRIPT)];
        let request = browser.request(Method::GET, PAGE).query(&script);
        assert_escaped(&browser.send(request).await.text());
    }
}

both_engines! {
    fn sign_ups_are_sorted_by_their_network(database: &TestDatabase) {
        run(database, behind_a_proxy, async |app: &TestApp| {
            let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
            app.ask_for_approval().await;
            let application = app.application("read write").await;
            for (address, name) in
                [("192.0.2.1", "ann"), ("192.0.2.200", "bob"), ("198.51.100.7", "cem")]
            {
                let mut form = newcomer(name, &format!("{name}@example.com"));
                form["reason"] = json!("birds");
                let request = application.request(Method::POST, "/api/v1/accounts");
                application.send(request.header("x-forwarded-for", address).json(&form)).await.ok();
            }
            let filtered = format!("{PAGE}?ip=192.0.2.0/24");
            let page = browser.get(&filtered).await.text();
            assert!(page.contains("@ann") && page.contains("@bob") && !page.contains("@cem"), "{page}");
            // All of them are chosen by a link, and the filter stays.
            let all = browser.get(&format!("{filtered}&all=1")).await.text();
            assert_eq!(all.matches("checked").count(), 2, "{all}");
            let mut form = posted_fields(&all, PAGE);
            let ids = mo.listed_accounts("status=pending&ip=192.0.2.0/24").await;
            form.extend(ids.into_iter().map(|id| ("account_ids[]".to_owned(), id)));
            form.push(("action".to_owned(), "approve".to_owned()));
            let done = browser.form(PAGE, &form).await;
            assert!(done.header("location").unwrap().contains("ip=192.0.2.0"), "{done:?}");
            let page = followed(&browser, &done).await;
            assert!(page.contains("2 sign-ups were approved."), "{page}");
            assert_eq!(mo.listed_accounts("status=pending").await.len(), 1);
        });
    }
}
