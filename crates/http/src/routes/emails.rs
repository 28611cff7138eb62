//! `/api/v1/emails`.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::Unscoped;
use siskin_services::{
    accounts::email::{self, NewEmail},
    authentication::UserState,
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
struct Resend {
    email: Option<String>,
}

/// Sends the confirmation email again. Works for unconfirmed accounts, which every other operation
/// refuses.
async fn resend(
    app: web::Data<App>,
    token: AnyToken<Unscoped>,
    request: HttpRequest,
    Form(form): Form<Resend>,
) -> Result<HttpResponse> {
    let (user, application) = (token.user()?, token.caller.application);
    if user.state == UserState::Disabled {
        user.state.require_active()?;
    }
    let email = form.email.filter(|email| !email.trim().is_empty());
    let email = email.map(|email| NewEmail::parse(&email)).transpose()?;
    limits::spend(&request, Budget::Mail, Subject::address(address::of(&request)))?;
    limits::spend(&request, Budget::Mail, Subject::Account(user.account))?;
    app.write(move |tx| email::resend(tx, user.account, application, email.as_ref())).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
