//! `/authorize_interaction`: other servers send visitors here who want to follow an account or to
//! answer a status by their account of this server (the template `subscribe` of `WebFinger`).

use actix_web::{FromRequest as _, HttpRequest, HttpResponse, web::Data};
use serde::Deserialize;
use siskin_app::App;
use siskin_services::{Error as Domain, discovery};

use super::is_on;
use crate::{
    pages::{PageError, PageForm, go_to},
    routes::not_found,
};

#[derive(Debug, Deserialize)]
struct InteractionParams {
    uri: String,
}

/// Redirects to the page of a local account or status.
pub(super) async fn show(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, PageError> {
    if !is_on(&app) {
        return Ok(not_found(request).await);
    }
    let PageForm(params) = PageForm::<InteractionParams>::extract(&request).await?;
    let page = discovery::page(app.urls(), &params.uri).ok_or(Domain::NotFound)?;
    Ok(go_to(&page))
}
