//! `/api/v2/search`.

use actix_web::{HttpResponse, http::header::ContentType, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::ReadSearch;
use siskin_services::search::{self, Query};
use siskin_wire::search::write_accounts;

use crate::{Optional, Result, params::Form, table::Table};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v2/search", web::get().to(show));
}

#[derive(Debug, Deserialize)]
struct SearchParams {
    q: String,
    r#type: Option<String>,
    limit: Option<String>,
    offset: Option<String>,
    min_id: Option<String>,
    max_id: Option<String>,
    #[serde(default)]
    following: bool,
}

async fn show(
    app: web::Data<App>,
    viewer: Optional<ReadSearch>,
    Form(params): Form<SearchParams>,
) -> Result<HttpResponse> {
    let by_id = [&params.min_id, &params.max_id]
        .into_iter()
        .any(|id| id.as_ref().is_some_and(|id| !id.is_empty()));
    let query = Query {
        q: params.q,
        kind: params.r#type,
        limit: params.limit,
        offset: params.offset,
        by_id,
        following: params.following,
    };
    let query = search::prepare(&app.settings(), query)?;
    let instance = app.instance().clone();
    let now = app.now();
    let found = app
        .read(move |conn| search::accounts(conn, &instance, viewer.account, &query, now))
        .await?;
    let body = write_accounts(&found, app.urls());
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(body))
}
