//! `PUT /api/v1/statuses/{id}` and the versions that it leaves.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::FilterContext;
use siskin_policy::scopes::{ReadStatuses, WriteStatuses};
use siskin_services::{
    Error as Domain,
    attachments::MediaAttributes,
    statuses::{self, Edit},
};
use siskin_wire::status_edit;

use super::{
    draft::{Given, filled},
    poll_form::{self, PollForm},
    status_id,
};
use crate::{
    Authorized, Optional, Result,
    limits::{self, Budget, Subject},
    params::Form,
    status_answers,
};

#[derive(Debug, Deserialize)]
pub(super) struct EditForm {
    status: Option<String>,
    spoiler_text: Option<String>,
    sensitive: Option<bool>,
    language: Option<String>,
    content_type: Option<String>,
    media_ids: Option<Vec<String>>,
    #[serde(default)]
    media_attributes: Vec<AttributesForm>,
    poll: Option<PollForm>,
}

/// What is said of an attachment.
#[derive(Debug, Deserialize)]
struct AttributesForm {
    #[serde(default)]
    id: String,
    description: Option<String>,
    focus: Option<String>,
    #[serde(default)]
    thumbnail: Given,
}

impl From<AttributesForm> for MediaAttributes {
    fn from(form: AttributesForm) -> Self {
        Self { id: form.id, description: form.description, focus: form.focus }
    }
}

pub(super) async fn edit(
    app: Data<App>,
    author: Authorized<WriteStatuses>,
    id: Path<String>,
    request: HttpRequest,
    Form(form): Form<EditForm>,
) -> Result<HttpResponse> {
    limits::spend(&request, Budget::Edit, Subject::Account(author.account))?;
    let id = status_id(&id)?;
    form.refuse_unsupported()?;
    let edit = Edit {
        text: form.status,
        spoiler_text: form.spoiler_text,
        sensitive: form.sensitive,
        language: filled(form.language),
        content_type: filled(form.content_type),
        poll: poll_form::definition(&app, form.poll)?,
        media_ids: form.media_ids.map(|ids| ids.into_iter().filter(|id| !id.is_empty()).collect()),
        media_attributes: form.media_attributes.into_iter().map(Into::into).collect(),
    };
    let asked = statuses::prepare_edit(&app.settings(), edit)?;
    let instance = app.instance().clone();
    let status =
        app.write(move |tx| statuses::edit(tx, &instance, author.account, id, &asked)).await?;
    let status = app.marked(Some(author.account), FilterContext::Thread, status).await?;
    Ok(status_answers::status(&app, &status))
}

impl EditForm {
    /// Nothing that was asked for is silently left out.
    fn refuse_unsupported(&self) -> Result<(), Domain> {
        if self.media_attributes.iter().any(|media| media.thumbnail.0) {
            return Err(Domain::invalid("Media attachments of a post cannot be changed"));
        }
        Ok(())
    }
}

pub(super) async fn history(
    app: Data<App>,
    viewer: Optional<ReadStatuses>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id = status_id(&id)?;
    let versions = app.read(move |conn| statuses::history(conn, viewer.account, id)).await?;
    Ok(HttpResponse::Ok().json(status_edit::render_all(&versions, app.urls())))
}
