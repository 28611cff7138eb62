//! Who sees and changes quotes: scopes of tokens, blocked domains, and accounts that are suspended
//! or not reachable.

use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::AccountState;

use super::{
    quote::{PATH, path, quote, shown},
    quote_list::{list, revoke},
};
use crate::support::{GOOD, id, ids};

const SUSPENDED: AccountState = AccountState { suspended: true, ..GOOD };
const UNREACHABLE: AccountState = AccountState { reachable: false, ..GOOD };

fn out_of_scope() -> Value {
    json!({ "error": "This action is outside the authorized scopes" })
}

fn no_token() -> Value {
    json!({ "error": "The access token is invalid" })
}

api_tests! {
    async fn the_list_of_quotes_needs_a_token_that_reads_statuses(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let listed = quote(&bob, &quoted, "See").await;
        let list = list(&quoted);
        for scopes in ["read", "read:statuses"] {
            let reader = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(reader.get(&list).await.ids(), ids([&listed]), "{scopes}");
        }
        for scopes in ["write", "read:accounts read:notifications", "follow push"] {
            let other = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(other.get(&list).await.expect(403), out_of_scope(), "{scopes}");
        }
        assert_eq!(app.anonymous().get(&list).await.expect(401), no_token());
        assert_eq!(app.with_token("unknown").get(&list).await.expect(401), no_token());
    }

    async fn changes_of_quotes_need_a_token_that_writes_statuses(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let quote = quote(&bob, &quoted, "See").await;
        let (revoke, policy) = (revoke(&quoted, &quote), path(&quoted) + "/interaction_policy");
        let nobody = [("quote_approval_policy", "nobody")];
        for scopes in ["read", "write:favourites write:accounts", "follow push"] {
            let other = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(other.post(&revoke).await.expect(403), out_of_scope(), "{scopes}");
            assert_eq!(other.put(&policy, &nobody).await.expect(403), out_of_scope(), "{scopes}");
        }
        for stranger in [app.anonymous(), app.with_token("unknown")] {
            assert_eq!(stranger.post(&revoke).await.expect(401), no_token());
            assert_eq!(stranger.put(&policy, &nobody).await.expect(401), no_token());
        }
        assert_eq!(shown(&alice, &quote).await.0, "accepted");
        let unchanged = alice.get(&path(&quoted)).await.ok();
        assert_eq!(unchanged["quote_approval"]["automatic"], json!(["public"]));
        for scopes in ["write:statuses", "write"] {
            let writer = app.user_with_scopes(&alice, scopes).await;
            writer.post(&revoke).await.ok();
            let changed = writer.put(&policy, &nobody).await.ok();
            assert_eq!(changed["quote_approval"]["automatic"], json!([]), "{scopes}");
        }
        assert_eq!(shown(&alice, &quote).await.0, "revoked");
    }

    async fn a_blocked_domain_is_a_state_for_the_viewer_who_blocks_it(app: &TestApp) {
        let zoe = app.user_of("zoe", "far.example").await;
        let (bob, carol) = (app.user("bob").await, app.user("carol").await);
        let quoted = zoe.publish("hello").await;
        let quote = quote(&bob, &quoted, "See").await;
        let domain = "/api/v1/domain_blocks?domain=far.example";
        let state = |name: &str| (name.to_owned(), quoted["id"].clone());
        assert_eq!(shown(&carol, &quote).await, state("accepted"));
        carol.post(domain).await.ok();
        assert_eq!(shown(&carol, &quote).await, state("blocked_domain"));
        assert_eq!(shown(&bob, &quote).await, state("accepted"));
        let post = json!({ "status": "x", "quoted_status_id": quoted["id"] });
        carol.json(PATH, post.clone()).await.expect(403);
        // A block of the account is the better reason.
        carol.act_on("block", &zoe).await;
        assert_eq!(shown(&carol, &quote).await, state("blocked_account"));
        carol.act_on("unblock", &zoe).await;
        carol.delete(domain).await.ok();
        assert_eq!(shown(&carol, &quote).await, state("accepted"));
        carol.json(PATH, post).await.ok();
    }

    async fn a_quote_of_a_suspended_or_unreachable_author_shows_nothing(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("plantedword").await;
        let quote = quote(&bob, &quoted, "See").await;
        let anonymous = app.anonymous();
        for state in [SUSPENDED, UNREACHABLE] {
            app.set_state(&alice, state).await;
            for viewer in [&bob.client, &anonymous] {
                let read = viewer.get(&path(&quote)).await;
                assert!(!read.text().contains("plantedword"), "{state:?}: {read:?}");
                let nothing = json!({ "state": "unauthorized", "quoted_status": null });
                assert_eq!(read.ok()["quote"], nothing, "{state:?}");
            }
            let post = json!({ "status": "x", "quoted_status_id": quoted["id"] });
            bob.json(PATH, post).await.expect(404);
            app.set_state(&alice, GOOD).await;
            let again = ("accepted".to_owned(), quoted["id"].clone());
            assert_eq!(shown(&bob, &quote).await, again, "{state:?}");
        }
    }

    async fn quotes_by_suspended_or_unreachable_accounts_are_not_listed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let carol = app.user("carol").await;
        let quoted = alice.publish("hello").await;
        let (of_bob, of_carol) =
            (quote(&bob, &quoted, "See").await, quote(&carol, &quoted, "See").await);
        for state in [SUSPENDED, UNREACHABLE] {
            app.set_state(&bob, state).await;
            for viewer in [&alice, &carol] {
                assert_eq!(viewer.get(&list(&quoted)).await.ids(), ids([&of_carol]), "{state:?}");
            }
            app.set_state(&bob, GOOD).await;
            let both = alice.get(&list(&quoted)).await;
            assert_eq!(both.ids(), ids([&of_carol, &of_bob]), "{state:?}");
        }
    }

    async fn an_edit_with_an_unknown_policy_changes_nothing(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let quote = quote(&bob, &quoted, "See").await;
        for (author, status) in [(&alice, &quoted), (&bob, &quote)] {
            let before = author.get(&path(status)).await.ok();
            let edit = json!({
                "status": "goodbye", "spoiler_text": "Changed", "language": "de",
                "quote_approval_policy": "friends",
            });
            let request = author.request(Method::PUT, &path(status)).json(&edit);
            let why = "Validation failed: Quote approval policy is not included in the list";
            assert_eq!(author.send(request).await.expect(422), json!({ "error": why }));
            assert_eq!(author.get(&path(status)).await.ok(), before);
            let versions = author.get(&format!("{PATH}/{}/history", id(status))).await.ok();
            assert_eq!(versions.as_array().unwrap().len(), 1);
        }
        app.settle().await;
        assert_eq!(bob.notification_types().await, [""; 0]);
    }
}
