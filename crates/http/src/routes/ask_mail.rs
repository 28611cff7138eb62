//! The form by which somebody asks for a mail to an address, on several pages.

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, http::StatusCode};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_services::{
    Error as Domain,
    accounts::{email::NewEmail, email_key},
};

use super::auth;
use crate::{
    Result, address,
    browser::{Browser, Posted},
    limits::{self, Budget, Subject},
    pages::{Frame, PageError, show},
};

const TOO_OFTEN: &str = "Too many mails were asked for. Wait half an hour, then try again.";

/// The form with what surrounds it.
pub(super) struct AskMail {
    pub(super) title: &'static str,
    pub(super) words: &'static str,
    pub(super) action: &'static str,
    pub(super) problem: Option<String>,
    pub(super) email: String,
}

#[derive(Template)]
#[template(path = "ask_mail.html")]
struct Page<'a> {
    frame: Frame,
    words: &'a str,
    action: &'a str,
    problem: Option<&'a str>,
    email: &'a str,
}

impl AskMail {
    pub(super) fn show(
        &self,
        request: &HttpRequest,
        app: &App,
        browser: &Browser,
        status: StatusCode,
    ) -> Result<HttpResponse, PageError> {
        let page = Page {
            frame: Frame::of(app, browser, self.title),
            words: self.words,
            action: self.action,
            problem: self.problem.as_deref(),
            email: &self.email,
        };
        auth::with_visitor(request, browser, show(status, &page)?)
    }
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    email: String,
}

/// The address that was asked for, counted for whoever asks and for the mailbox; or the status and
/// the problem to show, with what was typed.
pub(super) fn asked_for_mail(
    request: &HttpRequest,
    posted: &Posted,
) -> Result<Result<String, (StatusCode, String, String)>, PageError> {
    let Asked { email } = posted.decode()?;
    if let Err(error) = NewEmail::parse(&email) {
        let status = crate::Error::from(error).status_code();
        return Ok(Err((status, "This is no e-mail address.".to_owned(), email)));
    }
    let asker = Subject::address(address::of(request));
    for subject in [asker, Subject::Mailbox(email_key(&email))] {
        if let Err(error) = limits::spend(request, Budget::Mail, subject) {
            return match error.domain() {
                Domain::TooMany(_) => Ok(Err((error.status_code(), TOO_OFTEN.to_owned(), email))),
                _ => Err(error.into()),
            };
        }
    }
    Ok(Ok(email))
}
