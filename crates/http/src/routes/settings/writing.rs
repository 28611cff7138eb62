//! `/settings/writing`: defaults for a person's new statuses, used if their application does not
//! choose. The API lets applications change most of them; the content type can only be changed on
//! this page.

use actix_web::{HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::{App, Uploads};
use siskin_entities::{ContentType, Credentials, QuotePolicy, Visibility};
use siskin_services::accounts::{
    self,
    profile::{self, Changes},
};

use crate::{
    browser::{Browser, Member, PostedMember},
    pages::{Frame, PageError, PageForm, Problem, go_to, show},
    params::chosen,
    table::Table,
};

const PAGE: &str = "/settings/writing";
/// Labels of fields, after the beginnings of messages about them.
const LABELS: &[(&str, &str)] = &[
    ("Default content type", "Format of my posts"),
    ("Default privacy", "Visibility of my posts"),
    ("Default quote policy", "Who may quote my posts"),
];

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(show_form)).route(PAGE, web::post().to(save));
}

#[derive(Template)]
#[template(path = "writing.html")]
struct WritingPage {
    frame: Frame,
    saved: bool,
    problem: Option<String>,
    content_types: Vec<Choice>,
    privacies: Vec<Choice>,
    quote_policies: Vec<Choice>,
    sensitive: bool,
}

/// An option of a selection.
struct Choice {
    value: &'static str,
    words: &'static str,
    chosen: bool,
}

/// The submitted form. Browsers do not send a checkbox that is not ticked.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WritingForm {
    content_type: String,
    privacy: String,
    quote_policy: String,
    sensitive: bool,
}

impl From<Credentials> for WritingForm {
    fn from(credentials: Credentials) -> Self {
        Self {
            content_type: credentials.default_content_type.to_string(),
            privacy: credentials.default_privacy.as_str().to_owned(),
            quote_policy: credentials.default_quote_policy.as_str().to_owned(),
            sensitive: credentials.default_sensitive,
        }
    }
}

#[derive(Deserialize)]
struct Done {
    #[serde(default)]
    saved: bool,
}

fn page(app: &App, browser: &Browser, form: &WritingForm) -> WritingPage {
    WritingPage {
        frame: Frame::of(app, browser, "Your posting defaults"),
        saved: false,
        problem: None,
        content_types: content_types(&form.content_type),
        privacies: privacies(&form.privacy),
        quote_policies: quote_policies(&form.quote_policy),
        sensitive: form.sensitive,
    }
}

fn content_types(chosen: &str) -> Vec<Choice> {
    let choice = |kind: ContentType| Choice {
        value: kind.as_str(),
        words: match kind {
            ContentType::Plain => "Plain text",
            ContentType::Markdown => "Markdown",
            ContentType::Html => "HTML",
        },
        chosen: kind.as_str() == chosen,
    };
    ContentType::ALL.map(choice).into()
}

fn quote_policies(chosen: &str) -> Vec<Choice> {
    let choice = |policy: QuotePolicy| Choice {
        value: policy.as_str(),
        words: match policy {
            QuotePolicy::Public => "Everyone",
            QuotePolicy::Followers => "My followers",
            QuotePolicy::Nobody => "Only me",
        },
        chosen: policy.as_str() == chosen,
    };
    QuotePolicy::ALL.map(choice).into()
}

fn privacies(chosen: &str) -> Vec<Choice> {
    let offered = [
        (Visibility::Public, "Everyone"),
        (Visibility::Unlisted, "Everyone, but not in public timelines"),
        (Visibility::Private, "My followers"),
    ];
    let choice = |(visibility, words): (Visibility, _)| Choice {
        value: visibility.as_str(),
        words,
        chosen: visibility.as_str() == chosen,
    };
    offered.map(choice).into()
}

async fn show_form(
    app: web::Data<App>,
    member: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let account = member.signed_in.account;
    let (_, credentials) = app.read(move |conn| accounts::own(conn, account)).await?;
    let page = page(&app, &member.browser, &credentials.into());
    Ok(show(StatusCode::OK, &WritingPage { saved: done.saved, ..page })?)
}

async fn save(app: web::Data<App>, form: PostedMember) -> Result<HttpResponse, PageError> {
    let typed: WritingForm = form.posted.decode()?;
    let changes = Changes {
        content_type: Some(typed.content_type.clone()),
        privacy: Some(typed.privacy.clone()),
        quote_policy: chosen(Some(typed.quote_policy.clone())),
        sensitive: Some(typed.sensitive),
        ..Changes::default()
    };
    let changed = match profile::prepare(&app.settings(), changes) {
        Ok(changes) => {
            let uploads = Uploads::<web::Bytes> { avatar: None, header: None };
            app.change_profile(form.signed_in.account, changes, uploads).await
        }
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(go_to(&app.urls().page(&format!("{PAGE}?saved=1")))),
        Err(error) => {
            let problem = Problem::of_form(error, LABELS)?;
            let page = page(&app, &form.posted.browser, &typed);
            Ok(show(problem.status, &WritingPage { problem: Some(problem.words), ..page })?)
        }
    }
}
