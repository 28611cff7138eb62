//! `/api/v1/admin/audit_log`, which extends the REST interface: see `docs/openapi/audit-log.yaml`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::TargetKind;
use siskin_ids::AccountId;
use siskin_policy::{limits::LONG_PAGE, roles::ViewAuditLog, scopes::AdminRead};
use siskin_services::{
    Error as Domain,
    audit::{self, AuditSelection},
};
use siskin_wire::audit::render;

use crate::{
    Result, Staff,
    paging::{self, PageQuery, Previous},
    params::{Form, chosen},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/admin/audit_log", web::get().to(list));
}

/// Restriction of the listed entries.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Filter {
    account_id: Option<String>,
    target_kind: Option<String>,
    target_id: Option<String>,
}

impl Filter {
    fn selection(self) -> Result<AuditSelection> {
        let account = chosen(self.account_id).map(|text| account_id(&text)).transpose()?;
        let target = match (chosen(self.target_kind), chosen(self.target_id)) {
            (None, None) => None,
            (Some(kind), Some(id)) => Some((target_kind(&kind)?, target_id(&id)?)),
            _ => {
                let why = "Invalid parameter: target_kind and target_id belong together";
                return Err(Domain::invalid(why).into());
            }
        };
        Ok(AuditSelection { account, target })
    }
}

fn account_id(text: &str) -> Result<AccountId> {
    let wrong = |_| Domain::invalid("Invalid parameter: account_id must be an id");
    Ok(text.parse().map_err(wrong)?)
}

fn target_kind(name: &str) -> Result<TargetKind> {
    let wrong = |_| Domain::invalid("Invalid parameter: target_kind is not a known kind");
    Ok(name.parse().map_err(wrong)?)
}

/// Parses the id of a target. That of the base role is negative.
fn target_id(text: &str) -> Result<i64> {
    let wrong = |_| Domain::invalid("Invalid parameter: target_id must be an id");
    Ok(text.parse().map_err(wrong)?)
}

async fn list(
    app: Data<App>,
    _: Staff<AdminRead, ViewAuditLog>,
    request: HttpRequest,
    Form(page): Form<PageQuery>,
    Form(filter): Form<Filter>,
) -> Result<HttpResponse> {
    let (selection, page) = (filter.selection()?, page.request(LONG_PAGE)?);
    let found = app.read(move |conn| audit::list(conn, selection, page)).await?;
    Ok(paging::response(&request, app.urls(), &found, Previous::MinId, render))
}
