//! Options of an S3 bucket for media files.

use anyhow::{Context, Result, ensure};
use clap::{Args, builder::BoolishValueParser};
use serde::Deserialize;
use siskin_media::S3Options;

use crate::Secret;

/// The configured options of a bucket, from the command line and the environment or from the table
/// `[s3]` of the file.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bucket {
    /// Store uploaded files in this bucket of S3, or of a compatible service, instead of the folder
    #[arg(long = "s3-bucket", global = true, env = "SISKIN_S3_BUCKET", value_name = "NAME")]
    bucket: Option<String>,

    /// The region of the bucket [default: us-east-1]
    #[arg(long = "s3-region", global = true, env = "SISKIN_S3_REGION", value_name = "REGION")]
    region: Option<String>,

    /// The endpoint of the service, if it is not Amazon's: https://HOST or http://HOST:PORT
    #[arg(long = "s3-endpoint", global = true, env = "SISKIN_S3_ENDPOINT", value_name = "URL")]
    endpoint: Option<String>,

    /// The access key id for the bucket
    #[arg(
        long = "s3-access-key-id",
        global = true,
        env = "SISKIN_S3_ACCESS_KEY_ID",
        value_name = "ID",
        hide_env_values = true
    )]
    access_key_id: Option<Secret>,

    /// The secret access key for the bucket
    #[arg(
        long = "s3-secret-access-key",
        global = true,
        env = "SISKIN_S3_SECRET_ACCESS_KEY",
        value_name = "SECRET",
        hide_env_values = true
    )]
    secret_access_key: Option<Secret>,

    /// Whether URLs name the bucket in their path (true) or in their host (false) [default: true
    /// with an endpoint, else false]
    #[arg(
        long = "s3-path-style",
        global = true,
        env = "SISKIN_S3_PATH_STYLE",
        value_parser = BoolishValueParser::new(),
        value_name = "BOOL"
    )]
    path_style: Option<bool>,

    /// The folder for the files within the bucket [default: none]
    #[arg(long = "s3-prefix", global = true, env = "SISKIN_S3_PREFIX", value_name = "PATH")]
    prefix: Option<String>,
}

impl Bucket {
    /// Merges these options with those of `filed`, which are used where these are absent. Returns
    /// `None` if no bucket is configured or its name is empty.
    ///
    /// # Errors
    /// A bucket without a key, or other options of a bucket without its name.
    pub fn or(&self, filed: Self) -> Result<Option<S3Options>> {
        let text = |given: &Option<String>, filed: Option<String>| {
            given.clone().or(filed).filter(|text| !text.is_empty())
        };
        let secret = |given: &Option<Secret>, filed: Option<Secret>| {
            let found = given.clone().or(filed).map(Secret::into_text);
            found.filter(|text| !text.is_empty())
        };
        if self.bucket.as_ref().is_some_and(String::is_empty) {
            return Ok(None);
        }
        let access_key_id = secret(&self.access_key_id, filed.access_key_id);
        let secret_access_key = secret(&self.secret_access_key, filed.secret_access_key);
        let endpoint = text(&self.endpoint, filed.endpoint);
        let Some(bucket) = text(&self.bucket, filed.bucket) else {
            let nothing = access_key_id.is_none() && endpoint.is_none();
            ensure!(nothing, "--s3-bucket (SISKIN_S3_BUCKET) is missing: name the bucket");
            return Ok(None);
        };
        Ok(Some(S3Options {
            bucket,
            region: text(&self.region, filed.region),
            endpoint,
            access_key_id: access_key_id
                .context("--s3-access-key-id (SISKIN_S3_ACCESS_KEY_ID) is missing")?,
            secret_access_key: secret_access_key
                .context("--s3-secret-access-key (SISKIN_S3_SECRET_ACCESS_KEY) is missing")?,
            path_style: self.path_style.or(filed.path_style),
            prefix: text(&self.prefix, filed.prefix),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filed(text: &str) -> Bucket {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn options_override_the_file() {
        let file = filed("bucket = \"a\"\naccess_key_id = \"k\"\nsecret_access_key = \"s\"");
        let given = Bucket { bucket: Some("b".to_owned()), ..Bucket::default() };
        let found = given.or(file).unwrap().unwrap();
        assert_eq!((found.bucket.as_str(), found.secret_access_key.as_str()), ("b", "s"));
        assert_eq!(Bucket::default().or(Bucket::default()).unwrap(), None);
    }

    #[test]
    fn errors_name_the_missing_option() {
        for (text, expected) in [
            ("bucket = \"a\"", "SISKIN_S3_ACCESS_KEY_ID"),
            ("bucket = \"a\"\naccess_key_id = \"k\"", "SISKIN_S3_SECRET_ACCESS_KEY"),
            ("endpoint = \"http://localhost\"", "SISKIN_S3_BUCKET"),
        ] {
            let error = Bucket::default().or(filed(text)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_secret_is_in_no_log() {
        let bucket = filed("secret_access_key = \"hidden\"\naccess_key_id = \"too\"");
        let debug = format!("{bucket:?}");
        assert!(!debug.contains("hidden") && !debug.contains("too"), "{debug}");
    }
}
