//! `/unsubscribe`: ends emails about notifications. Links in these emails lead here.
//!
//! A GET names the emails and asks first, because programs that scan emails open every link. A POST
//! ends the emails. Mail clients send it without a session (RFC 8058), so the signature of the link
//! takes the place of the session and of the token against request forgery.

use actix_web::{HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_services::{
    Error as Domain,
    emails::{self, UnsubscribeRequest},
};

use super::email_topics::words;
use crate::{
    browser::Browser,
    pages::{Frame, Notice, PageError, PageForm, show},
    table::Table,
};

const PAGE: &str = "/unsubscribe";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(ask)).route(PAGE, web::post().to(unsubscribe));
}

#[derive(Template)]
#[template(path = "unsubscribe.html")]
struct UnsubscribePage {
    frame: Frame,
    params: UnsubscribeParams,
    /// When the emails come that end.
    occasions: Vec<&'static str>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct UnsubscribeParams {
    account: String,
    topics: String,
    signature: String,
}

impl From<UnsubscribeParams> for UnsubscribeRequest {
    fn from(params: UnsubscribeParams) -> Self {
        let UnsubscribeParams { account, topics, signature } = params;
        Self { account, topics, signature }
    }
}

async fn ask(
    app: web::Data<App>,
    browser: Browser,
    PageForm(params): PageForm<UnsubscribeParams>,
) -> Result<HttpResponse, PageError> {
    let request = UnsubscribeRequest::from(params.clone());
    let topics = app.read(move |conn| emails::topics_of_link(conn, &request)).await;
    let page = UnsubscribePage {
        frame: Frame::of(&app, &browser, "No more of these emails?"),
        params,
        occasions: topics.map_err(invalid_link)?.into_iter().map(words).collect(),
    };
    Ok(show(StatusCode::OK, &page)?)
}

async fn unsubscribe(
    app: web::Data<App>,
    browser: Browser,
    PageForm(params): PageForm<UnsubscribeParams>,
) -> Result<HttpResponse, PageError> {
    let request = UnsubscribeRequest::from(params);
    app.write(move |tx| emails::unsubscribe(tx, &request)).await.map_err(invalid_link)?;
    let notice = Notice {
        frame: Frame::of(&app, &browser, "You get no more of these emails"),
        words: "You can change your choice in the settings.".to_owned(),
        path: "/settings/notifications".to_owned(),
        link: "Choose emails",
    };
    Ok(notice.show()?)
}

fn invalid_link(error: Domain) -> PageError {
    match error {
        Domain::NotFound => PageError::with_message(
            StatusCode::NOT_FOUND,
            "This link is not valid",
            "Copy the whole link from the email, or choose your emails in the settings.",
        ),
        other => other.into(),
    }
}
