//! Errors of outgoing requests.

use thiserror::Error;

/// Request that failed without a usable response.
#[derive(Debug, Error)]
pub enum FetchError {
    /// The text is not a valid URL, or the URL is of a kind that is not requested.
    #[error("the address cannot be asked: {0}")]
    Address(&'static str),
    /// The server is not on the public internet.
    #[error("{0} is not on the open internet")]
    Private(String),
    /// There were too many redirects, or one with an invalid target.
    #[error("the redirects lead nowhere")]
    Redirects,
    /// The body exceeds the size limit.
    #[error("the answer is too long")]
    TooLarge,
    /// The request exceeded its time limit.
    #[error("the answer took too long")]
    TooSlow,
    /// The name is unknown, the connection failed, or the response is not valid HTTP.
    #[error("the exchange failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl FetchError {
    /// Returns `true` if a retry may succeed.
    #[must_use]
    pub const fn is_passing(&self) -> bool {
        matches!(self, Self::TooSlow | Self::Failed(_))
    }
}
