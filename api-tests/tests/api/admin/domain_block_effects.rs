//! What domain blocks do to the accounts of the domain, and that their end restores it.

use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::Protocol;
use siskin_services::accounts::{self, RemoteAccount};

use crate::support::{Client, TestApp, User, id};

const BLOCKS: &str = "/api/v1/admin/domain_blocks";
const FAR: &str = "far.example";

/// Blocks a domain, lets the jobs run, and returns the path of the block.
async fn block(app: &TestApp, staff: &Client, domain: &str, severity: &str) -> String {
    let form = [("domain", domain), ("severity", severity)];
    let blocked = staff.form(BLOCKS, &form).await.ok();
    app.app().drain_jobs().await.unwrap();
    format!("{BLOCKS}/{}", id(&blocked))
}

async fn unblock(app: &TestApp, staff: &Client, path: &str) {
    staff.delete(path).await.ok();
    app.app().drain_jobs().await.unwrap();
}

async fn change(app: &TestApp, staff: &Client, path: &str, severity: &str) {
    let request = staff.request(Method::PUT, path).json(&json!({ "severity": severity }));
    staff.send(request).await.ok();
    app.app().drain_jobs().await.unwrap();
}

/// Returns whether an account is suspended, and whether it is silenced.
async fn state(app: &TestApp, account: &str) -> (bool, bool) {
    let shown = app.anonymous().get(&format!("/api/v1/accounts/{account}")).await.ok();
    (shown["suspended"] == true, shown["limited"] == true)
}

/// Creates Zoe, an account of another server. Alice and Zoe follow each other. Returns Zoe and her
/// public statuses.
async fn acquainted(app: &TestApp, alice: &User) -> (User, Vec<Value>) {
    let zoe = app.user("zoe").await;
    let shown = [("discoverable", "true")];
    zoe.patch("/api/v1/accounts/update_credentials", &shown).await.ok();
    alice.act_on("follow", &zoe).await;
    zoe.act_on("follow", alice).await;
    app.set_domain(&zoe, FAR).await;
    let first = zoe.publish("@alice hello #birds").await;
    let second = zoe.publish("More #birds").await;
    zoe.act("favourite", &alice.publish("Mine").await).await;
    (zoe, vec![first, second])
}

/// Returns paths that show Zoe or her statuses.
fn places(alice: &User, zoe: &User, statuses: &[Value]) -> Vec<String> {
    vec![
        format!("/api/v1/accounts/{}", zoe.id),
        format!("/api/v1/accounts/{}/statuses", zoe.id),
        format!("/api/v1/accounts/{}/followers", alice.id),
        format!("/api/v1/accounts/{}/following", alice.id),
        format!("/api/v1/accounts/relationships?id[]={}", zoe.id),
        format!("/api/v1/statuses/{}", id(&statuses[0])),
        format!("/api/v1/statuses/{}/context", id(&statuses[1])),
        "/api/v1/timelines/home".to_owned(),
        "/api/v1/timelines/public".to_owned(),
        "/api/v1/timelines/public?remote=true".to_owned(),
        "/api/v1/timelines/tag/birds".to_owned(),
        "/api/v1/notifications".to_owned(),
        "/api/v1/directory?order=new".to_owned(),
        "/api/v2/search?q=zoe".to_owned(),
        "/api/v1/accounts/lookup?acct=zoe@far.example".to_owned(),
    ]
}

/// Returns the response of each path, as two viewers see it.
async fn crawl(viewers: [&Client; 2], paths: &[String]) -> Vec<(String, u16, String)> {
    let mut seen = Vec::new();
    for path in paths {
        for viewer in viewers {
            let response = viewer.get(path).await;
            seen.push((path.clone(), response.status, response.text()));
        }
    }
    seen
}

