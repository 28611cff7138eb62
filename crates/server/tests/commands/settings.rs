//! Tests of `siskin settings …` and `siskin rules …`.

use siskin_test_support::both_engines;

use crate::program::Program;

both_engines! {
    fn a_setting_has_its_default_until_it_is_changed(database: &TestDatabase) {
        let program = Program::on(database);
        assert_eq!(program.run(&["settings", "get", "registrations"]), "none\n");
        assert_eq!(program.run(&["settings", "set", "registrations", "open"]), "open\n");
        assert_eq!(program.run(&["settings", "get", "registrations"]), "open\n");
        assert!(program.refused(&["settings", "set", "registrations", "maybe"])
            .contains("open, approval"));
        assert!(program.refused(&["settings", "set", "nothing", "1"]).contains("nothing"));
        assert_eq!(program.run(&["settings", "get", "registrations"]), "open\n");
    }

    fn settings_that_clients_see_are_validated(database: &TestDatabase) {
        let program = Program::on(database);
        program.run(&["accounts", "create", "alice", "--email", "alice@example.com"]);
        for (key, good, bad) in [
            ("contact_account", "alice", "nobody"),
            ("contact_email", "me@example.org", "notmail"),
            ("source_url", "https://example.org/source", "javascript:x"),
            ("languages", "de,en", "de,qqq"),
        ] {
            program.run(&["settings", "set", key, good]);
            let refused = program.refused(&["settings", "set", key, bad]);
            assert!(refused.contains(key), "{refused}");
            assert_eq!(program.run(&["settings", "get", key]), format!("{good}\n"));
        }
    }

    fn no_value_locks_all_users_out_and_reset_restores_defaults(database: &TestDatabase) {
        let program = Program::on(database);
        for (key, value, expected_text) in [
            ("rate_limits.requests", "0", "from 1"),
            ("rate_limits.requests", "3", "at least 30"),
            ("rate_limits.sign_in", "0", "from 1"),
            ("limits.status_chars", "0", "from 1"),
            ("limits.follows", "0", "from 1"),
            ("streams.connections", "0", "from 1"),
            ("site_title", "", "not empty"),
            ("site_title", "A\nB", "one line"),
            ("registrations", "external", "sign-in provider"),
            ("languages", "", "languages"),
            ("site_description", "é".repeat(5001).as_str(), "at most 5000 characters"),
            ("registrations_message", "é".repeat(2001).as_str(), "at most 2000 characters"),
        ] {
            let before = program.run(&["settings", "get", key]);
            let refused = program.refused(&["settings", "set", key, value]);
            assert!(refused.contains(key) && refused.contains(expected_text), "{refused}");
            assert_eq!(program.run(&["settings", "get", key]), before);
        }
        program.run(&["settings", "set", "site_description", &"é".repeat(5000)]);
        program.run(&["settings", "set", "site_title", "Finch"]);
        assert_eq!(program.run(&["settings", "reset", "site_title"]), "Siskin\n");
        assert_eq!(program.run(&["settings", "reset", "site_title"]), "Siskin\n");
        assert!(program.refused(&["settings", "reset", "nothing"]).contains("nothing"));
        let fixed = Program::on(database).with("SISKIN_SITE_TITLE", "Fixed");
        assert!(fixed.refused(&["settings", "reset", "site_title"]).contains("SISKIN_SITE_TITLE"));
        let external = Program::on(database).with("SISKIN_REGISTRATIONS", "external");
        assert!(external.refused(&["settings", "list"]).contains("sign-in provider"));
    }

    fn settings_fixed_by_the_environment_cannot_be_changed(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_RATE_LIMITS_ENABLED", "false");
        assert_eq!(program.run(&["settings", "get", "rate_limits.enabled"]), "false\n");
        let refused = program.refused(&["settings", "set", "rate_limits.enabled", "true"]);
        assert!(refused.contains("SISKIN_RATE_LIMITS_ENABLED"), "{refused}");
        let listed = program.run(&["settings", "list"]);
        assert!(listed.contains("rate_limits.enabled = false (fixed"), "{listed}");
        let all = program.json(&["settings", "list", "--json"]);
        let setting = all.as_array().unwrap().iter().find(|s| s["key"] == "rate_limits.enabled");
        assert_eq!(setting.unwrap()["fixed"], true);
    }

    fn the_search_maximum_is_honoured_under_its_own_name(database: &TestDatabase) {
        let program = Program::on(database).with("MAX_SEARCH_RESULTS", "7");
        assert_eq!(program.run(&["settings", "get", "max_search_results"]), "7\n");
        let refused = program.refused(&["settings", "set", "max_search_results", "8"]);
        assert!(refused.contains(" or MAX_SEARCH_RESULTS"), "{refused}");
    }

    fn flags_and_environment_override_the_file(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_SITE_TITLE", "Environment");
        let file = program.folder.path().join("siskin.toml");
        let text = "database = \"sqlite:///nonexistent/x\"\n[settings]\nsite_title = \"File\"\n\
                    limits.status_chars = 1000\n";
        std::fs::write(&file, text).unwrap();
        let program = program.with("SISKIN_CONFIG", file.to_str().unwrap());
        assert_eq!(program.run(&["settings", "get", "site_title"]), "Environment\n");
        assert_eq!(program.run(&["settings", "get", "limits.status_chars"]), "1000\n");
        std::fs::write(&file, "databse = \"x\"").unwrap();
        assert!(program.refused(&["settings", "list"]).contains("databse"));
    }

    fn rules_are_added_listed_and_removed(database: &TestDatabase) {
        let program = Program::on(database);
        let first = program.json(&["rules", "add", "Be kind", "--hint", "It costs nothing", "--json"]);
        program.run(&["rules", "add", "No spam"]);
        let listed = program.json(&["rules", "list", "--json"]);
        assert_eq!(listed[0], first);
        assert_eq!(listed[1]["text"], "No spam");
        let id = first["id"].as_str().unwrap();
        program.run(&["rules", "delete", id]);
        assert_eq!(program.json(&["rules", "list", "--json"]).as_array().unwrap().len(), 1);
        assert!(program.refused(&["rules", "delete", id]).contains(id));
    }
}
