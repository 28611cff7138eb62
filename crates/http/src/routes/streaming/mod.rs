//! `/api/v1/streaming`: WebSockets at the path itself, server-sent events below it.
//! `siskin-streaming` defines the events and their subscribers; `docs/streaming.md` describes them
//! for clients.

mod events;
mod frames;
mod since;
mod socket;

use actix_web::{HttpResponse, http::header::ContentType, web};
use siskin_app::SubscribeError;
use siskin_services::Error as Domain;
use siskin_streaming::{Refused, SessionOwner};

use crate::{Error, StreamListener, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/streaming", web::get().to(socket::open))
        .route("/api/v1/streaming/health", web::get().to(health))
        .route("/api/v1/streaming/user", web::get().to(events::user))
        .route("/api/v1/streaming/user/notification", web::get().to(events::notifications))
        .route("/api/v1/streaming/public", web::get().to(events::public))
        .route("/api/v1/streaming/public/local", web::get().to(events::local))
        .route("/api/v1/streaming/public/remote", web::get().to(events::remote))
        .route("/api/v1/streaming/hashtag", web::get().to(events::hashtag))
        .route("/api/v1/streaming/hashtag/local", web::get().to(events::local_hashtag))
        .route("/api/v1/streaming/list", web::get().to(events::list))
        .route("/api/v1/streaming/direct", web::get().to(events::direct));
}

async fn health() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::plaintext()).body("OK")
}

impl StreamListener {
    fn subscriber(&self) -> SessionOwner {
        SessionOwner {
            account: self.account,
            token: self.token,
            application: self.application,
            address: self.address,
        }
    }
}

/// Converts a refused subscription into an error response.
fn refusal(refused: Refused) -> Error {
    let why = refused.as_str();
    Error::from(match refused {
        Refused::Unknown | Refused::NoTag | Refused::NoList => Domain::Malformed(why.to_owned()),
        Refused::OutOfScope => Domain::forbidden(why),
        Refused::NoSuchList => Domain::NotFound,
    })
}

fn failure(error: SubscribeError) -> Error {
    match error {
        SubscribeError::Refused(refused) => refusal(refused),
        SubscribeError::Failed(error) => Error::from(error),
    }
}
