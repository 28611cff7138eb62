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
    accept::Wanted,
    address,
    limits::{self, Budget, Subject},
    table::Table,
};

/// Time during which the result is reused without a query: a flood of checks costs no reads.
const WELL: Duration = Duration::from_millis(500);

static LAST_WELL: Mutex<Option<Instant>> = Mutex::new(None);

fn was_well_just_now() -> bool {
    let last = *LAST_WELL.lock().unwrap_or_else(PoisonError::into_inner);
    last.is_some_and(|last| last.elapsed() < WELL)
}

fn note_well() {
    *LAST_WELL.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

pub(super) fn configure(table: &mut Table) {
    table.route("/health", web::get().to(show));
}

/// Returns 200 once the database answers: the text `OK`, or JSON for clients that ask for it by
/// name.
async fn show(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse> {
    limits::spend(&request, Budget::Health, Subject::address(address::of(&request)))?;
    if !was_well_just_now() {
        app.read(|_| Ok(())).await?;
        note_well();
    }
    let mut answer = HttpResponse::Ok();
    answer.insert_header((VARY, "Accept"));
    Ok(match Wanted::by(&request) {
        Some(Wanted::Json) => answer.json(health::up()),
        Some(Wanted::Page) | None => answer.content_type(ContentType::plaintext()).body("OK"),
    })
}
