//! `/@name/ID`: a status with its thread, and the same status alone for frames on other sites.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use siskin_app::App;
use siskin_entities::Status;
use siskin_ids::StatusId;
use siskin_services::{
    Error as Domain,
    public::{self, Found, InThread},
};
use siskin_text::isolate;

use super::{
    meta::{Meta, describe_status},
    view::{QuoteItem, ReplyTo, StatusItem},
};
use crate::{
    pages::{Frame, PageError, go_to, show_to_all, show_to_frames},
    routes::activity,
};

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage {
    frame: Frame,
    meta: Meta,
    ancestors: Vec<StatusItem>,
    status: StatusItem,
    descendants: Vec<StatusItem>,
}

#[derive(Template)]
#[template(path = "embed.html")]
struct EmbedPage {
    frame: Frame,
    item: StatusItem,
    domain: String,
}

pub(super) async fn show(
    app: Data<App>,
    named: Path<(String, String)>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let (handle, id) = &*named;
    if let Some(document) = activity::status_for_page(&app, &request, handle, id).await {
        return Ok(document);
    }
    let (handle, id) = read_name(named)?;
    let (instance, now) = (app.instance().clone(), app.now());
    let found = app.read(move |conn| public::status(conn, &instance, &handle, id, now)).await?;
    match found {
        Found::Redirect(address) => Ok(go_to(&address)),
        Found::Here(found) => {
            let page = show_to_all(&request, &StatusPage::of(&app, &found))?;
            Ok(activity::with_document(&app, page, &document_id(&app, &found.status)))
        }
    }
}

pub(super) async fn show_in_frame(
    app: Data<App>,
    named: Path<(String, String)>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let ((handle, id), instance) = (read_name(named)?, app.instance().clone());
    let body = app.read(move |conn| public::embedded(conn, &instance, &handle, id)).await?;
    let item = StatusItem::of(&Status { body, reblog: None }, app.urls(), app.now());
    let frame = Frame::public(&app, format!("Status by {}", item.author.name));
    let page = EmbedPage { frame, item, domain: app.urls().domain().to_owned() };
    Ok(show_to_frames(&request, &page)?)
}

/// Parses the path. An invalid status id gives the same error as an unknown one.
fn read_name(named: Path<(String, String)>) -> Result<(String, StatusId), Domain> {
    let (handle, id) = named.into_inner();
    Ok((handle, id.parse().map_err(|_| Domain::NotFound)?))
}

/// Returns the id of the document of a local status.
fn document_id(app: &App, status: &Status) -> String {
    app.urls().status_uri(&status.body.account.username, status.body.id)
}

impl StatusPage {
    fn of(app: &App, InThread { status, thread }: &InThread) -> Self {
        let (urls, now) = (app.urls(), app.now());
        let all = |statuses: &[Status]| {
            statuses.iter().map(|item| StatusItem::of(item, urls, now)).collect()
        };
        let main = StatusItem::of(status, urls, now).main();
        let words = describe_status(&status.body);
        let title = if words.is_empty() {
            format!("Status by {}", main.author.name)
        } else {
            format!("{}: “{}”", main.author.name, isolate(&words))
        };
        Self {
            frame: Frame::public(app, title),
            meta: Meta {
                document: activity::shown_document(app, document_id(app, status)),
                ..Meta::of_status(&status.body, urls)
            },
            ancestors: all(&thread.ancestors),
            status: main,
            descendants: all(&thread.descendants),
        }
    }
}
