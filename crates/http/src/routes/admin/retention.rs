//! `/api/v1/admin/retention`: how many new users stay.

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::Frequency;
use siskin_policy::{roles::ViewDashboard, scopes::AdminRead};
use siskin_services::{Error as Domain, measures};
use siskin_wire::measure;

use super::measures::{end, start};
use crate::{
    Result, Staff,
    params::{Form, chosen},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/admin/retention", web::post().to(show));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RetentionForm {
    start_at: Option<String>,
    end_at: Option<String>,
    frequency: Option<String>,
}

async fn show(
    app: Data<App>,
    _: Staff<AdminRead, ViewDashboard>,
    Form(form): Form<RetentionForm>,
) -> Result<HttpResponse> {
    let (start, end) = (start(form.start_at)?, end(form.end_at)?);
    let frequency = chosen(form.frequency.as_deref()).map_or(Ok(Frequency::default()), str::parse);
    let frequency =
        frequency.map_err(|_| Domain::validation("Frequency is not included in the list"))?;
    let range = match frequency {
        Frequency::Day => measures::period_by_day(start, end)?,
        Frequency::Month => measures::period(start, end)?,
    };
    let cohorts = app.measure(move |conn| measures::cohorts(conn, frequency, range)).await?;
    let rendered: Vec<_> = cohorts.iter().map(measure::render_cohort).collect();
    Ok(HttpResponse::Ok().json(rendered))
}
