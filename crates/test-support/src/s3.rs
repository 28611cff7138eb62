//! S3 server on loopback: moto, from PyPI (`moto_server`), one per test process.

use std::{
    env,
    ffi::OsStr,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use anyhow::{Context, Result, bail, ensure};

use crate::services;

/// Environment variable with the path of the program, if it is not in `PATH`.
const PROGRAM: &str = "SISKIN_TEST_MOTO";
/// Stops the server when the parent process ends, even after a crash.
const SUPERVISE: &str = "exec 2>&1
    \"$0\" -H 127.0.0.1 -p 0 &
    trap \"kill $!\" EXIT
    cat >/dev/null";
/// Page size of listings, small enough that tests reach the second page.
const KEYS_IN_A_LIST: &str = "4";

/// Running server. It accepts any access key.
#[derive(Debug)]
pub struct S3Server {
    /// `127.0.0.1:PORT`.
    address: String,
    /// Its standard input stays open as long as this process lives.
    _supervisor: Child,
}

impl S3Server {
    /// Returns the server of this process, started at first use. Returns `None` if the program is
    /// missing, which is printed once.
    ///
    /// # Panics
    /// Panics if it does not start, or if it is missing and `SISKIN_REQUIRE_SERVICES` is 1.
    #[must_use]
    pub fn find() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<S3Server>> = OnceLock::new();
        let found = SERVER.get_or_init(|| {
            let Some(program) = program() else {
                services::skip(
                    "S3",
                    "moto_server is neither in PATH nor named by SISKIN_TEST_MOTO",
                );
                return None;
            };
            Some(Self::start(program.as_os_str()).unwrap_or_else(|error| panic!("S3: {error:#}")))
        });
        found.as_ref()
    }

    fn start(program: &OsStr) -> Result<Self> {
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISE])
            .arg(program)
            .env("MOTO_S3_DEFAULT_MAX_KEYS", KEYS_IN_A_LIST)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start sh")?;
        let mut lines =
            BufReader::new(supervisor.stdout.take().context("the process has no output")?);
        let mut output = String::new();
        let address = loop {
            if lines.read_line(&mut output)? == 0 {
                bail!("the server did not start: {output}");
            }
            if let Some((_, address)) = output.split_once("Running on http://") {
                break address.trim().to_owned();
            }
        };
        // Its request log must be read, because the server blocks when the pipe is full.
        thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Ok(Self { address, _supervisor: supervisor })
    }

    /// Returns the URL of the server: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Creates a new bucket.
    ///
    /// # Panics
    /// Panics if the server refuses.
    #[must_use]
    pub fn new_bucket(&self) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("siskin-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        self.put(&name, b"");
        name
    }

    /// Stores an object or creates a bucket at `path`: `BUCKET` or `BUCKET/KEY`.
    ///
    /// # Panics
    /// Panics if the server refuses.
    pub fn put(&self, path: &str, content: &[u8]) {
        self.try_put(path, content).unwrap_or_else(|error| panic!("{path}: {error:#}"));
    }

    fn try_put(&self, path: &str, content: &[u8]) -> Result<()> {
        let (host, length) = (&self.address, content.len());
        let mut stream = TcpStream::connect(host)?;
        let head = format!("PUT /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n");
        stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes())?;
        stream.write_all(content)?;
        let mut response = String::new();
        stream.read_to_string(&mut response)?;
        ensure!(response.starts_with("HTTP/1.1 200"), "{response}");
        Ok(())
    }
}

fn program() -> Option<PathBuf> {
    if let Some(named) = env::var_os(PROGRAM).filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join("moto_server")).find(|file| file.is_file())
}
