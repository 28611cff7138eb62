//! Extensions of `/api/v1/admin/domain_blocks`: the dry run of a block, import and export.

use reqwest::multipart;
use serde_json::{Value, json};
use siskin_entities::TargetKind;

use crate::support::{Client, Response, id, pictures};

const BLOCKS: &str = "/api/v1/admin/domain_blocks";
const PREVIEW: &str = "/api/v1/admin/domain_blocks/preview";
const EXPORT: &str = "/api/v1/admin/domain_blocks/export";
const IMPORT: &str = "/api/v1/admin/domain_blocks/import";
const HEADER: &str = "#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate\n";

async fn block(staff: &Client, domain: &str, severity: &str) -> Value {
    staff.form(BLOCKS, &[("domain", domain), ("severity", severity)]).await.ok()
}

async fn import(staff: &Client, list: &str, dry_run: bool) -> Response {
    staff.json(IMPORT, json!({ "data": list, "dry_run": dry_run })).await
}

/// Returns the domain and the result of each line of an import.
fn results(import: &Value) -> Vec<(String, String)> {
    let text = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    let lines = import["lines"].as_array().unwrap().iter();
    lines.map(|line| (text(line, "domain"), text(line, "result"))).collect()
}

fn counts(import: &Value) -> [u64; 5] {
    ["added", "changed", "unchanged", "conflicting", "invalid"]
        .map(|name| import[name].as_u64().unwrap())
}

