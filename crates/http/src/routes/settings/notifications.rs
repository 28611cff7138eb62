//! `/settings/notifications`: the emails that a person wants to get.

use actix_web::{HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::EmailTopic;
use siskin_services::emails;

use crate::{
    browser::{Member, PostedMember},
    pages::{Frame, PageError, PageForm, go_to, show},
    routes::email_topics::words,
    table::Table,
};

const PAGE: &str = "/settings/notifications";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(show_form)).route(PAGE, web::post().to(save));
}

#[derive(Template)]
#[template(path = "notifications.html")]
struct NotificationsPage {
    frame: Frame,
    saved: bool,
    topics: Vec<Choice>,
}

/// A topic with its checkbox.
struct Choice {
    name: &'static str,
    words: &'static str,
    chosen: bool,
}

/// The submitted form. Browsers do not send a checkbox that is not ticked.
#[derive(Default, Deserialize)]
#[serde(default)]
struct TopicsForm {
    emails: Vec<String>,
}

#[derive(Deserialize)]
struct Saved {
    #[serde(default)]
    saved: bool,
}

async fn show_form(
    app: web::Data<App>,
    member: Member,
    PageForm(params): PageForm<Saved>,
) -> Result<HttpResponse, PageError> {
    let account = member.signed_in.account;
    let chosen = app.read(move |conn| emails::topics(conn, account)).await?;
    let choice = |topic: EmailTopic| Choice {
        name: topic.as_str(),
        words: words(topic),
        chosen: chosen.contains(&topic),
    };
    let page = NotificationsPage {
        frame: Frame::of(&app, &member.browser, "Your emails"),
        saved: params.saved,
        topics: EmailTopic::all().map(choice).collect(),
    };
    Ok(show(StatusCode::OK, &page)?)
}

async fn save(app: web::Data<App>, form: PostedMember) -> Result<HttpResponse, PageError> {
    let TopicsForm { emails } = form.posted.decode()?;
    let account = form.signed_in.account;
    app.write(move |tx| emails::set_topics(tx, account, &emails)).await?;
    Ok(go_to(&app.urls().page(&format!("{PAGE}?saved=1"))))
}