api_tests! {
    async fn a_suspended_domain_is_hidden_and_comes_back_unchanged(app: &TestApp) {
        let (admin, alice) = (app.staff("ada", "Admin").await, app.user("alice").await);
        let (zoe, statuses) = acquainted(app, &alice).await;
        let (anonymous, paths) = (app.anonymous(), places(&alice, &zoe, &statuses));
        let viewers = [&alice.client, &anonymous];
        let before = crawl(viewers, &paths).await;
        let path = block(app, &admin, FAR, "suspend").await;
        assert_eq!(state(app, &zoe.id).await, (true, false));
        for status in &statuses {
            for viewer in viewers {
                viewer.get(&format!("/api/v1/statuses/{}", id(status))).await.expect(404);
            }
        }
        for path in &paths[7..14] {
            for viewer in viewers {
                let shown = viewer.get(path).await.text();
                assert!(!shown.contains(&zoe.id), "{path}: {shown}");
            }
        }
        unblock(app, &admin, &path).await;
        let after = crawl(viewers, &paths).await;
        for (one, other) in before.iter().zip(&after) {
            assert_eq!(one, other);
        }
        assert_eq!(alice.relationship(&zoe).await["following"], true);
    }

    async fn a_silenced_domain_leaves_public_places_only(app: &TestApp) {
        let (admin, alice) = (app.staff("ada", "Admin").await, app.user("alice").await);
        let (zoe, statuses) = acquainted(app, &alice).await;
        let (anonymous, paths) = (app.anonymous(), places(&alice, &zoe, &statuses));
        let viewers = [&alice.client, &anonymous];
        let before = crawl(viewers, &paths).await;
        let path = block(app, &admin, FAR, "silence").await;
        assert_eq!(state(app, &zoe.id).await, (false, true));
        for path in ["/api/v1/timelines/public", "/api/v1/directory?order=new"] {
            assert!(!anonymous.get(path).await.text().contains(&zoe.id), "{path}");
        }
        assert!(alice.get("/api/v1/timelines/home").await.text().contains(&zoe.id));
        unblock(app, &admin, &path).await;
        assert_eq!(crawl(viewers, &paths).await, before);
    }

    async fn a_block_without_severity_hides_nothing(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let zoe = app.remote("zoe", FAR).await;
        let path = block(app, &admin, FAR, "noop").await;
        assert_eq!(state(app, &zoe).await, (false, false));
        for (severity, expected) in
            [("suspend", (true, false)), ("silence", (false, true)), ("noop", (false, false))]
        {
            change(app, &admin, &path, severity).await;
            assert_eq!(state(app, &zoe).await, expected, "{severity}");
        }
    }

    async fn the_longest_block_rules_an_account(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let (top, sub) = (app.remote("top", FAR).await, app.remote("sub", "sub.far.example").await);
        let deep = app.remote("deep", "a.sub.far.example").await;
        let other = app.remote("other", "notfar.example").await;
        let states = async || {
            (
                state(app, &top).await,
                state(app, &sub).await,
                state(app, &deep).await,
                state(app, &other).await,
            )
        };
        let (none, silenced, suspended) = ((false, false), (false, true), (true, false));
        let exception = block(app, &admin, "sub.far.example", "silence").await;
        assert_eq!(states().await, (none, silenced, silenced, none));
        let parent = block(app, &admin, FAR, "suspend").await;
        assert_eq!(states().await, (suspended, silenced, silenced, none));
        let deepest = block(app, &admin, "a.sub.far.example", "suspend").await;
        assert_eq!(states().await, (suspended, silenced, suspended, none));
        unblock(app, &admin, &exception).await;
        assert_eq!(states().await, (suspended, suspended, suspended, none));
        unblock(app, &admin, &parent).await;
        assert_eq!(states().await, (none, none, suspended, none));
        unblock(app, &admin, &deepest).await;
        assert_eq!(states().await, (none, none, none, none));
    }

    async fn the_end_of_a_block_restores_what_staff_decided_before(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let (zoe, yan, xia) =
            (app.user_of("zoe", FAR).await, app.user_of("yan", FAR).await, app.user_of("xia", FAR).await);
        admin.impose("silence", &zoe).await;
        admin.impose("suspend", &yan).await;
        for severity in ["suspend", "silence"] {
            let path = block(app, &admin, FAR, severity).await;
            unblock(app, &admin, &path).await;
            assert_eq!(state(app, &zoe.id).await, (false, true), "{severity}");
            assert_eq!(state(app, &yan.id).await, (true, false), "{severity}");
            assert_eq!(state(app, &xia.id).await, (false, false), "{severity}");
        }
    }

    async fn staff_decide_about_an_account_during_a_block(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let (zoe, yan) = (app.user_of("zoe", FAR).await, app.user_of("yan", FAR).await);
        let path = block(app, &admin, FAR, "suspend").await;
        // The block suspends the account, not a decision about the account.
        admin.lift("unsuspend", &zoe).await.expect(403);
        assert_eq!(state(app, &zoe.id).await, (true, false));
        admin.impose("suspend", &zoe).await;
        admin.impose("silence", &yan).await;
        admin.impose("suspend", &yan).await;
        admin.lift("unsuspend", &yan).await.ok();
        assert_eq!(state(app, &yan.id).await, (true, true));
        unblock(app, &admin, &path).await;
        assert_eq!(state(app, &zoe.id).await, (true, false));
        assert_eq!(state(app, &yan.id).await, (false, true));
        admin.lift("unsuspend", &zoe).await.ok();
        assert_eq!(state(app, &zoe.id).await, (false, false));
    }

    async fn a_block_deletes_nothing_after_thirty_days(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let zoe = app.user_of("zoe", FAR).await;
        let path = block(app, &admin, FAR, "suspend").await;
        app.advance(std::time::Duration::from_hours(24));
        admin.impose("suspend", &zoe).await;
        admin.lift("unsuspend", &zoe).await.ok();
        app.advance(std::time::Duration::from_hours(31 * 24));
        app.app().drain_jobs().await.unwrap();
        unblock(app, &admin, &path).await;
        assert_eq!(state(app, &zoe.id).await, (false, false));
    }

    async fn accounts_that_become_known_later_are_limited_too(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let path = block(app, &admin, FAR, "suspend").await;
        let instance = app.app().instance().clone();
        let remote = RemoteAccount {
            id: None,
            username: "zoe".to_owned(),
            domain: "social.far.example".to_owned(),
            protocol: Protocol::ActivityPub,
        };
        let create = move |tx: &mut siskin_persistence::Tx<'_>| {
            Ok(accounts::create_remote(tx, &instance, &remote)?.id)
        };
        let zoe = app.app().write(create).await.unwrap().to_string();
        assert_eq!(state(app, &zoe).await, (true, false));
        unblock(app, &admin, &path).await;
        assert_eq!(state(app, &zoe).await, (false, false));
    }

    async fn many_accounts_are_limited_in_steps(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let create = |tx: &mut siskin_persistence::Tx<'_>| {
            let names = (0..450).map(|number| format!("far{number}"));
            let create = |name: String| siskin_test_support::standing::remote_account(tx, &name, FAR);
            let ids = names.map(create).collect::<Result<Vec<_>, _>>()?;
            Ok(ids)
        };
        let ids = app.app().write(create).await.unwrap();
        let path = block(app, &admin, FAR, "suspend").await;
        for account in [&ids[0], &ids[199], &ids[200], &ids[449]] {
            assert_eq!(state(app, &account.to_string()).await, (true, false), "{account}");
        }
        unblock(app, &admin, &path).await;
        for account in [&ids[0], &ids[199], &ids[200], &ids[449]] {
            assert_eq!(state(app, &account.to_string()).await, (false, false), "{account}");
        }
    }
}
