//! Search for the server programs of PostgreSQL and the user to run them as.

use std::{
    env, fmt, fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Command,
};

/// Folder in which Debian installs the programs of each version, outside of `PATH`.
const DEBIAN: &str = "/usr/lib/postgresql";
const PROGRAMS: [&str; 3] = ["initdb", "postgres", "psql"];
/// PostgreSQL refuses to run as root.
const ROOT: u32 = 0;
const UNPRIVILEGED_USER: &str = "postgres";

/// Everything that is needed to start a server.
#[derive(Debug)]
pub struct Installation {
    /// Folder of the programs.
    pub programs: PathBuf,
    /// User of this process.
    pub user: u32,
    /// User to run the server as, if it cannot be the user of this process.
    pub server_user: Option<User>,
}

/// User id with its group id.
#[derive(Debug, Clone, Copy)]
pub struct User {
    pub id: u32,
    pub group: u32,
}

/// Reason why no server can be started on this machine.
#[derive(Debug)]
pub enum Missing {
    Programs,
    User,
    OwnUser(io::Error),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Programs => {
                write!(f, "the programs of PostgreSQL are neither under {DEBIAN} nor in PATH")
            }
            Self::User => write!(
                f,
                "PostgreSQL does not run as root, and there is no user {UNPRIVILEGED_USER}"
            ),
            Self::OwnUser(error) => write!(f, "cannot determine the user: {error}"),
        }
    }
}

impl Installation {
    /// Finds the newest version on this machine.
    pub fn find() -> Result<Self, Missing> {
        let programs = find_programs().ok_or(Missing::Programs)?;
        let user = own_user().map_err(Missing::OwnUser)?;
        let server_user = match user {
            ROOT => Some(unprivileged_user().ok_or(Missing::User)?),
            _ => None,
        };
        Ok(Self { programs, user, server_user })
    }
}

fn find_programs() -> Option<PathBuf> {
    let in_path = env::var_os("PATH").unwrap_or_default();
    debian_folders()
        .into_iter()
        .chain(env::split_paths(&in_path))
        .find(|folder| is_complete(folder))
}

/// Returns the folders from the newest version to the oldest.
fn debian_folders() -> Vec<PathBuf> {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    versions.sort_by(|a, b| b.cmp(a));
    versions.into_iter().map(|(_, folder)| folder).collect()
}

fn is_complete(folder: &Path) -> bool {
    PROGRAMS.iter().all(|program| folder.join(program).is_file())
}

/// Returns the user of this process, which owns the files that it creates.
fn own_user() -> io::Result<u32> {
    Ok(tempfile::tempfile()?.metadata()?.uid())
}

fn unprivileged_user() -> Option<User> {
    Some(User { id: number_of("-u")?, group: number_of("-g")? })
}

fn number_of(which: &str) -> Option<u32> {
    let output = Command::new("id").args([which, UNPRIVILEGED_USER]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
