//! The one table from what went wrong to a status and a body.

use std::fmt;

use actix_web::{HttpResponse, ResponseError, http::StatusCode};
use siskin_services as services;
use siskin_wire as wire;

/// A failed request.
#[derive(Debug)]
pub struct Error(services::Error);

impl<E: Into<services::Error>> From<E> for Error {
    fn from(error: E) -> Self {
        Self(error.into())
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
            services::Error::Invalid(_) | services::Error::InvalidFields(_) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            services::Error::Conflict(_) => StatusCode::CONFLICT,
            services::Error::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            services::Error::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            services::Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let mut answer = HttpResponse::build(self.status_code());
        match &self.0 {
            services::Error::InvalidFields(fields) => {
                answer.json(wire::error::invalid(&self.to_string(), fields.iter().map(fault)))
            }
            services::Error::Internal(cause) | services::Error::Unavailable(cause) => {
                let request = snowflake::ProcessUniqueId::new();
                log::error!("request={request} status={} cause={cause:?}", self.status_code());
                answer.json(wire::error::plain(&format!("{self} (request {request})")))
            }
            _ => answer.json(wire::error::plain(&self.to_string())),
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
