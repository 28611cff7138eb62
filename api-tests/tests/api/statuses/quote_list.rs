//! `GET /api/v1/statuses/{id}/quotes` and `POST /api/v1/statuses/{id}/quotes/{id}/revoke`.

use serde_json::{Value, json};

use crate::support::{User, id, ids};

async fn quote(author: &User, quoted: &Value, visibility: &str) -> Value {
    let post = json!({
        "status": "See", "visibility": visibility, "quoted_status_id": quoted["id"],
    });
    author.publish_as(post).await
}

pub fn list(quoted: &Value) -> String {
    format!("/api/v1/statuses/{}/quotes", id(quoted))
}

pub fn revoke(quoted: &Value, quote: &Value) -> String {
    format!("{}/{}/revoke", list(quoted), id(quote))
}

api_tests! {
    async fn quotes_are_listed_for_those_who_see_them(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let carol = app.user("carol").await;
        let quoted = alice.publish("hello").await;
        let public = quote(&bob, &quoted, "public").await;
        let private = quote(&bob, &quoted, "private").await;
        assert_eq!(alice.get(&list(&quoted)).await.ids(), ids([&public]));
        assert_eq!(bob.get(&list(&quoted)).await.ids(), ids([&private, &public]));
        let shown = alice.get(&list(&quoted)).await.ok();
        assert_eq!(shown[0]["quote"]["quoted_status"]["id"], quoted["id"]);
        carol.act_on("mute", &bob).await;
        assert_eq!(carol.get(&list(&quoted)).await.ids(), [""; 0]);
        app.anonymous().get(&list(&quoted)).await.expect(401);
        carol.get(&list(&private)).await.expect(404);
        carol.get("/api/v1/statuses/abc/quotes").await.expect(404);
    }

    async fn the_list_has_pages(app: &TestApp) {
        let alice = app.user("alice").await;
        let quoted = alice.publish("hello").await;
        let mut all = Vec::new();
        for _ in 0..5 {
            all.insert(0, id(&quote(&alice, &quoted, "public").await));
        }
        let first = alice.get(&format!("{}?limit=2", list(&quoted))).await;
        assert_eq!(first.ids(), all[..2]);
        assert!(first.link("next").is_some() && first.link("prev").is_some());
        assert_eq!(alice.walk(&format!("{}?limit=2", list(&quoted))).await, all);
    }

    async fn the_quoted_author_revokes_a_quote(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let quote = quote(&bob, &quoted, "public").await;
        bob.post(&revoke(&quoted, &quote)).await.expect(403);
        for _ in 0..2 {
            let revoked = alice.post(&revoke(&quoted, &quote)).await.ok();
            assert_eq!(revoked["id"], quote["id"]);
            assert_eq!(revoked["quote"], json!({ "state": "revoked", "quoted_status": null }));
        }
        let read = bob.get(&format!("/api/v1/statuses/{}", id(&quote))).await.ok();
        assert_eq!(read["quote"]["state"], "revoked");
        assert_eq!(alice.get(&list(&quoted)).await.ids(), [""; 0]);
        let counted = alice.get(&format!("/api/v1/statuses/{}", id(&quoted))).await.ok();
        assert_eq!(counted["quotes_count"], 0);
        assert_eq!(alice.notification_types().await, [""; 0]);
        bob.delete(&format!("/api/v1/statuses/{}", id(&quote))).await.ok();
        let counted = alice.get(&format!("/api/v1/statuses/{}", id(&quoted))).await.ok();
        assert_eq!(counted["quotes_count"], 0);
    }

    // The quoted author can revoke a quote without seeing it.
    async fn a_hidden_quote_is_revoked_too(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let public = quote(&bob, &quoted, "public").await;
        let private = quote(&bob, &quoted, "private").await;
        bob.act_on("block", &alice).await;
        for hidden in [&public, &private] {
            let answer = alice.post(&revoke(&quoted, hidden)).await;
            assert!(!answer.text().contains("See"), "{}", answer.text());
            assert_eq!(answer.ok()["id"], quoted["id"]);
            let read = bob.get(&format!("/api/v1/statuses/{}", id(hidden))).await.ok();
            assert_eq!(read["quote"]["state"], "revoked");
        }
        let counted = alice.get(&format!("/api/v1/statuses/{}", id(&quoted))).await.ok();
        assert_eq!(counted["quotes_count"], 0);
    }

    async fn only_quotes_of_the_status_are_revoked(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (quoted, other) = (alice.publish("hello").await, alice.publish("other").await);
        let quote_of_other = quote(&bob, &other, "public").await;
        let unknown = alice.post(&revoke(&quoted, &json!({ "id": "1" }))).await.expect(404);
        for quote in [&quote_of_other, &other] {
            assert_eq!(alice.post(&revoke(&quoted, quote)).await.expect(404), unknown);
        }
        let read = bob.get(&format!("/api/v1/statuses/{}", id(&quote_of_other))).await.ok();
        assert_eq!(read["quote"]["state"], "accepted");
    }
}
