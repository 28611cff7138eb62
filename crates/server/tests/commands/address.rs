//! Tests of the address of an instance, which does not change by itself.

use siskin_persistence::{Conn, accounts};
use siskin_test_support::{TestDatabase, both_engines};

use crate::program::Program;

const HOME: &str = "https://home.example";
const OTHER: &str = "https://other.example";

fn create(program: &Program, name: &str, options: &[&str]) {
    let email = format!("{name}@example.com");
    program.run(&[&["accounts", "create", name, "--email", &email], options].concat());
}

fn uri(database: &TestDatabase, name: &str) -> String {
    let mut conn = Conn::open(database.url()).unwrap();
    accounts::find_by_handle(&mut conn, name, None).unwrap().unwrap().uri.clone()
}

/// Returns the error of a server that does not start.
fn refused(program: &Program, options: &[&str]) -> String {
    program.refused(&[&["serve", "--bind", "127.0.0.1:0"], options].concat())
}

both_engines! {
    fn the_address_of_the_first_start_is_stored(database: &TestDatabase) {
        let program = Program::on(database);
        program.serve_with(&["--base-url", "https://HOME.example:443/"]).kill();
        for options in [&[][..], &["--base-url", HOME]] {
            let server = program.serve_with(options);
            assert_eq!(server.base, HOME);
            assert_ne!(server.address, "home.example");
            server.kill();
        }
        create(&program, "alice", &[]);
        assert_eq!(uri(database, "alice"), format!("{HOME}/users/alice"));
        let printed = refused(&program, &["--base-url", OTHER]);
        for expected_text in [HOME, OTHER, "--change-base-url", "SISKIN_BASE_URL"] {
            assert!(printed.contains(expected_text), "{printed}");
        }
        let from_environment = Program::on(database).with("SISKIN_BASE_URL", OTHER);
        assert!(refused(&from_environment, &[]).contains("--change-base-url"));
        assert_eq!(program.serve().base, HOME);
    }

    fn change_base_url_replaces_the_address_with_a_warning(database: &TestDatabase) {
        let program = Program::on(database);
        program.serve_with(&["--base-url", HOME]).kill();
        let change = ["--base-url", OTHER, "--change-base-url"];
        program.serve_with(&change).kill();
        assert!(program.log().contains(HOME), "{}", program.log());
        assert!(!program.log().contains("1 accounts"), "{}", program.log());
        create(&program, "alice", &[]);
        program.serve_with(&["--base-url", HOME, "--change-base-url"]).kill();
        let log = program.log();
        assert!(log.contains("1 accounts were created under another address than"), "{log}");
        assert!(log.contains("handles") && log.contains("apps that are signed in"), "{log}");
        assert_eq!(program.serve().base, HOME);
        assert!(refused(&program, &["--change-base-url"]).contains("--base-url"));
    }

    fn commands_create_accounts_at_the_stored_address(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "alice", &["--base-url", HOME]);
        assert_eq!(uri(database, "alice"), format!("{HOME}/users/alice"));
        let other = ["accounts", "create", "bob", "--email", "b@example.com", "--base-url", OTHER];
        assert!(program.refused(&other).contains("--change-base-url"));
        let printed = program.run(&["accounts", "list", "--base-url", OTHER]);
        assert!(printed.contains("alice"), "{printed}");
        assert_eq!(program.serve().base, HOME);
    }

    fn a_command_warns_if_no_address_is_stored(database: &TestDatabase) {
        let program = Program::on(database);
        let made = program.output(&["accounts", "create", "alice", "--email", "a@example.com"]);
        let printed = String::from_utf8(made.stderr).unwrap();
        assert!(printed.contains("--base-url"), "{printed}");
        program.serve_with(&["--base-url", HOME]).kill();
        let log = program.log();
        assert!(log.contains("1 accounts were created under another"), "{log}");
        let made = program.output(&["accounts", "create", "bob", "--email", "b@example.com"]);
        assert_eq!(String::from_utf8(made.stderr).unwrap(), "");
    }

    fn a_restored_instance_keeps_its_address(database: &TestDatabase) {
        let program = Program::on(database);
        program.serve_with(&["--base-url", HOME]).kill();
        let archive = program.folder.path().join("backup.tar.gz");
        let archive = archive.to_str().unwrap();
        program.run(&["backup", archive]);
        let empty = TestDatabase::empty(database.engine());
        let other = Program::on(&empty);
        other.run(&["restore", archive]);
        assert!(refused(&other, &["--base-url", OTHER]).contains(HOME));
        assert_eq!(other.serve().base, HOME);
    }

    fn processes_that_start_first_agree_on_one_address(database: &TestDatabase) {
        if database.url().starts_with("sqlite") {
            return;
        }
        let program = Program::on(database);
        let bases = std::thread::scope(|scope| {
            let start = || program.serve().base.clone();
            let started: Vec<_> = (0..3).map(|_| scope.spawn(start)).collect();
            started.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(bases.iter().all(|base| *base == bases[0]), "{bases:?}");
    }
}
