//! `/`: the front page of this server for people with a browser.

use actix_web::{HttpResponse, http::StatusCode, web};
use askama::Template;
use siskin_app::App;
use siskin_services::{accounts::sign_up, setup};

use crate::{
    Result,
    browser::Browser,
    pages::{Frame, PageError, show},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/", web::get().to(front));
}

#[derive(Template)]
#[template(path = "front.html")]
struct FrontPage<'a> {
    frame: Frame,
    short_description: &'a str,
    description: &'a str,
    domain: &'a str,
    /// User name of the contact account; empty if there is none.
    contact: &'a str,
    /// `true` if registrations are open.
    sign_up: bool,
    /// `true` if there is no account yet, so that the page must tell the owner how to create one.
    unclaimed: bool,
}

async fn front(app: web::Data<App>, browser: Browser) -> Result<HttpResponse, PageError> {
    let settings = app.settings();
    // If a person is signed in, there is an account.
    let unclaimed = browser.signed_in.is_none() && app.read(setup::is_needed).await?;
    let mut frame = Frame::of(&app, &browser, settings.site_title.clone());
    if browser.signed_in.is_none() {
        // The page has no form for visitors and needs no cookie.
        frame.forgery_token.clear();
    }
    let page = FrontPage {
        frame,
        short_description: &settings.site_short_description,
        description: &settings.site_description,
        domain: app.urls().domain(),
        contact: settings.contact_account.trim_start_matches('@'),
        sign_up: sign_up::require_open(&settings).is_ok(),
        unclaimed,
    };
    Ok(show(StatusCode::OK, &page)?)
}
