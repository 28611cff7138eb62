//! `/admin`: what waits for the staff.

use serde_json::json;
use siskin_test_support::both_engines;

use super::staff_in_browser;
use crate::support::{Client, TestApp, id, run, with_mail};

/// Returns the number that the overview shows with the link to a page. `None` without the link.
async fn number(browser: &Client, path: &str) -> Option<String> {
    let page = browser.get("/admin").await.text();
    let link = page.split(&format!("<a href=\"{path}\"><strong>")).nth(1)?;
    Some(link.split("</strong>").next()?.to_owned())
}

api_tests! {
    async fn the_overview_counts_what_waits(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (_, admin) = staff_in_browser(app, "ada", "Admin").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        app.ask_for_approval().await;
        app.signs_up("cem").await;
        let report = ann.report(&bob).await;
        ann.report(&bob).await;
        for (path, expected) in [
            ("/admin/sign-ups", Some("1")),
            ("/admin/reports", Some("2")),
            ("/admin/trends", Some("0")),
            ("/admin/appeals", None),
            ("/admin/jobs", None),
        ] {
            assert_eq!(number(&browser, path).await.as_deref(), expected, "{path}");
        }
        mo.on_report(&report, "resolve").await;
        assert_eq!(number(&browser, "/admin/reports").await.as_deref(), Some("1"));
        mo.impose("none", &bob).await;
        let strike = bob.strikes().await.remove(0);
        let path = format!("/api/v1/strikes/{}/appeal", strike["id"].as_str().unwrap());
        bob.form(&path, &[("text", "It was satire.")]).await.ok();
        assert_eq!(number(&admin, "/admin/appeals").await.as_deref(), Some("1"));
        // A report about a member of staff is not counted for that member.
        ann.report(&mo).await;
        assert_eq!(number(&browser, "/admin/reports").await.as_deref(), Some("1"));
        assert_eq!(number(&admin, "/admin/reports").await.as_deref(), Some("2"));
    }
}

both_engines! {
    fn emails_to_staff_lead_to_the_pages(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink| {
            app.staff("ada", "Admin").await;
            let (ann, bob) = (app.user("ann").await, app.user("bob").await);
            let link = async || app.mailed_link(sink, "ada@example.com").await;
            let report = ann.report(&bob).await;
            assert_eq!(link().await, format!("/admin/reports/{report}"));
            app.ask_for_approval().await;
            app.signs_up("cem").await;
            assert_eq!(link().await, "/admin/sign-ups");
            let mo = app.staff("mo", "Moderator").await;
            mo.impose("none", &bob).await;
            let strike = bob.strikes().await.remove(0);
            let path = format!("/api/v1/strikes/{}/appeal", strike["id"].as_str().unwrap());
            bob.form(&path, &[("text", "It was satire.")]).await.ok();
            assert_eq!(link().await, "/admin/appeals");
        });
    }
}

/// Returns the number of statements that a page needs, after a first request has filled the caches.
async fn cost(app: &TestApp, browser: &Client, path: &str) -> u32 {
    assert_eq!(browser.get(path).await.status, 200, "{path}");
    drop(app.app().store().take_counted());
    assert_eq!(browser.get(path).await.status, 200, "{path}");
    let counted = app.app().store().take_counted();
    let of_requests =
        counted.iter().filter(|cost| !cost.writes && cost.at.file().contains("crates/http"));
    of_requests.map(|cost| cost.statements).sum()
}

both_engines! {
    fn long_pages_need_as_many_statements_as_short_ones(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let (admin, browser) = staff_in_browser(app, "ada", "Admin").await;
            let (bob, eve) = (app.user("bob").await, app.user("eve").await);
            app.ask_for_approval().await;
            for number in 0..5 {
                let user = app.user(&format!("user{number}")).await;
                app.signs_up(&format!("person{number}")).await;
                for target in [&bob, &eve] {
                    if target.username == "bob" && number >= 2 {
                        continue;
                    }
                    let status = id(&target.publish("Rude").await);
                    let report = json!({ "status_ids": [status], "comment": "Rude" });
                    let report = user.report_as(target, report).await;
                    admin.on_report(&report, "assign_to_self").await;
                    admin.on_report(&user.report(target).await, "resolve").await;
                    admin.impose("none", target).await;
                }
                admin.impose("none", &user).await;
                let path = format!("/api/v1/strikes/{}/appeal", id(&user.strikes().await[0]));
                user.json(&path, json!({ "text": "No" })).await.ok();
            }
            app.app().drain_jobs().await.unwrap();
            for path in [
                "/admin/sign-ups?",
                "/admin/accounts?",
                "/admin/reports?",
                "/admin/reports?list=mine&",
                "/admin/appeals?",
                &format!("/admin/accounts/{}/statuses?", eve.id),
            ] {
                let short = cost(app, &browser, &format!("{path}limit=2")).await;
                let long = cost(app, &browser, &format!("{path}limit=5")).await;
                assert_eq!(short, long, "{path}");
            }
            let few = cost(app, &browser, &format!("/admin/accounts/{}", bob.id)).await;
            let many = cost(app, &browser, &format!("/admin/accounts/{}", eve.id)).await;
            assert_eq!(few, many);
            assert!(cost(app, &browser, "/admin").await <= 15);
        });
    }
}
