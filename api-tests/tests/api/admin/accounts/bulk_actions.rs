//! Restrictions of several accounts at once, and their ends.

use futures_util::future::join_all;
use serde_json::{Value, json};
use siskin_test_support::both_engines;

use crate::support::{Client, User, sign_ups::BULK, with_mail};

/// Restricts accounts with a text, and returns the results in the order of the accounts.
async fn restrict(client: &Client, action: &str, accounts: &[&str], more: Value) -> Vec<String> {
    let mut form = json!({ "action": action, "account_ids": accounts, "text": "Be kind" });
    for (name, value) in more.as_object().unwrap() {
        form[name] = value.clone();
    }
    let results = client.json(BULK, form).await.ok();
    results
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["status"].as_str().unwrap().to_owned())
        .collect()
}

async fn flags(staff: &User, account: &User) -> Value {
    let shown = staff.admin_account(account).await;
    json!(["sensitized", "disabled", "silenced", "suspended"].map(|flag| shown[flag].clone()))
}

api_tests! {
    async fn each_account_gets_one_strike_one_warning_and_one_entry(app: &TestApp) {
        let mo = app.staff("moderatrix", "Moderator").await;
        for (at, action, undo, entries) in [
            (None, "none", None, ["warn", ""]),
            (Some(0), "sensitive", Some("unsensitive"), ["mark_sensitive", "unmark_sensitive"]),
            (Some(1), "disable", Some("enable"), ["disable", "enable"]),
            (Some(2), "silence", Some("unsilence"), ["silence", "unsilence"]),
            (Some(3), "suspend", Some("unsuspend"), ["suspend", "unsuspend"]),
        ] {
            let people =
                [app.user(&format!("ann_{action}")).await, app.user(&format!("bob_{action}")).await];
            let ids: Vec<&str> = people.iter().map(|one| one.id.as_str()).collect();
            assert_eq!(restrict(&mo, action, &ids, json!({})).await, ["done"; 2], "{action}");
            let mut expected = json!([false, false, false, false]);
            if let Some(at) = at {
                expected[at] = json!(true);
                // The second time nothing changes.
                assert_eq!(restrict(&mo, action, &ids, json!({})).await, ["unchanged"; 2], "{action}");
            }
            for one in &people {
                assert_eq!(flags(&mo, one).await, expected, "{action}");
                assert_eq!(app.audited(one).await, [entries[0]], "{action}");
            }
            if let Some(undo) = undo {
                assert_eq!(mo.decide_in_bulk(undo, &ids).await, ["done"; 2]);
                assert_eq!(mo.decide_in_bulk(undo, &ids).await, ["unchanged"; 2]);
            }
            for one in &people {
                assert_eq!(flags(&mo, one).await, json!([false, false, false, false]), "{action}");
                let strikes = one.strikes().await;
                assert_eq!((strikes.len(), &strikes[0]["text"]), (1, &json!("Be kind")), "{action}");
                assert_eq!(one.warnings().await.len(), 1, "{action}");
                assert_eq!(app.audited(one).await, entries[..if undo.is_some() { 2 } else { 1 }]);
            }
        }
    }

    async fn the_rules_of_rank_and_of_each_account_hold(app: &TestApp) {
        let (boss, mo) = (app.staff("boss", "Owner").await, app.staff("mo", "Moderator").await);
        let (other, bob) = (app.staff("other", "Moderator").await, app.user("bob").await);
        let remote = app.remote("zoe", "far.example").await;
        let ids = [&*mo.id, &other.id, &boss.id, "1", "abc", &bob.id, &remote];
        let before = app.audited(&boss).await;
        assert_eq!(
            restrict(&mo, "silence", &ids, json!({})).await,
            ["forbidden", "forbidden", "forbidden", "not_found", "not_found", "done", "done"]
        );
        assert_eq!(restrict(&mo, "disable", &[&remote, &bob.id], json!({})).await, ["impossible", "done"]);
        assert_eq!(mo.decide_in_bulk("enable", &[&remote, &bob.id]).await, ["impossible", "done"]);
        assert_eq!(app.audited(&boss).await, before);
        assert_eq!(restrict(&boss, "suspend", &[&boss.id, &mo.id], json!({})).await, ["forbidden", "done"]);
    }

    // What is wrong for all is said once, and changes nothing.
    async fn wrong_texts_are_refused(app: &TestApp) {
        let (mo, bob) = (app.staff("mo", "Moderator").await, app.user("bob").await);
        let form = |more: Value| {
            let mut form = json!({ "action": "silence", "account_ids": [bob.id] });
            for (name, value) in more.as_object().unwrap() {
                form[name] = value.clone();
            }
            form
        };
        mo.json(BULK, form(json!({ "text": "é".repeat(2001) }))).await.expect(422);
        for preset in ["1", "abc", "99999999999999999999"] {
            mo.json(BULK, form(json!({ "warning_preset_id": preset }))).await.expect(404);
        }
        assert!(app.audited(&bob).await.is_empty());
        mo.json(BULK, form(json!({ "warning_preset_id": "" }))).await.ok();
        assert_eq!(app.audited(&bob).await, ["silence"]);
    }

    async fn open_reports_about_the_accounts_are_resolved(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let report = ann.report(&bob).await;
        assert_eq!(restrict(&mo, "none", &[&bob.id], json!({})).await, ["done"]);
        assert_eq!(mo.reported(&report).await["action_taken"], false);
        assert_eq!(restrict(&mo, "silence", &[&bob.id], json!({})).await, ["done"]);
        assert_eq!(mo.reported(&report).await["action_taken"], true);
    }

    async fn parallel_requests_decide_once(app: &TestApp) {
        let mo = app.staff("mo", "Moderator").await;
        let mut people = Vec::new();
        for number in 0..5 {
            people.push(app.user(&format!("fan{number}")).await);
        }
        let ids: Vec<&str> = people.iter().map(|one| one.id.as_str()).collect();
        let mut upside_down = ids.clone();
        upside_down.reverse();
        let orders = [&ids, &upside_down].into_iter().cycle().take(50);
        let requests = orders.map(async |ids| restrict(&mo, "suspend", ids, json!({})).await);
        let results = join_all(requests).await.concat();
        assert_eq!(results.iter().filter(|result| *result == "done").count(), 5);
        for one in &people {
            assert_eq!(app.audited(one).await, ["suspend"]);
        }
        assert_eq!(mo.decide_in_bulk("unsuspend", &ids).await, ["done"; 5]);
        for one in &people {
            assert_eq!(one.strikes().await.len(), 1);
        }
    }

    // The only owners cannot lock each other out.
    async fn owners_are_not_suspended_by_crossing_requests(app: &TestApp) {
        let (first, second) = (app.staff("first", "Owner").await, app.staff("second", "Owner").await);
        let both = [&*first.id, &second.id];
        let results = join_all([restrict(&first, "suspend", &both, json!({})), restrict(&second, "suspend", &both, json!({}))]).await;
        assert_eq!(results.concat(), ["forbidden"; 4]);
        first.get("/api/v1/accounts/verify_credentials").await.ok();
    }
}

both_engines! {
    fn each_person_gets_an_email_unless_staff_send_none(database: &TestDatabase) {
        with_mail(database, async |app, sink| {
            let mo = app.staff("mo", "Moderator").await;
            let (ann, bob) = (app.user("ann").await, app.user("bob").await);
            let ids = [&*ann.id, &bob.id];
            assert_eq!(restrict(&mo, "silence", &ids, json!({ "send_email_notification": false })).await, ["done"; 2]);
            assert_eq!(app.mails(sink, "ann@example.com").await.len(), 0);
            assert_eq!(restrict(&mo, "none", &ids, json!({})).await, ["done"; 2]);
            for to in ["ann@example.com", "bob@example.com"] {
                let mails = app.mails(sink, to).await;
                assert_eq!(mails.len(), 1, "{to}");
                assert!(mails[0].text().contains("Be kind") && mails[0].html().contains("Be kind"));
            }
        });
    }
}
