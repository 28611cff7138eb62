//! The account of the caller, and the profile as its owner edits it.

use actix_web::{HttpResponse, web};
use siskin_app::App;
use siskin_ids::AccountId;
use siskin_policy::scopes::{ProfileOrReadAccounts, WriteAccounts};
use siskin_services::accounts::{
    self,
    profile::{self, PictureSlot},
};
use siskin_wire::{account::render_own, profile as wire_profile};

use super::profile_form::{self, ProfileForm};
use crate::{
    Authorized, Result,
    params::{Form, Params},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/accounts/update_credentials", web::patch().to(update))
        .route("/api/v1/accounts/verify_credentials", web::get().to(verify))
        .route("/api/v1/profile", web::get().to(profile))
        .route("/api/v1/profile", web::patch().to(update_profile))
        .route("/api/v1/profile/avatar", web::delete().to(remove_avatar))
        .route("/api/v1/profile/header", web::delete().to(remove_header));
}

async fn verify(
    app: web::Data<App>,
    person: Authorized<ProfileOrReadAccounts>,
) -> Result<HttpResponse> {
    own(&app, person.account).await
}

async fn update(
    app: web::Data<App>,
    person: Authorized<WriteAccounts>,
    params: Params,
    Form(form): Form<ProfileForm>,
) -> Result<HttpResponse> {
    profile_form::apply(&app, person.account, &params, form).await?;
    own(&app, person.account).await
}

async fn remove_avatar(
    app: web::Data<App>,
    person: Authorized<WriteAccounts>,
) -> Result<HttpResponse> {
    remove(&app, person.account, PictureSlot::Avatar).await
}

async fn remove_header(
    app: web::Data<App>,
    person: Authorized<WriteAccounts>,
) -> Result<HttpResponse> {
    remove(&app, person.account, PictureSlot::Header).await
}

async fn remove(app: &App, account: AccountId, slot: PictureSlot) -> Result<HttpResponse> {
    app.write(move |tx| profile::remove_picture(tx, account, slot)).await?;
    own(app, account).await
}

async fn own(app: &App, account: AccountId) -> Result<HttpResponse> {
    let (account, credentials) = app.read(move |conn| accounts::own(conn, account)).await?;
    Ok(HttpResponse::Ok().json(render_own(&account, &credentials, app.urls())))
}

async fn profile(
    app: web::Data<App>,
    person: Authorized<ProfileOrReadAccounts>,
) -> Result<HttpResponse> {
    let (account, _) = app.read(move |conn| accounts::own(conn, person.account)).await?;
    Ok(HttpResponse::Ok().json(wire_profile::render(&account, app.urls())))
}

async fn update_profile(
    app: web::Data<App>,
    person: Authorized<WriteAccounts>,
    params: Params,
    Form(form): Form<ProfileForm>,
) -> Result<HttpResponse> {
    let account = profile_form::apply(&app, person.account, &params, form).await?;
    Ok(HttpResponse::Ok().json(wire_profile::render(&account, app.urls())))
}
