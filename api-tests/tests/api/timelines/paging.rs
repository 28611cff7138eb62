//! Pagination, which is the same on home, lists, public and tag timelines and profiles.

use crate::support::{TestApp, User, id};

api_tests! {
    // `min_id`, `since_id` and `max_id` work alike on every list.
    async fn cursors_work_the_same_in_every_list(app: &TestApp) {
        let (alice, viewer, paths) = set_up(app).await;
        let mut p = Vec::new();
        for _ in 0..100 {
            p.push(id(&alice.publish("#tag").await));
        }
        let between = |from: usize, to: usize| p[from..=to].iter().rev().cloned().collect::<Vec<_>>();
        for path in paths {
            let ids = async |query: String| viewer.get(&format!("{path}?{query}")).await.ids();
            assert_eq!(ids(String::new()).await, between(80, 99), "{path}");
            assert_eq!(ids(format!("min_id={}&limit=20", p[10])).await, between(11, 30), "{path}");
            assert_eq!(ids(format!("since_id={}&limit=20", p[10])).await, between(80, 99), "{path}");
            let both = format!("min_id={}&since_id={}&limit=20", p[10], p[20]);
            assert_eq!(ids(both).await, between(11, 30), "{path}");
            let max = format!("max_id={}&limit=20", p[50]);
            assert_eq!(ids(max).await, between(30, 49), "{path}");
            let all = format!("max_id={}&min_id={}&limit=40", p[50], p[45]);
            assert_eq!(ids(all).await, between(46, 49), "{path}");
            assert_eq!(ids("limit=100".to_owned()).await, between(60, 99), "{path}");
            assert_eq!(ids("max_id=0".to_owned()).await, Vec::<String>::new());
            assert_eq!(ids("max_id=&limit=1".to_owned()).await, between(99, 99));
            viewer.get(&format!("{path}?max_id=abc")).await.expect(422);
        }
    }

    // The `prev` link of an empty page returns statuses that are published later.
    async fn an_empty_newer_page_leads_back_to_itself(app: &TestApp) {
        let (alice, viewer, paths) = set_up(app).await;
        for path in paths {
            alice.publish("#tag").await;
            let newer = viewer.get(&path).await.link("prev").unwrap();
            let empty = viewer.get(&newer).await;
            assert_eq!(empty.ids(), Vec::<String>::new(), "{path}");
            let again = empty.link("prev").unwrap();
            let status = alice.publish("#tag").await;
            assert_eq!(viewer.get(&again).await.ids(), [id(&status)], "{path}");
        }
    }

    async fn walking_back_lists_every_entry_once(app: &TestApp) {
        let (alice, viewer, paths) = set_up(app).await;
        let mut published = Vec::new();
        for _ in 0..10 {
            published.insert(0, id(&alice.publish("#tag").await));
        }
        for path in paths {
            let (mut seen, mut next) = (Vec::new(), Some(format!("{path}?limit=5")));
            while let Some(url) = next {
                let page = viewer.get(&url).await;
                seen.extend(page.ids());
                next = page.link("next");
            }
            assert_eq!(seen, published, "{path}");
        }
    }
}

/// Creates an author, a viewer and the paths of the timelines.
async fn set_up(app: &TestApp) -> (User, User, [String; 5]) {
    let (alice, viewer) = (app.user("alice").await, app.user("reader").await);
    app.follow(&viewer, &alice).await;
    let list = viewer.list("Alice").await;
    viewer.enlist(&list, &[&alice]).await;
    let paths = [
        "/api/v1/timelines/home".to_owned(),
        format!("/api/v1/timelines/list/{list}"),
        "/api/v1/timelines/public".to_owned(),
        "/api/v1/timelines/tag/tag".to_owned(),
        format!("/api/v1/accounts/{}/statuses", alice.id),
    ];
    (alice, viewer, paths)
}
