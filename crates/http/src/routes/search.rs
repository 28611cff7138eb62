//! `/api/v2/search`.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Cursor, FilterContext};
use siskin_policy::scopes::ReadSearch;
use siskin_services::search::{self, Query};

use crate::{Optional, Result, paging::cursor, params::Form, status_responses, table::Table};

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
    account_id: Option<String>,
    #[serde(default)]
    following: bool,
    #[serde(default)]
    exclude_unreviewed: bool,
}

async fn show(
    app: web::Data<App>,
    viewer: Optional<ReadSearch>,
    Form(params): Form<SearchParams>,
) -> Result<HttpResponse> {
    let query = Query {
        q: params.q,
        kind: params.r#type,
        limit: params.limit,
        offset: params.offset,
        cursor: Cursor {
            max: cursor("max_id", params.max_id.as_deref())?,
            min: cursor("min_id", params.min_id.as_deref())?,
            since: None,
        },
        account_id: params.account_id,
        following: params.following,
        exclude_unreviewed: params.exclude_unreviewed,
    };
    let query = search::prepare(&app.settings(), query)?;
    let instance = app.instance().clone();
    let now = app.now();
    let viewer = viewer.account;
    let found = app.read(move |conn| search::all(conn, &instance, viewer, &query, now)).await?;
    let found = app.marked(viewer, FilterContext::Public, found).await?;
    Ok(status_responses::search(&app, &found))
}
