//! Tests of opening the database: which commands create or migrate it, and which errors the others
//! report if they cannot use it.

use std::path::Path;

use siskin_persistence::{
    Conn,
    migrations::{self, Schema},
};
use siskin_test_support::{TestDatabase, both_engines};
use tempfile::TempDir;

use crate::program::Program;

/// Every command with arguments. `BACKUP` is an archive, `NEW` a file that does not exist, `SEED` a
/// file for `seed`.
const COMMANDS: &[&[&str]] = &[
    &["serve", "--bind", "127.0.0.1:0"],
    &["accounts", "list"],
    &["accounts", "show", "alice"],
    &["accounts", "create", "alice", "--email", "alice@example.com"],
    &["accounts", "pending"],
    &["accounts", "approve", "alice"],
    &["accounts", "reject", "alice"],
    &["accounts", "restore", "alice"],
    &["accounts", "confirm", "alice"],
    &["accounts", "suspend", "alice"],
    &["accounts", "unsuspend", "alice"],
    &["accounts", "silence", "alice"],
    &["accounts", "unsilence", "alice"],
    &["accounts", "mark-sensitive", "alice"],
    &["accounts", "unmark-sensitive", "alice"],
    &["accounts", "disable", "alice"],
    &["accounts", "enable", "alice"],
    &["accounts", "delete", "alice", "--yes"],
    &["accounts", "release-name", "alice"],
    &["accounts", "alias", "alice", "bob"],
    &["accounts", "move", "alice", "bob"],
    &["accounts", "unmove", "alice"],
    &["accounts", "set-role", "alice"],
    &["accounts", "set-email", "alice", "alice@example.org"],
    &["accounts", "set-password", "alice"],
    &["accounts", "remove-external-logins", "alice"],
    &["accounts", "remove-second-factor", "alice"],
    &["roles", "list"],
    &["roles", "create", "Helper"],
    &["roles", "edit", "Helper", "--priority", "5"],
    &["roles", "delete", "Helper"],
    &["audit"],
    &["tokens", "create", "--account", "alice"],
    &["tokens", "list"],
    &["tokens", "revoke", "1"],
    &["apps", "list"],
    &["apps", "delete", "1"],
    &["settings", "get", "registrations"],
    &["settings", "set", "registrations", "open"],
    &["settings", "reset", "registrations"],
    &["settings", "list"],
    &["announcements", "list"],
    &["announcements", "publish", "Tea at five"],
    &["announcements", "edit", "1", "--text", "Tea at six"],
    &["announcements", "unpublish", "1"],
    &["announcements", "delete", "1"],
    &["federation", "status"],
    &["domains", "list"],
    &["domains", "block", "far.example"],
    &["domains", "unblock", "far.example"],
    &["domains", "allow", "far.example"],
    &["domains", "disallow", "far.example"],
    &["domains", "export"],
    &["domains", "import", "SEED"],
    &["email-domain-blocks", "list"],
    &["email-domain-blocks", "add", "mail.example"],
    &["email-domain-blocks", "remove", "mail.example"],
    &["canonical-email-blocks", "list"],
    &["canonical-email-blocks", "add", "ann@mail.example"],
    &["canonical-email-blocks", "remove", "ann@mail.example"],
    &["ip-blocks", "list"],
    &["ip-blocks", "add", "192.0.2.0/24"],
    &["ip-blocks", "remove", "192.0.2.0/24"],
    &["texts", "show", "privacy-policy"],
    &["texts", "set", "privacy-policy"],
    &["texts", "edit", "privacy-policy"],
    &["texts", "reset", "privacy-policy"],
    &["rules", "add", "Be kind"],
    &["rules", "list"],
    &["rules", "delete", "1"],
    &["emojis", "import", "NEW"],
    &["emojis", "list"],
    &["emojis", "delete", "cat"],
    &["trends", "list"],
    &["trends", "refresh"],
    &["trends", "approve", "tag", "birds"],
    &["trends", "reject", "tag", "birds"],
    &["trends", "reset", "tag", "birds"],
    &["trends", "override", "https://news.example/", "none"],
    &["mail", "test", "alice@example.com"],
    &["media", "copy-to-bucket"],
    &["media", "copy-to-folder"],
    &["migrate"],
    &["doctor"],
    &["backup", "NEW"],
    &["restore", "BACKUP"],
    &["demo", "--accounts", "2", "--statuses", "2"],
    &["seed", "SEED"],
];

/// The commands that create a missing database and migrate an older one.
const CREATING_COMMANDS: &[&str] = &["serve", "migrate", "restore", "demo", "seed"];

/// Returns the arguments of a command, with the paths of the files in `folder`.
fn filled(arguments: &[&str], folder: &Path) -> Vec<String> {
    let file = |argument: &&str| match *argument {
        "BACKUP" => folder.join("backup.tar.gz").to_str().unwrap().to_owned(),
        "NEW" => folder.join("new").to_str().unwrap().to_owned(),
        "SEED" => folder.join("seed.json").to_str().unwrap().to_owned(),
        other => other.to_owned(),
    };
    arguments.iter().map(file).collect()
}

