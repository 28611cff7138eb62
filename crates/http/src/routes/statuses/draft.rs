//! `POST /api/v1/statuses`.

use std::{borrow::Cow, fmt, sync::Arc};

use actix_web::{HttpRequest, HttpResponse, http::header::HeaderValue, web::Data};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use siskin_app::App;
use siskin_entities::{Account, FilterContext};
use siskin_policy::scopes::WriteStatuses;
use siskin_services::{
    Error as Domain,
    statuses::{self, Draft, Post, Posted},
};
use siskin_wire::{error, scheduled};

use super::{
    poll_form::{self, PollForm},
    source_form::SourceForm,
};
use crate::{
    Authorized, Result, instant,
    params::{Form, chosen, chosen_list},
    status_responses,
    wording::translated,
};

/// All parameters except those of [`SourceForm`].
#[derive(Debug, Deserialize)]
pub(super) struct StatusForm {
    visibility: Option<String>,
    in_reply_to_id: Option<String>,
    #[serde(default, deserialize_with = "chosen_list")]
    media_ids: Vec<String>,
    poll: Option<PollForm>,
    scheduled_at: Option<String>,
    allowed_mentions: Option<Vec<String>>,
    quoted_status_id: Option<String>,
    quote_approval_policy: Option<String>,
}

pub(super) async fn publish(
    app: Data<App>,
    author: Authorized<WriteStatuses>,
    request: HttpRequest,
    Form(source): Form<SourceForm>,
    Form(form): Form<StatusForm>,
) -> Result<HttpResponse> {
    let at = instant::read(form.scheduled_at.as_deref())?;
    let draft = Draft {
        source: source.into(),
        visibility: chosen(form.visibility),
        in_reply_to_id: chosen(form.in_reply_to_id),
        media_ids: form.media_ids,
        application: author.application,
        poll: poll_form::definition(&app, form.poll)?,
        allowed_mentions: form.allowed_mentions,
        quoted_status_id: chosen(form.quoted_status_id),
        quote_policy: chosen(form.quote_approval_policy),
    };
    let prepared = statuses::prepare(&app.settings(), draft)?;
    let post = Post::new(prepared, at, idempotency_key(&request).as_deref());
    let instance = app.instance().clone();
    let viewer = author.account;
    let write = app.write(move |tx| statuses::post(tx, &instance, viewer, &post));
    let posted = match write.await {
        Err(Domain::UnexpectedMentions(accounts)) => return Ok(unexpected(&app, &accounts)),
        posted => posted?,
    };
    Ok(match posted {
        Posted::Published(id) => {
            // Read after the commit, so that no other write has to wait for it.
            let status = app.read(move |conn| statuses::find(conn, Some(viewer), id)).await?;
            let status = app.marked(Some(viewer), FilterContext::Thread, status).await?;
            status_responses::status(&app, &status)
        }
        Posted::Scheduled(scheduled) => {
            HttpResponse::Ok().json(scheduled::render(&scheduled, app.urls()))
        }
    })
}

/// Renders the response to a post that mentions accounts which the client does not expect.
fn unexpected(app: &App, accounts: &[Arc<Account>]) -> HttpResponse {
    let why = Domain::UnexpectedMentions(Vec::new()).to_string();
    let body = error::unexpected_accounts(&translated(&why), accounts, app.urls());
    HttpResponse::UnprocessableEntity().json(body)
}

/// Returns the client's idempotency key for this post, if it sends one.
fn idempotency_key(request: &HttpRequest) -> Option<Cow<'_, str>> {
    let key = request.headers().get("Idempotency-Key").map(HeaderValue::as_bytes);
    key.filter(|key| !key.is_empty()).map(String::from_utf8_lossy)
}

/// Whether a parameter was given: it contains a value that is not empty, at any depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Given(pub(super) bool);

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GivenVisitor)
    }
}

struct GivenVisitor;

impl<'de> Visitor<'de> for GivenVisitor {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<Given, E> {
        Ok(Given(false))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Given, E> {
        Ok(Given(true))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Given, E> {
        Ok(Given(true))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Given, E> {
        Ok(Given(true))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Given, E> {
        Ok(Given(true))
    }

    fn visit_str<E>(self, text: &str) -> Result<Given, E> {
        Ok(Given(chosen(Some(text)).is_some()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Given, A::Error> {
        let mut given = false;
        while let Some(element) = elements.next_element::<Given>()? {
            given |= element.0;
        }
        Ok(Given(given))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Given, A::Error> {
        let mut given = false;
        while let Some((_, value)) = entries.next_entry::<IgnoredAny, Given>()? {
            given |= value.0;
        }
        Ok(Given(given))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    fn form(query: &str) -> StatusForm {
        Params::from_query(query).unwrap().decode().unwrap()
    }

    #[test]
    fn empty_values_count_as_absent() {
        for query in ["", "media_ids[]=&poll=&quoted_status_id=", "media_ids="] {
            let form = form(query);
            assert!(form.media_ids.is_empty() && form.poll.is_none(), "{query}");
            assert_eq!(chosen(form.quoted_status_id), None, "{query}");
        }
    }
}
