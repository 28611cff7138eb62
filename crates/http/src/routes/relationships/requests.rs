//! Follow requests, and follows by handle.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::relationship::FollowOptions;
use siskin_policy::{
    limits::ACCOUNT_PAGE,
    scopes::{ReadFollows, WriteFollows},
};
use siskin_services::{accounts, relationships};
use siskin_wire::{account, relationship::render};

use crate::{Authorized, Result, account_responses, paging::PageQuery, params::Form};

pub(super) async fn list(
    app: web::Data<App>,
    owner: Authorized<ReadFollows>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (page_request, now) = (page.request(ACCOUNT_PAGE)?, app.now());
    let page = app
        .read(move |conn| relationships::requests(conn, owner.account, now, page_request))
        .await?;
    Ok(account_responses::accounts(&app, &request, &page))
}

pub(super) async fn authorize(
    app: web::Data<App>,
    actor: Authorized<WriteFollows>,
    requester: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::authorize(tx, actor.account, &requester)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

pub(super) async fn reject(
    app: web::Data<App>,
    actor: Authorized<WriteFollows>,
    requester: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::reject(tx, actor.account, &requester)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

#[derive(Debug, Deserialize)]
pub(super) struct ByHandle {
    uri: String,
}

/// Follows an account by its handle and returns the account. Following it again is not an error.
pub(super) async fn follow(
    app: web::Data<App>,
    actor: Authorized<WriteFollows>,
    Form(ByHandle { uri }): Form<ByHandle>,
) -> Result<HttpResponse> {
    let (instance, threshold) = (app.instance().clone(), app.settings().limits_follows);
    let followed = app
        .write(move |tx| {
            let target = accounts::named(tx, &instance, &uri)?.id;
            let (actor, options) = (actor.account, FollowOptions::default());
            relationships::follow(tx, threshold, actor, &target.to_string(), &options)?;
            accounts::reachable(tx, &target.to_string())
        })
        .await?;
    Ok(HttpResponse::Ok().json(account::render(&followed, app.urls())))
}
