//! `GET /health`: checks that the server can answer requests.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ContentType, VARY},
    web,
};
use siskin_app::App;
use siskin_wire::health;

use crate::{
    Result,
    accept::ResponseFormat,
    address,
    limits::{self, Budget, Subject},
    table::Table,
};

/// Time during which the result is reused without a query: a flood of checks costs no reads.
const HEALTHY_FOR: Duration = Duration::from_millis(500);

static LAST_HEALTHY: Mutex<Option<Instant>> = Mutex::new(None);

fn was_healthy_recently() -> bool {
    let last = *LAST_HEALTHY.lock().unwrap_or_else(PoisonError::into_inner);
    last.is_some_and(|last| last.elapsed() < HEALTHY_FOR)
}

fn record_healthy() {
    *LAST_HEALTHY.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

pub(super) fn configure(table: &mut Table) {
    table.route("/health", web::get().to(show));
}

/// Returns 200 once the database answers: the text `OK`, or JSON for clients that ask for it by
/// name.
async fn show(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse> {
    limits::spend(&request, Budget::Health, Subject::address(address::of(&request)))?;
    if !was_healthy_recently() {
        app.read(|_| Ok(())).await?;
        record_healthy();
    }
    let mut response = HttpResponse::Ok();
    response.insert_header((VARY, "Accept"));
    Ok(match ResponseFormat::by(&request) {
        Some(ResponseFormat::Json) => response.json(health::up()),
        Some(ResponseFormat::Page) | None => {
            response.content_type(ContentType::plaintext()).body("OK")
        }
    })
}
