//! A status in another language.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::ReadStatuses;
use siskin_text::language;
use siskin_wire::translation;

use super::status_id;
use crate::{
    AnyToken, Result, address, languages,
    limits::{self, Budget, Subject},
    params::Form,
};

/// Where nobody says anything.
const FALLBACK: &str = "en";

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    lang: Option<String>,
}

/// An application may ask too.
pub(super) async fn translate(
    app: Data<App>,
    viewer: AnyToken<ReadStatuses>,
    id: Path<String>,
    request: HttpRequest,
    Form(asked): Form<Asked>,
) -> Result<HttpResponse> {
    let person = viewer.caller.person;
    person.map_or(Ok(()), |person| person.standing.require_good())?;
    let id = status_id(&id)?;
    let who = match person {
        Some(person) => Subject::Account(person.account),
        None => Subject::address(address::of(&request)),
    };
    limits::spend(&request, Budget::Translate, who)?;
    let mut accepted = languages::accepted(request.headers()).into_iter();
    let accepted = accepted.find(|code| language::normalise(code).is_some());
    let own = app.settings().languages.split(',').find_map(language::normalise);
    let target = |locale: Option<String>| {
        let asked = asked.lang.filter(|code| !code.trim().is_empty()).or(locale);
        asked.unwrap_or_else(|| accepted.or(own).unwrap_or(FALLBACK).to_owned())
    };
    let viewer = person.map(|person| person.account);
    let translated = app.translate(viewer, id, target).await?;
    Ok(HttpResponse::Ok().json(translation::render(&translated)))
}
