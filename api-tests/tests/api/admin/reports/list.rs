//! `GET /api/v1/admin/reports` and one report.

use serde_json::{Value, json};
use siskin_services::accounts;

use super::REPORTS;
use crate::support::{TestApp, User, id};

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let report = alice.report(&bob).await;
        let staff = app.staff("mod", "Moderator").await;
        let reads = app.user_with_scopes(&staff, "read write admin:read:reports").await;
        let writes = app.user_with_scopes(&staff, "admin:write:reports").await;
        let other = app.user_with_scopes(&staff, "admin:read:accounts admin:write:accounts").await;
        let powerless = app.user_with_scopes(&alice, "admin:read admin:write").await;
        let refused = json!({ "error": "This action is not allowed" });
        let one = format!("{REPORTS}/{report}");
        for path in [REPORTS.to_owned(), one.clone(), format!("{one}/notes")] {
            app.anonymous().get(&path).await.expect(401);
            assert_eq!(powerless.get(&path).await.expect(403), refused);
            for client in [&alice.client, &writes, &other] {
                client.get(&path).await.expect(403);
            }
            reads.get(&path).await.ok();
        }
        for action in ["assign_to_self", "unassign", "resolve", "reopen", "notes"] {
            let path = format!("{one}/{action}");
            app.anonymous().post(&path).await.expect(401);
            assert_eq!(powerless.post(&path).await.expect(403), refused);
            for client in [&alice.client, &reads, &other] {
                client.post(&path).await.expect(403);
            }
            writes.form(&path, &[("content", "x")]).await.ok();
        }
        powerless.put(&one, &[("category", "spam")]).await.expect(403);
        reads.put(&one, &[("category", "spam")]).await.expect(403);
        writes.put(&one, &[("category", "spam")]).await.ok();
        app.give_role(&staff, None).await;
        assert_eq!(reads.get(REPORTS).await.expect(403), refused);
    }

    async fn open_reports_are_listed_unless_others_are_wanted(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let staff = app.staff("mod", "Moderator").await;
        let first = alice.report(&bob).await;
        let second = alice.report(&carol).await;
        let third = bob.report(&carol).await;
        let resolved = carol.report(&bob).await;
        staff.on_report(&resolved, "resolve").await;
        let list = async |query: &str| staff.get(&format!("{REPORTS}?{query}")).await.ids();
        let all = [&third, &second, &first];
        for query in ["", "resolved=", "resolved=false", "resolved=0", "account_id="] {
            assert_eq!(list(query).await, all.map(String::as_str), "{query}");
        }
        for query in ["resolved=true", "resolved=1"] {
            assert_eq!(list(query).await, [resolved.as_str()], "{query}");
        }
        for (query, expected) in [
            (format!("account_id={}", alice.id), vec![&second, &first]),
            (format!("target_account_id={}", carol.id), vec![&third, &second]),
            (format!("account_id={}&target_account_id={}", alice.id, carol.id), vec![&second]),
            (format!("account_id={}&resolved=1", carol.id), vec![&resolved]),
            (format!("target_account_id={}&resolved=1", bob.id), vec![&resolved]),
            (format!("account_id={}&target_account_id={}&resolved=1", carol.id, bob.id), vec![&resolved]),
            (format!("account_id={}", carol.id), vec![]),
            ("account_id=x".to_owned(), vec![]),
            ("target_account_id=115600000000000001".to_owned(), vec![]),
        ] {
            assert_eq!(list(&query).await, expected.into_iter().cloned().collect::<Vec<_>>(), "{query}");
        }
    }

    async fn the_list_has_pages(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let staff = app.staff("mod", "Moderator").await;
        let mut reports = Vec::new();
        for _ in 0..5 {
            reports.insert(0, alice.report(&bob).await);
        }
        let first = staff.get(&format!("{REPORTS}?limit=2&account_id={}", alice.id)).await;
        assert_eq!(first.ids(), reports[..2]);
        let next = staff.get(&first.link("next").unwrap()).await;
        assert_eq!(next.ids(), reports[2..4]);
        let back = next.link("prev").unwrap();
        assert!(back.contains("since_id") && back.contains("account_id"), "{back}");
        assert_eq!(staff.get(&back).await.ids(), reports[..2]);
        assert_eq!(staff.walk(&format!("{REPORTS}?limit=2")).await, reports);
        let above = format!("{REPORTS}?limit=2&min_id={}", reports[3]);
        assert_eq!(staff.get(&above).await.ids(), reports[1..3]);
        staff.get(&format!("{REPORTS}?max_id=x")).await.expect(422);
    }

    async fn ids_that_do_not_exist_are_not_found(app: &TestApp) {
        let staff = app.staff("mod", "Moderator").await;
        for report in ["115600000000000001", "0", "x"] {
            let path = format!("{REPORTS}/{report}");
            assert_eq!(staff.get(&path).await.expect(404), json!({ "error": "Record not found" }));
            staff.put(&path, &[("category", "spam")]).await.expect(404);
            staff.get(&format!("{path}/notes")).await.expect(404);
            for action in ["assign_to_self", "unassign", "resolve", "reopen", "notes"] {
                staff.post(&format!("{path}/{action}")).await.expect(404);
            }
        }
    }

    // That is the purpose of a report. Other statuses stay hidden from staff.
    async fn staff_see_reported_statuses_whatever_their_visibility_is(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let staff = app.staff("mod", "Moderator").await;
        app.follow(&alice, &bob).await;
        let publish = async |text: &str, visibility: &str| {
            id(&bob.publish_as(json!({ "status": text, "visibility": visibility })).await)
        };
        let private = publish("To followers", "private").await;
        let direct = publish("@alice only you", "direct").await;
        let other = publish("Not reported", "private").await;
        let report = alice.report_as(&bob, json!({ "status_ids": [private, direct] })).await;
        let shown = staff.reported(&report).await;
        let contents: Vec<&Value> = (0..2).map(|n| &shown["statuses"][n]["id"]).collect();
        assert_eq!(contents, [&json!(private), &json!(direct)]);
        assert_eq!(shown["statuses"][0]["content"], "<p>To followers</p>");
        assert_eq!(shown["statuses"][0]["filtered"], json!([]));
        for status in [&private, &direct, &other] {
            staff.get(&format!("/api/v1/statuses/{status}")).await.expect(404);
        }
        // Blocks of staff, and those by the author, hide nothing either.
        bob.act_on("block", &staff).await;
        staff.post(&format!("/api/v1/accounts/{}/block", bob.id)).await.ok();
        let again = staff.reported(&report).await;
        assert_eq!(again["statuses"].as_array().unwrap().len(), 2);
        assert_eq!(staff.get(REPORTS).await.ok()[0]["statuses"].as_array().unwrap().len(), 2);
    }

    // A member of staff does not learn who reported it. An administrator could read the database.
    async fn staff_do_not_handle_reports_about_themselves(app: &TestApp) {
        let alice = app.user("alice").await;
        let moderator = app.staff("mod", "Moderator").await;
        let other = app.staff("other", "Moderator").await;
        let owner = app.staff("owner", "Owner").await;
        let about_moderator = alice.report(&moderator).await;
        let about_owner = alice.report(&owner).await;
        let of_moderator: Vec<String> = moderator.get(REPORTS).await.ids();
        assert_eq!(of_moderator, [about_owner.as_str()]);
        for client in [&other, &owner] {
            let all = client.get(REPORTS).await.ids();
            assert_eq!(all, [about_owner.as_str(), about_moderator.as_str()]);
            client.reported(&about_owner).await;
        }
        let path = format!("{REPORTS}/{about_moderator}");
        moderator.get(&path).await.expect(404);
        moderator.put(&path, &[("category", "spam")]).await.expect(404);
        for action in ["assign_to_self", "unassign", "resolve", "reopen", "notes"] {
            moderator.post(&format!("{path}/{action}")).await.expect(404);
        }
        let query = format!("{REPORTS}?target_account_id={}", moderator.id);
        assert_eq!(moderator.get(&query).await.ok(), json!([]));
        assert_eq!(app.audit_of_report(&about_moderator).await, []);
    }

    async fn reports_go_with_the_accounts_that_they_name(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let (helper, staff) =
            (app.staff("helper", "Moderator").await, app.staff("mod", "Moderator").await);
        let by_bob = bob.report(&carol).await;
        let about_bob = alice.report(&bob).await;
        let kept = alice.report(&carol).await;
        app.app().drain_jobs().await.unwrap();
        helper.on_report(&kept, "assign_to_self").await;
        helper.on_report(&kept, "resolve").await;
        let note = format!("{REPORTS}/{kept}/notes");
        helper.form(&note, &[("content", "Seen")]).await.ok();
        let shown = staff.reported(&kept).await;
        assert_eq!(shown["assigned_account"]["username"], "helper");
        assert_eq!(shown["action_taken_by_account"]["username"], "helper");

        delete(app, &bob).await;
        assert_eq!(staff.get(REPORTS).await.ok(), json!([]));
        for gone in [by_bob, about_bob] {
            staff.get(&format!("{REPORTS}/{gone}")).await.expect(404);
        }
        // Notifications about them are gone, too.
        assert_eq!(staff.get("/api/v1/notifications").await.ok().as_array().unwrap().len(), 1);

        delete(app, &helper).await;
        let shown = staff.reported(&kept).await;
        assert_eq!((&shown["action_taken"], &shown["assigned_account"]), (&json!(true), &json!(null)));
        assert_eq!(shown["action_taken_by_account"], json!(null));
        let notes = staff.get(&note).await.ok();
        assert_eq!((&notes[0]["content"], &notes[0]["account"]), (&json!("Seen"), &json!(null)));
    }
}

async fn delete(app: &TestApp, user: &User) {
    let account = user.id.parse().unwrap();
    let step =
        async || app.app().write(move |tx| accounts::delete_some(tx, account)).await.unwrap();
    while !step().await {}
}
