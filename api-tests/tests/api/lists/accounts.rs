//! `/api/v1/lists/{id}/accounts`, and `GET /api/v1/accounts/{id}/lists`.

use reqwest::Method;
use serde_json::{Value, json};
use siskin_entities::AccountState;
use siskin_services::accounts;

use crate::support::{GOOD, TestApp, User};

/// Creates Alice and accounts that she follows.
async fn alice_and_friends<const N: usize>(app: &TestApp, names: [&str; N]) -> (User, Vec<User>) {
    let alice = app.user("alice").await;
    let mut friends = Vec::new();
    for name in names {
        let friend = app.user(name).await;
        app.follow(&alice, &friend).await;
        friends.push(friend);
    }
    (alice, friends)
}

async fn members(owner: &User, list: &str) -> Vec<String> {
    owner.get(&format!("/api/v1/lists/{list}/accounts")).await.ids()
}

async fn containing(owner: &User, member: &User) -> Vec<String> {
    owner.get(&format!("/api/v1/accounts/{}/lists", member.id)).await.ids()
}

api_tests! {
    // `account_ids` may be in a JSON body, a form or the query.
    async fn members_are_accepted_in_json_form_and_query(app: &TestApp) {
        let (alice, friends) = alice_and_friends(app, ["bob"]).await;
        let (list, bob) = (alice.list("Birds").await, &friends[0]);
        let path = format!("/api/v1/lists/{list}/accounts");
        for method in ["json", "form", "query"] {
            for (verb, after) in [(Method::POST, vec![bob.id.clone()]), (Method::DELETE, vec![])] {
                let in_query = format!("{path}?account_ids[]={}", bob.id);
                let request = match method {
                    "json" => {
                        alice.request(verb, &path).json(&json!({ "account_ids": [bob.id] }))
                    }
                    "form" => alice.request(verb, &path).form(&[("account_ids[]", &bob.id)]),
                    _ => alice.request(verb, &in_query),
                };
                assert_eq!(alice.send(request).await.ok(), json!({}), "{method}");
                assert_eq!(members(&alice, &list).await, after, "{method}");
            }
        }
    }

    // Members must be followed accounts, and unfollowing removes them.
    async fn membership_ends_with_the_follow(app: &TestApp) {
        let (alice, friends) = alice_and_friends(app, ["bob"]).await;
        let (bob, carol) = (&friends[0], app.user("carol").await);
        let list = alice.list("Birds").await;
        let path = format!("/api/v1/lists/{list}/accounts");
        let ids = |ids: &[&str]| json!({ "account_ids": ids });
        for stranger in [carol.id.as_str(), alice.id.as_str(), "1", "x", ""] {
            alice.json(&path, ids(&[stranger])).await.expect(404);
            alice.json(&path, ids(&[&bob.id, stranger])).await.expect(404);
        }
        assert_eq!(members(&alice, &list).await, Vec::<String>::new());
        alice.enlist(&list, &[bob]).await;
        let again = alice.json(&path, ids(&[&bob.id])).await.expect(422);
        assert_eq!(again["error"], "Validation failed: Account has already been taken");
        assert_eq!(members(&alice, &list).await, [bob.id.as_str()]);
        alice.act_on("unfollow", bob).await;
        assert_eq!(members(&alice, &list).await, Vec::<String>::new());
        alice.act_on("follow", bob).await;
        assert_eq!(members(&alice, &list).await, Vec::<String>::new());
        alice.enlist(&list, &[bob]).await;
        bob.act_on("remove_from_followers", &alice).await;
        assert_eq!(members(&alice, &list).await, Vec::<String>::new());
        alice.act_on("follow", bob).await;
        alice.enlist(&list, &[bob]).await;
        bob.act_on("block", &alice).await;
        assert_eq!(members(&alice, &list).await, Vec::<String>::new());
    }

    async fn members_are_added_all_or_none(app: &TestApp) {
        let (alice, friends) = alice_and_friends(app, ["bob", "carol", "dave"]).await;
        let list = alice.list("Birds").await;
        let path = format!("/api/v1/lists/{list}/accounts");
        alice.enlist(&list, &[&friends[0]]).await;
        let all: Vec<&str> = friends.iter().map(|friend| friend.id.as_str()).collect();
        alice.json(&path, json!({ "account_ids": all })).await.expect(422);
        assert_eq!(members(&alice, &list).await, [friends[0].id.as_str()]);
        let twice = json!({ "account_ids": [all[1], all[2], all[1]] });
        alice.json(&path, twice).await.ok();
        assert_eq!(members(&alice, &list).await, [all[2], all[1], all[0]]);
        let some = json!({ "account_ids": [all[0], all[1], "x", "1"] });
        alice.send(alice.request(Method::DELETE, &path).json(&some)).await.ok();
        assert_eq!(members(&alice, &list).await, [all[2]]);
        for body in [json!({}), json!({ "account_ids": [] })] {
            alice.json(&path, body).await.expect(422);
        }
    }

    // All members are returned unless the client gives a `limit`.
    async fn all_members_are_returned_without_a_limit(app: &TestApp) {
        let (alice, friends) = alice_and_friends(app, ["bob", "carol", "dave", "eve", "fay"]).await;
        let list = alice.list("Birds").await;
        for friend in &friends {
            alice.enlist(&list, &[friend]).await;
        }
        let all: Vec<&str> = friends.iter().rev().map(|friend| friend.id.as_str()).collect();
        let path = format!("/api/v1/lists/{list}/accounts");
        for whole in ["", "?limit=0", "?limit="] {
            let response = alice.get(&format!("{path}{whole}")).await;
            assert_eq!((response.ids(), response.header("link")), (owned(&all), None), "{whole}");
        }
        let first = alice.get(&format!("{path}?limit=2")).await;
        assert_eq!(first.ids(), all[..2]);
        let (next, prev) = (first.link("next").unwrap(), first.link("prev").unwrap());
        assert!(next.contains("max_id=") && prev.contains("since_id="), "{next} {prev}");
        assert!(all.iter().all(|id| !next.contains(id)), "the cursor is an account id: {next}");
        assert_eq!(alice.get(&next).await.ids(), all[2..4]);
        assert_eq!(alice.walk(&format!("{path}?limit=2")).await, all);
        assert_eq!(alice.get(&prev).await.ids(), Vec::<String>::new());
    }

    async fn suspended_and_unreachable_members_are_left_out(app: &TestApp) {
        let (alice, friends) = alice_and_friends(app, ["bob", "carol"]).await;
        let list = alice.list("Birds").await;
        alice.enlist(&list, &[&friends[0], &friends[1]]).await;
        app.set_state(&friends[0], AccountState { suspended: true, ..GOOD }).await;
        app.set_state(&friends[1], AccountState { silenced: true, ..GOOD }).await;
        assert_eq!(members(&alice, &list).await, [friends[1].id.as_str()]);
    }

    async fn lists_with_an_account_are_visible_to_their_owner(app: &TestApp) {
        let (alice, friends) = alice_and_friends(app, ["bob", "carol"]).await;
        let (bob, carol) = (&friends[0], &friends[1]);
        app.follow(carol, bob).await;
        let (first, second) = (alice.list("One").await, alice.list("Two").await);
        alice.list("Three").await;
        let of_carol = carol.list("Carol's").await;
        carol.enlist(&of_carol, &[bob]).await;
        alice.enlist(&second, &[bob]).await;
        alice.enlist(&first, &[bob, carol]).await;
        assert_eq!(containing(&alice, bob).await, [first.clone(), second]);
        assert_eq!(containing(&alice, carol).await, [first]);
        assert_eq!(containing(carol, bob).await, [of_carol]);
        assert_eq!(containing(bob, carol).await, Vec::<String>::new());
        for id in ["1", "x"] {
            alice.get(&format!("/api/v1/accounts/{id}/lists")).await.expect(404);
        }
        let path = format!("/api/v1/accounts/{}/lists", bob.id);
        app.anonymous().get(&path).await.expect(401);
        app.user_with_scopes(&alice, "read:accounts").await.get(&path).await.expect(403);
    }

    async fn deleted_accounts_are_removed_from_lists(app: &TestApp) {
        let (alice, friends) = alice_and_friends(app, ["bob", "carol"]).await;
        let list = alice.list("Birds").await;
        alice.enlist(&list, &[&friends[0], &friends[1]]).await;
        let gone = friends[0].id.parse().unwrap();
        let remove = async || app.app().write(move |tx| accounts::delete_some(tx, gone)).await;
        while !remove().await.unwrap() {}
        let left: Value = alice.get(&format!("/api/v1/lists/{list}/accounts")).await.ok();
        assert_eq!(left.as_array().unwrap().len(), 1);
        assert_eq!(left[0]["id"], friends[1].id);
    }
}

fn owned(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}
