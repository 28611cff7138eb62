//! Errors of forms, each shown next to the field that it is about.

use actix_web::{ResponseError as _, http::StatusCode};
use siskin_services::{Error as Domain, Field, FieldError};

use super::PageError;
use crate::Error;

/// How use cases and the API begin messages about wrong values.
const PREFIXES: [&str; 2] = ["Validation failed: ", "Invalid parameter: "];
const TOO_OFTEN: &str = "Too many attempts. Wait a while, then try again.";
/// Field of an error that is not about one field.
const WHOLE_FORM: &str = "";

/// An error that the page with the form shows, so that nothing has to be typed again.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// Status of the response.
    pub(crate) status: StatusCode,
    /// All sentences for the person, as one text.
    pub(crate) words: String,
    /// The same sentences. Each can be about another field.
    sentences: Vec<String>,
}

impl Problem {
    /// Returns a problem with the status of the response and the sentences for the person.
    pub(crate) fn new(status: StatusCode, sentences: Vec<String>) -> Self {
        Self { status, words: sentences.join(" "), sentences }
    }

    /// Returns the problem with the input.
    pub(crate) fn with_input(words: impl Into<String>) -> Self {
        Self::with_inputs(vec![words.into()])
    }

    /// Returns the problem with several inputs, in a sentence each.
    pub(crate) fn with_inputs(sentences: Vec<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, sentences)
    }

    /// Returns the sentences as problems of their own.
    pub(crate) fn each(&self) -> impl Iterator<Item = Self> {
        self.sentences.iter().map(|sentence| Self::new(self.status, vec![sentence.clone()]))
    }

    /// Returns the problem of an error of a use case.
    ///
    /// # Errors
    /// The page of the error, if the person cannot solve it in the form.
    pub(crate) fn of(error: impl Into<Error>) -> Result<Self, PageError> {
        Self::of_form(error, &[])
    }

    /// Returns the problem with sentences that name the labels of the form, as
    /// [`Problem::labelled`] does.
    ///
    /// # Errors
    /// As [`Problem::of`].
    pub(crate) fn of_form(
        error: impl Into<Error>,
        labels: &[(&str, &str)],
    ) -> Result<Self, PageError> {
        let error = error.into();
        let sentences = match error.domain() {
            Domain::Invalid(words) | Domain::Forbidden(words) | Domain::Conflict(words) => {
                vec![labelled(sentence(words), labels)]
            }
            Domain::InvalidFields(fields) => {
                said(fields).map(|field| labelled(format!("{field}."), labels)).collect()
            }
            Domain::TooMany(_) => vec![TOO_OFTEN.to_owned()],
            _ => return Err(error.into()),
        };
        Ok(Self::new(error.status_code(), sentences))
    }

    /// Returns `true` if the first sentence begins with the subject, regardless of upper and lower
    /// case.
    pub(crate) fn is_about(&self, subject: &str) -> bool {
        is_about(&self.words, subject)
    }

    /// Lets each sentence begin with the label of the field that it is about. `labels` has labels,
    /// each after a subject of sentences; the longest subject counts. A sentence that names the
    /// label anyway, perhaps after an article, stays as it is.
    pub(crate) fn labelled(self, labels: &[(&str, &str)]) -> Self {
        let sentences = self.sentences.into_iter().map(|words| labelled(words, labels));
        Self::new(self.status, sentences.collect())
    }
}

/// Returns the errors in fields that a person has to read. Each displays as a sentence.
pub(crate) fn said(fields: &[Field]) -> impl Iterator<Item = &Field> {
    fields.iter().filter(move |field| !follows_from_blank(field, fields))
}

/// Returns `true` for an error in the form of a field without a value: that it is blank says enough.
fn follows_from_blank(field: &Field, fields: &[Field]) -> bool {
    let is_blank = |other: &Field| other.name == field.name && other.error == FieldError::Blank;
    field.error == FieldError::Invalid && fields.iter().any(is_blank)
}

fn is_about(words: &str, subject: &str) -> bool {
    let (words, subject) = (words.to_lowercase(), subject.to_lowercase());
    words
        .strip_prefix(&subject)
        .is_some_and(|rest| rest == "." || rest.starts_with([' ', ':', ',']))
}

fn renamed(words: String, subject: &str, name: &str) -> String {
    match words.get(subject.len()..) {
        Some(rest) if is_about(&words, subject) => format!("{name}{rest}"),
        _ => words,
    }
}

fn labelled(words: String, labels: &[(&str, &str)]) -> String {
    let about = labels.iter().filter(|(subject, _)| is_about(&words, subject));
    match about.max_by_key(|(subject, _)| subject.len()) {
        Some((subject, label)) if !without_article(subject).eq_ignore_ascii_case(label) => {
            renamed(words, subject, label)
        }
        _ => words,
    }
}

fn without_article(subject: &str) -> &str {
    let is_article =
        |word: &str| ["a", "an", "the"].iter().any(|article| word.eq_ignore_ascii_case(article));
    match subject.split_once(' ') {
        Some((first, rest)) if is_article(first) => rest,
        _ => subject,
    }
}

fn sentence(words: &str) -> String {
    let words = PREFIXES.iter().find_map(|prefix| words.strip_prefix(prefix)).unwrap_or(words);
    let mut letters = words.trim_end_matches('.').chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// The problem of a form, if there is one, for a template that asks for it by field.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    problem: Option<Problem>,
    field: &'static str,
}

