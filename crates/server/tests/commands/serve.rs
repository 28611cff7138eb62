//! Tests of `siskin serve`.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use siskin_server::Config;
use siskin_test_support::{Engine, TestDatabase, both_engines};

use crate::program::Program;

fn health(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response.lines().next().unwrap().to_owned()
}

both_engines! {
    fn the_server_responds_and_stops_on_a_signal(database: &TestDatabase) {
        let empty = TestDatabase::empty(database.engine());
        let program = Program::on(&empty);
        for signal in ["TERM", "INT"] {
            let server = program.serve();
            assert_eq!(health(&server.address), "HTTP/1.1 200 OK");
            server.signal(signal);
            let (code, printed) = server.wait();
            assert_eq!(code, Some(0));
            assert!(printed.contains("siskin accounts create"), "{printed}");
        }
        program.run(&["accounts", "create", "alice", "--email", "alice@example.com"]);
        let server = program.serve();
        server.signal("TERM");
        assert_eq!(server.wait(), (Some(0), String::new()));
    }

    fn settings_of_another_process_apply_within_a_second(database: &TestDatabase) {
        let program = Program::on(database);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut config = Config::new(database.url());
            config.bind = "127.0.0.1:0".to_owned();
            let running = siskin_server::start(config).await.unwrap();
            let change = move || program.run(&["settings", "set", "site_title", "Finch"]);
            tokio::task::spawn_blocking(change).await.unwrap();
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(running.app.settings().site_title, "Finch");
            running.stop().await.unwrap();
        });
    }
}

#[test]
fn the_limit_of_open_files_is_raised_to_what_the_system_allows() {
    let database = TestDatabase::new(Engine::Sqlite);
    let program = Program::on(&database);
    let server = program.serve();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", server.id())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let [soft, hard] = [3, 4].map(|column| files.split_whitespace().nth(column).unwrap());
    let raised: u64 = soft.parse().unwrap();
    assert!(raised >= 32_768 || soft == hard, "{files}");
}

#[test]
fn a_second_server_on_one_embedded_database_is_refused() {
    let database = TestDatabase::new(Engine::Sqlite);
    let program = Program::on(&database);
    let first = program.serve();
    let refused = program.refused(&["serve", "--bind", "127.0.0.1:0"]);
    assert!(refused.contains("another server is using"), "{refused}");
    assert_eq!(health(&first.address), "HTTP/1.1 200 OK");
}

#[test]
fn a_wrong_option_is_refused_with_a_message() {
    let database = TestDatabase::new(Engine::Sqlite);
    let program = Program::on(&database);
    for (arguments, expected_text) in [
        (["--base-url", "https://a.example/path"], "HOST[:PORT]"),
        (["--outbound-allow", "localhost"], "IP:PORT"),
        (["--dns-servers", "192.0.2.1"], "IP:PORT"),
        (["--dns-servers", "none,192.0.2.1:53"], "IP:PORT"),
        (["--smtp-url", "http://localhost"], "--smtp-url"),
        (["--config", "/nonexistent"], "/nonexistent"),
        (["--database", "mysql://x"], "sqlite://"),
    ] {
        let refused =
            program.refused(&[&["serve", "--bind", "127.0.0.1:0"], &arguments[..]].concat());
        assert!(refused.contains(expected_text), "{refused}");
    }
}
