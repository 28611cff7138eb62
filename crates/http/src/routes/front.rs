//! `/`: what a person sees who opens this server in a browser.

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
    /// User name of whom to ask; empty where nobody is named.
    contact: &'a str,
    /// Whether strangers may make accounts.
    sign_up: bool,
    /// Whether there is no account yet, so that the owner has to be told how to make one.
    unclaimed: bool,
}

async fn front(app: web::Data<App>, browser: Browser) -> Result<HttpResponse, PageError> {
    let settings = app.settings();
    // Somebody who is signed in has an account.
    let unclaimed = browser.signed_in.is_none() && app.read(setup::is_needed).await?;
    let mut frame = Frame::of(&app, &browser, settings.site_title.clone());
    if browser.signed_in.is_none() {
        // There is no form for a visitor here, and no cookie needed.
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
