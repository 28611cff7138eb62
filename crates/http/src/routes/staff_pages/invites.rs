//! `/admin/invites`: the invites of all accounts.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use siskin_app::App;
use siskin_entities::{Invite, Timestamp};
use siskin_ids::{AccountId, InviteId};
use siskin_policy::{limits::LONG_PAGE, roles::ManageInvites};
use siskin_services::{
    invites::{self, ListedInvites},
    moderation::accounts,
};

use super::{
    layout::{Done, Link, Section, Viewer},
    people::Person,
    rows::{Cell, DataTable, Row},
};
use crate::{
    pages::{PageError, PageForm},
    paging::PageQuery,
    params::record_id,
    routes::public::neighbours::Neighbours,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/invites";
const HAPPENED: &[(&str, &str)] =
    &[("revoked", "The invite was revoked. Its link does not work any more.")];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route("/admin/invites/{id}/revoke", web::post().to(revoke));
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageInvites>,
    PageForm(page): PageForm<PageQuery>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let (request, account, now) = (page.request(LONG_PAGE)?, staff.account(), app.now());
    let (found, creators) = app
        .read(move |conn| {
            let found = invites::list(conn, account, ListedInvites::All, request)?;
            let ids: Vec<AccountId> = found.items.iter().map(|invite| invite.account).collect();
            let creators = accounts::load(conn, &ids)?;
            Ok((found, creators))
        })
        .await?;
    let row = |invite: &Invite| {
        let creator = creators.get(&invite.account);
        let creator = creator.map(|it| Person::of(&it.account, staff.authority, app.urls()));
        row(invite, creator, now)
    };
    let columns = ["Code", "By", "Used", "Comment", "Since", "Ends", "State"];
    let table = DataTable::new("Invites", &columns, "There are no invites.")
        .rows(found.items.iter().map(row))
        .paged(Neighbours::of(PAGE, &found, request));
    Viewer::of(&app, &staff)
        .layout(PAGE, "Invites")
        .done(&done, HAPPENED)
        .with(Section::untitled().table(table))
        .show()
}

fn row(invite: &Invite, creator: Option<Person>, now: Timestamp) -> Row {
    let creator = creator.map(|person| Cell::Link(Link::new(person.path, person.handle)));
    let used = match invite.max_uses {
        Some(most) => format!("{} of {most}", invite.uses),
        None => invite.uses.to_string(),
    };
    let cells = vec![
        creator.unwrap_or(Cell::Nothing),
        Cell::text(used),
        Cell::Lines(invite.comment.clone()),
        Cell::time(invite.created_at, now),
        Cell::time_if(invite.expires_at, now),
        Cell::tags(&[(!invite.is_valid(now), "Not valid any more")]),
    ];
    Row::new(&invite.code, cells).negative(format!("{PAGE}/{}/revoke", invite.id), "Revoke")
}

async fn revoke(
    app: Data<App>,
    form: PostedStaff<ManageInvites>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let id: InviteId = record_id(&id)?;
    let account = form.account();
    app.write(move |tx| invites::delete(tx, account, id)).await?;
    Ok(Viewer::posted(&app, &form).after(PAGE, "revoked"))
}
