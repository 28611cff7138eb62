//! `/api/v1/tags` and followed hashtags.

use actix_web::{HttpRequest, HttpResponse, web};
use siskin_app::App;
use siskin_policy::{
    limits::LONG_PAGE,
    scopes::{ReadFollows, Unscoped, WriteFollows},
};
use siskin_services::tags;
use siskin_wire::tag::render;

use crate::{
    Authorized, Optional, Result,
    paging::{PageQuery, Previous, response},
    params::Form,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/followed_tags", web::get().to(followed))
        .route("/api/v1/tags/{name}", web::get().to(show))
        .route("/api/v1/tags/{name}/follow", web::post().to(follow))
        .route("/api/v1/tags/{name}/unfollow", web::post().to(unfollow));
}

async fn show(
    app: web::Data<App>,
    viewer: Optional<Unscoped>,
    name: web::Path<String>,
) -> Result<HttpResponse> {
    let now = app.now();
    let tag = app.read(move |conn| tags::show(conn, viewer.account, &name, now)).await?;
    Ok(HttpResponse::Ok().json(render(&tag, app.urls())))
}

async fn follow(
    app: web::Data<App>,
    actor: Authorized<WriteFollows>,
    name: web::Path<String>,
) -> Result<HttpResponse> {
    let tag = app.write(move |tx| tags::follow(tx, actor.account, &name)).await?;
    Ok(HttpResponse::Ok().json(render(&tag, app.urls())))
}

async fn unfollow(
    app: web::Data<App>,
    actor: Authorized<WriteFollows>,
    name: web::Path<String>,
) -> Result<HttpResponse> {
    let tag = app.write(move |tx| tags::unfollow(tx, actor.account, &name)).await?;
    Ok(HttpResponse::Ok().json(render(&tag, app.urls())))
}

/// Lists followed hashtags. The cursors follow the order of following, and responses do not show
/// them.
async fn followed(
    app: web::Data<App>,
    actor: Authorized<ReadFollows>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (page_request, now) = (page.request(LONG_PAGE)?, app.now());
    let page = app.read(move |conn| tags::followed(conn, actor.account, now, page_request)).await?;
    Ok(response(&request, app.urls(), &page, Previous::SinceId, |tag| render(tag, app.urls())))
}
