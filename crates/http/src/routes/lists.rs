//! `/api/v1/lists`.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::RepliesPolicy;
use siskin_policy::{
    limits::ACCOUNT_PAGE,
    scopes::{ReadLists, WriteLists},
};
use siskin_services::lists::{self, ListForm};
use siskin_wire::{account, empty::Empty, list::render};

use crate::{
    Authorized, Result, account_responses,
    paging::{self, PageQuery},
    params::{Form, Patch},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/lists", web::get().to(all))
        .route("/api/v1/lists", web::post().to(create))
        .route("/api/v1/lists/{id}", web::get().to(show))
        .route("/api/v1/lists/{id}", web::put().to(update))
        .route("/api/v1/lists/{id}", web::delete().to(delete))
        .route("/api/v1/lists/{id}/accounts", web::get().to(members))
        .route("/api/v1/lists/{id}/accounts", web::post().to(add))
        .route("/api/v1/lists/{id}/accounts", web::delete().to(remove));
}

/// Returns all lists. They are never paginated, because the number of lists of an account is
/// limited.
async fn all(app: web::Data<App>, owner: Authorized<ReadLists>) -> Result<HttpResponse> {
    let lists = app.read(move |conn| lists::all(conn, owner.account)).await?;
    Ok(paging::list(&lists, render))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ListParams {
    title: Patch<String>,
    replies_policy: Patch<String>,
    exclusive: Patch<bool>,
}

impl From<ListParams> for ListForm {
    fn from(params: ListParams) -> Self {
        let policy = RepliesPolicy::default().as_str();
        Self {
            title: params.title.or_default(),
            replies_policy: params.replies_policy.or_cleared(policy.to_owned()),
            exclusive: params.exclusive.or_default(),
        }
    }
}

async fn create(
    app: web::Data<App>,
    owner: Authorized<WriteLists>,
    Form(params): Form<ListParams>,
) -> Result<HttpResponse> {
    let form = ListForm::from(params);
    let list = app.write(move |tx| lists::create(tx, owner.account, &form)).await?;
    Ok(HttpResponse::Ok().json(render(&list)))
}

async fn show(
    app: web::Data<App>,
    owner: Authorized<ReadLists>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    let list = app.read(move |conn| lists::find(conn, owner.account, &id)).await?;
    Ok(HttpResponse::Ok().json(render(&list)))
}

async fn update(
    app: web::Data<App>,
    owner: Authorized<WriteLists>,
    id: web::Path<String>,
    Form(params): Form<ListParams>,
) -> Result<HttpResponse> {
    let form = ListForm::from(params);
    let list = app.write(move |tx| lists::update(tx, owner.account, &id, &form)).await?;
    Ok(HttpResponse::Ok().json(render(&list)))
}

async fn delete(
    app: web::Data<App>,
    owner: Authorized<WriteLists>,
    id: web::Path<String>,
) -> Result<HttpResponse> {
    let (owner, id) = (owner.account, Arc::new(id.into_inner()));
    loop {
        let id = Arc::clone(&id);
        if !app.write(move |tx| lists::delete_some(tx, owner, &id)).await? {
            return Ok(HttpResponse::Ok().json(Empty {}));
        }
    }
}

/// Returns all members unless the client gives a `limit`.
async fn members(
    app: web::Data<App>,
    owner: Authorized<ReadLists>,
    id: web::Path<String>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let whole = page.whole()?;
    let page_request = whole.map_or_else(|| page.request(ACCOUNT_PAGE), Ok)?;
    let now = app.now();
    let members =
        app.read(move |conn| lists::members(conn, owner.account, &id, now, page_request)).await?;
    if whole.is_none() {
        return Ok(account_responses::accounts(&app, &request, &members));
    }
    Ok(paging::list(&members.items, |member| account::render(member, app.urls())))
}

#[derive(Debug, Deserialize)]
struct Accounts {
    #[serde(default)]
    account_ids: Vec<String>,
}

async fn add(
    app: web::Data<App>,
    owner: Authorized<WriteLists>,
    id: web::Path<String>,
    Form(Accounts { account_ids }): Form<Accounts>,
) -> Result<HttpResponse> {
    app.write(move |tx| lists::add(tx, owner.account, &id, &account_ids)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

async fn remove(
    app: web::Data<App>,
    owner: Authorized<WriteLists>,
    id: web::Path<String>,
    Form(Accounts { account_ids }): Form<Accounts>,
) -> Result<HttpResponse> {
    app.write(move |tx| lists::remove(tx, owner.account, &id, &account_ids)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
