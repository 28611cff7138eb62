//! `/api/v1/admin/accounts/{id}/strikes`: what moderators did against an account. An extension of
//! this server.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;
use siskin_entities::Urls;
use siskin_ids::{AccountId, StrikeId};
use siskin_policy::{limits::LONG_PAGE, roles::ManageUsers, scopes::AdminReadAccounts};
use siskin_services::moderation::{overview::ShownStrike, strikes};
use siskin_wire::strike::{self, AdminStrike};

use crate::{
    Result, Staff,
    paging::{self, PageQuery, Previous},
    params::{Form, record_id},
    table::Table,
};

/// A caller who may read the data of accounts.
type Reader = Staff<AdminReadAccounts, ManageUsers>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/accounts/{id}/strikes", web::get().to(list))
        .route("/api/v1/admin/accounts/{id}/strikes/{strike_id}", web::get().to(show));
}

async fn list(
    app: Data<App>,
    _: Reader,
    request: HttpRequest,
    id: Path<String>,
    Form(page): Form<PageQuery>,
) -> Result<HttpResponse> {
    let (id, page): (AccountId, _) = (record_id(&id)?, page.request(LONG_PAGE)?);
    let found = app.read(move |conn| strikes::shown(conn, id, page)).await?;
    let render = |one: &ShownStrike| render(one, app.urls());
    Ok(paging::response(&request, app.urls(), &found, Previous::MinId, render))
}

async fn show(app: Data<App>, _: Reader, path: Path<(String, String)>) -> Result<HttpResponse> {
    let (id, strike) = path.into_inner();
    let (id, strike): (AccountId, StrikeId) = (record_id(&id)?, record_id(&strike)?);
    let found = app.read(move |conn| strikes::find_shown(conn, id, strike)).await?;
    Ok(HttpResponse::Ok().json(render(&found, app.urls())))
}

fn render(shown: &ShownStrike, urls: &Urls) -> AdminStrike {
    strike::render_strike_for_staff(&shown.strike, shown.moderator.as_deref(), urls)
}
