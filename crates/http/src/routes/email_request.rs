//! The form that requests an email to an address, used on several pages.

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, http::StatusCode};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_persistence::Tx;
use siskin_services::{Error as Domain, accounts::email::NewEmail};

use super::auth;
use crate::{
    Result, address,
    browser::{Browser, Posted, ReturnTo, ReturnToParams},
    limits::{self, Budget, Subject},
    pages::{Frame, Notice, PageError, show},
};

const TOO_OFTEN: &str = "Too many emails were requested. Wait half an hour, then try again.";

/// The texts around the form, and the action for a submitted address.
#[derive(Clone, Copy)]
pub(super) struct EmailRequestPage {
    pub(super) title: &'static str,
    pub(super) words: &'static str,
    pub(super) action: &'static str,
    /// Sends the email. It does the same for all addresses. The last argument is the page to return
    /// to.
    pub(super) send: fn(&mut Tx<'_>, &str, Option<String>) -> Result<(), Domain>,
    /// Message after the form was sent. It is the same for every address, so that it does not
    /// reveal whether an account has it.
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
    return_to: Option<&'a ReturnTo>,
}

impl EmailRequestPage {
    pub(super) fn show_form(
        &self,
        request: &HttpRequest,
        app: &App,
        browser: &Browser,
        params: &ReturnToParams,
    ) -> Result<HttpResponse, PageError> {
        let return_to = params.page_or_remembered(request);
        let page = self.page(app, browser, return_to.as_ref());
        auth::with_visitor(request, browser, show(StatusCode::OK, &page)?)
    }

    pub(super) async fn submit(
        &self,
        request: &HttpRequest,
        app: &App,
        posted: &Posted,
    ) -> Result<HttpResponse, PageError> {
        if app.mail().is_none() {
            // The form was open before email was switched off, or was made by hand.
            let status = StatusCode::SERVICE_UNAVAILABLE;
            let page = self.page(app, &posted.browser, None);
            return auth::with_visitor(request, &posted.browser, show(status, &page)?);
        }
        let return_to = posted.decode::<ReturnToParams>()?.page();
        let address = match submitted_address(request, posted)? {
            Ok(address) => address,
            Err((status, problem, typed)) => {
                let page = self.page(app, &posted.browser, return_to.as_ref());
                let page = Page { problem: Some(problem), email: &typed, ..page };
                return auth::with_visitor(request, &posted.browser, show(status, &page)?);
            }
        };
        // A mailbox that has used up its emails gets no more, and the response is the same: it must
        // not reveal what others requested.
        if limits::spend_mail_to(request, &address)? {
            let (send, page) = (self.send, return_to.clone().map(ReturnTo::into_text));
            app.write(move |tx| send(tx, &address, page.clone())).await?;
        }
        let frame = Frame::of(app, &posted.browser, "Check your email");
        Ok(Notice::then_sign_in(frame, self.sent, return_to.as_ref()).show()?)
    }

    fn page<'a>(&self, app: &App, browser: &Browser, return_to: Option<&'a ReturnTo>) -> Page<'a> {
        Page {
            frame: Frame::of(app, browser, self.title),
            words: self.words,
            action: self.action,
            problem: None,
            email: "",
            return_to,
        }
    }
}

#[derive(Deserialize)]
struct EmailParams {
    #[serde(default)]
    email: String,
}

/// Returns the submitted address, counted for the address of the client. An invalid one gives the
/// status and the problem to show, with the text that was typed.
fn submitted_address(
    request: &HttpRequest,
    posted: &Posted,
) -> Result<Result<String, (StatusCode, &'static str, String)>, PageError> {
    let EmailParams { email } = posted.decode()?;
    if let Err(error) = NewEmail::parse(&email) {
        let status = crate::Error::from(error).status_code();
        return Ok(Err((status, "This is not a valid email address.", email)));
    }
    let client = Subject::address(address::of(request));
    match limits::spend(request, Budget::Mail, client) {
        Ok(()) => Ok(Ok(email)),
        Err(error) if matches!(error.domain(), Domain::TooMany(_)) => {
            Ok(Err((error.status_code(), TOO_OFTEN, email)))
        }
        Err(error) => Err(error.into()),
    }
}
