//! Actions on other accounts, except follow and unfollow: blocks, mutes, endorsements, private
//! notes and the removal of a follower.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::{WriteAccounts, WriteBlocks, WriteFollows, WriteMutes};
use siskin_services::relationships::{self, MuteOptions};
use siskin_wire::relationship::render;

use crate::{Authorized, Result, params::Form};

#[derive(Debug, Deserialize)]
pub(super) struct MuteParams {
    notifications: Option<bool>,
    duration: Option<i64>,
}

pub(super) async fn mute(
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

pub(super) async fn unmute(
    app: web::Data<App>,
    actor: Authorized<WriteMutes>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::unmute(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

pub(super) async fn block(
    app: web::Data<App>,
    actor: Authorized<WriteBlocks>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::block(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

pub(super) async fn unblock(
    app: web::Data<App>,
    actor: Authorized<WriteBlocks>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::unblock(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

/// Also serves the route `pin`, the former name of this action.
pub(super) async fn endorse(
    app: web::Data<App>,
    actor: Authorized<WriteAccounts>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::endorse(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

/// Also serves the route `unpin`, the former name of this action.
pub(super) async fn unendorse(
    app: web::Data<App>,
    actor: Authorized<WriteAccounts>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::unendorse(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

#[derive(Debug, Deserialize)]
pub(super) struct NoteParams {
    #[serde(default)]
    comment: String,
}

pub(super) async fn note(
    app: web::Data<App>,
    actor: Authorized<WriteAccounts>,
    target: web::Path<String>,
    Form(NoteParams { comment }): Form<NoteParams>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::note(tx, actor.account, &target, &comment)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

pub(super) async fn remove_from_followers(
    app: web::Data<App>,
    actor: Authorized<WriteFollows>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::remove_follower(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}
