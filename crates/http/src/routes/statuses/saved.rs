//! `/api/v1/bookmarks` and `/api/v1/favourites`.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use siskin_app::App;
use siskin_entities::{FilterContext, Page, PageRequest, Status, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::Conn;
use siskin_policy::{
    limits::STATUS_PAGE,
    scopes::{ReadBookmarks, ReadFavourites},
};
use siskin_services::{Error as Domain, statuses};

use crate::{
    Authorized, Result,
    paging::{PageQuery, Previous},
    params::Form,
    status_responses,
};

pub(super) async fn bookmarks(
    app: Data<App>,
    person: Authorized<ReadBookmarks>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    list(&app, person.account, &request, &page, statuses::bookmarks).await
}

pub(super) async fn favourites(
    app: Data<App>,
    person: Authorized<ReadFavourites>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    list(&app, person.account, &request, &page, statuses::favourites).await
}

/// Loads a page of an account's saved statuses.
type LoadPage = fn(&mut Conn, AccountId, Timestamp, PageRequest) -> Result<Page<Status>, Domain>;

async fn list(
    app: &App,
    person: AccountId,
    request: &HttpRequest,
    page: &PageQuery,
    load: LoadPage,
) -> Result<HttpResponse> {
    let (page, now) = (page.request(STATUS_PAGE)?, app.now());
    let page = app.read(move |conn| load(conn, person, now, page)).await?;
    let page = app.marked(Some(person), FilterContext::Home, page).await?;
    Ok(status_responses::statuses(app, request, &page, Previous::MinId))
}
