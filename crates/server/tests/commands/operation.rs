//! Tests of a running server and its environment: an unavailable database, an unknown proxy, a
//! clock that jumps, signals.

use std::{
    fs,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use siskin_entities::Actor;
use siskin_ids::unix_ms_of;
use siskin_persistence::{Conn, Role, Store, StoreOptions, archive, system_time};
use siskin_services::rules;
use siskin_test_support::{Engine, TestDatabase, both_engines};

use crate::program::Program;

const FORWARDED: &str = "X-Forwarded-For: 9.9.9.9\r\n";
const PUBLIC: &str = "/api/v1/timelines/public";

/// Waits until `what` returns `true`.
fn eventually(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_secs(30), "timed out");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn an_unavailable_database_is_logged_once_and_responses_hide_the_cause() {
    Engine::Postgres.on_fresh_database(|database| {
        let program = Program::on(database);
        let server = program.serve();
        assert!(server.get(PUBLIC, "").starts_with("HTTP/1.1 200"));
        database.set_unavailable(true);
        thread::scope(|scope| {
            for _ in 0..30 {
                scope.spawn(|| {
                    let response = server.get(PUBLIC, "");
                    assert!(response.starts_with("HTTP/1.1 503"), "{response}{}", program.log());
                    assert!(response.contains("cannot reach its storage"), "{response}");
                });
            }
        });
        thread::sleep(Duration::from_secs(3));
        let log = program.log();
        assert_eq!(log.matches("the database is unreachable").count(), 1, "{log}");
        assert!(log.lines().count() <= 3, "{log}");
        database.set_unavailable(false);
        eventually(|| server.get(PUBLIC, "").starts_with("HTTP/1.1 200"));
        let log = program.log();
        assert_eq!(log.matches("is reachable again").count(), 1, "{log}");
    });
}

#[test]
fn the_start_fails_if_the_media_folder_is_not_writable() {
    let database = TestDatabase::new(Engine::Sqlite);
    let program = Program::on(&database);
    let file = program.folder.path().join("file");
    fs::write(&file, "").unwrap();
    let program = program.with("SISKIN_MEDIA_DIR", file.join("media").to_str().unwrap());
    let printed = program.refused(&["serve", "--bind", "127.0.0.1:0"]);
    assert!(printed.contains("cannot use the folder of uploaded files"), "{printed}");
}

#[test]
fn sighup_does_not_stop_the_server() {
    let database = TestDatabase::new(Engine::Sqlite);
    let program = Program::on(&database).with("SISKIN_LOG", "info");
    let server = program.serve();
    for _ in 0..2 {
        server.signal("HUP");
        assert!(server.get("/health", "").starts_with("HTTP/1.1 200"));
    }
    eventually(|| program.log().contains("SIGHUP"));
    server.signal("TERM");
    assert_eq!(server.wait().0, Some(0));
}

both_engines! {
    fn an_untrusted_proxy_is_recorded_once(database: &TestDatabase) {
        let program = Program::on(database);
        let server = program.serve();
        server.get("/api/v1/instance/rules", "");
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
        for _ in 0..3 {
            server.get("/api/v1/instance/rules", FORWARDED);
        }
        eventually(|| !program.output(&["doctor"]).status.success());
        let printed = String::from_utf8(program.output(&["doctor"]).stdout).unwrap();
        assert!(printed.starts_with("127.0.0.1 sent X-Forwarded-For"), "{printed}");
        assert!(printed.contains("--trusted-proxies"), "{printed}");
        assert_eq!(program.log().matches("127.0.0.1 sent X-Forwarded-For").count(), 1);
        server.kill();
        let server = program.serve_with(&["--trusted-proxies", "127.0.0.1"]);
        server.get("/api/v1/instance/rules", FORWARDED);
        thread::sleep(Duration::from_millis(500));
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
        assert_eq!(program.log().matches("127.0.0.1 sent X-Forwarded-For").count(), 1);
    }

    fn ids_follow_the_clock_after_a_restart_although_those_of_hashtags_do_not(database: &TestDatabase) {
        let program = Program::on(database);
        program.run(&["demo", "--accounts", "3", "--statuses", "60", "--follows", "2"]);
        let mut conn = Conn::open(database.url()).unwrap();
        assert!(archive::count(&mut conn, "tags").unwrap() > 0);
        let made = program.json(&["rules", "add", "Be kind", "--json"]);
        let id: i64 = made["id"].as_str().unwrap().parse().unwrap();
        let ahead_ms = unix_ms_of(id) - system_time().unix_ms();
        assert!(ahead_ms.abs() < 60_000, "{ahead_ms}");
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
    }

    fn doctor_reports_rows_from_the_future(database: &TestDatabase) {
        let program = Program::on(database);
        program.run(&["rules", "add", "Be kind"]);
        assert_eq!(program.run(&["doctor"]), "No problems found\n");
        let tomorrow = || system_time().after(Duration::from_hours(24));
        let options = StoreOptions::new(database.url()).role(Role::Command).clock(Arc::new(tomorrow));
        let rule = rules::prepare("Be on time", "").unwrap();
        let store = Store::open(&options).unwrap();
        store.write(move |tx| rules::add(tx, Actor::Operator, &rule)).unwrap();
        drop(store);
        let output = program.output(&["doctor"]);
        assert_eq!(output.status.code(), Some(1));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("but the clock shows"), "{printed}");
        let _server = program.serve();
        eventually(|| program.log().contains("the clock was ahead or is behind"));
    }
}
