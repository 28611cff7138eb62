//! Blocked domains.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::{
    limits::LONG_PAGE,
    scopes::{ReadBlocks, WriteBlocks},
};
use siskin_services::relationships;
use siskin_wire::empty::Empty;

use crate::{
    Authorized, Result,
    paging::{PageQuery, Previous, response},
    params::Form,
};

#[derive(Debug, Deserialize)]
pub(super) struct Domain {
    domain: String,
}

pub(super) async fn list(
    app: web::Data<App>,
    owner: Authorized<ReadBlocks>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let page_request = page.request(LONG_PAGE)?;
    let page = app
        .read(move |conn| relationships::domain_blocks(conn, owner.account, page_request))
        .await?;
    Ok(response(&request, app.urls(), &page, Previous::SinceId, String::clone))
}

pub(super) async fn block(
    app: web::Data<App>,
    actor: Authorized<WriteBlocks>,
    Form(Domain { domain }): Form<Domain>,
) -> Result<HttpResponse> {
    let urls = app.urls().clone();
    app.write(move |tx| relationships::block_domain(tx, &urls, actor.account, &domain)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

pub(super) async fn unblock(
    app: web::Data<App>,
    actor: Authorized<WriteBlocks>,
    Form(Domain { domain }): Form<Domain>,
) -> Result<HttpResponse> {
    app.write(move |tx| relationships::unblock_domain(tx, actor.account, &domain)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
