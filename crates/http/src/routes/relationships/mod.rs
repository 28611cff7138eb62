//! Lists of the caller's relationships, follow requests, and blocked domains.

mod domains;
mod lists;
mod requests;

use actix_web::web;

use crate::table::Table;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/blocks", web::get().to(lists::blocks))
        .route("/api/v1/domain_blocks", web::get().to(domains::list))
        .route("/api/v1/domain_blocks", web::post().to(domains::block))
        .route("/api/v1/domain_blocks", web::delete().to(domains::unblock))
        .route("/api/v1/endorsements", web::get().to(lists::endorsements))
        .route("/api/v1/follow_requests", web::get().to(requests::list))
        .route("/api/v1/follow_requests/{id}/authorize", web::post().to(requests::authorize))
        .route("/api/v1/follow_requests/{id}/reject", web::post().to(requests::reject))
        .route("/api/v1/follows", web::post().to(requests::follow))
        .route("/api/v1/mutes", web::get().to(lists::mutes));
}
