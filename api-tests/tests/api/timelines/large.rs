//! Pages with more entries than fit into the byte budget of a response.

use crate::support::{TestApp, User, id};

/// The byte budget for a list, with a margin for its framing.
const MAX_BYTES: usize = (8 << 20) + 1000;
/// Number of statuses that would exceed the budget on one page.
const STATUSES: usize = 40;

/// Returns a text that reaches its limits once it is rendered as HTML.
fn large() -> String {
    format!("https://x.example/{} ", "&".repeat(2000)).repeat(7)
}

async fn writer(app: &TestApp) -> (User, Vec<String>) {
    let alice = app.user("alice").await;
    let update = "/api/v1/accounts/update_credentials";
    alice.patch(update, &[("note", large())]).await.ok();
    let mut written = Vec::new();
    for number in 0..STATUSES {
        let status = alice.publish(&format!("{number} {}", large())).await;
        written.insert(0, id(&status));
    }
    (alice, written)
}

async fn walk(app: &TestApp, first: &str, relation: &str) -> Vec<String> {
    let (mut ids, mut next, mut pages) = (Vec::new(), Some(first.to_owned()), 0);
    while let Some(path) = next {
        let response = app.anonymous().get(&path).await;
        assert!(response.body.len() <= MAX_BYTES, "{path} has {} bytes", response.body.len());
        let page = response.ids();
        assert!(page.len() < STATUSES, "{path} has room for all");
        next = response.link(relation).filter(|_| !page.is_empty());
        match relation {
            "next" => ids.extend(page),
            _ => drop(ids.splice(..0, page)),
        }
        pages += 1;
        assert!(pages < 20, "{path} has no end");
    }
    ids
}

api_tests! {
    async fn an_oversized_page_is_split_without_losing_entries(app: &TestApp) {
        let (alice, written) = writer(app).await;
        for path in
            ["/api/v1/timelines/public".to_owned(), format!("/api/v1/accounts/{}/statuses", alice.id)]
        {
            assert_eq!(walk(app, &format!("{path}?limit=40"), "next").await, written, "{path}");
            let upwards = format!("{path}?limit=40&min_id=1");
            assert_eq!(walk(app, &upwards, "prev").await, written, "{path}");
        }
    }
}
