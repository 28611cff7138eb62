//! Errors of outgoing requests.

use thiserror::Error;

/// Request that failed without a usable response.
#[derive(Debug, Error)]
pub enum FetchError {
    /// The text is not a valid URL, or the URL is of a kind that is not requested.
    #[error("the address is not allowed: {0}")]
    Address(&'static str),
    /// The server is not on the public internet.
    #[error("{0} is not a public address")]
    Private(String),
    /// There were too many redirects, or one with an invalid target.
    #[error("too many redirects, or an invalid redirect")]
    Redirects,
    /// The body exceeds the size limit.
    #[error("the response is too large")]
    TooLarge,
    /// The request exceeded its time limit.
    #[error("the response took too long")]
    TooSlow,
    /// The name is unknown, the connection failed, or the response is not valid HTTP.
    #[error("the request failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl FetchError {
    /// Returns `true` if a retry may succeed.
    #[must_use]
    pub const fn is_passing(&self) -> bool {
        matches!(self, Self::TooSlow | Self::Failed(_))
    }
}
