//! `/settings`: settings that a person changes in a browser.

mod account;
mod deletion;
mod export;
mod external_logins;
mod filters;
mod follows;
mod invites;
mod notifications;
mod profile;
mod proof;
mod second_factor;
mod sessions;
mod writing;

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use siskin_app::App;

pub(super) use self::proof::issuers;
use crate::{pages::go_to, table::Table};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/settings", web::get().to(redirect))
        .configure(account::configure)
        .configure(deletion::configure)
        .configure(export::configure)
        .configure(external_logins::configure)
        .configure(filters::configure)
        .configure(follows::configure)
        .configure(invites::configure)
        .configure(notifications::configure)
        .configure(profile::configure)
        .configure(second_factor::configure)
        .configure(sessions::configure)
        .configure(writing::configure);
}

/// The last change, in the address after a form was handled.
#[derive(Deserialize)]
struct Done {
    done: Option<String>,
}

async fn redirect(app: web::Data<App>) -> HttpResponse {
    go_to(&app.urls().page("/settings/profile"))
}
