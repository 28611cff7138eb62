//! `/api/v1/accounts`, and relationships between accounts.

mod actions;
mod credentials;
mod directory;
mod follows;
mod profile_form;
mod reads;
mod sign_up;
mod suggestions;

use actix_web::web;

use crate::table::Table;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/accounts", web::get().to(reads::find_many))
        .route("/api/v1/accounts", web::post().to(sign_up::create))
        .route("/api/v1/accounts/familiar_followers", web::get().to(follows::familiar_followers))
        .route("/api/v1/accounts/lookup", web::get().to(reads::lookup))
        .route("/api/v1/accounts/relationships", web::get().to(follows::relationships))
        .route("/api/v1/accounts/search", web::get().to(directory::search))
        .route("/api/v1/accounts/update_credentials", web::patch().to(credentials::update))
        .route("/api/v1/accounts/verify_credentials", web::get().to(credentials::verify))
        .route("/api/v1/accounts/{id}", web::get().to(reads::show))
        .route("/api/v1/accounts/{id}/block", web::post().to(actions::block))
        .route("/api/v1/accounts/{id}/endorse", web::post().to(actions::endorse))
        .route("/api/v1/accounts/{id}/endorsements", web::get().to(reads::endorsements))
        .route("/api/v1/accounts/{id}/follow", web::post().to(follows::follow))
        .route("/api/v1/accounts/{id}/followers", web::get().to(reads::followers))
        .route("/api/v1/accounts/{id}/following", web::get().to(reads::following))
        .route("/api/v1/accounts/{id}/identity_proofs", web::get().to(reads::identity_proofs))
        .route("/api/v1/accounts/{id}/lists", web::get().to(reads::lists))
        .route("/api/v1/accounts/{id}/mute", web::post().to(actions::mute))
        .route("/api/v1/accounts/{id}/note", web::post().to(actions::note))
        .route("/api/v1/accounts/{id}/pin", web::post().to(actions::endorse))
        .route(
            "/api/v1/accounts/{id}/remove_from_followers",
            web::post().to(actions::remove_from_followers),
        )
        .route("/api/v1/accounts/{id}/unblock", web::post().to(actions::unblock))
        .route("/api/v1/accounts/{id}/unendorse", web::post().to(actions::unendorse))
        .route("/api/v1/accounts/{id}/unfollow", web::post().to(follows::unfollow))
        .route("/api/v1/accounts/{id}/unmute", web::post().to(actions::unmute))
        .route("/api/v1/accounts/{id}/unpin", web::post().to(actions::unendorse))
        .route("/api/v1/directory", web::get().to(directory::show))
        .route("/api/v1/profile", web::get().to(credentials::profile))
        .route("/api/v1/profile", web::patch().to(credentials::update_profile))
        .route("/api/v1/profile/avatar", web::delete().to(credentials::remove_avatar))
        .route("/api/v1/profile/header", web::delete().to(credentials::remove_header))
        .route("/api/v1/relationships", web::get().to(follows::relationships))
        .route("/api/v1/suggestions", web::get().to(suggestions::accounts))
        .route("/api/v1/suggestions/{account_id}", web::delete().to(suggestions::dismiss))
        .route("/api/v2/suggestions", web::get().to(suggestions::list));
}
