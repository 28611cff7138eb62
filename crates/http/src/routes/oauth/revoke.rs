//! `POST /oauth/revoke`.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;
use siskin_services::oauth::{self, Revocation};
use siskin_wire::empty;

use super::{client, refusal_response};
use crate::{Result, params::Form};

#[derive(Deserialize)]
pub(super) struct RevocationForm {
    token: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
}

pub(super) async fn revoke(
    request: HttpRequest,
    app: web::Data<App>,
    Form(form): Form<RevocationForm>,
) -> Result<HttpResponse> {
    let revocation = match client::credentials(&request, form.client_id, form.client_secret) {
        Ok(client) => Revocation { client, token: form.token },
        Err(refusal) => return Ok(refusal_response(refusal)),
    };
    Ok(match app.write(move |tx| oauth::revoke(tx, &revocation)).await? {
        Ok(()) => HttpResponse::Ok().json(empty::Empty {}),
        Err(refusal) => refusal_response(refusal),
    })
}
