//! `/api/v1/media` and `/api/v2/media`: media to be attached to statuses.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::{App, Upload};
use siskin_entities::{MediaAttachment, MediaStage};
use siskin_ids::AccountId;
use siskin_policy::scopes::WriteMedia;
use siskin_services::{
    Error as Domain,
    attachments::{self, MediaMetadata},
};
use siskin_wire::{empty::Empty, media};
use tempfile::TempPath;

use crate::{
    Authorized, Result,
    limits::{self, Budget, Subject},
    params::{Form, Params, Patch, StoredFile, chosen, record_id},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/media", web::post().to(upload_and_wait))
        .route("/api/v2/media", web::post().to(upload))
        .route("/api/v1/media/{id}", web::get().to(show))
        .route("/api/v1/media/{id}", web::put().to(change))
        .route("/api/v1/media/{id}", web::delete().to(delete));
}

/// Default focal point of a picture.
pub(super) const MIDDLE: &str = "0,0";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MediaForm {
    description: Patch<String>,
    focus: Patch<String>,
}

impl MediaForm {
    fn metadata(self) -> Result<MediaMetadata, Domain> {
        let focus = self.focus.or_cleared(MIDDLE.to_owned());
        MediaMetadata::prepare(self.description.or_default(), chosen(focus.as_deref()))
    }
}

async fn upload_and_wait(
    request: HttpRequest,
    app: Data<App>,
    person: Authorized<WriteMedia>,
    params: Params,
    Form(form): Form<MediaForm>,
) -> Result<HttpResponse> {
    receive(&request, &app, person.account, &params, form, true).await
}

async fn upload(
    request: HttpRequest,
    app: Data<App>,
    person: Authorized<WriteMedia>,
    params: Params,
    Form(form): Form<MediaForm>,
) -> Result<HttpResponse> {
    receive(&request, &app, person.account, &params, form, false).await
}

async fn receive(
    request: &HttpRequest,
    app: &App,
    person: AccountId,
    params: &Params,
    form: MediaForm,
    wait_for_slow: bool,
) -> Result<HttpResponse> {
    limits::spend(request, Budget::Upload, Subject::Account(person))?;
    let metadata = form.metadata()?;
    let file = file(params, "file")?;
    let file = file.ok_or_else(|| Domain::validation("File can't be blank"))?;
    let thumbnail = self::file(params, "thumbnail")?;
    let media = app.upload(person, Upload { file, thumbnail, metadata, wait_for_slow }).await?;
    let mut response = match media.stage {
        MediaStage::Waiting => HttpResponse::Accepted(),
        MediaStage::Ready | MediaStage::Failed(_) => HttpResponse::Ok(),
    };
    Ok(response.json(media::render(&media, app.urls())))
}

async fn show(
    app: Data<App>,
    person: Authorized<WriteMedia>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let media =
        app.read(move |conn| attachments::find_unattached(conn, person.account, id)).await?;
    let mut response = match &media.stage {
        MediaStage::Waiting => HttpResponse::PartialContent(),
        MediaStage::Ready => HttpResponse::Ok(),
        MediaStage::Failed(why) => {
            return Err(Domain::validation(format!("File {why}")).into());
        }
    };
    Ok(response.json(media::render(&media, app.urls())))
}

async fn change(
    app: Data<App>,
    person: Authorized<WriteMedia>,
    id: Path<String>,
    params: Params,
    Form(form): Form<MediaForm>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    let (metadata, thumbnail) = (form.metadata()?, file(&params, "thumbnail")?);
    let media: MediaAttachment = app.change_media(person.account, id, metadata, thumbnail).await?;
    Ok(HttpResponse::Ok().json(media::render(&media, app.urls())))
}

async fn delete(
    app: Data<App>,
    person: Authorized<WriteMedia>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id = record_id(&id)?;
    app.write(move |tx| attachments::delete(tx, person.account, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

/// Takes an uploaded file. Text in its place, such as a `data:` URL, does not count as one.
fn file(params: &Params, name: &str) -> Result<Option<TempPath>, Domain> {
    let file = params.file(name).map_err(|error| Domain::invalid(error.to_string()))?;
    Ok(file.and_then(StoredFile::take))
}
