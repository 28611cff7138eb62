//! Errors of forms, each shown next to the field that it is about.

use actix_web::{ResponseError as _, http::StatusCode};
use siskin_services::Error as Domain;

use super::PageError;
use crate::Error;

/// How use cases begin messages about wrong values.
const PREFIX: &str = "Validation failed: ";
const TOO_OFTEN: &str = "Too many attempts. Wait a while, then try again.";
/// Field of an error that is not about one field.
const WHOLE_FORM: &str = "";

/// The error of a form, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Problems(Option<Problem>);

#[derive(Debug)]
struct Problem {
    status: StatusCode,
    field: &'static str,
    words: String,
}

impl Problems {
    /// Converts the error of a use case. `fields` has the names of fields, each after the beginning
    /// of the messages about it.
    ///
    /// # Errors
    /// The page of the error, if the person cannot solve it in the form.
    pub(crate) fn of(
        error: impl Into<Error>,
        fields: &[(&str, &'static str)],
    ) -> Result<Self, PageError> {
        let error = error.into();
        let words = match error.domain() {
            Domain::Invalid(words) | Domain::Forbidden(words) | Domain::Conflict(words) => {
                words.clone()
            }
            Domain::TooMany(_) => TOO_OFTEN.to_owned(),
            _ => return Err(error.into()),
        };
        let words = words.strip_prefix(PREFIX).unwrap_or(&words);
        let of_field = fields.iter().find(|(beginning, _)| words.starts_with(beginning));
        let field = of_field.map_or(WHOLE_FORM, |(_, field)| *field);
        let words = format!("{}.", words.trim_end_matches('.'));
        Ok(Self(Some(Problem { status: error.status_code(), field, words })))
    }

    /// Returns the message about a field.
    pub(crate) fn at(&self, field: &str) -> Option<&str> {
        self.0.as_ref().filter(|problem| problem.field == field).map(|problem| &*problem.words)
    }

    /// Returns the message that is not about one field.
    pub(crate) fn of_form(&self) -> Option<String> {
        self.at(WHOLE_FORM).map(str::to_owned)
    }

    /// Returns the status of the response.
    pub(crate) fn status(&self) -> StatusCode {
        self.0.as_ref().map_or(StatusCode::OK, |problem| problem.status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_shown_at_its_field() {
        let fields = [("Title", "title"), ("Keyword", "keywords")];
        let of = |error| Problems::of(error, &fields).unwrap();
        let problems = of(Domain::validation("Title can't be blank"));
        assert_eq!(problems.at("title"), Some("Title can't be blank."));
        assert_eq!((problems.at("keywords"), problems.of_form()), (None, None));
        assert_eq!(problems.status(), StatusCode::UNPROCESSABLE_ENTITY);
        let problems = of(Domain::forbidden("It is too late"));
        assert_eq!(problems.of_form().as_deref(), Some("It is too late."));
        assert_eq!(problems.status(), StatusCode::FORBIDDEN);
        assert!(Problems::of(Domain::NotFound, &fields).is_err());
        assert_eq!(Problems::default().status(), StatusCode::OK);
    }
}
