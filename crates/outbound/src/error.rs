//! Why nothing came back.

use thiserror::Error;

/// An exchange that did not end with an answer.
#[derive(Debug, Error)]
pub enum FetchError {
    /// The text is no address of a page, or one of a kind that is not asked for.
    #[error("the address cannot be asked: {0}")]
    Address(&'static str),
    /// The server is not one of the open internet.
    #[error("{0} is not on the open internet")]
    Private(String),
    /// More redirects than allowed, or one that leads nowhere.
    #[error("the redirects lead nowhere")]
    Redirects,
    /// The body is longer than allowed.
    #[error("the answer is too long")]
    TooLarge,
    /// It took longer than allowed.
    #[error("the answer took too long")]
    TooSlow,
    /// The name is unknown, the connection failed, or what came is no HTTP.
    #[error("the exchange failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl FetchError {
    /// Whether asking again later may succeed.
    #[must_use]
    pub const fn is_passing(&self) -> bool {
        matches!(self, Self::TooSlow | Self::Failed(_))
    }
}
