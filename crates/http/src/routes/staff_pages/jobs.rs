//! `/admin/jobs`: background jobs that failed for good, and those that wait.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{JobState, StoredJob, Timestamp};
use siskin_policy::{limits::LONG_PAGE, roles::Devops};
use siskin_services::stored_jobs;

use super::{
    confirm::Confirmation,
    forms::with_params,
    layout::{Confirmed, Done, Section, Tab, Viewer},
    rows::{Button, Cell, DataTable, Row},
};
use crate::{
    pages::{PageError, PageForm},
    paging::PageQuery,
    params::record_id,
    routes::public::neighbours::Neighbours,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/jobs";
const HAPPENED: &[(&str, &str)] =
    &[("retried", "The job runs again."), ("discarded", "The job was discarded.")];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route("/admin/jobs/{id}/retry", web::post().to(retry))
        .route("/admin/jobs/{id}/discard", web::post().to(discard));
}

/// Which jobs are shown.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Selection {
    /// `waiting`; everything else means those that failed for good.
    state: String,
}

impl Selection {
    fn state(&self) -> JobState {
        self.state.parse().unwrap_or(JobState::Dead)
    }
}

fn path(state: JobState) -> String {
    match state {
        JobState::Dead => PAGE.to_owned(),
        JobState::Waiting => with_params(PAGE, &[("state", state.as_str())]),
    }
}

async fn list(
    app: Data<App>,
    staff: StaffMember<Devops>,
    PageForm(page): PageForm<PageQuery>,
    PageForm(selection): PageForm<Selection>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let (state, request, now) = (selection.state(), page.request(LONG_PAGE)?, app.now());
    let found = app.read(move |conn| stored_jobs::list(conn, state, now, request)).await?;
    let (columns, empty) = match state {
        JobState::Dead => (
            ["Job", "Attempts", "Why it failed", "Server", "Since", "Ended"],
            "No job has failed for good.",
        ),
        JobState::Waiting => {
            (["Job", "Attempts", "Last error", "Server", "Since", "Next attempt"], "No jobs wait.")
        }
    };
    let table = DataTable::new("Jobs", &columns, empty)
        .rows(found.items.iter().map(|job| row(job, now)))
        .paged(Neighbours::of(&path(state), &found, request));
    let tab = |(one, words)| Tab { path: path(one), words, current: one == state };
    Viewer::of(&app, &staff)
        .layout(PAGE, "Jobs")
        .done(&done, HAPPENED)
        .tabs([(JobState::Dead, "Failed"), (JobState::Waiting, "Waiting")].map(tab).into())
        .with(Section::untitled().table(table))
        .show()
}

fn row(job: &StoredJob, now: Timestamp) -> Row {
    let cells = vec![
        Cell::text(job.attempts.to_string()),
        Cell::text(job.error.clone().unwrap_or_default()),
        Cell::text(job.host.clone().unwrap_or_default()),
        Cell::time(job.created_at, now),
        match job.dead_at {
            None if job.is_running => Cell::text("Running"),
            ended => Cell::time(ended.unwrap_or(job.run_at), now),
        },
    ];
    let row = Row::new(&job.kind, cells);
    if job.is_running || !job.has_failed() {
        return row;
    }
    let path = format!("{PAGE}/{}", job.id);
    row.button(Button::new(format!("{path}/retry"), "Retry"))
        .negative(format!("{path}/discard"), "Discard")
}

async fn retry(
    app: Data<App>,
    form: PostedStaff<Devops>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (actor, id) = (form.actor(), record_id(&id)?);
    app.write(move |tx| stored_jobs::retry(tx, actor, id)).await?;
    Ok(Viewer::posted(&app, &form).after(PAGE, "retried"))
}

async fn discard(
    app: Data<App>,
    form: PostedStaff<Devops>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let (id, Confirmed { confirmed }) = (record_id(&id)?, form.posted.decode()?);
    if !confirmed {
        let page = Confirmation {
            frame: viewer.frame(PAGE, "Discard the job?"),
            words: "What it was to do will not happen. This cannot be undone.".to_owned(),
            names: Vec::new(),
            action: format!("{PAGE}/{id}/discard"),
            fields: Vec::new(),
            button: "Discard the job".to_owned(),
            back: PAGE.to_owned(),
        };
        return Ok(page.show()?);
    }
    let actor = form.actor();
    app.write(move |tx| stored_jobs::discard(tx, actor, id)).await?;
    Ok(viewer.after(PAGE, "discarded"))
}