api_tests! {
    async fn a_dry_run_counts_what_a_block_would_change(app: &TestApp) {
        let (admin, alice) = (app.staff("ada", "Admin").await, app.user("alice").await);
        let bob = app.user("bob").await;
        let (zoe, yan) = (app.user("zoe").await, app.user("yan").await);
        for (one, other) in [(&alice, &zoe), (&bob, &zoe), (&zoe, &alice), (&alice, &yan), (&zoe, &yan)] {
            one.act_on("follow", other).await;
        }
        zoe.publish("One").await;
        zoe.publish("Two").await;
        yan.publish("Three").await;
        app.set_domain(&zoe, "far.example").await;
        app.set_domain(&yan, "sub.far.example").await;
        app.remote("xia", "notfar.example").await;
        let preview = async |domain: &str, severity: &str| {
            admin.form(PREVIEW, &[("domain", domain), ("severity", severity)]).await.ok()
        };
        let all = preview("Far.example", "suspend").await;
        let expected = json!({
            "domain": "far.example", "severity": "suspend", "accounts_count": 2,
            "follows_count": 3, "followers_count": 1, "statuses_count": 3,
            "existing_domain_block": null,
        });
        assert_eq!(all, expected);
        let silenced = preview("far.example", "silence").await;
        assert_eq!((&silenced["accounts_count"], &silenced["follows_count"]), (&json!(2), &json!(0)));
        // A subdomain with its own block stays as it is.
        let own = block(&admin, "sub.far.example", "suspend").await;
        app.app().drain_jobs().await.unwrap();
        let rest = preview("far.example", "suspend").await;
        assert_eq!((&rest["accounts_count"], &rest["statuses_count"]), (&json!(1), &json!(2)));
        let conflict = preview("sub.far.example", "silence").await;
        assert_eq!(conflict["existing_domain_block"], own);
        assert_eq!(conflict["accounts_count"], 1);
        let unknown = preview("unknown.example", "suspend").await;
        assert_eq!((&unknown["accounts_count"], &unknown["statuses_count"]), (&json!(0), &json!(0)));
        assert_eq!(admin.get(BLOCKS).await.ok(), json!([own]));
        for (domain, severity) in [("", "suspend"), ("bad example", "suspend"), ("x.example", "x")] {
            admin.form(PREVIEW, &[("domain", domain), ("severity", severity)]).await.expect(422);
        }
        admin.form(PREVIEW, &[("domain", app.domain())]).await.expect(422);
    }

    async fn the_export_is_a_csv_file_that_can_be_imported(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let empty = admin.get(EXPORT).await;
        assert_eq!((empty.status, empty.text()), (200, HEADER.to_owned()));
        assert_eq!(empty.header("content-type"), Some("text/csv; charset=utf-8"));
        assert_eq!(
            empty.header("content-disposition"),
            Some("attachment; filename=\"domain_blocks.csv\"")
        );
        admin.json(BLOCKS, json!({
            "domain": "a.example", "severity": "suspend", "reject_media": true,
            "public_comment": "Spam, \"lies\"\nand more", "private_comment": "secret",
        })).await.ok();
        block(&admin, "b.example", "noop").await;
        let expected = format!(
            "{HEADER}a.example,suspend,true,false,\"Spam, \"\"lies\"\"\nand more\",false\n\
             b.example,noop,false,false,,false\n"
        );
        let list = admin.get(EXPORT).await.text();
        assert_eq!(list, expected);
        let before = admin.get(BLOCKS).await.ok();
        let again = import(&admin, &list, false).await.ok();
        assert_eq!((counts(&again), &again["repeated"]), ([0, 0, 2, 0, 0], &json!([])));
        assert_eq!(admin.get(BLOCKS).await.ok(), before);
        for blocked in before.as_array().unwrap() {
            admin.delete(&format!("{BLOCKS}/{}", id(blocked))).await.ok();
        }
        assert_eq!(counts(&import(&admin, &list, false).await.ok()), [2, 0, 0, 0, 0]);
        assert_eq!(admin.get(EXPORT).await.text(), expected);
    }

    async fn a_dry_run_shows_the_difference_and_stores_nothing(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let same = block(&admin, "same.example", "silence").await;
        let changed = block(&admin, "changed.example", "silence").await;
        let parent = block(&admin, "parent.example", "suspend").await;
        let list = format!(
            "{HEADER}same.example,silence,false,false,,false\n\
             Changed.example,suspend,true,false,Spam,true\n\
             sub.parent.example,silence\n\
             new.example\n\
             new.example,suspend\n\
             below.new.example,suspend\n\
             not a domain,suspend\n"
        );
        let before = admin.get(BLOCKS).await.ok();
        let dry = import(&admin, &list, true).await.ok();
        assert_eq!(dry["dry_run"], true);
        assert_eq!(counts(&dry), [1, 1, 2, 2, 1]);
        let expected = [
            ("same.example", "unchanged"),
            ("changed.example", "changed"),
            ("sub.parent.example", "conflicting"),
            ("new.example", "added"),
            ("new.example", "unchanged"),
            ("below.new.example", "conflicting"),
            ("not a domain", "invalid"),
        ]
        .map(|(domain, result)| (domain.to_owned(), result.to_owned()));
        assert_eq!(results(&dry), expected);
        assert_eq!(dry["lines"][1], json!({
            "line": 3, "domain": "changed.example", "result": "changed", "error": null,
            "domain_block": {
                "severity": "suspend", "reject_media": true, "reject_reports": false,
                "public_comment": "Spam", "obfuscate": true,
            },
            "existing_domain_block": changed,
        }));
        assert_eq!(dry["lines"][2]["existing_domain_block"], parent);
        assert_eq!(dry["lines"][3]["domain_block"]["severity"], "suspend");
        assert_eq!(dry["lines"][6]["error"], "Domain is not a valid domain name");
        assert_eq!(dry["only_here"], json!(["parent.example"]));
        assert_eq!(admin.get(BLOCKS).await.ok(), before);

        let mut done = import(&admin, &list, false).await.ok();
        assert_eq!(results(&done), expected);
        // Only a real import refers to the new block.
        done["lines"][5]["existing_domain_block"].take();
        let mut dry = dry;
        dry["lines"][5]["existing_domain_block"].take();
        dry["dry_run"] = json!(false);
        assert_eq!(done, dry);
        let after = admin.get(&format!("{BLOCKS}/{}", id(&changed))).await.ok();
        assert_eq!((&after["severity"], &after["public_comment"]), (&json!("suspend"), &json!("Spam")));
        assert_eq!(admin.get(&format!("{BLOCKS}/{}", id(&same))).await.ok(), same);
        assert_eq!(admin.get(BLOCKS).await.ids().len(), 4);
        let entries = app.audit_of(TargetKind::DomainBlock, &id(&changed)).await;
        let actions: Vec<&str> = entries.iter().map(|entry| entry.action.as_str()).collect();
        assert_eq!(actions, ["create", "update"]);
    }

    async fn lines_about_one_domain_are_decided_together(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        block(&admin, "old.example", "noop").await;
        let list = "new.example,silence\nold.example,suspend\nNEW.example,suspend,true\n\
                    old.example,silence\nnew.example,noop\n";
        for dry_run in [true, false] {
            let import = import(&admin, list, dry_run).await.ok();
            assert_eq!(counts(&import), [1, 1, 3, 0, 0]);
            for line in import["lines"].as_array().unwrap() {
                assert_eq!(line["domain_block"]["severity"], "suspend", "{line}");
            }
            assert_eq!(import["lines"][0]["domain_block"]["reject_media"], true);
            let repeated = json!([
                { "domain": "new.example", "lines": [1, 3, 5] },
                { "domain": "old.example", "lines": [2, 4] },
            ]);
            assert_eq!(import["repeated"], repeated);
        }
        let stored = admin.get(BLOCKS).await.ok();
        let severities: Vec<&Value> =
            stored.as_array().unwrap().iter().map(|block| &block["severity"]).collect();
        assert_eq!(severities, ["suspend", "suspend"]);
        let old = stored.as_array().unwrap().iter().find(|it| it["domain"] == "old.example");
        let entries = app.audit_of(TargetKind::DomainBlock, &id(old.unwrap())).await;
        assert_eq!(entries.len(), 2, "the change is one entry");
    }

    async fn a_comment_is_no_formula_in_the_exported_list(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let comment = "=HYPERLINK(\"http://evil.example\",\"Click\")";
        for (domain, comment) in [("a.example", comment), ("b.example", "-2"), ("c.example", "'quoted'")] {
            admin.json(BLOCKS, json!({ "domain": domain, "public_comment": comment })).await.ok();
        }
        let before = admin.get(BLOCKS).await.ok();
        let list = admin.get(EXPORT).await.text();
        assert!(list.contains(",\"'=HYPERLINK(") && list.contains(",'-2,"), "{list}");
        assert!(list.contains(",'quoted',"), "{list}");
        assert_eq!(counts(&import(&admin, &list, false).await.ok()), [0, 0, 3, 0, 0]);
        assert_eq!(admin.get(BLOCKS).await.ok(), before);
    }

    async fn an_import_limits_the_accounts_of_its_domains(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let zoe = app.remote("zoe", "far.example").await;
        let yan = app.remote("yan", "sub.other.example").await;
        import(&admin, "far.example,suspend\nother.example,silence\n", false).await.ok();
        app.app().drain_jobs().await.unwrap();
        let shown = async |account: &str| {
            app.anonymous().get(&format!("/api/v1/accounts/{account}")).await.ok()
        };
        assert_eq!(shown(&zoe).await["suspended"], true);
        assert_eq!(shown(&yan).await["limited"], true);
    }

    async fn a_list_can_be_an_uploaded_file_or_a_text(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let file = || pictures::file(b"a.example,suspend\n".to_vec(), "blocks.csv", "text/csv");
        let form = multipart::Form::new().part("data", file()).text("dry_run", "true");
        let dry = admin.multipart(IMPORT, form).await.ok();
        assert_eq!((counts(&dry), &dry["dry_run"]), ([1, 0, 0, 0, 0], &json!(true)));
        let form = multipart::Form::new().part("data", file());
        assert_eq!(counts(&admin.multipart(IMPORT, form).await.ok()), [1, 0, 0, 0, 0]);
        let text = [("data", "b.example,silence"), ("dry_run", "0")];
        assert_eq!(counts(&admin.form(IMPORT, &text).await.ok()), [1, 0, 0, 0, 0]);
        assert_eq!(admin.get(BLOCKS).await.ids().len(), 2);
    }

    async fn a_file_that_is_no_list_is_refused(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        for (list, expected) in [
            ("", "File contains no domains"),
            (HEADER, "File contains no domains"),
            (&*"a.example\n".repeat(10_001), "File has more than 10000 lines"),
        ] {
            assert_eq!(import(&admin, list, false).await.expect(422)["error"], expected);
        }
        let missing = admin.post(IMPORT).await.expect(422);
        assert_eq!(missing["error"], "Validation failed: File can't be blank");
        for (bytes, expected) in [
            (vec![0xff, 0xfe, 0x00], "File is not UTF-8 text"),
            (vec![b'a'; (2 << 20) + 1], "File is too long (at most 2097152 bytes)"),
        ] {
            let file = pictures::file(bytes, "blocks.csv", "text/csv");
            let form = multipart::Form::new().part("data", file);
            assert_eq!(admin.multipart(IMPORT, form).await.expect(422)["error"], expected);
        }
        assert_eq!(admin.get(BLOCKS).await.ok(), json!([]));
        // Other routes accept no files.
        let file = pictures::file(b"a.example".to_vec(), "a.csv", "text/csv");
        let form = multipart::Form::new().part("domain", file);
        assert!(admin.multipart(BLOCKS, form).await.status >= 400);
    }

    async fn a_long_list_is_imported_completely(app: &TestApp) {
        let admin = app.staff("ada", "Admin").await;
        let list: String = (0..250).map(|number| format!("d{number}.example,suspend\n")).collect();
        let done = import(&admin, &list, false).await.ok();
        assert_eq!(counts(&done), [250, 0, 0, 0, 0]);
        assert_eq!(done["lines"][249]["line"], 250);
        assert_eq!(admin.walk(&format!("{BLOCKS}?limit=200")).await.len(), 250);
        assert_eq!(counts(&import(&admin, &list, true).await.ok()), [0, 0, 250, 0, 0]);
    }
}
