//! Which bucket, and how it is reached.

use std::{fmt, io, time::Duration};

use object_store::{
    BackoffConfig, ClientOptions, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder},
    path::Path,
};
use url::Url;

/// The region of what has none.
const REGION: &str = "us-east-1";
const CONNECT: Duration = Duration::from_secs(5);
/// How long one request may take: a piece must have gone up, on a slow line too.
const REQUEST: Duration = Duration::from_secs(60);
/// How long may pass between two bytes of an answer.
const SILENCE: Duration = Duration::from_secs(15);
/// Attempts after the first.
const RETRIES: usize = 3;
/// After this long nothing is tried again.
const PATIENCE: Duration = Duration::from_secs(30);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A bucket and the key to it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct S3Options {
    pub bucket: String,
    /// None: `us-east-1`, which is also what servers without regions take.
    pub region: Option<String>,
    /// `https://HOST` or `http://HOST:PORT` of what is not Amazon's.
    pub endpoint: Option<String>,
    pub access_key_id: String,
    pub secret_access_key: String,
    /// Whether the bucket stands in the path of an address instead of in the name of its host.
    /// None: where there is an endpoint.
    pub path_style: Option<bool>,
    /// The folder of the bucket in which the files lie; None: the bucket itself.
    pub prefix: Option<String>,
}

impl fmt::Debug for S3Options {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Options")
            .field("bucket", &self.bucket)
            .field("region", &self.region)
            .field("endpoint", &self.endpoint)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl S3Options {
    pub(super) fn bucket(&self) -> io::Result<AmazonS3> {
        self.require_sound()?;
        let bucket_in_path = self.path_style.unwrap_or(self.endpoint.is_some());
        let endpoint = self.endpoint.as_deref().map(|endpoint| endpoint.trim_end_matches('/'));
        let plain = endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&self.bucket)
            .with_region(self.region.as_deref().unwrap_or(REGION))
            .with_access_key_id(&self.access_key_id)
            .with_secret_access_key(&self.secret_access_key)
            .with_virtual_hosted_style_request(!bucket_in_path)
            // One at a time: not everything that speaks like S3 knows the other way.
            .with_disable_bulk_delete(true)
            .with_client_options(client().with_allow_http(plain))
            .with_retry(retries());
        if let Some(endpoint) = endpoint {
            let address = if bucket_in_path {
                endpoint.to_owned()
            } else {
                self.with_bucket_in_host(endpoint)?
            };
            builder = builder.with_endpoint(address);
        }
        prepare_tls();
        builder.build().map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
    }

    /// Checks what becomes a part of addresses and headers: requests panic on other characters.
    fn require_sound(&self) -> io::Result<()> {
        let is_plain = |text: &str, more: &str| {
            let fits = |letter: char| letter.is_ascii_alphanumeric() || more.contains(letter);
            !text.is_empty() && text.chars().all(fits)
        };
        if !is_plain(&self.bucket, ".-_") {
            return Err(wrong("the name of the bucket must be letters, digits, '.', '-' and '_'"));
        }
        if !self.region.as_deref().is_none_or(|region| is_plain(region, "-_")) {
            return Err(wrong("the region must be letters, digits, '-' and '_'"));
        }
        if !self.access_key_id.chars().all(|letter| letter.is_ascii_graphic() || letter == ' ') {
            return Err(wrong("the key id must be printable ASCII"));
        }
        self.endpoint.as_deref().map_or(Ok(()), require_endpoint)
    }

    fn with_bucket_in_host(&self, endpoint: &str) -> io::Result<String> {
        let (scheme, host) = endpoint.split_once("://").ok_or_else(|| wrong(ENDPOINT))?;
        Ok(format!("{scheme}://{}.{host}", self.bucket))
    }

    pub(super) fn prefix(&self) -> io::Result<Path> {
        Path::parse(self.prefix.as_deref().unwrap_or_default())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
    }
}

const ENDPOINT: &str = "the endpoint must be https://HOST or http://HOST:PORT";

fn require_endpoint(endpoint: &str) -> io::Result<()> {
    let written = endpoint.starts_with("https://") || endpoint.starts_with("http://");
    let url = Url::parse(endpoint).map_err(|error| wrong(&format!("{ENDPOINT}: {error}")))?;
    let bare = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    if written && url.has_host() && bare { Ok(()) } else { Err(wrong(ENDPOINT)) }
}

fn wrong(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

fn client() -> ClientOptions {
    ClientOptions::new()
        .with_connect_timeout(CONNECT)
        .with_timeout(REQUEST)
        .with_read_timeout(SILENCE)
}

fn retries() -> RetryConfig {
    let backoff =
        BackoffConfig { init_backoff: FIRST_PAUSE, max_backoff: LONGEST_PAUSE, base: 2.0 };
    RetryConfig { backoff, max_retries: RETRIES, retry_timeout: PATIENCE }
}

/// Has TLS use `ring`, as everything in the process does. It fails where that is chosen already.
fn prepare_tls() {
    drop(rustls::crypto::ring::default_provider().install_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> S3Options {
        S3Options {
            bucket: "siskin".to_owned(),
            endpoint: Some("https://s3.example.org/".to_owned()),
            access_key_id: "the id".to_owned(),
            secret_access_key: "the secret".to_owned(),
            ..S3Options::default()
        }
    }

    #[test]
    fn the_key_is_in_no_log() {
        for said in [format!("{:?}", options()), format!("{:?}", options().bucket().unwrap())] {
            assert!(!said.contains("the secret"), "{said}");
        }
    }

    #[test]
    fn the_bucket_stands_in_the_path_or_in_the_name() {
        assert!(options().bucket().is_ok());
        let named = S3Options { path_style: Some(false), ..options() };
        let address = named.with_bucket_in_host("https://s3.example.org").unwrap();
        assert_eq!(address, "https://siskin.s3.example.org");
        assert!(named.with_bucket_in_host("s3.example.org").is_err());
    }

    #[test]
    fn a_prefix_is_a_folder() {
        let prefix = |text: &str| {
            S3Options { prefix: Some(text.to_owned()), ..options() }.prefix().map(String::from)
        };
        assert_eq!(prefix("media/").unwrap(), "media");
        assert_eq!(prefix("a/b").unwrap(), "a/b");
        assert!(prefix("a//b").is_err() && prefix("../b").is_err());
    }

    #[test]
    fn what_no_address_or_header_can_hold_is_refused() {
        let changed = |change: &dyn Fn(&mut S3Options)| {
            let mut options = options();
            change(&mut options);
            options.bucket()
        };
        for text in
            ["notaurl", "ftp://a.example", "http://", "https://a b", "http://[::1", "\u{e9}"]
        {
            changed(&|options| options.endpoint = Some(text.to_owned())).unwrap_err();
        }
        for text in ["", "a b", "a/b", "\u{e9}", "a\n"] {
            changed(&|options| options.bucket = text.to_owned()).unwrap_err();
            changed(&|options| options.region = Some(text.to_owned())).unwrap_err();
        }
        changed(&|options| options.access_key_id = "a\nb".to_owned()).unwrap_err();
        changed(&|_| {}).unwrap();
    }
}
