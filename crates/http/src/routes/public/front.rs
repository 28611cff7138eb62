//! `/`: the front page of this server for people with a browser: the instance, its rules, and what
//! goes on there as far as all may see it.

use actix_web::{HttpResponse, http::StatusCode, web};
use askama::Template;
use siskin_app::App;
use siskin_entities::{Feeds, Rule};
use siskin_services::{
    accounts::sign_up,
    public::{self, Front},
    setup,
};

use super::view::{self, Person, QuoteItem, ReplyTo, StatusItem};
use crate::{
    browser::Browser,
    pages::{Frame, PageError, closed_message, show},
};

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
    /// What the operator wrote for people who cannot sign up; may be empty.
    closed: &'a str,
    /// `true` if there is no account yet, so that the page must tell the owner how to create one.
    unclaimed: bool,
    rules: Vec<Rule>,
    statuses: Vec<StatusItem>,
    people: Vec<Person>,
}

pub(super) async fn show_front(
    app: web::Data<App>,
    browser: Browser,
) -> Result<HttpResponse, PageError> {
    let (settings, now, urls) = (app.settings(), app.now(), app.urls());
    let (feeds, is_visitor) = (Feeds::of(&settings), browser.session().is_none());
    let (unclaimed, found) = app
        .read(move |conn| {
            // If a person is signed in, there is an account.
            let unclaimed = is_visitor && setup::is_needed(conn)?;
            let found = if unclaimed { Front::default() } else { public::front(conn, feeds, now)? };
            Ok((unclaimed, found))
        })
        .await?;
    let mut frame = Frame::of(&app, &browser, settings.site_title.clone());
    if is_visitor {
        // The page has no form for visitors and needs no cookie.
        frame.forgery_token.clear();
    }
    let people = found.people.iter().map(|account| Person::of(&view::account(account, urls), urls));
    let page = FrontPage {
        frame,
        short_description: &settings.site_short_description,
        description: &settings.site_description,
        domain: urls.domain(),
        contact: settings.contact_account.trim_start_matches('@'),
        sign_up: sign_up::require_open(&settings).is_ok(),
        closed: closed_message(&settings),
        unclaimed,
        rules: found.rules,
        statuses: found.statuses.iter().map(|item| StatusItem::of(item, urls, now)).collect(),
        people: people.collect(),
    };
    Ok(show(StatusCode::OK, &page)?)
}
