//! A suspension ends everything that the account holds, and hides all that it did. The end of the
//! suspension restores it (`docs/decisions/0042-moderation.md`).

use serde_json::{Value, json};
use siskin_test_support::both_engines;

use crate::{
    attachments::{V2, form},
    scheduled_statuses::{an_hour_later, published, schedule, waiting},
    support::{
        TestApp, User, id,
        pictures::png,
        push::{PushClient, with_push},
        trends::all_favourite,
    },
};

/// What a viewer finds of the account, by place.
pub(super) async fn found(
    app: &TestApp,
    viewer: &User,
    bob: &User,
    boost: &Value,
) -> Vec<(String, bool)> {
    let list = viewer.get("/api/v1/lists").await.ok()[0]["id"].clone();
    let shows = async |path: &str, id: &str| {
        let response = viewer.get(path).await;
        assert!(matches!(response.status, 200 | 404), "{path}: {response:?}");
        response.status == 200 && response.json().to_string().contains(&format!("\"{id}\""))
    };
    let mut places = Vec::new();
    for (path, id) in [
        ("/api/v1/timelines/home".to_owned(), id(boost)),
        (format!("/api/v1/timelines/list/{}", list.as_str().unwrap()), id(boost)),
        ("/api/v1/timelines/public".to_owned(), bob.id.clone()),
        ("/api/v1/timelines/tag/birds".to_owned(), bob.id.clone()),
        ("/api/v1/trends/statuses".to_owned(), bob.id.clone()),
        (format!("/api/v1/statuses/{}", id(boost)), id(boost)),
        (format!("/api/v1/accounts/{}/statuses", bob.id), id(boost)),
        (format!("/api/v1/statuses/{}/reblogged_by", id(&boost["reblog"])), bob.id.clone()),
        (format!("/api/v1/statuses/{}/favourited_by", id(&boost["reblog"])), bob.id.clone()),
        (format!("/api/v1/lists/{}/accounts", list.as_str().unwrap()), bob.id.clone()),
    ] {
        places.push((path.clone(), shows(&path, &id).await));
    }
    for kind in ["accounts", "statuses"] {
        let text = if kind == "accounts" { "bob" } else { "finches" };
        let result = viewer.get(&format!("/api/v2/search?q={text}&type={kind}")).await.ok();
        places.push((format!("search of {kind}"), result[kind] != json!([])));
    }
    let own = app.anonymous().get(&format!("/@{}", bob.username)).await;
    places.push(("page".to_owned(), own.text().contains("finches")));
    places
}

fn all(places: &[(String, bool)], expected: bool) {
    let wrong: Vec<&String> =
        places.iter().filter(|(_, is)| *is != expected).map(|(place, _)| place).collect();
    assert!(wrong.is_empty(), "expected {expected}: {wrong:?}");
}

both_engines! {
    fn a_suspension_ends_all_access_and_hides_all_content(database: &TestDatabase) {
        with_push(database, async |app, service| {
            app.trend_by_default().await;
            let mo = app.staff("mo", "Moderator").await;
            let (ann, viewer) = (app.user("ann").await, app.user("viewer").await);
            let bob = app.famous("bob").await;
            bob.patch("/api/v1/accounts/update_credentials", &[("indexable", "true")]).await.ok();
            viewer.act_on("follow", &bob).await;
            let list = viewer.list("People").await;
            viewer.enlist(&list, &[&bob]).await;
            // Bob holds two tokens, two streams, an upload, a scheduled status, and push messages.
            let second = app.user_with_scopes(&bob, "read write follow push").await;
            let mut socket = app.listen(&bob, "stream=user").await;
            let mut events = second.events("user").await;
            let upload = bob.upload_media(png(20, 20), "").await;
            schedule(app, &bob, json!({ "status": "Later" })).await;
            let client = PushClient::new(1);
            client.subscribe(&bob, &service.endpoint("/bob")).await;
            let shared = ann.publish("Shared by bob").await;
            let boost = bob.act("reblog", &shared).await;
            bob.act("favourite", &shared).await;
            let popular = bob.publish("All finches #birds").await;
            let crowd = app.crowd("crowd", 5).await;
            all_favourite(&crowd, &popular).await;
            app.count_trends().await;
            all(&found(app, &viewer, &bob, &boost).await, true);

            let sent = service.received().len();
            mo.impose("suspend", &bob).await;

            let close = socket.closed().await.unwrap();
            assert_eq!(u16::from(close.code), 1008, "{close:?}");
            events.ended().await;
            for token in [&bob.client, &second] {
                token.get("/api/v1/accounts/verify_credentials").await.expect(403);
                assert_eq!(token.events_refused("user").await, 403);
                token.multipart(V2, form(png(9, 9))).await.expect(403);
                let media = json!({ "status": "x", "media_ids": [upload["id"]] });
                token.json("/api/v1/statuses", media).await.expect(403);
            }
            bob.put_media(&upload, reqwest::multipart::Form::new()).await.expect(403);
            ann.publish("Hello @bob").await;
            an_hour_later(app).await;
            assert_eq!(service.received().len(), sent);
            all(&found(app, &viewer, &bob, &boost).await, false);
            // What others wrote stays.
            viewer.get(&format!("/api/v1/statuses/{}", id(&shared))).await.ok();

            mo.lift("unsuspend", &bob).await.ok();
            app.count_trends().await;
            app.settle().await;
            all(&found(app, &viewer, &bob, &boost).await, true);
            assert_eq!(viewer.relationship(&bob).await["following"], true);
            second.get("/api/v1/accounts/verify_credentials").await.ok();
            // The scheduled status waits for a new time.
            assert_eq!(published(&bob).await.len(), 2);
            assert_eq!(waiting(&bob).await.len(), 1);
            let media = json!({ "status": "Back", "media_ids": [upload["id"]] });
            bob.publish_as(media).await;
        });
    }
}
