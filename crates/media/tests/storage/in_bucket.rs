//! Tests of foreign objects in a bucket and of the paths of our files.

use siskin_media::{FileName, Format, S3, S3Options, Storage, check};
use siskin_test_support::S3Server;
use tempfile::TempDir;

use crate::{options, run};

#[test]
fn foreign_files_in_a_bucket_are_not_listed() {
    let (Some(server), local) = (S3Server::find(), TempDir::new().unwrap()) else { return };
    let options = options(server);
    let s3 = S3::new(&options, local.path()).unwrap();
    let ours: FileName = format!("ab{:030x}.png", 7).parse().unwrap();
    let put = |key: &str| server.put(&format!("{}/{key}", options.bucket), b"12345");
    put(&format!("some/where/{}", ours.path()));
    for foreign in ["README", "some/where/ab/index.html", "some/where/abc", "elsewhere/x.png"] {
        put(foreign);
    }
    // The path must match the name, too.
    put(&format!("some/where/ac/{ours}"));
    put(&ours.path());
    run(async {
        for listed in [s3.list().await.unwrap(), s3.list_prefix(0xab).await.unwrap()] {
            assert!(listed.len() == 1 && listed[0].name == ours, "{listed:?}");
        }
        assert_eq!(s3.size(&ours).await.unwrap(), Some(5));
    });
}

#[test]
fn a_bucket_may_have_no_prefix() {
    let (Some(server), local) = (S3Server::find(), TempDir::new().unwrap()) else { return };
    let s3 = S3::new(&S3Options { prefix: None, ..options(server) }, local.path()).unwrap();
    let name = FileName::random(Format::WebP);
    run(async {
        s3.write(&name, b"x".to_vec()).await.unwrap();
        assert_eq!(s3.list().await.unwrap()[0].name, name);
        assert_eq!(
            s3.list_prefix(0).await.unwrap().len(),
            usize::from(name.as_str().starts_with("00"))
        );
    });
}

#[test]
fn a_missing_bucket_is_reported() {
    let (Some(server), local) = (S3Server::find(), TempDir::new().unwrap()) else { return };
    let nowhere = S3Options { bucket: "nobodys".to_owned(), ..options(server) };
    let s3 = S3::new(&nowhere, local.path()).unwrap();
    let error = run(check(&s3)).unwrap_err().to_string();
    assert!(error.starts_with("the bucket does not exist"), "{error}");
}
