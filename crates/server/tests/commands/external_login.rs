//! Tests of the configuration of external providers.

use std::fs;

use siskin_ids::AccountId;
use siskin_persistence::{Store, StoreOptions, Tx, external_identities};
use siskin_test_support::{Engine, TestDatabase, both_engines};

use crate::program::Program;

const SECRET: &str = "hidden-secret";
const LIST: &str = "SISKIN_EXTERNAL_LOGINS";
const ISSUER: &str = "http://127.0.0.1:9/realm";
const SERVE: [&str; 3] = ["serve", "--bind", "127.0.0.1:0"];
const ON: [&str; 4] = ["settings", "set", "external_only", "true"];

/// Returns the program with a provider that does not answer.
fn with_provider(database: &TestDatabase) -> Program {
    Program::on(database)
        .with(LIST, "main")
        .with("SISKIN_EXTERNAL_LOGIN_MAIN_NAME", "Our provider")
        .with("SISKIN_EXTERNAL_LOGIN_MAIN_ISSUER", ISSUER)
        .with("SISKIN_EXTERNAL_LOGIN_MAIN_CLIENT_ID", "siskin")
        .with("SISKIN_EXTERNAL_LOGIN_MAIN_CLIENT_SECRET", SECRET)
}

both_engines! {
    fn the_server_starts_without_its_provider_and_keeps_the_secret(database: &TestDatabase) {
        let program = with_provider(database).with("SISKIN_LOG", "debug");
        program.run(&["accounts", "create", "alice", "--email", "alice@example.com"]);
        let server = program.serve();
        let page = server.get("/auth/sign_in", "");
        assert!(page.contains("Continue with Our provider"), "{page}");
        let page = server.get("/auth/external/main", "");
        assert!(page.starts_with("HTTP/1.1 502"), "{page}");
        server.signal("TERM");
        assert_eq!(server.wait().0, Some(0));
        assert!(program.log().contains("main"), "the failure is logged");
        let listed = program.run(&["settings", "list"]);
        for text in [page, program.log(), listed] {
            assert!(!text.contains(SECRET), "{text}");
        }
    }

    fn passwords_are_switched_off_only_with_a_provider(database: &TestDatabase) {
        let (with, without) = (with_provider(database), Program::on(database));
        let refused = without.refused(&ON);
        assert!(refused.contains("external_only") && refused.contains("provider"), "{refused}");
        assert_eq!(without.run(&["settings", "get", "external_only"]), "false\n");
        assert_eq!(with.run(&ON), "true\n");
        drop(with.serve());
        // The provider was removed from the configuration.
        let refused = without.refused(&SERVE);
        for part in ["external_only", "siskin settings set external_only false"] {
            assert!(refused.contains(part), "{refused}");
        }
        // The operator lets people sign in again.
        assert_eq!(without.run(&["settings", "set", "external_only", "false"]), "false\n");
        drop(without.serve());
        let fixed = Program::on(database).with("SISKIN_EXTERNAL_ONLY", "true");
        assert!(fixed.refused(&SERVE).contains("sign-in provider"));
    }

    fn a_command_that_shuts_a_person_out_says_so(database: &TestDatabase) {
        let program = with_provider(database);
        let made =
            program.json(&["accounts", "create", "alice", "--email", "alice@example.com"]);
        let alice: AccountId = made["id"].as_str().unwrap().parse().unwrap();
        let link = || {
            let store = Store::open(&StoreOptions::new(database.url())).unwrap();
            let insert =
                move |tx: &mut Tx<'_>| external_identities::insert(tx, alice, ISSUER, "1");
            assert!(store.write(insert).unwrap());
        };
        let warning = |arguments: &[&str]| {
            let output = program.output(&[&["accounts"], arguments].concat());
            assert!(output.status.success(), "{output:?}");
            let errors = String::from_utf8(output.stderr).unwrap();
            errors.contains("alice cannot sign in: external_only is on")
        };
        let set = ["set-password", "alice"];
        let remove = ["remove-external-logins", "alice"];
        link();
        assert!(!warning(&set));
        assert_eq!(program.run(&ON), "true\n");
        link();
        assert!(!warning(&["set-password", "alice", "--keep-external-logins"]));
        // The second time, the new password does not help either.
        assert!(warning(&set) && warning(&set));
        link();
        assert!(warning(&remove) && !warning(&remove));
        program.run(&["settings", "set", "external_only", "false"]);
        assert!(!warning(&set));
    }
}

#[test]
fn wrong_values_stop_the_start_with_a_message() {
    let database = TestDatabase::new(Engine::Sqlite);
    for (name, value, expected) in [
        ("MAIN_ISSUER", "http://id.example", "https://"),
        ("MAIN_ISSUER", "nonsense", "the issuer must be a URL"),
        ("MAIN_CLIENT_ID", "a b", "the client id"),
        ("MAIN_CLIENT_SECRET", "hidden secret", "the client secret"),
        ("MAIN_SCOPES", "a\"b", "is not a scope"),
        ("MAIN_NAME", " ", "the name"),
        ("MAIN_TRUST_EMAILS", "maybe", "must be true or false"),
        ("OTHER_ISSUER", "https://id.example", "SISKIN_EXTERNAL_LOGINS must list its id"),
    ] {
        let program =
            with_provider(&database).with(&format!("SISKIN_EXTERNAL_LOGIN_{name}"), value);
        let refused = program.refused(&SERVE);
        assert!(refused.contains(expected), "{name}: {refused}");
        assert!(!refused.contains("hidden"), "{name}: {refused}");
    }
    for (list, expected) in
        [("main,other", "SISKIN_EXTERNAL_LOGIN_OTHER_ISSUER"), ("Main", "the provider \"Main\"")]
    {
        let refused = with_provider(&database).with(LIST, list).refused(&SERVE);
        assert!(refused.contains(expected), "{list}: {refused}");
    }
}

#[test]
fn providers_are_in_the_file_too() {
    let database = TestDatabase::new(Engine::Sqlite);
    let program = Program::on(&database);
    let path = program.folder.path().join("siskin.toml");
    let provider = |id: &str| {
        format!(
            "[[external_login]]\nid = \"{id}\"\nname = \"The {id} provider\"\nissuer = \
             \"https://{id}.example\"\nclient_id = \"siskin\"\nclient_secret = \"{SECRET}\"\n\
             scopes = [\"email\"]\ntrust_emails = true\n"
        )
    };
    fs::write(&path, provider("one") + &provider("two")).unwrap();
    let config = ["--config", path.to_str().unwrap()];
    let server = program.serve_with(&config);
    let page = server.get("/auth/sign_in", "");
    assert!(page.contains("The one provider") && page.contains("The two provider"), "{page}");
    drop(server);
    fs::write(&path, provider("one") + "secret = \"hidden\"\n").unwrap();
    let refused = program.refused(&[&SERVE[..], &config].concat());
    assert!(refused.contains("secret") && !refused.contains(SECRET), "{refused}");
}
