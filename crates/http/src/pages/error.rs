//! Errors of pages, shown as pages.

use std::fmt;

use actix_web::{
    HttpRequest, HttpResponse, ResponseError, cookie::Cookie, http::StatusCode, web::Data,
};
use askama::Template;
use siskin_app::App;
use siskin_services::Error as Domain;

use super::{Frame, SIGN_IN, WayBack, go_to, show};
use crate::{Error, browser::ReturnTo, params};

const SECOND_FACTOR: &str = "/settings/second-factor";

/// A page that cannot be shown.
#[derive(Debug)]
pub(crate) enum PageError {
    /// The person must sign in first.
    SignInFirst {
        /// Address of the sign-in page.
        location: String,
        /// Cookie that lets the browser remember the page to return to.
        remember: Option<Box<Cookie<'static>>>,
    },
    /// The person must set up a second factor first, at this address.
    SetUpFirst { location: String },
    /// An error in the request, in words for the person.
    Message { status: StatusCode, title: &'static str, words: String },
    /// An error of a use case, as anywhere else.
    Failed(Error),
}

impl PageError {
    /// Redirects to the sign-in page, which returns to the page that `request` asks for.
    pub(crate) fn sign_in_first(request: &HttpRequest) -> Self {
        let urls = request.app_data::<Data<App>>().map(|app| app.urls());
        let page = ReturnTo::of(request);
        // Clients expect exactly this address, so a cookie carries the page if it can.
        let cookie = page.as_ref().zip(urls).and_then(|(page, urls)| page.cookie(request, urls));
        let in_query = page.as_ref().filter(|_| cookie.is_none());
        let path = ReturnTo::append_to(in_query, SIGN_IN);
        let location = urls.map_or_else(|| path.clone(), |urls| urls.page(&path));
        Self::SignInFirst { location, remember: cookie.map(Box::new) }
    }

    /// Redirects to the page that sets up a second factor, and from there to the page that `request`
    /// asks for.
    pub(crate) fn set_up_first(request: &HttpRequest) -> Self {
        let urls = request.app_data::<Data<App>>().map(|app| app.urls());
        let path = ReturnTo::append_to(ReturnTo::of(request).as_ref(), SECOND_FACTOR);
        Self::SetUpFirst { location: urls.map_or_else(|| path.clone(), |urls| urls.page(&path)) }
    }

    /// Builds an error page with this status, title and text.
    pub(crate) fn with_message(
        status: StatusCode,
        title: &'static str,
        words: impl Into<String>,
    ) -> Self {
        Self::Message { status, title, words: words.into() }
    }

    /// Builds the error for a form that was not sent from a page of this server, or from one that
    /// is too old.
    pub(crate) fn forged() -> Self {
        Self::with_message(
            StatusCode::FORBIDDEN,
            "This form has expired",
            "The form was open for too long, or your browser blocks cookies. Go back, reload the \
             page and try again.",
        )
    }

    /// Builds the error for a request that cannot be decoded.
    pub(crate) fn unreadable(error: &params::Error) -> Self {
        Self::with_message(error.status(), "This request cannot be read", error.to_string())
    }
}

impl<E: Into<Error>> From<E> for PageError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SignInFirst { .. } => f.write_str("sign-in is needed"),
            Self::SetUpFirst { .. } => f.write_str("a second factor is needed"),
            Self::Message { words, .. } => f.write_str(words),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl ResponseError for PageError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::SignInFirst { .. } | Self::SetUpFirst { .. } => StatusCode::FOUND,
            Self::Message { status, .. } => *status,
            Self::Failed(error) => error.status_code(),
        }
    }

    fn error_response(&self) -> HttpResponse {
        match self {
            Self::SignInFirst { location, remember } => {
                let mut response = go_to(location);
                if let Some(cookie) = remember {
                    // A cookie that does not fit into a header is dropped.
                    let _ = response.add_cookie(cookie);
                }
                response
            }
            Self::SetUpFirst { location } => go_to(location),
            Self::Message { status, title, words } => page(*status, title, words),
            Self::Failed(error) => render_error(error),
        }
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    frame: Frame,
    words: &'a str,
    back: Option<WayBack>,
}

fn page(status: StatusCode, title: &str, words: &str) -> HttpResponse {
    show(status, &ErrorPage { frame: Frame::bare(title), words, back: WayBack::current() })
        .unwrap_or_else(|error| error.error_response())
}

/// Renders an error page in place of the JSON of `error`.
pub(crate) fn render_error(error: &Error) -> HttpResponse {
    let status = error.status_code();
    let (title, words) = match error.domain() {
        Domain::NotFound => ("There is nothing here", "The page may have been removed.".to_owned()),
        Domain::Gone(reason) => ("There is nothing here any more", format!("{reason}.")),
        Domain::TooMany(_) => {
            ("Too many requests", "Wait a few minutes, then try again.".to_owned())
        }
        Domain::Internal(_) | Domain::Unavailable(_) | Domain::Unreachable(_) => {
            ("Something went wrong here", error.logged())
        }
        other => ("This cannot be done", other.to_string()),
    };
    page(status, title, &words)
}
