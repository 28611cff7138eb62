//! Reading accounts.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_ids::AccountId;
use siskin_policy::{
    limits::ACCOUNT_PAGE,
    scopes::{ReadAccounts, ReadLists, Unscoped},
};
use siskin_services::{
    accounts::{self, Direction},
    lists, relationships,
};
use siskin_wire::{account::render, identity_proof, list};

use crate::{
    Authorized, Optional, Result, account_responses,
    paging::{self, PageQuery},
    params::Form,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/accounts", web::get().to(find_many))
        .route("/api/v1/accounts/lookup", web::get().to(lookup))
        .route("/api/v1/accounts/{id}", web::get().to(show))
        .route("/api/v1/accounts/{id}/endorsements", web::get().to(endorsements))
        .route("/api/v1/accounts/{id}/followers", web::get().to(followers))
        .route("/api/v1/accounts/{id}/following", web::get().to(following))
        .route("/api/v1/accounts/{id}/identity_proofs", web::get().to(identity_proofs))
        .route("/api/v1/accounts/{id}/lists", web::get().to(lists));
}

async fn show(
    app: web::Data<App>,
    _: Optional<ReadAccounts>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    let account = app.read(move |conn| accounts::reachable(conn, &id)).await?;
    Ok(HttpResponse::Ok().json(render(&account, app.urls())))
}

#[derive(Debug, Deserialize)]
struct AccountsParams {
    #[serde(default)]
    id: Vec<String>,
}

async fn find_many(
    app: web::Data<App>,
    _: Optional<Unscoped>,
    Form(AccountsParams { id }): Form<AccountsParams>,
) -> Result<HttpResponse> {
    let accounts = app.read(move |conn| accounts::find_many(conn, &id)).await?;
    Ok(paging::list(&accounts, |account| render(account, app.urls())))
}

async fn identity_proofs(
    app: web::Data<App>,
    _: Authorized<Unscoped>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    app.read(move |conn| accounts::identity_proofs(conn, &id)).await?;
    Ok(HttpResponse::Ok().json(identity_proof::render_all()))
}

#[derive(Debug, Deserialize)]
struct LookupParams {
    acct: String,
}

async fn lookup(
    app: web::Data<App>,
    _: Optional<ReadAccounts>,
    Form(LookupParams { acct }): Form<LookupParams>,
) -> Result<HttpResponse> {
    let instance = app.instance().clone();
    let account = app.read(move |conn| accounts::lookup(conn, &instance, &acct)).await?;
    Ok(HttpResponse::Ok().json(render(&account, app.urls())))
}

async fn followers(
    app: web::Data<App>,
    viewer: Optional<ReadAccounts>,
    id: web::Path<String>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    follows(app, viewer.account, id.into_inner(), Direction::Followers, request, page).await
}

async fn following(
    app: web::Data<App>,
    viewer: Optional<ReadAccounts>,
    id: web::Path<String>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    follows(app, viewer.account, id.into_inner(), Direction::Following, request, page).await
}

async fn follows(
    app: web::Data<App>,
    viewer: Option<AccountId>,
    owner: String,
    direction: Direction,
    request: HttpRequest,
    page: PageQuery,
) -> Result<HttpResponse> {
    let page_request = page.request(ACCOUNT_PAGE)?;
    let now = app.now();
    let read =
        move |conn: &mut _| accounts::follows(conn, &owner, direction, viewer, now, page_request);
    let page = app.read(read).await?;
    Ok(account_responses::accounts(&app, &request, &page))
}

async fn endorsements(
    app: web::Data<App>,
    viewer: Optional<Unscoped>,
    id: web::Path<String>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (page_request, now) = (page.request(ACCOUNT_PAGE)?, app.now());
    let read = move |conn: &mut _| {
        relationships::endorsements(conn, &id, viewer.account, now, page_request)
    };
    let page = app.read(read).await?;
    Ok(account_responses::accounts(&app, &request, &page))
}

async fn lists(
    app: web::Data<App>,
    owner: Authorized<ReadLists>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    let lists = app.read(move |conn| lists::containing(conn, owner.account, &id)).await?;
    Ok(paging::list(&lists, list::render))
}
