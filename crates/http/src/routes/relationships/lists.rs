//! Lists of blocked, muted and endorsed accounts.

use actix_web::{HttpRequest, HttpResponse, web};
use siskin_app::App;
use siskin_policy::{
    limits::ACCOUNT_PAGE,
    scopes::{ReadAccounts, ReadBlocks, ReadMutes},
};
use siskin_services::relationships;
use siskin_wire::account::render_muted;

use crate::{
    Authorized, Result, account_responses,
    paging::{PageQuery, Previous, response},
    params::Form,
};

pub(super) async fn blocks(
    app: web::Data<App>,
    owner: Authorized<ReadBlocks>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (page_request, now) = (page.request(ACCOUNT_PAGE)?, app.now());
    let page =
        app.read(move |conn| relationships::blocks(conn, owner.account, now, page_request)).await?;
    Ok(account_responses::accounts(&app, &request, &page))
}

pub(super) async fn mutes(
    app: web::Data<App>,
    owner: Authorized<ReadMutes>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (page_request, now) = (page.request(ACCOUNT_PAGE)?, app.now());
    let page =
        app.read(move |conn| relationships::mutes(conn, owner.account, now, page_request)).await?;
    Ok(response(&request, app.urls(), &page, Previous::SinceId, |(account, until)| {
        render_muted(account, *until, app.urls())
    }))
}

pub(super) async fn endorsements(
    app: web::Data<App>,
    owner: Authorized<ReadAccounts>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (page_request, now, owner) = (page.request(ACCOUNT_PAGE)?, app.now(), owner.account);
    let read = move |conn: &mut _| {
        relationships::endorsements(conn, &owner.to_string(), Some(owner), now, page_request)
    };
    let page = app.read(read).await?;
    Ok(account_responses::accounts(&app, &request, &page))
}
