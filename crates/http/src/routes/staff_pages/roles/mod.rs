//! `/admin/roles`: what staff may do. People change roles below their own one only, and pass on
//! only what they may do themselves.

mod words;

use std::collections::HashSet;

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::Role;
use siskin_policy::roles::{
    Authority, EVERYONE_PERMISSIONS, MAX_CUSTOM_PRIORITY, ManageRoles, Permission, Permissions,
};
use siskin_services::{
    Error as Domain,
    roles::{self, RoleForm},
};

use super::{
    confirm::Confirmation,
    fields::{Field, FieldInput, InputForm},
    layout::{Confirmed, Done, Layout, Link, Section, Viewer},
    people::Choice,
    rows::{Cell, DataTable, Row},
};
use crate::{
    pages::{PageError, PageForm, Problem},
    params::chosen_list,
    routes::admin::roles::role_id,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/roles";
const NEW: &str = "/admin/roles/new";
const HAPPENED: &[(&str, &str)] = &[
    ("added", "The role was created. Give it to people on the pages of their accounts."),
    ("changed", "The role was changed."),
    ("deleted", "The role was deleted."),
];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(create))
        .route(NEW, web::get().to(show_new))
        .route("/admin/roles/{id}", web::get().to(show))
        .route("/admin/roles/{id}", web::post().to(change))
        .route("/admin/roles/{id}/delete", web::post().to(delete));
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageRoles>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let found = app.read(roles::list).await?;
    let columns = ["Role", "Rank", "May", "Badge"];
    let table = DataTable::new("Roles", &columns, "There are no roles.")
        .rows(found.iter().map(|role| row(role, staff.authority)));
    let explained = "A role with a higher rank may act on people with a lower one. You can change \
                     roles with a lower rank than yours.";
    Viewer::of(&app, &staff)
        .layout(PAGE, "Roles")
        .done(&done, HAPPENED)
        .with(
            Section::untitled()
                .text(explained)
                .links(vec![Link::new(NEW, "Create a role")])
                .table(table),
        )
        .show()
}

fn row(role: &Role, staff: Authority) -> Row {
    let permissions = Permissions::from_bits(role.permissions);
    let names: Vec<&str> = permissions.iter().map(|one| words::of(one).0).collect();
    let cells = vec![
        Cell::text(role.position.to_string()),
        Cell::text(names.join(", ")),
        Cell::tags(&[(role.highlighted, "Shown on profiles")]),
    ];
    let row = Row::new(name_of(role), cells);
    if staff.outranks(role.position) {
        row.link(format!("{PAGE}/{}", role.id), "Change")
    } else {
        row
    }
}

fn name_of(role: &Role) -> &str {
    if role.is_everyone() { "Everyone" } else { &role.name }
}

/// The submitted form. Browsers do not send a checkbox that is not ticked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Typed {
    name: String,
    color: String,
    priority: String,
    highlighted: bool,
    #[serde(deserialize_with = "chosen_list")]
    permissions: Vec<String>,
}

impl Typed {
    fn of(role: &Role) -> Self {
        let permissions = Permissions::from_bits(role.permissions);
        Self {
            name: role.name.clone(),
            color: role.color.clone(),
            priority: role.position.to_string(),
            highlighted: role.highlighted,
            permissions: permissions.iter().map(|one| one.as_str().to_owned()).collect(),
        }
    }

    /// Returns the permissions after the change. Those that the form does not offer stay.
    fn permissions(&self, before: Permissions, offered: Permissions) -> Permissions {
        let chosen = self.permissions.iter().filter_map(|name| Permission::from_name(name));
        let chosen: Permissions =
            chosen.filter(|one| offered.iter().any(|it| it == *one)).collect();
        before.without_all(offered) | chosen
    }

