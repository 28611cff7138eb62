//! Why a signature does not count.

use thiserror::Error;

use crate::digest::DigestError;

/// Part of a request that a signature must cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequiredPart {
    /// The method: without it, a signed `GET` could be sent as a `POST`.
    Method,
    /// The path and query: without them, a request could be sent to another inbox.
    Target,
    /// The host: without it, a request could be sent to another server.
    Host,
    /// The time: without it, a request could be repeated for ever.
    Time,
    /// The digest of the body.
    Digest,
}

/// Reason why a signature does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum SignatureError {
    /// The request has no signature.
    #[error("the request is not signed")]
    Missing,
    /// The headers of the signature are not what their standard describes.
    #[error("the signature is malformed")]
    Malformed,
    /// There are two signatures, or a parameter is there twice. Two programs could read different
    /// ones.
    #[error("the request has two signatures")]
    Repeated,
    /// A part is covered twice.
    #[error("a part of the request is covered twice")]
    CoveredTwice,
    /// The signature covers something that is not supported, such as a parameter of the query.
    #[error("the signature covers a part of an unsupported kind")]
    UnsupportedPart,
    /// A covered header is absent.
    #[error("a covered header is absent")]
    AbsentHeader,
    /// The signature leaves out what it must cover.
    #[error("the signature does not cover a required part")]
    NotCovered(RequiredPart),
    /// The request was sent to another server.
    #[error("the request names another host")]
    OtherHost,
    /// The time of the signature is not a time.
    #[error("the time of the signature is malformed")]
    Time,
    /// The signature was made too long ago.
    #[error("the signature is too old")]
    Old,
    /// The signature is from the future.
    #[error("the signature is from the future")]
    Future,
    /// The signature says that it is no longer valid.
    #[error("the signature has expired")]
    Expired,
    /// The digest does not prove the body.
    #[error(transparent)]
    Digest(#[from] DigestError),
    /// The named algorithm is not supported.
    #[error("the algorithm is not supported")]
    UnsupportedAlgorithm,
    /// The named algorithm is not one of the key.
    #[error("the algorithm is not one of the key")]
    WrongAlgorithm,
    /// The signature is not by the key, or the request was changed.
    #[error("the signature is wrong")]
    Wrong,
}

impl SignatureError {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Missing => "signature_missing",
            Self::Malformed => "signature_malformed",
            Self::Repeated => "signature_repeated",
            Self::CoveredTwice => "signature_covered_twice",
            Self::UnsupportedPart => "signature_unsupported_part",
            Self::AbsentHeader => "signature_absent_header",
            Self::NotCovered(RequiredPart::Method) => "signature_without_method",
            Self::NotCovered(RequiredPart::Target) => "signature_without_target",
            Self::NotCovered(RequiredPart::Host) => "signature_without_host",
            Self::NotCovered(RequiredPart::Time) => "signature_without_time",
            Self::NotCovered(RequiredPart::Digest) => "signature_without_digest",
            Self::OtherHost => "signature_other_host",
            Self::Time => "signature_time",
            Self::Old => "signature_old",
            Self::Future => "signature_future",
            Self::Expired => "signature_expired",
            Self::Digest(error) => error.reason(),
            Self::UnsupportedAlgorithm => "signature_unsupported_algorithm",
            Self::WrongAlgorithm => "signature_wrong_algorithm",
            Self::Wrong => "signature_wrong",
        }
    }

    /// Returns `true` if the request is malformed (HTTP 400), and `false` if it is well-formed but
    /// proves nothing (401).
    #[must_use]
    pub const fn is_malformed(self) -> bool {
        matches!(
            self,
            Self::Malformed
                | Self::Repeated
                | Self::CoveredTwice
                | Self::Time
                | Self::Digest(DigestError::Malformed | DigestError::Repeated)
        )
    }

    /// Returns `true` if a newer key of the same owner may give another result. Only then is a key
    /// fetched again.
    #[must_use]
    pub const fn suggests_stale_key(self) -> bool {
        matches!(self, Self::Wrong | Self::WrongAlgorithm)
    }
}

/// Reason why a request is not signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum SigningError {
    /// The id of the key has characters that the headers cannot carry.
    #[error("the id of the key is malformed")]
    KeyId,
    /// The method, the target or a header has a line break, or the target is no path.
    #[error("the request cannot be signed")]
    Request,
    /// The time has no form in the headers.
    #[error("the time is out of range")]
    Time,
    /// The other server demands what this crate does not make.
    #[error("the demanded signature is not supported")]
    Demand,
    /// The system has no random numbers.
    #[error("the key could not sign")]
    Key,
}

impl SigningError {
    /// Returns the stable name of the reason, for counters and logs.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::KeyId => "signing_key_id",
            Self::Request => "signing_request",
            Self::Time => "signing_time",
            Self::Demand => "signing_demand",
            Self::Key => "signing_key",
        }
    }
}
