//! `/admin/trends`: the review of hashtags, links and posts.

use siskin_entities::TargetKind;

use super::{SCRIPT, actions_on, assert_escaped, followed, staff_in_browser, submit};
use crate::support::{
    Client, TestApp, id,
    trends::{all_favourite, all_publish},
};

const TAGS: &str = "/admin/trends";
const LINKS: &str = "/admin/trends/links";
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
