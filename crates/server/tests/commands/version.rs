//! The version: the program and the interface name the same one.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use siskin_test_support::{Engine, TestDatabase};

use crate::program::Program;

/// Returns the response to a GET request.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK"), "{response}");
    response
}

#[test]
fn the_program_and_the_interface_name_the_same_version() {
    let database = TestDatabase::new(Engine::Sqlite);
    let program = Program::on(&database);
    let printed = program.run(&["--version"]);
    let version = printed.trim().strip_prefix("siskin ").unwrap();
    let server = program.serve();
    for path in ["/api/v1/instance", "/api/v2/instance"] {
        let response = get(&server.address, path);
        assert!(response.contains(&format!("Siskin {version})")), "{path}: {response}");
    }
    for path in ["/nodeinfo/2.0", "/nodeinfo/2.1"] {
        let response = get(&server.address, path);
        assert!(response.contains(&format!("\"version\":\"{version}\"")), "{path}: {response}");
    }
}
