//! What other servers ask for while federation is on: documents of actors, statuses and collections
//! (ActivityPub). While it is off, no path here is served, except that addresses of accounts and
//! statuses lead to their pages.
//!
//! Accounts and statuses have a document and a page at the same address. Everything else has a
//! document only, which is the answer to every `Accept` header.

mod answers;
mod collections;
mod interaction;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;
use siskin_ids::StatusId;
use siskin_services::{Error as Domain, Result, federation::Found};

use self::answers::{answer, to_page};
use crate::{accept::prefers_document, pages::go_to, table::Table};

pub(super) use self::answers::{is_on, shown_document, with_document};

/// Adds the routes.
pub(super) fn configure(table: &mut Table) {
    table
        .route("/actor", web::get().to(show_instance))
        .route("/authorize_interaction", web::get().to(interaction::show))
        .route("/users/{username}", web::get().to(show_actor))
        .route("/users/{username}/collections/featured", web::get().to(collections::show_featured))
        .route("/users/{username}/collections/tags", web::get().to(collections::show_tags))
        .route("/users/{username}/followers", web::get().to(collections::show_followers))
        .route("/users/{username}/following", web::get().to(collections::show_following))
        .route("/users/{username}/outbox", web::get().to(collections::show_outbox))
        .route("/users/{username}/statuses/{id}", web::get().to(show_status))
        .route("/users/{username}/statuses/{id}/activity", web::get().to(show_activity))
        .route("/users/{username}/statuses/{id}/likes", web::get().to(collections::show_likes))
        .route("/users/{username}/statuses/{id}/replies", web::get().to(collections::show_replies))
        .route("/users/{username}/statuses/{id}/shares", web::get().to(collections::show_shares));
}

/// Returns the document of a local account for a request to its page that prefers the document.
pub(super) async fn actor_for_page(
    app: &App,
    request: &HttpRequest,
    handle: &str,
) -> Option<HttpResponse> {
    match is_of_page(app, request, handle) {
        true => Some(answer(request, actor(app, handle).await)),
        false => None,
    }
}

/// Returns the document of a status for a request to its page that prefers the document.
pub(super) async fn status_for_page(
    app: &App,
    request: &HttpRequest,
    handle: &str,
    id: &str,
) -> Option<HttpResponse> {
    match is_of_page(app, request, handle) {
        true => Some(answer(request, status(app, handle, id).await)),
        false => None,
    }
}

/// Returns `true` if a request to a page asks for the document. The pages of accounts of other
/// servers redirect to these, where their documents are.
fn is_of_page(app: &App, request: &HttpRequest, handle: &str) -> bool {
    is_on(app) && !handle.contains('@') && prefers_document(request)
}

async fn show_instance(app: Data<App>, request: HttpRequest) -> HttpResponse {
    if !is_on(&app) {
        return super::not_found(request).await;
    }
    answer(&request, app.instance_document().await)
}

/// Answers with the document of an account, or redirects to its page. The page itself handles
/// accounts that do not exist.
async fn show_actor(app: Data<App>, request: HttpRequest, username: Path<String>) -> HttpResponse {
    if is_on(&app) && prefers_document(&request) {
        return answer(&request, actor(&app, &username).await);
    }
    to_page(&app, go_to(&app.urls().page(&format!("/@{}", segment(&username)))))
}

async fn show_status(
    app: Data<App>,
    request: HttpRequest,
    named: Path<(String, String)>,
) -> HttpResponse {
    let (username, id) = named.into_inner();
    if is_on(&app) && prefers_document(&request) {
        return answer(&request, status(&app, &username, &id).await);
    }
    let page = format!("/@{}/{}", segment(&username), segment(&id));
    to_page(&app, go_to(&app.urls().page(&page)))
}

async fn show_activity(
    app: Data<App>,
    request: HttpRequest,
    named: Path<(String, String)>,
) -> HttpResponse {
    if !is_on(&app) {
        return super::not_found(request).await;
    }
    let (username, id) = named.into_inner();
    answer(&request, activity(&app, &username, &id).await)
}

async fn actor(app: &App, username: &str) -> Result<Found> {
    app.actor_document(local_name(username)?).await
}

async fn status(app: &App, username: &str, id: &str) -> Result<Found> {
    app.status_document(local_name(username)?, parse(id)?).await
}

async fn activity(app: &App, username: &str, id: &str) -> Result<Found> {
    app.activity_document(local_name(username)?, parse(id)?).await
}

/// Returns a name that a local account may have. Any other gives the same error as an unknown one.
fn local_name(username: &str) -> Result<String> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match username.bytes().all(is_word) {
        true => Ok(username.to_owned()),
        false => Err(Domain::NotFound),
    }
}

/// Parses the id of a status. An invalid one gives the same error as an unknown one.
fn parse(id: &str) -> Result<StatusId> {
    id.parse().map_err(|_| Domain::NotFound)
}

/// Escapes a text as one segment of a path.
fn segment(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC)
        .to_string()
        .replace("%5F", "_")
}