/// Creates a folder with the files that commands read.
fn files(database: &TestDatabase) -> TempDir {
    let folder = TempDir::new().unwrap();
    let backup = folder.path().join("backup.tar.gz");
    Program::on(database).run(&["backup", backup.to_str().unwrap()]);
    std::fs::write(folder.path().join("seed.json"), r#"{ "accounts": [] }"#).unwrap();
    folder
}

fn refused(program: &Program, arguments: &[&str], files: &Path) -> String {
    let arguments = filled(arguments, files);
    program.refused(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

fn with_hooks(url: &str) -> Program {
    Program::at(url).with("SISKIN_TEST_HOOKS", "1")
}

/// Collects the commands below `path`, as the help lists them.
fn leaves(program: &Program, path: &[&str], found: &mut Vec<String>) {
    let help = program.run(&[path, &["--help"]].concat());
    let Some((_, listed)) = help.split_once("Commands:\n") else {
        return found.push(path.join(" "));
    };
    let names = listed.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for name in names.filter(|name| !matches!(*name, "" | "help")) {
        leaves(program, &[path, &[name]].concat(), found);
    }
}

#[test]
fn the_table_has_every_command() {
    let mut found = Vec::new();
    leaves(&Program::at("sqlite://nowhere/x"), &[], &mut found);
    assert!(found.len() > 30, "{found:?}");
    for command in found {
        let known = COMMANDS.iter().any(|arguments| arguments.join(" ").starts_with(&command));
        assert!(known, "{command}");
    }
}

both_engines! {
    fn a_newer_database_is_refused_by_every_command(database: &TestDatabase) {
        let files = files(database);
        database.execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('9876')");
        let program = with_hooks(database.url());
        let here = migrations::latest().unwrap();
        for arguments in COMMANDS {
            let printed = refused(&program, arguments, files.path());
            let both = printed.contains("9876") && printed.contains(&here);
            assert!(both && printed.contains("newer release"), "{arguments:?}: {printed}");
        }
        let check = program.refused(&["migrate", "--check"]);
        assert!(check.contains("9876"), "{check}");
    }

    fn only_documented_commands_migrate_an_older_database(database: &TestDatabase) {
        let files = files(database);
        let here = migrations::latest().unwrap();
        let older = "DELETE FROM __diesel_schema_migrations WHERE version = ";
        database.execute(&format!("{older}'{here}'"));
        let program = with_hooks(database.url());
        let of_today = Conn::open(database.url()).and_then(|mut conn| migrations::schema(&mut conn));
        let Ok(Schema::Older { database: before, .. }) = of_today else { panic!("{of_today:?}") };
        for arguments in COMMANDS.iter().filter(|arguments| !CREATING_COMMANDS.contains(&arguments[0])) {
            let printed = refused(&program, arguments, files.path());
            let both = printed.contains(&before) && printed.contains(&here);
            assert!(both && printed.contains("siskin migrate"), "{arguments:?}: {printed}");
        }
        let check = program.output(&["migrate", "--check"]);
        assert_eq!(check.status.code(), Some(1));
        assert!(String::from_utf8(check.stdout).unwrap().contains(&here));
    }

    fn only_documented_commands_create_a_missing_database(database: &TestDatabase) {
        let files = files(database);
        let home = TempDir::new().unwrap();
        let empty = TestDatabase::empty(database.engine());
        let folder = home.path().join("no/such");
        let url = match empty.url().starts_with("sqlite") {
            true => format!("sqlite://{}/siskin.sqlite3", folder.display()),
            false => empty.url().to_owned(),
        };
        let program = with_hooks(&url);
        let mut others: Vec<&[&str]> = COMMANDS.to_vec();
        others.retain(|arguments| !CREATING_COMMANDS.contains(&arguments[0]));
        for arguments in others {
            let printed = refused(&program, arguments, files.path());
            assert!(printed.contains("--database") && printed.contains("siskin migrate"), "{printed}");
            assert!(!home.path().join("no").exists(), "{arguments:?}");
            assert!(!program.folder.path().join("media").exists(), "{arguments:?}");
        }
        let check = program.output(&["migrate", "--check"]);
        assert_eq!(check.status.code(), Some(1));
        assert!(!home.path().join("no").exists());
        if !url.starts_with("sqlite") {
            let mut conn = Conn::open(&url).unwrap();
            assert_eq!(migrations::schema(&mut conn).unwrap(), Schema::Empty);
        }
        program.run(&["migrate"]);
        assert_eq!(program.run(&["accounts", "list"]), "");
        assert!(!files.path().join("new").exists());
    }
}

both_engines! {
    fn each_creating_command_creates_a_database(database: &TestDatabase) {
        let files = files(database);
        for arguments in COMMANDS.iter().filter(|arguments| CREATING_COMMANDS.contains(&arguments[0])) {
            let empty = TestDatabase::empty(database.engine());
            let program = with_hooks(empty.url());
            if arguments[0] == "serve" {
                program.serve().kill();
            } else {
                let filled = filled(arguments, files.path());
                program.run(&filled.iter().map(String::as_str).collect::<Vec<_>>());
            }
            assert_eq!(program.run(&["doctor"]), "No problems found\n", "{arguments:?}");
        }
    }
}
