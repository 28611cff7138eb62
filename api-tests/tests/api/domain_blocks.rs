//! `/api/v1/domain_blocks`: domains that one account blocks.

use reqwest::Method;
use serde_json::{Value, json};
use siskin_services::relationships;

use crate::support::{TestApp, User, id};

const PATH: &str = "/api/v1/domain_blocks";
const FAR: &str = "far.example";

async fn block(user: &User, domain: &str) {
    assert_eq!(user.form(PATH, &[("domain", domain)]).await.ok(), json!({}));
}

async fn unblock(user: &User, domain: &str) {
    let request = user.request(Method::DELETE, PATH).json(&json!({ "domain": domain }));
    assert_eq!(user.send(request).await.ok(), json!({}));
}

/// Creates Alice and Zoe, an account of another server. They follow each other. Returns both and a
/// status of Zoe.
async fn acquainted(app: &TestApp) -> (User, User, Value) {
    let (alice, zoe) = (app.user("alice").await, app.user("zoe").await);
    alice.act_on("follow", &zoe).await;
    zoe.act_on("follow", &alice).await;
    alice.act_on("endorse", &zoe).await;
    app.set_domain(&zoe, FAR).await;
    let status = zoe.publish("@alice hello #birds").await;
    (alice, zoe, status)
}

