//! Tests of `siskin announcements …`.

use serde_json::Value;
use siskin_test_support::both_engines;

use crate::program::Program;

fn id(announcement: &Value) -> String {
    announcement["id"].as_str().unwrap().to_owned()
}

both_engines! {
    fn the_operator_publishes_edits_withdraws_and_deletes(database: &TestDatabase) {
        let program = Program::on(database);
        assert_eq!(program.run(&["announcements", "list"]), "");
        let line = program.run(&["announcements", "publish", " Tea at five\nwith cake "]);
        assert!(line.contains(" published 2") && line.ends_with(": Tea at five\n"), "{line}");
        let listed = program.json(&["announcements", "list", "--json"]);
        assert_eq!(listed[0]["text"], "Tea at five\nwith cake");
        assert_eq!((&listed[0]["all_day"], &listed[0]["starts_at"]), (&false.into(), &Value::Null));
        let tea = id(&listed[0]);

        let edited = program.json(&[
            "announcements", "edit", &tea, "--text", "Tea at six", "--starts-at", "2090-12-24",
            "--ends-at", "2090-12-26", "--all-day", "--json",
        ]);
        assert_eq!((&edited["text"], &edited["all_day"]), (&"Tea at six".into(), &true.into()));
        assert_eq!(edited["starts_at"], "2090-12-24T00:00:00.000Z");
        assert_eq!(edited["ends_at"], "2090-12-26T23:59:59.999Z");
        let edited = program.json(&["announcements", "edit", &tea, "--no-event", "--json"]);
        assert_eq!((&edited["text"], &edited["ends_at"]), (&"Tea at six".into(), &Value::Null));

        let withdrawn = program.run(&["announcements", "unpublish", &tea]);
        assert_eq!(withdrawn, format!("{tea} unpublished: Tea at six\n"));
        let again = program.json(&["announcements", "publish", "--id", &tea, "--json"]);
        assert!(again["published_at"].is_string());
        let deleted = program.run(&["announcements", "delete", &tea]);
        assert_eq!(deleted, format!("Deleted the announcement {tea}\n"));
        assert_eq!(program.run(&["announcements", "list"]), "");
    }

    fn an_announcement_can_be_scheduled(database: &TestDatabase) {
        let program = Program::on(database);
        let at = "2090-12-24T18:00:00+01:00";
        let scheduled = program.json(&["announcements", "publish", "Tea", "--at", at, "--json"]);
        assert_eq!(scheduled["scheduled_at"], "2090-12-24T17:00:00.000Z");
        assert_eq!(scheduled["published_at"], Value::Null);
        let tea = id(&scheduled);
        let moved = program.run(&["announcements", "edit", &tea, "--at", "2091-01-01"]);
        assert!(moved.contains("scheduled 2091-01-01T00:00:00.000Z"), "{moved}");
        let published = program.json(&["announcements", "publish", "--id", &tea, "--json"]);
        assert_eq!(published["scheduled_at"], Value::Null);
        assert!(published["published_at"].is_string());
    }

    fn wrong_announcements_are_refused(database: &TestDatabase) {
        let program = Program::on(database);
        let published = program.json(&["announcements", "publish", "Tea", "--json"]);
        let tea = id(&published);
        for (arguments, why) in [
            (&["publish", " "][..], "empty"),
            (&["publish"], "required"),
            (&["publish", "Tea", "--id", &tea], "cannot be used"),
            (&["publish", "--id", &tea], "already published"),
            (&["publish", "--id", "1"], "not found"),
            (&["publish", "Tea", "--starts-at", "2090-12-24"], "--ends-at"),
            (&["publish", "Tea", "--at", "soon"], "must be like"),
            (
                &["publish", "Tea", "--starts-at", "2090-12-24", "--ends-at", "2090-12-23"],
                "before it starts",
            ),
            (
                &["publish", "Tea", "--starts-at", "2020-12-24", "--ends-at", "2020-12-25"],
                "before the announcement",
            ),
            (&["edit", &tea], "nothing to change"),
            (&["edit", &tea, "--at", "2090-12-24"], "already published"),
            (&["edit", "1", "--text", "x"], "not found"),
            (&["unpublish", "1"], "not found"),
            (&["delete", "1"], "not found"),
        ] {
            let refused = program.refused(&[&["announcements"], arguments].concat());
            assert!(refused.contains(why), "{arguments:?}: {refused}");
        }
        assert_eq!(program.json(&["announcements", "list", "--json"]).as_array().unwrap().len(), 1);
    }
}
