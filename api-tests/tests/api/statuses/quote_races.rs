//! Concurrent quotes, deletions, revocations and changes of the policy: afterwards the counter, the
//! list and the notifications agree.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use siskin_services::statuses::{NotifyQuoters, notify_quoters};

use super::{
    quote::{PATH, path, quote, shown},
    quote_list::{list, revoke},
    toggles::{MANY, assert_counted},
};
use crate::support::{Response, User, id};

/// A request about Alice's status or one of its quotes.
enum Call<'c> {
    Quote(&'c User),
    Delete(&'c User, &'c Value),
    Revoke(&'c Value),
    SetPolicy(&'static str),
}

impl Call<'_> {
    async fn send(&self, alice: &User, quoted: &Value) -> Response {
        match self {
            Self::Quote(author) => author.json(PATH, quote_of(quoted)).await,
            Self::Delete(author, quote) => author.delete(&path(quote)).await,
            Self::Revoke(quote) => alice.post(&revoke(quoted, quote)).await,
            Self::SetPolicy(name) => {
                let policy = path(quoted) + "/interaction_policy";
                alice.put(&policy, &[("quote_approval_policy", name)]).await
            }
        }
    }

    /// Returns the statuses of responses that the other calls may cause.
    const fn outcomes(&self) -> &'static [u16] {
        match self {
            // The policy may admit no account at that moment.
            Self::Quote(_) => &[200, 403],
            // The quote may be deleted already.
            Self::Revoke(_) => &[200, 404],
            Self::Delete(..) | Self::SetPolicy(_) => &[200],
        }
    }
}

fn quote_of(quoted: &Value) -> Value {
    json!({ "status": "See", "quoted_status_id": quoted["id"] })
}

api_tests! {
    async fn quotes_are_counted_and_notified_correctly_after_concurrent_changes(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let carol = app.user("carol").await;
        let (quoted, quoters) = (alice.publish("hello").await, [&bob, &carol]);
        let mut earlier = Vec::new();
        for number in 0..20 {
            let author = quoters[number % 2];
            earlier.push((author, quote(author, &quoted, "See").await));
        }
        // Some quotes are deleted and revoked at the same time, and the last two stay.
        let mut calls: Vec<Call<'_>> =
            (0..15).map(|number| Call::Quote(quoters[number % 2])).collect();
        calls.extend(earlier[..15].iter().map(|(author, quote)| Call::Delete(author, quote)));
        calls.extend(earlier[3..18].iter().map(|(_, quote)| Call::Revoke(quote)));
        calls.extend(["nobody", "public", "followers", "public", "nobody"].map(Call::SetPolicy));
        assert_eq!(calls.len(), MANY);
        // Steps of 7 mix the kinds of calls and reach each call once.
        let request = async |number: usize| {
            let call = &calls[number * 7 % MANY];
            let response = call.send(&alice, &quoted).await;
            assert!(call.outcomes().contains(&response.status), "{response:?}");
        };
        join_all((0..MANY).map(request)).await;
        assert_counted(app).await;
        let mut accepted = alice.walk(&format!("{}?limit=40", list(&quoted))).await;
        let counted = alice.get(&path(&quoted)).await.ok();
        assert_eq!(counted["quotes_count"], accepted.len());
        // Each accepted quote has one notification, and no other quote has any.
        let about = alice.get("/api/v1/notifications?types[]=quote&limit=80").await.ok();
        let about = about.as_array().unwrap().iter();
        let mut notified: Vec<String> = about.map(|one| id(&one["status"])).collect();
        accepted.sort_unstable();
        notified.sort_unstable();
        assert_eq!(notified, accepted);
        for (number, (author, quote)) in earlier.iter().enumerate() {
            assert_eq!(accepted.contains(&id(quote)), number >= 18, "{number}");
            match number {
                0..15 => drop(author.get(&path(quote)).await.expect(404)),
                15..18 => assert_eq!(shown(author, quote).await.0, "revoked"),
                _ => assert_eq!(shown(author, quote).await.0, "accepted"),
            }
        }
        // The last change holds.
        Call::SetPolicy("public").send(&alice, &quoted).await.ok();
        Call::Quote(&bob).send(&alice, &quoted).await.ok();
        let counted = alice.get(&path(&quoted)).await.ok();
        assert_eq!(counted["quotes_count"], accepted.len() + 1);
    }

    async fn one_of_several_concurrent_revocations_changes_the_counter(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("hello").await;
        let (kept, revoked) =
            (quote(&bob, &quoted, "kept").await, quote(&bob, &quoted, "revoked").await);
        let revoke = revoke(&quoted, &revoked);
        for response in join_all((0..MANY).map(|_| alice.post(&revoke))).await {
            assert_eq!(response.ok()["quote"]["state"], "revoked");
        }
        assert_eq!(alice.get(&path(&quoted)).await.ok()["quotes_count"], 1);
        assert_eq!(alice.get(&list(&quoted)).await.ids(), [id(&kept)]);
        assert_eq!(alice.notification_types().await, ["quote"]);
        assert_counted(app).await;
    }

    async fn an_edit_notifies_about_the_other_quotes_while_some_are_deleted(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for _ in 0..10 {
            let quoted = alice.publish("hello").await;
            let mut quotes = Vec::new();
            for _ in 0..12 {
                quotes.push(quote(&bob, &quoted, "See").await);
            }
            let (kept, deleted) = quotes.split_at(6);
            let job = NotifyQuoters { status: id(&quoted).parse().unwrap(), after: None };
            let notified = app.app().write(move |tx| notify_quoters(tx, &job));
            let delete = async |path: String| bob.delete(&path).await.ok();
            let deletions = join_all(deleted.iter().map(path).map(delete));
            join(async { notified.await.unwrap() }, deletions).await;
            let listed = "/api/v1/notifications?types[]=quoted_update&limit=80";
            let listed = bob.get(listed).await.ok();
            let listed = listed.as_array().unwrap().iter().map(|one| id(&one["status"]));
            let listed: Vec<String> = listed.collect();
            let is_listed = |quote: &Value| listed.contains(&id(quote));
            assert!(kept.iter().all(is_listed), "{kept:?} {listed:?}");
            assert!(!deleted.iter().any(is_listed), "{deleted:?} {listed:?}");
        }
    }

    async fn quotes_published_during_the_deletion_of_the_quoted_status_lose_it(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let quoted = alice.publish("plantedword").await;
        let request = async |number: usize| {
            if number == MANY / 2 {
                alice.delete(&path(&quoted)).await
            } else {
                bob.json(PATH, quote_of(&quoted)).await
            }
        };
        let mut answers = join_all((0..MANY).map(request)).await;
        answers.remove(MANY / 2).ok();
        assert!(answers.iter().all(|one| matches!(one.status, 200 | 404)), "{answers:?}");
        let published = answers.iter().filter(|one| one.status == 200).map(|one| id(&one.json()));
        let mut published: Vec<String> = published.collect();
        let mut own = bob.walk(&format!("/api/v1/accounts/{}/statuses?limit=40", bob.id)).await;
        published.sort_unstable();
        own.sort_unstable();
        assert_eq!(own, published);
        for quote in &published {
            let read = bob.get(&format!("{PATH}/{quote}")).await;
            assert!(!read.text().contains("plantedword"), "{read:?}");
            let deleted = json!({ "state": "deleted", "quoted_status": null });
            assert_eq!(read.ok()["quote"], deleted);
        }
        alice.get(&path(&quoted)).await.expect(404);
        assert_counted(app).await;
    }
}
