//! `/api/v1/admin/accounts/{id}/second_factor`: an extension
//! (`docs/openapi/second-factors.yaml`).

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;
use siskin_ids::AccountId;
use siskin_policy::{roles::ManageUserAccess, scopes::AdminWriteAccounts};
use siskin_services::moderation::{act::Decider, second_factors};
use siskin_wire::empty::Empty;

use crate::{Result, Staff, params::record_id, table::Table};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/admin/accounts/{id}/second_factor", web::delete().to(remove));
}

/// Removes the second factor of a user. The response is the same if there is none. It does not
/// contain the account, because the permission does not allow to see the email address.
async fn remove(
    app: Data<App>,
    staff: Staff<AdminWriteAccounts, ManageUserAccess>,
    id: Path<String>,
) -> Result<HttpResponse> {
    let id: AccountId = record_id(&id)?;
    let decider = Decider::Staff(staff.authority);
    app.write(move |tx| second_factors::remove(tx, decider, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}
