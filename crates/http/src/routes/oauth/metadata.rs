//! `GET /.well-known/oauth-authorization-server` (RFC 8414).

use actix_web::{HttpResponse, web};
use siskin_app::App;
use siskin_policy::scopes::Scope;
use siskin_services::sign_in;
use siskin_wire::oauth::{Grants, render_metadata};

pub(super) async fn show(app: web::Data<App>) -> HttpResponse {
    let grants = if sign_in::allows_password_grant(&app.settings()) {
        Grants::WithPassword
    } else {
        Grants::WithoutPassword
    };
    let scopes = Scope::ALL.iter().map(|scope| scope.as_str());
    HttpResponse::Ok().json(render_metadata(scopes, grants, app.urls()))
}
