//! What staff do with several reports at once: an extension of the interface.

use std::collections::HashMap;

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{DecisionResult, ReportAction};
use siskin_ids::ReportId;
use siskin_policy::{
    limits::MAX_BULK_REPORTS,
    roles::{Authority, ManageReports},
    scopes::AdminWriteReports,
};
use siskin_services::{Error as Domain, moderation::bulk::AT_ONCE, reports};
use siskin_wire::admin_account::render_result;

use super::accounts::without_duplicates;
use crate::{
    Result, Staff,
    params::{Form, chosen_list},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/admin/reports/bulk", web::post().to(decide));
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BulkForm {
    action: Option<String>,
    #[serde(deserialize_with = "chosen_list")]
    report_ids: Vec<String>,
}

impl BulkForm {
    fn action(&self) -> Result<ReportAction, Domain> {
        let action = self.action.as_deref().and_then(|name| name.trim().parse().ok());
        action.ok_or_else(|| Domain::validation("Action is not included in the list"))
    }

    /// Returns the ids as sent, without duplicates.
    fn ids(self) -> Result<Vec<String>, Domain> {
        if self.report_ids.len() > MAX_BULK_REPORTS {
            return Err(Domain::validation(format!(
                "There are too many reports (maximum is {MAX_BULK_REPORTS})"
            )));
        }
        Ok(without_duplicates(self.report_ids))
    }
}

async fn decide(
    app: Data<App>,
    staff: Staff<AdminWriteReports, ManageReports>,
    Form(form): Form<BulkForm>,
) -> Result<HttpResponse> {
    let action = form.action()?;
    let sent = form.ids()?;
    let ids: Vec<ReportId> = sent.iter().filter_map(|id| id.parse().ok()).collect();
    let results = decide_all(&app, staff.authority, &ids, action).await?;
    let result = |id: &String| {
        let found = id.parse().ok().and_then(|report: ReportId| results.get(&report));
        render_result(id, found.copied().unwrap_or(DecisionResult::NotFound))
    };
    Ok(HttpResponse::Ok().json(sent.iter().map(result).collect::<Vec<_>>()))
}

/// Does something with reports in batches, each in a transaction, and returns what happened to each.
pub(in crate::routes) async fn decide_all(
    app: &App,
    staff: Authority,
    ids: &[ReportId],
    action: ReportAction,
) -> Result<HashMap<ReportId, DecisionResult>, Domain> {
    let mut results = HashMap::new();
    for some in ids.chunks(AT_ONCE) {
        let some = some.to_vec();
        let decided = app.write(move |tx| reports::decide_some(tx, staff, &some, action)).await?;
        results.extend(decided);
    }
    Ok(results)
}
