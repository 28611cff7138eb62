//! What a failure of the bucket means, in words for the operator.

use std::io;

use object_store::Error;

const NO_BUCKET: &str = "NoSuchBucket";

/// Whether something is said not to be there because its bucket is not.
pub(super) fn lacks_bucket(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. }) && error.to_string().contains(NO_BUCKET)
}

/// Codes of S3 in its answers, and what they mean for whoever runs the server.
const MEANINGS: &[(&str, &str)] = &[
    (NO_BUCKET, "there is no such bucket"),
    ("InvalidAccessKeyId", "the access key is not known there"),
    ("SignatureDoesNotMatch", "the secret access key is wrong"),
    ("AuthorizationHeaderMalformed", "the region is wrong"),
    ("PermanentRedirect", "the bucket is in another region or has another endpoint"),
    ("AccessDenied", "the access key may not do this"),
];

/// The error of a storage that this error of the bucket is, with what it means before what it says.
pub(super) fn failed(error: Error) -> io::Error {
    let kind = match error {
        Error::NotFound { .. } => io::ErrorKind::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        _ => io::ErrorKind::Other,
    };
    let said = error.to_string();
    let meaning = MEANINGS.iter().find(|(code, _)| said.contains(code));
    match (meaning, kind) {
        // A file that is not there is another matter.
        (Some((NO_BUCKET, meaning)), _) => io::Error::other(format!("{meaning} ({said})")),
        (Some((_, meaning)), _) => io::Error::new(kind, format!("{meaning} ({said})")),
        (None, io::ErrorKind::PermissionDenied) => {
            io::Error::new(kind, format!("the access key is refused ({said})"))
        }
        (None, _) => io::Error::new(kind, error),
    }
}
