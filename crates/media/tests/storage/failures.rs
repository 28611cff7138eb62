//! Tests with a bucket that refuses, fails or aborts.

use std::{
    fs, io,
    time::{Duration, Instant},
};

use siskin_media::{FileName, FileType, Format, S3, S3Options, Storage, check};
use siskin_test_support::{
    Site,
    site::{ReceivedRequest, response},
};
use tempfile::TempDir;

use crate::{in_staging_dir, run};

/// Starts a bucket with these responses.
fn bucket(
    answers: impl Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync + 'static,
) -> (Site, S3, TempDir) {
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
    response(status, &[("content-type", "application/xml")], body.as_bytes())
}

fn refusal(code: &str) -> Vec<u8> {
    xml("403 Forbidden", &format!("<Error><Code>{code}</Code><Message>No.</Message></Error>"))
}

#[test]
fn a_refused_key_is_reported_without_the_secret() {
    for (code, words) in [
        ("InvalidAccessKeyId", "the access key is unknown"),
        ("SignatureDoesNotMatch", "the secret access key is wrong"),
        ("AccessDenied", "the access key lacks the permission for this"),
        ("Other", "the access key was rejected"),
    ] {
        let (site, s3, _local) = bucket(move |_| refusal(code));
        let error = run(check(&s3)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        let message = error.to_string();
        assert!(message.starts_with(words) && !message.contains("hidden"), "{message}");
        // A rejected request is not repeated.
        assert_eq!(site.received().len(), 1);
    }
}

#[test]
fn a_missing_bucket_differs_from_a_missing_file() {
    for (code, is_there) in [("NoSuchKey", true), ("NoSuchBucket", false)] {
        let message = format!("<Error><Code>{code}</Code><Message>No.</Message></Error>");
        // The response to a `HEAD` request has no body.
        let (_site, s3, _local) = bucket(move |received| {
            xml("404 Not Found", if received.method == "HEAD" { "" } else { &message })
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
fn failed_bucket_requests_are_retried_for_a_limited_time() {
    let (site, s3, _local) = bucket(|_| xml("500 Internal Server Error", ""));
    let (start, name) = (Instant::now(), FileName::random(Format::Png));
    run(async {
        assert!(s3.write(&name, b"x".to_vec()).await.is_err());
        assert!(s3.size(&name).await.is_err());
        assert!(s3.read(&name, 0..1).await.is_err());
        assert!(s3.delete(&name).await.is_err());
        assert!(s3.list().await.is_err());
    });
    assert_eq!(site.received().len(), 5 * 4);
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn an_unreachable_bucket_fails_within_a_limited_time() {
    let (site, s3, _local) = bucket(|_| Vec::new());
    drop(site);
    let start = Instant::now();
    assert!(run(s3.size(&FileName::random(Format::Png))).is_err());
    assert!(start.elapsed() < Duration::from_secs(40));
}

#[test]
fn an_interrupted_upload_is_aborted() {
    let (site, s3, _local) = bucket(|received| match (received.method.as_str(), &received.path) {
        ("POST", path) if path.contains("?uploads") => xml(
            "200 OK",
            "<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>",
        ),
        ("PUT", path) if path.contains("partNumber=1&") => {
            response("200 OK", &[("etag", "\"1\"")], b"")
        }
        ("PUT", _) => xml("400 Bad Request", ""),
        _ => xml("204 No Content", ""),
    });
    let name = FileName::random(FileType::Mp4);
    let film = in_staging_dir(&s3, &vec![7; 9 << 20]);
    assert!(run(s3.adopt(&name, film)).is_err());
    let received = site.received();
    let methods: Vec<&str> = received.iter().map(|received| received.method.as_str()).collect();
    assert_eq!(methods, ["POST", "PUT", "PUT", "DELETE"]);
    assert_eq!([received[1].body.len(), received[2].body.len()], [8 << 20, 1 << 20]);
    assert!(received[3].path.contains("uploadId=7"));
    // The file is not left in the staging directory either.
    assert_eq!(fs::read_dir(s3.staging_dir().unwrap()).unwrap().count(), 0);
}

#[test]
fn a_truncated_response_is_an_error() {
    let (_site, s3, _local) = bucket(|_| {
        let headers = [
            ("content-range", "bytes 0-9/10"),
            ("etag", "\"1\""),
            ("last-modified", "Sat, 28 Nov 2026 09:00:00 GMT"),
        ];
        let mut whole = response("206 Partial Content", &headers, b"0123456789");
        whole.truncate(whole.len() - 4);
        whole
    });
    assert!(run(s3.read(&FileName::random(Format::Png), 0..10)).is_err());
}
