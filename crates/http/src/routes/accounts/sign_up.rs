//! `POST /api/v1/accounts`.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_persistence::Conn;
use siskin_policy::{scopes::WriteAccounts, sign_up::Way};
use siskin_services::accounts::sign_up::{self, SignUp};
use siskin_wire::oauth::render_token;

use crate::{
    AnyToken, Result, address, hashing,
    limits::{self, Budget, Subject},
    params::Form,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/accounts", web::post().to(create));
}

/// Parameters of a new account. Absent ones are refused as blank, together with the other errors of
/// the form.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NewAccount {
    username: String,
    email: String,
    password: String,
    agreement: bool,
    locale: Option<String>,
    reason: Option<String>,
    invite_code: Option<String>,
}

async fn create(
    app: web::Data<App>,
    token: AnyToken<WriteAccounts>,
    request: HttpRequest,
    Form(form): Form<NewAccount>,
) -> Result<HttpResponse> {
    let settings = app.settings();
    if form.invite_code.is_none() {
        sign_up::require_open(&settings)?;
    }
    let (address, now) = (address::of(&request), app.now());
    limits::spend(&request, Budget::SignUp, Subject::address(address))?;
    let caller = token.caller;
    if let Some(user) = &caller.user {
        user.state.require_active()?;
    }
    let application = caller.application;
    let (invite_code, known) = (form.invite_code, Arc::clone(&settings));
    let read = move |conn: &mut Conn| {
        let admission =
            sign_up::admit(conn, &known, Way::Form, address, invite_code.as_deref(), now)?;
        Ok((admission, sign_up::scopes(conn, &caller)?))
    };
    let (admission, scopes) = app.read(read).await?;
    let request_params = SignUp {
        username: form.username,
        email: form.email,
        password: Some(form.password),
        person: None,
        arrived_at: None,
        agreement: form.agreement,
        locale: form.locale,
        reason: form.reason,
        ip: Some(address.to_string()),
        application,
        scopes,
        return_to: None,
    };
    let instance = app.instance().clone();
    let prepare = move || sign_up::prepare(&instance, &settings, admission, request_params);
    let prepared = limits::spend_mail_of(&request, hashing::run(prepare).await?)?;
    let mail_servers = app.mail_servers(prepared.email()).await?;
    let issued = app.write(move |tx| sign_up::apply(tx, &prepared, &mail_servers)).await??;
    Ok(HttpResponse::Ok().json(render_token(&issued.token, &issued.scopes, issued.created_at)))
}
