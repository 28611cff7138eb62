//! `GET /api/v1/trends/links`.

use serde_json::json;
use siskin_entities::Review;
use siskin_server::Config;
use siskin_services::trends::review::{self, Subject};
use siskin_test_support::{
    both_engines,
    site::{Site, page},
};

use crate::support::{
    TestApp, id, run,
    trends::{all_publish, each},
};

const PATH: &str = "/api/v1/trends/links";
const ADMIN: &str = "/api/v1/admin/trends/links";
const ARTICLE: &str = "https://www.news.example/birds";
const OTHER: &str = "https://other.example/";
const THIRD: &str = "https://another.example/";

async fn trending(app: &TestApp) -> Vec<String> {
    each(&app.anonymous().get(PATH).await.ok(), "url")
}

async fn decide(app: &TestApp, subject: Subject, name: &'static str, result: Review) {
    let settings = app.app().settings();
    let decided = app.app().write(move |tx| review::decide(tx, &settings, subject, name, result));
    decided.await.unwrap();
}

api_tests! {
    // A link trends from fifteen accounts, and after its approval.
    async fn fifteen_accounts_make_a_link_trend(app: &TestApp) {
        let crowd = app.crowd("crowd", 15).await;
        let text = format!("Read {ARTICLE}#intro");
        all_publish(&crowd[..14], &text).await;
        all_publish(&crowd[..1], &text).await;
        app.make_article(ARTICLE).await;
        app.count_trends().await;
        let staff = app.moderator("mod").await;
        assert_eq!(staff.get(ADMIN).await.ok(), json!([]));

        all_publish(&crowd[14..], &text).await;
        app.count_trends().await;
        let listed = staff.get(ADMIN).await.ok();
        assert_eq!(each(&listed, "url"), [ARTICLE]);
        assert_eq!(listed[0]["requires_review"], true);
        assert_eq!(trending(app).await, Vec::<String>::new());

        let path = format!("{ADMIN}/{}", id(&listed[0]));
        assert_eq!(staff.post(&format!("{path}/approve")).await.ok()["requires_review"], false);
        let shown = app.anonymous().get(PATH).await.ok();
        assert_eq!(each(&shown, "url"), [ARTICLE]);
        assert_eq!(shown[0]["history"][0]["accounts"], "15");
        assert_eq!(shown[0]["history"][0]["uses"], "16");
        assert_eq!(shown[0]["history"].as_array().unwrap().len(), 7);
        assert!(shown[0].get("id").is_none() && shown[0].get("requires_review").is_none());

        staff.post(&format!("{path}/reject")).await.ok();
        assert_eq!(trending(app).await, Vec::<String>::new());
    }

    async fn only_articles_trend(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 15).await;
        all_publish(&crowd, &format!("Read {ARTICLE}")).await;
        app.count_trends().await;
        assert_eq!(trending(app).await, Vec::<String>::new());
        app.make_article(ARTICLE).await;
        app.count_trends().await;
        assert_eq!(trending(app).await, [ARTICLE]);
    }

    // The decision about a link overrides that about its publisher, and that one the setting.
    async fn a_link_overrides_its_publisher(app: &TestApp) {
        let crowd = app.crowd("crowd", 15).await;
        all_publish(&crowd, &format!("Read {ARTICLE}")).await;
        all_publish(&crowd, &format!("Read {OTHER}")).await;
        app.make_article(ARTICLE).await;
        app.make_article(OTHER).await;
        app.count_trends().await;
        assert_eq!(trending(app).await, Vec::<String>::new());
        let publisher = "news.example";
        decide(app, Subject::Publisher, publisher, Review::Approved).await;
        assert_eq!(trending(app).await, [ARTICLE]);
        decide(app, Subject::Link, ARTICLE, Review::Rejected).await;
        assert_eq!(trending(app).await, Vec::<String>::new());
        decide(app, Subject::Link, ARTICLE, Review::Unreviewed).await;
        assert_eq!(trending(app).await, [ARTICLE]);
        app.trend_by_default().await;
        decide(app, Subject::Publisher, publisher, Review::Rejected).await;
        assert_eq!(trending(app).await, [OTHER]);
        decide(app, Subject::Link, ARTICLE, Review::Approved).await;
        assert_eq!(trending(app).await.len(), 2);
        decide(app, Subject::Publisher, publisher, Review::Unreviewed).await;
        decide(app, Subject::Link, ARTICLE, Review::Unreviewed).await;
        assert_eq!(trending(app).await.len(), 2);
    }

    async fn pages_are_selected_by_offset(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 15).await;
        for address in [ARTICLE, OTHER, THIRD] {
            all_publish(&crowd, address).await;
            app.make_article(address).await;
        }
        app.count_trends().await;
        let (anonymous, staff) = (app.anonymous(), app.moderator("mod").await);
        for (client, path) in [(&anonymous, PATH), (&staff, ADMIN)] {
            let get = async |query: &str| client.get(&format!("{path}?{query}")).await;
            let url = |query: &str| Some(format!("{}{path}?{query}", app.base_url()));
            let first = get("limit=2").await;
            assert_eq!((first.link("prev"), first.link("next")), (None, url("limit=2&offset=2")));
            let second = get("limit=2&offset=2").await;
            assert_eq!((second.link("prev"), second.link("next")), (url("limit=2&offset=0"), None));
            let [first, second] = [first, second].map(|page| each(&page.ok(), "url"));
            assert_eq!((first.len(), second.len()), (2, 1), "{path}");
            let mut all = [first, second].concat();
            all.sort_unstable();
            assert_eq!(all, [THIRD, OTHER, ARTICLE], "{path}");
            for (offset, before) in [(3, 1), (4, 2), (100, 98), (99_999, 99_997)] {
                let empty = get(&format!("limit=2&offset={offset}")).await;
                assert_eq!(empty.ok(), json!([]), "{path} {offset}");
                assert_eq!(empty.link("prev"), url(&format!("limit=2&offset={before}")));
                assert_eq!(empty.link("next"), None, "{path} {offset}");
            }
            for refused in ["limit=-1", "offset=-1"] {
                assert_eq!(get(refused).await.status, 400, "{path} {refused}");
            }
        }
    }

    async fn a_link_disappears_with_its_uses(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 15).await;
        let statuses = all_publish(&crowd, &format!("Read {ARTICLE}")).await;
        app.make_article(ARTICLE).await;
        app.count_trends().await;
        assert_eq!(trending(app).await, [ARTICLE]);
        let path = format!("/api/v1/statuses/{}", id(&statuses[3]));
        crowd[3].put(&path, &[("status", "No link any more")]).await.ok();
        assert_eq!(trending(app).await, Vec::<String>::new());
    }
}

both_engines! {
    // The kind of a page is its own `og:type`, which the job that fetches previews stores.
    fn fetched_articles_trend(database: &TestDatabase) {
        let site = Site::start(|request| match request.path.as_str() {
            "/article" => page("<title>News</title><meta property=og:type content=article>"),
            _ => page("<title>Shop</title><meta property=og:type content=website>"),
        });
        let address = site.address();
        let allow = |config: &mut Config| config.outbound_allow.push(address);
        run(database, allow, async |app: &TestApp| {
            app.trend_by_default().await;
            let crowd = app.crowd("crowd", 15).await;
            all_publish(&crowd, &site.url("/article")).await;
            all_publish(&crowd, &site.url("/shop")).await;
            app.app().drain_jobs().await.unwrap();
            app.count_trends().await;
            assert_eq!(trending(app).await, [site.url("/article")]);
        });
    }
}
