//! `GET /.well-known/oauth-authorization-server` (RFC 8414).

use actix_web::{HttpResponse, web};
use siskin_app::App;
use siskin_policy::scopes::Scope;
use siskin_wire::oauth::{Grants, render_metadata};

pub(super) async fn show(app: web::Data<App>) -> HttpResponse {
    let grants = if app.settings().oauth_password_grant {
        Grants::WithPassword
    } else {
        Grants::WithoutPassword
    };
    let scopes = Scope::ALL.iter().map(|scope| scope.as_str());
    HttpResponse::Ok().json(render_metadata(scopes, grants, app.urls()))
}
