//! `GET /api/v1/trends/tags` and its former name `/api/v1/trends`.

use std::time::Duration;

use serde_json::json;
use siskin_entities::AccountState;

use crate::support::{
    GOOD, TestApp, id,
    trends::{all_publish, each},
};

const PATH: &str = "/api/v1/trends/tags";
const ADMIN: &str = "/api/v1/admin/trends/tags";

async fn trending(app: &TestApp) -> Vec<String> {
    each(&app.anonymous().get(PATH).await.ok(), "name")
}

async fn with_score(app: &TestApp) -> Vec<String> {
    app.count_trends().await;
    each(&app.moderator("mod").await.get(ADMIN).await.ok(), "name")
}

api_tests! {
    // Unreviewed entries never leak into the public list.
    async fn only_approved_hashtags_trend(app: &TestApp) {
        let crowd = app.crowd("crowd", 5).await;
        all_publish(&crowd, "A #siskin").await;
        app.count_trends().await;
        assert_eq!(trending(app).await, Vec::<String>::new());

        let staff = app.moderator("mod").await;
        let listed = staff.get(ADMIN).await.ok();
        assert_eq!(each(&listed, "name"), ["siskin"]);
        assert_eq!(listed[0]["requires_review"], true);
        assert_eq!(listed[0]["trendable"], false);
        assert_eq!(listed[0]["usable"], true);
        let path = format!("{ADMIN}/{}", id(&listed[0]));

        let approved = staff.post(&format!("{path}/approve")).await.ok();
        assert_eq!((&approved["trendable"], &approved["requires_review"]), (&json!(true), &json!(false)));
        assert_eq!(trending(app).await, ["siskin"]);
        let shown = crowd[0].get("/api/v1/trends").await.ok();
        assert_eq!(shown[0]["history"][0]["accounts"], "5");
        assert_eq!(shown[0]["following"], false);

        staff.post(&format!("{path}/reject")).await.ok();
        assert_eq!(trending(app).await, Vec::<String>::new());
        app.count_trends().await;
        app.trend_by_default().await;
        assert_eq!(trending(app).await, Vec::<String>::new());
    }

    async fn pages_are_selected_by_offset(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 5).await;
        let text: String = (0..15).map(|number| format!("#bird{number}x ")).collect();
        all_publish(&crowd, &text).await;
        app.count_trends().await;
        let get = async |query: &str| app.anonymous().get(&format!("{PATH}?{query}")).await;
        let url = |query: &str| Some(format!("{}{PATH}?{query}", app.base_url()));

        let first = get("limit=10").await;
        assert_eq!(first.ok().as_array().unwrap().len(), 10);
        assert_eq!(first.link("next"), url("limit=10&offset=10"));
        assert_eq!(first.link("prev"), None);
        let second = get("limit=10&offset=10").await;
        assert_eq!(second.ok().as_array().unwrap().len(), 5);
        assert_eq!(second.link("next"), None);
        assert_eq!(second.link("prev"), url("limit=10&offset=0"));
        let [first, second] = [first, second].map(|page| each(&page.json(), "name"));
        assert!(first.iter().all(|name| !second.contains(name)), "{first:?} {second:?}");

        let empty = get("limit=10&offset=100").await;
        assert_eq!(empty.ok(), json!([]));
        assert_eq!(empty.link("prev"), url("limit=10&offset=90"));
        assert_eq!(empty.link("next"), None);
        assert_eq!(get("").await.ok().as_array().unwrap().len(), 10);
        assert_eq!(get("limit=100").await.ok().as_array().unwrap().len(), 15);
        for refused in ["limit=-1", "offset=-1", "limit=10&offset=-99999999999999999999"] {
            assert_eq!(get(refused).await.status, 400, "{refused}");
        }
        for empty in ["limit=abc", "limit=0", "offset=10001", "offset=99999999999999999999"] {
            assert_eq!(get(empty).await.ok(), json!([]), "{empty}");
        }
        assert_eq!(get("offset=abc").await.ok().as_array().unwrap().len(), 10);
    }

    async fn a_page_is_never_longer_than_the_maximum(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 5).await;
        let text: String = (10..35).map(|number| format!("#bird{number} ")).collect();
        all_publish(&crowd, &text).await;
        app.count_trends().await;
        let (anonymous, staff) = (app.anonymous(), app.moderator("mod").await);
        for (client, path) in [(&anonymous, PATH), (&staff, ADMIN)] {
            let length = async |path: &str| client.get(path).await.ok().as_array().unwrap().len();
            assert_eq!(length(path).await, 10, "{path}");
            for limit in [20, 21, 100] {
                assert_eq!(length(&format!("{path}?limit={limit}")).await, 20, "{path} {limit}");
            }
            let page = client.get(&format!("{path}?limit=100")).await;
            let rest = client.get(&page.link("next").unwrap()).await;
            assert_eq!(each(&rest.ok(), "name").len(), 5, "{path}");
            assert_eq!(rest.link("next"), None, "{path}");
        }
    }

    async fn five_accounts_make_a_hashtag_trend(app: &TestApp) {
        let crowd = app.crowd("crowd", 5).await;
        for _ in 0..3 {
            all_publish(&crowd[..4], "Again #siskin").await;
        }
        app.count_trends().await;
        let staff = app.moderator("mod").await;
        assert_eq!(staff.get(ADMIN).await.ok(), json!([]));
        all_publish(&crowd[4..], "Me too #SISKIN").await;
        app.count_trends().await;
        assert_eq!(each(&staff.get(ADMIN).await.ok(), "name"), ["siskin"]);
    }

    // Only public statuses of active accounts that are not silenced count.
    async fn hidden_uses_do_not_count(app: &TestApp) {
        let crowd = app.crowd("crowd", 9).await;
        all_publish(&crowd[..4], "#siskin").await;
        for (user, visibility) in crowd[4..7].iter().zip(["unlisted", "private", "direct"]) {
            user.publish_as(json!({ "status": "#siskin", "visibility": visibility })).await;
        }
        all_publish(&crowd[7..], "#siskin").await;
        app.set_state(&crowd[7], AccountState { silenced: true, ..GOOD }).await;
        app.set_state(&crowd[8], AccountState { suspended: true, ..GOOD }).await;
        assert_eq!(with_score(app).await, Vec::<String>::new());
    }

    async fn a_hashtag_disappears_with_its_uses(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 5).await;
        let statuses = all_publish(&crowd, "#siskin").await;
        all_publish(&crowd, "#finch").await;
        app.count_trends().await;
        assert_eq!(trending(app).await.len(), 2);
        crowd[0].delete(&format!("/api/v1/statuses/{}", id(&statuses[0]))).await.ok();
        assert_eq!(trending(app).await, ["finch"]);
        app.set_state(&crowd[1], AccountState { silenced: true, ..GOOD }).await;
        assert_eq!(trending(app).await, Vec::<String>::new());
        assert_eq!(with_score(app).await, Vec::<String>::new());
    }

    async fn scores_decay(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 6).await;
        all_publish(&crowd[..5], "#old").await;
        app.count_trends().await;
        app.advance(Duration::from_hours(8));
        all_publish(&crowd, "#young").await;
        app.count_trends().await;
        assert_eq!(trending(app).await, ["young", "old"]);
        app.advance(Duration::from_hours(9));
        app.count_trends().await;
        assert_eq!(trending(app).await, ["young"]);
        app.advance(Duration::from_hours(20));
        app.count_trends().await;
        assert_eq!(trending(app).await, Vec::<String>::new());
    }

    async fn the_operator_can_turn_trends_off(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 5).await;
        all_publish(&crowd, "#siskin").await;
        app.count_trends().await;
        app.app().change_setting("trends.enabled".to_owned(), "false".to_owned()).await.unwrap();
        for path in [PATH, "/api/v1/trends", "/api/v1/trends/links", "/api/v1/trends/statuses"] {
            assert_eq!(crowd[0].get(path).await.ok(), json!([]), "{path}");
        }
    }
}
