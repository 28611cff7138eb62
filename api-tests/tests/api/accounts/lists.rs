//! `followers` and `following`.

use serde_json::json;

use crate::support::{Client, User};

async fn follow(follower: &User, target: &User) {
    follower.post(&format!("/api/v1/accounts/{}/follow", target.id)).await.ok();
}

async fn list(viewer: &Client, owner: &User, which: &str) -> Vec<String> {
    viewer.get(&format!("/api/v1/accounts/{}/{which}", owner.id)).await.ids()
}

api_tests! {
    // Lists of follows start with the newest follow, and the links visit each account once.
    async fn follows_are_listed_newest_first_and_links_reach_all(app: &TestApp) {
        let bob = app.user("bob").await;
        let mut others = Vec::new();
        for number in 0..5 {
            others.push(app.user(&format!("user{number}")).await);
        }
        for other in others.iter().rev() {
            follow(&bob, other).await;
        }
        let mut walked = Vec::new();
        let mut path = Some(format!("/api/v1/accounts/{}/following?limit=2", bob.id));
        while let Some(page) = path {
            let response = app.anonymous().get(&page).await;
            assert!(response.header("link").is_none_or(|link| link.contains("limit=2")));
            walked.extend(response.ids());
            path = response.link("next");
            assert!(walked.len() <= 5);
        }
        let expected: Vec<String> = others.iter().map(|other| other.id.clone()).collect();
        assert_eq!(walked, expected);
    }

    async fn the_prev_link_leads_to_newer_follows(app: &TestApp) {
        let (bob, cat) = (app.user("bob").await, app.user("cat").await);
        let first = app.user("first").await;
        follow(&first, &bob).await;
        let page = app.anonymous().get(&format!("/api/v1/accounts/{}/followers", bob.id)).await;
        assert_eq!(page.link("next"), None);
        let above = page.link("prev").unwrap();
        assert!(above.contains("since_id="), "{above}");
        let empty = app.anonymous().get(&above).await;
        assert_eq!(empty.ids(), [""; 0]);
        follow(&cat, &bob).await;
        assert_eq!(app.anonymous().get(&empty.link("prev").unwrap()).await.ids(), [cat.id]);
    }

    // Lists of followers omit accounts that the viewer blocks.
    async fn accounts_that_the_viewer_blocks_are_left_out(app: &TestApp) {
        let (alice, bob, cat) =
            (app.user("alice").await, app.user("bob").await, app.user("cat").await);
        follow(&cat, &bob).await;
        follow(&bob, &cat).await;
        alice.act_on("block", &cat).await;
        for which in ["followers", "following"] {
            assert_eq!(list(&alice, &bob, which).await, [""; 0]);
            assert_eq!(list(&app.anonymous(), &bob, which).await, [cat.id.as_str()]);
        }
    }

    // A blocked viewer sees empty lists of the blocker's follows.
    async fn accounts_that_the_owner_blocks_see_an_empty_list(app: &TestApp) {
        let (alice, bob, cat) =
            (app.user("alice").await, app.user("bob").await, app.user("cat").await);
        follow(&bob, &alice).await;
        follow(&alice, &bob).await;
        alice.act_on("block", &cat).await;
        for which in ["followers", "following"] {
            assert_eq!(list(&cat, &alice, which).await, [""; 0]);
            assert_eq!(list(&app.anonymous(), &alice, which).await, [bob.id.as_str()]);
        }
    }

    async fn a_hidden_network_is_visible_to_its_owner_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        follow(&bob, &alice).await;
        let hide = [("hide_collections", "true")];
        alice.patch("/api/v1/accounts/update_credentials", &hide).await.ok();
        assert_eq!(list(&app.anonymous(), &alice, "followers").await, [""; 0]);
        assert_eq!(list(&bob, &alice, "followers").await, [""; 0]);
        assert_eq!(list(&alice, &alice, "followers").await, [bob.id.as_str()]);
        let shown = app.anonymous().get(&format!("/api/v1/accounts/{}", alice.id)).await.ok();
        assert_eq!(shown["hide_collections"], json!(true));
    }

    async fn the_networks_of_remote_accounts_are_hidden_by_the_same_preference(app: &TestApp) {
        let zoe = app.user_of("zoe", "elsewhere.example").await;
        let bob = app.user("bob").await;
        app.follow(&bob, &zoe).await;
        app.follow(&zoe, &bob).await;
        for (hidden, shown) in [("true", vec![]), ("false", vec![bob.id.clone()])] {
            let hide = [("hide_collections", hidden)];
            zoe.patch("/api/v1/accounts/update_credentials", &hide).await.ok();
            for which in ["followers", "following"] {
                for viewer in [&app.anonymous(), &bob.client] {
                    assert_eq!(list(viewer, &zoe, which).await, shown, "{which} {hidden}");
                }
            }
        }
    }

    async fn invalid_cursors_are_refused(app: &TestApp) {
        let alice = app.user("alice").await;
        for query in ["max_id=abc", "min_id=-1", "since_id=1e3"] {
            let path = format!("/api/v1/accounts/{}/followers?{query}", alice.id);
            app.anonymous().get(&path).await.expect(422);
        }
        for query in ["max_id=", "limit=0", "limit=abc", "limit=-1", "limit=100000", "max_id=0"] {
            let path = format!("/api/v1/accounts/{}/followers?{query}", alice.id);
            assert_eq!(app.anonymous().get(&path).await.ids(), [""; 0], "{query}");
        }
    }
}
