//! `/api/v1/reports`: users report accounts to the staff.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::scopes::WriteReports;
use siskin_services::reports::{self, SentReport};
use siskin_wire::report;

use crate::{
    Authorized, Result,
    limits::{self, Budget, Subject},
    params::{Form, chosen, chosen_list},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/reports", web::post().to(create));
}

#[derive(Debug, Deserialize)]
struct ReportForm {
    account_id: Option<String>,
    #[serde(default, deserialize_with = "chosen_list")]
    status_ids: Vec<String>,
    #[serde(default)]
    comment: String,
    #[serde(default)]
    forward: bool,
    category: Option<String>,
    #[serde(default, deserialize_with = "chosen_list")]
    rule_ids: Vec<String>,
}

impl From<ReportForm> for SentReport {
    fn from(form: ReportForm) -> Self {
        Self {
            account: chosen(form.account_id),
            statuses: form.status_ids,
            comment: form.comment,
            forward: form.forward,
            category: chosen(form.category),
            rules: form.rule_ids,
        }
    }
}

async fn create(
    app: Data<App>,
    user: Authorized<WriteReports>,
    request: HttpRequest,
    Form(form): Form<ReportForm>,
) -> Result<HttpResponse> {
    limits::spend(&request, Budget::Report, Subject::Account(user.account))?;
    let draft = reports::prepare(&form.into())?;
    let id = app.write(move |tx| reports::create(tx, user.account, &draft)).await?;
    let shown = app.read(move |conn| reports::submitted(conn, user.account, id)).await?;
    Ok(HttpResponse::Ok().json(report::render(&shown, app.urls())))
}
