//! `/auth/confirmation`: confirmation of email addresses.

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, http::StatusCode, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_services::{
    Error as Domain,
    accounts::email::{self, Confirmed},
};

use super::ask_mail::AskMail;
use crate::{
    Error, Result,
    browser::{Browser, Onward, Posted, ReturnTo},
    pages::{Frame, Notice, PageError, PageForm, go_to},
    table::Table,
};

const AGAIN: &str = "/auth/confirmation/new";

pub(super) fn configure(table: &mut Table) {
    table
        .route("/auth/confirmation", web::get().to(confirm))
        .route(AGAIN, web::get().to(ask))
        .route(AGAIN, web::post().to(send));
}

#[derive(Deserialize)]
struct Opened {
    confirmation_token: Option<String>,
}

/// Opens the link in the email. Opening it is enough, because the link proves no more than that the
/// recipient reads the mailbox.
async fn confirm(
    app: web::Data<App>,
    browser: Browser,
    PageForm(opened): PageForm<Opened>,
) -> Result<HttpResponse, PageError> {
    let Some(token) = opened.confirmation_token.filter(|token| !token.is_empty()) else {
        return Ok(go_to(&app.urls().page(AGAIN)));
    };
    let confirmed = app.write(move |tx| email::confirm(tx, &token)).await.map_err(explained)?;
    let mut frame = Frame::of(&app, &browser, "Your email address is confirmed");
    let words = words(&confirmed);
    if browser.signed_in.is_some() {
        let notice = Notice {
            frame,
            words,
            path: "/settings/account".to_owned(),
            link: "Back to your account",
        };
        return Ok(notice.show()?);
    }
    frame.forgery_token.clear();
    let return_to = confirmed.return_to.as_deref().and_then(ReturnTo::parse);
    Ok(Notice::then_sign_in(frame, words, return_to.as_ref()).show()?)
}

fn words(confirmed: &Confirmed) -> String {
    let name = &confirmed.username;
    if confirmed.waits {
        format!(
            "Thank you, @{name}. You can sign in as soon as the staff has approved your account."
        )
    } else {
        format!("Thank you, @{name}. You can sign in, or go back to the app you came from.")
    }
}

fn explained(error: Domain) -> PageError {
    match error {
        Domain::NotFound => PageError::told(
            StatusCode::NOT_FOUND,
            "This link is no longer valid",
            "It was already used or has expired. If you cannot sign in yet, request a new link.",
        ),
        Domain::InvalidFields(_) => {
            let status = Error::from(Domain::invalid("")).status_code();
            PageError::told(
                status,
                "This address cannot be confirmed",
                "Another account now uses this address.",
            )
        }
        other => other.into(),
    }
}

const ASK: AskMail = AskMail {
    title: "Confirm your email address",
    words: "If the confirmation email did not arrive, we can send another one.",
    action: AGAIN,
    send: email::confirm_again,
    sent: "If an account with this address awaits confirmation, we have sent it an email with a \
           link.",
};

async fn ask(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
    PageForm(onward): PageForm<Onward>,
) -> Result<HttpResponse, PageError> {
    ASK.ask(&request, &app, &browser, &onward)
}

async fn send(
    request: HttpRequest,
    app: web::Data<App>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    ASK.answer(&request, &app, &posted).await
}
