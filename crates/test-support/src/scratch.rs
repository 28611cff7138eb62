//! Where the databases of the tests lie: in memory where there is room for them. Making and
//! flushing hundreds of small files is most of what a database test costs on a disk.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

const IN_MEMORY: &str = "/dev/shm";
/// Containers often have 64 MB here, which a PostgreSQL server fills by itself.
const ENOUGH_KIB: u64 = 1 << 20;

/// The folder in which to make temporary ones: `TMPDIR` where it is set.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let in_memory = env::var_os("TMPDIR").is_none()
            && free_kib(IN_MEMORY).is_some_and(|free| free >= ENOUGH_KIB);
        if in_memory { IN_MEMORY.into() } else { env::temp_dir() }
    })
}

fn free_kib(folder: &str) -> Option<u64> {
    let output = Command::new("df").args(["-Pk", folder]).output().ok()?;
    if !output.status.success() {
        return None;
    }
    available(&String::from_utf8(output.stdout).ok()?)
}

/// The fourth column of the second line, as POSIX lays down for `df -P`.
fn available(table: &str) -> Option<u64> {
    table.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::available;

    #[test]
    fn the_free_space_is_read_from_its_column() {
        let table = "Filesystem 1024-blocks Used Available Capacity Mounted on\n\
                     tmpfs 65536 1024 64512 2% /dev/shm\n";
        assert_eq!(available(table), Some(64512));
        assert_eq!(available("Filesystem\n"), None);
    }
}
