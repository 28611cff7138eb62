//! Tests of `siskin roles …` and `siskin audit`.

use serde_json::{Value, json};
use siskin_test_support::both_engines;

use crate::program::Program;

fn create(program: &Program, name: &str, role: &str) -> Value {
    let email = format!("{name}@example.com");
    program.json(&["accounts", "create", name, "--email", &email, "--role", role])
}

/// Returns the entries of the log, the newest first.
fn log(program: &Program, more: &[&str]) -> Vec<Value> {
    let printed = program.json(&[&["--json", "audit"], more].concat());
    printed.as_array().unwrap().clone()
}

/// Returns the action of an entry, and the kind and the name of its target.
fn shown(entry: &Value) -> (&str, &str, &str) {
    let target = &entry["target"];
    (
        entry["action"].as_str().unwrap(),
        target["kind"].as_str().unwrap(),
        target["name"].as_str().unwrap(),
    )
}

both_engines! {
    fn roles_are_created_changed_assigned_and_deleted(database: &TestDatabase) {
        let program = Program::on(database);
        let created = program.json(&[
            "--json", "roles", "create", "Helper", "--permissions", "manage_reports,view_dashboard",
            "--priority", "5", "--color", "#33AA66",
        ]);
        assert_eq!(created["permissions"], json!(["view_dashboard", "manage_reports"]));
        assert_eq!((&created["priority"], &created["color"]), (&json!(5), &json!("#33aa66")));
        create(&program, "alice", "helper");
        assert!(program.run(&["accounts", "list"]).ends_with("  alice  Helper\n"));
        program.run(&["roles", "edit", "HELPER", "--name", "Friend", "--highlighted", "true"]);
        assert!(program.run(&["accounts", "list"]).ends_with("  alice  Friend\n"));
        let listed = program.run(&["roles", "list"]);
        let names: Vec<&str> = listed.lines().filter_map(|line| line.split("  ").nth(2)).collect();
        assert_eq!(names, ["Owner, badge", "Admin, badge", "Moderator, badge",
            "Friend, #33aa66, badge", "everyone"]);
        program.run(&["roles", "delete", "Friend"]);
        assert!(program.run(&["accounts", "list"]).ends_with("  alice\n"));
        assert!(program.refused(&["roles", "delete", "Friend"]).contains("Friend"));
    }

    fn wrong_values_are_refused(database: &TestDatabase) {
        let program = Program::on(database);
        let refused = |arguments: &[&str]| program.refused(&[&["roles"], arguments].concat());
        for (arguments, why) in [
            (&["create", "moderator"][..], "taken"),
            (&["create", " "], "blank"),
            (&["create", "Helper", "--priority", "1000"], "999"),
            (&["create", "Helper", "--color", "red"], "hexadecimal"),
            (&["edit", "Moderator"], "nothing to change"),
            (&["edit", "Owner", "--permissions", "manage_reports"], "cannot be changed"),
            (&["edit", "Owner", "--priority", "500"], "cannot be changed"),
            (&["delete", "Owner"], "cannot be deleted"),
            (&["delete", "everyone"], "cannot be deleted"),
            (&["edit", "everyone", "--permissions", "manage_users"], "invite users"),
            (&["edit", "everyone", "--name", "All"], "Only the permissions"),
        ] {
            let printed = refused(arguments);
            assert!(printed.contains(why), "{arguments:?}: {printed}");
        }
        let unknown = program.output(&["roles", "create", "Helper", "--permissions", "fly"]);
        assert!(!unknown.status.success());
        program.run(&["roles", "edit", "everyone", "--permissions", "invite_users"]);
        assert!(program.run(&["roles", "list"]).ends_with("0  everyone  invite_users\n"));
    }

    // An owner can have a custom role with all permissions.
    fn the_role_of_the_only_owner_is_kept(database: &TestDatabase) {
        let program = Program::on(database);
        program.run(&["roles", "create", "Chief", "--permissions", "administrator"]);
        create(&program, "alice", "Chief");
        for arguments in [
            &["roles", "delete", "Chief"][..],
            &["roles", "edit", "Chief", "--permissions", "manage_users"],
        ] {
            assert!(program.refused(arguments).contains("only owner"), "{arguments:?}");
        }
        create(&program, "bob", "Owner");
        program.run(&["roles", "edit", "Chief", "--permissions", "manage_users"]);
        program.run(&["roles", "delete", "Chief"]);
    }

    fn commands_leave_entries_in_the_audit_log(database: &TestDatabase) {
        let program = Program::on(database);
        assert_eq!(log(&program, &[]), Vec::<Value>::new());
        create(&program, "alice", "Moderator");
        program.run(&["accounts", "set-password", "alice"]);
        program.run(&["accounts", "set-email", "alice", "new@example.com"]);
        program.run(&["accounts", "set-email", "alice", "new@example.com"]);
        program.run(&["accounts", "set-role", "alice", "Admin"]);
        program.run(&["accounts", "set-role", "alice", "Admin"]);
        program.run(&["roles", "create", "Helper"]);
        program.run(&["roles", "edit", "Helper", "--priority", "1"]);
        program.run(&["roles", "edit", "Helper", "--priority", "2"]);
        program.run(&["roles", "delete", "Helper"]);
        program.run(&["settings", "set", "site_title", "Secret finch"]);
        program.run(&["settings", "set", "site_title", "Secret finch"]);
        program.run(&["settings", "reset", "site_title"]);
        program.run(&["settings", "reset", "site_title"]);
        let rule = program.json(&["--json", "rules", "add", "Be kind"]);
        program.run(&["rules", "delete", rule["id"].as_str().unwrap()]);
        let tea = program.json(&["--json", "announcements", "publish", "Tea at five"]);
        let tea = tea["id"].as_str().unwrap();
        program.run(&["announcements", "edit", tea, "--text", "Tea at six"]);
        program.run(&["announcements", "unpublish", tea]);
        program.run(&["announcements", "unpublish", tea]);
        program.run(&["announcements", "delete", tea]);
        program.run(&["trends", "reject", "publisher", "spam.example"]);
        program.run(&["trends", "reject", "publisher", "spam.example"]);
        program.run(&["trends", "reset", "publisher", "spam.example"]);
        create(&program, "old", "Moderator");
        program.run(&["accounts", "alias", "alice", "old"]);
        program.run(&["accounts", "move", "old", "alice"]);
        program.run(&["accounts", "unmove", "old"]);
        for name in ["alice", "old"] {
            program.run(&["tokens", "create", "--account", name]);
        }
        let tokens = program.run(&["tokens", "list", "--account", "old"]);
        program.run(&["tokens", "revoke", tokens.split_whitespace().next().unwrap()]);
        let applications = program.run(&["apps", "list"]);
        program.run(&["apps", "delete", applications.split_whitespace().next().unwrap()]);
        let application = applications.trim_end().split("  ").nth(1).unwrap();
        let entries = log(&program, &[]);
        let mut found: Vec<_> = entries.iter().map(shown).collect();
        found.reverse();
        assert_eq!(found, [
            ("create", "account", "@alice"),
            ("change_password", "account", "@alice"),
            ("change_email", "account", "@alice"),
            ("change_role", "account", "@alice"),
            ("create", "role", "Helper"),
            ("update", "role", "Helper"),
            ("delete", "role", "Helper"),
            ("update", "setting", "site_title"),
            ("update", "setting", "site_title"),
            ("create", "rule", "Be kind"),
            ("delete", "rule", "Be kind"),
            ("create", "announcement", "Tea at five"),
            ("update", "announcement", "Tea at six"),
            ("update", "announcement", "Tea at six"),
            ("delete", "announcement", "Tea at six"),
            ("reject", "link_publisher", "spam.example"),
            ("update", "link_publisher", "spam.example"),
            ("create", "account", "@old"),
            ("update", "account", "@alice"),
            ("update", "account", "@old"),
            ("update", "account", "@old"),
            ("create_token", "account", "@alice"),
            ("create_token", "account", "@old"),
            ("revoke_token", "account", "@old"),
            ("delete", "application", application),
        ]);
        assert!(entries.iter().all(|entry| entry["account"].is_null()));
        let printed = program.run(&["audit"]);
        assert!(!printed.contains("finch") && printed.contains("  operator  update  setting"));
        assert!(!printed.contains("example.com"));
        assert_eq!(log(&program, &["--limit", "3"]).len(), 3);
        let about = log(&program, &["--target", &format!("announcement:{tea}")]);
        assert_eq!(about.len(), 4);
        assert_eq!(log(&program, &["--account", "alice"]), Vec::<Value>::new());
        assert!(program.refused(&["audit", "--account", "carol"]).contains("carol"));
    }
}
