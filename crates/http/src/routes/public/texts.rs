//! `/privacy-policy`, and `/terms-of-service` with its versions.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use siskin_app::App;
use siskin_entities::{Timestamp, time::Date};
use siskin_services::{Error as Domain, instance_texts};

use super::meta::Meta;
use crate::pages::{Frame, Moment, PageError, show_to_all};

const PRIVACY_POLICY: &str = "/privacy-policy";
const TERMS_OF_SERVICE: &str = "/terms-of-service";

#[derive(Template)]
#[template(path = "instance_text.html")]
struct TextPage {
    frame: Frame,
    meta: Meta,
    /// Title, without the name of the site.
    heading: &'static str,
    /// Plain text about the time of the text.
    note: String,
    /// HTML.
    content: String,
    versions: Vec<Version>,
}

/// Link to a version of the terms of service.
struct Version {
    path: String,
    day: Moment,
    is_shown: bool,
}

pub(super) async fn show_privacy_policy(
    app: Data<App>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let text = app.texts().privacy_policy.clone();
    let note = text.updated_at.map(|at| format!("Last changed on {}.", day(at)));
    let heading = "Privacy policy";
    let page = TextPage {
        frame: Frame::public(&app, heading),
        meta: Meta::of_page(app.urls().page(PRIVACY_POLICY), heading, ""),
        heading,
        note: note.unwrap_or_default(),
        content: text.html,
        versions: Vec::new(),
    };
    Ok(show_to_all(&request, &page)?)
}

pub(super) async fn show_terms(
    app: Data<App>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    terms(&app, &request, None)
}

pub(super) async fn show_version_of_terms(
    app: Data<App>,
    date: Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let date = Date::parse(&date).ok_or(Domain::NotFound)?;
    terms(&app, &request, Some(date))
}

fn terms(app: &App, request: &HttpRequest, date: Option<Date>) -> Result<HttpResponse, PageError> {
    let (texts, now) = (app.texts(), app.now());
    let shown = instance_texts::terms(&texts, date, now)?;
    let begin = shown.effective_date.0;
    let note = match (shown.is_effective, shown.succeeded_by) {
        (true, None) => format!("In effect since {}.", day(begin)),
        (true, Some(next)) => {
            format!("In effect since {}. Other terms take effect on {}.", day(begin), day(next.0))
        }
        (false, _) if begin > now => format!("These terms take effect on {}.", day(begin)),
        (false, None) => format!("In effect from {}.", day(begin)),
        (false, Some(next)) => {
            format!("In effect from {} until {}. Others replaced them.", day(begin), day(next.0))
        }
    };
    let version = |date: Date| Version {
        path: format!("{TERMS_OF_SERVICE}/{date}"),
        day: Moment::of_day(date.0),
        is_shown: date == shown.effective_date,
    };
    let canonical = match date {
        None => TERMS_OF_SERVICE.to_owned(),
        Some(date) => version(date).path,
    };
    let heading = "Terms of service";
    let page = TextPage {
        frame: Frame::public(app, heading),
        meta: Meta::of_page(app.urls().page(&canonical), heading, ""),
        heading,
        note,
        versions: texts.terms.iter().rev().map(|one| version(one.effective_date)).collect(),
        content: shown.html,
    };
    Ok(show_to_all(request, &page)?)
}

/// Returns a day for people: `27 Nov 2026`.
fn day(time: Timestamp) -> String {
    Moment::of_day(time).spoken
}
