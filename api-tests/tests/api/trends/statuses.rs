//! `GET /api/v1/trends/statuses`.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_entities::AccountState;

use crate::support::{
    Client, GOOD, TestApp, User, id, ids,
    trends::{all_favourite, all_publish, each},
};

const PATH: &str = "/api/v1/trends/statuses";
const ADMIN: &str = "/api/v1/admin/trends/statuses";

async fn trending(viewer: &Client) -> Vec<String> {
    viewer.get(PATH).await.ids()
}

/// Publishes a status of a new account that all of the crowd favourite.
async fn popular(app: &TestApp, name: &str, crowd: &[User]) -> (User, Value) {
    let author = app.famous(name).await;
    let status = author.publish(&format!("By {name}")).await;
    all_favourite(crowd, &status).await;
    (author, status)
}

api_tests! {
    async fn approved_statuses_trend_one_of_each_author(app: &TestApp) {
        let crowd = app.crowd("crowd", 6).await;
        let alice = app.famous("alice").await;
        let mut written = Vec::new();
        for _ in 0..3 {
            let status = alice.publish("Hello").await;
            all_favourite(&crowd[..5], &status).await;
            written.push(status);
        }
        crowd[5].act("favourite", &written[1]).await;
        let (_, other) = popular(app, "bob", &crowd[..5]).await;
        app.count_trends().await;
        let anonymous = app.anonymous();
        assert_eq!(trending(&anonymous).await, Vec::<String>::new());

        let staff = app.moderator("mod").await;
        assert_eq!(staff.get(ADMIN).await.ids().len(), 4);
        for status in written.iter().chain([&other]) {
            let path = format!("{ADMIN}/{}/approve", id(status));
            assert_eq!(id(&staff.post(&path).await.ok()), id(status));
        }
        assert_eq!(trending(&anonymous).await, ids([&written[1], &other]));
        let page = anonymous.get(&format!("{PATH}?limit=1")).await;
        assert_eq!(page.ids(), ids([&written[1]]));
        assert!(page.link("next").unwrap().ends_with("limit=1&offset=1"));
        let next = anonymous.get(&page.link("next").unwrap()).await;
        assert_eq!((next.ids(), next.link("next")), (ids([&other]), None));

        staff.post(&format!("{ADMIN}/{}/reject", id(&written[1]))).await.ok();
        assert_eq!(trending(&anonymous).await.len(), 2);
        assert!(!trending(&anonymous).await.contains(&id(&written[1])));
    }

    async fn five_accounts_make_a_status_trend(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 5).await;
        let (alice, status) = popular(app, "alice", &crowd[..4]).await;
        // One account counts once, the author and silenced accounts do not.
        alice.act("favourite", &status).await;
        crowd[0].act("reblog", &status).await;
        crowd[4].act("reblog", &status).await;
        app.set_state(&crowd[4], AccountState { silenced: true, ..GOOD }).await;
        app.count_trends().await;
        assert_eq!(trending(&app.anonymous()).await, Vec::<String>::new());
        app.set_state(&crowd[4], GOOD).await;
        app.count_trends().await;
        assert_eq!(trending(&app.anonymous()).await, ids([&status]));
        app.advance(Duration::from_hours(7));
        app.count_trends().await;
        assert_eq!(trending(&app.anonymous()).await, Vec::<String>::new());
    }

    async fn only_harmless_statuses_of_discoverable_authors_trend(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 5).await;
        let (alice, good) = popular(app, "alice", &crowd).await;
        let shy = app.user("shy").await;
        let mut others = vec![shy.publish("Shy").await];
        for (name, parameters) in [
            ("warned", json!({ "status": "x", "spoiler_text": "Careful" })),
            ("sensitive", json!({ "status": "x", "sensitive": true })),
            ("unlisted", json!({ "status": "x", "visibility": "unlisted" })),
            ("replying", json!({ "status": "x", "in_reply_to_id": good["id"] })),
        ] {
            others.push(app.famous(name).await.publish_as(parameters).await);
        }
        for status in &others {
            all_favourite(&crowd, status).await;
        }
        app.count_trends().await;
        assert_eq!(trending(&app.anonymous()).await, ids([&good]));
        let hide = [("discoverable", "false")];
        alice.patch("/api/v1/accounts/update_credentials", &hide).await.ok();
        assert_eq!(trending(&app.anonymous()).await, Vec::<String>::new());
    }

    // Edits, deletions and decisions about the author take effect at the next request.
    async fn changes_take_effect_at_once(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 5).await;
        let (_, kept) = popular(app, "alice", &crowd).await;
        let (editor, edited) = popular(app, "bob", &crowd).await;
        let (deleter, deleted) = popular(app, "carol", &crowd).await;
        let (silent, _) = popular(app, "dave", &crowd).await;
        let (gone, _) = popular(app, "erin", &crowd).await;
        app.count_trends().await;
        assert_eq!(trending(&app.anonymous()).await.len(), 5);
        let path = format!("/api/v1/statuses/{}", id(&edited));
        editor.put(&path, &[("status", "x"), ("spoiler_text", "Careful")]).await.ok();
        deleter.delete(&format!("/api/v1/statuses/{}", id(&deleted))).await.ok();
        app.set_state(&silent, AccountState { silenced: true, ..GOOD }).await;
        app.set_state(&gone, AccountState { suspended: true, ..GOOD }).await;
        assert_eq!(trending(&app.anonymous()).await, ids([&kept]));
    }

    async fn blocks_and_mutes_hide_trending_statuses(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 5).await;
        let viewer = app.user("viewer").await;
        let (_, seen) = popular(app, "alice", &crowd).await;
        let (blocked, _) = popular(app, "bob", &crowd).await;
        let (blocking, _) = popular(app, "carol", &crowd).await;
        let (muted, _) = popular(app, "dave", &crowd).await;
        let (remote, _) = popular(app, "erin", &crowd).await;
        app.set_domain(&remote, "far.example").await;
        viewer.act_on("block", &blocked).await;
        blocking.act_on("block", &viewer).await;
        viewer.act_on("mute", &muted).await;
        viewer.form("/api/v1/domain_blocks", &[("domain", "far.example")]).await.ok();
        app.count_trends().await;
        assert_eq!(trending(&viewer).await, ids([&seen]));
        assert_eq!(trending(&app.anonymous()).await.len(), 5);
    }

    async fn filters_of_the_viewer_apply(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 5).await;
        popular(app, "alice", &crowd).await;
        app.count_trends().await;
        let filter = json!({
            "title": "No alice", "context": ["public"], "filter_action": "hide",
            "keywords_attributes": [{ "keyword": "alice" }],
        });
        crowd[0].json("/api/v2/filters", filter).await.ok();
        let filtered = &crowd[0].get(PATH).await.ok()[0]["filtered"];
        assert_eq!(filtered[0]["filter"]["title"], "No alice", "{filtered}");
        assert_eq!(crowd[1].get(PATH).await.ok()[0]["filtered"], json!([]));
    }

    async fn an_empty_page_leads_back(app: &TestApp) {
        app.trend_by_default().await;
        let crowd = app.crowd("crowd", 5).await;
        let (_, status) = popular(app, "alice", &crowd).await;
        app.count_trends().await;
        let get = async |query: &str| app.anonymous().get(&format!("{PATH}?{query}")).await;
        let url = |query: &str| Some(format!("{}{PATH}?{query}", app.base_url()));
        let first = get("limit=1").await;
        assert_eq!(first.ids(), ids([&status]));
        assert_eq!((first.link("prev"), first.link("next")), (None, None));
        for (query, before) in [
            ("limit=1&offset=1", "limit=1&offset=0"),
            ("limit=10&offset=100", "limit=10&offset=90"),
            ("offset=10", "offset=0"),
        ] {
            let empty = get(query).await;
            assert_eq!(empty.ok(), json!([]), "{query}");
            assert_eq!((empty.link("prev"), empty.link("next")), (url(before), None), "{query}");
        }
    }

    // As for the public timelines, everyone may read, but a token must have the scope.
    async fn a_token_needs_the_scope_of_the_public_timelines(app: &TestApp) {
        let alice = app.user("alice").await;
        for path in [
            "/api/v1/timelines/public", "/api/v1/trends", "/api/v1/trends/tags",
            "/api/v1/trends/links", PATH,
        ] {
            assert_eq!(app.anonymous().get(path).await.ok(), json!([]), "{path}");
            for scopes in ["read", "read:statuses"] {
                let reader = app.user_with_scopes(&alice, scopes).await;
                assert_eq!(reader.get(path).await.ok(), json!([]), "{path} {scopes}");
            }
            for scopes in ["push", "write", "read:accounts read:search", "profile"] {
                let other = app.user_with_scopes(&alice, scopes).await;
                let refused = json!({ "error": "This action is outside the authorized scopes" });
                assert_eq!(other.get(path).await.expect(403), refused, "{path} {scopes}");
            }
            app.with_token("garbage").get(path).await.expect(401);
        }
    }

    // Case 041.
    async fn an_approved_status_is_hidden_from_those_who_block_its_author(app: &TestApp) {
        let address = "https://news.example/birds";
        let crowd = app.crowd("crowd", 15).await;
        let carol = app.famous("carol").await;
        let change = [("indexable", "true")];
        carol.patch("/api/v1/accounts/update_credentials", &change).await.ok();
        let status = carol.publish(&format!("A siskin #birds {address}")).await;
        all_favourite(&crowd[..5], &status).await;
        all_publish(&crowd, &format!("#birds {address}")).await;
        app.make_article(address).await;
        app.count_trends().await;
        let anonymous = app.anonymous();
        assert_eq!(trending(&anonymous).await, Vec::<String>::new());
        let staff = app.moderator("mod").await;
        let link = staff.get("/api/v1/admin/trends/links").await.ok()[0].clone();
        for (kind, entry) in [("statuses", &status), ("links", &link)] {
            let path = format!("/api/v1/admin/trends/{kind}/{}/approve", id(entry));
            staff.post(&path).await.ok();
        }

        let (alice, dave) = (app.user("alice").await, app.user("dave").await);
        alice.act_on("block", &carol).await;
        for path in [
            "/api/v1/timelines/public?limit=40".to_owned(),
            "/api/v1/timelines/tag/birds?limit=40".to_owned(),
            format!("/api/v1/timelines/link?limit=40&url={address}"),
            PATH.to_owned(),
        ] {
            for (viewer, sees) in
                [(&anonymous, true), (&dave.client, true), (&alice.client, false)]
            {
                let shown = viewer.get(&path).await.ids().contains(&id(&status));
                assert_eq!(shown, sees, "{path}");
            }
        }
        for (viewer, expected) in [(&dave, json!([status["id"]])), (&alice, json!([]))] {
            let found = viewer.get("/api/v2/search?q=siskin&type=statuses").await.ok();
            let found: Vec<String> = found["statuses"].as_array().unwrap().iter().map(id).collect();
            assert_eq!(json!(found), expected, "{}", viewer.username);
        }
    }

    async fn hashtags_of_a_blocked_author_are_hidden_in_all_lists(app: &TestApp) {
        app.trend_by_default().await;
        let address = "https://news.example/birds";
        let crowd = app.crowd("crowd", 15).await;
        let carol = app.famous("carol").await;
        let status = carol.publish(&format!("#birds {address}")).await;
        all_favourite(&crowd, &status).await;
        all_publish(&crowd, &format!("#birds {address}")).await;
        app.make_article(address).await;
        app.count_trends().await;
        let alice = app.user("alice").await;
        alice.act_on("block", &carol).await;
        let anonymous = app.anonymous();
        for path in [
            "/api/v1/timelines/public?limit=40".to_owned(),
            "/api/v1/timelines/tag/birds?limit=40".to_owned(),
            format!("/api/v1/timelines/link?limit=40&url={address}"),
            PATH.to_owned(),
        ] {
            let shown = anonymous.get(&path).await.ids();
            assert!(shown.contains(&id(&status)), "{path}");
            let shown = alice.get(&path).await.ids();
            assert!(!shown.contains(&id(&status)), "{path}");
        }
        assert_eq!(each(&alice.get("/api/v1/trends/tags").await.ok(), "name"), ["birds"]);
    }
}
