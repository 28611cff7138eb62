//! `/auth/confirmation`: confirmation of email addresses.

use actix_web::{HttpRequest, HttpResponse, ResponseError as _, http::StatusCode, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_persistence::Conn;
use siskin_services::{
    Error as Domain, FieldError,
    accounts::email::{self, Confirmed},
    sign_up_blocks::MailServers,
};

use super::email_request::EmailRequestPage;
use crate::{
    Error, Result,
    browser::{Browser, Posted, ReturnTo, ReturnToParams},
    pages::{Frame, Notice, PageError, PageForm, go_to},
    table::Table,
};

const RESEND: &str = "/auth/confirmation/new";

pub(super) fn configure(table: &mut Table) {
    table
        .route("/auth/confirmation", web::get().to(confirm))
        .route(RESEND, web::get().to(show_form))
        .route(RESEND, web::post().to(send));
}

#[derive(Deserialize)]
struct ConfirmationParams {
    confirmation_token: Option<String>,
}

/// Opens the link in the email. Opening it is enough, because the link proves no more than that the
/// recipient reads the mailbox.
async fn confirm(
    app: web::Data<App>,
    browser: Browser,
    PageForm(params): PageForm<ConfirmationParams>,
) -> Result<HttpResponse, PageError> {
    let Some(token) = params.confirmation_token.filter(|token| !token.is_empty()) else {
        return Ok(go_to(&app.urls().page(RESEND)));
    };
    let mail_servers = mail_servers(&app, token.clone()).await?;
    let confirmed = app
        .write(move |tx| email::confirm(tx, &token, &mail_servers))
        .await
        .map_err(confirmation_error)?;
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

/// Returns the mail servers of the new address that a link would confirm.
async fn mail_servers(app: &App, token: String) -> Result<MailServers> {
    let now = app.now();
    let read = move |conn: &mut Conn| email::address_to_confirm(conn, &token, now);
    match app.read(read).await? {
        Some(address) => Ok(app.mail_servers(&address).await?),
        None => Ok(MailServers::default()),
    }
}

fn words(confirmed: &Confirmed) -> String {
    let name = &confirmed.username;
    if confirmed.pending_approval {
        format!(
            "Thank you, @{name}. You can sign in as soon as the staff has approved your account. \
             You will get an email about it."
        )
    } else {
        format!("Thank you, @{name}. You can sign in, or go back to the app you came from.")
    }
}

fn confirmation_error(error: Domain) -> PageError {
    match error {
        Domain::NotFound => PageError::with_message(
            StatusCode::NOT_FOUND,
            "This link is no longer valid",
            "It was already used or has expired. If you cannot sign in yet, request a new link.",
        ),
        Domain::InvalidFields(fields) => {
            let is_blocked = fields.iter().any(|field| field.error == FieldError::Blocked);
            let status = Error::from(Domain::invalid("")).status_code();
            PageError::with_message(
                status,
                "This address cannot be confirmed",
                if is_blocked {
                    "This address is not allowed on this server."
                } else {
                    "Another account now uses this address."
                },
            )
        }
        other => other.into(),
    }
}

const EMAIL_REQUEST: EmailRequestPage = EmailRequestPage {
    title: "Confirm your email address",
    words: "If the confirmation email did not arrive, we can send another one.",
    action: RESEND,
    send: email::resend_confirmation,
    sent: "If an account with this address awaits confirmation, we have sent it an email with a \
           link.",
};

async fn show_form(
    request: HttpRequest,
    app: web::Data<App>,
    browser: Browser,
    PageForm(params): PageForm<ReturnToParams>,
) -> Result<HttpResponse, PageError> {
    EMAIL_REQUEST.show_form(&request, &app, &browser, &params)
}

async fn send(
    request: HttpRequest,
    app: web::Data<App>,
    posted: Posted,
) -> Result<HttpResponse, PageError> {
    EMAIL_REQUEST.submit(&request, &app, &posted).await
}
