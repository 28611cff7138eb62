//! Tests of `siskin accounts …` and `siskin tokens …`.

use siskin_entities::{Actor, AuditAction, Cursor, PageRequest};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Store, StoreOptions, Tx, accounts,
    audit::{self, AuditSelection},
    external_identities, second_factors, tokens, users,
};
use siskin_services::{authentication, passwords};
use siskin_test_support::{TestDatabase, both_engines};

use crate::program::Program;

fn create(program: &Program, name: &str, more: &[&str]) -> serde_json::Value {
    let email = format!("{name}@example.com");
    program.json(&[&["accounts", "create", name, "--email", &email], more].concat())
}

/// Gives an account a login at an external provider.
fn link(database: &TestDatabase, account: AccountId) {
    let store = Store::open(&StoreOptions::new(database.url())).unwrap();
    let insert =
        move |tx: &mut Tx<'_>| external_identities::insert(tx, account, "https://id.example", "1");
    assert!(store.write(insert).unwrap());
}

/// Counts the entries of the audit log about what the operator did.
fn count_recorded(conn: &mut Conn, action: AuditAction) -> usize {
    let request = PageRequest { cursor: Cursor::default(), limit: 40 };
    let all = audit::list(conn, AuditSelection::default(), request).unwrap().items;
    all.iter().filter(|entry| entry.action == action && entry.actor == Actor::Operator).count()
}

