//! Tests of `siskin domains …`.

use std::fs;

use serde_json::{Value, json};
use siskin_entities::{Actor, PageRequest};
use siskin_persistence::{Conn, Role, Store, StoreOptions, archive};
use siskin_services::audit::{self, AuditSelection};
use siskin_test_support::{TestDatabase, both_engines, standing};

use crate::program::Program;

/// Returns what the operator did according to the audit log, the latest first.
fn audited(database: &TestDatabase) -> Vec<String> {
    let mut conn = Conn::open(database.url()).unwrap();
    let selection = AuditSelection::default();
    let entries = audit::list(&mut conn, selection, PageRequest::newest(50)).unwrap().items;
    assert!(entries.iter().all(|entry| entry.actor == Actor::Operator));
    entries
        .iter()
        .map(|entry| {
            let target = &entry.target;
            format!("{} {} {}", entry.action.as_str(), target.kind.as_str(), target.name)
        })
        .collect()
}

/// Creates accounts of other servers, even of blocked ones.
fn join_remote(database: &TestDatabase, accounts: &[(&'static str, &'static str)]) {
    let store = Store::open(&StoreOptions::new(database.url()).role(Role::Command)).unwrap();
    for (username, domain) in accounts.iter().copied() {
        store.write(move |tx| standing::remote_account(tx, username, domain)).unwrap();
    }
}

