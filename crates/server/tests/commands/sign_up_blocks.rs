//! Tests of `siskin email-domain-blocks …`, `canonical-email-blocks …` and `ip-blocks …`.

use serde_json::{Value, json};
use siskin_test_support::both_engines;

use crate::program::Program;

/// Returns what the operator did according to the audit log, the latest first.
fn audited(program: &Program) -> Vec<String> {
    let entries = program.json(&["audit", "--json"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entry = |entry: &Value| {
        assert_eq!(entry["account"], json!(null));
        let target = &entry["target"];
        format!("{} {} {}", text(&entry["action"]), text(&target["kind"]), text(&target["name"]))
    };
    entries.as_array().unwrap().iter().map(entry).collect()
}

both_engines! {
    fn email_domains_are_blocked_and_unblocked(database: &TestDatabase) {
        let program = Program::on(database);
        assert_eq!(program.run(&["email-domain-blocks", "list"]), "");
        assert_eq!(program.run(&["email-domain-blocks", "add", "Mail.Example"]), "Blocked mail.example\n");
        let twice = program.refused(&["email-domain-blocks", "add", "mail.example"]);
        assert!(twice.contains("already blocked"), "{twice}");
        let added = program.json(&["--json", "email-domain-blocks", "add", "spam.example"]);
        assert_eq!((&added["domain"], &added["refused"]), (&json!("spam.example"), &json!(0)));
        assert_eq!(program.run(&["email-domain-blocks", "list"]), "spam.example\nmail.example\n");
        let listed = program.json(&["--json", "email-domain-blocks", "list"]);
        assert_eq!(listed[0], added);
        let twice = program.refused(&["email-domain-blocks", "add", "*.spam.example"]);
        assert!(twice.contains("already blocked"), "{twice}");
        assert!(!program.refused(&["email-domain-blocks", "add", "*.*.example"]).is_empty());
        assert_eq!(program.run(&["email-domain-blocks", "remove", "mail.example"]), "Unblocked mail.example\n");
        for unknown in ["mail.example", "sub.spam.example", "a b"] {
            let refused = program.refused(&["email-domain-blocks", "remove", unknown]);
            assert!(refused.contains(&format!("cannot unblock {unknown}")), "{refused}");
        }
        assert_eq!(audited(&program), [
            "delete email_domain_block mail.example",
            "create email_domain_block spam.example",
            "create email_domain_block mail.example",
        ]);
    }

    fn email_addresses_are_blocked_in_all_spellings(database: &TestDatabase) {
        let program = Program::on(database);
        // `printf foo@gmail.com | sha256sum`
        let hash = "f14c1da8a078d3dd8d3d979fd7f2490a93e0eebd418459d9967dabf9e32aa581";
        let command = |what, email| ["canonical-email-blocks", what, email];
        assert_eq!(program.run(&command("add", "F.o.o+x@gmail.com")), format!("Blocked {hash}\n"));
        let twice = program.refused(&command("add", "foo@gmail.com"));
        assert!(twice.contains("already blocked"), "{twice}");
        assert_eq!(program.run(&["canonical-email-blocks", "list"]), format!("{hash}\n"));
        let listed = program.json(&["--json", "canonical-email-blocks", "list"]);
        assert_eq!(listed[0]["canonical_email_hash"], hash);
        assert_eq!(program.run(&command("remove", hash)), format!("Unblocked {hash}\n"));
        assert!(program.refused(&command("remove", "foo@gmail.com")).contains("cannot unblock"));
        assert!(!program.refused(&command("add", "nowhere")).is_empty());
        assert_eq!(audited(&program), [
            format!("delete canonical_email_block {hash}"),
            format!("create canonical_email_block {hash}"),
        ]);
    }

    fn networks_are_blocked_and_unblocked(database: &TestDatabase) {
        let program = Program::on(database);
        let added = program.run(&["ip-blocks", "add", "192.0.2.7/24", "--comment", "A botnet"]);
        assert_eq!(added, "Blocked 192.0.2.0/24 sign_up_block: A botnet\n");
        let other = program.json(&[
            "--json", "ip-blocks", "add", "2001:db8::/32", "--severity", "no-access", "--expires-in", "60",
        ]);
        assert_eq!((&other["ip"], &other["severity"]), (&json!("2001:db8::/32"), &json!("no_access")));
        assert!(other["expires_at"].is_string());
        let twice = program.refused(&["ip-blocks", "add", "192.0.2.0/24"]);
        assert!(twice.contains("already blocked"), "{twice}");
        for wrong in ["", "192.0.2.0/99", "nowhere"] {
            assert!(!program.refused(&["ip-blocks", "add", wrong]).is_empty(), "{wrong}");
        }
        let listed = program.json(&["--json", "ip-blocks", "list"]);
        assert_eq!((listed.as_array().unwrap().len(), &listed[0]), (2, &other));
        assert_eq!(
            program.run(&["ip-blocks", "remove", "192.0.2.0/24"]),
            "Unblocked 192.0.2.0/24 sign_up_block: A botnet\n"
        );
        assert!(program.refused(&["ip-blocks", "remove", "192.0.2.0/24"]).contains("cannot unblock"));
        assert_eq!(audited(&program), [
            "delete ip_block 192.0.2.0/24",
            "create ip_block 2001:db8::/32",
            "create ip_block 192.0.2.0/24",
        ]);
    }

    // Others write comments, by the interface.
    fn comments_do_not_control_the_terminal(database: &TestDatabase) {
        let program = Program::on(database);
        let comment = "A\u{1b}]0;x\u{7}b\u{202e}otnet\u{9b}";
        let add = |ip| ["ip-blocks", "add", ip, "--comment", comment];
        let line = "192.0.2.0/24 sign_up_block: A]0;xbotnet\n";
        assert_eq!(program.run(&add("192.0.2.0/24")), format!("Blocked {line}"));
        assert_eq!(program.run(&["ip-blocks", "list"]), line);
        let printed = program.run(&["--json", "ip-blocks", "list"]);
        let is_plain = |sign: char| sign == '\n' || (sign.is_ascii() && !sign.is_control());
        assert!(printed.chars().all(is_plain), "{printed:?}");
        let listed: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(listed[0]["comment"], comment);
        assert_eq!(program.run(&["ip-blocks", "remove", "192.0.2.0/24"]), format!("Unblocked {line}"));
    }
}
