//! A page that asks for a confirmation before something that affects many, or cannot be undone.

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;

use crate::{
    Result,
    pages::{Frame, show},
};

/// What something happens to.
pub(super) struct Named {
    pub(super) words: String,
    /// Address of its page. `None` if it has none that the person can open.
    pub(super) page: Option<String>,
    /// The beginning of its text; may be empty.
    pub(super) text: String,
}

impl From<String> for Named {
    fn from(words: String) -> Self {
        Self { words, page: None, text: String::new() }
    }
}

/// A question with a form that repeats the request, with `confirmed`.
#[derive(Template)]
#[template(path = "staff_confirm.html")]
pub(super) struct Confirmation {
    /// Its title is the question.
    pub(super) frame: Frame,
    /// What will happen.
    pub(super) words: String,
    /// What it happens to; may be empty.
    pub(super) names: Vec<Named>,
    /// Path of the form.
    pub(super) action: String,
    /// Fields of the form.
    pub(super) fields: Vec<(&'static str, String)>,
    /// Text of the button.
    pub(super) button: String,
    /// Path of the page to return to.
    pub(super) back: String,
}

impl Confirmation {
    pub(super) fn show(&self) -> Result<HttpResponse> {
        show(StatusCode::OK, self)
    }
}
