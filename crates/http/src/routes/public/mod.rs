//! The pages that can be read without signing in: profiles, statuses, statuses in frames on other
//! sites, hashtags, and pages about the instance. Except for the front page, they are the same for
//! every viewer, signed in or not.

mod about;
mod emojis;
mod front;
mod meta;
pub(super) mod neighbours;
mod oembed;
mod poll;
mod profile;
mod status;
mod tag;
mod texts;
pub(super) mod view;

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;

use crate::{pages::go_to, table::Table};

/// Adds the routes. Static segments come before `{id}`, as everywhere.
pub(super) fn configure(table: &mut Table) {
    table
        .route("/", web::get().to(front::show_front))
        .route("/about", web::get().to(about::show))
        .route("/privacy-policy", web::get().to(texts::show_privacy_policy))
        .route("/terms-of-service", web::get().to(texts::show_terms))
        .route("/terms-of-service/{date}", web::get().to(texts::show_version_of_terms))
        .route("/api/oembed", web::get().to(oembed::show))
        .route("/@{handle}", web::get().to(profile::show))
        .route("/@{handle}/with_replies", web::get().to(profile::show_with_replies))
        .route("/@{handle}/tagged/{name}", web::get().to(profile::show_tagged))
        .route("/@{handle}/{id}", web::get().to(status::show))
        .route("/@{handle}/{id}/embed", web::get().to(status::show_in_frame))
        .route("/tags/{name}", web::get().to(tag::show))
        .route("/users/{username}", web::get().to(to_profile))
        .route("/users/{username}/statuses/{id}", web::get().to(to_status));
}

/// Redirects from the ActivityPub address of an account to its page. The page itself handles
/// accounts that do not exist.
async fn to_profile(app: Data<App>, username: Path<String>) -> HttpResponse {
    go_to(&app.urls().page(&format!("/@{}", segment(&username))))
}

async fn to_status(app: Data<App>, named: Path<(String, String)>) -> HttpResponse {
    let (username, id) = named.into_inner();
    go_to(&app.urls().page(&format!("/@{}/{}", segment(&username), segment(&id))))
}

/// Escapes a text as one segment of a path.
fn segment(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC)
        .to_string()
        .replace("%5F", "_")
}
