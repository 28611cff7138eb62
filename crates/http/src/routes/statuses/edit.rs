//! `PUT /api/v1/statuses/{id}` and the edit history.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::ContentType,
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
    super::attachments::MIDDLE,
    draft::Given,
    poll_form::{self, PollForm},
    source_form::SourceForm,
    status_id,
};
use crate::{
    Authorized, Optional, Result,
    limits::{self, Budget, Subject},
    params::{Form, Patch, chosen},
    status_responses,
};

/// All parameters except those of [`SourceForm`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EditForm {
    media_ids: Patch<Vec<String>>,
    media_attributes: Vec<AttributesForm>,
    poll: Patch<PollForm>,
    quote_approval_policy: Option<String>,
}

/// The changes to an attachment.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AttributesForm {
    id: String,
    description: Patch<String>,
    focus: Patch<String>,
    thumbnail: Given,
}

impl From<AttributesForm> for MediaAttributes {
    fn from(form: AttributesForm) -> Self {
        let focus = form.focus.or_cleared(MIDDLE.to_owned());
        Self { id: form.id, description: form.description.or_default(), focus }
    }
}

pub(super) async fn edit(
    app: Data<App>,
    author: Authorized<WriteStatuses>,
    id: Path<String>,
    request: HttpRequest,
    Form(source): Form<SourceForm>,
    Form(form): Form<EditForm>,
) -> Result<HttpResponse> {
    limits::spend(&request, Budget::Edit, Subject::Account(author.account))?;
    let id = status_id(&id)?;
    form.refuse_unsupported()?;
    let edit = Edit {
        source: source.into(),
        poll: poll_form::revised(&app, form.poll)?,
        media_ids: form.media_ids.or_default().map(without_empty),
        media_attributes: form.media_attributes.into_iter().map(Into::into).collect(),
        quote_policy: chosen(form.quote_approval_policy),
    };
    let prepared = statuses::prepare_edit(&app.settings(), edit)?;
    let instance = app.instance().clone();
    let status =
        app.write(move |tx| statuses::edit(tx, &instance, author.account, id, &prepared)).await?;
    let status = app.marked(Some(author.account), FilterContext::Thread, status).await?;
    Ok(status_responses::status(&app, &status))
}

fn without_empty(mut ids: Vec<String>) -> Vec<String> {
    ids.retain(|id| !id.is_empty());
    ids
}

impl EditForm {
    /// Refuses unsupported parameters instead of ignoring them silently.
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
    let body = status_edit::write_all(&versions, app.urls());
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(body))
}
