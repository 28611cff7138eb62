//! Errors of use cases. The HTTP adapter maps each kind to a status code and a body.

use std::{error::Error as StdError, fmt, sync::Arc};

use siskin_entities::Account;

/// Reason why one field of a sign-up or a form was refused: the machine-readable names of the
/// contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldError {
    Blocked,
    Unreachable,
    Taken,
    Reserved,
    Accepted,
    Blank,
    Invalid,
    TooLong,
    TooShort,
    Inclusion,
}

impl FieldError {
    /// Returns the name in the API.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Blocked => "ERR_BLOCKED",
            Self::Unreachable => "ERR_UNREACHABLE",
            Self::Taken => "ERR_TAKEN",
            Self::Reserved => "ERR_RESERVED",
            Self::Accepted => "ERR_ACCEPTED",
            Self::Blank => "ERR_BLANK",
            Self::Invalid => "ERR_INVALID",
            Self::TooLong => "ERR_TOO_LONG",
            Self::TooShort => "ERR_TOO_SHORT",
            Self::Inclusion => "ERR_INCLUSION",
        }
    }
}

/// Refused field, with a description of the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    pub error: FieldError,
    pub description: String,
}

impl fmt::Display for Field {
    /// Writes a sentence that begins with the name of the field.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", capitalised(self.name), self.description)
    }
}

/// Failure of a use case. Each message is safe to show to the client. The cause inside
/// [`Error::Internal`], [`Error::Unavailable`] and [`Error::Unreachable`] is for the log only.
#[derive(Debug)]
pub enum Error {
    /// The entity does not exist, or the viewer may not know of it. Clients cannot distinguish the
    /// two.
    NotFound,
    /// The caller is authenticated, but may not do this.
    Forbidden(String),
    /// The caller must be signed in.
    Unauthenticated(String),
    /// The request is malformed, independent of stored data.
    Malformed(String),
    /// The input is wrong.
    Invalid(String),
    /// The input is wrong, with an error for each field.
    InvalidFields(Vec<Field>),
    /// A status mentions these accounts, and the client did not expect that.
    UnexpectedMentions(Vec<Arc<Account>>),
    /// The entity existed and is no longer shown, which every caller may know.
    Gone(String),
    /// A concurrent change came first.
    Conflict(String),
    /// The caller exceeded a limit.
    TooMany(String),
    /// A remote service that this needs does not work now, or is not configured.
    ExternalService(String),
    /// The database cannot write now. Nothing was written, and a retry may succeed.
    Unavailable(Box<dyn StdError + Send + Sync>),
    /// The database is unreachable now. A retry may succeed.
    Unreachable(Box<dyn StdError + Send + Sync>),
    /// Bug or unexpected failure of this server.
    Internal(Box<dyn StdError + Send + Sync>),
}

impl Error {
    /// Returns [`Error::Invalid`] with this message.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }

    /// Returns [`Error::Invalid`] for request parameters, with the prefix that clients know.
    pub fn validation(why: impl fmt::Display) -> Self {
        Self::Invalid(format!("Validation failed: {why}"))
    }

    /// Returns [`Error::Forbidden`] with this message.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::Forbidden(message.into())
    }

    /// Returns [`Error::Internal`] with this cause.
    pub fn internal(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("Record not found"),
            Self::Forbidden(message)
            | Self::Unauthenticated(message)
            | Self::Malformed(message)
            | Self::Invalid(message)
            | Self::Gone(message)
            | Self::Conflict(message)
            | Self::TooMany(message)
            | Self::ExternalService(message) => f.write_str(message),
            Self::InvalidFields(fields) => {
                f.write_str("Validation failed: ")?;
                for (position, field) in fields.iter().enumerate() {
                    let comma = if position == 0 { "" } else { ", " };
                    write!(f, "{comma}{field}")?;
                }
                Ok(())
            }
            Self::UnexpectedMentions(_) => f.write_str("Post would be sent to unexpected accounts"),
            Self::Unavailable(_) => f.write_str("The server cannot store this now, try again"),
            Self::Unreachable(_) => {
                f.write_str("The server cannot reach its storage now, try again")
            }
            Self::Internal(_) => f.write_str("An unexpected error occurred"),
        }
    }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect::<String>().replace('_', " ")
    })
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Internal(cause) | Self::Unavailable(cause) | Self::Unreachable(cause) => {
                Some(cause.as_ref())
            }
            _ => None,
        }
    }
}

impl From<siskin_persistence::Error> for Error {
    fn from(error: siskin_persistence::Error) -> Self {
        use siskin_persistence::Error as Storage;
        match error {
            Storage::NotFound => Self::NotFound,
            Storage::Pool(_) | Storage::Connect(_) | Storage::Disconnected(_) => {
                Self::Unreachable(Box::new(error))
            }
            Storage::Retry(_) | Storage::Lost(_) => Self::Unavailable(Box::new(error)),
            other => Self::internal(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_errors_form_one_sentence() {
        let field = |name, description: &str| Field {
            name,
            error: FieldError::Taken,
            description: description.to_owned(),
        };
        let error = Error::InvalidFields(vec![
            field("username", "is already taken"),
            field("email", "is already taken"),
        ]);
        assert_eq!(
            error.to_string(),
            "Validation failed: Username is already taken, Email is already taken"
        );
    }

    #[test]
    fn a_lost_write_and_an_unreachable_database_have_different_messages() {
        use siskin_persistence::Error as Storage;
        let lost = Error::from(Storage::Lost("COMMIT failed".to_owned()));
        assert_eq!(lost.to_string(), "The server cannot store this now, try again");
        let away = Error::from(Storage::Disconnected("shutting down".to_owned()));
        assert_eq!(away.to_string(), "The server cannot reach its storage now, try again");
    }

    #[test]
    fn the_cause_is_logged_but_not_displayed() {
        let error = Error::internal("disk on fire");
        assert_eq!(error.to_string(), "An unexpected error occurred");
        assert_eq!(error.source().unwrap().to_string(), "disk on fire");
    }
}