    /// Returns the values of a role. `before` is the role that they change, if there is one.
    fn values(&self, before: Option<&Role>, staff: Authority) -> Result<RoleForm, Domain> {
        let present = before.map_or(Permissions::NONE, |it| Permissions::from_bits(it.permissions));
        let permissions = Some(self.permissions(present, offered(before, staff)));
        if before.is_some_and(Role::is_everyone) {
            return Ok(RoleForm { permissions, ..RoleForm::default() });
        }
        let wrong = |_| Domain::validation("Priority must be a whole number");
        Ok(RoleForm {
            name: Some(self.name.clone()),
            color: Some(self.color.clone()),
            permissions,
            priority: Some(self.priority.trim().parse().map_err(wrong)?),
            highlighted: Some(self.highlighted),
        })
    }
}

/// Returns the permissions that a person can grant to a role, or take from it.
fn offered(role: Option<&Role>, staff: Authority) -> Permissions {
    let known =
        if role.is_some_and(Role::is_everyone) { EVERYONE_PERMISSIONS } else { Permissions::ALL };
    known.iter().filter(|one| staff.can(*one)).collect()
}

async fn show_new(
    app: Data<App>,
    staff: StaffMember<ManageRoles>,
) -> Result<HttpResponse, PageError> {
    let typed = Typed { priority: "1".to_owned(), ..Typed::default() };
    layout(Viewer::of(&app, &staff), None, &typed, None).show()
}

async fn create(app: Data<App>, form: PostedStaff<ManageRoles>) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let (actor, values) = (form.actor(), typed.values(None, form.authority));
    let created =
        app.write_prepared(values, move |tx, values| roles::create(tx, actor, values)).await;
    match created {
        Ok(_) => Ok(viewer.after(PAGE, "added")),
        Err(error) => layout(viewer, None, &typed, Some(&Problem::of(error)?)).show(),
    }
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageRoles>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let role = below(&app, staff.authority, &id).await?;
    layout(Viewer::of(&app, &staff), Some(&role), &Typed::of(&role), None).show()
}

/// Loads a role below that of a person. For others the page does not exist.
async fn below(app: &App, staff: Authority, id: &str) -> Result<Role, PageError> {
    let id = role_id(id)?;
    let role = app.read(move |conn| roles::find(conn, id)).await?;
    if staff.outranks(role.position) { Ok(role) } else { Err(Domain::NotFound.into()) }
}

fn layout(
    viewer: Viewer<'_>,
    role: Option<&Role>,
    typed: &Typed,
    problem: Option<&Problem>,
) -> Layout {
    let title = role.map_or("New role".to_owned(), |role| format!("Role: {}", name_of(role)));
    let form = match role {
        None => InputForm::post("role", PAGE, "Create the role"),
        Some(role) => InputForm::post("role", format!("{PAGE}/{}", role.id), "Save"),
    };
    let form = fields(form, role, typed, viewer.authority).refused(problem);
    let deletable = role.filter(|role| !role.is_everyone());
    let deletion = deletable.map(|role| {
        let action = format!("{PAGE}/{}/delete", role.id);
        Section::new("delete", "Delete the role")
            .text("People with the role keep their accounts, and lose what it allows.")
            .form(InputForm::post("delete", action, "Delete the role").negative())
    });
    viewer
        .layout(PAGE, title)
        .refused(problem)
        .with(Section::untitled().form(form))
        .with_some(deletion)
        .with(Section::untitled().links(vec![Link::new(PAGE, "All roles")]))
}

fn fields(form: InputForm, role: Option<&Role>, typed: &Typed, staff: Authority) -> InputForm {
    let offered = offered(role, staff);
    let chosen: HashSet<&str> = typed.permissions.iter().map(String::as_str).collect();
    let choice = |permission: Permission| {
        let (name, hint) = words::of(permission);
        let is_chosen = chosen.contains(permission.as_str());
        Choice { chosen: is_chosen, ..Choice::new(permission.as_str(), name, "").with_hint(hint) }
    };
    let choices = offered.iter().map(choice).collect();
    let permissions = Field::new("permissions", "Permissions", FieldInput::Checks(choices));
    let permissions = permissions.hint("Only what you may do yourself is listed here.");
    if role.is_some_and(Role::is_everyone) {
        return form.with(permissions);
    }
    let highest = staff.priority.saturating_sub(1).min(MAX_CUSTOM_PRIORITY);
    form.with(Field::text("name", "Name", &typed.name))
        .with(
            Field::typed("number", "priority", "Rank", &typed.priority)
                .about("Priority")
                .about("The priority")
                .hint(format!("From 1 to {highest}. It must be below your own rank.")),
        )
        .with(
            Field::text("color", "Colour", &typed.color)
                .about("Color")
                .hint("Of the badge, such as #2b90d9. It may be empty."),
        )
        .with(Field::check("highlighted", "Show the role on profiles", typed.highlighted))
        .with(permissions)
}