/// Checks that the doctor finds these numbers of wrongly limited accounts, and corrects them.
fn corrects(program: &Program, found: &[(&str, i64)]) {
    let output = program.output(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let finding = |(domain, count): &(&str, i64)| json!({ "domain": domain, "accounts": count, "fixed": false });
    assert_eq!(printed["limits"], json!(found.iter().map(finding).collect::<Vec<_>>()));
    let fixed = program.run(&["doctor", "--fix"]);
    for (domain, count) in found {
        let line = format!(
            "accounts of {domain} that are not limited as the domain blocks say: {count} (fixed)\n"
        );
        assert!(fixed.contains(&line), "{fixed}");
    }
    assert_eq!(program.run(&["doctor"]), "No problems found\n");
}

both_engines! {
    fn the_doctor_limits_accounts_as_the_domain_blocks_say(database: &TestDatabase) {
        let program = Program::on(database);
        program.run(&["domains", "block", "ok.far.example", "--severity", "noop"]);
        program.run(&["domains", "block", "far.example", "--severity", "suspend"]);
        let remote = [
            ("a", "far.example"),
            ("b", "far.example"),
            ("c", "sub.far.example"),
            ("d", "ok.far.example"),
            ("e", "other.example"),
        ];
        join_remote(database, &remote);
        // The jobs of the blocks will limit them.
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
        database.execute("DELETE FROM jobs");
        let both = [("far.example", 2), ("sub.far.example", 1)];
        corrects(&program, &both);
        database.execute("UPDATE accounts SET suspended_at = NULL WHERE username = 'b'");
        corrects(&program, &[("far.example", 1)]);
        database.execute("DELETE FROM domain_limits; UPDATE accounts SET suspended_at = NULL");
        corrects(&program, &both);
        database.execute("UPDATE instance_domain_blocks SET severity = 1 WHERE severity = 2");
        corrects(&program, &both);
        database.execute("DELETE FROM instance_domain_blocks");
        corrects(&program, &both);
        let mut conn = Conn::open(database.url()).unwrap();
        assert_eq!(archive::count(&mut conn, "domain_limits").unwrap(), 0);
    }

    fn the_operator_blocks_changes_and_unblocks_a_domain(database: &TestDatabase) {
        let program = Program::on(database);
        assert_eq!(program.run(&["domains", "list"]), "");
        assert_eq!(program.run(&["domains", "block", "Bad.example"]), "bad.example silence\n");
        let changed = program.json(&[
            "domains", "block", "bad.example", "--severity", "suspend", "--reject-media",
            "--obfuscate=true", "--public-comment", "Spam", "--private-comment", "By mail", "--json",
        ]);
        let expected = json!({
            "id": changed["id"], "domain": "bad.example", "severity": "suspend",
            "reject_media": true, "reject_reports": false, "private_comment": "By mail",
            "public_comment": "Spam", "obfuscate": true, "created_at": changed["created_at"],
        });
        assert_eq!(changed, expected);
        let again = program.run(&[
            "domains", "block", "bad.example", "--reject-media=false", "--private-comment", "",
        ]);
        assert_eq!(again, "bad.example suspend obfuscate: Spam\n");
        assert_eq!(program.run(&["domains", "list"]), again);
        assert_eq!(program.run(&["domains", "unblock", "BAD.example"]), "Unblocked bad.example\n");
        assert_eq!(program.run(&["domains", "list"]), "");
        assert_eq!(audited(database), [
            "delete domain_block bad.example",
            "update domain_block bad.example",
            "update domain_block bad.example",
            "create domain_block bad.example",
        ]);
    }

    fn the_operator_allows_and_disallows_a_domain(database: &TestDatabase) {
        let program = Program::on(database);
        for _ in 0..2 {
            assert_eq!(program.run(&["domains", "allow", "ok.example"]), "ok.example allowed\n");
        }
        let listed = program.json(&["domains", "list", "--json"]);
        assert_eq!((&listed[0]["domain"], &listed[0]["severity"]), (&json!("ok.example"), &json!("allowed")));
        let ended = program.json(&["domains", "disallow", "ok.example", "--json"]);
        assert_eq!(ended, listed[0]);
        assert_eq!(program.json(&["domains", "list", "--json"]), json!([]));
        assert_eq!(audited(database), ["delete domain_allow ok.example", "create domain_allow ok.example"]);
    }

    fn a_list_is_exported_and_imported(database: &TestDatabase) {
        let program = Program::on(database);
        let header = "#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate\n";
        assert_eq!(program.run(&["domains", "export"]), header);
        program.run(&["domains", "block", "a.example", "--severity", "suspend"]);
        program.run(&["domains", "block", "old.example"]);
        let file = program.folder.path().join("blocks.csv");
        let name = file.to_str().unwrap();
        fs::write(&file, "a.example,silence\nb.example,suspend\nnot a domain\n").unwrap();
        let printed = "line 1: changed a.example: silence\n\
                       line 2: added b.example: suspend\n\
                       line 3: invalid not a domain: Domain is not a valid domain name\n\
                       only here: old.example\n\
                       1 added, 1 changed, 0 unchanged, 0 conflicting, 1 invalid\n";
        let before = program.run(&["domains", "list"]);
        assert_eq!(program.run(&["domains", "import", name, "--dry-run"]), printed);
        assert_eq!(program.run(&["domains", "list"]), before);
        assert_eq!(program.run(&["domains", "import", name]), printed);
        let list = program.run(&["domains", "export"]);
        assert_eq!(
            list,
            format!(
                "{header}a.example,silence,false,false,,false\n\
                 old.example,silence,false,false,,false\nb.example,suspend,false,false,,false\n"
            )
        );
        fs::write(&file, list).unwrap();
        let again = program.json(&["domains", "import", name, "--json"]);
        assert_eq!((&again["unchanged"], &again["only_here"]), (&json!(3), &json!([])));
        assert_eq!(again["lines"][0]["line"], 2);
    }

    fn a_domain_in_several_lines_is_named(database: &TestDatabase) {
        let program = Program::on(database);
        let file = program.folder.path().join("blocks.csv");
        fs::write(&file, "a.example,silence\nb.example,silence\nA.example,suspend\n").unwrap();
        let printed = "line 1: added a.example: suspend\n\
                       line 2: added b.example: silence\n\
                       lines 1, 3: a.example gets their strictest values\n\
                       2 added, 0 changed, 1 unchanged, 0 conflicting, 0 invalid\n";
        let name = file.to_str().unwrap();
        assert_eq!(program.run(&["domains", "import", name, "--dry-run"]), printed);
        let dry = program.json(&["domains", "import", name, "--dry-run", "--json"]);
        assert_eq!(dry["repeated"], json!([{ "domain": "a.example", "lines": [1, 3] }]));
        assert_eq!(program.run(&["domains", "import", name]), printed);
    }

    fn wrong_domains_are_refused(database: &TestDatabase) {
        let program = Program::on(database);
        program.run(&["domains", "block", "p.example", "--severity", "suspend"]);
        let file = program.folder.path().join("blocks.csv");
        fs::write(&file, "sub.p.example,silence\n").unwrap();
        let name = file.to_str().unwrap();
        for (arguments, why) in [
            (&["block", "bad example"][..], "not a valid domain"),
            (&["block", "192.0.2.1"], "not a valid domain"),
            (&["block", "sub.p.example"], "the block of p.example"),
            (&["block", "x.example", "--severity", "limit"], "possible values"),
            (&["unblock", "x.example"], "not found"),
            (&["disallow", "x.example"], "not found"),
            (&["import", "/nowhere.csv"], "cannot read"),
            (&["import", name], "no line was accepted"),
        ] {
            let refused = program.refused(&[&["domains"], arguments].concat());
            assert!(refused.contains(why), "{arguments:?}: {refused}");
        }
        let listed = program.json(&["domains", "list", "--json"]);
        assert_eq!(listed.as_array().map(Vec::len), Some(1));
        assert_ne!(listed[0]["id"], Value::Null);
    }
}
