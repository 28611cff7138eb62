//! Programs of FFmpeg, run as restricted child processes. They read one local file in one of the
//! accepted formats, use no network protocol, and are killed at a deadline.

use std::{
    env,
    ffi::OsStr,
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{Error, Refusal, Result};

/// Memory that a child process may allocate for data, in kilobytes. One conversion and one probe
/// run at a time. Together with the server, they fit into a machine of 1 GiB (`docs/operating.md`).
const CONVERSION_MEMORY: u64 = 560 << 10;
const PROBE_MEMORY: u64 = 128 << 10;
/// Limit of the address space in kilobytes, which also contains the program and its libraries.
const ADDRESS_SPACE: u64 = 3 << 20;
/// Limit of the processor time, in seconds.
const MAX_CPU_SECONDS: u64 = 400;
/// Allowed demuxers: none of them follows references to other files.
const FORMATS: &str = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg,mp3,flac,wav,aac,gif,apng";
/// Number of output bytes of a child process that are kept; the rest is discarded.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;
/// Deadline for samples of a few kilobytes, on a machine with other load.
const MAX_SAMPLE_TIME: Duration = Duration::from_secs(30);
const MAX_PAUSE: Duration = Duration::from_millis(50);

/// How `ffmpeg` reads the file of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadAs {
    /// A file in one of the accepted formats, turned as it declares.
    Upload,
    /// The same, but not turned.
    Unrotated,
    /// A bare HEVC stream.
    Hevc,
}

impl ReadAs {
    const fn options(self) -> &'static [&'static str] {
        match self {
            Self::Upload => &[],
            Self::Unrotated => &["-noautorotate"],
            Self::Hevc => &["-f", "hevc"],
        }
    }

    /// Returns the allowed demuxers.
    const fn formats(self) -> &'static str {
        match self {
            Self::Upload | Self::Unrotated => FORMATS,
            Self::Hevc => "hevc",
        }
    }
}

/// Paths of the programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    pub(super) ffmpeg: PathBuf,
    ffprobe: PathBuf,
}

impl Tools {
    /// Finds the programs in the `PATH`. Returns `None` if one of them is missing.
    #[must_use]
    pub fn find() -> Option<Self> {
        env::split_paths(&env::var_os("PATH")?).find_map(|folder| Self::in_folder(&folder))
    }

    /// Finds the programs in a folder. Returns `None` if one of them is missing.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Option<Self> {
        let program = |name| Some(folder.join(name)).filter(|path| path.is_file());
        Some(Self { ffmpeg: program("ffmpeg")?, ffprobe: program("ffprobe")? })
    }

    /// Returns the version of `ffmpeg`, such as `7.1`. `None` if the program does not say it.
    pub(crate) fn version(&self) -> Option<String> {
        let mut command = limited(&self.ffmpeg, PROBE_MEMORY);
        command.arg("-version");
        version_in(&String::from_utf8_lossy(&run(command, MAX_SAMPLE_TIME).ok()?))
    }

    /// Returns the JSON report of `ffprobe` on a file.
    pub(super) fn probe(&self, path: &Path, deadline: Duration) -> Result<Vec<u8>> {
        let mut command = limited(&self.ffprobe, PROBE_MEMORY);
        command.args(["-v", "error", "-of", "json", "-show_format", "-show_streams"]);
        input(&mut command, path, FORMATS);
        run(command, deadline)
    }

    /// Converts a file with `ffmpeg` and the given arguments.
    pub(super) fn convert(
        &self,
        (path, read_as): (&Path, ReadAs),
        arguments: &[&str],
        output: &Path,
        deadline: Duration,
    ) -> Result<()> {
        let mut command = self.converter(read_as.options());
        input(&mut command, path, read_as.formats());
        command.args(arguments).arg("-y").arg(file_url(output));
        run(command, deadline).map(drop)
    }

    /// Returns `true` if `ffmpeg` decodes all streams of these files.
    pub(super) fn decodes(&self, paths: &[&Path]) -> bool {
        let mut command = self.converter(&["-xerror"]);
        paths.iter().for_each(|path| input(&mut command, path, FORMATS));
        for number in 0..paths.len() {
            command.arg("-map").arg(number.to_string());
        }
        command.args(["-f", "null", "-"]);
        run(command, MAX_SAMPLE_TIME).is_ok()
    }

    fn converter(&self, reading: &[&str]) -> Command {
        let mut command = limited(&self.ffmpeg, CONVERSION_MEMORY);
        command.args(["-nostdin", "-hide_banner", "-loglevel", "error"]);
        // Each thread holds frames in memory. This option limits the reader, `arguments` limit the
        // writers.
        command.args(["-filter_threads", "1", "-threads", "1"]);
        command.args(reading);
        command
    }
}

