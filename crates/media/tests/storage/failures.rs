//! Tests with a bucket that refuses, fails or aborts.

use std::{
    fs, io,
    time::{Duration, Instant},
};

use siskin_media::{FileName, FileType, Format, S3, S3Options, Storage, check};
use siskin_test_support::{
    Site,
    site::{Asked, answer},
};
use tempfile::TempDir;

use crate::{on_desk, run};

/// Starts a bucket with these responses.
fn bucket(answers: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> (Site, S3, TempDir) {
    let (site, local) = (Site::start(answers), TempDir::new().unwrap());
    let options = S3Options {
        bucket: "bucket".to_owned(),
        endpoint: Some(site.url("")),
        access_key_id: "the id".to_owned(),
        secret_access_key: "hidden".to_owned(),
        ..S3Options::default()
    };
    let s3 = S3::new(&options, local.path()).unwrap();
    (site, s3, local)
}

fn xml(status: &str, body: &str) -> Vec<u8> {
    answer(status, &[("content-type", "application/xml")], body.as_bytes())
}

fn refusal(code: &str) -> Vec<u8> {
    xml("403 Forbidden", &format!("<Error><Code>{code}</Code><Message>No.</Message></Error>"))
}

#[test]
fn a_key_that_is_refused_is_told_without_the_secret() {
    for (code, words) in [
        ("InvalidAccessKeyId", "the access key is unknown"),
        ("SignatureDoesNotMatch", "the secret access key is wrong"),
        ("AccessDenied", "the access key lacks the permission for this"),
        ("Other", "the access key was rejected"),
    ] {
        let (site, s3, _local) = bucket(move |_| refusal(code));
        let error = run(check(&s3)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        let said = error.to_string();
        assert!(said.starts_with(words) && !said.contains("hidden"), "{said}");
        // A rejected request is not repeated.
        assert_eq!(site.asked().len(), 1);
    }
}

#[test]
fn a_bucket_that_is_gone_is_told_from_a_file_that_is() {
    for (code, is_there) in [("NoSuchKey", true), ("NoSuchBucket", false)] {
        let said = format!("<Error><Code>{code}</Code><Message>No.</Message></Error>");
        // The response to a `HEAD` request has no body.
        let (_site, s3, _local) = bucket(move |asked| {
            xml("404 Not Found", if asked.method == "HEAD" { "" } else { &said })
        });
        let name = FileName::random(Format::Png);
        let (size, deleted) = (run(s3.size(&name)), run(s3.delete(&name)));
        if is_there {
            assert_eq!(size.unwrap(), None);
            deleted.unwrap();
        } else {
            for error in [size.unwrap_err(), deleted.unwrap_err()] {
                assert_ne!(error.kind(), io::ErrorKind::NotFound);
                assert!(error.to_string().starts_with("the bucket does not exist"), "{error}");
            }
        }
    }
}

#[test]
fn a_bucket_that_fails_is_asked_again_a_few_times_and_not_for_long() {
    let (site, s3, _local) = bucket(|_| xml("500 Internal Server Error", ""));
    let (start, name) = (Instant::now(), FileName::random(Format::Png));
    run(async {
        assert!(s3.write(&name, b"x".to_vec()).await.is_err());
        assert!(s3.size(&name).await.is_err());
        assert!(s3.read(&name, 0..1).await.is_err());
        assert!(s3.delete(&name).await.is_err());
        assert!(s3.list().await.is_err());
    });
    assert_eq!(site.asked().len(), 5 * 4);
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn nobody_there_is_a_failure_within_a_while() {
    let (site, s3, _local) = bucket(|_| Vec::new());
    drop(site);
    let start = Instant::now();
    assert!(run(s3.size(&FileName::random(Format::Png))).is_err());
    assert!(start.elapsed() < Duration::from_secs(40));
}

#[test]
fn what_breaks_off_half_way_is_taken_back() {
    let (site, s3, _local) = bucket(|asked| match (asked.method.as_str(), &asked.path) {
        ("POST", path) if path.contains("?uploads") => xml(
            "200 OK",
            "<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>",
        ),
        ("PUT", path) if path.contains("partNumber=1&") => {
            answer("200 OK", &[("etag", "\"1\"")], b"")
        }
        ("PUT", _) => xml("400 Bad Request", ""),
        _ => xml("204 No Content", ""),
    });
    let name = FileName::random(FileType::Mp4);
    let film = on_desk(&s3, &vec![7; 9 << 20]);
    assert!(run(s3.adopt(&name, film)).is_err());
    let asked = site.asked();
    let methods: Vec<&str> = asked.iter().map(|asked| asked.method.as_str()).collect();
    assert_eq!(methods, ["POST", "PUT", "PUT", "DELETE"]);
    assert_eq!([asked[1].body.len(), asked[2].body.len()], [8 << 20, 1 << 20]);
    assert!(asked[3].path.contains("uploadId=7"));
    // The file is not left in the staging directory either.
    assert_eq!(fs::read_dir(s3.desk().unwrap()).unwrap().count(), 0);
}

#[test]
fn an_answer_that_is_too_short_is_no_file() {
    let (_site, s3, _local) = bucket(|_| {
        let headers = [
            ("content-range", "bytes 0-9/10"),
            ("etag", "\"1\""),
            ("last-modified", "Sat, 28 Nov 2026 09:00:00 GMT"),
        ];
        let mut whole = answer("206 Partial Content", &headers, b"0123456789");
        whole.truncate(whole.len() - 4);
        whole
    });
    assert!(run(s3.read(&FileName::random(Format::Png), 0..10)).is_err());
}
