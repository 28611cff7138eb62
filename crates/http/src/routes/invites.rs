//! `/api/v1/invites`: links by which users let others sign up, an extension of the API; and
//! `/invite`, where such a link leads.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_ids::InviteId;
use siskin_policy::{
    limits::LONG_PAGE,
    roles::InviteUsers,
    scopes::{ReadAccounts, WriteAccounts},
};
use siskin_services::invites::{self, InviteDraft, InviteParams, ListedInvites};
use siskin_wire::{empty::Empty, invite};

use crate::{
    Authorized, Result, Staff,
    pages::go_to,
    paging::{self, PageQuery, Previous},
    params::{Form, record_id},
    routes::sign_up,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/invites", web::get().to(list))
        .route("/api/v1/invites", web::post().to(create))
        .route("/api/v1/invites/{id}", web::delete().to(delete))
        .route("/invite/{code}", web::get().to(open));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ListQuery {
    /// Lists the invites of all accounts.
    all: bool,
}

async fn list(
    app: Data<App>,
    member: Authorized<ReadAccounts>,
    request: HttpRequest,
    Form(query): Form<PageQuery>,
    Form(listed): Form<ListQuery>,
) -> Result<HttpResponse> {
    let page = query.request(LONG_PAGE)?;
    let listed = if listed.all { ListedInvites::All } else { ListedInvites::Own };
    let account = member.account;
    let found = app.read(move |conn| invites::list(conn, account, listed, page)).await?;
    let render = |one: &_| invite::render(one, app.urls());
    Ok(paging::response(&request, app.urls(), &found, Previous::MinId, render))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NewInvite {
    max_uses: Option<i64>,
    expires_in: Option<i64>,
    autofollow: bool,
    comment: String,
}

async fn create(
    app: Data<App>,
    member: Staff<WriteAccounts, InviteUsers>,
    Form(form): Form<NewInvite>,
) -> Result<HttpResponse> {
    let NewInvite { max_uses, expires_in, autofollow, comment } = form;
    let draft = InviteDraft::new(InviteParams { max_uses, expires_in, autofollow, comment })?;
    let account = member.account();
    let created = app.write(move |tx| invites::create(tx, account, &draft)).await?;
    Ok(HttpResponse::Ok().json(invite::render(&created, app.urls())))
}

async fn delete(
    app: Data<App>,
    member: Authorized<WriteAccounts>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id: InviteId = record_id(&id)?;
    let account = member.account;
    app.write(move |tx| invites::delete(tx, account, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

/// Leads to the sign-up page, which says if the invite is not valid.
async fn open(app: Data<App>, code: Path<String>) -> HttpResponse {
    go_to(&app.urls().page(&sign_up::path_with_invite(&code)))
}
