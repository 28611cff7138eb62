//! `/admin/domains`: blocked and allowed servers, and lists of blocks.

use reqwest::multipart;
use serde_json::{Value, json};
use siskin_entities::TargetKind;

use super::{
    SCRIPT, actions_on, assert_escaped, confirm, followed, posted_fields, staff_in_browser, submit,
};
use crate::support::{Client, Response, id, pictures::file};

const PAGE: &str = "/admin/domains";
const NEW: &str = "/admin/domains/new";
const PREVIEW: &str = "/admin/domains/preview";
const IMPORT: &str = "/admin/domains/import";
const IMPORT_PREVIEW: &str = "/admin/domains/import/preview";
const ALLOWED: &str = "/admin/domains/allowed";
const BLOCKS: &str = "/api/v1/admin/domain_blocks";

/// Uploads a list, and returns the page with the differences.
async fn upload(browser: &Client, list: &str) -> Response {
    let page = browser.get(IMPORT).await.text();
    let form = posted_fields(&page, IMPORT_PREVIEW)
        .into_iter()
        .fold(multipart::Form::new(), |form, (name, value)| form.text(name, value))
        .part("list", file(list.as_bytes().to_vec(), "list.csv", "text/csv"));
    browser.multipart(IMPORT_PREVIEW, form).await
}

/// Returns the domains and severities of all blocks, the latest first.
async fn blocks(staff: &Client) -> Vec<(String, String)> {
    let text = |block: &Value, name: &str| block[name].as_str().unwrap().to_owned();
    let listed = staff.get(BLOCKS).await.ok();
    let listed = listed.as_array().unwrap().iter();
    listed.map(|block| (text(block, "domain"), text(block, "severity"))).collect()
}

fn pair(domain: &str, severity: &str) -> (String, String) {
    (domain.to_owned(), severity.to_owned())
}

