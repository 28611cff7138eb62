//! What staff do with a report.

use actix_web::{
    HttpResponse,
    web::{self, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_ids::{ReportId, ReportNoteId};
use siskin_policy::roles::ManageReports;
use siskin_services::{moderation::statuses::Within, reports};

use super::{
    super::{
        forms::see,
        layout::Viewer,
        posts::{self, Outcome, Place, PostsForm},
    },
    show::{Typed, response},
};
use crate::{
    pages::{PageError, Problem},
    params::{chosen, chosen_list, record_id},
    staff::PostedStaff,
    table::Table,
};

/// A form of a person who may change reports.
type Form = PostedStaff<ManageReports>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/admin/reports/{id}", web::post().to(update))
        .route("/admin/reports/{id}/decide", web::post().to(decide))
        .route("/admin/reports/{id}/statuses", web::post().to(act_on_statuses))
        .route("/admin/reports/{id}/notes", web::post().to(add_note))
        .route("/admin/reports/{id}/notes/{note_id}/delete", web::post().to(delete_note));
}

fn done(app: &App, id: ReportId, what: &str) -> HttpResponse {
    see(app, &format!("/admin/reports/{id}?done={what}"))
}

/// Shows the report with a problem, and with what was typed.
async fn refuse(
    app: &App,
    form: &Form,
    id: ReportId,
    problem: Problem,
    typed: Typed,
) -> Result<HttpResponse, PageError> {
    let person = (&form.posted.browser, form.authority);
    response(app, person, id, None, Typed { problem: Some(problem), ..typed }).await
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct UpdateForm {
    category: Option<String>,
    #[serde(deserialize_with = "chosen_list")]
    rule_ids: Vec<String>,
}

async fn update(
    app: web::Data<App>,
    form: Form,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (id, authority) = (record_id(&id)?, form.authority);
    let sent: UpdateForm = form.posted.decode()?;
    let category = chosen(sent.category);
    // The form lists all rules, so none of them means that the report names none.
    let changes = reports::prepare_changes(category.as_deref(), Some(&sent.rule_ids));
    let changed =
        app.write_prepared(changes, move |tx, it| reports::update(tx, authority, id, it)).await;
    match changed {
        Ok(()) => Ok(done(&app, id, "changed")),
        Err(error) => {
            let problem = Problem::of_form(error, &[("Rules", "Rules that were broken")])?;
            refuse(&app, &form, id, problem, Typed::nothing()).await
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DecisionForm {
    decision: String,
}

async fn decide(
    app: web::Data<App>,
    form: Form,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (id, authority) = (record_id(&id)?, form.authority);
    let sent: DecisionForm = form.posted.decode()?;
    let decide = match sent.decision.as_str() {
        "assign" => reports::assign_to_self,
        "unassign" => reports::unassign,
        "resolve" => reports::resolve,
        "reopen" => reports::reopen,
        _ => {
            let problem = Problem::with_input("Choose what to do.");
            return refuse(&app, &form, id, problem, Typed::nothing()).await;
        }
    };
    app.write(move |tx| decide(tx, authority, id)).await?;
    Ok(done(&app, id, &sent.decision))
}

async fn act_on_statuses(
    app: web::Data<App>,
    form: Form,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let id: ReportId = record_id(&id)?;
    let sent: PostsForm = form.posted.decode()?;
    let page = format!("{}/{id}", super::PAGE);
    let place = Place {
        area: super::PAGE,
        action: format!("{page}/statuses"),
        page,
        report: Some(id.to_string()),
        within: Within::Report(id),
    };
    match posts::act(Viewer::posted(&app, &form), &sent, place).await? {
        Outcome::Done => Ok(done(&app, id, "acted")),
        Outcome::Question(question) => Ok(question.show()?),
        Outcome::Refused(problem) => {
            let typed = Typed { posts: sent, ..Typed::nothing() };
            refuse(&app, &form, id, problem, typed).await
        }
    }
}

#[derive(Debug, Deserialize)]
struct NoteForm {
    #[serde(default)]
    content: String,
}

async fn add_note(
    app: web::Data<App>,
    form: Form,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (id, authority) = (record_id(&id)?, form.authority);
    let sent: NoteForm = form.posted.decode()?;
    let content = sent.content.clone();
    match app.write(move |tx| reports::add_note(tx, authority, id, &content)).await {
        Ok(_) => Ok(done(&app, id, "note")),
        Err(error) => {
            let typed = Typed { note: sent.content, ..Typed::nothing() };
            let problem = Problem::of_form(error, &[("Content", "New note")])?;
            refuse(&app, &form, id, problem, typed).await
        }
    }
}

async fn delete_note(
    app: web::Data<App>,
    form: Form,
    path: Path<(String, String)>,
) -> Result<HttpResponse, PageError> {
    let (id, note) = path.into_inner();
    let (id, authority) = (record_id(&id)?, form.authority);
    let note: ReportNoteId = record_id(&note)?;
    app.write(move |tx| reports::delete_note(tx, authority, id, note)).await?;
    Ok(done(&app, id, "deleted"))
}
