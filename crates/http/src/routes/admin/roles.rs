//! `/api/v1/admin/roles`, and the role of an account. Both extend the REST interface: see
//! `docs/openapi/roles.yaml`.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{AdminAccount, Role};
use siskin_ids::{AccountId, RoleId};
use siskin_policy::{
    roles::{ManageRoles, Permissions},
    scopes::{AdminRead, AdminWrite},
};
use siskin_services::{
    Error as Domain, moderation,
    roles::{self, RoleForm},
};
use siskin_wire::{admin_account, empty::Empty, role};

use crate::{
    Result, Staff, paging,
    params::{Form, Patch, chosen, record_id},
    table::Table,
};

/// A caller who may see the roles.
type Reader = Staff<AdminRead, ManageRoles>;
/// A caller who may change roles below the own one.
type Editor = Staff<AdminWrite, ManageRoles>;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/api/v1/admin/roles", web::get().to(list))
        .route("/api/v1/admin/roles", web::post().to(create))
        .route("/api/v1/admin/roles/{id}", web::get().to(show))
        .route("/api/v1/admin/roles/{id}", web::put().to(update))
        .route("/api/v1/admin/roles/{id}", web::delete().to(delete))
        .route("/api/v1/admin/accounts/{id}/role", web::put().to(assign));
}

/// Returns all roles, the highest first. They are never paginated, because their number is limited.
async fn list(app: Data<App>, _: Reader) -> Result<HttpResponse> {
    let found = app.read(roles::list).await?;
    Ok(paging::list(&found, role::render))
}

async fn show(app: Data<App>, _: Reader, id: Path<String>) -> Result<HttpResponse> {
    let id = role_id(&id)?;
    let found = app.read(move |conn| roles::find(conn, id)).await?;
    Ok(HttpResponse::Ok().json(role::render(&found)))
}

/// Fields of a role. An absent one keeps its value, or gets the default in a new role.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RoleParams {
    name: Patch<String>,
    color: Patch<String>,
    /// Bit mask in decimal.
    permissions: Patch<String>,
    priority: Option<i32>,
    highlighted: Patch<bool>,
}

impl RoleParams {
    fn into_form(self) -> Result<RoleForm> {
        let permissions = self.permissions.or_cleared("0".to_owned());
        Ok(RoleForm {
            name: self.name.or_default(),
            color: self.color.or_default(),
            permissions: permissions.map(|text| permissions_of(&text)).transpose()?,
            priority: self.priority,
            highlighted: self.highlighted.or_default(),
        })
    }
}

fn permissions_of(text: &str) -> Result<Permissions> {
    let bits: Option<i64> = text.trim().parse().ok();
    let wrong = || Domain::invalid("Invalid parameter: permissions must be a decimal number");
    Ok(bits.map(Permissions::from_bits).ok_or_else(wrong)?)
}

async fn create(
    app: Data<App>,
    staff: Editor,
    Form(params): Form<RoleParams>,
) -> Result<HttpResponse> {
    let (actor, form) = (staff.actor(), params.into_form()?);
    let created = app.write(move |tx| roles::create(tx, actor, &form)).await?;
    Ok(HttpResponse::Ok().json(role::render(&created)))
}

async fn update(
    app: Data<App>,
    staff: Editor,
    id: Path<String>,
    Form(params): Form<RoleParams>,
) -> Result<HttpResponse> {
    let id = role_id(&id)?;
    let (actor, form) = (staff.actor(), params.into_form()?);
    let updated = app.write(move |tx| roles::update(tx, actor, id, &form)).await?;
    Ok(HttpResponse::Ok().json(role::render(&updated)))
}

async fn delete(app: Data<App>, staff: Editor, id: Path<String>) -> Result<HttpResponse> {
    let (actor, id) = (staff.actor(), role_id(&id)?);
    app.write(move |tx| roles::delete(tx, actor, id)).await?;
    Ok(HttpResponse::Ok().json(Empty {}))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Assignment {
    /// Id of the role. Null or an empty text leaves the user with the base role.
    role_id: Patch<String>,
}

async fn assign(
    app: Data<App>,
    staff: Editor,
    id: Path<String>,
    Form(params): Form<Assignment>,
) -> Result<HttpResponse> {
    let id: AccountId = record_id(&id)?;
    account(&app, id).await?;
    let role = params.role_id.into_options();
    let role = role.ok_or_else(|| Domain::Malformed("Missing parameter: role_id".to_owned()))?;
    let role = chosen(role).map(|text| role_id(&text)).transpose()?;
    let actor = staff.actor();
    app.write(move |tx| roles::assign(tx, actor, id, role)).await?;
    let shown = account(&app, id).await?;
    Ok(HttpResponse::Ok().json(admin_account::render(&shown, app.urls())))
}

async fn account(app: &App, id: AccountId) -> Result<AdminAccount> {
    Ok(app.read(move |conn| moderation::accounts::find(conn, id)).await?)
}

/// Parses the id of a role. That of the base role is negative.
pub(in crate::routes) fn role_id(text: &str) -> Result<RoleId> {
    if text == Role::EVERYONE.to_string() {
        return Ok(Role::EVERYONE);
    }
    Ok(record_id(text)?)
}
