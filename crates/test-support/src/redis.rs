//! Temporary Redis server on loopback, one per test process.

use std::{
    env,
    io::{BufRead, BufReader},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::services;

/// Stops the server when the parent process ends, even after a crash.
const SUPERVISE: &str = "
    \"$0\" --port \"$1\" --bind 127.0.0.1 --save '' --appendonly no >/dev/null 2>&1 &
    trap \"kill $!\" EXIT
    echo started
    cat >/dev/null";
const TIMEOUT: Duration = Duration::from_secs(20);

/// Running server.
#[derive(Debug)]
pub struct RedisServer {
    port: u16,
    /// Its standard input stays open as long as this process lives.
    _supervisor: Child,
}

impl RedisServer {
    /// Returns the server of this process, started at first use. Returns `None` if the program is
    /// missing, which is printed once.
    ///
    /// # Panics
    /// Panics if it does not start, or if it is missing and `SISKIN_REQUIRE_SERVICES` is 1.
    #[must_use]
    pub fn find() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<RedisServer>> = OnceLock::new();
        let found = SERVER.get_or_init(|| {
            let Some(program) = program() else {
                services::skip("Redis", "redis-server is not in PATH");
                return None;
            };
            Some(Self::start(&program).unwrap_or_else(|error| panic!("Redis: {error:#}")))
        });
        found.as_ref()
    }

    fn start(program: &PathBuf) -> Result<Self> {
        // The port is free now. If another process takes it first, the start fails with an error.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISE])
            .arg(program)
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start sh")?;
        let mut lines =
            BufReader::new(supervisor.stdout.take().context("the process has no output")?);
        lines.read_line(&mut String::new())?;
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if began.elapsed() > TIMEOUT {
                bail!("the server did not start");
            }
            sleep(Duration::from_millis(20));
        }
        Ok(Self { port, _supervisor: supervisor })
    }

    /// Returns the URL for `--redis-url`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let names = ["redis-server", "valkey-server"];
    env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file())
}
