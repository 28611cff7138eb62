//! `/admin/trends`: the review of hashtags, links, websites and posts.

use siskin_entities::{AuditEntry, PageRequest, TargetKind};
use siskin_persistence::Conn;
use siskin_services::audit::{self, AuditSelection};

use super::{SCRIPT, actions_on, assert_escaped, followed, staff_in_browser, submit};
use crate::support::{
    Client, TestApp, id,
    trends::{all_favourite, all_publish},
};

const TAGS: &str = "/admin/trends";
const LINKS: &str = "/admin/trends/links";
const PUBLISHERS: &str = "/admin/trends/publishers";
const STATUSES: &str = "/admin/trends/statuses";

/// Lets two hashtags and a post of Ann trend, and returns the post.
async fn trend(app: &TestApp) -> String {
    let crowd = app.crowd("crowd", 5).await;
    all_publish(&crowd, "#siskins and #swifts").await;
    let status = app.famous("ann").await.publish(&format!("{SCRIPT} Hello")).await;
    all_favourite(&crowd, &status).await;
    app.count_trends().await;
    id(&status)
}

/// Returns the values of the checkboxes on a page.
fn choices(page: &str) -> Vec<String> {
    let boxes = page.split("name=\"ids[]\" value=\"").skip(1);
    boxes.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

async fn listed(browser: &Client, path: &str) -> String {
    let page = browser.get(path).await;
    assert_eq!(page.status, 200, "{page:?}");
    page.text()
}

api_tests! {
    async fn several_hashtags_are_decided_at_once(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        trend(app).await;
        let page = listed(&browser, TAGS).await;
        assert!(page.contains("#siskins") && page.contains("#swifts"), "{page}");
        let ids = choices(&page);
        assert_eq!(ids.len(), 2);
        let mut fields: Vec<(&str, &str)> = ids.iter().map(|id| ("ids[]", &**id)).collect();
        fields.extend([("ids[]", "x"), ("ids[]", "115600000000000001"), ("decision", "approve")]);
        let page = followed(&browser, &submit(&browser, TAGS, TAGS, &fields).await).await;
        assert!(page.contains("2 entries were approved."), "{page}");
        assert!(choices(&page).is_empty(), "{page}");
        let approved = format!("{TAGS}?state=approved");
        assert_eq!(choices(&listed(&browser, &approved).await).len(), 2);
        let fields = [("ids[]", &*ids[0]), ("decision", "reject"), ("state", "approved")];
        let page = followed(&browser, &submit(&browser, &approved, &approved, &fields).await).await;
        assert!(page.contains("1 entry was rejected."), "{page}");
        assert_eq!(choices(&page), ids[1..]);
        assert_eq!(choices(&listed(&browser, &format!("{TAGS}?state=rejected")).await), ids[..1]);
        assert_eq!(actions_on(app, TargetKind::Tag, &ids[0]).await, ["approve", "reject"]);
    }

    async fn posts_are_shown_as_text(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let status = trend(app).await;
        let page = listed(&browser, STATUSES).await;
        assert_escaped(&page);
        assert!(page.contains("Post by @ann") && page.contains("Hello"), "{page}");
        assert_eq!(choices(&page), std::slice::from_ref(&status));
        let fields = [("ids[]", &*status), ("decision", "approve")];
        let page = followed(&browser, &submit(&browser, STATUSES, STATUSES, &fields).await).await;
        assert!(page.contains("1 entry was approved."), "{page}");
        assert_eq!(mo.get("/api/v1/trends/statuses").await.ids(), [status]);
    }

    async fn links_are_decided(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let crowd = app.crowd("crowd", 15).await;
        all_publish(&crowd, "https://news.example/a").await;
        app.make_article("https://news.example/a").await;
        app.count_trends().await;
        let page = listed(&browser, LINKS).await;
        assert!(page.contains("news.example"), "{page}");
        let ids = choices(&page);
        assert_eq!(ids.len(), 1, "{page}");
        let fields = [("ids[]", &*ids[0]), ("decision", "reject")];
        let page = followed(&browser, &submit(&browser, LINKS, LINKS, &fields).await).await;
        assert!(page.contains("1 entry was rejected."), "{page}");
        assert_eq!(choices(&listed(&browser, &format!("{LINKS}?state=rejected")).await), ids);
    }

    async fn websites_are_decided(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let trending = async || mo.get("/api/v1/trends/links").await.ok().as_array().unwrap().len();
        let crowd = app.crowd("crowd", 15).await;
        for article in ["https://news.example/a", "https://www.news.example/b"] {
            all_publish(&crowd, article).await;
            app.make_article(article).await;
        }
        app.count_trends().await;
        let page = listed(&browser, PUBLISHERS).await;
        assert_eq!(choices(&page), ["news.example", "www.news.example"], "{page}");
        assert_eq!(trending().await, 0);
        let fields = [("ids[]", "news.example"), ("ids[]", "no domain!"), ("decision", "approve")];
        let page = submit(&browser, PUBLISHERS, PUBLISHERS, &fields).await;
        let page = followed(&browser, &page).await;
        assert!(page.contains("1 entry was approved."), "{page}");
        // The decision applies to subdomains, too.
        assert_eq!(choices(&page), Vec::<String>::new());
        assert_eq!(trending().await, 2);
        let approved = format!("{PUBLISHERS}?state=approved");
        let page = listed(&browser, &approved).await;
        assert!(page.contains("data-label=\"Links that trend\"><bdi>2<"), "{page}");
        let fields = [("ids[]", "news.example"), ("decision", "reject"), ("state", "approved")];
        let page = followed(&browser, &submit(&browser, &approved, &approved, &fields).await).await;
        assert!(page.contains("1 entry was rejected.") && choices(&page).is_empty(), "{page}");
        let page = listed(&browser, &format!("{PUBLISHERS}?state=rejected")).await;
        assert_eq!(choices(&page), ["news.example"]);
        assert_eq!(trending().await, 0);
        let load = |conn: &mut Conn| {
            audit::list(conn, AuditSelection::default(), PageRequest::newest(200))
        };
        let entries: Vec<AuditEntry> = app.app().read(load).await.unwrap().items;
        let about = |entry: &&AuditEntry| entry.target.kind == TargetKind::LinkPublisher;
        let found = entries.iter().filter(about);
        let found: Vec<_> = found.map(|it| (it.action.as_str(), &*it.target.name)).collect();
        assert_eq!(found, [("reject", "news.example"), ("approve", "news.example")]);
    }

    async fn a_website_is_decided_before_it_trends(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let fields = [("domain", " Spam.Example. "), ("decision", "reject")];
        let page = submit(&browser, PUBLISHERS, PUBLISHERS, &fields).await;
        let page = followed(&browser, &page).await;
        assert!(page.contains("1 entry was rejected."), "{page}");
        let page = listed(&browser, &format!("{PUBLISHERS}?state=rejected")).await;
        assert_eq!(choices(&page), ["spam.example"]);
        for (domain, problem) in [
            (" ", "Domain can&#39;t be blank."),
            ("bad domain!", "Domain must be that of a website."),
        ] {
            let fields = [("domain", domain), ("decision", "reject")];
            let refused = submit(&browser, PUBLISHERS, PUBLISHERS, &fields).await;
            assert_eq!(refused.status, 422);
            let page = refused.text();
            assert!(page.contains("id=\"publisher_domain_problem\"") && page.contains(problem), "{page}");
            assert!(page.contains(&format!("value=\"{domain}\"")), "{page}");
            assert!(page.contains("value=\"reject\" selected"), "{page}");
        }
    }

    async fn a_decision_names_entries(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        trend(app).await;
        for (fields, problem) in [
            (vec![("decision", "approve")], "Choose at least one entry."),
            (vec![("ids[]", "7"), ("decision", "explode")], "Choose what to do."),
        ] {
            let refused = submit(&browser, TAGS, TAGS, &fields).await;
            assert_eq!(refused.status, 422);
            assert!(refused.text().contains(problem), "{refused:?}");
        }
    }
}