api_tests! {
    async fn the_number_of_domain_blocks_is_limited(app: &TestApp) {
        let alice = app.user("alice").await;
        let (account, instance) = (alice.id.parse().unwrap(), app.app().instance().clone());
        app.app()
            .write(move |tx| {
                (1..1000).try_for_each(|number| {
                    let domain = format!("n{number}.example");
                    relationships::block_domain(tx, &instance.urls, account, &domain)
                })
            })
            .await
            .unwrap();
        block(&alice, "last.example").await;
        let refused = alice.form(PATH, &[("domain", "more.example")]).await.expect(422);
        assert_eq!(
            refused["error"], "Validation failed: At most 1000 domains can be blocked"
        );
        block(&alice, "last.example").await;
        unblock(&alice, "n7.example").await;
        block(&alice, "more.example").await;
    }

    async fn a_domain_block_ends_follows_with_that_server(app: &TestApp) {
        let (alice, zoe, _) = acquainted(app).await;
        let (bob, waiting) = (app.user("bob").await, app.user_of("yan", FAR).await);
        alice.lock().await;
        waiting.act_on("follow", &alice).await;
        bob.act_on("follow", &alice).await;
        block(&alice, FAR).await;
        let relationship = alice.relationship(&zoe).await;
        assert_eq!((&relationship["domain_blocking"], &relationship["blocking"]), (&json!(true), &json!(false)));
        for tie in ["following", "followed_by", "endorsed"] {
            assert_eq!(relationship[tie], false, "{tie}");
        }
        assert_eq!(zoe.relationship(&alice).await["following"], false);
        assert_eq!((alice.counts().await, zoe.counts().await), ((0, 0), (0, 0)));
        assert_eq!(alice.get("/api/v1/follow_requests").await.ids(), [bob.id.as_str()]);
        assert_eq!(alice.notification_types().await, ["follow_request"]);
        unblock(&alice, FAR).await;
        let relationship = alice.relationship(&zoe).await;
        assert_eq!((&relationship["domain_blocking"], &relationship["following"]), (&json!(false), &json!(false)));
    }

    async fn jobs_remove_many_relationships(app: &TestApp) {
        let alice = app.user("alice").await;
        for number in 0..52 {
            let far = app.user_of(&format!("far{number}"), FAR).await;
            app.follow(&far, &alice).await;
        }
        block(&alice, FAR).await;
        app.app().drain_jobs().await.unwrap();
        assert_eq!(alice.counts().await, (0, 0));
    }

    async fn content_of_a_blocked_server_is_hidden(app: &TestApp) {
        let (alice, zoe, status) = acquainted(app).await;
        let bob = app.user("bob").await;
        bob.act("reblog", &status).await;
        zoe.act("favourite", &bob.publish("mine").await).await;
        alice.act_on("follow", &bob).await;
        let bobs = id(&bob.publish("root #birds").await);
        let root = json!({ "id": bobs });
        zoe.reply(&root, "an answer").await;
        zoe.act("favourite", &root).await;
        zoe.act("reblog", &root).await;
        app.follow(&zoe, &bob).await;
        let places = [
            "/api/v1/timelines/home".to_owned(),
            "/api/v1/timelines/public".to_owned(),
            "/api/v1/timelines/public?remote=true".to_owned(),
            "/api/v1/timelines/tag/birds".to_owned(),
            "/api/v1/notifications".to_owned(),
            format!("/api/v1/statuses/{bobs}/context"),
            format!("/api/v1/statuses/{bobs}/favourited_by"),
            format!("/api/v1/statuses/{bobs}/reblogged_by"),
            format!("/api/v1/accounts/{}/followers", bob.id),
            format!("/api/v1/accounts/{}/statuses", bob.id),
            "/api/v2/search?q=zo".to_owned(),
        ];
        let shows = async |path: &str| {
            alice.get(path).await.ok().to_string().contains(&format!("\"{}\"", zoe.id))
        };
        for path in &places {
            assert!(shows(path).await, "{path}");
        }
        block(&alice, FAR).await;
        for path in &places {
            assert!(!shows(path).await, "{path}");
        }
        zoe.publish("@alice hear me").await;
        assert_eq!(alice.notification_types().await, [""; 0]);
        unblock(&alice, FAR).await;
        assert_eq!(alice.notification_types().await, ["mention"], "no notification was created meanwhile");
    }

    async fn accounts_of_a_blocked_server_cannot_interact(app: &TestApp) {
        let (alice, zoe, status) = acquainted(app).await;
        block(&alice, FAR).await;
        alice.post(&format!("/api/v1/accounts/{}/follow", zoe.id)).await.expect(403);
        zoe.post(&format!("/api/v1/accounts/{}/follow", alice.id)).await.expect(403);
        for action in ["favourite", "reblog"] {
            let path = format!("/api/v1/statuses/{}/{action}", id(&status));
            alice.post(&path).await.expect(403);
        }
        let published = alice.publish("hello @zoe@far.example").await;
        assert_eq!(published["mentions"], json!([]));
    }

    async fn repeated_blocks_and_spellings_of_a_domain_are_one_block(app: &TestApp) {
        let alice = app.user("alice").await;
        for domain in ["bücher.example", "BÜCHER.example", "xn--bcher-kva.example"] {
            block(&alice, domain).await;
        }
        assert_eq!(alice.get(PATH).await.ok(), json!(["xn--bcher-kva.example"]));
        for _ in 0..2 {
            unblock(&alice, "Bücher.Example").await;
            assert_eq!(alice.get(PATH).await.ok(), json!([]));
        }
        block(&alice, FAR).await;
        let query = format!("{PATH}?domain={FAR}");
        assert_eq!(alice.delete(&query).await.ok(), json!({}));
        assert_eq!(alice.get(PATH).await.ok(), json!([]));
    }

    async fn invalid_and_own_domains_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        for domain in ["", " ", "far.example ", "fa r.example", "far..example", "x@far.example",
            "https://far.example", app.domain()]
        {
            let status = alice.form(PATH, &[("domain", domain)]).await.status;
            assert!(matches!(status, 400 | 422), "{domain:?}: {status}");
        }
        assert_eq!(alice.get(PATH).await.ok(), json!([]));
        alice.form(PATH, &[("domain", "far example")]).await.expect(422);
        alice.delete(&format!("{PATH}?domain=far%20example")).await.expect(422);
    }

    async fn the_list_is_paginated_by_its_own_ids(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mut blocked = Vec::new();
        for number in 0..5 {
            let domain = format!("d{number}.example");
            block(&alice, &domain).await;
            blocked.insert(0, domain);
        }
        let (mut walked, mut next) = (Vec::new(), Some(format!("{PATH}?limit=2")));
        while let Some(path) = next {
            let page = alice.get(&path).await;
            let domains = page.ok();
            let domains = domains.as_array().unwrap().iter();
            walked.extend(domains.map(|domain| domain.as_str().unwrap().to_owned()));
            assert!(page.link("prev").is_none_or(|link| link.contains("since_id=")));
            next = page.link("next");
        }
        assert_eq!(walked, blocked);
        assert_eq!(bob.get(PATH).await.ok(), json!([]));
    }

    async fn blocking_servers_needs_the_scopes_of_blocks(app: &TestApp) {
        let alice = app.user("alice").await;
        for (scopes, write, read) in
            [("write:blocks", 200, 403), ("read:blocks", 403, 200), ("follow", 200, 200)]
        {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.form(PATH, &[("domain", FAR)]).await.status, write, "{scopes}");
            assert_eq!(client.get(PATH).await.status, read, "{scopes}");
        }
        app.anonymous().form(PATH, &[("domain", FAR)]).await.expect(401);
        app.anonymous().delete(&format!("{PATH}?domain={FAR}")).await.expect(401);
        app.anonymous().get(PATH).await.expect(401);
    }
}
