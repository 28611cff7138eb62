//! `/api/v1/apps`: registers client applications and tells an application about itself.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::Unscoped;
use siskin_services::{
    Error as Domain,
    applications::{self, Registration},
    vapid,
};
use siskin_wire::application;

use crate::{
    AnyToken, Result, address,
    limits::{self, Budget, Subject},
    params::Form,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/apps", web::post().to(register))
        .route("/api/v1/apps/verify_credentials", web::get().to(verify_credentials));
}

#[derive(Deserialize)]
struct RegistrationForm {
    #[serde(default)]
    client_name: String,
    #[serde(default)]
    redirect_uris: Vec<String>,
    #[serde(default)]
    scopes: Vec<String>,
    website: Option<String>,
}

impl From<RegistrationForm> for Registration {
    fn from(form: RegistrationForm) -> Self {
        Self {
            name: form.client_name,
            redirect_uris: form.redirect_uris,
            scopes: Some(form.scopes.join(" ")),
            website: form.website,
        }
    }
}

/// Registers an application. Counts for the address: this needs no account, and inserts a row.
async fn register(
    app: web::Data<App>,
    request: HttpRequest,
    Form(form): Form<RegistrationForm>,
) -> Result<HttpResponse> {
    limits::spend(&request, Budget::Register, Subject::address(address::of(&request)))?;
    let prepared = applications::prepare(&form.into())?;
    let registered = app
        .write(move |tx| Ok((applications::register(tx, &prepared)?, vapid::ensure(tx)?)))
        .await?;
    let (registered, vapid_key) = registered;
    Ok(HttpResponse::Ok().json(application::render_registered(
        &registered.application,
        &registered.client_secret,
        &vapid_key,
    )))
}

async fn verify_credentials(
    app: web::Data<App>,
    token: AnyToken<Unscoped>,
) -> Result<HttpResponse> {
    // A token may exist without an application.
    let id = token.caller.application.ok_or(Domain::NotFound)?;
    let (application, vapid_key) =
        app.read(move |conn| Ok((applications::find(conn, id)?, vapid::public_key(conn)?))).await?;
    let vapid_key = match vapid_key {
        Some(vapid_key) => vapid_key,
        None => app.write(vapid::ensure).await?,
    };
    Ok(HttpResponse::Ok().json(application::render(&application, &vapid_key)))
}
