//! Decisions about several accounts at `/admin/accounts`, and about several reports at
//! `/admin/reports`.

use siskin_entities::AuditAction;

use super::{SCRIPT, assert_escaped, followed, posted_fields, staff_in_browser, submit};
use crate::support::{Client, Response, TestApp, User};

const ACCOUNTS: &str = "/admin/accounts";
const REPORTS: &str = "/admin/reports";

/// Chooses accounts on a page of the list, and what to do with them.
async fn choose(browser: &Client, page: &str, action: &str, accounts: &[&User]) -> Response {
    let mut fields = vec![("action", action)];
    fields.extend(accounts.iter().map(|account| ("account_ids[]", account.id.as_str())));
    submit(browser, page, ACCOUNTS, &fields).await
}

/// Submits the page that asks about a decision, with these values.
async fn apply(browser: &Client, asked: &Response, values: &[(&str, &str)]) -> Response {
    assert_eq!(asked.status, 200, "{asked:?}");
    let mut form = posted_fields(&asked.text(), ACCOUNTS);
    form.extend(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    browser.form(ACCOUNTS, &form).await
}

async fn audited(app: &TestApp, report: &str) -> Vec<AuditAction> {
    app.audit_of_report(report).await.iter().rev().map(|entry| entry.action).collect()
}

api_tests! {
    async fn several_accounts_are_restricted_and_restored(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "moderatrix", "Moderator").await;
        let (ann, bob, cem) = (app.user("ann").await, app.user("bob").await, app.user("cem").await);
        let page = format!("{ACCOUNTS}?origin=local");
        let asked = choose(&browser, &page, "silence", &[&ann, &bob]).await;
        let text = asked.text();
        for part in ["Limit 2 accounts?", "@ann", "@bob", "name=\"text\"", "name=\"send_email_notification\" type=\"checkbox\" value=\"1\" checked"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("@cem"), "{text}");
        assert!(app.audited(&ann).await.is_empty(), "nothing happens before the second page");
        let done = apply(&browser, &asked, &[("text", "Be kind")]).await;
        assert!(done.header("location").unwrap().contains("origin=local"), "{done:?}");
        let shown = followed(&browser, &done).await;
        assert!(shown.contains("The decision took effect on 2 accounts."), "{shown}");
        for one in [&ann, &bob] {
            assert_eq!(app.audited(one).await, ["silence"]);
            assert_eq!(one.strikes().await[0]["text"], "Be kind");
            assert!(!one.strikes().await[0].to_string().contains("moderatrix"));
        }
        // The ends of restrictions need no text.
        let asked = choose(&browser, ACCOUNTS, "unsilence", &[&ann, &bob, &cem]).await;
        assert!(!asked.text().contains("name=\"text\""), "{}", asked.text());
        let shown = followed(&browser, &apply(&browser, &asked, &[]).await).await;
        assert!(shown.contains("took effect on 2 accounts. 1 account did not change."), "{shown}");
        let line = format!("<a href=\"{ACCOUNTS}/{}\">@cem</a>: There was nothing to change", cem.id);
        assert!(shown.contains(&line), "{shown}");
        assert_eq!(app.audited(&ann).await, ["silence", "unsilence"]);
        assert!(app.audited(&cem).await.is_empty());
    }

    async fn the_question_names_every_account_that_it_counts(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let bob = app.user("bob").await;
        let fields = [("action", "silence"), ("account_ids[]", &*bob.id), ("account_ids[]", "7")];
        let asked = submit(&browser, ACCOUNTS, ACCOUNTS, &fields).await;
        let page = asked.text();
        for part in ["Limit 2 accounts?", "@bob", "Account 7, which does not exist any more"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let shown = followed(&browser, &apply(&browser, &asked, &[]).await).await;
        assert!(shown.contains("<li>Account 7: It does not exist any more.</li>"), "{shown}");
        assert_eq!(app.audited(&bob).await, ["silence"]);
    }

    async fn faults_keep_what_was_chosen_and_typed(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let bob = app.user("bob").await;
        let refused = choose(&browser, ACCOUNTS, "explode", &[&bob]).await;
        assert_eq!(refused.status, 422);
        let page = refused.text();
        assert!(page.contains("Choose what to do.") && page.contains(&format!("value=\"{}\" aria-label=\"Choose @bob\" checked", bob.id)), "{page}");
        let refused = choose(&browser, ACCOUNTS, "suspend", &[]).await;
        assert!(refused.status == 422 && refused.text().contains("Choose at least one account."));
        assert!(browser.get(&format!("{ACCOUNTS}?all=1")).await.text().contains("aria-label=\"Choose @bob\" checked"));
        let asked = choose(&browser, ACCOUNTS, "none", &[&bob]).await;
        let long = "é".repeat(2001);
        let refused = apply(&browser, &asked, &[("text", &long)]).await;
        assert_eq!(refused.status, 422);
        let page = refused.text();
        assert!(page.contains("id=\"decision_text_problem\">Text to the accounts is too long"), "{page}");
        assert!(page.contains("role=\"alert\">Text to the accounts is") && page.contains(&long), "{page}");
        assert!(page.contains("Warn 1 account?") && page.contains("@bob"));
        assert!(app.audited(&bob).await.is_empty());
    }

    async fn rank_is_a_result_of_each_account(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (boss, bob) = (app.staff("boss", "Owner").await, app.user("bob").await);
        let asked = choose(&browser, ACCOUNTS, "suspend", &[&mo, &boss, &bob]).await;
        let shown = followed(&browser, &apply(&browser, &asked, &[]).await).await;
        assert!(shown.contains("took effect on 1 account. 2 accounts did not change."), "{shown}");
        for (name, account) in [("@mo", &mo), ("@boss", &boss)] {
            let line = format!("{ACCOUNTS}/{}\">{name}</a>: Your rank does not allow it.", account.id);
            assert!(shown.contains(&line), "{name}: {shown}");
        }
        assert!(!shown.contains(">@bob</a>:"), "{shown}");
        assert!(!app.audited(&boss).await.contains(&"suspend"));
        // Without an email, and without a text.
        assert_eq!(app.audited(&bob).await, ["suspend"]);
    }

    async fn only_staff_with_the_permission_decide(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let bob = app.user("bob").await;
        let form = posted_fields(&browser.get(ACCOUNTS).await.text(), ACCOUNTS);
        let filled = |field: &str, id: &str| {
            let fields = [("action", "resolve"), (field, id), ("confirmed", "1")];
            let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
            [&form[..], &fields].concat()
        };
        let report = bob.report(&app.user("ann").await).await;
        let stranger = crate::oauth::signed_in(app, "eve").await;
        for (path, fields) in [(ACCOUNTS, filled("account_ids[]", &bob.id)), (REPORTS, filled("report_ids[]", &report))] {
            // The token belongs to another session.
            assert_eq!(stranger.form(path, &fields).await.status, 403, "{path}");
            assert_eq!(app.browser().form(path, &fields).await.status, 403, "{path}");
        }
        assert!(audited(app, &report).await.is_empty());
    }

    async fn several_reports_are_assigned_and_resolved(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let reports = [ann.report(&bob).await, ann.report(&bob).await, ann.report(&bob).await];
        let decide = async |page: &str, action: &str, reports: &[String]| {
            let mut fields = vec![("action", action)];
            fields.extend(reports.iter().map(|report| ("report_ids[]", report.as_str())));
            submit(&browser, page, REPORTS, &fields).await
        };
        let shown = followed(&browser, &decide(REPORTS, "assign_to_self", &reports[..2]).await).await;
        assert!(shown.contains("2 reports are assigned to you."), "{shown}");
        let mine = format!("{REPORTS}?list=mine");
        let shown = followed(&browser, &decide(&mine, "resolve", &reports[..1]).await).await;
        assert!(shown.contains("1 report is resolved."), "{shown}");
        assert!(shown.contains("My reports"), "the list stays: {shown}");
        let shown = followed(&browser, &decide(REPORTS, "resolve", &reports).await).await;
        assert!(shown.contains("2 reports are resolved. 1 report did not change."), "{shown}");
        let line = format!("<li><a href=\"{REPORTS}/{}\">Report about @bob of ", reports[0]);
        assert!(shown.contains(&line) && shown.contains(": There was nothing to change"), "{shown}");
        let resolved = format!("{REPORTS}?list=resolved");
        let shown = followed(&browser, &decide(&resolved, "reopen", &reports[2..]).await).await;
        assert!(shown.contains("1 report is open again."), "{shown}");
        assert_eq!(audited(app, &reports[0]).await, [AuditAction::Assign, AuditAction::Resolve]);
        assert_eq!(audited(app, &reports[2]).await, [AuditAction::Resolve, AuditAction::Reopen]);
        for (action, chosen, words) in [("explode", &reports[..1], "Choose what to do."), ("resolve", &reports[..0], "Choose at least one report.")] {
            let refused = decide(&resolved, action, chosen).await;
            assert!(refused.status == 422 && refused.text().contains(words), "{refused:?}");
        }
        // Lists of reports on the page of an account have no checkboxes.
        let page = browser.get(&format!("{ACCOUNTS}/{}", bob.id)).await.text();
        assert!(page.contains("Open reports about @bob") && !page.contains("report_ids[]"), "{page}");
    }

    async fn the_address_of_a_result_names_only_what_staff_may_see(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let (about_mo, about_bob) = (ann.report(&mo).await, ann.report(&bob).await);
        let address = format!("{REPORTS}?done=resolve&failed=3&unchanged=unchanged.{about_mo}.{about_bob}");
        let shown = browser.get(&address).await.text();
        // A report about a member of staff does not exist for that member.
        assert!(shown.contains(&format!("<li>Report {about_mo}: ")), "{shown}");
        assert!(shown.contains("Report about @bob of ") && !shown.contains("about @mo"), "{shown}");
        assert!(shown.contains("And 1 more."), "{shown}");
        // Reports about one account differ, even if they are of the same minute.
        let second = ann.report(&bob).await;
        let address = format!("{REPORTS}?done=resolve&failed=2&unchanged=unchanged.{about_bob}.{second}");
        let shown = browser.get(&address).await.text();
        for report in [&about_bob, &second] {
            let name = format!(", number {report}</a>: There was nothing to change");
            assert!(shown.contains(&name), "{name}: {shown}");
        }
        // People can change the address: it names each once, no more than it counts, and no change.
        let entries = async |failed: usize, unchanged: &str| {
            let address = format!("{REPORTS}?done=resolve&failed={failed}&unchanged={unchanged}");
            let page = browser.get(&address).await;
            assert_eq!(page.status, 200, "{page:?}");
            page.text().split_once("<ul class=\"names\">").map_or(0, |(_, rest)| {
                rest.split("</ul>").next().unwrap().matches("<li>").count()
            })
        };
        assert_eq!(entries(9, &format!("done.{about_bob}.{second}")).await, 0);
        assert_eq!(entries(1, &format!("unchanged.{about_bob}.{second}")).await, 1);
        assert_eq!(entries(0, &format!("unchanged.{about_bob}.{second}")).await, 0);
        let twice = format!("unchanged.{about_bob}.{about_bob}*forbidden.{about_bob}");
        // The second line says how many more there are.
        assert_eq!((entries(1, &twice).await, entries(3, &twice).await), (1, 2));
        let gone = format!("{ACCOUNTS}?done=decided&failed=1&unchanged=not_found.7");
        let shown = browser.get(&gone).await.text();
        assert!(shown.contains("<li>Account 7: It does not exist any more.</li>"), "{shown}");
        for odd in ["x", "forbidden.x*odd.7", SCRIPT] {
            let page = format!("{ACCOUNTS}?done=decided&failed=1&unchanged={odd}");
            let shown = browser.get(&page).await;
            assert!(shown.status == 200 && !shown.text().contains("<ul class=\"names\">"), "{shown:?}");
            assert_escaped(&shown.text());
        }
        // Links of the page do not repeat the result.
        let page = browser.get(&format!("{ACCOUNTS}?limit=1&unchanged=not_found.7")).await.text();
        assert_eq!(page.matches("unchanged=").count(), 0, "{page}");
    }

    async fn texts_of_users_are_escaped(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let bob = app.user("bob").await;
        bob.patch("/api/v1/accounts/update_credentials", &[("display_name", "<script>x")]).await.ok();
        let asked = choose(&browser, ACCOUNTS, "none", &[&bob]).await;
        assert_escaped(&asked.text());
        let long = SCRIPT.repeat(100);
        assert_escaped(&apply(&browser, &asked, &[("text", &long)]).await.text());
    }
}