/// Returns the version in the output of `ffmpeg -version`.
fn version_in(output: &str) -> Option<String> {
    let version = output.strip_prefix("ffmpeg version ")?.split_whitespace().next()?;
    Some(version.to_owned())
}

/// Returns a command with resource limits. A shell sets them, because this process cannot.
fn limited(program: &Path, memory: u64) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .arg("-c")
        .arg(format!(
            "ulimit -d {memory} && ulimit -v {ADDRESS_SPACE} && ulimit -t {MAX_CPU_SECONDS} && \
             exec nice -n 10 \"$0\" \"$@\""
        ))
        .arg(program)
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        // Fewer memory arenas, which keep freed memory.
        .env("MALLOC_ARENA_MAX", "2")
        .stdin(Stdio::null());
    command
}

fn input(command: &mut Command, path: &Path, formats: &str) {
    command
        .args(["-protocol_whitelist", "file,pipe", "-format_whitelist", formats, "-i"])
        .arg(file_url(path));
}

/// Returns a path that cannot be mistaken for an option or for another protocol.
fn file_url(path: &Path) -> std::ffi::OsString {
    let mut url = OsStr::new("file:").to_owned();
    url.push(path);
    url
}

/// Runs a child process to its end and returns its output.
fn run(mut command: Command, deadline: Duration) -> Result<Vec<u8>> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let output = child.stdout.take().map(|pipe| thread::spawn(|| drain(pipe)));
    let errors = child.stderr.take().map(|pipe| thread::spawn(|| drain(pipe)));
    let exit_status = wait(&mut child, deadline);
    let captured = |pipe: Option<thread::JoinHandle<Vec<u8>>>| {
        pipe.and_then(|pipe| pipe.join().ok()).unwrap_or_default()
    };
    let (output, errors) = (captured(output), captured(errors));
    match exit_status? {
        None => Err(Refusal::Work.into()),
        Some(status) if status.success() => Ok(output),
        Some(status) => {
            log::debug!("cannot read an upload: {status}: {}", String::from_utf8_lossy(&errors));
            Err(Error::Refused(Refusal::Damaged))
        }
    }
}

/// Waits for the end of a child process. Returns `None` if it was killed at the deadline.
fn wait(child: &mut Child, deadline: Duration) -> io::Result<Option<ExitStatus>> {
    let (start, mut pause) = (Instant::now(), Duration::from_millis(2));
    while start.elapsed() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(MAX_PAUSE);
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// Reads a pipe to its end, so that the child never blocks on it, and returns the beginning.
fn drain(mut pipe: impl Read) -> Vec<u8> {
    let mut captured = Vec::new();
    let read = pipe.by_ref().take(MAX_OUTPUT_BYTES).read_to_end(&mut captured);
    if read.is_ok() {
        drop(io::copy(&mut pipe, &mut io::sink()));
    }
    captured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_child_process_is_killed() {
        let start = Instant::now();
        let mut command = limited(Path::new("/bin/sleep"), PROBE_MEMORY);
        command.arg("30");
        let exit_status = run(command, Duration::from_millis(100));
        assert!(matches!(exit_status, Err(Error::Refused(Refusal::Work))), "{exit_status:?}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_child_process_with_much_output_is_read_to_its_end() {
        let mut command = limited(Path::new("/bin/sh"), PROBE_MEMORY);
        command.args(["-c", "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2"]);
        let captured = run(command, Duration::from_secs(20)).unwrap();
        assert_eq!(captured.len() as u64, MAX_OUTPUT_BYTES);
    }

    #[test]
    fn a_child_process_has_memory_and_time_limits() {
        let mut command = limited(Path::new("/bin/sh"), PROBE_MEMORY);
        command.args(["-c", "ulimit -d; ulimit -v; ulimit -t"]);
        let captured = run(command, Duration::from_secs(20)).unwrap();
        let limits = format!("{PROBE_MEMORY}\n{ADDRESS_SPACE}\n{MAX_CPU_SECONDS}\n");
        assert_eq!(String::from_utf8(captured).unwrap(), limits);
    }

    #[test]
    fn the_version_is_the_third_word() {
        let output = "ffmpeg version 7.1-1+b1 Copyright (c) 2000-2024 the FFmpeg developers\nbuilt";
        assert_eq!(version_in(output).as_deref(), Some("7.1-1+b1"));
        assert_eq!(version_in("sh: ffmpeg: not found"), None);
    }

    #[test]
    fn missing_programs_are_not_found() {
        let folder = tempfile::TempDir::new().unwrap();
        assert_eq!(Tools::in_folder(folder.path()), None);
    }
}