async fn change(
    app: Data<App>,
    form: PostedStaff<ManageRoles>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let role = below(&app, form.authority, &id).await?;
    let (actor, id) = (form.actor(), role.id);
    let values = typed.values(Some(&role), form.authority);
    let changed =
        app.write_prepared(values, move |tx, values| roles::update(tx, actor, id, values)).await;
    match changed {
        Ok(_) => Ok(viewer.after(PAGE, "changed")),
        Err(error) => layout(viewer, Some(&role), &typed, Some(&Problem::of(error)?)).show(),
    }
}

async fn delete(
    app: Data<App>,
    form: PostedStaff<ManageRoles>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, Confirmed { confirmed }) = (Viewer::posted(&app, &form), form.posted.decode()?);
    let role = below(&app, form.authority, &id).await?;
    if !confirmed {
        let page = Confirmation {
            frame: viewer.frame(PAGE, format!("Delete the role {}?", name_of(&role))),
            words: "People with the role lose what it allows. This cannot be undone.".to_owned(),
            names: Vec::new(),
            action: format!("{PAGE}/{}/delete", role.id),
            fields: Vec::new(),
            button: "Delete the role".to_owned(),
            back: format!("{PAGE}/{}", role.id),
        };
        return Ok(page.show()?);
    }
    let (actor, id) = (form.actor(), role.id);
    match app.write(move |tx| roles::delete(tx, actor, id)).await {
        Ok(()) => Ok(viewer.after(PAGE, "deleted")),
        Err(error) => {
            let problem = Problem::of(error)?;
            layout(viewer, Some(&role), &Typed::of(&role), Some(&problem)).show()
        }
    }
}

#[cfg(test)]
mod tests {
    use siskin_ids::AccountId;

    use super::*;

    fn staff(permissions: &[Permission]) -> Authority {
        let permissions = permissions.iter().copied().collect();
        Authority { account: AccountId::new(1), permissions, priority: 10 }
    }

    fn role(permissions: &[Permission]) -> Role {
        let permissions: Permissions = permissions.iter().copied().collect();
        Role { id: siskin_ids::RoleId::new(7), permissions: permissions.bits(), ..Role::everyone() }
    }

    #[test]
    fn permissions_that_are_not_offered_stay_as_they_are() {
        let editor = staff(&[Permission::ManageRoles, Permission::ManageRules]);
        let before = role(&[Permission::Devops, Permission::ManageRules]);
        let typed = Typed {
            permissions: ["manage_roles", "administrator", "x"].map(str::to_owned).into(),
            priority: "3".to_owned(),
            ..Typed::default()
        };
        let after = typed.values(Some(&before), editor).unwrap().permissions.unwrap();
        let names: Vec<&str> = after.iter().map(Permission::as_str).collect();
        assert_eq!(names, ["devops", "manage_roles"]);
    }

    #[test]
    fn the_base_role_can_only_let_people_invite() {
        let editor = staff(&[Permission::Administrator]);
        let typed = Typed {
            permissions: ["invite_users", "manage_users"].map(str::to_owned).into(),
            ..Typed::default()
        };
        let values = typed.values(Some(&Role::everyone()), editor).unwrap();
        assert_eq!(values.permissions, Some(EVERYONE_PERMISSIONS));
        assert_eq!(values.name, None);
    }
}
