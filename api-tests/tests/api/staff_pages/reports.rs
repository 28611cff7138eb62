//! `/admin/reports`: lists of reports, one report, and what staff do with it.

use serde_json::json;
use siskin_entities::AuditAction;

use super::{SCRIPT, assert_escaped, confirm, followed, posted_fields, staff_in_browser, submit};
use crate::support::{Client, Response, TestApp, id};

const PAGE: &str = "/admin/reports";

fn page_of(report: &str) -> String {
    format!("{PAGE}/{report}")
}

/// Submits a decision about a report: `assign`, `resolve` and so on.
async fn decide(browser: &Client, report: &str, decision: &str) -> Response {
    let page = page_of(report);
    submit(browser, &page, &format!("{page}/decide"), &[("decision", decision)]).await
}

/// Returns `true` if a list links to the report.
async fn lists(browser: &Client, query: &str, report: &str) -> bool {
    let page = browser.get(&format!("{PAGE}?{query}")).await;
    assert_eq!(page.status, 200, "{query}: {page:?}");
    page.text().contains(&format!("href=\"{}\"", page_of(report)))
}

async fn audited(app: &TestApp, report: &str) -> Vec<AuditAction> {
    let entries = app.audit_of_report(report).await;
    entries.iter().rev().map(|entry| entry.action).collect()
}

