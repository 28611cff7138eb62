//! `/oauth/userinfo`: the account that a token acts for.

use actix_web::{HttpResponse, web};
use siskin_app::App;
use siskin_policy::scopes::Profile;
use siskin_services::oauth;
use siskin_wire::oauth::render_user_info;

use crate::{Authorized, Result};

pub(super) async fn show(app: web::Data<App>, person: Authorized<Profile>) -> Result<HttpResponse> {
    let account = app.read(move |conn| oauth::user_info(conn, person.account)).await?;
    Ok(HttpResponse::Ok().json(render_user_info(&account, app.urls())))
}
