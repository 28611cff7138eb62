//! Tests of `siskin texts …`.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    time::{SystemTime, UNIX_EPOCH},
};

use siskin_entities::{Timestamp, time::Date};
use siskin_test_support::both_engines;

use crate::program::Program;

const DATE: &str = "2090-12-24";

/// Returns the present date (UTC).
fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    Date(Timestamp::from_unix_ms(since.try_into().unwrap()).midnight()).to_string()
}

/// Runs a command with this text on its standard input, and returns its output.
fn set(program: &Program, arguments: &[&str], text: &str) -> String {
    let output = program.output_with(&[&["texts", "set"], arguments].concat(), text);
    let printed = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    if output.status.success() { printed } else { errors }
}

both_engines! {
    fn texts_are_shown_set_and_reset(database: &TestDatabase) {
        let program = Program::on(database);
        assert!(program.run(&["texts", "show", "privacy-policy"]).contains("# Contact"));
        assert_eq!(program.run(&["texts", "show", "extended-description"]), "\n");
        let text = "# Us\n\nWe like *birds*.\n";
        for name in ["extended-description", "privacy-policy", "description"] {
            let key = name.replace('-', "_");
            assert_eq!(set(&program, &[name], text), format!("Changed the text {key}\n"));
            assert_eq!(set(&program, &[name], text), format!("No change of the text {key}\n"));
            assert_eq!(program.run(&["texts", "show", name]), text);
            let shown = program.json(&["texts", "show", name, "--json"]);
            assert_eq!((&shown["name"], &shown["default"]), (&key.clone().into(), &false.into()));
            assert_eq!(program.run(&["texts", "reset", name]), format!("Changed the text {key}\n"));
        }
        assert!(program.run(&["texts", "show", "privacy-policy"]).contains("# Contact"));
        assert_eq!(program.run(&["settings", "get", "site_description"]), "\n");
    }

    fn terms_have_dates(database: &TestDatabase) {
        let program = Program::on(database);
        assert!(program.refused(&["texts", "show", "terms-of-service"]).contains("terms_of_service"));
        let dated = ["terms-of-service", "--effective", DATE];
        let changed = format!("Changed the text terms_of_service of {DATE}\n");
        assert_eq!(set(&program, &dated, "Be kind"), changed);
        assert_eq!(program.run(&["texts", "show", "terms-of-service"]), "Be kind\n");
        assert!(set(&program, &["terms-of-service"], "x").contains("need the date"));
        assert!(set(&program, &["privacy-policy", "--effective", DATE], "x").contains("Only the terms"));
        assert!(set(&program, &["terms-of-service", "--effective", "today"], "x").contains("must be like"));
        assert!(set(&program, &["privacy-policy"], &"x".repeat(60_001)).contains("60000"));
        let past = ["terms-of-service", "--effective", "2020-01-01"];
        assert!(set(&program, &past, "Old").contains("cannot be in the past"));
        let today = today();
        let now = ["terms-of-service", "--effective", &today];
        assert!(set(&program, &now, "Old").starts_with("Changed"));
        assert!(set(&program, &now, "New").contains("Terms in effect cannot change"));
        let shown = program.json(&["texts", "show", "terms-of-service", "--json"]);
        assert_eq!(shown["versions"], serde_json::json!([today, DATE]));
        assert_eq!(program.run(&["texts", "reset", "terms-of-service", "--effective", DATE]), changed);
    }

    fn new_terms_are_announced_unless_the_operator_says_otherwise(database: &TestDatabase) {
        let program = Program::on(database);
        let dated = ["terms-of-service", "--effective", DATE];
        let shown = || program.json(&["texts", "show", "terms-of-service", "--effective", DATE, "--json"]);
        set(&program, &["terms-of-service", "--effective", DATE, "--without-email"], "Be kind");
        assert!(shown()["announced_at"].is_null());
        // The same text can be announced later, once.
        assert!(set(&program, &dated, "Be kind").starts_with("Changed"));
        let announced = shown()["announced_at"].clone();
        assert!(announced.is_string(), "{announced}");
        assert!(set(&program, &dated, "Be kind").starts_with("No change"));
        assert_eq!(shown()["announced_at"], announced);
        let listed = program.json(&["audit", "--json"]);
        let actions: Vec<_> =
            listed.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
        assert_eq!(actions, ["announce", "create"]);
    }

    fn a_text_is_edited_in_an_editor(database: &TestDatabase) {
        let program = Program::on(database);
        let editor = program.folder.path().join("editor");
        fs::write(&editor, "#!/bin/sh\nprintf 'Edited %s' \"$1\" > \"$2\"\n").unwrap();
        fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
        let program = program
            .with("EDITOR", &format!("{} well", editor.display()))
            .with("VISUAL", "");
        program.run(&["texts", "edit", "extended-description"]);
        assert_eq!(program.run(&["texts", "show", "extended-description"]), "Edited well\n");
        program.run(&["texts", "edit", "terms-of-service", "--effective", DATE]);
        assert_eq!(program.run(&["texts", "show", "terms-of-service"]), "Edited well\n");
        let program = program.with("EDITOR", "false");
        let refused = program.refused(&["texts", "edit", "extended-description"]);
        assert!(refused.contains("the editor failed"), "{refused}");
        let program = program.with("EDITOR", "");
        let refused = program.refused(&["texts", "edit", "extended-description"]);
        assert!(refused.contains("EDITOR"), "{refused}");
    }

    fn changes_are_in_the_audit_log(database: &TestDatabase) {
        let program = Program::on(database);
        set(&program, &["privacy-policy"], "One");
        set(&program, &["privacy-policy"], "One");
        let listed = program.json(&["audit", "--json"]);
        let listed = listed.as_array().unwrap();
        let texts = listed.iter().filter(|entry| entry.to_string().contains("privacy_policy"));
        assert_eq!(texts.count(), 1, "{listed:?}");
    }
}