impl Problems {
    /// Converts the error of a use case. `fields` has the names of fields, each after the subject
    /// of the messages about it.
    ///
    /// # Errors
    /// The page of the error, if the person cannot solve it in the form.
    pub(crate) fn of(
        error: impl Into<Error>,
        fields: &[(&str, &'static str)],
    ) -> Result<Self, PageError> {
        let problem = Problem::of(error)?;
        let of_field = fields.iter().find(|(subject, _)| problem.is_about(subject));
        let field = of_field.map_or(WHOLE_FORM, |(_, field)| *field);
        Ok(Self { problem: Some(problem), field })
    }

    /// Lets the message name the label of its field, as [`Problem::labelled`] does.
    pub(crate) fn labelled(self, labels: &[(&str, &str)]) -> Self {
        Self { problem: self.problem.map(|problem| problem.labelled(labels)), ..self }
    }

    /// Returns the message about a field.
    pub(crate) fn at(&self, field: &str) -> Option<&str> {
        self.problem.as_ref().filter(|_| self.field == field).map(|problem| &*problem.words)
    }

    /// Returns the message that is not about one field.
    pub(crate) fn of_form(&self) -> Option<String> {
        self.at(WHOLE_FORM).map(str::to_owned)
    }

    /// Returns the status of the response.
    pub(crate) fn status(&self) -> StatusCode {
        self.problem.as_ref().map_or(StatusCode::OK, |problem| problem.status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_sentences() {
        let problem = Problem::of(Domain::validation("Text is too long")).unwrap();
        assert_eq!(problem.words, "Text is too long.");
        assert_eq!(problem.status, StatusCode::UNPROCESSABLE_ENTITY);
        let problem = Problem::of(Domain::invalid("Invalid parameter: ip must be an address"));
        assert_eq!(problem.unwrap().words, "Ip must be an address.");
        let refused = Problem::of(Domain::forbidden("This action is not allowed")).unwrap();
        assert_eq!(
            (refused.status.as_u16(), refused.words.as_str()),
            (403, "This action is not allowed.")
        );
        let too_often = Problem::of(Domain::TooMany("Too many requests".to_owned())).unwrap();
        assert_eq!((too_often.status.as_u16(), too_often.words.as_str()), (429, TOO_OFTEN));
        assert!(Problem::of(Domain::NotFound).is_err());
    }

    #[test]
    fn a_sentence_is_about_its_subject() {
        let is_about = |words: &str, subject: &str| Problem::with_input(words).is_about(subject);
        assert!(is_about("Domain can't be blank.", "domain"));
        assert!(is_about("private comment: too long.", "Private comment"));
        assert!(is_about("The code is wrong.", "The code is wrong"));
        assert!(!is_about("Domains differ.", "Domain"));
        assert!(!is_about("Domain.x differs.", "Domain"));
        assert!(!is_about("", "Domain"));
    }

    #[test]
    fn a_sentence_begins_with_another_name_of_its_subject() {
        let renamed = |words: &str| renamed(words.to_owned(), "max_bio", "Bio");
        assert_eq!(renamed("Max_bio must be a number."), "Bio must be a number.");
        for other in ["Max_bios must be numbers.", "Something else.", "é"] {
            assert_eq!(renamed(other), other);
        }
    }

    #[test]
    fn each_sentence_is_labelled_and_a_blank_field_is_only_blank() {
        let field = |name, error, why: &str| Field { name, error, description: why.to_owned() };
        let problem = |fields| Problem::of(Domain::InvalidFields(fields)).unwrap();
        let long = problem(vec![
            field("email", FieldError::TooLong, "is too long"),
            field("email", FieldError::Invalid, "is odd"),
        ]);
        let long = long.labelled(&[("Email", "Email address")]);
        assert_eq!(long.words, "Email address is too long. Email address is odd.");
        let each: Vec<String> = long.each().map(|problem| problem.words).collect();
        assert_eq!(each, ["Email address is too long.", "Email address is odd."]);
        let blank = problem(vec![
            field("email", FieldError::Blank, "can't be blank"),
            field("email", FieldError::Invalid, "is odd"),
            field("name", FieldError::Invalid, "is odd"),
        ]);
        assert_eq!(blank.words, "Email can't be blank. Name is odd.");
    }

    #[test]
    fn a_sentence_names_the_label_of_its_field() {
        let labels = [("Text", "Text to @bob"), ("The text", "Text"), ("Text of", "Other")];
        let labelled = |words: &str| Problem::with_input(words).labelled(&labels).words;
        assert_eq!(labelled("Text is too long."), "Text to @bob is too long.");
        assert_eq!(labelled("The text is too long."), "The text is too long.");
        assert_eq!(labelled("Text of a note is empty."), "Other a note is empty.");
        assert_eq!(labelled("Texts differ."), "Texts differ.");
        let field = |name, why: &str| Field {
            name,
            error: FieldError::Invalid,
            description: why.to_owned(),
        };
        let fields = vec![field("name", "is odd"), field("note", "is odd")];
        let problem = Problem::of_form(Domain::InvalidFields(fields), &[("Note", "About you")]);
        assert_eq!(problem.unwrap().words, "Name is odd. About you is odd.");
    }

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
