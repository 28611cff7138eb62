//! The route table. Static segments come before `{id}` in the same position.

mod accounts;
mod activity;
mod admin;
mod announcements;
mod apps;
mod attachments;
mod auth;
mod confirmation;
mod conversations;
mod custom_emojis;
mod discovery;
mod disputes;
mod email_request;
mod email_topics;
mod emails;
mod external;
mod featured_tags;
mod filters;
mod health;
mod instance;
mod instance_domain_blocks;
mod instance_texts;
mod invites;
mod lists;
mod markers;
mod media;
mod notifications;
mod oauth;
mod password;
mod polls;
mod preferences;
mod public;
mod push;
mod relationships;
mod reports;
mod scheduled_statuses;
mod search;
mod second_factor;
mod settings;
mod setup;
mod sign_up;
mod staff_pages;
mod statuses;
mod streaming;
mod strikes;
mod tags;
mod timelines;
mod trends;
mod unsubscribe;
mod uploads;

use actix_web::{
    HttpRequest, HttpResponse, ResponseError as _,
    http::{
        Method,
        header::{HeaderValue, VARY},
    },
    web,
};
use siskin_services::Error as Domain;

use crate::{Error, accept::ResponseFormat, middleware::is_interface, pages, table::Table};

pub(crate) use staff_pages::area_of as staff_area;

/// Adds every route to an actix application that holds the instance as data (`Data<App>`). If
/// `named`, requests carry the pattern of their route.
pub(crate) fn configure(config: &mut web::ServiceConfig, named: bool) {
    let mut table = Table::default();
    all(&mut table);
    table.register(config, named);
    config.app_data(uploads::upload_policy()).default_service(web::to(not_found));
}

fn all(table: &mut Table) {
    table
        .configure(accounts::configure)
        .configure(activity::configure)
        .configure(admin::configure)
        .configure(announcements::configure)
        .configure(apps::configure)
        .configure(attachments::configure)
        .configure(auth::configure)
        .configure(confirmation::configure)
        .configure(conversations::configure)
        .configure(custom_emojis::configure)
        .configure(discovery::configure)
        .configure(disputes::configure)
        .configure(emails::configure)
        .configure(external::configure)
        .configure(filters::configure)
        .configure(featured_tags::configure)
        .configure(health::configure)
        .configure(instance::configure)
        .configure(instance_domain_blocks::configure)
        .configure(instance_texts::configure)
        .configure(invites::configure)
        .configure(lists::configure)
        .configure(markers::configure)
        .configure(media::configure)
        .configure(notifications::configure)
        .configure(oauth::configure)
        .configure(password::configure)
        .configure(polls::configure)
        .configure(preferences::configure)
        .configure(public::configure)
        .configure(push::configure)
        .configure(relationships::configure)
        .configure(reports::configure)
        .configure(scheduled_statuses::configure)
        .configure(search::configure)
        .configure(second_factor::configure)
        .configure(settings::configure)
        .configure(setup::configure)
        .configure(sign_up::configure)
        .configure(staff_pages::configure)
        .configure(statuses::configure)
        .configure(streaming::configure)
        .configure(strikes::configure)
        .configure(tags::configure)
        .configure(timelines::configure)
        .configure(trends::configure)
        .configure(unsubscribe::configure)
        .configure(pages::configure_assets);
}

/// Answers paths that are not served, and paths that were removed (`x-removed` in the contract).
/// The response is the same with and without a token: a page for browsers, JSON for clients. Below
/// the API all responses are JSON.
async fn not_found(request: HttpRequest) -> HttpResponse {
    if request.method() == Method::OPTIONS {
        return HttpResponse::NoContent().finish();
    }
    let error = Error::from(Domain::NotFound);
    if is_interface(request.path()) {
        return error.error_response();
    }
    let mut response = match ResponseFormat::by(&request) {
        Some(ResponseFormat::Page) => pages::render_error(&error),
        Some(ResponseFormat::Json) | None => error.error_response(),
    };
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    response
}
