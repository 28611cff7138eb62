//! What staff do with an account without a strike: end a restriction, change the role, delete the
//! data.

use actix_web::{
    HttpResponse,
    web::{self, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_ids::{AccountId, RoleId};
use siskin_policy::roles::{
    DeleteUserData, ManageRoles, ManageUserAccess, ManageUsers, Permission,
};
use siskin_services::{
    Error as Domain,
    accounts::Decision,
    moderation::{
        accounts,
        act::{self, Decider},
        second_factors,
    },
    roles,
};

use super::{
    super::{confirm::Confirmation, forms::see, frame, people::handle},
    show::response,
};
use crate::{
    pages::{PageError, Problem},
    params::{chosen, record_id},
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const DELETE: &str = "/admin/accounts/{id}/delete";
const SECOND_FACTOR: &str = "/admin/accounts/{id}/second-factor";

pub(super) fn configure(table: &mut Table) {
    table
        .route("/admin/accounts/{id}/undo", web::post().to(undo))
        .route("/admin/accounts/{id}/role", web::post().to(change_role))
        .route(SECOND_FACTOR, web::get().to(ask_to_remove_factor))
        .route(SECOND_FACTOR, web::post().to(remove_factor))
        .route(DELETE, web::get().to(ask_to_delete))
        .route(DELETE, web::post().to(delete));
}

/// Redirects to the page of the account, or shows it with the problem.
async fn outcome<P>(
    app: &App,
    staff: &PostedStaff<P>,
    id: AccountId,
    result: Result<(), Domain>,
    done: &str,
) -> Result<HttpResponse, PageError> {
    let sees_accounts = staff.authority.can(Permission::ManageUsers);
    match result {
        Ok(()) if sees_accounts => Ok(see(app, &format!("/admin/accounts/{id}?done={done}"))),
        Ok(()) => Ok(see(app, "/")),
        Err(error) if sees_accounts => {
            let problem = Some(Problem::of(error)?);
            let person = (&staff.posted.browser, staff.authority);
            response(app, person, id, None, problem).await
        }
        Err(error) => Err(error.into()),
    }
}

#[derive(Debug, Deserialize)]
struct UndoForm {
    /// The name of the same operation in the API.
    #[serde(rename = "type", default)]
    kind: String,
}

impl UndoForm {
    fn decision(&self) -> Result<Decision, Domain> {
        match self.kind.as_str() {
            "enable" => Ok(Decision::Disabled(false)),
            "unsensitive" => Ok(Decision::Sensitized(false)),
            "unsilence" => Ok(Decision::Silenced(false)),
            "unsuspend" => Ok(Decision::Suspended(false)),
            _ => Err(Domain::validation("Type is not included in the list")),
        }
    }
}

async fn undo(
    app: web::Data<App>,
    staff: PostedStaff<ManageUsers>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (id, authority) = (record_id(&id)?, staff.authority);
    let form: UndoForm = staff.posted.decode()?;
    let undone =
        app.write_prepared(form.decision(), move |tx, it| act::undo(tx, authority, id, *it)).await;
    outcome(&app, &staff, id, undone.map(drop), "undone").await
}

#[derive(Debug, Deserialize)]
struct RoleForm {
    /// Empty for the base role.
    #[serde(default)]
    role_id: String,
}

async fn change_role(
    app: web::Data<App>,
    staff: PostedStaff<ManageRoles>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (id, actor) = (record_id(&id)?, staff.actor());
    let form: RoleForm = staff.posted.decode()?;
    let role = chosen(Some(form.role_id)).map(|role| role.parse::<RoleId>());
    let role = role.transpose().map_err(|_| Domain::NotFound)?;
    let changed = app.write(move |tx| roles::assign(tx, actor, id, role)).await;
    outcome(&app, &staff, id, changed, "role").await
}

/// Asks whether something is to happen to an account: what it is, its consequences, and the end of
/// the path of the form.
async fn question<P>(
    app: &App,
    staff: &StaffMember<P>,
    id: AccountId,
    (what, words, page): (&str, &str, &str),
) -> Result<HttpResponse, PageError> {
    let account = app.read(move |conn| accounts::find(conn, id)).await?;
    let handle = handle(&account.account);
    let title = format!("{what} of {handle}?");
    let page = Confirmation {
        frame: frame(app, &staff.browser, staff.authority, "/admin/accounts", title),
        words: words.to_owned(),
        names: vec![handle.into()],
        action: format!("/admin/accounts/{id}/{page}"),
        fields: Vec::new(),
        button: what.to_owned(),
        back: match staff.authority.can(Permission::ManageUsers) {
            true => format!("/admin/accounts/{id}"),
            false => "/".to_owned(),
        },
    };
    Ok(page.show()?)
}

async fn ask_to_remove_factor(
    app: web::Data<App>,
    staff: StaffMember<ManageUserAccess>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let words = "The password alone signs in then. Make sure that the request comes from the \
                 person who owns the account. They get an email.";
    let what = ("Remove the second factor", words, "second-factor");
    question(&app, &staff, record_id(&id)?, what).await
}

async fn remove_factor(
    app: web::Data<App>,
    staff: PostedStaff<ManageUserAccess>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (id, decider) = (record_id(&id)?, Decider::Staff(staff.authority));
    let removed = app.write(move |tx| second_factors::remove(tx, decider, id)).await;
    outcome(&app, &staff, id, removed.map(drop), "factor").await
}

async fn ask_to_delete(
    app: web::Data<App>,
    staff: StaffMember<DeleteUserData>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let words = "The profile, the posts and all files are deleted now. This cannot be undone.";
    let what = ("Delete the data", words, "delete");
    question(&app, &staff, record_id(&id)?, what).await
}

async fn delete(
    app: web::Data<App>,
    staff: PostedStaff<DeleteUserData>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (id, authority) = (record_id(&id)?, staff.authority);
    match app.write(move |tx| act::delete(tx, authority, id)).await {
        Ok(_) if authority.can(Permission::ManageUsers) => {
            Ok(see(&app, "/admin/accounts?done=deleted"))
        }
        deleted => outcome(&app, &staff, id, deleted.map(drop), "deleted").await,
    }
}
