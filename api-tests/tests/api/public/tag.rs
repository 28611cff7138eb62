//! `/tags/NAME`.

use serde_json::{Value, json};
use siskin_entities::AccountState;

use super::{
    leads_to, page,
    profile::{NO_INDEX, link, shown},
    refused,
};
use crate::support::{GOOD, id};

api_tests! {
    async fn a_hashtag_page_lists_public_statuses(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.publish("One #Birds").await;
        let second = bob.reply(&first, "@alice two #birds").await;
        alice.act("reblog", &second).await;
        for visibility in ["unlisted", "private", "direct"] {
            alice.publish_as(json!({ "status": "#birds", "visibility": visibility })).await;
        }
        let content = first["content"].as_str().unwrap();
        let address = content.split("href=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(first["tags"][0]["url"], address);
        for viewer in [&app.anonymous(), &alice.client] {
            let response = viewer.get(address).await;
            let page = page(&response);
            assert_eq!(shown(&page), [id(&second), id(&first)]);
            assert!(page.contains("<h1 dir=\"auto\">#birds</h1>") && page.contains(NO_INDEX));
            let canonical = format!("<link rel=\"canonical\" href=\"{address}\">");
            assert!(page.contains(&canonical), "{page}");
            assert_eq!(response.header("x-frame-options"), Some("DENY"));
        }
    }

    async fn statuses_with_a_hashtag_are_paged_by_links(app: &TestApp) {
        let alice = app.user("alice").await;
        let mut written = Vec::new();
        for number in 0..25 {
            written.insert(0, id(&alice.publish(&format!("Number {number} #birds")).await));
        }
        let anonymous = app.anonymous();
        let first = page(&anonymous.get("/tags/birds").await);
        assert_eq!((shown(&first), link(&first, "prev")), (written[..20].to_vec(), None));
        let second = page(&anonymous.get(&link(&first, "next").unwrap()).await);
        assert_eq!((shown(&second), link(&second, "next")), (written[20..].to_vec(), None));
        let back = page(&anonymous.get(&link(&second, "prev").unwrap()).await);
        assert_eq!(shown(&back), shown(&first));
        let past_the_end = page(&anonymous.get("/tags/birds?max_id=1").await);
        assert!(shown(&past_the_end).is_empty() && past_the_end.contains("no further statuses"));
        assert_eq!(anonymous.get("/tags/birds?max_id=abc").await.status, 422);
    }

    async fn hashtag_pages_have_one_canonical_url(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("#BLÅHAJ #Straße_7 #鳥").await;
        let anonymous = app.anonymous();
        for path in ["/tags/Blahaj", "/tags/bl%C3%A5haj", "/tags/%23blahaj"] {
            let url = format!("{}/tags/blahaj", app.base_url());
            assert_eq!(leads_to(&anonymous.get(path).await), url, "{path}");
        }
        for tag in status["tags"].as_array().unwrap() {
            assert_eq!(shown(&page(&anonymous.get(url(tag)).await)), [id(&status)], "{tag}");
        }
    }

    async fn hashtags_without_public_statuses_have_no_page(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        alice.publish_as(json!({ "status": "#secret", "visibility": "private" })).await;
        bob.publish("#loud").await;
        app.set_state(&bob, AccountState { suspended: true, ..GOOD }).await;
        for name in ["nothing", "secret", "loud", "7", "a-b", "%00", "secret?max_id=9"] {
            refused(&app.anonymous().get(&format!("/tags/{name}")).await, 404);
        }
    }
}

fn url(tag: &Value) -> &str {
    tag["url"].as_str().unwrap()
}
