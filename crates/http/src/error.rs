//! The error table: maps the errors of the use cases to a status and a body.

use std::fmt;

use actix_web::{HttpResponse, ResponseError, http::StatusCode};
use siskin_services as services;
use siskin_wire as wire;

use crate::{middleware::RequestId, wording::translated};

/// A failed request.
#[derive(Debug)]
pub struct Error(services::Error);

impl<E: Into<services::Error>> From<E> for Error {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl Error {
    /// Returns the error of the use case.
    pub(crate) const fn domain(&self) -> &services::Error {
        &self.0
    }

    /// Converts into the error of the use case, for responses that the table does not write.
    pub(crate) fn into_domain(self) -> services::Error {
        self.0
    }

    /// Returns the message for the person. For an internal error it first logs the cause, and the
    /// message holds the request id that finds it in the log. An unavailable database is logged
    /// where it is noticed, once for all requests.
    pub(crate) fn logged(&self) -> String {
        if let services::Error::Internal(cause) | services::Error::Unavailable(cause) = &self.0 {
            let request = RequestId::current();
            log::error!("request={request} status={} cause={cause:?}", self.status_code());
            return format!("{self} (request {request})");
        }
        self.to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ResponseError for Error {
    fn status_code(&self) -> StatusCode {
        match self.0 {
            services::Error::NotFound => StatusCode::NOT_FOUND,
            services::Error::Forbidden(_) => StatusCode::FORBIDDEN,
            services::Error::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            services::Error::Malformed(_) => StatusCode::BAD_REQUEST,
            services::Error::Invalid(_)
            | services::Error::InvalidFields(_)
            | services::Error::UnexpectedMentions(_) => StatusCode::UNPROCESSABLE_ENTITY,
            services::Error::Gone(_) => StatusCode::GONE,
            services::Error::Conflict(_) => StatusCode::CONFLICT,
            services::Error::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            services::Error::Unavailable(_)
            | services::Error::Unreachable(_)
            | services::Error::ExternalService(_) => StatusCode::SERVICE_UNAVAILABLE,
            services::Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        match &self.0 {
            services::Error::InvalidFields(fields) => response.json(wire::error::invalid(
                &translated(&self.to_string()),
                fields.iter().map(fault),
            )),
            _ => response.json(wire::error::plain(&translated(&self.logged()))),
        }
    }
}

fn fault(field: &services::Field) -> (String, wire::error::Fault) {
    use services::FieldError;
    use wire::error::FaultCode;
    let code = match field.error {
        FieldError::Blocked => FaultCode::Blocked,
        FieldError::Unreachable => FaultCode::Unreachable,
        FieldError::Taken => FaultCode::Taken,
        FieldError::Reserved => FaultCode::Reserved,
        FieldError::Accepted => FaultCode::Accepted,
        FieldError::Blank => FaultCode::Blank,
        FieldError::Invalid => FaultCode::Invalid,
        FieldError::TooLong => FaultCode::TooLong,
        FieldError::TooShort => FaultCode::TooShort,
        FieldError::Inclusion => FaultCode::Inclusion,
    };
    (field.name.to_owned(), wire::error::Fault { code, description: field.description.clone() })
}
