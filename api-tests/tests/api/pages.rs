//! Common features of all paginated lists.

use serde_json::Value;

use crate::support::{TestApp, User, id};

/// An account with the same number of entries in every list.
struct Lists {
    owner: User,
    status: Value,
    created: usize,
}

impl Lists {
    async fn new(app: &TestApp) -> Self {
        let owner = app.user("owner").await;
        let status = owner.publish("Hello #tag").await;
        Self { owner, status, created: 0 }
    }

    /// Adds one entry at the top of each list, by a new account that interacts in all ways.
    async fn add(&mut self, app: &TestApp) {
        let fan = app.user(&format!("fan{}", self.created)).await;
        self.created += 1;
        app.follow(&fan, &self.owner).await;
        app.follow(&self.owner, &fan).await;
        for action in ["favourite", "reblog"] {
            fan.act(action, &self.status).await;
        }
        // A status of the owner, for the timelines and the profile.
        self.owner.publish("#tag").await;
    }

    /// Returns the paths of the lists of accounts and of notifications, and of statuses.
    fn paths(&self) -> [Vec<String>; 2] {
        let (account, status) = (&self.owner.id, id(&self.status));
        let long = vec![
            format!("/api/v1/accounts/{account}/followers"),
            format!("/api/v1/accounts/{account}/following"),
            format!("/api/v1/statuses/{status}/favourited_by"),
            format!("/api/v1/statuses/{status}/reblogged_by"),
            "/api/v1/notifications".to_owned(),
        ];
        let short = vec![
            "/api/v1/timelines/home".to_owned(),
            "/api/v1/timelines/public".to_owned(),
            "/api/v1/timelines/tag/tag".to_owned(),
            format!("/api/v1/accounts/{account}/statuses"),
        ];
        [long, short]
    }
}

api_tests! {
    async fn pages_have_a_default_and_a_maximum_size(app: &TestApp) {
        let mut lists = Lists::new(app).await;
        for _ in 0..81 {
            lists.add(app).await;
        }
        let [long, short] = lists.paths();
        let sizes = [(long, 40, 80), (short, 20, 40)];
        for (paths, default, most) in sizes {
            for path in paths {
                let shown = async |query: &str| {
                    lists.owner.get(&format!("{path}?{query}")).await.ids().len()
                };
                for query in ["", "limit=", "limit=abc", "limit=-1"] {
                    assert_eq!(shown(query).await, default, "{path}?{query}");
                }
                for query in ["limit=81", "limit=100000", "limit=99999999999999999999"] {
                    assert_eq!(shown(query).await, most, "{path}?{query}");
                }
                assert_eq!(shown("limit=1").await, 1, "{path}");
                assert_eq!(shown("limit=0").await, 0, "{path}");
            }
        }
    }

    async fn links_begin_with_the_next_page_and_lead_through_every_entry_once(app: &TestApp) {
        let mut lists = Lists::new(app).await;
        for _ in 0..5 {
            lists.add(app).await;
        }
        for path in lists.paths().concat() {
            let all = lists.owner.get(&path).await.ids();
            assert!(all.len() >= 5, "{path}");
            let (mut walked, mut next) = (Vec::new(), Some(format!("{path}?limit=2")));
            while let Some(url) = next {
                let page = lists.owner.get(&url).await;
                next = page.link("next");
                let header = page.header("link").unwrap_or_default().to_owned();
                if next.is_some() {
                    let (first, second) = header.split_once(", ").unwrap();
                    assert!(first.starts_with(&format!("<{}{path}?limit=2&max_id=", app.base_url())));
                    assert!(first.ends_with(">; rel=\"next\""), "{header}");
                    assert!(second.ends_with(">; rel=\"prev\""), "{header}");
                }
                assert!(page.ids().len() <= 2, "{url}");
                walked.extend(page.ids());
            }
            assert_eq!(walked, all, "{path}");
        }
    }

    // The `prev` link of an empty page returns entries that arrive later.
    async fn an_empty_newer_page_links_to_later_entries(app: &TestApp) {
        let mut lists = Lists::new(app).await;
        lists.add(app).await;
        for path in lists.paths().concat() {
            let newer = lists.owner.get(&path).await.link("prev").unwrap();
            let empty = lists.owner.get(&newer).await;
            assert_eq!(empty.ids(), Vec::<String>::new(), "{path}");
            assert_eq!(empty.link("next"), None, "{path}");
            let again = empty.link("prev").unwrap();
            let before = lists.owner.get(&path).await.ids();
            lists.add(app).await;
            let after = lists.owner.get(&path).await.ids();
            let new = &after[..after.len() - before.len()];
            assert!(!new.is_empty(), "{path}");
            assert_eq!(lists.owner.get(&again).await.ids(), new, "{path}");
        }
    }

    // All lists refuse a cursor that is not an id.
    async fn invalid_page_cursors_are_refused(app: &TestApp) {
        let mut lists = Lists::new(app).await;
        lists.add(app).await;
        for path in lists.paths().concat() {
            let all = lists.owner.get(&path).await.ids();
            for cursor in ["max_id", "since_id", "min_id"] {
                for wrong in ["abc", "-1", "1e3", "1.5", "%00", "%201", "null"] {
                    let response = lists.owner.get(&format!("{path}?{cursor}={wrong}")).await;
                    let status = if wrong == "%00" { [400, 422] } else { [422, 422] };
                    assert!(status.contains(&response.status), "{path} {cursor}={wrong}: {response:?}");
                    assert!(response.json()["error"].is_string());
                }
                let absent = lists.owner.get(&format!("{path}?{cursor}=")).await;
                assert_eq!(absent.ids(), all, "{path}?{cursor}=");
            }
            let far = "99999999999999999999";
            assert_eq!(lists.owner.get(&format!("{path}?max_id={far}")).await.ids(), all);
            for cursor in ["since_id", "min_id"] {
                let none = lists.owner.get(&format!("{path}?{cursor}={far}")).await;
                assert_eq!(none.ids(), Vec::<String>::new(), "{path}?{cursor}");
            }
        }
    }
}
