//! Tests of `siskin federation …`, of the domain of handles, and of the address that stays.

use serde_json::json;
use siskin_entities::Urls;
use siskin_persistence::{Role, Store, StoreOptions};
use siskin_services::{Error, federation::base};
use siskin_test_support::{TestDatabase, both_engines};

use crate::program::Program;

const HOME: &str = "https://social.home.example";
const DOMAIN: &str = "home.example";

/// Does what the first document for another server does.
fn fix(database: &TestDatabase, domain: &'static str) {
    let store = Store::open(&StoreOptions::new(database.url()).role(Role::Command)).unwrap();
    let fixed = store.write(move |tx| base::fix(tx, &Urls::new(HOME, domain, "")));
    fixed.map_err(|error: Error| error.to_string()).unwrap();
}

/// Returns the error of a server that does not start.
fn refused(program: &Program, options: &[&str]) -> String {
    program.refused(&[&["serve", "--bind", "127.0.0.1:0"], options].concat())
}

fn domain(program: &Program) -> String {
    let status = program.json(&["federation", "status", "--json"]);
    status["domain"].as_str().unwrap().to_owned()
}

both_engines! {
    fn the_status_names_mode_address_and_keys(database: &TestDatabase) {
        let program = Program::on(database);
        program.run(&["accounts", "create", "ann", "--email", "a@example.com", "--base-url", HOME]);
        let expected = json!({
            "mode": "off",
            "base_url": HOME,
            "domain": "social.home.example",
            "fixed": false,
            "keys": { "made": 0, "missing": 2 },
        });
        assert_eq!(program.json(&["federation", "status", "--json"]), expected);
        program.run(&["settings", "set", "federation.mode", "allowed"]);
        fix(database, "social.home.example");
        let status = program.run(&["federation", "status"]);
        assert!(status.starts_with("mode: allowed\n"), "{status}");
        assert!(status.contains(HOME) && status.contains("other servers know it"), "{status}");
        assert!(status.ends_with("keys: 0 made, 2 missing\n"), "{status}");
    }

    fn handles_may_have_another_domain(database: &TestDatabase) {
        let program = Program::on(database);
        program.serve_with(&["--base-url", HOME, "--domain", "HOME.example:443"]).kill();
        assert_eq!(domain(&program), DOMAIN);
        assert_eq!(program.serve().base, HOME);
        assert_eq!(domain(&program), DOMAIN);
        assert!(refused(&program, &["--domain", "home.example/"]).contains("HOST[:PORT]"));
        program.serve_with(&["--domain", "a.example"]).kill();
        assert_eq!(domain(&program), "a.example");
        program.serve_with(&["--domain", "social.home.example"]).kill();
        assert_eq!(domain(&program), "social.home.example");
        program.serve().kill();
        assert_eq!(domain(&program), "social.home.example");
    }

    fn an_address_that_others_know_stays(database: &TestDatabase) {
        let program = Program::on(database);
        program.serve_with(&["--base-url", HOME, "--domain", DOMAIN]).kill();
        fix(database, DOMAIN);
        for options in [
            &["--base-url", "https://b.example"][..],
            &["--base-url", "https://b.example", "--change-base-url"],
            &["--domain", "b.example"],
            &["--domain", "social.home.example"],
        ] {
            let printed = refused(&program, options);
            assert!(printed.contains("other servers know"), "{printed}");
            assert!(printed.contains(HOME) && !printed.contains("omit"), "{printed}");
        }
        let same = ["--base-url", HOME, "--domain", DOMAIN];
        assert_eq!(program.serve_with(&same).base, HOME);
        assert_eq!((program.serve().base.as_str(), domain(&program).as_str()), (HOME, DOMAIN));
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
    }

    fn a_doctor_sees_another_address(database: &TestDatabase) {
        let program = Program::on(database);
        program.serve_with(&["--base-url", HOME]).kill();
        fix(database, "other.example");
        let output = program.output(&["doctor"]);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(printed.contains("handles of other.example"), "{printed}");
    }

    fn a_server_makes_missing_keys(database: &TestDatabase) {
        let program = Program::on(database).with("SISKIN_FEDERATION_MODE", "open");
        program.run(&["accounts", "create", "ann", "--email", "a@example.com", "--base-url", HOME]);
        let server = program.serve();
        let keys = || program.json(&["federation", "status", "--json"])["keys"].clone();
        let start = std::time::Instant::now();
        while keys()["missing"] != 0 {
            assert!(start.elapsed() < std::time::Duration::from_secs(60), "{}", keys());
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert_eq!(keys(), json!({ "made": 2, "missing": 0 }));
        server.kill();
    }
}
