//! Server under attack, with test accounts.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use reqwest::Client;
use serde_json::Value;
use tempfile::TempDir;

/// Client address of all attackers.
pub const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);
/// Client address of all regular users.
pub const PEOPLE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// Ports of loopback sites that the server may fetch from: the attacker's site and a regular site.
pub const SITES: [u16; 2] = [47_381, 47_382];

/// Running server with its own database; both are removed on drop.
#[derive(Debug)]
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    folder: TempDir,
    /// Access tokens of the attackers.
    pub attackers: Vec<String>,
    /// Access tokens of a posting account, and of a follower that reads.
    pub poster: String,
    pub reader: String,
}

impl Server {
    /// Starts an optimised server. Each of its processes may use `address_space` megabytes.
    pub async fn start(address_space: u64) -> Result<Self> {
        let folder = TempDir::new()?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        run(&folder, &["demo", "--accounts", "20", "--statuses", "400", "--follows", "10"])?;
        let person = |name: &str| -> Result<String> {
            let email = format!("{name}@example.com");
            run(&folder, &["accounts", "create", name, "--email", &email])?;
            let token = run(
                &folder,
                &["tokens", "create", "--account", name, "--scopes", "read write follow"],
            )?;
            let token: Value = serde_json::from_str(&token)?;
            Ok(token["access_token"].as_str().context("no token")?.to_owned())
        };
        let (poster, reader) = (person("poster")?, person("reader")?);
        let attackers = (0..3).map(|number| person(&format!("mallory{number}")));
        let attackers = attackers.collect::<Result<Vec<_>>>()?;
        let child = serve(&folder, address, address_space)?;
        let server = Self { child, address, folder, attackers, poster, reader };
        server.ready().await?;
        Ok(server)
    }

    async fn ready(&self) -> Result<()> {
        let client = client(PEOPLE, None)?;
        for _ in 0..200 {
            let response = client.get(self.url("/health")).send().await;
            if response.is_ok_and(|response| response.status().is_success()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("the server does not respond:\n{}", self.log());
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the log of the server.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Returns a handle to read its memory use.
    pub fn memory(&self) -> Memory {
        Memory(self.child.id())
    }

    /// Returns the size of its database, in bytes.
    pub fn database_bytes(&self) -> u64 {
        let size = |name: &str| {
            fs::metadata(self.folder.path().join(name)).map_or(0, |metadata| metadata.len())
        };
        size("siskin.sqlite3") + size("siskin.sqlite3-wal")
    }
}

/// Memory use of a process.
#[derive(Debug, Clone, Copy)]
pub struct Memory(u32);

impl Memory {
    /// Returns the resident memory, in megabytes.
    pub fn megabytes(self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0))?;
        let connection = status
            .lines()
            .find(|connection| connection.starts_with("VmRSS:"))
            .context("no VmRSS")?;
        let kilobytes: u64 =
            connection.split_whitespace().nth(1).context("an unexpected VmRSS")?.parse()?;
        Ok(kilobytes / 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Builds a client with this source address, with or without a token.
pub fn client(at: Ipv4Addr, token: Option<&str>) -> Result<Client> {
    let mut headers = reqwest::header::HeaderMap::new();
    if let Some(token) = token {
        headers.insert(reqwest::header::AUTHORIZATION, format!("Bearer {token}").parse()?);
    }
    let client = Client::builder()
        .tls_certs_only([])
        .no_proxy()
        .local_address(Some(at.into()))
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(30))
        .default_headers(headers);
    Ok(client.build()?)
}

fn siskin(folder: &TempDir, mut command: Command) -> Command {
    let database = folder.path().join("siskin.sqlite3");
    command
        .env("SISKIN_DATABASE_URL", format!("sqlite://{}", database.display()))
        .env("SISKIN_MEDIA_DIR", folder.path().join("media"))
        .stdin(Stdio::null());
    command
}

/// Returns the path of the `siskin` binary of this build.
fn program() -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("siskin");
    ensure!(path.exists(), "{} is not built", path.display());
    Ok(path)
}

fn run(folder: &TempDir, arguments: &[&str]) -> Result<String> {
    let output = siskin(folder, Command::new(program()?)).args(arguments).output()?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "siskin {arguments:?}: {error}");
    Ok(String::from_utf8(output.stdout)?)
}

fn serve(folder: &TempDir, address: SocketAddr, address_space: u64) -> Result<Child> {
    // Usual limit of open files, which the server may raise.
    let mut limits = "ulimit -Sn 1024".to_owned();
    if address_space > 0 {
        limits += &format!("; ulimit -v {}", address_space * 1024);
    }
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{limits}; exec \"$0\" serve")).arg(program()?);
    let sites = SITES.map(|port| format!("127.0.0.1:{port}")).join(",");
    let log = File::create(folder.path().join("log"))?;
    let mut shell = siskin(folder, shell);
    shell
        .env("SISKIN_BIND", address.to_string())
        .env("SISKIN_OUTBOUND_ALLOW", sites)
        .stdout(Stdio::null())
        .stderr(log);
    Ok(shell.spawn()?)
}
