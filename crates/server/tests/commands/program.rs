//! Helpers that run the program.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, ChildStdout, Command, Output, Stdio},
};

use serde_json::Value;
use siskin_test_support::TestDatabase;
use tempfile::TempDir;

/// The program with one database, and with a folder of its own for media and other files.
pub struct Program {
    database_url: String,
    pub folder: TempDir,
    environment: Vec<(String, String)>,
}

impl Program {
    pub fn on(database: &TestDatabase) -> Self {
        Self {
            database_url: database.url().to_owned(),
            folder: TempDir::new().unwrap(),
            environment: Vec::new(),
        }
    }

    /// Builds the program with a database that may not exist.
    pub fn at(database_url: &str) -> Self {
        Self {
            database_url: database_url.to_owned(),
            folder: TempDir::new().unwrap(),
            environment: Vec::new(),
        }
    }

    /// Adds an environment variable.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_siskin"));
        command
            .args(arguments)
            .env("SISKIN_DATABASE_URL", &self.database_url)
            .env("SISKIN_MEDIA_DIR", self.folder.path().join("media"))
            .env("SISKIN_LOG", "warn")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    pub fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command with `input` on standard input and returns its output.
    pub fn output_with(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that fails early does not read it.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    }

    /// Runs a command and returns its standard output. Panics if it fails.
    pub fn run(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        assert!(output.status.success(), "siskin {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command and returns its output as one JSON value.
    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.run(arguments)).unwrap()
    }

    /// Runs a command and returns its standard error. Panics if it succeeds.
    pub fn refused(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        assert!(!output.status.success(), "siskin {arguments:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Starts a server on a free port, and returns once it has printed its address.
    pub fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    /// As [`Program::serve`], with more options.
    pub fn serve_with(&self, options: &[&str]) -> Server {
        let log = File::options().append(true).create(true).open(self.log_file()).unwrap();
        let mut child = self
            .command(&[&["serve", "--bind", "127.0.0.1:0"], options].concat())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut greeting = String::new();
        lines.read_line(&mut greeting).unwrap();
        let address = greeting.trim().rsplit_once("http://").unwrap().1.to_owned();
        let printed = greeting.trim().rsplit_once("answers on ").unwrap().1;
        let base = printed.split(',').next().unwrap().to_owned();
        Server { child, lines, address, base }
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Returns the log of all servers of this program.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_file()).unwrap_or_default()
    }
}

impl Drop for Program {
    /// Prints the log if the test fails.
    #[expect(clippy::print_stderr, reason = "in addition to the message of the failed test")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
    }
}

/// A running server, killed when dropped.
pub struct Server {
    child: Child,
    lines: BufReader<ChildStdout>,
    /// Address that it listens on, `127.0.0.1:PORT`.
    pub address: String,
    /// Its public address.
    pub base: String,
}

impl Server {
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Requests `path` and returns the whole response. `headers` are additional ones, each with its
    /// line end.
    pub fn get(&self, path: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Kills it at once with SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it ends. Returns its exit code and its output after the greeting.
    pub fn wait(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
