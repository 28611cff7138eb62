//! A page that tells one thing and leads on.

use actix_web::{HttpResponse, http::StatusCode};
use askama::Template;

use super::{Frame, show};
use crate::Result;

/// What is told, and the one way on.
#[derive(Debug, Template)]
#[template(path = "notice.html")]
pub(crate) struct Notice {
    pub(crate) frame: Frame,
    pub(crate) words: String,
    /// Where the link leads, on this server.
    pub(crate) path: &'static str,
    pub(crate) link: &'static str,
}

impl Notice {
    /// With the way to the sign-in page.
    pub(crate) fn then_sign_in(frame: Frame, words: impl Into<String>) -> Self {
        Self { frame, words: words.into(), path: "/auth/sign_in", link: "Sign in" }
    }

    pub(crate) fn show(&self) -> Result<HttpResponse> {
        show(StatusCode::OK, self)
    }
}
