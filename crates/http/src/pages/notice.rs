//! A page with a short message and one link.

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;

use super::{Frame, SIGN_IN, show};
use crate::{Result, browser::ReturnTo};

/// A message and one link.
#[derive(Debug, Template)]
#[template(path = "notice.html")]
pub(crate) struct Notice {
    pub(crate) frame: Frame,
    pub(crate) words: String,
    /// Target of the link, on this server.
    pub(crate) path: String,
    pub(crate) link: &'static str,
}

impl Notice {
    /// Builds a notice with a link to the sign-in page, which returns to `page`.
    pub(crate) fn then_sign_in(
        frame: Frame,
        words: impl Into<String>,
        page: Option<&ReturnTo>,
    ) -> Self {
        let path = ReturnTo::append_to(page, SIGN_IN);
        Self { frame, words: words.into(), path, link: "Sign in" }
    }

    pub(crate) fn show(&self) -> Result<HttpResponse> {
        self.show_with(StatusCode::OK)
    }

    /// Shows the notice with this status.
    pub(crate) fn show_with(&self, status: StatusCode) -> Result<HttpResponse> {
        show(status, self)
    }
}
