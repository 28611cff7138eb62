//! Process under load: start, inspection from outside, and stop.

use std::{
    fs,
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};

use crate::world::World;

/// Clock ticks per second in `/proc` on Linux.
const TICKS: f64 = 100.0;

/// Maximum processor time of an idle server in half a second, in seconds.
const IDLE: f64 = 0.02;

/// Running program that listens on loopback; killed on drop.
#[derive(Debug)]
pub struct Process {
    child: Child,
    base: String,
}

impl Process {
    /// Starts the baseline server of this build.
    pub async fn floor() -> Result<Self> {
        let port = free_port()?;
        let mut command = Command::new(beside("siskin-floor")?);
        command.arg(format!("127.0.0.1:{port}"));
        Self::start(command, port, "/fixed").await
    }

    /// Starts the `siskin` server of this build on the sample data. Everything is enabled except
    /// rate limits. It may connect to `site`, and everything that is popular trends.
    pub async fn siskin(world: &World, site: SocketAddr) -> Result<Self> {
        let port = free_port()?;
        let mut command = world.siskin()?;
        command
            .arg("serve")
            .env("SISKIN_BIND", format!("127.0.0.1:{port}"))
            .env("SISKIN_OUTBOUND_ALLOW", site.to_string())
            .env("SISKIN_TRENDS_BY_DEFAULT", "true")
            .env("SISKIN_RATE_LIMITS_ENABLED", "false");
        Self::start(command, port, "/health").await
    }

    async fn start(mut command: Command, port: u16, path: &str) -> Result<Self> {
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let process = Self { child, base: format!("http://127.0.0.1:{port}") };
        let address = format!("{}{path}", process.base);
        for _ in 0..200 {
            if reqwest::get(&address).await.is_ok_and(|response| response.status().is_success()) {
                return Ok(process);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("{command:?} does not respond");
    }

    /// Returns the base URL, such as `http://127.0.0.1:40123`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the processor time used so far, in seconds, in steps of 10 ms.
    pub fn processor_seconds(&self) -> Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The program name is in parentheses and may contain spaces.
        let (_, fields) = stat.rsplit_once(')').context("an unexpected line in /proc")?;
        let ticks: Vec<f64> =
            fields.split_whitespace().skip(11).take(2).filter_map(|f| f.parse().ok()).collect();
        ensure!(ticks.len() == 2, "an unexpected line in /proc");
        Ok(ticks.iter().sum::<f64>() / TICKS)
    }

    /// Waits until the process is idle, because work that earlier requests started must not count
    /// for later ones. Gives up after half a minute.
    pub fn settle(&self) -> Result<()> {
        let pause = Duration::from_millis(500);
        let mut before = self.processor_seconds()?;
        for _ in 0..60 {
            thread::sleep(pause);
            let now = self.processor_seconds()?;
            if now - before <= IDLE {
                return Ok(());
            }
            before = now;
        }
        Ok(())
    }

    /// Returns the memory use of the server so far.
    pub fn memory(&self) -> Result<Memory> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let megabytes = |field: &str| -> Result<f64> {
            let value = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
            let value = value.and_then(|value| value.split_whitespace().next());
            let kilobytes: f64 = value.with_context(|| format!("no {field}"))?.parse()?;
            Ok(kilobytes / 1024.0)
        };
        Ok(Memory { peak: megabytes("VmHWM")?, own: megabytes("RssAnon")? })
    }
}

/// Memory use of a process, in MB.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// Peak of the resident memory. Includes the program and the parts of the SQLite database that
    /// are mapped, which the system can drop at any time.
    pub peak: f64,
    /// Current memory without mapped files.
    pub own: f64,
}

impl Drop for Process {
    fn drop(&mut self) {
        // Measurements are over and the database is deleted, so no clean shutdown is needed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the path of another program of the same build.
pub fn beside(name: &str) -> Result<PathBuf> {
    let here = std::env::current_exe()?;
    let path = here.with_file_name(name);
    ensure!(path.exists(), "{} is not built", path.display());
    Ok(path)
}

fn free_port() -> Result<u16> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
