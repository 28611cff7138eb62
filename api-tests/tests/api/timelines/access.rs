//! Public timelines that the operator has restricted.

use serde_json::json;

use crate::support::{Client, TestApp, id};

const PUBLIC: &str = "/api/v1/timelines/public";
const TAG: &str = "/api/v1/timelines/tag/birds";

async fn set(app: &TestApp, key: &str, value: &str) {
    app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
}

/// Returns the public timeline of all servers, of this server and of others. `None` if it is
/// refused.
async fn shown(viewer: &Client, path: &str) -> [Option<Vec<String>>; 3] {
    let ask = async |query: &str| {
        let response = viewer.get(&format!("{path}{query}")).await;
        if response.status == 401 {
            let text = json!({ "error": "This method requires an authenticated user" });
            assert_eq!(response.json(), text);
            return None;
        }
        Some(response.ids())
    };
    [ask("").await, ask("?local=true").await, ask("?remote=true").await]
}

api_tests! {
    async fn timeline_access_follows_the_settings(app: &TestApp) {
        let (alice, zoe) = (app.user("alice").await, app.user_of("zoe", "far.example").await);
        let (near, far) = (id(&alice.publish("#birds").await), id(&zoe.publish("#birds").await));
        let both = || Some(vec![far.clone(), near.clone()]);
        let (local, remote) = (|| Some(vec![near.clone()]), || Some(vec![far.clone()]));
        let (anonymous, nothing) = (app.anonymous(), || Some(vec![]));
        for (path, of_local, of_remote) in [
            (PUBLIC, "feeds.local", "feeds.remote"),
            (TAG, "feeds.hashtag_local", "feeds.hashtag_remote"),
        ] {
            assert_eq!(shown(&anonymous, path).await, [both(), local(), remote()], "{path}");
            set(app, of_remote, "authenticated").await;
            assert_eq!(shown(&anonymous, path).await, [None, local(), None], "{path}");
            assert_eq!(shown(&alice, path).await, [both(), local(), remote()], "{path}");
            set(app, of_remote, "disabled").await;
            for viewer in [&anonymous, &alice.client] {
                assert_eq!(shown(viewer, path).await, [local(), local(), nothing()], "{path}");
            }
            set(app, of_local, "authenticated").await;
            assert_eq!(shown(&anonymous, path).await, [None, None, nothing()], "{path}");
            assert_eq!(shown(&alice, path).await, [local(), local(), nothing()], "{path}");
        }
        set(app, "feeds.local", "disabled").await;
        assert_eq!(shown(&alice, PUBLIC).await, [nothing(), nothing(), nothing()]);
        let instance = anonymous.get("/api/v2/instance").await.ok();
        assert_eq!(
            instance["configuration"]["timelines_access"],
            json!({
                "live_feeds": { "local": "disabled", "remote": "disabled" },
                "hashtag_feeds": { "local": "authenticated", "remote": "disabled" },
                "trending_link_feeds": { "local": "authenticated", "remote": "disabled" },
            })
        );
        let page = anonymous.get("/tags/birds").await;
        assert_eq!(page.status, 401, "{page:?}");
        let wrong = app.app().change_setting("feeds.hashtag_local".into(), "disabled".into()).await;
        assert!(wrong.is_err());
    }

    // The permission `view_live_and_topic_feeds` (0x100000) opens what is disabled for others.
    async fn a_permission_opens_disabled_timelines(app: &TestApp) {
        let (owner, zoe) = (app.staff("boss", "Owner").await, app.user_of("zoe", "far.example").await);
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let near = id(&alice.publish("#birds").await);
        let far = id(&zoe.publish("#birds").await);
        let role = json!({ "name": "Reader", "permissions": "1048576", "priority": 5 });
        let role = owner.json("/api/v1/admin/roles", role).await.ok();
        let path = format!("/api/v1/admin/accounts/{}/role", bob.id);
        owner.put_json(&path, json!({ "role_id": role["id"] })).await.ok();
        for (key, value) in [
            ("feeds.local", "disabled"),
            ("feeds.remote", "disabled"),
            ("feeds.hashtag_remote", "disabled"),
        ] {
            set(app, key, value).await;
        }
        let (both, nothing) = (|| Some(vec![far.clone(), near.clone()]), || Some(vec![]));
        let (local, remote) = (|| Some(vec![near.clone()]), || Some(vec![far.clone()]));
        for reader in [&bob.client, &owner.client] {
            for path in [PUBLIC, TAG] {
                assert_eq!(shown(reader, path).await, [both(), local(), remote()], "{path}");
            }
        }
        assert_eq!(shown(&alice, PUBLIC).await, [nothing(), nothing(), nothing()]);
        assert_eq!(shown(&alice, TAG).await, [local(), local(), nothing()]);
        assert_eq!(shown(&app.anonymous(), PUBLIC).await, [nothing(), nothing(), nothing()]);
        owner.put(&path, &[("role_id", "")]).await.ok();
        assert_eq!(shown(&bob, PUBLIC).await, [nothing(), nothing(), nothing()]);
    }
}
