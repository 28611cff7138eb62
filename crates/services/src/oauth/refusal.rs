//! Protocol errors of OAuth, with the codes of the RFC.

/// The error codes of RFC 6749, sections 4.1.2.1 and 5.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    InvalidRequest,
    InvalidClient,
    InvalidGrant,
    UnauthorizedClient,
    UnsupportedGrantType,
    UnsupportedResponseType,
    InvalidScope,
    AccessDenied,
}

impl Fault {
    /// Returns the code in the protocol.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::UnauthorizedClient => "unauthorized_client",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::InvalidScope => "invalid_scope",
            Self::AccessDenied => "access_denied",
        }
    }
}

/// Protocol error: a code for the program, and a sentence for its developer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    pub fault: Fault,
    /// Printable ASCII without quotes and backslashes, as RFC 6749 requires.
    pub description: &'static str,
}

impl Refusal {
    /// Builds a protocol error with this code and sentence.
    #[must_use]
    pub const fn new(fault: Fault, description: &'static str) -> Self {
        Self { fault, description }
    }
}
