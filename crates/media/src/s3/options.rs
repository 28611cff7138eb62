//! Options of the bucket and of the connection to it.

use std::{fmt, io, time::Duration};

use object_store::{
    BackoffConfig, ClientOptions, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder},
    path::Path,
};
use url::Url;

/// Region for services without regions.
const REGION: &str = "us-east-1";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of one request: the upload of a piece must succeed over a slow line, too.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// Timeout between two bytes of a response.
const READ_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum number of retries.
const RETRIES: usize = 3;
/// Time after which there are no more retries.
const RETRY_TIMEOUT: Duration = Duration::from_secs(30);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// Bucket and its credentials.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct S3Options {
    pub bucket: String,
    /// `None` means `us-east-1`, which services without regions accept as well.
    pub region: Option<String>,
    /// `https://HOST` or `http://HOST:PORT` for services other than Amazon S3.
    pub endpoint: Option<String>,
    pub access_key_id: String,
    pub secret_access_key: String,
    /// Whether the bucket is in the path of the URL instead of the host name. `None` means `true`
    /// if there is an endpoint.
    pub path_style: Option<bool>,
    /// Folder in the bucket for the files; `None` means the root of the bucket.
    pub prefix: Option<String>,
}

impl fmt::Debug for S3Options {
    /// Omits the credentials.
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
        self.require_valid()?;
        let bucket_in_path = self.path_style.unwrap_or(self.endpoint.is_some());
        let endpoint = self.endpoint.as_deref().map(|endpoint| endpoint.trim_end_matches('/'));
        let is_http = endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&self.bucket)
            .with_region(self.region.as_deref().unwrap_or(REGION))
            .with_access_key_id(&self.access_key_id)
            .with_secret_access_key(&self.secret_access_key)
            .with_virtual_hosted_style_request(!bucket_in_path)
            // Delete objects one by one, because not all S3-compatible services support bulk
            // deletion.
            .with_disable_bulk_delete(true)
            .with_client_options(client().with_allow_http(is_http))
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

    /// Checks the parts of URLs and headers, because the client panics on other characters.
    fn require_valid(&self) -> io::Result<()> {
        let is_allowed = |text: &str, more: &str| {
            let fits = |letter: char| letter.is_ascii_alphanumeric() || more.contains(letter);
            !text.is_empty() && text.chars().all(fits)
        };
        if !is_allowed(&self.bucket, ".-_") {
            return Err(invalid(
                "the name of the bucket must be letters, digits, '.', '-' and '_'",
            ));
        }
        if !self.region.as_deref().is_none_or(|region| is_allowed(region, "-_")) {
            return Err(invalid("the region must be letters, digits, '-' and '_'"));
        }
        if !self.access_key_id.chars().all(|letter| letter.is_ascii_graphic() || letter == ' ') {
            return Err(invalid("the access key id must be printable ASCII"));
        }
        self.endpoint.as_deref().map_or(Ok(()), require_endpoint)
    }

    fn with_bucket_in_host(&self, endpoint: &str) -> io::Result<String> {
        let (scheme, host) = endpoint.split_once("://").ok_or_else(|| invalid(ENDPOINT))?;
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
    let url = Url::parse(endpoint).map_err(|error| invalid(&format!("{ENDPOINT}: {error}")))?;
    let bare = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    if written && url.has_host() && bare { Ok(()) } else { Err(invalid(ENDPOINT)) }
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

fn client() -> ClientOptions {
    ClientOptions::new()
        .with_connect_timeout(CONNECT_TIMEOUT)
        .with_timeout(REQUEST_TIMEOUT)
        .with_read_timeout(READ_TIMEOUT)
}

fn retries() -> RetryConfig {
    let backoff = BackoffConfig { init_backoff: FIRST_PAUSE, max_backoff: MAX_PAUSE, base: 2.0 };
    RetryConfig { backoff, max_retries: RETRIES, retry_timeout: RETRY_TIMEOUT }
}

/// Selects `ring` for TLS, like everywhere in the process. It fails if a provider is already
/// selected.
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
    fn debug_output_hides_the_key() {
        for output in [format!("{:?}", options()), format!("{:?}", options().bucket().unwrap())] {
            assert!(!output.contains("the secret"), "{output}");
        }
    }

    #[test]
    fn the_bucket_is_part_of_the_path_or_the_host() {
        assert!(options().bucket().is_ok());
        let virtual_hosted = S3Options { path_style: Some(false), ..options() };
        let address = virtual_hosted.with_bucket_in_host("https://s3.example.org").unwrap();
        assert_eq!(address, "https://siskin.s3.example.org");
        assert!(virtual_hosted.with_bucket_in_host("s3.example.org").is_err());
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
    fn options_invalid_in_urls_or_headers_are_refused() {
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
