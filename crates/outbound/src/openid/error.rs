//! Errors of the protocol.

use std::error::Error;

use openidconnect::{
    ClaimsVerificationError, ConfigurationError, DiscoveryError, RequestTokenError,
    StandardErrorResponse, UserInfoError, core::CoreErrorResponseType,
};
use thiserror::Error as ThisError;

use crate::FetchError;

/// Maximum length of a message, which may quote the provider.
const MAX_MESSAGE_CHARS: usize = 300;

/// Reason why a sign-in at a provider failed. The messages are for the log: they quote the
/// provider.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum OpenIdError {
    /// The provider was not reached, or did not answer in time.
    #[error("the provider did not answer: {0}")]
    Unreachable(String),
    /// The provider did not accept the code: it is too old, was used before, or is not its own.
    #[error("the provider did not accept the code: {0}")]
    CodeRefused(String),
    /// The answer breaks the protocol, or its checks failed.
    #[error("the answer of the provider is not valid: {0}")]
    Invalid(String),
}

impl OpenIdError {
    pub(super) fn invalid(error: &dyn Error) -> Self {
        Self::Invalid(message(error))
    }

    fn unreachable(error: &dyn Error) -> Self {
        Self::Unreachable(message(error))
    }
}

/// Returns an error with its causes as one line.
fn message(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    let escaped = text.chars().flat_map(char::escape_debug);
    escaped.take(MAX_MESSAGE_CHARS).collect()
}

impl From<DiscoveryError<FetchError>> for OpenIdError {
    fn from(error: DiscoveryError<FetchError>) -> Self {
        match error {
            DiscoveryError::Request(_) | DiscoveryError::Response(..) => Self::unreachable(&error),
            _ => Self::invalid(&error),
        }
    }
}

impl From<RequestTokenError<FetchError, StandardErrorResponse<CoreErrorResponseType>>>
    for OpenIdError
{
    fn from(
        error: RequestTokenError<FetchError, StandardErrorResponse<CoreErrorResponseType>>,
    ) -> Self {
        match &error {
            RequestTokenError::Request(_) => Self::unreachable(&error),
            RequestTokenError::ServerResponse(response)
                if matches!(response.error(), CoreErrorResponseType::InvalidGrant) =>
            {
                Self::CodeRefused(message(&error))
            }
            _ => Self::invalid(&error),
        }
    }
}

impl From<UserInfoError<FetchError>> for OpenIdError {
    fn from(error: UserInfoError<FetchError>) -> Self {
        match error {
            UserInfoError::Request(_) => Self::unreachable(&error),
            _ => Self::invalid(&error),
        }
    }
}

impl From<ClaimsVerificationError> for OpenIdError {
    fn from(error: ClaimsVerificationError) -> Self {
        Self::invalid(&error)
    }
}

impl From<ConfigurationError> for OpenIdError {
    fn from(error: ConfigurationError) -> Self {
        Self::invalid(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_short_line() {
        let long = "x\n\u{202e}".repeat(1000);
        let OpenIdError::Invalid(text) = OpenIdError::invalid(&FetchError::Private(long)) else {
            panic!("another kind");
        };
        assert_eq!(text.chars().count(), MAX_MESSAGE_CHARS);
        assert!(!text.contains(['\n', '\u{202e}']), "{text}");
    }

    #[test]
    fn an_unreachable_provider_is_no_invalid_answer() {
        let down = || DiscoveryError::Request(FetchError::TooSlow);
        assert!(
            matches!(down().into(), OpenIdError::Unreachable(text) if text.contains("too long"))
        );
        let other: DiscoveryError<FetchError> = DiscoveryError::Other("x".to_owned());
        assert!(matches!(other.into(), OpenIdError::Invalid(_)));
    }
}