api_tests! {
    async fn a_report_shows_what_was_reported(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let rule = app.rule("Be kind").await;
        app.follow(&ann, &bob).await;
        let hidden = bob.publish_as(json!({ "status": "You are awful", "visibility": "private" })).await;
        let report = json!({
            "comment": "Look at this", "status_ids": [hidden["id"]], "rule_ids": [rule],
        });
        let report = ann.report_as(&bob, report).await;
        let page = browser.get(&page_of(&report)).await.text();
        for part in ["@bob", "@ann", "Look at this", "You are awful", "Be kind", "Breach of the rules", "No one"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(lists(&browser, "", &report).await);
        bob.delete(&format!("/api/v1/statuses/{}", id(&hidden))).await.ok();
        let page = browser.get(&page_of(&report)).await.text();
        assert!(page.contains("There are none any more."), "{page}");
    }

    async fn reports_are_assigned_resolved_and_reopened(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let report = ann.report(&bob).await;
        assert!(!lists(&browser, "list=mine", &report).await);
        for (decision, notice) in [
            ("assign", "The report is assigned to you."),
            ("resolve", "The report is resolved."),
            ("reopen", "The report is open again."),
            ("unassign", "Your assignment has ended."),
        ] {
            let page = followed(&browser, &decide(&browser, &report, decision).await).await;
            assert!(page.contains(notice), "{decision}: {page}");
            let is_mine = lists(&browser, "list=mine", &report).await;
            let is_open = lists(&browser, "", &report).await;
            let is_resolved = lists(&browser, "list=resolved", &report).await;
            let expected = match decision {
                "assign" | "reopen" => [true, true, false],
                "resolve" => [false, false, true],
                _ => [false, true, false],
            };
            assert_eq!([is_mine, is_open, is_resolved], expected, "{decision}");
        }
        let refused = decide(&browser, &report, "explode").await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("Choose what to do."));
        assert_eq!(
            audited(app, &report).await,
            [AuditAction::Assign, AuditAction::Resolve, AuditAction::Reopen, AuditAction::Unassign]
        );
    }

    async fn reports_of_one_account_are_listed(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let report = ann.report(&bob).await;
        for (query, is_listed) in [
            (format!("target_account_id={}", bob.id), true),
            (format!("account_id={}", ann.id), true),
            (format!("target_account_id={}", ann.id), false),
            ("account_id=x".to_owned(), false),
            ("list=unknown&account_id=".to_owned(), true),
        ] {
            assert_eq!(lists(&browser, &query, &report).await, is_listed, "{query}");
        }
        let page = browser.get(&format!("/admin/accounts/{}", bob.id)).await.text();
        assert!(page.contains(&format!("href=\"{}\"", page_of(&report))), "{page}");
    }

    async fn staff_act_on_the_account_from_a_report(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let report = ann.report(&bob).await;
        let action = format!("/admin/accounts/{}/action", bob.id);
        let form = format!("{action}?report_id={report}");
        let page = browser.get(&page_of(&report)).await.text();
        assert!(page.contains(&format!("href=\"{form}\"")), "{page}");
        let done = submit(&browser, &form, &action, &[("type", "silence"), ("text", "Enough")]).await;
        assert!(done.header("location").unwrap().contains(&page_of(&report)), "{done:?}");
        let page = followed(&browser, &done).await;
        assert!(page.contains("The decision took effect.") && page.contains("Limited"), "{page}");
        assert!(lists(&browser, "list=resolved", &report).await);
        let strikes = bob.strikes().await;
        assert_eq!((strikes.len(), &strikes[0]["action"]), (1, &json!("silence")));
        // A report about another account is not found.
        let eve = app.user("eve").await;
        let other = format!("/admin/accounts/{}/action", eve.id);
        let fields = [("type", "silence")];
        let page = format!("{other}?report_id={report}");
        assert_eq!(submit(&browser, &page, &other, &fields).await.status, 404);
        assert_eq!(app.audited(&eve).await, Vec::<&str>::new());
    }

    async fn the_reported_posts_are_deleted_with_one_strike(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let (first, second) = (bob.publish("Rude 1").await, bob.publish("Rude 2").await);
        let both = json!({ "status_ids": [first["id"], second["id"]] });
        let report = ann.report_as(&bob, both).await;
        let (page, action) = (page_of(&report), format!("{}/statuses", page_of(&report)));
        let refused = submit(&browser, &page, &action, &[("type", "delete"), ("text", "Stop it")]).await;
        assert_eq!(refused.status, 422);
        let shown = refused.text();
        assert!(shown.contains("Choose at least one post.") && shown.contains("Stop it"), "{shown}");
        assert!(shown.contains("value=\"delete\" checked"), "{shown}");
        let fields = [("type", "delete"), ("text", "Stop it"), ("status_ids[]", &*id(&first))];
        let asked = submit(&browser, &page, &action, &fields).await;
        assert!(asked.text().contains("Delete 1 post of @bob?"), "{asked:?}");
        assert_eq!(bob.get(&format!("/api/v1/statuses/{}", id(&first))).await.status, 200);
        let shown = followed(&browser, &confirm(&browser, &asked, &action).await).await;
        assert!(shown.contains("Some of the reported posts were deleted."), "{shown}");
        assert_eq!(bob.get(&format!("/api/v1/statuses/{}", id(&first))).await.status, 404);
        assert_eq!(bob.get(&format!("/api/v1/statuses/{}", id(&second))).await.status, 200);
        assert_eq!(bob.strikes().await.len(), 1);
        assert!(lists(&browser, "list=resolved", &report).await);
    }

    async fn a_form_names_only_the_posts_of_its_report(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let direct = |text: &str| {
            json!({ "status": format!("@ann {text}"), "spoiler_text": "Rude", "visibility": "direct" })
        };
        let reported = bob.publish_as(direct("You are awful")).await;
        let others = [
            id(&bob.publish_as(direct("Secret words")).await),
            id(&bob.publish("Hello").await),
            id(&ann.publish("Good day").await),
            "115600000000000001".to_owned(),
        ];
        let report = ann.report_as(&bob, json!({ "status_ids": [reported["id"]] })).await;
        let (page, action) = (page_of(&report), format!("{}/statuses", page_of(&report)));
        let act = async |kind: &str, posts: &[&str]| {
            let mut fields = vec![("type", kind)];
            fields.extend(posts.iter().map(|post| ("status_ids[]", *post)));
            submit(&browser, &page, &action, &fields).await
        };
        let reported_id = id(&reported);
        for unknown in &others {
            for kind in ["delete", "mark_as_sensitive"] {
                for posts in [vec![unknown.as_str()], vec![reported_id.as_str(), unknown.as_str()]] {
                    let refused = act(kind, &posts).await;
                    assert_eq!(refused.status, 422, "{kind} {unknown}: {refused:?}");
                    let shown = refused.text();
                    assert!(shown.contains("One of the posts does not exist any more."), "{shown}");
                    assert!(!shown.contains("Secret"), "{shown}");
                }
            }
        }
        // Staff read it in the report, but its own page is closed to them.
        let asked = act("delete", &[&*reported_id]).await;
        let shown = asked.text();
        assert!(shown.contains("<p class=\"lines\">Rude\n") && shown.contains("You are awful"), "{shown}");
        assert!(!shown.contains(&format!("href=\"{}\"", reported["url"].as_str().unwrap())), "{shown}");
        followed(&browser, &confirm(&browser, &asked, &action).await).await;
        assert_eq!(bob.strikes().await.len(), 1);
        assert!(ann.strikes().await.is_empty());
        // A report about a member of staff does not exist for that person.
        let (mo, own) = staff_in_browser(app, "max", "Moderator").await;
        let about_mo = page_of(&ann.report(&mo).await);
        let mut form = posted_fields(&own.get("/admin").await.text(), "/auth/sign_out");
        form.extend([("type".to_owned(), "delete".to_owned()), ("status_ids[]".to_owned(), others[1].clone())]);
        assert_eq!(own.form(&format!("{about_mo}/statuses"), &form).await.status, 404);
    }

    async fn notes_are_written_and_deleted_by_their_author(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (_, other) = staff_in_browser(app, "max", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let report = ann.report(&bob).await;
        let (page, action) = (page_of(&report), format!("{}/notes", page_of(&report)));
        let add = async |text: &str| submit(&browser, &page, &action, &[("content", text)]).await;
        let refused = add(" ").await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("New note can&#39;t be blank."), "{refused:?}");
        let long = "é".repeat(2001);
        let refused = add(&long).await;
        assert!(refused.status == 422 && refused.text().contains(&long));
        let shown = followed(&browser, &add("I know this person").await).await;
        assert!(shown.contains("I know this person") && shown.contains("The note was added."), "{shown}");
        let delete = shown.split(&format!("action=\"{action}/")).nth(1).unwrap();
        let delete = format!("{action}/{}", delete.split('"').next().unwrap());
        let shown = other.get(&page).await.text();
        assert!(shown.contains("I know this person") && !shown.contains(&delete), "{shown}");
        let form = posted_fields(&shown, &action);
        assert_eq!(other.form(&delete, &form).await.status, 403);
        let shown = followed(&browser, &submit(&browser, &page, &delete, &[]).await).await;
        assert!(!shown.contains("I know this person"), "{shown}");
    }

    async fn the_category_and_the_rules_are_changed(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let rule = app.rule("Be kind").await;
        let report = ann.report(&bob).await;
        let page = page_of(&report);
        let refused = submit(&browser, &page, &page, &[("category", "violation")]).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("Rules that were broken are missing."));
        let fields = [("category", "violation"), ("rule_ids[]", rule.as_str())];
        let shown = followed(&browser, &submit(&browser, &page, &page, &fields).await).await;
        assert!(shown.contains("The category was changed."), "{shown}");
        assert!(shown.contains(&format!("value=\"{rule}\" checked")), "{shown}");
        let shown = followed(&browser, &submit(&browser, &page, &page, &[("category", "spam")]).await).await;
        assert!(!shown.contains(&format!("value=\"{rule}\" checked")), "{shown}");
        assert_eq!(audited(app, &report).await, [AuditAction::Update, AuditAction::Update]);
    }

    async fn a_member_of_staff_does_not_see_reports_about_itself(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let ann = app.user("ann").await;
        let report = ann.report(&mo).await;
        assert_eq!(browser.get(&page_of(&report)).await.status, 404);
        assert!(!lists(&browser, "", &report).await);
        let page = browser.get(&format!("/admin/accounts/{}", mo.id)).await.text();
        assert!(!page.contains(&page_of(&report)), "{page}");
        let form = posted_fields(&browser.get("/admin").await.text(), "/auth/sign_out");
        let form = [&form[..], &[("decision".to_owned(), "resolve".to_owned())]].concat();
        let path = format!("{}/decide", page_of(&report));
        assert_eq!(browser.form(&path, &form).await.status, 404);
    }

    async fn what_people_wrote_is_escaped(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        app.rule(SCRIPT).await;
        let rude = bob.publish_as(json!({ "status": SCRIPT, "spoiler_text": SCRIPT })).await;
        let report = json!({ "comment": SCRIPT, "status_ids": [rude["id"]] });
        let report = ann.report_as(&bob, report).await;
        let (page, action) = (page_of(&report), format!("{}/notes", page_of(&report)));
        followed(&browser, &submit(&browser, &page, &action, &[("content", SCRIPT)]).await).await;
        for path in [PAGE.to_owned(), page, format!("{PAGE}?list={SCRIPT}&account_id={SCRIPT}")] {
            assert_escaped(&browser.get(&path).await.text());
        }
    }
}
