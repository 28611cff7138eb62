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

use actix_web::web;

use crate::table::Table;

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
        .route("/tags/{name}", web::get().to(tag::show));
}
