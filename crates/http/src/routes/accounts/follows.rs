//! Follows and relationships.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::{ReadFollows, WriteFollows};
use siskin_services::relationships::{self, Suspended, follow_options};
use siskin_wire::{
    account::{self, FamiliarFollowers},
    relationship::render,
};

use crate::{
    Authorized, Result,
    params::{Form, Patch},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/accounts/familiar_followers", web::get().to(familiar_followers))
        .route("/api/v1/accounts/relationships", web::get().to(relationships))
        .route("/api/v1/accounts/{id}/follow", web::post().to(follow))
        .route("/api/v1/accounts/{id}/unfollow", web::post().to(unfollow))
        .route("/api/v1/relationships", web::get().to(relationships));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FollowParams {
    reblogs: Patch<bool>,
    notify: Patch<bool>,
    languages: Patch<Vec<String>>,
}

async fn follow(
    app: web::Data<App>,
    actor: Authorized<WriteFollows>,
    target: web::Path<String>,
    Form(params): Form<FollowParams>,
) -> Result<HttpResponse> {
    let (reblogs, notify) = (params.reblogs.or_cleared(true), params.notify.or_default());
    let options = follow_options(reblogs, notify, params.languages.or_default().as_deref())?;
    let threshold = app.settings().limits_follows;
    let relationship = app
        .write(move |tx| relationships::follow(tx, threshold, actor.account, &target, &options))
        .await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

async fn unfollow(
    app: web::Data<App>,
    actor: Authorized<WriteFollows>,
    target: web::Path<String>,
) -> Result<HttpResponse> {
    let relationship =
        app.write(move |tx| relationships::unfollow(tx, actor.account, &target)).await?;
    Ok(HttpResponse::Ok().json(render(&relationship)))
}

#[derive(Debug, Deserialize)]
struct RelationshipsParams {
    #[serde(default)]
    id: Vec<String>,
    #[serde(default)]
    with_suspended: bool,
}

/// Also serves `/api/v1/relationships`, where the API documents it.
async fn relationships(
    app: web::Data<App>,
    viewer: Authorized<ReadFollows>,
    Form(RelationshipsParams { id, with_suspended }): Form<RelationshipsParams>,
) -> Result<HttpResponse> {
    let suspended = if with_suspended { Suspended::Included } else { Suspended::LeftOut };
    let now = app.now();
    let shown = app
        .read(move |conn| relationships::show(conn, viewer.account, &id, suspended, now))
        .await?;
    Ok(HttpResponse::Ok().json(shown.iter().map(render).collect::<Vec<_>>()))
}

#[derive(Debug, Deserialize)]
struct FamiliarFollowersParams {
    #[serde(default)]
    id: Vec<String>,
}

async fn familiar_followers(
    app: web::Data<App>,
    viewer: Authorized<ReadFollows>,
    Form(FamiliarFollowersParams { id }): Form<FamiliarFollowersParams>,
) -> Result<HttpResponse> {
    let now = app.now();
    let found = app
        .read(move |conn| relationships::familiar_followers(conn, viewer.account, &id, now))
        .await?;
    let shown = found.iter().map(|familiar| FamiliarFollowers {
        id: familiar.id,
        accounts: familiar.accounts.iter().map(|one| account::render(one, app.urls())).collect(),
    });
    Ok(HttpResponse::Ok().json(shown.collect::<Vec<_>>()))
}