api_tests! {
    async fn a_block_is_created_after_its_dry_run(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (alice, zoe) = (app.user("alice").await, app.user("zoe").await);
        app.follow(&alice, &zoe).await;
        zoe.publish("One").await;
        app.set_domain(&zoe, "far.example").await;
        let fields = [
            ("domain", "Far.Example"), ("severity", "suspend"), ("reject_media", "1"),
            ("private_comment", SCRIPT), ("public_comment", "Spam\r\nonly"), ("obfuscate", "1"),
        ];
        let shown = submit(&browser, NEW, PREVIEW, &fields).await;
        assert_eq!(shown.status, 200, "{shown:?}");
        let page = shown.text();
        assert_escaped(&page);
        for part in [
            "Block far.example?", "1 known account would be suspended.",
            "1 follow of people here would end.", "1 post would be hidden.",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(blocks(&ada).await, []);
        let created = confirm(&browser, &shown, PAGE).await;
        let page = followed(&browser, &created).await;
        assert_escaped(&page);
        for part in ["The server is blocked.", "far.example", "No media", "Partly hidden"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let block = ada.get(BLOCKS).await.ok()[0].clone();
        assert_eq!(block["severity"], "suspend");
        assert_eq!((&block["private_comment"], &block["public_comment"]), (&json!(SCRIPT), &json!("Spam\nonly")));
        assert_eq!((&block["reject_media"], &block["reject_reports"]), (&json!(true), &json!(false)));
        assert_eq!(actions_on(app, TargetKind::DomainBlock, &id(&block)).await, ["create"]);
    }

    async fn a_conflict_leads_to_the_present_block(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let block = json!({ "domain": "far.example", "severity": "suspend" });
        let block = id(&ada.json(BLOCKS, block).await.ok());
        let fields = [("domain", "sub.far.example"), ("severity", "silence")];
        let shown = submit(&browser, NEW, PREVIEW, &fields).await.text();
        assert!(shown.contains("far.example already blocks sub.far.example as strictly."), "{shown}");
        assert!(shown.contains(&format!("href=\"{PAGE}/{block}\"")), "{shown}");
        // Another member of staff created the other block between the dry run and its confirmation.
        let mut form = posted_fields(&shown, PREVIEW);
        form.extend(fields.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let refused = browser.form(PAGE, &form).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("is at least as strict."), "{refused:?}");
        assert_eq!(blocks(&ada).await, [pair("far.example", "suspend")]);
    }

    async fn wrong_values_stay_in_the_form(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let long = "x".repeat(2001);
        for (name, value, problem) in [
            ("domain", SCRIPT, "id=\"block_domain_problem\""),
            ("domain", "", "can&#39;t be blank."),
            ("severity", "explode", "id=\"block_severity_problem\">Effect on its accounts is"),
            ("private_comment", &long, "id=\"block_private_comment_problem\">Comment for staff is"),
            ("public_comment", &long, "id=\"block_public_comment_problem\">Reason for others is"),
        ] {
            let mut fields = vec![("domain", "far.example"), ("severity", "suspend"), ("reject_reports", "1")];
            fields.retain(|(field, _)| *field != name);
            fields.push((name, value));
            let refused = submit(&browser, NEW, PREVIEW, &fields).await;
            assert_eq!(refused.status, 422, "{name}");
            let page = refused.text();
            assert_escaped(&page);
            assert!(page.contains(problem), "{problem}: {page}");
            assert!(page.contains("name=\"reject_reports\" type=\"checkbox\" value=\"1\" checked"), "{page}");
        }
        assert_eq!(blocks(&ada).await, []);
    }

    async fn a_block_is_found_changed_and_deleted(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        for domain in ["far.example", "other.example"] {
            ada.json(BLOCKS, json!({ "domain": domain })).await.ok();
        }
        let found = browser.get(&format!("{PAGE}?domain=FAR.example")).await.text();
        assert!(found.contains("far.example") && !found.contains("other.example"), "{found}");
        let none = browser.get(&format!("{PAGE}?domain=none.example")).await.text();
        assert!(none.contains("No such server is blocked."), "{none}");
        assert_eq!(browser.get(&format!("{PAGE}?domain=%3Cscript%3E")).await.status, 422);
        let block = ada.get(BLOCKS).await.ids().remove(1);
        let one = format!("{PAGE}/{block}");
        let fields = [("severity", "suspend"), ("public_comment", "Spam")];
        let page = followed(&browser, &submit(&browser, &one, &one, &fields).await).await;
        assert!(page.contains("The block was changed."), "{page}");
        let edit = browser.get(&one).await.text();
        assert!(edit.contains("value=\"suspend\" selected") && edit.contains("Spam"), "{edit}");
        let long = "x".repeat(2001);
        let fields = [("severity", "noop"), ("public_comment", &*long)];
        let refused = submit(&browser, &one, &one, &fields).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("value=\"noop\" selected"), "{refused:?}");
        let delete = format!("{one}/delete");
        let asked = submit(&browser, PAGE, &delete, &[]).await;
        assert_eq!(blocks(&ada).await.len(), 2);
        let page = followed(&browser, &confirm(&browser, &asked, &delete).await).await;
        assert!(page.contains("The block was deleted."), "{page}");
        assert_eq!(blocks(&ada).await, [pair("other.example", "silence")]);
        assert_eq!(actions_on(app, TargetKind::DomainBlock, &block).await, ["create", "update", "delete"]);
    }

    async fn a_long_list_has_pages(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        for number in 0..5 {
            ada.json(BLOCKS, json!({ "domain": format!("d{number}.example") })).await.ok();
        }
        let first = browser.get(&format!("{PAGE}?limit=2")).await.text();
        assert!(first.contains("d4.example") && !first.contains("d2.example"), "{first}");
        let older = first.split("rel=\"next\" href=\"").nth(1).unwrap_or_else(|| panic!("{first}"));
        let older = older.split('"').next().unwrap().replace("&#38;", "&");
        let second = browser.get(&older).await.text();
        assert!(second.contains("d2.example") && second.contains("rel=\"prev\""), "{second}");
    }

    async fn an_import_shows_its_differences_first(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        for domain in ["changed.example", "here.example"] {
            ada.json(BLOCKS, json!({ "domain": domain })).await.ok();
        }
        let list = "#domain,#severity,#public_comment\nnew.example,suspend,\"A <b>,\nB\"\n\
                    changed.example,suspend,\n<script>,suspend,\nsub.new.example,silence,\n";
        let shown = upload(&browser, list).await;
        assert_eq!(shown.status, 200, "{shown:?}");
        let page = shown.text();
        assert_escaped(&page);
        for part in [
            "1 new block", "1 changed block", "1 refused line", "1 line that is no block",
            "A &#60;b&#62;", "Blocked only here", "here.example", "Limited",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(blocks(&ada).await.len(), 2);
        let form = posted_fields(&page, IMPORT)
            .into_iter()
            .fold(multipart::Form::new(), |form, (name, value)| form.text(name, value));
        let imported = browser.multipart(IMPORT, form).await;
        let page = followed(&browser, &imported).await;
        assert!(page.contains("1 block added, 1 block changed."), "{page}");
        let expected = [
            pair("new.example", "suspend"), pair("here.example", "silence"),
            pair("changed.example", "suspend"),
        ];
        assert_eq!(blocks(&ada).await, expected);
        let exported = browser.get("/admin/domains/export").await;
        assert!(exported.header("content-type").unwrap().starts_with("text/csv"));
        let again = upload(&browser, &exported.text()).await.text();
        assert!(again.contains("The import would change nothing."), "{again}");
    }

    async fn a_domain_in_several_lines_is_decided_once(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let list = "twice.example,silence\nonce.example,silence\nTWICE.example,suspend\n";
        let page = upload(&browser, list).await.text();
        for part in [
            "2 new blocks", "Domains in several lines",
            "gets one block, with the strictest values of its lines.", "1, 3", "Suspended",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        for part in ["changed block", "stays as it is"] {
            assert!(!page.contains(part), "{part}: {page}");
        }
        let form = posted_fields(&page, IMPORT)
            .into_iter()
            .fold(multipart::Form::new(), |form, (name, value)| form.text(name, value));
        let page = followed(&browser, &browser.multipart(IMPORT, form).await).await;
        assert!(page.contains("2 blocks added, 0 blocks changed."), "{page}");
        let expected = [pair("once.example", "silence"), pair("twice.example", "suspend")];
        assert_eq!(blocks(&ada).await, expected);
        // It also changes a block only once, in any order of the lines.
        let list = "once.example,suspend\nonce.example,noop\n";
        let page = upload(&browser, list).await.text();
        assert!(page.contains("1 changed block") && !page.contains("new block"), "{page}");
    }

    async fn files_that_are_no_lists_are_refused(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        for list in ["", "\n\n", "#domain,#severity\n"] {
            let refused = upload(&browser, list).await;
            assert_eq!(refused.status, 422, "{list:?}: {refused:?}");
            assert!(refused.text().contains("id=\"import_list_problem\""), "{refused:?}");
        }
    }

    async fn domains_are_allowed_and_no_longer_allowed(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let allowed = submit(&browser, ALLOWED, ALLOWED, &[("domain", "Good.Example")]).await;
        let page = followed(&browser, &allowed).await;
        assert!(page.contains("The server is allowed.") && page.contains("good.example"), "{page}");
        let refused = submit(&browser, ALLOWED, ALLOWED, &[("domain", SCRIPT)]).await;
        assert_eq!(refused.status, 422);
        assert_escaped(&refused.text());
        let allow = ada.get("/api/v1/admin/domain_allows").await.ids().remove(0);
        let delete = format!("{ALLOWED}/{allow}/delete");
        let page = followed(&browser, &submit(&browser, ALLOWED, &delete, &[]).await).await;
        assert!(page.contains("No server is allowed."), "{page}");
        let log = actions_on(app, TargetKind::DomainAllow, &allow).await;
        assert_eq!(log, ["create", "delete"]);
    }
}
