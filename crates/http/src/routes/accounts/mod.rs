//! `/api/v1/accounts`, and how accounts stand to each other.

mod credentials;
mod follows;
mod reads;
mod sign_up;

use actix_web::web::{self, ServiceConfig};

pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .route("/api/v1/accounts", web::post().to(sign_up::create))
        .route("/api/v1/accounts/lookup", web::get().to(reads::lookup))
        .route("/api/v1/accounts/relationships", web::get().to(follows::relationships))
        .route("/api/v1/accounts/update_credentials", web::patch().to(credentials::update))
        .route("/api/v1/accounts/verify_credentials", web::get().to(credentials::verify))
        .route("/api/v1/accounts/{id}", web::get().to(reads::show))
        .route("/api/v1/accounts/{id}/follow", web::post().to(follows::follow))
        .route("/api/v1/accounts/{id}/followers", web::get().to(reads::followers))
        .route("/api/v1/accounts/{id}/following", web::get().to(reads::following))
        .route("/api/v1/accounts/{id}/unfollow", web::post().to(follows::unfollow))
        .route("/api/v1/profile/avatar", web::delete().to(credentials::remove_avatar))
        .route("/api/v1/profile/header", web::delete().to(credentials::remove_header))
        .route("/api/v1/relationships", web::get().to(follows::relationships));
}
