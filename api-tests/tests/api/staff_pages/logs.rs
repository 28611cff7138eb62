//! `/admin/audit-log` and `/admin/jobs`.

use siskin_entities::Actor;
use siskin_services::rules;

use super::{SCRIPT, assert_escaped, confirm, followed, staff_in_browser, submit};
use crate::{admin::jobs::Failure, support::TestApp};

const LOG: &str = "/admin/audit-log";
const JOBS: &str = "/admin/jobs";

/// Lets the operator do something that the log names by its text.
async fn by_operator(app: &TestApp, text: &str) {
    let rule = rules::prepare(text, "").unwrap();
    app.app().write(move |tx| rules::add(tx, Actor::Operator, &rule)).await.unwrap();
}

api_tests! {
    async fn the_log_names_who_did_what(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (bob, eve) = (app.user("bob").await, app.user("eve").await);
        by_operator(app, SCRIPT).await;
        mo.impose("silence", &bob).await;
        mo.impose("disable", &eve).await;
        let page = browser.get(LOG).await.text();
        assert_escaped(&page);
        for part in ["@mo", "Silence", "account @bob", "account @eve", "The operator", "&#60;script"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let about = browser.get(&format!("{LOG}?about=%40bob")).await.text();
        assert!(about.contains("account @bob") && !about.contains("account @eve"), "{about}");
        let by = browser.get(&format!("{LOG}?by=mo")).await.text();
        assert!(by.contains("account @eve") && !by.contains("The operator"), "{by}");
        let link = format!("{LOG}?target_kind=account&#38;target_id={}", eve.id);
        assert!(page.contains(&format!("href=\"{link}\"")), "{page}");
        let linked = browser.get(&link.replace("&#38;", "&")).await.text();
        assert!(linked.contains("account @eve") && !linked.contains("account @bob"), "{linked}");
        let unknown = browser.get(&format!("{LOG}?by=%3Cscript%3E")).await;
        assert_eq!(unknown.status, 422);
        assert!(unknown.text().contains("id=\"filter_by_problem\""), "{unknown:?}");
        assert_eq!(browser.get(&format!("{LOG}?target_kind=x&target_id=1")).await.status, 404);
    }

    async fn the_log_has_pages(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        for number in 0..5 {
            by_operator(app, &format!("Rule {number}")).await;
        }
        let first = browser.get(&format!("{LOG}?limit=2")).await.text();
        assert!(first.contains("Rule 4") && !first.contains("Rule 2"), "{first}");
        let older = first.split("rel=\"next\" href=\"").nth(1).unwrap();
        let older = older.split('"').next().unwrap().replace("&#38;", "&");
        let second = browser.get(&older).await.text();
        assert!(second.contains("Rule 2") && !second.contains("Rule 4"), "{second}");
    }

    async fn failed_jobs_are_retried_and_discarded(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
        assert!(browser.get(JOBS).await.text().contains("No job has failed for good."));
        let (other, dead) = (app.failed(Failure::ForGood).await, app.failed(Failure::ForGood).await);
        let page = browser.get(JOBS).await.text();
        assert!(page.contains("test.broken") && page.contains("refused"), "{page}");
        assert!(!page.contains("bob@mail") && !page.contains("marzipan"), "{page}");
        let retry = format!("{JOBS}/{dead}/retry");
        let page = followed(&browser, &submit(&browser, JOBS, &retry, &[]).await).await;
        assert!(page.contains("The job runs again."), "{page}");
        let waiting = browser.get(&format!("{JOBS}?state=waiting")).await.text();
        assert!(waiting.contains("test.broken"), "{waiting}");
        for (job, list) in [(&other, JOBS), (&dead, "/admin/jobs?state=waiting")] {
            let discard = format!("{JOBS}/{job}/discard");
            let asked = submit(&browser, list, &discard, &[]).await;
            let page = followed(&browser, &confirm(&browser, &asked, &discard).await).await;
            assert!(page.contains("The job was discarded."), "{page}");
        }
        assert_eq!(app.audited_job(&dead).await, ["retry", "delete"]);
        assert_eq!(app.audited_job(&other).await, ["delete"]);
    }
}
