//! Digests of bodies: `Digest` of RFC 3230, which the older signatures cover, and `Content-Digest`
//! of RFC 9530.
//!
//! Only SHA-256 counts. Digests by other algorithms are ignored, so a request with nothing else has
//! no digest.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::digest::{SHA256, digest};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

use crate::{
    request::Request,
    structured::{self, BareItem, FieldError, Member},
};

/// Maximum length of a header with digests, in bytes.
const MAX_LENGTH: usize = 4096;
/// Name of SHA-256 in both headers; that of `Digest` is in any case.
const NAME: &str = "sha-256";

/// Header with a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DigestHeader {
    /// `Digest: SHA-256=…`
    Digest,
    /// `Content-Digest: sha-256=:…:`
    ContentDigest,
}

/// Reason why a digest does not prove a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum DigestError {
    /// The header is absent.
    #[error("the request has no digest")]
    Missing,
    /// The header is not what its standard describes.
    #[error("the digest is malformed")]
    Malformed,
    /// The header, or SHA-256 in it, is there twice. Two programs could compare different ones.
    #[error("the request has two digests")]
    Repeated,
    /// The header has no SHA-256.
    #[error("the digest is not SHA-256")]
    Unsupported,
    /// The digest is that of another body.
    #[error("the digest is not that of the body")]
    Mismatch,
}

impl DigestError {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Missing => "digest_missing",
            Self::Malformed => "digest_malformed",
            Self::Repeated => "digest_repeated",
            Self::Unsupported => "digest_unsupported",
            Self::Mismatch => "digest_mismatch",
        }
    }
}

impl DigestHeader {
    /// Returns the name of the header, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Digest => "digest",
            Self::ContentDigest => "content-digest",
        }
    }

    /// Returns the value of the header for a body.
    ///
    /// ```
    /// use siskin_federation::digest::DigestHeader;
    ///
    /// assert_eq!(
    ///     DigestHeader::Digest.value(b""),
    ///     "SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    /// );
    /// ```
    #[must_use]
    pub fn value(self, body: &[u8]) -> String {
        let base64 = STANDARD.encode(digest(&SHA256, body));
        match self {
            Self::Digest => format!("SHA-256={base64}"),
            Self::ContentDigest => format!("sha-256=:{base64}:"),
        }
    }

    /// Compares the header of a request with its body, in constant time.
    ///
    /// # Errors
    /// Returns the reason if the header does not prove the body.
    pub fn check(self, request: &Request<'_>) -> Result<(), DigestError> {
        let mut values = request.values(self.name());
        let value = values.next().ok_or(DigestError::Missing)?;
        if values.next().is_some() {
            return Err(DigestError::Repeated);
        }
        if value.len() > MAX_LENGTH {
            return Err(DigestError::Malformed);
        }
        let claimed = match self {
            Self::Digest => read_digest(value)?,
            Self::ContentDigest => read_content_digest(value)?,
        };
        let actual = digest(&SHA256, request.body);
        let is_equal = bool::from(actual.as_ref().ct_eq(&claimed));
        if is_equal { Ok(()) } else { Err(DigestError::Mismatch) }
    }
}

/// Returns the SHA-256 of a value such as `MD5=…,SHA-256=…`.
fn read_digest(value: &[u8]) -> Result<Vec<u8>, DigestError> {
    let text = std::str::from_utf8(value).map_err(|_| DigestError::Malformed)?;
    let mut found = None;
    for part in text.split(',') {
        let (name, base64) = part.trim().split_once('=').ok_or(DigestError::Malformed)?;
        if !name.eq_ignore_ascii_case(NAME) {
            continue;
        }
        let bytes = STANDARD.decode(base64).map_err(|_| DigestError::Malformed)?;
        if found.replace(bytes).is_some() {
            return Err(DigestError::Repeated);
        }
    }
    found.ok_or(DigestError::Unsupported)
}

