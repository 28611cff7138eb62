//! Pages of accounts as responses. Their cursors are ids that the response does not show.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse};
use siskin_app::App;
use siskin_entities::{Account, Page};
use siskin_wire::account::render;

use crate::paging::{Previous, response};

pub(crate) fn accounts(
    app: &App,
    request: &HttpRequest,
    page: &Page<Arc<Account>>,
) -> HttpResponse {
    response(request, app.urls(), page, Previous::SinceId, |account| render(account, app.urls()))
}
