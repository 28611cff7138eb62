//! `/api/v1/emails`.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::Unscoped;
use siskin_services::{
    accounts::email::{self, NewEmail, Resend},
    authentication::UserState,
    sign_up_blocks::MailServers,
};
use siskin_wire::empty::Empty;

use crate::{
    AnyToken, Result, address,
    limits::{self, Budget, Subject},
    params::Form,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/emails/confirmations", web::post().to(resend));
}

#[derive(Debug, Deserialize)]
struct ResendForm {
    email: Option<String>,
}

/// Sends the confirmation email again. Works for unconfirmed accounts, which every other operation
/// refuses.
async fn resend(
    app: web::Data<App>,
    token: AnyToken<Unscoped>,
    request: HttpRequest,
    Form(form): Form<ResendForm>,
) -> Result<HttpResponse> {
    let (user, application) = (token.user()?, token.caller.application);
    if user.state == UserState::Disabled {
        user.state.require_active()?;
    }
    let email = form.email.filter(|email| !email.trim().is_empty());
    let email = email.map(|email| NewEmail::parse(&email)).transpose()?;
    limits::spend(&request, Budget::Mail, Subject::address(address::of(&request)))?;
    limits::spend(&request, Budget::Mail, Subject::Account(user.account))?;
    let mail_servers = match &email {
        Some(email) => app.mail_servers(email.as_str()).await?,
        None => MailServers::default(),
    };
    let address = match &email {
        Some(email) => email.as_str().to_owned(),
        None => app.read(move |conn| email::address(conn, user.account)).await?,
    };
    let sends_email = limits::spend_mail_to(&request, &address)?;
    let resend = Resend { application, email, mail_servers, sends_email };
    app.write(move |tx| email::resend(tx, user.account, &resend)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
