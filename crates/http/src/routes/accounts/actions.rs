//! Actions on other accounts, except follow and unfollow: blocks, mutes, endorsements, private
//! notes and the removal of a follower.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::{WriteAccounts, WriteBlocks, WriteFollows, WriteMutes};
use siskin_services::relationships::{self, MuteOptions};
use siskin_wire::relationship::render;

use crate::{Authorized, Result, params::Form, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/accounts/{id}/block", web::post().to(block))
        .route("/api/v1/accounts/{id}/endorse", web::post().to(endorse))
        .route("/api/v1/accounts/{id}/mute", web::post().to(mute))
        .route("/api/v1/accounts/{id}/note", web::post().to(note))
        .route("/api/v1/accounts/{id}/pin", web::post().to(endorse))
        .route("/api/v1/accounts/{id}/remove_from_followers", web::post().to(remove_from_followers))
        .route("/api/v1/accounts/{id}/unblock", web::post().to(unblock))
        .route("/api/v1/accounts/{id}/unendorse", web::post().to(unendorse))
        .route("/api/v1/accounts/{id}/unmute", web::post().to(unmute))
        .route("/api/v1/accounts/{id}/unpin", web::post().to(unendorse));
}

#[derive(Debug, Deserialize)]
struct MuteParams {
    notifications: Option<bool>,
    duration: Option<i64>,
}

async fn mute(
    app: web::Data<App>,
    actor: Authorized<WriteMutes>,
    target: web::Path<String>,
    Form(MuteParams { notifications, duration }): Form<MuteParams>,
) -> Result<HttpResponse> {
    let options = MuteOptions { notifications, duration };
    let relationship =
        app.write(move |tx| relationships::mute(tx, actor.account, &target, options)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

async fn unmute(
    app: web::Data<App>,
    actor: Authorized<WriteMutes>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::unmute(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

async fn block(
    app: web::Data<App>,
    actor: Authorized<WriteBlocks>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::block(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

async fn unblock(
    app: web::Data<App>,
    actor: Authorized<WriteBlocks>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::unblock(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

/// Also serves the route `pin`, the former name of this action.
async fn endorse(
    app: web::Data<App>,
    actor: Authorized<WriteAccounts>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::endorse(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

/// Also serves the route `unpin`, the former name of this action.
async fn unendorse(
    app: web::Data<App>,
    actor: Authorized<WriteAccounts>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::unendorse(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

#[derive(Debug, Deserialize)]
struct NoteParams {
    #[serde(default)]
    comment: String,
}

async fn note(
    app: web::Data<App>,
    actor: Authorized<WriteAccounts>,
    target: web::Path<String>,
    Form(NoteParams { comment }): Form<NoteParams>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::note(tx, actor.account, &target, &comment)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

async fn remove_from_followers(
    app: web::Data<App>,
    actor: Authorized<WriteFollows>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::remove_follower(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}