both_engines! {
    fn a_new_account_is_printed_with_its_password(database: &TestDatabase) {
        let program = Program::on(database);
        let made = create(&program, "alice", &["--role", "Owner", "--password", "correct horse"]);
        assert_eq!(made["username"], "alice");
        assert_eq!(made["password"], "correct horse");
        assert_eq!(made.as_object().unwrap().len(), 3);
        let id: AccountId = made["id"].as_str().unwrap().parse().unwrap();
        let mut conn = Conn::open(database.url()).unwrap();
        let account = accounts::find(&mut conn, id).unwrap().unwrap();
        assert_eq!(account.role.as_ref().unwrap().name, "Owner");
        assert!(account.state.reachable);

        let made = create(&program, "bob", &["--unconfirmed", "--unapproved"]);
        let login = users::Login::Username("bob");
        let record = users::find_by_login(&mut conn, login).unwrap().unwrap();
        assert!(passwords::verify(made["password"].as_str().unwrap(), &record.password_hash));
        assert!(!record.owner.confirmed && !record.owner.approved);
        assert!(program.refused(&["accounts", "create", "alice", "--email", "x@example.com"])
            .contains("already taken"));
    }

    fn accounts_and_applications_are_listed(database: &TestDatabase) {
        let program = Program::on(database);
        let alice = create(&program, "alice", &["--role", "Owner"]);
        create(&program, "bob", &["--unconfirmed"]);
        program.run(&["accounts", "silence", "bob"]);
        let listed = program.run(&["accounts", "list"]);
        let lines: Vec<&str> = listed.lines().collect();
        assert_eq!(lines[0], format!("{}  alice  Owner", alice["id"].as_str().unwrap()));
        assert!(lines[1].ends_with("  bob  unconfirmed, silenced"), "{listed}");
        let json = program.run(&["accounts", "list", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json[1]["username"], &json[1]["silenced"]), (&"bob".into(), &true.into()));
        assert!(program.refused(&["accounts", "suspend", "carol"]).contains("accounts list"));

        assert_eq!(program.run(&["apps", "list"]), "");
        program.run(&["tokens", "create", "--account", "alice", "--scopes", "read"]);
        let listed = program.run(&["apps", "list"]);
        let id = listed.split_whitespace().next().unwrap();
        program.run(&["apps", "delete", id]);
        assert_eq!(program.run(&["apps", "list"]), "");
        assert!(program.refused(&["apps", "delete", id]).contains("apps list"));
    }

    fn accounts_are_created_at_the_address_of_the_last_start(database: &TestDatabase) {
        let program = Program::on(database);
        let server = program.serve();
        create(&program, "alice", &[]);
        let mut conn = Conn::open(database.url()).unwrap();
        let alice = accounts::find_by_handle(&mut conn, "alice", None).unwrap().unwrap();
        assert_eq!(alice.uri, format!("http://{}/users/alice", server.address));
    }

    fn states_are_set_and_reset(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "alice", &["--unconfirmed", "--unapproved"]);
        let state = || {
            let mut conn = Conn::open(database.url()).unwrap();
            accounts::find_by_handle(&mut conn, "alice", None).unwrap().unwrap()
        };
        assert!(!state().state.reachable);
        program.run(&["accounts", "confirm", "alice"]);
        assert!(!state().state.reachable);
        program.run(&["accounts", "approve", "@alice"]);
        assert!(state().state.reachable);
        program.run(&["accounts", "suspend", "alice"]);
        assert!(state().state.suspended);
        program.run(&["accounts", "unsuspend", "alice"]);
        assert!(!state().state.suspended);
        program.run(&["accounts", "silence", "alice"]);
        assert!(state().state.silenced);
        program.run(&["accounts", "unsilence", "alice"]);
        assert!(!state().state.silenced);
        program.run(&["accounts", "mark-sensitive", "alice"]);
        assert!(state().sensitized);
        program.run(&["accounts", "unmark-sensitive", "alice"]);
        assert!(!state().sensitized);
        program.run(&["accounts", "set-role", "alice", "Moderator"]);
        assert_eq!(state().role.as_ref().unwrap().name, "Moderator");
        assert!(program.refused(&["accounts", "set-role", "alice", "Nobody"]).contains("Nobody"));
        let printed = program.json(&["--json", "accounts", "set-role", "alice"]);
        assert_eq!(printed["username"], "alice");
        assert!(state().role.is_none());
        assert!(program.refused(&["accounts", "suspend", "bob"]).contains("bob"));
    }

    fn sign_ups_are_decided_about(database: &TestDatabase) {
        let program = Program::on(database);
        let waiting = ["--unapproved"];
        let (ann, bob) = (create(&program, "ann", &waiting), create(&program, "bob", &waiting));
        create(&program, "cem", &[]);
        database.execute("UPDATE users SET sign_up_reason = 'I like\n\u{202e}\nbir\u{1b}[2J\u{202e}\u{7}ds' WHERE email LIKE 'bob%'");
        let id = |created: &serde_json::Value| created["id"].as_str().unwrap().to_owned();
        assert_eq!(
            program.run(&["accounts", "pending"]),
            format!(
                "{}  bob  bob@example.com\n    I like\n    bir[2Jds\n{}  ann  ann@example.com\n",
                id(&bob), id(&ann)
            )
        );
        let listed: serde_json::Value =
            serde_json::from_str(&program.run(&["--json", "accounts", "pending"])).unwrap();
        assert_eq!((&listed[0]["reason"], &listed[1]["id"]), (&"I like\n\u{202e}\nbir\u{1b}[2J\u{202e}\u{7}ds".into(), &ann["id"]));

        assert_eq!(program.run(&["accounts", "reject", "bob"]), "bob is rejected\n");
        assert!(program.refused(&["accounts", "reject", "cem"]).contains("does not wait"));
        for command in ["approve", "show", "confirm"] {
            assert!(program.refused(&["accounts", command, "bob"]).contains("cannot find"));
        }
        assert!(!program.run(&["accounts", "list"]).contains("bob"));
        assert_eq!(program.run(&["accounts", "restore", "@bob"]), "bob is waiting for approval\n");
        assert!(program.refused(&["accounts", "restore", "bob"]).contains("no sign-up of bob"));
        program.run(&["accounts", "approve", "bob"]);
        program.run(&["accounts", "approve", "bob"]);
        let mut conn = Conn::open(database.url()).unwrap();
        let page = PageRequest { cursor: Cursor::default(), limit: 20 };
        let log = audit::list(&mut conn, AuditSelection::default(), page).unwrap().items;
        let log = log.iter().rev().map(|entry| (entry.actor, entry.action));
        let log: Vec<_> = log.filter(|(_, action)| *action != AuditAction::Create).collect();
        let decided = [AuditAction::Reject, AuditAction::Restore, AuditAction::Approve];
        assert_eq!(log, decided.map(|action| (Actor::Operator, action)));
        let bob = accounts::find_by_handle(&mut conn, "bob", None).unwrap().unwrap();
        assert!(bob.state.reachable);
    }

    fn decisions_are_in_the_audit_log_once(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "alice", &[]);
        for command in [
            "disable", "disable", "enable", "silence", "unsilence", "mark-sensitive",
            "unmark-sensitive", "suspend", "suspend", "unsuspend", "unsuspend",
        ] {
            program.run(&["accounts", command, "alice"]);
        }
        program.run(&["accounts", "delete", "alice", "--yes"]);
        let mut conn = Conn::open(database.url()).unwrap();
        let request = PageRequest { cursor: Cursor::default(), limit: 40 };
        let all = audit::list(&mut conn, AuditSelection::default(), request).unwrap().items;
        let of_alice = all.iter().rev().filter(|entry| entry.target.name == "@alice");
        let restrictions: Vec<_> = of_alice
            .filter(|entry| entry.actor == Actor::Operator && entry.action != AuditAction::Create)
            .map(|entry| entry.action.as_str())
            .collect();
        assert_eq!(restrictions, [
            "disable", "enable", "silence", "unsilence", "mark_sensitive", "unmark_sensitive",
            "suspend", "unsuspend", "delete",
        ]);
    }

    fn the_last_owner_cannot_be_removed(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "alice", &["--role", "Owner"]);
        create(&program, "bob", &["--role", "Admin"]);
        let all_refused = || {
            for arguments in [
                &["set-role", "alice"][..],
                &["set-role", "alice", "Moderator"],
                &["delete", "alice", "--yes"],
                &["suspend", "alice"],
                &["disable", "alice"],
            ] {
                let refused = program.refused(&[&["accounts"], arguments].concat());
                assert!(refused.contains("only owner"), "{arguments:?}: {refused}");
            }
        };
        all_refused();
        program.run(&["accounts", "set-role", "alice", "Owner"]);
        // An owner who cannot sign in does not count as one.
        program.run(&["accounts", "set-role", "bob", "Owner"]);
        program.run(&["accounts", "disable", "bob"]);
        all_refused();
        program.run(&["accounts", "enable", "bob"]);
        program.run(&["accounts", "delete", "alice", "--yes"]);
        assert!(program.refused(&["accounts", "delete", "bob", "--yes"]).contains("only owner"));
    }

    fn an_account_moves_to_one_that_names_it(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "old", &[]);
        create(&program, "new", &[]);
        let moved = || {
            let mut conn = Conn::open(database.url()).unwrap();
            let old = accounts::find_by_handle(&mut conn, "old", None).unwrap().unwrap();
            old.moved.as_ref().map(|target| target.username.clone())
        };
        assert!(program.refused(&["accounts", "move", "old", "new"]).contains("alias"));
        program.run(&["accounts", "alias", "new", "old"]);
        program.run(&["accounts", "move", "old", "new"]);
        assert_eq!(moved().as_deref(), Some("new"));
        program.run(&["accounts", "unmove", "old"]);
        assert_eq!(moved(), None);
        program.run(&["accounts", "alias", "new", "old", "--remove"]);
        assert!(program.refused(&["accounts", "move", "old", "new"]).contains("alias"));
        assert!(program.refused(&["accounts", "alias", "new", "new"]).contains("itself"));
    }

    fn a_new_password_replaces_the_old_one(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "alice", &["--password", "correct horse"]);
        let hash = || {
            let mut conn = Conn::open(database.url()).unwrap();
            let login = users::Login::Username("alice");
            users::find_by_login(&mut conn, login).unwrap().unwrap().password_hash
        };
        assert!(passwords::verify("correct horse", &hash()));
        let set = program.json(&["accounts", "set-password", "alice"]);
        assert!(passwords::verify(set["password"].as_str().unwrap(), &hash()));
        assert!(!passwords::verify("correct horse", &hash()));
        assert!(!program.refused(&["accounts", "set-password", "alice", "--password", "x"]).is_empty());
    }

    fn a_new_password_removes_external_logins_unless_they_are_kept(database: &TestDatabase) {
        let program = Program::on(database);
        let made = create(&program, "alice", &[]);
        let id: AccountId = made["id"].as_str().unwrap().parse().unwrap();
        link(database, id);
        let set = ["accounts", "set-password", "alice"];
        let kept = program.json(&[&set[..], &["--keep-external-logins"]].concat());
        assert_eq!(kept["external_logins_removed"], false);
        let mut conn = Conn::open(database.url()).unwrap();
        assert_eq!(external_identities::of_account(&mut conn, id).unwrap().len(), 1);
        assert_eq!(count_recorded(&mut conn, AuditAction::RemoveExternalLogins), 0);
        // The second time, there is none left.
        for removed in [true, false] {
            assert_eq!(program.json(&set)["external_logins_removed"], removed);
            assert!(external_identities::of_account(&mut conn, id).unwrap().is_empty());
            assert_eq!(count_recorded(&mut conn, AuditAction::RemoveExternalLogins), 1);
        }
        assert_eq!(count_recorded(&mut conn, AuditAction::ChangePassword), 3);
    }

    fn a_lost_second_factor_is_removed(database: &TestDatabase) {
        let program = Program::on(database);
        let made = create(&program, "alice", &[]);
        let id: AccountId = made["id"].as_str().unwrap().parse().unwrap();
        {
            let store = Store::open(&StoreOptions::new(database.url())).unwrap();
            store.write(move |tx| second_factors::insert(tx, id, "sealed", 1)).unwrap();
        }
        let command = ["accounts", "remove-second-factor", "alice"];
        for _ in 0..2 {
            assert_eq!(program.run(&command), "alice is without a second factor\n");
        }
        let mut conn = Conn::open(database.url()).unwrap();
        assert!(!second_factors::exists(&mut conn, id).unwrap());
        assert_eq!(count_recorded(&mut conn, AuditAction::RemoveSecondFactor), 1);
        let unknown = program.refused(&["accounts", "remove-second-factor", "carol"]);
        assert!(unknown.contains("cannot find"), "{unknown}");
    }

    fn external_logins_are_removed(database: &TestDatabase) {
        let program = Program::on(database);
        let made = create(&program, "alice", &[]);
        let id: AccountId = made["id"].as_str().unwrap().parse().unwrap();
        link(database, id);
        let command = ["accounts", "remove-external-logins", "alice"];
        for _ in 0..2 {
            assert_eq!(program.run(&command), "alice is without external logins\n");
        }
        let mut conn = Conn::open(database.url()).unwrap();
        assert!(external_identities::of_account(&mut conn, id).unwrap().is_empty());
        assert_eq!(count_recorded(&mut conn, AuditAction::RemoveExternalLogins), 1);
        let unknown = program.refused(&["accounts", "remove-external-logins", "carol"]);
        assert!(unknown.contains("cannot find"), "{unknown}");
    }

    fn tokens_are_created_for_any_account_and_stored_as_hashes(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "alice", &["--unconfirmed"]);
        let scopes = "read write follow push admin:read admin:write";
        let made = program.json(&["tokens", "create", "--account", "alice", "--scopes", scopes]);
        let token = made["access_token"].as_str().unwrap();
        let mut conn = Conn::open(database.url()).unwrap();
        let caller = authentication::authenticate(&mut conn, token).unwrap().unwrap();
        assert_eq!(caller.scopes.to_string(), scopes);
        assert_eq!(caller.user.unwrap().state, authentication::UserState::Unconfirmed);
        assert!(tokens::find_by_hash(&mut conn, token).unwrap().is_none());
        let refused = program.refused(&["tokens", "create", "--account", "alice", "--scopes", "fly"]);
        assert!(refused.contains("fly"));
    }

    fn the_name_of_a_deleted_account_is_free_once_it_is_released(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "alice", &[]);
        program.run(&["accounts", "delete", "alice", "--yes"]);
        let again = ["accounts", "create", "Alice", "--email", "other@example.com"];
        assert!(program.refused(&again).contains("already taken"));
        let unknown = ["accounts", "release-name", "bob"];
        assert!(program.refused(&unknown).contains("No deleted account"));
        assert_eq!(program.run(&["accounts", "release-name", "alice"]), "The name alice is free\n");
        create(&program, "Alice", &[]);
    }

    fn deleting_an_account_is_permanent(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "alice", &[]);
        create(&program, "bob", &[]);
        program.run(&["accounts", "delete", "alice", "--yes"]);
        assert!(program.refused(&["accounts", "suspend", "alice"]).contains("alice"));
        program.run(&["accounts", "suspend", "bob"]);
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
    }

    fn show_lists_each_state_of_an_account(database: &TestDatabase) {
        let program = Program::on(database);
        for (name, options, states) in [
            ("ann", &[][..], &[][..]),
            ("bob", &["--unconfirmed"], &["unconfirmed"]),
            ("cem", &["--unapproved"], &["unapproved"]),
            ("dan", &["--unconfirmed", "--unapproved"], &["unconfirmed", "unapproved"]),
            ("eve", &[], &["disabled"]),
        ] {
            create(&program, name, options);
            if states == ["disabled"] {
                program.run(&["accounts", "disable", name]);
            }
            let shown = program.json(&["accounts", "show", name, "--json"]);
            for state in ["unconfirmed", "unapproved", "disabled", "suspended", "silenced"] {
                assert_eq!(shown[state], states.contains(&state), "{name}: {state}");
            }
            assert_eq!(shown["email"], format!("{name}@example.com"));
            let listed = program.run(&["accounts", "list"]);
            let line = listed.lines().last().unwrap();
            let printed = format!("  {name}  {}", states.join(", "));
            assert!(line.ends_with(printed.trim_end()), "{line}");
            let printed = program.run(&["accounts", "show", name]);
            assert!(printed.starts_with(line) && printed.contains("@example.com"), "{printed}");
        }
        assert!(program.refused(&["accounts", "show", "nobody"]).contains("accounts list"));
    }

    fn an_address_is_replaced_and_counts_as_confirmed(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "alice", &["--unconfirmed"]);
        create(&program, "bob", &[]);
        let taken = program.refused(&["accounts", "set-email", "alice", "BOB@example.com"]);
        assert!(taken.contains("already taken"), "{taken}");
        assert!(program.refused(&["accounts", "set-email", "alice", "nowhere"]).contains("valid"));
        program.run(&["accounts", "set-email", "alice", "alice@example.org"]);
        let shown = program.json(&["accounts", "show", "alice", "--json"]);
        assert_eq!(shown["email"], "alice@example.org");
        assert_eq!(shown["unconfirmed"], false);
    }

    fn a_password_comes_from_standard_input(database: &TestDatabase) {
        let program = Program::on(database);
        let create = ["accounts", "create", "alice", "--email", "a@b.example", "--password-stdin"];
        let made = program.output_with(&create, "correct horse\n");
        assert!(made.status.success(), "{made:?}");
        let verify = |password: &str| {
            let mut conn = Conn::open(database.url()).unwrap();
            let login = users::Login::Username("alice");
            let found = users::find_by_login(&mut conn, login).unwrap().unwrap();
            passwords::verify(password, &found.password_hash)
        };
        assert!(verify("correct horse"));
        let set = ["accounts", "set-password", "alice", "--password-stdin"];
        assert!(program.output_with(&set, "battery staple\r\nmore").status.success());
        assert!(verify("battery staple"));
        let nothing = program.output_with(&set, "");
        assert!(String::from_utf8(nothing.stderr).unwrap().contains("no password"));
        assert!(verify("battery staple"));
        program.refused(&[&set[..], &["--password", "another one"]].concat());
    }

    fn deletion_needs_a_confirmation(database: &TestDatabase) {
        let program = Program::on(database);
        create(&program, "alice", &[]);
        let refused = program.output_with(&["accounts", "delete", "alice"], "alice\n");
        assert!(String::from_utf8(refused.stderr).unwrap().contains("--yes"));
        assert!(program.run(&["accounts", "list"]).ends_with("  alice\n"));
    }

    fn tokens_are_listed_and_revoked(database: &TestDatabase) {
        let program = Program::on(database);
        for name in ["alice", "bob"] {
            create(&program, name, &[]);
        }
        let token = |name: &str| {
            let made = program.json(&["tokens", "create", "--account", name, "--scopes", "read"]);
            made["access_token"].as_str().unwrap().to_owned()
        };
        let (first, second) = (token("alice"), token("bob"));
        let all = program.json(&["tokens", "list", "--json"]);
        assert_eq!(all.as_array().unwrap().len(), 2);
        assert!(!all.to_string().contains(&first), "{all}");
        let listed = program.json(&["tokens", "list", "--account", "bob", "--json"]);
        assert_eq!((&listed[0]["account"], &listed[0]["scopes"]), (&"bob".into(), &"read".into()));
        assert_eq!(listed.as_array().unwrap().len(), 1);
        let id = listed[0]["id"].as_str().unwrap();
        assert!(program.run(&["tokens", "list"]).contains(&format!("{id}  bob  ")));
        program.run(&["tokens", "revoke", id]);
        let mut conn = Conn::open(database.url()).unwrap();
        assert!(authentication::authenticate(&mut conn, &first).unwrap().is_some());
        assert!(authentication::authenticate(&mut conn, &second).unwrap().is_none());
        assert!(program.refused(&["tokens", "revoke", id]).contains("tokens list"));
        assert_eq!(program.json(&["tokens", "list", "--account", "bob", "--json"]), serde_json::json!([]));
    }
}
