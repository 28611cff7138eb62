//! `/api/v1/statuses`, and lists of statuses: those of an account, bookmarks and favourites.

mod actions;
mod draft;
mod edit;
mod poll_form;
mod quotes;
mod reads;
mod saved;
mod source_form;
mod translate;

use actix_web::web;
use siskin_ids::{AccountId, StatusId};
use siskin_services::Error as Domain;

use crate::table::Table;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/statuses", web::post().to(draft::publish))
        .route("/api/v1/statuses", web::get().to(reads::find_many))
        .route("/api/v1/statuses/{id}", web::get().to(reads::show))
        .route("/api/v1/statuses/{id}", web::put().to(edit::edit))
        .route("/api/v1/statuses/{id}", web::delete().to(actions::delete))
        .route("/api/v1/statuses/{id}/context", web::get().to(reads::context))
        .route("/api/v1/statuses/{id}/history", web::get().to(edit::history))
        .route("/api/v1/statuses/{id}/source", web::get().to(reads::source))
        .route("/api/v1/statuses/{id}/translate", web::post().to(translate::translate))
        .route("/api/v1/statuses/{id}/favourited_by", web::get().to(reads::favourited_by))
        .route("/api/v1/statuses/{id}/reblogged_by", web::get().to(reads::reblogged_by))
        .route("/api/v1/statuses/{id}/favourite", web::post().to(actions::favourite))
        .route("/api/v1/statuses/{id}/unfavourite", web::post().to(actions::unfavourite))
        .route("/api/v1/statuses/{id}/bookmark", web::post().to(actions::bookmark))
        .route("/api/v1/statuses/{id}/unbookmark", web::post().to(actions::unbookmark))
        .route("/api/v1/statuses/{id}/pin", web::post().to(actions::pin))
        .route("/api/v1/statuses/{id}/unpin", web::post().to(actions::unpin))
        .route("/api/v1/statuses/{id}/mute", web::post().to(actions::mute))
        .route("/api/v1/statuses/{id}/unmute", web::post().to(actions::unmute))
        .route("/api/v1/statuses/{id}/reblog", web::post().to(actions::reblog))
        .route("/api/v1/statuses/{id}/unreblog", web::post().to(actions::unreblog))
        .route("/api/v1/statuses/{id}/quotes", web::get().to(quotes::list))
        .route("/api/v1/statuses/{id}/quotes/{quote}/revoke", web::post().to(quotes::revoke))
        .route("/api/v1/statuses/{id}/interaction_policy", web::put().to(quotes::set_policy))
        .route("/api/v1/bookmarks", web::get().to(saved::bookmarks))
        .route("/api/v1/favourites", web::get().to(saved::favourites))
        .route("/api/v1/accounts/{id}/statuses", web::get().to(reads::of_account));
}

/// Parses the id of a status. An invalid id gives the same error as an unknown one.
fn status_id(text: &str) -> Result<StatusId, Domain> {
    text.parse().map_err(|_| Domain::NotFound)
}

fn account_id(text: &str) -> Result<AccountId, Domain> {
    text.parse().map_err(|_| Domain::NotFound)
}
