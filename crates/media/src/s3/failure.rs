//! Conversion of bucket errors, with explanations for the operator.

use std::io;

use object_store::Error;

const NO_BUCKET: &str = "NoSuchBucket";

/// Returns `true` if an object was not found because the bucket does not exist.
pub(super) fn is_bucket_missing(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. }) && error.to_string().contains(NO_BUCKET)
}

/// S3 error codes and their explanations for the operator.
const MEANINGS: &[(&str, &str)] = &[
    (NO_BUCKET, "the bucket does not exist"),
    ("InvalidAccessKeyId", "the access key is unknown"),
    ("SignatureDoesNotMatch", "the secret access key is wrong"),
    ("AuthorizationHeaderMalformed", "the region is wrong"),
    ("PermanentRedirect", "the bucket is in another region or has another endpoint"),
    ("AccessDenied", "the access key lacks the permission for this"),
];

/// Converts a bucket error to an I/O error. The explanation precedes the original message.
pub(super) fn to_io_error(error: Error) -> io::Error {
    let kind = match error {
        Error::NotFound { .. } => io::ErrorKind::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        _ => io::ErrorKind::Other,
    };
    let message = error.to_string();
    let meaning = MEANINGS.iter().find(|(code, _)| message.contains(code));
    match (meaning, kind) {
        // A missing file is a different case.
        (Some((NO_BUCKET, meaning)), _) => io::Error::other(format!("{meaning} ({message})")),
        (Some((_, meaning)), _) => io::Error::new(kind, format!("{meaning} ({message})")),
        (None, io::ErrorKind::PermissionDenied) => {
            io::Error::new(kind, format!("the access key was rejected ({message})"))
        }
        (None, _) => io::Error::new(kind, error),
    }
}
