//! The form by which somebody asks for a mail to an address, on several pages.

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, http::StatusCode};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_persistence::Tx;
use siskin_services::{
    Error as Domain,
    accounts::{email::NewEmail, email_key},
};

use super::auth;
use crate::{
    Result, address,
    browser::{Browser, Posted},
    limits::{self, Budget, Subject},
    pages::{Frame, Notice, PageError, show},
};

const TOO_OFTEN: &str = "Too many mails were asked for. Wait half an hour, then try again.";

/// The form with what surrounds it, and what becomes of an address that is sent.
#[derive(Clone, Copy)]
pub(super) struct AskMail {
    pub(super) title: &'static str,
    pub(super) words: &'static str,
    pub(super) action: &'static str,
    /// Does the same for all addresses.
    pub(super) send: fn(&mut Tx<'_>, &str) -> Result<(), Domain>,
    /// What is said then, whoever has the address, if anybody.
    pub(super) sent: &'static str,
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
    pub(super) fn ask(
        &self,
        request: &HttpRequest,
        app: &App,
        browser: &Browser,
    ) -> Result<HttpResponse, PageError> {
        self.show(request, app, browser, StatusCode::OK, None, "")
    }

    pub(super) async fn answer(
        &self,
        request: &HttpRequest,
        app: &App,
        posted: &Posted,
    ) -> Result<HttpResponse, PageError> {
        let address = match asked_for_mail(request, posted)? {
            Ok(address) => address,
            Err((status, problem, typed)) => {
                return self.show(request, app, &posted.browser, status, Some(problem), &typed);
            }
        };
        let send = self.send;
        app.write(move |tx| send(tx, &address)).await?;
        let frame = Frame::of(app, &posted.browser, "Look into your mail");
        Ok(Notice::then_sign_in(frame, self.sent).show()?)
    }

    fn show(
        &self,
        request: &HttpRequest,
        app: &App,
        browser: &Browser,
        status: StatusCode,
        problem: Option<&str>,
        email: &str,
    ) -> Result<HttpResponse, PageError> {
        let page = Page {
            frame: Frame::of(app, browser, self.title),
            words: self.words,
            action: self.action,
            problem,
            email,
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
fn asked_for_mail(
    request: &HttpRequest,
    posted: &Posted,
) -> Result<Result<String, (StatusCode, &'static str, String)>, PageError> {
    let Asked { email } = posted.decode()?;
    if let Err(error) = NewEmail::parse(&email) {
        let status = crate::Error::from(error).status_code();
        return Ok(Err((status, "This is no e-mail address.", email)));
    }
    let asker = Subject::address(address::of(request));
    for subject in [asker, Subject::Mailbox(email_key(&email))] {
        if let Err(error) = limits::spend(request, Budget::Mail, subject) {
            return match error.domain() {
                Domain::TooMany(_) => Ok(Err((error.status_code(), TOO_OFTEN, email))),
                _ => Err(error.into()),
            };
        }
    }
    Ok(Ok(email))
}
