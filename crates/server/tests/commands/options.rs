//! Tests of option values that operators give by mistake.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    process::Stdio,
};

use siskin_test_support::{Engine, TestDatabase};

use crate::program::Program;

/// Options of `serve` with a text value, each with the other options that it requires.
const OPTIONS: &[(&str, &[&str])] = &[
    ("--config", &[]),
    ("--database", &[]),
    ("--media", &[]),
    ("--base-url", &[]),
    ("--bind", &[]),
    ("--log", &[]),
    ("--trusted-proxies", &[]),
    ("--outbound-allow", &[]),
    ("--dns-servers", &[]),
    ("--redis-url", &[]),
    ("--smtp-url", &[]),
    ("--mail-from", &["--smtp-url", "smtp://127.0.0.1:9"]),
    ("--ffmpeg", &[]),
    ("--translation-backend", &[]),
    ("--translation-url", &["--translation-backend", "libretranslate"]),
    ("--translation-api-key", &["--translation-backend", "deepl"]),
    (
        "--s3-endpoint",
        &["--s3-bucket", "b", "--s3-access-key-id", "i", "--s3-secret-access-key", "s"],
    ),
    ("--s3-bucket", &S3),
    ("--s3-region", &["--s3-bucket", "b", S3[0], S3[1], S3[2], S3[3], S3[4], S3[5]]),
    ("--s3-prefix", &["--s3-bucket", "b", S3[0], S3[1], S3[2], S3[3], S3[4], S3[5]]),
    ("--s3-access-key-id", &["--s3-bucket", "b", S3[0], S3[1], S3[4], S3[5]]),
    ("--s3-secret-access-key", &["--s3-bucket", "b", S3[0], S3[1], S3[2], S3[3]]),
];

/// The options of a bucket without its name; no server listens at the endpoint.
const S3: [&str; 6] = [
    "--s3-endpoint",
    "http://127.0.0.1:9",
    "--s3-access-key-id",
    "id",
    "--s3-secret-access-key",
    "secret",
];

const VALUES: &[&str] = &[
    "",
    "notaurl",
    "http://",
    "https://a b",
    "http://[::1",
    "http://127.0.0.1:99999",
    "\u{e9}\n\u{202e}",
    "-1",
    "postgres://%zz:1@[/x",
];

#[test]
fn no_option_value_causes_a_panic() {
    let database = TestDatabase::new(Engine::Sqlite);
    let program = Program::on(&database);
    for (option, needed) in OPTIONS {
        for value in VALUES {
            let given = format!("{option}={value}");
            let arguments = [&["serve", "--bind=127.0.0.1:0"], *needed].concat();
            // If the option occurs twice, the last one wins.
            let mut command = program.command(&arguments);
            let path = program.folder.path().join("said");
            command.arg("--test-hooks").arg(&given).current_dir(program.folder.path());
            command.stdout(Stdio::piped()).stderr(File::create(&path).unwrap());
            if *option == "--bind" {
                command = program.command(&["serve"]);
                command.arg(&given).stdout(Stdio::piped()).stderr(File::create(&path).unwrap());
            }
            let mut child = command.spawn().unwrap();
            // The greeting, or an empty line from a server that has ended.
            let mut greeting = String::new();
            let mut lines = BufReader::new(child.stdout.take().unwrap());
            lines.read_line(&mut greeting).unwrap();
            if !greeting.is_empty() {
                child.kill().unwrap();
            }
            let status = child.wait().unwrap();
            let printed = std::fs::read_to_string(&path).unwrap();
            assert!(!printed.contains("panicked"), "{given}: {printed}");
            let ended_well = !greeting.is_empty() || matches!(status.code(), Some(1 | 2));
            assert!(
                ended_well && (!printed.is_empty() || !greeting.is_empty()),
                "{given}: {status}"
            );
        }
    }
}
