//! Location of the test databases: in memory if there is enough space. Creating and flushing
//! hundreds of small files is most of the cost of a database test on a disk.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

const IN_MEMORY: &str = "/dev/shm";
/// Containers often have 64 MB here, which one PostgreSQL server fills.
const ENOUGH_KIB: u64 = 1 << 20;

/// Returns the parent folder of temporary folders: `TMPDIR` if it is set.
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

/// Returns the fourth column of the second line, as POSIX specifies for `df -P`.
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
