//! `/api/v1/instance/domain_blocks`: blocked servers, as far as the settings show them.

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use siskin_app::App;
use siskin_entities::settings::ShownTo;
use siskin_policy::{domains::sees, scopes::Unscoped};
use siskin_wire::instance_domain::{Comments, render_shown};

use crate::{
    Result,
    auth::{self, Optional},
    paging,
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/instance/domain_blocks", web::get().to(list));
}

/// Lists the blocks. A list that only staff see has the status 404 without a body; one for users
/// has the status 401 without a user.
async fn list(app: Data<App>, viewer: Optional<Unscoped>) -> Result<HttpResponse> {
    let settings = app.settings();
    let shown_to = settings.domain_blocks_visibility;
    if shown_to == ShownTo::Staff {
        return Ok(HttpResponse::NotFound().finish());
    }
    if !sees(viewer.account, shown_to) {
        return Err(auth::no_token().into());
    }
    let comments = if sees(viewer.account, settings.domain_blocks_reasons) {
        Comments::Shown
    } else {
        Comments::Hidden
    };
    let blocks = app.shown_domain_blocks().await?;
    Ok(paging::list(&blocks, |block| render_shown(block, comments)))
}