/// Returns the SHA-256 of a dictionary such as `sha-512=:…:, sha-256=:…:`.
fn read_content_digest(value: &[u8]) -> Result<Vec<u8>, DigestError> {
    let dictionary = structured::dictionary(value).map_err(|error| match error {
        FieldError::Malformed => DigestError::Malformed,
        FieldError::Repeated => DigestError::Repeated,
    })?;
    let found = dictionary.into_iter().find(|(name, _)| name == NAME);
    match found {
        Some((_, Member::Item(item))) => match item.value {
            BareItem::Bytes(bytes) => Ok(bytes),
            _ => Err(DigestError::Malformed),
        },
        Some((_, Member::List(_))) => Err(DigestError::Malformed),
        None => Err(DigestError::Unsupported),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BODY: &[u8] = br#"{"hello": "world"}"#;
    /// SHA-256 of the body, from RFC 9530, appendix B.
    const BASE64: &str = "X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=";
    /// SHA-512 of the body, from RFC 9421, appendix B.2.
    const SHA512: &str = "WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm\
                          +AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==";

    fn check(header: DigestHeader, values: &[&str], body: &[u8]) -> Result<(), DigestError> {
        let headers: Vec<(&str, &[u8])> =
            values.iter().map(|value| (header.name(), value.as_bytes())).collect();
        header.check(&Request {
            method: "POST",
            scheme: "https",
            authority: "town.example",
            target: "/inbox",
            headers: &headers,
            body,
        })
    }

    #[test]
    fn only_one_digest_by_sha_256_proves_a_body() {
        use DigestError::{Malformed, Mismatch, Missing, Repeated, Unsupported};
        let right = format!("SHA-256={BASE64}");
        let wrong = "SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        let with_others = format!("sha-512={SHA512}, sha-256={BASE64},MD5=x,unixsum=3");
        let cases: &[(&[&str], Result<(), DigestError>)] = &[
            (&[&right], Ok(())),
            (&[&with_others], Ok(())),
            (&[], Err(Missing)),
            (&[&right, &right], Err(Repeated)),
            (&[&format!("{right},{right}")], Err(Repeated)),
            (&[&format!("{wrong},{right}")], Err(Repeated)),
            (&[wrong], Err(Mismatch)),
            (&["SHA-256="], Err(Mismatch)),
            (&["SHA-256=X48E"], Err(Mismatch)),
            (&[&format!("SHA-512={SHA512}")], Err(Unsupported)),
            (&[&format!("SHA-256=:{BASE64}:")], Err(Malformed)),
            (&["SHA-256"], Err(Malformed)),
            (&[""], Err(Malformed)),
            (&[&format!("{right},")], Err(Malformed)),
            (&["SHA-256=***"], Err(Malformed)),
            (&[&format!("{right},{}", "a=b,".repeat(2000))], Err(Malformed)),
        ];
        for (values, expected) in cases {
            assert_eq!(check(DigestHeader::Digest, values, BODY), *expected, "{values:?}");
        }
    }

    #[test]
    fn only_one_content_digest_by_sha_256_proves_a_body() {
        use DigestError::{Malformed, Mismatch, Missing, Repeated, Unsupported};
        let right = format!("sha-256=:{BASE64}:");
        let cases: &[(&[&str], Result<(), DigestError>)] = &[
            (&[&right], Ok(())),
            (&[&format!("sha-512=:{SHA512}:, {right}")], Ok(())),
            (&[], Err(Missing)),
            (&[&right, &right], Err(Repeated)),
            (&[&format!("{right}, {right}")], Err(Repeated)),
            (&["sha-256=:AAAA:"], Err(Mismatch)),
            (&[&format!("sha-512=:{SHA512}:")], Err(Unsupported)),
            (&[""], Err(Unsupported)),
            (&[&format!("SHA-256=:{BASE64}:")], Err(Malformed)),
            (&[&format!("sha-256={BASE64}")], Err(Malformed)),
            (&["sha-256=(:AAAA:)"], Err(Malformed)),
            (&["sha-256"], Err(Malformed)),
        ];
        for (values, expected) in cases {
            assert_eq!(check(DigestHeader::ContentDigest, values, BODY), *expected, "{values:?}");
        }
    }

    #[test]
    fn a_changed_body_is_noticed() {
        for header in [DigestHeader::Digest, DigestHeader::ContentDigest] {
            let value = header.value(BODY);
            assert_eq!(check(header, &[&value], BODY), Ok(()));
            assert_eq!(check(header, &[&value], b""), Err(DigestError::Mismatch));
            assert_eq!(
                check(header, &[&value], br#"{"hello":"world"}"#),
                Err(DigestError::Mismatch)
            );
        }
    }

    proptest! {
        #[test]
        fn any_value_is_read_without_panic(value in prop::collection::vec(any::<u8>(), 0..64)) {
            let headers: &[(&str, &[u8])] = &[("digest", &value), ("content-digest", &value)];
            let url = "https://town.example/".parse().unwrap();
            let request = Request::to_url("POST", &url, headers, b"").unwrap();
            prop_assert!(DigestHeader::Digest.check(&request).is_err());
            prop_assert!(DigestHeader::ContentDigest.check(&request).is_err());
        }
    }
}
