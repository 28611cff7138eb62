//! `/api/v1/admin/statuses`: what staff do against statuses. An extension of this server.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_policy::{roles::ModerateUsers, scopes::AdminWriteAccounts};
use siskin_services::moderation::statuses::{self, StatusAction, Within};
use siskin_wire::empty::Empty;

use crate::{
    Result, Staff,
    params::{Form, chosen, chosen_list, record_id},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/admin/statuses/{id}/action", web::post().to(action));
}

#[derive(Debug, Deserialize)]
struct ActionForm {
    #[serde(rename = "type", default)]
    kind: String,
    /// Further statuses of the same author.
    #[serde(default, deserialize_with = "chosen_list")]
    status_ids: Vec<String>,
    report_id: Option<String>,
    #[serde(default)]
    text: String,
    send_email_notification: Option<bool>,
}

async fn action(
    app: Data<App>,
    staff: Staff<AdminWriteAccounts, ModerateUsers>,
    id: Path<String>,
    Form(form): Form<ActionForm>,
) -> Result<HttpResponse> {
    let authority = staff.authority;
    let mut ids = vec![record_id(&id)?];
    for id in &form.status_ids {
        ids.push(record_id(id)?);
    }
    let sent = StatusAction {
        kind: form.kind,
        ids,
        within: Within::Everything,
        text: form.text,
        report: chosen(form.report_id),
        by_email: form.send_email_notification.unwrap_or(true),
    };
    app.write(move |tx| statuses::act(tx, authority, &sent)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
