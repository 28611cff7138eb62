//! Errors in the form of a request, found before any business rule is checked.

use actix_web::{
    HttpResponse, ResponseError,
    http::{
        StatusCode,
        header::{ACCEPT_ENCODING, RETRY_AFTER},
    },
};
use siskin_wire as wire;

use crate::wording::translated;

/// A request that cannot be decoded. Nothing was executed. The texts are meant for the client; they
/// name fields and never repeat values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// Query or body is not well-formed. 400.
    Malformed {
        /// Names the error and the part that has it.
        reason: String,
    },
    /// A required parameter is absent. 400.
    Missing {
        /// Its name in form notation, such as `poll[options]`.
        field: String,
    },
    /// A parameter does not have the expected type. 422.
    Invalid {
        /// Its name in form notation, such as `poll[expires_in]`.
        field: String,
        /// Continues the sentence after the name: `must be a whole number`.
        reason: String,
    },
    /// More or deeper parameters than any request needs. 422.
    TooMany,
    /// The body, or a file in it, is larger than allowed. 413.
    TooLarge {
        /// Maximum size in bytes.
        limit: usize,
    },
    /// The body is compressed, which the server never announces as accepted. 415.
    Encoded,
    /// The connection broke while the body was read. 400, although no client will receive it.
    Interrupted,
    /// The rest of the body did not come in time. 408.
    Stalled,
    /// There is no room for the body. 503.
    NoRoom,
    /// The server, or the sender alone, has too many bodies or uploads in progress. 503.
    Busy,
}

impl Error {
    pub(super) fn malformed(reason: impl Into<String>) -> Self {
        Self::Malformed { reason: reason.into() }
    }

    /// Returns the status of the response.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        match self {
            Self::Malformed { .. } | Self::Missing { .. } | Self::Interrupted => {
                StatusCode::BAD_REQUEST
            }
            Self::Invalid { .. } | Self::TooMany => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Encoded => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Stalled => StatusCode::REQUEST_TIMEOUT,
            Self::NoRoom | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed { reason } => write!(f, "Malformed request: {reason}"),
            Self::Missing { field } => write!(f, "Missing parameter: {field}"),
            Self::Invalid { field, reason } => write!(f, "Invalid parameter: {field} {reason}"),
            Self::TooMany => f.write_str("Too many or too deeply nested parameters"),
            Self::TooLarge { limit } => write!(f, "Too large: at most {limit} bytes are accepted"),
            Self::Encoded => {
                f.write_str("Unsupported Content-Encoding: send the body without encoding")
            }
            Self::Interrupted => f.write_str("The request ended early"),
            Self::Stalled => f.write_str("The rest of the request did not arrive in time"),
            Self::Busy => f.write_str("Too many requests are in progress: try again in a moment"),
            Self::NoRoom => f.write_str("The upload could not be stored: try again later"),
        }
    }
}

impl std::error::Error for Error {}

impl ResponseError for Error {
    fn status_code(&self) -> StatusCode {
        self.status()
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status());
        match self {
            Self::Encoded => response.insert_header((ACCEPT_ENCODING, "identity")),
            Self::Busy => response.insert_header((RETRY_AFTER, "5")),
            _ => &mut response,
        };
        response.json(wire::error::plain(&translated(&self.to_string())))
    }
}
