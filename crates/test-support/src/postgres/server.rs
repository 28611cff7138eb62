//! Private, temporary server that all test processes of a user share. The first process starts it.
//! It stops by itself soon after the last process has ended, even after a crash.

use std::{
    env,
    fs::{self, DirBuilder, File},
    io::{self, BufRead, BufReader, Read},
    os::unix::{
        fs::{DirBuilderExt, MetadataExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use diesel::{Connection, PgConnection};

use super::installation::Installation;
use crate::scratch;

const SUPERVISE: &str = include_str!("supervise.sh");
/// Seconds for which the server waits for the next connection. The unit tests of other crates may
/// run between two test programs that need it.
const IDLE_SECONDS: u32 = 30;
const PRIVATE: u32 = 0o700;

/// Returns the URL of the shared server and a connection to it.
pub fn join_or_start(installation: &Installation) -> Result<(String, PgConnection)> {
    let shared_folder = shared_folder(installation.user)?;
    let url_file = shared_folder.join("url");
    let lock = File::create(shared_folder.join("lock"))?;
    lock.lock()?;
    // The lock is released when the file is closed, at the end of this function.
    if let Some(joined) = join(&url_file) {
        return Ok(joined);
    }
    let url = start(installation, IDLE_SECONDS)?;
    let connection = PgConnection::establish(&url)?;
    fs::write(&url_file, &url)?;
    Ok((url, connection))
}

/// Connects to the recorded server. Returns `None` if it has stopped since.
fn join(url_file: &Path) -> Option<(String, PgConnection)> {
    let url = fs::read_to_string(url_file).ok()?;
    let connection = PgConnection::establish(&url).ok()?;
    Some((url, connection))
}

/// Returns the folder in which the processes of `user` share the URL of the server.
fn shared_folder(user: u32) -> Result<PathBuf> {
    let folder = env::temp_dir().join(format!("siskin-test-postgres-{user}"));
    match DirBuilder::new().mode(PRIVATE).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| format!("cannot create {}", folder.display()));
        }
        _ => {}
    }
    let metadata = fs::symlink_metadata(&folder)?;
    let is_ours = metadata.is_dir() && metadata.uid() == user && metadata.mode() & 0o077 == 0;
    ensure!(is_ours, "{} belongs to another user", folder.display());
    Ok(folder)
}

/// Starts a server that stops after `idle_seconds` seconds without connections. Returns its URL
/// when it accepts connections.
fn start(installation: &Installation, idle_seconds: u32) -> Result<String> {
    let mut supervisor =
        supervise(installation, idle_seconds).spawn().context("cannot start sh")?;
    let output = supervisor.stdout.take().context("the supervisor has no output")?;
    let mut folder = String::new();
    BufReader::new(output).read_line(&mut folder)?;
    match folder.trim_end() {
        "" => bail!("PostgreSQL did not start: {}", error_output(&mut supervisor)),
        folder => Ok(format!("postgres://siskin@/postgres?host={folder}&port=5432")),
    }
}

fn supervise(installation: &Installation, idle_seconds: u32) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", SUPERVISE, "sh"])
        .arg(&installation.programs)
        .arg(idle_seconds.to_string())
        .arg(scratch::folder())
        // The working directory of the tests may be inaccessible to the server's user.
        .current_dir("/")
        // An interrupt of the tests must not interrupt the server that other processes share.
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // The programs of PostgreSQL would read settings from these variables.
    for (name, _) in env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PG")) {
        command.env_remove(name);
    }
    if let Some(user) = installation.server_user {
        command.uid(user.id).gid(user.group);
    }
    command
}

fn error_output(supervisor: &mut Child) -> String {
    let mut text = String::new();
    if let Some(mut output) = supervisor.stderr.take()
        && let Err(error) = output.read_to_string(&mut text)
    {
        text = error.to_string();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::{
        thread::sleep,
        time::{Duration, Instant},
    };

    use super::*;
    use crate::{
        Engine,
        postgres::{Source, find},
    };

    #[test]
    fn a_server_runs_while_it_is_used_and_removes_its_folder() {
        // A server that another user provides must not be stopped.
        let (true, Ok(Source::Installed(installation))) = (Engine::Postgres.is_available(), find())
        else {
            return;
        };
        let url = start(installation, 1).unwrap();
        let folder = url.split(['=', '&']).nth(1).unwrap();
        let user = PgConnection::establish(&url).unwrap();
        sleep(Duration::from_secs(4));
        let second = PgConnection::establish(&url).unwrap();
        drop((user, second));
        let end = Instant::now() + Duration::from_secs(60);
        while Path::new(folder).exists() {
            assert!(Instant::now() < end, "the server in {folder} did not stop");
            sleep(Duration::from_millis(100));
        }
        assert!(PgConnection::establish(&url).is_err());
    }

    #[test]
    fn a_start_failure_reports_the_cause() {
        let Ok(Source::Installed(installation)) = find() else { return };
        let nowhere = Installation { programs: "/nonexistent".into(), ..*installation };
        let error = start(&nowhere, 1).unwrap_err().to_string();
        assert!(error.contains("/nonexistent/initdb"), "{error}");
    }
}
